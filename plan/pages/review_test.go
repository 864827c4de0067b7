package pages_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/plan/pages"
	"plimsoll.dev/unit"
)

// TestOneNUMANode: a pod that asks for more than a machine of one NUMA node has
// does not lie on several.
func TestOneNUMANode(t *testing.T) {
	wide := v1alpha1.PodType{Name: "dpdk", Memory: unit.GiB, HugePages: map[string]unit.Bytes{"1Gi": 5 * unit.GiB}}
	for numa, want := range map[int]bool{0: false, 1: false, 2: true} {
		node := pages.Node{Type: "w", Memory: gib(64), NUMANodes: numa,
			Pods: need(map[string]unit.Bytes{"1Gi": 4 * unit.GiB})}
		r := plan(t, pages.Input{Release: "4.17", Nodes: []pages.Node{node}, PodTypes: []v1alpha1.PodType{wide}})
		if got := slices.Contains(ids(r), "warning hugePages.pod.numa"); got != want {
			t.Errorf("%d NUMA nodes: %v", numa, ids(r))
		}
	}
}

// TestWhoBringsThePages: pages that only the scenario pre-allocates are not the pods'.
func TestWhoBringsThePages(t *testing.T) {
	both := map[string]unit.Bytes{"1Gi": 2 * unit.GiB, "2Mi": unit.GiB}
	for _, c := range []struct {
		name            string
		pods, given     map[string]unit.Bytes
		message, remedy string
	}{
		{"pods", both, nil, "w: pods bring huge pages of 1Gi and 2Mi onto one node", "nodeSelector"},
		{"the scenario", nil, both, "w: hardware.nodeTypes[3].hugePages pre-allocates huge pages of 1Gi and 2Mi, " +
			"which no pod uses, on one node", "one page size"},
		{"each", map[string]unit.Bytes{"1Gi": unit.GiB}, map[string]unit.Bytes{"1Gi": unit.GiB, "2Mi": unit.GiB},
			"w: pods use huge pages of 1Gi and hardware.nodeTypes[3].hugePages pre-allocates those of 2Mi, " +
				"which no pod uses, on one node", "leave 2Mi out of hardware.nodeTypes[3].hugePages"},
	} {
		node := pages.Node{Index: 3, Type: "w", Memory: gib(64), Pods: need(c.pods), Given: c.given}
		r := plan(t, pages.Input{Nodes: []pages.Node{node}})
		i := slices.IndexFunc(r.Part.Findings, func(f v1alpha1.Finding) bool { return f.ID == "hugePages.sizes" })
		if i < 0 {
			t.Fatalf("%s: no finding among %v", c.name, ids(r))
		}
		if f := r.Part.Findings[i]; !strings.HasPrefix(f.Message, c.message) || !strings.Contains(f.Remedy, c.remedy) {
			t.Errorf("%s: %q, %q", c.name, f.Message, f.Remedy)
		}
		for _, f := range r.Part.Findings {
			if f.ID == "hugePages.given.unused" && !strings.Contains(f.Message, "no pod uses them") {
				t.Errorf("%s: %q", c.name, f.Message)
			}
		}
	}
}

// TestPagesAndMemoryAlike: GiB are not compared with GB.
func TestPagesAndMemoryAlike(t *testing.T) {
	node := pages.Node{Type: "w", Memory: gib(16e9 / (1 << 30)), Pods: need(map[string]unit.Bytes{"1Gi": 17 * unit.GiB})}
	r := plan(t, pages.Input{Nodes: []pages.Node{node}})
	if f := r.Part.Findings[0]; f.ID != "hugePages.tooMany" ||
		!strings.Contains(f.Message, "huge pages take 18.25 GB of 16 GB") {
		t.Errorf("%s: %q", f.ID, f.Message)
	}
	if g := r.Part.Gauges[0]; g.Value.Text != "18.25 GB" || g.Limit.Text != "16 GB" {
		t.Errorf("gauge of %s and %s", g.Value, g.Limit)
	}
}
