package place

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
)

// Superfluous are nodes of a placed cluster that can be drained and taken away, in this
// order, the emptiest first: every pod finds another place, and what is left still
// bears the demand, which the whole cluster bears. Nodes of the control plane, and those
// with pods that no controller makes again, stay. ok is false when the budget did not
// suffice.
func (h *Held) Superfluous(d Demand, b *Budget) (names []string, ok bool) {
	r := h.first
	order := r.drainable()
	var gone []int
	c := r.clone()
	for _, node := range order {
		if !b.spend(r.weigh(r.podsOn(node))) {
			return nil, false
		}
		next := c.clone()
		if homeless, _ := next.evict([]int{node}); sum(homeless) == 0 {
			c, gone = next, append(gone, node)
		}
	}
	most := sort.Search(len(gone), func(k int) bool { return !h.holdsWithout(gone[:k+1], d, b) })
	for _, node := range gone[:most] {
		names = append(names, r.c.Nodes[node].Name)
	}
	return names, b.Pods >= 0
}

// Borne is the demand as far as the cluster bears it: Lacking are the pods for which it does
// not. ok is false when the budget did not suffice, or it bears nothing.
func (h *Held) Borne(d Demand, b *Budget) (Demand, bool) {
	now, r := *h, h.first.clone()
	for !now.Holds() {
		before := len(d.Lacking)
		for _, name := range now.homeless {
			if !slices.Contains(d.Lacking, name) {
				d.Lacking = append(slices.Clip(d.Lacking), name)
			}
		}
		r.spare(d.Lacking)
		now = Held{first: h.first}
		if err := now.bears(r, d, b); err != nil || len(d.Lacking) == before {
			return d, false
		}
	}
	return d, true
}

// drainable are the nodes that may go, those with the fewest pods to move first.
func (r *run) drainable() []int {
	var out []int
	for i, n := range r.c.Nodes {
		_, master := n.Labels["node-role.kubernetes.io/master"]
		_, plane := n.Labels["node-role.kubernetes.io/control-plane"]
		bare := slices.ContainsFunc(r.on[i], func(p v1alpha1.PodsCount) bool { return r.c.Kinds[p.PodType].Type.Bare })
		if !master && !plane && !bare && !n.Unschedulable {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int {
		return cmp.Or(r.podsOn(a)-r.podsOn(b), strings.Compare(r.c.Nodes[a].Name, r.c.Nodes[b].Name))
	})
	return out
}

// podsOn is the number of pods that a drain of the node moves.
func (r *run) podsOn(node int) int {
	n := 0
	for _, p := range r.on[node] {
		if !r.stays(p.PodType) {
			n += p.Count
		}
	}
	return n
}

// holdsWithout drains nodes one after the other, and asks whether the cluster that is
// left, with its pods where they are then, bears the demand.
func (h *Held) holdsWithout(gone []int, d Demand, b *Budget) bool {
	c := h.first.clone()
	for _, node := range gone {
		if !b.spend(c.weigh(c.podsOn(node))) {
			return false
		}
		if homeless, _ := c.evict([]int{node}); sum(homeless) > 0 {
			return false
		}
	}
	left := c.without(gone)
	held, err := Hold(left, d, b)
	return err == nil && held.Holds()
}

// without is the cluster without some nodes, its pods bound where they run.
func (r *run) without(gone []int) *cluster.Cluster {
	out := *r.c
	out.Nodes, out.Of, out.Bound = nil, nil, nil
	out.Kinds = slices.Clone(r.c.Kinds)
	for i := range out.Kinds {
		out.Kinds[i].Count = 0
	}
	for i, n := range r.c.Nodes {
		if slices.Contains(gone, i) {
			continue
		}
		for _, p := range r.on[i] {
			out.Bound = append(out.Bound, cluster.Bound{Kind: p.PodType, Node: len(out.Nodes), Count: p.Count})
		}
		out.Nodes, out.Of = append(out.Nodes, n), append(out.Of, r.c.Of[i])
	}
	return &out
}
