package place_test

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
)

// small reports whether a scenario is small enough to be placed within a moment;
// what it plans may still be large, so the cluster is looked at, too.
func small(s *v1alpha1.Scenario, c *cluster.Cluster) bool {
	if c != nil {
		machines := 0
		for _, t := range c.Types {
			machines = max(machines, len(t.Machine.CPUs))
		}
		return len(c.Nodes) <= 16 && c.Wanted() <= 200 && machines <= 64
	}
	if len(s.Hardware.NodeTypes) > 4 || len(s.Workload.PodTypes) > 12 || len(s.Hardware.Options) > 2 {
		return false
	}
	pods := 0
	for _, t := range s.Workload.PodTypes {
		if t.Replicas > 100 || t.Containers > 10 {
			return false
		}
		pods += t.Replicas
	}
	for _, t := range s.Hardware.NodeTypes {
		if t.CPUs > 64 || t.MaxPods > 250 || t.NUMANodes > 8 || t.Count != nil && *t.Count > 16 {
			return false
		}
		for _, n := range t.Devices {
			if n > 16 {
				return false
			}
		}
	}
	return float64(pods)*(1+float64(s.Policy.Growth)) <= 200
}

// FuzzWholeWay takes any text the whole way: whatever it says, it is placed and
// told, the same twice, or refused with an error.
func FuzzWholeWay(f *testing.F) {
	for _, name := range []string{"cpu-manager.yaml", "topology-manager.yaml"} {
		text, err := os.ReadFile("../examples/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add(fmt.Sprintf(three, 3, 2, 5))
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 8<<10 {
			return
		}
		once, ok := wholeWay(t, text, small)
		again, _ := wholeWay(t, text, small)
		if !bytes.Equal(once, again) {
			t.Fatal("not the same twice")
		}
		if ok && len(once) == 0 {
			t.Fatal("nothing is told")
		}
	})
}
