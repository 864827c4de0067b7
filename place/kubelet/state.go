package kubelet

import (
	"cmp"
	"maps"
	"slices"

	"plimsoll.dev/unit"
)

// Reserved are the CPUs that no container gets for itself; empty without the static policy.
func (n *Node) Reserved() unit.CPUSet { return n.cpu.Reserved() }

// Running are the UIDs of the running pods in the order of their admission.
func (n *Node) Running() []string {
	pods := n.running()
	uids := make([]string, len(pods))
	for i, p := range pods {
		uids[i] = p.cpu.UID
	}
	return uids
}

// Holds is what the containers of a running pod hold now, init containers first;
// nil when it does not run. An init container that has come to its end holds no
// memory any more, but its CPUs and devices.
func (n *Node) Holds(uid string) []Allocation {
	p := n.pods[uid]
	if p == nil {
		return nil
	}
	return n.allocations(p)
}

func (n *Node) running() []*pod {
	return slices.SortedFunc(maps.Values(n.pods), func(a, b *pod) int { return cmp.Compare(a.seq, b.seq) })
}
