package plan_test

import (
	"fmt"
	"math"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// application is the workload of OCP 9.4, with what of the Java pods may be overcommitted.
const application = `{name: apache, replicas: 100, cpu: 500m, memory: 500M, storage: 1G},
 {name: node.js, replicas: 200, cpu: 1, memory: 1G, storage: 1G}, {name: postgresql, replicas: 100, cpu: 2, memory: 1G, storage: 10G},
 {name: jboss, replicas: 100, cpu: 1, memory: 1G, storage: 1G, overcommit: %s}`

// P10, OCP 9.4: 550 cores, 450 GB, 1.4 TB; 100, 50 or 25 nodes, roughly 30 percent overcommitted.
func TestDocumentRequirementsAndOptions(t *testing.T) {
	p := small{
		Node: "cpus: 4, memory: 16G, count: 100}, {name: x, cpus: 8, memory: 32G, count: 50}, {name: " +
			"y, cpus: 16, memory: 64G, count: 25",
		Pods: fmt.Sprintf(application, "cpuOnly"),
	}.plan(t)
	stated(t, p, map[string]string{"workload.cpu": "550 cores", "workload.memory": "450 GB", "workload.storage": "1.4 TB",
		"workload.pods": "500 pods"})
	for name, given := range map[string]int{"w": 100, "x": 50, "y": 25} {
		o := option(t, p, name)
		cpu, memory := o.Overcommit[0], o.Overcommit[1]
		if o.Given != given || cpu.Total.Number != 400_000 || memory.Total.Number != 1.6e12 {
			t.Errorf("%s: %d nodes with %s and %s", name, o.Given, cpu.Total.Text, memory.Total.Text)
		}
		if math.Abs(cpu.Share-550.0/400) > 1e-9 || math.Abs(memory.Share-450.0/1600) > 1e-9 || o.FitsAt != 1.375 {
			t.Errorf("%s: overcommit %v of CPU, %v of memory, fits at %v", name, cpu.Share, memory.Share, o.FitsAt)
		}
		if o.Floor > o.Needed || o.Bare > o.Needed || o.Needed <= given {
			t.Errorf("%s: floor %d, bare %d, needed %d for %d given", name, o.Floor, o.Bare, o.Needed, given)
		}
	}
}

func option(t *testing.T, p *v1alpha1.Plan, name string) v1alpha1.Option {
	t.Helper()
	for _, o := range p.Options {
		if o.Name == name {
			return o
		}
	}
	t.Fatalf("no option %s", name)
	return v1alpha1.Option{}
}

// P10: without overcommit 138/69/35 nodes are needed on their nominal size and
// 167/74/36 with what 4.4 reserves; with 1.375 and nothing reserved the document's own.
func TestDocumentNodesNeeded(t *testing.T) {
	nodes := "cpus: 4, memory: 16G%[1]s}, {name: x, cpus: 8, memory: 32G%[1]s}, {name: y, cpus: 16, memory: 64G%[1]s"
	plain := small{Node: fmt.Sprintf(nodes, ""), Pods: fmt.Sprintf(application, "allowed"),
		Rest: "policy: {spareNodes: 0}"}.plan(t)
	nothing := ", systemReserved: {cpu: 0, memory: 0}, evictionHard: 0"
	over := small{Node: fmt.Sprintf(nodes, nothing), Pods: fmt.Sprintf(application, "allowed"),
		Rest: "policy: {spareNodes: 0, overcommit: {cpu: 1.375}}"}.plan(t)
	for name, want := range map[string][3]int{"w": {138, 167, 100}, "x": {69, 74, 50}, "y": {35, 36, 25}} {
		o, overcommitted := option(t, plain, name), option(t, over, name)
		if got := [3]int{o.Bare, o.Needed, overcommitted.Total}; got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
		if overcommitted.Needed != want[0] {
			t.Errorf("%s: nothing reserved, no overcommit: got %d, want %d", name, overcommitted.Needed, want[0])
		}
	}
}

// P10: memory or the number of pods may decide as well as the CPU.
func TestDocumentBindingResource(t *testing.T) {
	for _, c := range []struct {
		pods, node, binding string
		nodes               int
	}{
		// three of 4 GB in less than 16
		{"{name: a, replicas: 100, cpu: 100m, memory: 4G}", "cpus: 4, memory: 16G", "memory", 34},
		{"{name: a, replicas: 100, cpu: 1, memory: 1G}", "cpus: 4, memory: 16G", "cpu", 34}, // three in 3.5 cores
		{"{name: a, replicas: 1000, cpu: 1m, memory: 1M}", "cpus: 4, memory: 16G, maxPods: 50", "pods", 29},
		{"{name: a, replicas: 1000, cpu: 1m, memory: 1M}", "cpus: 4, memory: 16G, podsPerCore: 10", "pods", 40},
		{"{name: a, replicas: 12, cpu: 1m, memory: 1M, maxPerNode: 1}", "cpus: 4, memory: 16G", "maxPerNode", 12},
	} {
		o := option(t, small{Node: c.node, Pods: c.pods, Rest: "policy: {spareNodes: 0}"}.plan(t), "w")
		if o.Binding != c.binding || o.Total != c.nodes {
			t.Errorf("%s on %s: %d nodes decided by %s, want %d by %s", c.pods, c.node, o.Total, o.Binding, c.nodes, c.binding)
		}
	}
}

// P10, OCP 9.4: Java and huge pages "would not allow for overcommitment".
func TestDocumentOvercommitForbidden(t *testing.T) {
	nodes := func(pod, overcommit string) int {
		p := small{Node: "cpus: 4, memory: 16G", Pods: "{name: a, replicas: 100, " + pod + "}",
			Rest: "policy: {spareNodes: 0, overcommit: {" + overcommit + "}}"}.plan(t)
		return option(t, p, "w").Total
	}
	const cpuBound, memoryBound = "cpu: 1, memory: 1G", "cpu: 100m, memory: 4G"
	for _, c := range []struct {
		pod, overcommit string
		want            int
	}{
		{cpuBound, "cpu: 2", 15}, {cpuBound + ", overcommit: cpuOnly", "cpu: 2", 15},
		{cpuBound + ", overcommit: forbidden", "cpu: 2", 34},
		{memoryBound, "memory: 2", 15}, {memoryBound + ", overcommit: cpuOnly", "memory: 2", 34},
		{memoryBound + ", overcommit: forbidden", "memory: 2", 34},
	} {
		if got := nodes(c.pod, c.overcommit); got != c.want {
			t.Errorf("%s with overcommit of %s: got %d nodes, want %d", c.pod, c.overcommit, got, c.want)
		}
	}
	const huge = "cpu: 100m, memory: 1G, hugePages: {2Mi: 2Gi}"
	if plain, over := nodes(huge, "memory: 1"), nodes(huge, "cpu: 4, memory: 4"); plain != over {
		t.Errorf("huge pages: %d nodes, with overcommit %d", plain, over)
	}
	// A pod that fits no node is an error, not a number.
	expectFinding(t, small{Node: "cpus: 4, memory: 16G", Pods: "{name: a, cpu: 5}"}.plan(t), v1alpha1.Error,
		"nodes.option[w]", true)
}
