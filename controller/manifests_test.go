package main

import (
	"strings"
	"testing"
)

// An image of one's own stands in the place of the manifest's, and nothing else changes.
func TestImage(t *testing.T) {
	for _, name := range []string{"health", "tuning", "agent"} {
		text, err := deployed.ReadFile("deploy/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		got, want := strings.Split(named(string(text), "r.example/a:1"), "\n"), strings.Split(string(text), "\n")
		changed := 0
		for i := range want {
			if got[i] != want[i] {
				changed++
				if strings.TrimSpace(got[i]) != `image: "r.example/a:1"` {
					t.Errorf("%s: %s", name, got[i])
				}
			}
		}
		if changed != 1 || len(got) != len(want) || named(string(text), "") != string(text) {
			t.Errorf("%s: %d lines are other ones", name, changed)
		}
	}
}

// The agent has rights in two namespaces and none beside, and runs on all nodes, whatever a cluster has for a default
// selector.
func TestAgentManifest(t *testing.T) {
	text, err := deployed.ReadFile("deploy/agent.yaml")
	if err != nil || strings.Contains(string(text), "ClusterRole") ||
		!strings.Contains(string(text), `openshift.io/node-selector: ""`) {
		t.Errorf("%v", err)
	}
}
