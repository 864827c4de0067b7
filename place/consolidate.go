package place

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/whatif"
)

// Superfluous are nodes of a placed cluster that can be drained and taken away, in this
// order, the emptiest first: every pod finds another place, and what is left still
// bears the demand, which the whole cluster bears. Nodes of the control plane, and those
// with pods that no controller makes again, stay. all is false when the budget ended the
// search: then there may be more of them.
func (h *Held) Superfluous(d Demand, b *Budget) (names []string, all bool) {
	half := Budget{b.Pods / 2} // the other is for the trials of what is found
	gone, all := h.first.emptied(&half)
	b.Pods -= b.Pods/2 - half.Pods
	most := 0
	whatif.Fewest(1, 1, len(gone), func(n int) bool { // n - 1 of them stay
		k := len(gone) + 1 - n
		holds, err := h.holdsWithout(gone[:k], d, b)
		if all = all && !errors.Is(err, ErrBudget); err != nil {
			return errors.Is(err, ErrBudget) // so that the search ends
		}
		if holds {
			most = max(most, k)
		}
		return holds
	})
	for _, node := range gone[:most] {
		names = append(names, h.first.c.Nodes[node].Name)
	}
	return names, all
}

// oneByOne is up to how many nodes each is drained on its own, to see whether it can go; of
// more nodes so many times as many are drained together.
const oneByOne = 64

// emptied are the nodes whose pods find places on the others, the emptiest drained first. They
// are drained several at a time while that goes well, and fewer where it doesn't. all is
// false when the budget ended it before.
func (r *run) emptied(b *Budget) (gone []int, all bool) {
	order := r.drainable()
	var free basic
	for node := range r.c.Nodes {
		free.plus(r.left(node), 1)
	}
	for step := 1; len(order) > 0; {
		nodes := order[:min(step, len(order))]
		next, left := r, r.leftBy(nodes, free)
		moves := min(left[0], left[1], left[2]) >= 0 // else some find no place, wherever they go
		if moves {
			if !b.spend(r.weighDrain(nodes)) {
				return gone, false
			}
			next = r.clone()
			homeless, _ := next.evict(nodes)
			moves = sum(homeless) == 0
		}
		switch {
		case moves:
			r, free, gone, order = next, left, append(gone, nodes...), order[len(nodes):]
			step = min(2*step, 1+len(r.c.Nodes)/oneByOne)
		case len(nodes) == 1:
			order, step = order[1:], 1
		default:
			step = len(nodes) / 2
		}
	}
	return gone, true
}

// basic is an amount of CPU, memory and pods, of which every node has some.
type basic [3]int64

func (a *basic) plus(b basic, times int64) {
	for i := range a {
		a[i] += times * b[i]
	}
}

// asks is what a pod of a kind requests of these.
func (r *run) asks(kind int) basic {
	q := &r.c.Kinds[kind].Pod.Request
	return basic{q.CPU, q.Memory, 1}
}

// left is what a node has left of these; of what is overcommitted nothing.
func (r *run) left(node int) basic {
	has := &r.c.Nodes[node].Allocatable
	left := basic{has.CPU, has.Memory, has.Pods}
	for _, p := range r.on[node] {
		left.plus(r.asks(p.PodType), -int64(p.Count))
	}
	for i, n := range left {
		left[i] = max(0, n)
	}
	return left
}

// leftBy is what of so much remains when nodes go, and their pods find a place on others.
func (r *run) leftBy(nodes []int, free basic) basic {
	for _, node := range nodes {
		free.plus(r.left(node), -1)
	}
	for kind, n := range r.movedFrom(nodes) {
		if !r.stays(kind) {
			free.plus(r.asks(kind), -int64(n))
		}
	}
	return free
}

// weighDrain is what it costs to copy the simulation, to ask each kind of pod that nodes
// have about all others, and to place these pods.
func (r *run) weighDrain(nodes []int) int {
	moved := r.movedFrom(nodes)
	return r.weigh(sum(moved)) + (len(counts(moved))+len(moved)/asked)*len(r.c.Nodes)/asked
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

// drainable are the nodes that may go, those with the fewest pods to move first. The nodes
// of the infrastructure stay: they are few, and how many there must be follows from routers
// and monitoring, which requests don't tell.
func (r *run) drainable() []int {
	var out []int
	for i, n := range r.c.Nodes {
		bare := slices.ContainsFunc(r.on[i], func(p v1alpha1.PodsCount) bool { return r.c.Kinds[p.PodType].Type.Bare })
		if !r.c.OfPlatform(i) && !bare && !n.Unschedulable {
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
func (h *Held) holdsWithout(gone []int, d Demand, b *Budget) (bool, error) {
	c := h.first.clone()
	for _, node := range gone {
		if !b.spend(c.weigh(c.podsOn(node))) {
			return false, ErrBudget
		}
		if homeless, _ := c.evict([]int{node}); sum(homeless) > 0 {
			return false, nil
		}
	}
	d.Order = cluster.Runs // all pods are bound
	held, err := Hold(c.without(gone), d, b)
	return err == nil && held.Holds(), err
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
