//go:build linux

package bench

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/bench/network"
)

// BenchmarkNetwork measures the loopback device with plimsoll, netperf and neper in turns, all ends on one CPU, and
// reports the medians of the ratios: of netperf's median and mean latency on one connection, of neper's
// rate on fifty, and of sockperf's mean round trip. The peers are what scripts/bench-network builds.
func BenchmarkNetwork(b *testing.B) {
	peers, ours := os.Getenv("PLIMSOLL_PEERS"), os.Getenv("PLIMSOLL")
	if peers == "" || ours == "" {
		b.Skip("PLIMSOLL_PEERS and PLIMSOLL name no programs (run scripts/bench-network)")
	}
	pairs := 7
	var p50, mean, rate, round []float64
	for range pairs {
		one := plimsoll(b, ours, "rr-1x1-1").Repetitions[0]
		median, average := netperf(b, peers)
		p50 = append(p50, one.Latency.P50.Value.Seconds()/median)
		mean = append(mean, one.Latency.Mean.Seconds()/average)
		if half, ok := sockperf(b); ok {
			round = append(round, one.Latency.Mean.Seconds()/(2*half))
		}
		rate = append(rate, plimsoll(b, ours, "rr-1x1-50").Repetitions[0].Rate()/neper(b, peers))
	}
	b.ReportMetric(0, "ns/op")
	for name, values := range map[string][]float64{"p50/netperf": p50, "mean/netperf": mean, "rate50/neper": rate,
		"mean/sockperf": round} {
		if slices.Sort(values); len(values) > 0 {
			b.ReportMetric(values[len(values)/2], name)
			b.ReportMetric(values[0], "least-"+name)
			b.ReportMetric(values[len(values)-1], "most-"+name)
		}
	}
}

func plimsoll(b *testing.B, program, cell string) network.Measured {
	b.Helper()
	text := output(b, program, "bench", "network", "--place", "loopback", "--pin", "0:0", "--cell", cell, "--repetitions",
		"1", "--duration", "2s", "--warmup", "200ms", "-o", "json", "-q", "--exit-zero")
	var answer struct{ Result network.Run }
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		b.Fatal(err)
	}
	return answer.Result.Cells[0]
}

// pinned is a command on the first CPU.
func pinned(name string, args ...string) *exec.Cmd {
	return exec.Command("taskset", append([]string{"-c", "0", name}, args...)...)
}

func output(b *testing.B, name string, args ...string) string {
	b.Helper()
	text, err := exec.Command(name, args...).Output()
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	return string(text)
}

// served runs a client while its server runs.
func served(b *testing.B, server, client *exec.Cmd) string {
	b.Helper()
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		server.Process.Kill()
		server.Wait()
	}()
	time.Sleep(300 * time.Millisecond)
	text, err := client.Output()
	if err != nil {
		b.Fatalf("%v: %v: %s", client.Args, err, text)
	}
	return string(text)
}

// netperf's median and mean of TCP_RR, in seconds.
func netperf(b *testing.B, peers string) (median, mean float64) {
	port := freePort(b)
	text := served(b, pinned(filepath.Join(peers, "netserver"), "-D", "-L", "127.0.0.1", "-p", port),
		pinned(filepath.Join(peers, "netperf"), "-H", "127.0.0.1", "-p", port, "-t", "TCP_RR", "-l", "2", "--",
			"-r", "1,1", "-k", "P50_LATENCY,MEAN_LATENCY"))
	return value(b, text, "P50_LATENCY=") / 1e6, value(b, text, "MEAN_LATENCY=") / 1e6
}

// neper's rate of 50 flows of one thread.
func neper(b *testing.B, peers string) float64 {
	port, control := freePort(b), freePort(b)
	args := []string{"-P", port, "-C", control, "-T", "1", "-F", "50", "-l", "2"}
	program := filepath.Join(peers, "tcp_rr")
	return value(b, served(b, pinned(program, args...), pinned(program, append(args, "-c", "-H", "127.0.0.1")...)),
		"\nthroughput=")
}

// sockperf's mean of half a round trip, in seconds; ok is false where it is not installed.
func sockperf(b *testing.B) (half float64, ok bool) {
	if _, err := exec.LookPath("sockperf"); err != nil {
		return 0, false
	}
	port := freePort(b)
	text := served(b, pinned("sockperf", "server", "--tcp", "-i", "127.0.0.1", "-p", port),
		pinned("sockperf", "ping-pong", "--tcp", "-i", "127.0.0.1", "-p", port, "-t", "2", "-m", "14"))
	return value(b, text, "avg-latency=") / 1e6, true
}

func value(b *testing.B, text, key string) float64 {
	b.Helper()
	_, rest, _ := strings.Cut(text, key)
	number, _, _ := strings.Cut(strings.Fields(rest + " -")[0], ";")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		b.Fatalf("no %s in %s", key, text)
	}
	return v
}

func freePort(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
