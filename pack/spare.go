package pack

import (
	"errors"
	"fmt"
	"slices"
)

// ErrSpares is the answer where the stock has no nodes to spare that could take the
// place of others: there may be a packing without them.
var ErrSpares = errors.New("spares")

// manyCosts is from how many different costs of a node each has little of the effort.
const manyCosts = 20

// withSpares packs with spare nodes: for each cost that the dearest node may
// have, the best mix of such nodes and the cheapest empty nodes that can take
// the place of any of them; the cheapest of these is the answer. The bound is
// the least of the cases' bounds (see SpareProof).
func (r *solver) withSpares() (Solution, error) {
	var best *Solution
	var cases []SpareProof
	var whole Certificate
	method := ""
	costs := r.costs()
	if err := r.leaveByStock(); err != nil {
		return Solution{}, err
	}
	if r.idle() {
		return r.nothing(), nil
	}
	last := len(costs) - 1
	for j := range costs {
		share := 1 / float64(len(costs)-j)
		if last >= manyCosts { // the case of all kinds is first, with half of the effort
			if j == 0 {
				share = 0.5
			}
			j = (j + last) % len(costs)
		}
		dearest := costs[j]
		keep := func(k int) bool { return r.p.Nodes[k].Cost <= dearest }
		if !r.holds(keep) {
			continue
		}
		out, s, err := r.withDearest(keep, share, best == nil && j == last)
		if err != nil {
			return Solution{}, err
		}
		t := r.task(keep, false)
		ce, _ := t.certify(s, certifyCuts)
		before := s.best
		r.work.within(share, func() { t.count(s, &ce) })
		if j == last {
			t = r.task(keep, r.p.SurviveZoneLoss)
			whole, method = t.certify(s, certifyCuts)
			if t.zones && t.count(s, &whole) {
				method = methodCounts
			}
		}
		if s.best != before {
			if better, _ := r.spared(s); better != nil && (out == nil || better.Cost < out.Cost) {
				out = better
			}
		}
		if out != nil && out.Cost > maxCost {
			return Solution{}, errHuge
		}
		if out != nil && (best == nil || out.Cost < best.Cost) {
			best = out
		}
		cases = append(cases, SpareProof{Dearest: dearest, Certificate: ce, Bound: ce.Bound + int64(r.p.Spares)*dearest})
	}
	if best == nil {
		return Solution{}, fmt.Errorf("%w: no kind of node has %d in stock that could take the place of all others "+
			"(more stock, or fewer spares)", ErrSpares, r.p.Spares)
	}
	best.Certificate, best.Bound.Method = whole, method
	best.Certificate.Spares = cases
	bound := cases[0].Bound
	for _, c := range cases {
		bound = min(bound, c.Bound)
	}
	best.Left = r.left
	r.judge(best, max(bound, whole.Bound))
	return *best, nil
}

// leaveByStock leaves over what the stock can't hold even without spares.
func (r *solver) leaveByStock() error {
	if !slices.ContainsFunc(r.p.Nodes, func(n NodeType) bool { return n.Stock >= 0 }) {
		return nil
	}
	var err error
	r.work.within(0.2, func() { _, err = r.search(func(int) bool { return true }) })
	return err
}

// costs are the different costs of a node, the lowest first.
func (r *solver) costs() []int64 {
	var out []int64
	for _, n := range r.p.Nodes {
		out = append(out, n.Cost)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// holds says whether the kinds can hold every item that is wanted.
func (r *solver) holds(keep func(k int) bool) bool {
	_, left := newModel(r.p, r.demand, func(k int) bool { return keep(k) && r.inStock(k) })
	return !slices.ContainsFunc(left, func(n int64) bool { return n > 0 })
}

// withDearest packs on the kinds that keep says, and adds spares; no solution
// when there are none to be had. Where the packing itself takes them all, it is
// done again without the kinds that nothing could take the place of. With last it goes on
// without effort, too: there would be no answer.
func (r *solver) withDearest(keep func(k int) bool, share float64, last bool) (out *Solution, s *search, err error) {
	r.work.within(share, func() {
		lacks := -1
		s, out, lacks, err = r.reserving(keep, last)
		for err == nil && out == nil && lacks >= 0 && (last || !r.work.over()) {
			with, without := keep, lacks
			keep = func(k int) bool { return k != without && with(k) }
			if !r.holds(keep) {
				return
			}
			_, out, lacks, err = r.reserving(keep, last)
		}
	})
	return out, s, err
}

// reserving packs on the kinds that keep says, and adds spares; and once more for each
// kind, with nothing on a node that the kind can't hold, and for each that is in stock, with
// spares taken from that before: where there are none otherwise, or it takes no time. Spares
// that are left over, or that can take the place of all, may be of a dear kind only.
func (r *solver) reserving(keep func(k int) bool, last bool) (s *search, out *Solution, lacks int, err error) {
	began := r.work.steps
	if s, err = r.searchOnce(keep, nil); err != nil {
		return nil, nil, -1, err
	}
	out, lacks = r.spared(s)
	long := r.work.steps-began > r.work.left()/int64(10*len(r.p.Nodes))
	for k, n := range r.p.Nodes {
		if n.Stock == 0 || !keep(k) || out != nil && long || (out != nil || !last) && r.work.over() {
			continue
		}
		taken := make([]int64, len(r.p.Nodes))
		taken[k] = int64(r.p.Spares)
		for _, by := range []*solver{r, r.heldBy(k)} {
			if by == r && n.Stock < 0 || by != r && !by.holds(keep) {
				continue
			}
			again, err := by.searchOnce(keep, taken)
			if err != nil {
				return nil, nil, -1, err
			}
			if other, _ := r.spared(again); other != nil && (out == nil || other.Cost < out.Cost) {
				out = other
			}
		}
	}
	return s, out, lacks, nil
}

// heldBy is a solver that puts nothing on a node that one of kind k can't hold.
func (r *solver) heldBy(k int) *solver {
	p, out := *r.p, *r
	p.Nodes, p.Items = slices.Clone(p.Nodes), slices.Clone(p.Items)
	for j := range p.Nodes {
		n := &p.Nodes[j]
		n.Capacity = slices.Clone(n.Capacity)
		for d := range n.Capacity {
			n.Capacity[d] = min(n.Capacity[d], r.p.Nodes[k].Capacity[d])
		}
	}
	for i := range p.Items {
		if on := p.Items[i].On; on != nil {
			p.Items[i].On = make([]bool, len(on))
			for j := range on {
				p.Items[i].On[j] = on[j] && on[k]
			}
		}
	}
	out.p = &p
	return &out
}

// spared is the best mix of a search with spares; nil when the mix leaves something over,
// or when there are none to be had: of a kind whose place no other can take, or -1.
func (r *solver) spared(s *search) (found *Solution, lacks int) {
	if s.best.over > 0 {
		return nil, -1
	}
	out := r.solution(s)
	if out.Spares, lacks = r.spares(&out); lacks >= 0 {
		return nil, lacks
	}
	for k, n := range out.Spares {
		out.Nodes[k] += n
		out.Cost = sumOf(out.Cost, n, r.p.Nodes[k].Cost)
	}
	return &out, -1
}

// spares chooses empty nodes: for each pattern that too few of the spares so far
// could stand in for, more of the cheapest kind that can. Patterns that need
// most go first, so that their spares serve the others. What is there for the loss of a zone
// stands in, too: the two are not lost at once. Where there are none, it is the kind that
// lacks them, otherwise -1.
func (r *solver) spares(s *Solution) (out []int64, lacks int) {
	out = make([]int64, len(r.p.Nodes))
	idle := r.p.standIns(s.Nodes, s.Patterns, s.Together)
	order := slices.Clone(s.Patterns)
	able := make([]int, len(order))
	for j, t := range order {
		for k := range r.p.Nodes {
			if r.p.misfit(k, t.Items) == "" {
				able[j]++
			}
		}
	}
	index := make([]int, len(order))
	for j := range index {
		index[j] = j
	}
	slices.SortStableFunc(index, func(a, b int) int { return able[a] - able[b] })
	for _, j := range index {
		t := order[j]
		for lacking := int64(r.p.Spares) - r.p.spares(t, idle) - r.p.spares(t, out); lacking > 0; {
			k := r.cheapest(t, s.Nodes, out)
			if k < 0 {
				return nil, t.Node
			}
			n := lacking
			if st := r.p.Nodes[k].Stock; st >= 0 {
				n = min(n, st-s.Nodes[k]-out[k])
			}
			out[k] += n
			lacking -= n
		}
	}
	return out, -1
}

// cheapest is the cheapest kind with some left that can stand in for a pattern, or -1.
func (r *solver) cheapest(t Pattern, used, spares []int64) int {
	best := -1
	for k, n := range r.p.Nodes {
		if n.Stock >= 0 && used[k]+spares[k] >= n.Stock || r.p.misfit(k, t.Items) != "" {
			continue
		}
		if best < 0 || n.Cost < r.p.Nodes[best].Cost {
			best = k
		}
	}
	return best
}
