package performance

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/tune/kubeletconfig"
	"plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

// cpusOf are the CPUs of a node that reports so many. One that has CPUs turned off already reports those that are left.
func cpusOf(node int, sets map[string]unit.CPUSet) (all unit.CPUSet) {
	var named unit.CPUSet
	for _, s := range sets {
		named = named.Union(s)
	}
	if all = unit.FirstCPUs(node); !named.Minus(all).IsEmpty() {
		all = unit.FirstCPUs(node + sets["offlined"].Len())
	}
	return all
}

// Beyond is the rule that tells of reserved CPUs which a node of the profile's pool does not have.
var Beyond = reservedBeyond.ID

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
		if key := r.ID + path + string(r.Severity); !told[key] {
			told[key] = true
			c.found = append(c.found, c.Finding(r, path, what, fix))
		}
	}
	gaps := sync.OnceValue(func() bool {
		if pools := a.poolsOf(&c.Value, c.release); len(pools) > 0 {
			return kubeletconfig.Gaps(a.objects, &pools[0])
		}
		return kubeletconfig.Gaps(slices.DeleteFunc(slices.Clone(a.objects), func(o *object.Object) bool {
			return o.Kind == "PerformanceProfile" && o != c.Object // those of others have other nodes
		}), nil)
	})
	for _, n := range a.nodesOf(&c.Value, c.release) {
		c.numbers(a, n, gaps, add)
		c.memory(n, add)
	}
}

// numbers holds the CPUs against those of a node. It reports how many it has, not which: that these are the first is
// only supposed, and not where something turns some of them off.
func (c *checker) numbers(a *around, n *openshift.Node, gaps func() bool, add adding) {
	count, fits := pool.CPUs(n), true
	if count == 0 {
		return
	}
	sets := setsOf(&c.Value, c.release)
	all := cpusOf(count, sets)
	left := all
	for _, u := range uses {
		set := sets[u.field]
		left = left.Minus(set)
		beyond := set.Minus(all)
		if beyond.IsEmpty() {
			continue
		}
		fits = false
		rule, then := beyondNode, "it lacks them"
		if u.field == "reserved" || u.field == "ovsDpdk" || u.field == "shared" && mixes(a, &c.Value, c.release) {
			rule, then = reservedBeyond, "the kubelet doesn't start there"
		}
		what := fmt.Sprintf("%s names %d CPUs, and node %s has %d: %s", u.field, set.Len(), n.Metadata.Name, count, then)
		if set.Len() <= count {
			if gaps() {
				continue
			}
			rule.Severity = v1alpha1.Warning
			what = fmt.Sprintf("%s names CPUs %s, and node %s has %d: if its CPUs are numbered from 0 without gaps, %s",
				u.field, beyond, n.Metadata.Name, count, then)
		}
		add(rule, "spec.cpu."+u.field, what, "name CPUs of the nodes alone")
	}
	if fits && !left.IsEmpty() {
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
