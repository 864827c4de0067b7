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
	// Go test can't see that the program has become another one: scripts/test tells its sum.
	_ = os.Getenv("PLIMSOLL_SUM")
	t.Parallel()
	p := &loader{path: program(t)}
	dir := t.TempDir()
	nodes := make([]corev1.Node, 100)
	for i := range nodes {
		nodes[i] = machine(i)
		nodes[i].Labels["placement"], nodes[i].Labels[corev1.LabelHostname] = "logtest", nodes[i].Name
	}
	kubelet(t, p.path, &nodes[0], &nodes[1])
	config := `{"profile": "fast", "platform": "openshift", "behaviour": {"pods": [` +
		workerPods + `, ` + benchPods + `]}}`
	fill(t, dir, config, nodes...)
	p.lab = begin(t, dir)
	t.Run("reads", p.reads)
	t.Run("workers", p.workers)
	t.Run("workers interrupted", p.workersInterrupted)
	t.Run("rights", p.rights)
	t.Run("bench", p.bench)
	t.Run("files", p.files)
	t.Run("interrupted", p.interrupted)
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

// command of the program on the laboratory.
func (p *loader) command(args ...string) *exec.Cmd {
	return exec.Command(p.path, append(args, "--kubeconfig", filepath.Join(p.dir, "kubeconfig"))...)
}
