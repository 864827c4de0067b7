//go:build unix

// Package bench times the program as whole processes, each command and its peer in
// turns, so that a busy minute hits both. It holds benchmarks only and has no floor:
// two machines agree on the ratio, not on the times.
//
// The programs and their input are what scripts/bench builds.
//
//	RUNS=21 ./scripts/bench
package bench

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The peers: starting the program, and decoding the same input with encoding/json.
const (
	starting = "plimsoll version"
	decoding = "benchpeer snapshot.json"
)

// cases are commands with their peers. The variable says how often they run, or the
// number where it is not set.
var cases = []struct{ name, command, peer, variable, runs string }{
	{"plan/200 pod types on 10 node types", "plimsoll plan mix.yaml", starting, "RUNS", "11"},
	{"plan/snapshot of 1,000 nodes and 50,000 pods", "plimsoll plan snapshot.yaml", decoding, "SNAPSHOT_RUNS", "5"},
	{"explain/1,000 nodes by 200 Tuned CRs and 50,000 pods",
		"plimsoll tune explain --nodes snapshot.json --tuned tuneds.yaml -q", decoding, "SNAPSHOT_RUNS", "5"},
	{"place/150,000 pods on 2,000 nodes", place("cluster.yaml", "runs"), starting, "PLACE_RUNS", "3"},
	{"place/150,000 pods on 2,000 nodes, shuffled", place("cluster.yaml", "shuffled"), starting, "PLACE_RUNS", "3"},
	{"place/1,000,000 pods on 20,000 nodes", place("region.yaml", "runs"), starting, "PLACE_RUNS", "3"},
	{"place/1,000,000 pods on 20,000 nodes, shuffled", place("region.yaml", "shuffled"), starting, "PLACE_RUNS", "3"},
	{"place/1,000 VMs on 100 hosts", placeVMs("cloud.yaml", "runs"), starting, "RUNS", "11"},
	{"place/1,000 VMs on 100 hosts, shuffled", placeVMs("cloud.yaml", "shuffled"), starting, "RUNS", "11"},
	{"place/100,000 VMs on 10,000 hosts", placeVMs("provider.yaml", "runs"), starting, "PLACE_RUNS", "3"},
	{"place/100,000 VMs on 10,000 hosts, shuffled", placeVMs("provider.yaml", "shuffled"), starting, "PLACE_RUNS", "3"},
	{"lose/each of 100 hosts with 1,000 VMs", "plimsoll place cloud.yaml --failures 1 -q", starting, "RUNS", "11"},
}

func place(file, order string) string { return placeVMs(file, order) + " --drain 0" }

func placeVMs(file, order string) string {
	return "plimsoll place " + file + " --order " + order + " --failures 0 -q"
}

// BenchmarkProcesses reports the median, least and most time of each command, the
// median of its peer, their ratio, and the most memory that a run took.
func BenchmarkProcesses(b *testing.B) {
	bin := os.Getenv("PLIMSOLL_BENCH")
	if bin == "" {
		b.Skip("PLIMSOLL_BENCH names no directory with programs and input (run scripts/bench)")
	}
	for _, c := range cases {
		runs, err := strconv.Atoi(cmp.Or(os.Getenv(c.variable), c.runs))
		if err != nil || runs < 1 {
			b.Fatalf("%s is no number of runs", c.variable)
		}
		b.Run(c.name, func(b *testing.B) {
			var ours, peer []time.Duration
			most := int64(0)
			for range runs {
				took, peak := measure(b, bin, c.command)
				other, _ := measure(b, bin, c.peer)
				ours, peer, most = append(ours, took), append(peer, other), max(most, peak)
			}
			slices.Sort(ours)
			slices.Sort(peer)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ms(median(ours)), "median-ms")
			b.ReportMetric(ms(ours[0]), "least-ms")
			b.ReportMetric(ms(ours[runs-1]), "most-ms")
			b.ReportMetric(ms(median(peer)), "peer-ms")
			b.ReportMetric(float64(median(ours))/float64(median(peer)), "x-peer")
			b.ReportMetric(float64(most)/(1<<20), "peak-MiB")
		})
	}
}

// measure runs a command to its end, with its output thrown away. Exit code 3 is a
// negative verdict and counts as done.
func measure(b *testing.B, bin, command string) (time.Duration, int64) {
	words := strings.Fields(command)
	cmd := exec.Command(filepath.Join(bin, words[0]), words[1:]...)
	var problems bytes.Buffer
	cmd.Dir, cmd.Stderr = bin, &problems
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 3) {
		b.Fatalf("%s: %v\n%s", command, err, problems.Bytes())
	}
	peak := int64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
	if runtime.GOOS != "darwin" { // which counts bytes, not KiB
		peak *= 1024
	}
	return took, peak
}

// median is the middle of a sorted list, or between the two middle ones.
func median(sorted []time.Duration) time.Duration {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func TestMedian(t *testing.T) {
	for want, list := range map[time.Duration][]time.Duration{5: {5}, 6: {5, 7}, 7: {5, 7, 100}} {
		if got := median(list); got != want {
			t.Errorf("median of %v is %v, want %v", list, got, want)
		}
	}
}
