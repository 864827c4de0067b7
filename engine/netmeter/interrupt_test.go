//go:build linux

package netmeter

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll.dev/bench/network"
)

// interrupted is the environment variable with the place that the test's program measures, and kills how
// often it is ended in the midst of that.
const (
	interrupted = "NETMETER_PLACE"
	kills       = "PLIMSOLL_KILLS"
)

func TestMain(m *testing.M) {
	name := os.Getenv(interrupted)
	if name == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	place, err := network.Place(name, network.Switches{MTU: 1500, RPS: "1", StaticRoute: ""})
	if err == nil {
		p := network.Quick()
		_, err = Run(ctx, Options{Parameters: p, Place: place})
	}
	fmt.Println(err)
}

// left are the namespaces and processes that carry the mark of a run, and the devices of this machine.
func left(t *testing.T, mark string) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	links, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		out["device "+l.Name] = true
	}
	named, _ := filepath.Glob("/run/netns/*")
	for _, n := range named {
		out[n] = true
	}
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environments {
		if text, err := os.ReadFile(path); err == nil && strings.Contains(string(text), mark) {
			out[path] = true
		}
	}
	return out
}

// Whenever and however a run is ended, nothing of it is left. Its namespaces have no name: they are gone
// with its processes.
func TestInterrupts(t *testing.T) {
	spaces(t)
	n, _ := strconv.Atoi(os.Getenv(kills))
	n = max(n, 8)
	seed := uint64(time.Now().UnixNano())
	r := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	places := network.Places()
	for i := range n {
		mark := fmt.Sprintf("NETMETER_MARK=%d-%d", seed, i)
		before := left(t, mark)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), interrupted+"="+places[r.IntN(len(places))], mark)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(600 * time.Millisecond))))
		s := []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}[r.IntN(3)]
		if err := cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		after := left(t, mark)
		for range 40 { // the kernel ends what lost its parent a little later
			if maps.Equal(before, after) {
				break
			}
			time.Sleep(50 * time.Millisecond)
			after = left(t, mark)
		}
		if !maps.Equal(before, after) {
			t.Fatalf("after %v (%d): %v, and before %v", s, i, after, before)
		}
	}
}
