package kube

import (
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// single adds each node by itself and the pods that run on it, for placement.
func (t *tally) single(inv *v1alpha1.Inventory, groups []*group) {
	slices.SortFunc(t.nodes, func(a, b node) int { return flip(a.place.before(b.place)) })
	at := make(map[string]int, len(t.nodes))
	mounts := byNode(groups)
	var cordoned []string
	for i := range t.nodes {
		n := &t.nodes[i]
		at[n.name] = i
		node := v1alpha1.Node{Name: n.name, Type: n.kindName, Labels: asMap(n.labels), Taints: n.all,
			Addresses: n.addresses, Unschedulable: n.cordoned, Images: n.images,
			VolumeLimits: t.attached(n.name, mounts),
			Allocatable:  make(map[string]int64, len(n.allocatable))}
		for _, a := range n.allocatable {
			node.Allocatable[a.name] = a.n
		}
		inv.Nodes = append(inv.Nodes, node)
		if n.cordoned {
			cordoned = append(cordoned, n.name)
		}
		if !n.ready {
			t.decide(n.place, n.name, "it is not ready, and its pods count as running", 1)
		}
	}
	assume(inv, v1alpha1.Cordoned, v1alpha1.CordonedValue, cordoned)
	for i, g := range groups {
		count := map[int]int{}
		for _, name := range g.nodes {
			if n, known := at[name]; known {
				count[n]++
			}
		}
		for _, n := range slices.Sorted(maps.Keys(count)) {
			inv.Bound = append(inv.Bound, v1alpha1.Bound{PodType: i, Node: n, Count: count[n]})
		}
	}
	t.queue(inv, groups, at)
	inv.Namespaces = t.labelled
}

// assume adds an assumption about some things, if there are any.
func assume(inv *v1alpha1.Inventory, field, value string, of []string) {
	if len(of) > 0 {
		inv.Assumptions = append(inv.Assumptions, v1alpha1.Assumption{Field: field, Value: value, Why: words.Some(of, 5)})
	}
}
