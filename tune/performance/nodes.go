package performance

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/unit"
)

// cpusOf are the CPUs of a node that reports so many. One that has CPUs turned off already reports those that are left.
func cpusOf(node int, sets map[string]unit.CPUSet) (all unit.CPUSet) {
	var named unit.CPUSet
	for _, s := range sets {
		named = named.Union(s)
	}
	first := func(n int) (out unit.CPUSet) {
		for c := range min(n, unit.MaxCPUs) {
			out.Add(c)
		}
		return out
	}
	if all = first(node); !named.Minus(all).IsEmpty() {
		all = first(node + sets["offlined"].Len())
	}
	return all
}

// cpusIn is the number of CPUs that a node reports; 0 where it says nothing.
func cpusIn(n *openshift.Node) int {
	cpus, _ := unit.ParseCPU(n.Status.Capacity["cpu"])
	return int(cpus.Cores())
}

// adding notes a finding.
type adding func(r object.Rule, path, what, fix string)

// onNodes holds CPUs and pages against the nodes that the profile selects. The operator does not look at these: it is
// the kubelet that doesn't start. What is wrong on several nodes is told of the first.
func (c *checker) onNodes(a *around) {
	if !complete(&c.Value) || len(c.Value.Spec.NodeSelector) == 0 {
		return
	}
	told := map[string]bool{}
	add := func(r object.Rule, path, what, fix string) {
		if !told[r.ID+path] {
			told[r.ID+path] = true
			c.found = append(c.found, c.Finding(r, path, what, fix))
		}
	}
	for i := range a.nodes {
		if n := &a.nodes[i].Value; carries(n.Metadata.Labels, c.Value.Spec.NodeSelector) {
			c.numbers(a, n, add)
			c.memory(n, add)
		}
	}
}

// numbers holds the CPUs against those of a node.
func (c *checker) numbers(a *around, n *openshift.Node, add adding) {
	count := cpusIn(n)
	if count == 0 {
		return
	}
	sets := setsOf(&c.Value, c.release)
	all := cpusOf(count, sets)
	left := all
	for _, u := range uses {
		left = left.Minus(sets[u.field])
		beyond := sets[u.field].Minus(all)
		if beyond.IsEmpty() {
			continue
		}
		rule, then := beyondNode, ""
		if u.field == "reserved" || u.field == "ovsDpdk" || u.field == "shared" && mixes(a, &c.Value, c.release) {
			rule, then = reservedBeyond, ": the kubelet doesn't start there"
		}
		add(rule, "spec.cpu."+u.field, fmt.Sprintf("%s names CPUs %s, and node %s has CPUs %s%s", u.field, beyond,
			n.Metadata.Name, all, then), "name CPUs of the nodes alone")
	}
	if !left.IsEmpty() {
		add(uncovered, "spec.cpu", fmt.Sprintf("CPUs %s of node %s are in no set: pods get them, and the kernel's own work "+
			"stays on them", left, n.Metadata.Name), "add them to isolated or reserved")
	}
}

// memory holds the huge pages against the memory of a node.
func (c *checker) memory(n *openshift.Node, add adding) {
	h := c.Value.Spec.HugePages
	memory, err := unit.ParseBytes(n.Status.Capacity["memory"])
	if h == nil || err != nil || memory <= 0 {
		return
	}
	sum := 0.0
	for _, p := range h.Pages {
		if size, err := unit.ParseQuantity(strings.ToUpper(p.Size) + "i"); err == nil && p.Count > 0 {
			sum += float64(p.Count) * size.AsApproximateFloat64()
		}
	}
	if sum >= float64(memory) {
		add(pagesBeyond, "spec.hugepages.pages", fmt.Sprintf("the huge pages are %.0f GiB together, and node %s has %s of "+
			"memory: it doesn't get them, and what it gets leaves nothing to all else", sum/(1<<30), n.Metadata.Name, memory),
			"ask for less than the memory of the nodes, less what pods and the system need without huge pages")
	}
}
