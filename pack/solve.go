package pack

import (
	"errors"
	"fmt"
	"slices"
)

const (
	methodVolume   = "volume"
	methodLinear   = "linear"
	methodPatterns = "patterns"
	methodCounts   = "counts"
)

// certifyCuts is the most boxes in the proof for one kind of node.
const certifyCuts = 20_000

// searchShare of the effort goes into the search at most, the rest into the proof.
const searchShare = 0.8

// Solve finds a cheap mix of nodes that holds every item, and proves a bound
// that no mix is below. The same problem and options give the same answer.
//
// Items that fit on no kind of node, and those that the stock leaves over, are
// in Left, and bound and certificate are about the others. The error says
// everything that is wrong with the problem, one fault a line; or that there is
// no node that could be a spare, or a cost that can't be counted.
func Solve(p Problem, o Options) (Solution, error) {
	if err := p.check(); err != nil {
		return Solution{}, err
	}
	effort := o.Effort
	if effort <= 0 {
		effort = DefaultEffort
	}
	o.Effort = min(effort, DefaultEffort)
	before := int64(0) // effort of the searches that are over
	if tell := o.Progress; tell != nil {
		o.Progress = func(now Progress) {
			now.Done = (float64(before) + float64(now.Done*float64(o.Effort))) / float64(effort)
			tell(now)
		}
	}
	best, err := p.solveTurn(o, 0)
	// A longer search takes another way, which may end at a dearer mix: what a search with
	// less effort finds is among what one with more does.
	for turn, spent := 1, int64(DefaultEffort); err == nil && spent <= effort-spent; turn, spent = turn+1, 2*spent {
		if best.Optimal || best.content(o.Gap) || o.Stop != nil && o.Stop() {
			break
		}
		before, o.Effort = spent, spent
		if next, err := p.solveTurn(o, turn); err == nil { // or the one before is still an answer
			best = best.or(next)
		}
	}
	return best, err
}

// or is the better of two solutions, with the higher of the bounds and the effort of both.
func (s Solution) or(other Solution) Solution {
	effort := s.Effort + other.Effort
	if other.over() < s.over() || other.over() == s.over() && other.Cost < s.Cost {
		s, other = other, s
	}
	if slices.Equal(s.Left, other.Left) && other.Bound.Cost > s.Bound.Cost {
		s.Certificate, s.Bound = other.Certificate, other.Bound
		s.Bound.GapCost = s.Cost - s.Bound.Cost
		s.Bound.GapNodes = total(s.Nodes) - s.Bound.Nodes
		s.Bound.Gap = float64(s.Bound.GapCost) / float64(max(s.Cost, 1))
		s.Optimal = s.Bound.GapCost == 0
	}
	s.Effort = effort
	return s
}

// content says that the gap is as small as was asked for.
func (s *Solution) content(gap float64) bool { return gap > 0 && s.Bound.Gap <= gap }

// over is how much is left over.
func (s *Solution) over() int64 { return total(s.Left) }

func total(list []int64) int64 {
	sum := int64(0)
	for _, n := range list {
		sum += n
	}
	return sum
}

// solveTurn is one search with all of the effort; each turn draws other numbers. Where a zone may be
// lost, each is packed by itself, and, unless that holds everything and is proven best, all but one together.
func (p *Problem) solveTurn(o Options, turn int) (Solution, error) {
	if !p.SurviveZoneLoss || p.serving() == 1 {
		return p.solveOnce(o, turn, false)
	}
	o.Effort = max(o.Effort/2, 1)
	over := 0.0 // of the effort
	if tell := o.Progress; tell != nil {
		o.Progress = func(now Progress) {
			now.Done = over + now.Done/2
			tell(now)
		}
	}
	best, err := p.solveOnce(o, turn, false)
	if err == nil && best.over() == 0 && (best.Optimal || best.content(o.Gap)) {
		return best, nil
	}
	over = 0.5
	other, failed := p.solveOnce(o, turn, true)
	switch {
	case failed != nil:
		return best, err
	case err != nil:
		return other, nil
	}
	return best.or(other), nil
}

// solveOnce is one search of one way.
func (p *Problem) solveOnce(o Options, turn int, together bool) (Solution, error) {
	r := &solver{p: p, o: o, turn: turn, together: together, work: newMeter(o), demand: make([]int64, len(p.Items))}
	for i, it := range p.Items {
		r.demand[i] = it.Count
	}
	r.leave()
	s, err := r.solve()
	if err != nil {
		return Solution{}, err
	}
	s.Effort = r.work.effort()
	if err := p.recount(&s); err != nil {
		return Solution{}, fmt.Errorf("the solver is wrong: %w", err)
	}
	return s, nil
}

// solver is one call of Solve.
type solver struct {
	p    *Problem
	o    Options
	turn int
	// together packs all zones but one, of which any may be lost, at once; otherwise each by itself.
	together bool
	work     *meter
	demand   []int64 // of each item, less what is left over
	left     []int64 // nil when nothing is
}

// errHuge is the answer to costs that no int64 counts.
var errHuge = errors.New("cost: all nodes together cost more than 2^62 (take a larger unit)")

// leave leaves over what fits on no node that there is.
func (r *solver) leave() {
	_, left := newModel(r.p, r.demand, r.inStock)
	r.remove(left, 1)
}

// remove leaves over more items, so many for each of the parts in which they are packed.
func (r *solver) remove(left []int64, parts int64) {
	for i, n := range left {
		if n == 0 {
			continue
		}
		if r.left == nil {
			r.left = make([]int64, len(left))
		}
		n = min(n*parts, r.demand[i])
		r.left[i] += n
		r.demand[i] -= n
	}
}

func (r *solver) inStock(k int) bool { return r.p.Nodes[k].Stock != 0 }

// buyable is how many kinds of node there are in stock. Only for all of them the
// packings to begin with are asked for where there are many items: rules that go
// through all nodes for each item take longer than the search then.
func (r *solver) buyable() int {
	n := 0
	for k := range r.p.Nodes {
		if r.inStock(k) {
			n++
		}
	}
	return n
}

func (r *solver) zones() int64 { return max(int64(r.p.Zones), 1) }

// parts in which the items are packed.
func (r *solver) parts() int64 {
	if r.together {
		return 1
	}
	return r.p.serving()
}

// solve takes the way with or without spares.
func (r *solver) solve() (Solution, error) {
	if r.idle() {
		return r.nothing(), nil
	}
	if r.p.Spares > 0 {
		return r.withSpares()
	}
	s, err := r.search(func(int) bool { return true })
	if err != nil {
		return Solution{}, err
	}
	if r.idle() {
		return r.nothing(), nil
	}
	t := r.task(func(int) bool { return true }, r.p.SurviveZoneLoss)
	ce, method := t.certify(s, certifyCuts)
	if t.count(s, &ce) {
		method = methodCounts
	}
	out := r.solution(s)
	out.Certificate, out.Bound.Method = ce, method
	r.judge(&out, out.Certificate.Bound)
	return out, nil
}

// idle says that there is nothing to pack.
func (r *solver) idle() bool {
	return !slices.ContainsFunc(r.demand, func(n int64) bool { return n > 0 })
}

// nothing is the answer when there is nothing to pack.
func (r *solver) nothing() Solution {
	out := Solution{Nodes: make([]int64, len(r.p.Nodes)), Left: r.left, Optimal: true}
	t := r.task(func(int) bool { return true }, false)
	v := newProver(r.p, r.demand, t.keep, r.work)
	v.search(1, 1)
	out.Certificate, out.Bound.Method = t.write(v), methodVolume
	return out
}

func (r *solver) task(keep func(int) bool, zones bool) *task {
	return &task{p: r.p, demand: r.demand, keep: keep, zones: zones, work: r.work}
}

// search looks for the best mix of the kinds that keep says. What the stock
// leaves over is taken from the demand, and the rest searched again.
func (r *solver) search(keep func(k int) bool) (*search, error) {
	for {
		s, err := r.searchOnce(keep, nil)
		if err != nil || s.best.over == 0 {
			return s, err
		}
		left := make([]int64, len(r.demand))
		for j, i := range s.m.itemOf {
			left[i] = s.best.left[j]
		}
		r.remove(left, r.parts())
	}
}

// searchOnce looks for the best mix of one zone, or of all but one together, with so many
// nodes of each kind taken from the stock before; nil is none.
func (r *solver) searchOnce(keep func(k int) bool, taken []int64) (*search, error) {
	share := make([]int64, len(r.demand))
	for i, n := range r.demand {
		share[i] = roundUp(n, r.parts()) / r.parts()
	}
	m, _ := newModel(r.p, share, func(k int) bool { return keep(k) && r.inStock(k) })
	if m.items > 0 && slices.Min(m.cost) > maxCost/r.zones() {
		return nil, errHuge
	}
	m.each = r.p.serving() / r.parts()
	for j, k := range m.kindOf {
		if m.stock[j] < 0 {
			continue
		}
		if taken != nil {
			m.stock[j] -= taken[k]
		}
		m.stock[j] = max(m.stock[j], 0) / r.zones() * m.each
	}
	s := newSearch(m, r.o.Gap, r.work, r.o.Progress)
	s.noise += random(r.turn)
	if r.o.Start != nil && !r.work.over() && m.items > 0 && m.kinds > 0 &&
		(m.items <= manyItems || m.kinds == r.buyable()) {
		s.given = r.o.Start(m.problem(r.p))
	}
	r.work.within(searchShare, s.runShared)
	if s.best.cost > maxCost/r.zones() {
		return nil, errHuge
	}
	return s, nil
}

// solution writes the best mix of a search in the problem's numbers.
func (r *solver) solution(s *search) Solution {
	out := Solution{Together: r.together, Left: r.left}
	zones := r.zones()
	if r.together {
		zones = 1
	}
	for _, l := range s.best.loads {
		t := Pattern{Node: s.m.kindOf[l.kind], Copies: l.copies * zones}
		for j, i := range l.items {
			t.Items = append(t.Items, Stack{Item: s.m.itemOf[i], Count: l.counts[j]})
		}
		slices.SortFunc(t.Items, func(a, b Stack) int { return a.Item - b.Item })
		out.Patterns = append(out.Patterns, t)
	}
	out.Patterns = merged(out.Patterns)
	out.Nodes = r.p.bought(out.Patterns, out.Together)
	out.Cost = costOf(r.p, out.Nodes)
	return out
}

// merged adds up the copies of equal patterns, and puts those of one kind
// together, the most frequent first.
func merged(list []Pattern) []Pattern {
	same := func(a, b Pattern) int {
		if a.Node != b.Node {
			return a.Node - b.Node
		}
		return slices.CompareFunc(a.Items, b.Items, func(x, y Stack) int {
			if x.Item != y.Item {
				return x.Item - y.Item
			}
			return int(y.Count - x.Count)
		})
	}
	slices.SortFunc(list, same)
	out := list[:0]
	for _, t := range list {
		if n := len(out); n > 0 && same(out[n-1], t) == 0 {
			out[n-1].Copies += t.Copies
			continue
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b Pattern) int {
		if a.Node != b.Node {
			return a.Node - b.Node
		}
		return int(max(min(b.Copies-a.Copies, 1), -1))
	})
	return out
}

// judge sets the bound and the gaps.
func (r *solver) judge(out *Solution, cost int64) {
	nodes := int64(0)
	for _, n := range out.Nodes {
		nodes += n
	}
	b := &out.Bound
	b.Cost = cost
	b.Nodes = r.fewest(cost)
	b.GapCost, b.GapNodes = out.Cost-cost, nodes-b.Nodes
	b.Gap = float64(b.GapCost) / float64(max(out.Cost, 1))
	out.Optimal = b.GapCost == 0
}

// fewest is a number of nodes that no packing is below: that of the bound in
// cost, if all were of the dearest kind; or what the total need asks for in one
// dimension, if all had the most of it; and the spares.
func (r *solver) fewest(cost int64) int64 {
	dearest := int64(1)
	for _, n := range r.p.Nodes {
		dearest = max(dearest, n.Cost)
	}
	fewest := int64(0)
	for d := range r.p.Resources {
		need, room := wide{}, int64(1)
		for i, n := range r.demand {
			need = need.add(product(r.p.Items[i].Need[d], n))
		}
		for _, n := range r.p.Nodes {
			room = max(room, n.Capacity[d])
		}
		fewest = max(fewest, need.add(wide{0, uint64(room - 1)}).over(room))
	}
	if fewest > 0 {
		fewest += int64(r.p.Spares)
	}
	return max(fewest, (cost+dearest-1)/dearest)
}
