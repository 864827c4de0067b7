package cli_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll.dev/internal/need"
)

// withHAProxy is for tests that start it, also where it is not on the path of users.
func withHAProxy(t *testing.T) string {
	t.Helper()
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+"/usr/sbin")
	return need.Program(t, "haproxy")
}

const routed = `apiVersion: plimsoll.dev/v1alpha1
kind: Scenario
platform: {release: "4.14", provider: aws}
hardware: {nodeTypes: [{name: standard, cpus: 8, memory: 32Gi}]}
workload: {podTypes: [{name: web, replicas: 10, cpu: 500m, memory: 512Mi}]}
router:
  threads: 1
  traffic: [{name: web, requestsPerSecond: 60000}]
`

// What is measured takes the place of the published rate in a plan, and the plan says so; it is compared with itself.
func TestBenchRouter(t *testing.T) {
	withHAProxy(t)
	dir := t.TempDir()
	run_, scenario, four := filepath.Join(dir, "run.json"), filepath.Join(dir, "s.yaml"), filepath.Join(dir, "s4.yaml")
	made := mustRun(t, "bench", "router", "--cell", "none/keep-alive", "--duration", "200ms", "--warmup", "50ms",
		"--routes", "3",
		"--key", "ecdsa", "--connections", "5", "--exit-zero", "-q", "-o", "json")
	for path, text := range map[string]string{run_: made, scenario: routed, four: strings.Replace(routed, "threads: 1",
		"threads: 4", 1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := mustRun(t, "why", scenario, "router.rate[none/keep-alive]", "--measured", run_)
	for _, want := range []string{"own measurement router run", "your own measurement, taken as it is",
		"none/keep-alive/LoadBalancerService"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if code, _, errs := run("plan", four, "--measured", run_); code != 2 || !strings.Contains(errs,
		"measure with --threads 4") {
		t.Errorf("%d %s", code, errs)
	}
	if code, out, errs := run("bench", "compare", run_, run_); code != 0 || !strings.Contains(out, "Router: ") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	if code, _, errs := run("bench", "compare", run_, run_, "--beside", "rps"); code != 2 ||
		!strings.Contains(errs, "--beside is of runs of the network") {
		t.Errorf("%d %s", code, errs)
	}
}

// Routes of a router that runs are asked as they are, and what they take is no limit of the router.
func TestBenchTarget(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != l.Addr().String() || r.URL.Path != "/page" {
			w.WriteHeader(http.StatusNotFound)
		}
		w.Write([]byte("page"))
	})}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	out := mustRun(t, "bench", "router", "--target", "http://"+l.Addr().String()+"/page", "--duration", "200ms",
		"--warmup", "50ms", "--repetitions", "1", "--connections", "3", "--exit-zero", "-q", "-o", "json")
	for _, want := range []string{`"mode": "keep-alive"`, `"mode": "close"`, "2 cells of the router at http://127.0.0.1"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in\n%.2000s", want, out)
		}
	}
	if strings.Contains(out, `"failed"`) || strings.Contains(out, `"edge"`) {
		t.Errorf("%.2000s", out)
	}
}

// What is wrong is told at once, before anything is started.
func TestBenchRouterRefused(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--threads 0 --tls 1.1 --cell x --page 1x --pin 0", "0 threads; TLS \"1.1\"; cell \"x\"; --page; --pin \"0\""},
		{"--cell edge/close,edge/close", "is named twice"},
		{"--address 192.0.2.1", "--address is for --target"},
		{"--target http://127.0.0.1:1/ --threads 2", "can't stand beside --target"},
		{"--target http://127.0.0.1:1/ --cell edge/close", "no route of the kinds"},
		{"--target ftp://127.0.0.1:1/ --target none.yaml", "is not http://HOST/PATH; none.yaml"},
		{"--target nothing.yaml", "nothing.yaml"},
		{"reload --reloads 0 --interval 1ms", "0 reloads; a reload each 1ms"},
	} {
		code, _, errs := run(append([]string{"bench", "router"}, strings.Fields(tt.args)...)...)
		for _, want := range strings.Split(tt.want, "; ") {
			if code != 2 || !strings.Contains(errs, want) {
				t.Errorf("%s: %d, and not %q in %s", tt.args, code, want, errs)
			}
		}
	}
	if code, _, errs := run("bench", "router", "--haproxy", "no-such-program"); code != 1 ||
		!strings.Contains(errs, "no-such-program") {
		t.Errorf("%d %s", code, errs)
	}
}

// What the answer can't be written as, or where, is told before anything is measured.
func TestBenchRouterUnwritten(t *testing.T) {
	measured := filepath.Join(t.TempDir(), "measured")
	program := filepath.Join(t.TempDir(), "haproxy")
	if err := os.WriteFile(program, []byte("#!/bin/sh\ntouch "+measured+"\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"-o x": `format "x"`, "-o csv": "--table is missing",
		"-o csv --table x": `no table "x"`, "--section x": "--section x", "--output-file /no/such/file": "no such file"} {
		for _, command := range []string{"router", "router reload"} {
			line := "bench " + command + " --haproxy " + program + " " + args
			if code, _, errs := run(strings.Fields(line)...); code == 0 || code == 3 || !strings.Contains(errs, want) {
				t.Errorf("%s: %d %s", line, code, errs)
			}
		}
	}
	if _, err := os.Stat(measured); err == nil {
		t.Error("HAProxy was started")
	}
	// These can be written: HAProxy is started, and fails.
	for table, command := range map[string]string{"cells": "router", "cpu": "router", "findings": "router reload",
		"reloads": "router reload"} {
		line := "bench " + command + " --haproxy " + program + " -o csv --table " + table
		if code, _, errs := run(strings.Fields(line)...); code != 1 || strings.Contains(errs, "table") {
			t.Errorf("%s: %d %s", line, code, errs)
		}
	}
}
