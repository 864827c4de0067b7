package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var tuning = schema.GroupVersion{Group: "tuned.openshift.io", Version: "v1"}

const operator = "openshift-cluster-node-tuning-operator"

// TestAgent has an agent look after a simulated node with the real TuneD: it applies what the Profile names, follows a
// change of the Tuned object, has it again after it was killed, and puts the node back when the Profile is taken away.
func TestAgent(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"/usr/sbin/tuned", "/usr/bin/tuned"} {
		if _, err := os.Stat(file); err == nil {
			break
		} else if file == "/usr/bin/tuned" {
			t.Skip("TuneD is not installed")
		}
	}
	program := controllers(t)
	dir, node := t.TempDir(), filepath.Join(t.TempDir(), "node")
	value := filepath.Join(node, "proc/sys/vm/max_map_count")
	for _, sub := range []string{"proc/sys/vm", "sys/block", "sys/class/net"} {
		if err := os.MkdirAll(filepath.Join(node, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(value, []byte("65530\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	fill(t, dir, `{"profile": "fast", "platform": "openshift"}`, machine(1))
	l := begin(t, dir)
	defer l.end()
	l.namespace(operator)
	l.applied("../controller/deploy/agent.yaml")
	config := l.asController("plimsoll-agent", filepath.Join(dir, "agent.yaml"))
	tuned := l.create(tuning.WithResource("tuneds"), tunedOf("131072"))
	l.create(tuning.WithResource("profiles"), map[string]any{"apiVersion": tuning.String(), "kind": "Profile",
		"metadata": map[string]any{"name": "node-1", "namespace": operator},
		"spec":     map[string]any{"config": map[string]any{"tunedProfile": "maps"}}})
	has := func(want string) func() bool {
		return func() bool {
			text, _ := os.ReadFile(value)
			return strings.TrimSpace(string(text)) == want
		}
	}
	start := func() *replica {
		return l.started(exec.Command(program, "agent", "--kubeconfig", config, "--node", "node-1",
			"--root", node, "--every", "200ms"))
	}
	agent := start()
	l.until(time.Minute, "the profile is applied", has("131072"))
	l.until(time.Minute, "the node says so", func() bool { return l.applied1("maps") })

	tuned.Object["spec"] = tunedOf("262144")["spec"]
	if _, err := l.dynamic().Resource(tuning.WithResource("tuneds")).Namespace(operator).Update(t.Context(), tuned,
		metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	l.until(time.Minute, "the change is applied", has("262144"))

	agent.stop(syscall.SIGKILL)
	agent = start()
	l.until(time.Minute, "it is applied after a kill", func() bool { return has("262144")() && l.applied1("maps") })

	if err := l.dynamic().Resource(tuning.WithResource("profiles")).Namespace(operator).Delete(t.Context(), "node-1",
		metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	l.until(time.Minute, "the node is put back", has("65530"))
	agent.stop(syscall.SIGTERM)
	if !has("65530")() {
		t.Error("the end of the agent left something else")
	}
}

// tunedOf is a Tuned object whose profile sets so many maps.
func tunedOf(maps string) map[string]any {
	return map[string]any{"apiVersion": tuning.String(), "kind": "Tuned",
		"metadata": map[string]any{"name": "mine", "namespace": operator},
		"spec": map[string]any{"profile": []any{map[string]any{"name": "maps",
			"data": "[main]\nsummary=maps\n[sysctl]\nvm.max_map_count=" + maps + "\n"}}}}
}

// applied1 says whether the Profile of node-1 says that the profile is applied.
func (l *lab) applied1(profile string) bool {
	p, err := l.dynamic().Resource(tuning.WithResource("profiles")).Namespace(operator).Get(l.t.Context(), "node-1",
		metav1.GetOptions{})
	if err != nil {
		l.t.Fatal(err)
	}
	name, _, _ := unstructured.NestedString(p.Object, "status", "tunedProfile")
	list, _, _ := unstructured.NestedSlice(p.Object, "status", "conditions")
	for _, c := range list {
		one, _ := c.(map[string]any)
		if one["type"] == "Applied" {
			return name == profile && fmt.Sprint(one["status"]) == "True"
		}
	}
	return false
}
