package ovs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/netmeter"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/need"
)

// interrupted says that the test's program is to run the experiment.
const interrupted = "OVS_EXPERIMENT"

func TestMain(m *testing.M) {
	if os.Getenv(interrupted) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	_, err := Run(ctx, short(3, time.Second))
	fmt.Println(err)
}

// short experiment.
func short(repetitions int, duration time.Duration) Options {
	return Options{Idle: 2000, Parameters: network.Parameters{Repetitions: repetitions, Duration: duration,
		Warmup: 100 * time.Millisecond, Cells: []network.Cell{{Pattern: network.RequestResponse, Connections: 50,
			Request:  200,
			Response: 1000}}}}
}

// What ovs-vswitchd used, most of it in the kernel, is not counted as somebody else's.
func TestOurs(t *testing.T) {
	r := measure.Repetition{Seconds: 2, Machine: &measure.CPU{User: 0.5, System: 3}, Client: &measure.CPU{System: 0.75},
		Server: &measure.CPU{System: 0.75}}
	if ours(&r, measure.CPU{User: 0.125, System: 0.75}); r.Foreign() != 0.125 {
		t.Errorf("others used %v CPUs", r.Foreign())
	}
}

// The pipeline of document 004 in the userspace datapath: with ct() a request goes round twice and its response three
// times; without, and with rules of other pods, nothing changes that.
func TestRun(t *testing.T) {
	installed(t)
	need.Right(t, netmeter.Spaces(), "run as root")
	need.Right(t, tunnels(), "run as root, where /dev/net/tun is")
	var calls []int
	o := short(2, 400*time.Millisecond)
	o.Progress = func(done int, _ string) { calls = append(calls, done) }
	x, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{1, 1, 1, 3.5, 3.5} {
		c := x.Cases[i]
		if len(c.Samples) != 2 {
			t.Fatalf("%s: %d samples", c.ID, len(c.Samples))
		}
		for _, s := range c.Samples {
			// A sample begins with requests for addresses, and acknowledgements may travel alone.
			if s.Passes < want-0.2 || s.Passes > want+0.2 || s.SwitchCPU < 1e-6 || s.SwitchCPU > 1e-3 || s.Transactions < 100 {
				t.Errorf("%s: %.2f passes, want %.1f; %.3g s of CPU, %.0f transactions", c.ID, s.Passes, want, s.SwitchCPU,
					s.Transactions)
			}
		}
	}
	if len(calls) != 10 || !strings.HasPrefix(x.Switch, "Open vSwitch ") || x.Cases[4].Rules != x.Cases[3].Rules+2000 {
		t.Error(calls, x.Switch)
	}
	if s := x.Answer(facts.Load()).Verdict.Summary; !strings.Contains(s, "times the CPU of ovs-vswitchd") {
		t.Error(s)
	}
}

// left are the processes that carry the mark of a run.
func left(mark string) (out []string) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environments {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), mark) {
			out = append(out, path)
		}
	}
	return out
}

// Whenever and however a run is ended, no process of it is left, and no file once another has begun.
func TestInterrupts(t *testing.T) {
	installed(t)
	need.Right(t, netmeter.Spaces(), "run as root")
	need.Right(t, tunnels(), "run as root, where /dev/net/tun is")
	n, _ := strconv.Atoi(os.Getenv("PLIMSOLL_KILLS"))
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)

	scratches, err := os.MkdirTemp("", "o") // sockets have short paths
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(scratches)
	t.Setenv("TMPDIR", scratches)
	for i := range max(n, 6) {
		mark := fmt.Sprintf("OVS_MARK=%d-%d", seed, i)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), interrupted+"=1", mark)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(1500 * time.Millisecond))))
		s := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}[r.IntN(3)]
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		for range 100 { // who lost the parent ends a little later
			if len(left(mark)) == 0 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if l := left(mark); len(l) > 0 {
			t.Fatalf("after %v (%d): %v", s, i, l)
		}
		files, _ := filepath.Glob(filepath.Join(scratches, "plimsoll-ovs-*"))
		if s != syscall.SIGKILL && len(files) > 0 {
			t.Fatalf("after %v: %v", s, files)
		}
	}
	mine, remove, err := scratch()
	if err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(scratches, "plimsoll-ovs-*")); !slices.Equal(files, []string{mine}) {
		t.Errorf("%v, but for %s", files, mine)
	}
	remove()
}
