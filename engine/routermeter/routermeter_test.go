//go:build linux

package routermeter

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/router"
	"plimsoll.dev/internal/need"
	"plimsoll.dev/tune/haproxy/formula"
)

// killed is the environment variable that has the test's program measure until it is ended.
const killed = "ROUTERMETER_KILLED"

func TestMain(m *testing.M) {
	if os.Getenv(killed) == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s := router.Default()
	s.Key = router.ECDSA
	_, err := Run(ctx, Options{Setup: s, Cells: router.Cells()})
	fmt.Println(err)
}

// installed is HAProxy, also where it is not on the path of users.
func installed(t *testing.T) {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+"/usr/sbin")
	need.Program(t, "haproxy")
}

func short() router.Setup {
	s := router.Default()
	s.Routes, s.Connections, s.Key = 5, 10, router.ECDSA
	s.Repetitions, s.Duration, s.Warmup = 1, 100*time.Millisecond, 30*time.Millisecond
	return s
}

// Each cell of the table runs against the real HAProxy, and each part has its account.
func TestTable(t *testing.T) {
	installed(t)
	t.Setenv("TMPDIR", t.TempDir())
	most := 0.0
	var used [3]float64 // of all samples: the clock of such accounts ticks 100 times a second
	for version, cells := range map[string][]router.Cell{"1.3": router.Cells(), "1.2": router.Cells()[5:6]} {
		s := short()
		s.TLS = version
		run, err := Run(t.Context(), Options{Setup: s, Cells: cells})
		if err != nil {
			t.Fatal(err)
		}
		most += float64(runtime.NumCPU()) * s.Time(len(cells)).Seconds()
		for _, m := range run.Cells {
			x := m.Repetitions[0]
			for i, c := range []*measure.CPU{x.Router, x.Client, x.Server} {
				used[i] += c.Busy()
			}
			if x.Transactions < 5 || x.Failed > 0 {
				t.Errorf("TLS %s, %s: %+v", version, m.Name(), x)
			}
			if tls := m.Encryption != "none"; m.Mode == formula.Close && tls != (x.Resumed > 0) {
				t.Errorf("TLS %s, %s: %v of %v handshakes resumed", version, m.Name(), x.Resumed, x.Handshakes)
			}
		}
		if run.HAProxy == "" {
			t.Error("HAProxy of no version")
		}
	}
	if slices.Min(used[:]) <= 0 || slices.Max(used[:]) > most {
		t.Errorf("CPU time of the parts %v, at most %v", used, most)
	}
	nothingLeft(t)
}

// nothingLeft of a run in the folder for temporary files.
func nothingLeft(t *testing.T) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// maxconn counts a client whose TLS the router ends twice, and others once.
func TestMaxconn(t *testing.T) {
	installed(t)
	t.Setenv("TMPDIR", t.TempDir())
	s := short()
	s.MaxConnections, s.Duration = s.Connections+4, 300*time.Millisecond
	run, err := Run(t.Context(), Options{Setup: s, Cells: router.Cells()[:3], wait: 400 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range run.Cells {
		if silent := m.Repetitions[0].Silent; (silent > 0) != (m.Encryption == "edge") {
			t.Errorf("%s: %d of %d connections have no answer", m.Name(), silent, s.Connections)
		}
	}
}

// A process stays for each reload while its connections live, and the remedies hold it down.
func TestReload(t *testing.T) {
	installed(t)
	t.Setenv("TMPDIR", t.TempDir())
	s := router.ReloadSetup{Reloads: 3, Interval: 250 * time.Millisecond, Connections: 2, Routes: 2,
		HardStop: 200 * time.Millisecond, Tunnel: 450 * time.Millisecond}
	r, err := Reload(t.Context(), ReloadOptions{Setup: s})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Cases {
		last := c.Steps[len(c.Steps)-1]
		if all := i == 0 || i == 3; all && (last.Processes != 4 || last.Connections != 6) ||
			!all && (last.Processes >= 4 || last.Connections == 6) || last.Memory < 1<<20 || last.Opened != 6 {
			t.Errorf("%s: %+v", c.Name, c.Steps)
		}
	}
	nothingLeft(t)
}

// A router that can't start says why, and leaves nothing.
func TestRefused(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	program := filepath.Join(t.TempDir(), "haproxy")
	text := "#!/bin/sh\n[ \"$1\" = -v ] && { echo HAProxy version 9.9; exit; }\necho the reason >&2; exit 1\n"
	if err := os.WriteFile(program, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Run(t.Context(), Options{Setup: short(), Cells: router.Cells(), Program: program})
	if err == nil || !strings.Contains(err.Error(), "the reason") {
		t.Error(err)
	}
	_, err = Run(t.Context(), Options{Setup: short(), Cells: router.Cells(), Program: "no-such-program"})
	if err == nil {
		t.Error("there is no such program")
	}
	nothingLeft(t)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), strings.Repeat("x", 90)))
	os.Mkdir(os.TempDir(), 0o700)
	if _, err := newFolder(); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Error(err)
	}
	nothingLeft(t)
}

// However a run is ended, its processes are gone; its folder is gone too, or after SIGKILL with the next run.
func TestKilled(t *testing.T) {
	installed(t)
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for i, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		mark := fmt.Sprintf("ROUTERMETER_MARK=%d-%d", os.Getpid(), i)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), killed+"=1", mark)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(100+rand.IntN(500)) * time.Millisecond)
		cmd.Process.Signal(s)
		cmd.Wait()
		var left []string
		for range 60 { // the kernel ends what lost its parent a little later
			if left = marked(mark); len(left) == 0 {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		if len(left) > 0 {
			t.Fatalf("after %v: %v", s, left)
		}
		if s != syscall.SIGKILL && i < 2 {
			nothingLeft(t)
		}
	}
	found, _ := filepath.Glob(filepath.Join(dir, folderPrefix+"*"))
	for _, f := range found {
		old := time.Now().Add(-time.Minute)
		os.Chtimes(f, old, old)
	}
	sweep()
	nothingLeft(t)
}

// marked are the processes that carry a mark.
func marked(mark string) (out []string) {
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environments {
		if text, err := os.ReadFile(path); err == nil && slices.Contains(strings.Split(string(text), "\x00"), mark) {
			name, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "comm"))
			out = append(out, path+" "+strings.TrimSpace(string(name)))
		}
	}
	return out
}

// A router that ends in the midst is no router that was slow.
func TestEnded(t *testing.T) {
	installed(t)
	t.Setenv("TMPDIR", t.TempDir())
	run := &router.Run{}
	r := &rounds{Options: Options{Setup: short()}, run: run}
	defer r.close()
	if err := r.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	syscall.Kill(r.proxy.newest.pid, syscall.SIGKILL)
	_, err := r.sample(t.Context(), router.Cells()[0])
	if err == nil || !strings.HasPrefix(err.Error(), "HAProxy has ended: ") || !strings.HasSuffix(err.Error(),
		"(signal: killed)") {
		t.Error(err)
	}
}
