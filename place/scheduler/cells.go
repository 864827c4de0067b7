package scheduler

import "slices"

// Cells group the nodes that are alike to a class in everything but their
// resources: what it thinks of labels and taints, the places that its constraints
// and terms ask about, and the pods on the node itself that count. So filters and
// scores are worked out for each cell, not for each node.
type cell struct {
	// Fixed: a node of the cell stands for the others, for their places.
	cellKey
	node int32

	// Of one decision, the round.
	round   uint64
	allowed bool
	top     uint16 // highest entry among the feasible nodes
	wanted  uint16 // entry of the best nodes, 0 if there are none
	count   int32  // of feasible nodes
	raw     int64  // a score before it is normalized
	score   int64  // to be added to an entry
}

const (
	maxLocal = 4
	maxCells = 1 << 14 // with more of them nodes are looked at one by one
)

// cellKey tells cells apart.
type cellKey struct {
	base  uint16
	local [maxLocal]int32 // counts on the node itself, by the class's local counters
}

// counterIndex is what a class's counters come to, for quick decisions.
type counterIndex struct {
	done                  bool
	antiAffinityOnNode    []int32  // counters on the node itself that refuse it when above zero
	antiAffinityElsewhere []int32  // other counters that refuse
	local                 []int32  // counters on the node itself that constraints and scores need
	hard                  []int    // of these, which one is a hard constraint's; -1 for none
	soft                  []int    // likewise
	preferred             []int    // likewise
	base                  []uint16 // by node: what does not depend on the pods on it
	nodes                 []int32  // a node of each base
	tooManyCells          bool     // more than maxCells
	movers                []bool   // by class, see movers
}

// indexCounters sorts the counters of a class, when that has become necessary.
func (s *Scheduler) indexCounters(c *class) {
	if c.index.done {
		return
	}
	v := counterIndex{done: true}
	for _, list := range [][]int32{c.antiAffinity, c.existingAntiAffinity} {
		for _, k := range list {
			if s.counters[k].single {
				v.antiAffinityOnNode = append(v.antiAffinityOnNode, k)
			} else {
				v.antiAffinityElsewhere = append(v.antiAffinityElsewhere, k)
			}
		}
	}
	var places [][]int32 // by node, of everything that is not on the node itself
	note := func(k int32, at []int32) int {
		if !s.counters[k].single {
			places = append(places, at)
			return -1
		}
		v.local = append(v.local, k)
		return len(v.local) - 1
	}
	for i := range c.hard {
		v.hard = append(v.hard, note(c.hard[i].counter, c.hard[i].domain))
		places = append(places, has(c.hard[i].domain))
	}
	for i := range c.soft {
		v.soft = append(v.soft, note(c.soft[i].counter, c.soft[i].places))
		places = append(places, has(c.soft[i].domain))
	}
	for _, k := range c.affinity {
		places = append(places, s.counters[k].of)
	}
	for _, k := range c.preferred {
		v.preferred = append(v.preferred, note(k, s.counters[k].of))
	}
	for _, k := range v.antiAffinityElsewhere {
		places = append(places, s.counters[k].of)
	}
	s.group(&v, c.statics, places)
	v.tooManyCells = v.tooManyCells || len(v.local) > maxLocal
	c.index, c.row = v, nil
	c.setFilters()
}

// celled reports whether the class's nodes need cells.
func (c *class) celled() bool {
	return !c.statics.uniform ||
		len(c.hard)+len(c.soft)+len(c.affinity)+len(c.index.antiAffinityElsewhere)+len(c.preferred) > 0
}

// has is 0 where there is a domain, and -1 where there is none.
func has(at []int32) []int32 {
	out := make([]int32, len(at))
	for i, d := range at {
		out[i] = min(d, 0)
	}
	return out
}

// grouping is what group came to last: mostly the next class asks for the same.
type grouping struct {
	places [][]int32
	base   []uint16
	nodes  []int32
}

// group groups the nodes for a class by the places in which they differ.
func (s *Scheduler) group(v *counterIndex, statics *statics, places [][]int32) {
	places = slices.DeleteFunc(places, func(at []int32) bool { return len(at) == 0 || slices.Max(at) == slices.Min(at) })
	same := func(a, b []int32) bool { return &a[0] == &b[0] }
	if last := &s.grouped; statics.group == nil && last.base != nil && slices.EqualFunc(last.places, places, same) {
		v.base, v.nodes = last.base, last.nodes
		return
	}
	if v.group(len(s.nodes), statics, places); statics.group == nil {
		s.grouped = grouping{places, v.base, v.nodes}
	}
}

// group numbers the different combinations of places and static opinions.
func (v *counterIndex) group(nodes int, statics *statics, places [][]int32) {
	v.base = make([]uint16, nodes)
	if statics.group != nil {
		copy(v.base, statics.group)
	}
	for _, at := range places {
		type pair struct {
			base  uint16
			place int32
		}
		numbers := map[pair]uint16{}
		for i := range v.base {
			p := pair{v.base[i], at[i]}
			n, ok := numbers[p]
			if !ok {
				if n = uint16(len(numbers)); n == maxCells {
					v.tooManyCells, v.base = true, nil
					return
				}
				numbers[p] = n
			}
			v.base[i] = n
		}
	}
	v.nodes = v.nodes[:0]
	for i, b := range v.base {
		for int(b) >= len(v.nodes) {
			v.nodes = append(v.nodes, int32(i))
		}
		v.nodes[b] = int32(i)
	}
}

// cellOf finds the number of a node's cell in the class's row.
func (s *Scheduler) cellOf(c *class, r *row, node int32) uint16 {
	v := &c.index
	base := v.base[node]
	if len(v.local) == 0 {
		return base
	}
	if was := r.cellAt[s.position[node]]; int(was) < len(r.cells) && s.staysIn(&r.cells[was], v, node) {
		return was // as mostly, when another class changed the node
	}
	key := cellKey{base: base}
	for i, k := range v.local {
		key.local[i] = s.counters[k].at(node)
	}
	quick := &r.quick[(uint(base)+uint(key.local[0])*8+uint(key.local[1])*3)%uint(len(r.quick))]
	if int(*quick) < len(r.cells) && r.cells[*quick].cellKey == key {
		return *quick
	}
	number, ok := r.numbers[key]
	if !ok {
		number = uint16(len(r.cells))
		r.cells, r.slots = append(r.cells, cell{cellKey: key, node: v.nodes[base]}), append(r.slots, 0)
		r.numbers[key] = number
	}
	*quick = number
	return number
}

// staysIn reports whether a node belongs to a cell.
func (s *Scheduler) staysIn(k *cell, v *counterIndex, node int32) bool {
	if k.base != v.base[node] {
		return false
	}
	for i, number := range v.local {
		if k.local[i] != s.counters[number].at(node) {
			return false
		}
	}
	return true
}

// mostPairs is the most classes of which each knows what pods of all others do.
const mostPairs = 4096

// movers says by class whether a pod of it moves a node to another cell, so that it is
// asked once for each; nil where there are too many classes.
func (s *Scheduler) movers(v *counterIndex) []bool {
	if len(s.classes) > mostPairs {
		return nil
	}
	if len(v.local) > 0 && len(v.movers) < len(s.classes) {
		v.movers = make([]bool, len(s.classes))
		for id := range s.classes {
			v.movers[id] = s.moves(v, ClassID(id))
		}
	}
	return v.movers
}

// moves reports whether a pod of the class counts in local counters.
func (s *Scheduler) moves(v *counterIndex, id ClassID) bool {
	return slices.ContainsFunc(s.classes[id].effects, func(e effect) bool { return slices.Contains(v.local, e.counter) })
}

// startCells prepares a row for a class whose nodes have cells.
func (s *Scheduler) startCells(c *class, r *row) {
	v := &c.index
	r.cellsOnly = len(c.hard)+len(c.soft)+len(c.affinity) > 0
	r.cellAt = make([]uint16, len(r.blocks)<<blockBits)
	r.sums = make([]cellSums, len(r.blocks))
	r.numbers = map[cellKey]uint16{}
	if len(v.local) > 0 {
		return
	}
	for base, node := range v.nodes {
		r.cells = append(r.cells, cell{cellKey: cellKey{base: uint16(base)}, node: node})
	}
	r.slots = make([]uint8, len(r.cells))
	for position, node := range s.order {
		r.cellAt[position] = v.base[node]
	}
}

// byCells decides as mixed does, cell by cell. With too many cells it gives up,
// and ok is false.
func (s *Scheduler) byCells(c *class) (node int32, looked int, ok bool) {
	r, w, ok := s.searchCells(c)
	if !ok {
		return 0, 0, false
	}
	if w.found == 0 {
		return -1, w.end - w.begin, true
	}
	return s.order[s.choose(r, &w)], w.end - w.begin, true
}

// searchCells searches as byCells does, and finds the entry of the best nodes in each cell.
func (s *Scheduler) searchCells(c *class) (r *row, w cellScan, ok bool) {
	r = s.current(c)
	w = s.gather(c, r)
	if len(r.cells) > maxCells {
		c.index.tooManyCells, c.row = true, nil
		return nil, w, false
	}
	if w.found > 1 {
		s.scoreCells(c, r)
	}
	s.wantBest(r)
	return r, w, true
}

// judge begins a decision about a cell: do constraints and affinity let pods run
// on its nodes?
func (s *Scheduler) judge(c *class, k *cell) {
	k.round, k.top, k.count, k.score = s.round, 0, 0, 0
	k.allowed = (len(c.affinity) == 0 || s.affinityMet(c, k.node)) && !s.counted(c.index.antiAffinityElsewhere, k.node)
	for i := range c.hard {
		h := &c.hard[i]
		d := h.domain[k.node]
		if d < 0 {
			k.allowed = false
			return
		}
		counter := &s.counters[h.counter]
		k.allowed = k.allowed && h.fits(counter, k.counted(c.index.hard[i], counter, d))
	}
}

// counted is a count on the node itself, if it is among those of the cell, or the
// one of the node's domain.
func (k *cell) counted(local int, c *counter, domain int32) int32 {
	if local >= 0 {
		return k.local[local]
	}
	return c.count[domain]
}
