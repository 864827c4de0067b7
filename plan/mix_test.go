package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

const mixed = `
platform: {release: "4.14"}
hardware:
  nodeTypes: [%s]
  options: [{name: mix, nodes: [%s]}]
workload: {podTypes: [%s]}
policy: {%s, infraNodes: 0}`

func mixOf(t *testing.T, types, nodes, pods, policy string) (*v1alpha1.Plan, v1alpha1.Option) {
	t.Helper()
	p := planOf(t, fmt.Sprintf(mixed, types, nodes, pods, policy))
	o := p.Options[0]
	sum := 0
	for _, n := range o.Nodes {
		sum += n.Count
		if n.Count < 0 {
			t.Errorf("%d nodes of %s", n.Count, n.Type)
		}
	}
	if sum != o.Total {
		t.Errorf("the counts %v sum to %d, the total is %d", o.Nodes, sum, o.Total)
	}
	return p, o
}

// Nodes of a mix are not alike: what is spare, and what a lost zone takes, is
// found by placing.
func TestMixes(t *testing.T) {
	const two = "{name: big, cpus: 24, memory: 96Gi}, {name: small, cpus: 8, memory: 32Gi}"
	t.Run("stated nodes beyond the need", func(t *testing.T) {
		_, o := mixOf(t, two, "{type: big, count: 10}, {type: small}", "{name: a, replicas: 6, cpu: 1}", "spareNodes: 0")
		if o.Nodes[0].Count != 10 || o.Nodes[1].Count != 0 {
			t.Errorf("got %v", o.Nodes)
		}
	})
	t.Run("a big node is spare, not a small one", func(t *testing.T) {
		// 20 cores on each of 2 big nodes: one fails, and small ones must hold 20.
		_, o := mixOf(t, two, "{type: big, count: 2}, {type: small}", "{name: a, replicas: 40, cpu: 1}", "spareNodes: 1")
		if small := o.Nodes[1].Count; small < 3 {
			t.Errorf("%d small nodes can't take a big one's 20 pods", small)
		}
	})
	t.Run("a lost zone", func(t *testing.T) {
		_, o := mixOf(t, two, "{type: big, count: 3}, {type: small}", "{name: a, replicas: 66, cpu: 1}",
			"spareNodes: 0, zones: 3, surviveZoneLoss: true")
		// Without a zone two big nodes hold at most 46 pods; the small ones of two
		// zones must hold 20 at 7 each.
		if small := o.Nodes[1].Count; small-(small+2)/3 < 3 {
			t.Errorf("%d small nodes leave too few in two zones", small)
		}
	})
	t.Run("a spare that the pods can't use is none", func(t *testing.T) {
		const types = "{name: gpu, cpus: 8, memory: 32Gi, devices: {g.org/gpu: 1}, taints: [{key: gpu, effect: " +
			"NoSchedule}]}, {name: std, cpus: 8, memory: 32Gi}"
		_, o := mixOf(t, types, "{type: gpu, count: 3}, {type: std}",
			"{name: ml, replicas: 2, cpu: 1, devices: {g.org/gpu: 1}, tolerations: [{key: gpu, operator: "+
				"Exists}]}, {name: web, replicas: 21, cpu: 1}", "spareNodes: 1")
		if std := o.Nodes[1].Count; std != 4 {
			t.Errorf("got %d std nodes, want the 3 that 21 pods fill and a spare one", std)
		}
	})
	t.Run("nothing survives", func(t *testing.T) {
		p, o := mixOf(t, "{name: gpu, cpus: 8, memory: 32Gi, devices: {g.org/gpu: 1}}, {name: std, cpus: 8, memory: 32Gi}",
			"{type: gpu, count: 1}, {type: std}", "{name: ml, replicas: 1, cpu: 1, devices: {g.org/gpu: 1}}", "spareNodes: 1")
		if o.Fits || !slices.Contains(findings(p, v1alpha1.Error), "nodes.option[mix]") {
			t.Errorf("got %v, errors %v", o.Nodes, findings(p, v1alpha1.Error))
		}
	})
	t.Run("all stated and too few for a lost zone", func(t *testing.T) {
		p, _ := mixOf(t, "{name: w, cpus: 8, memory: 32Gi}", "{type: w, count: 10}", "{name: a, replicas: 63, cpu: 1}",
			"spareNodes: 0, zones: 3, surviveZoneLoss: true")
		said := 0
		for _, f := range p.Findings {
			if f.Severity == v1alpha1.Error && strings.HasPrefix(f.Message, "mix: when any zone fails, no place for a") {
				said++
			}
		}
		if said != 1 {
			t.Errorf("the lost zone is said %d times, want once: %+v", said, p.Findings)
		}
	})
}

// Whatever the mix: no count is negative, and the counts sum to the total.
func TestMixCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := fmt.Sprintf("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario"+mixed,
			fmt.Sprintf("{name: a, cpus: %d, memory: 64Gi}, {name: b, cpus: %d, memory: 64Gi}",
				rapid.IntRange(2, 32).Draw(t, "a"), rapid.IntRange(2, 32).Draw(t, "b")),
			fmt.Sprintf("{type: a, count: %d}, {type: b}", rapid.IntRange(1, 12).Draw(t, "count")),
			fmt.Sprintf("{name: p, replicas: %d, cpu: %dm}", rapid.IntRange(0, 60).Draw(t, "n"),
				rapid.IntRange(100, 2000).Draw(t, "cpu")),
			fmt.Sprintf("spareNodes: %d, zones: 3, surviveZoneLoss: %v", rapid.IntRange(0, 3).Draw(t, "spare"),
				rapid.Bool().Draw(t, "loss")))
		doc, err := scenario.Read("test.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		o := plan.Make(doc.Scenario, doc.Assumptions, facts.Load()).Options[0]
		sum := 0
		for _, n := range o.Nodes {
			if n.Count < 0 {
				t.Fatalf("%d nodes of %s", n.Count, n.Type)
			}
			sum += n.Count
		}
		if sum != o.Total {
			t.Fatalf("%v sum to %d, the total is %d", o.Nodes, sum, o.Total)
		}
	})
}

// DaemonSets take devices, and pods may select what the kubelet labels by itself.
func TestDaemonDevicesAndWellKnownLabels(t *testing.T) {
	p := planOf(t, `
platform: {release: "4.14"}
hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi, devices: {g.org/gpu: 2}}]}
workload: {podTypes: [{name: agent, daemonSet: true, devices: {g.org/gpu: 1}}, {name: ml, replicas: 20, devices: {g.org/gpu: 1}, nodeSelector: {kubernetes.io/os: linux}}]}
policy: {spareNodes: 1}`)
	if o := p.Options[0]; !o.Fits || o.Total != 21 {
		t.Errorf("fits %v on %d nodes, want 20 with one GPU left on each, and a spare one: %s", o.Fits, o.Total, o.Why)
	}
}
