package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestLoad runs the real "plimsoll load" on one laboratory: each takes seconds to start.
func TestLoad(t *testing.T) {
	_ = os.Getenv("PLIMSOLL_SUM")
	t.Parallel()
	p := &loader{path: program(t)}
	dir := t.TempDir()
	nodes := make([]corev1.Node, 100)
	for i := range nodes {
		nodes[i] = machine(i)
	}
	fill(t, dir, `{"profile": "fast", "platform": "openshift", "behaviour": {"pods": [`+workerPods+`]}}`, nodes...)
	p.lab = begin(t, dir)
	t.Run("workers", p.workers)
	t.Run("workers interrupted", p.workersInterrupted)
	t.Run("rights", p.rights)
	p.end()
}

// loader runs the program against a laboratory.
type loader struct {
	*lab
	path string
}

// program builds plimsoll from this checkout, and returns its path.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "plimsoll")
	build := exec.Command("go", "build", "-o", path, "./cmd/plimsoll")
	build.Dir = ".." // a module of its own
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// load is the command on the laboratory.
func (p *loader) load(file string, args ...string) *exec.Cmd {
	all := append([]string{"load", file, "--kubeconfig", filepath.Join(p.dir, "kubeconfig")}, args...)
	return exec.CommandContext(p.t.Context(), p.path, all...)
}
