package nova

import "math/bits"

// search is one search for a place: nodes for all cells. Masks of nodes are in the
// order of trial, so that the lowest bit is the first node; masks called chosen are
// by index in Host.Cells.
type search struct {
	ask
	h *Host
	r *Request
	// n cells, m nodes; last is the demand of the last cell.
	n, m int
	last demand
	// devices says that some are asked for, relaxed that preferred ones may be far.
	devices, relaxed bool
	// nets are the nodes of each network that has some: one of them must be chosen.
	nets []uint64
	// order of trial: index in Host.Cells by position.
	order [MaxNodes]uint8
	// fits are the nodes on which each cell fits alone.
	fits [MaxNodes]uint64
	// classes of nodes, the cheapest first.
	classes [4]uint64
	// owner is the cell that has the node while cells are matched, or -1.
	owner [MaxNodes]int8
	// place is the position of the node that each cell gets.
	place [MaxNodes]uint8
	// steps that were taken while cells were placed together.
	steps int
}

// mostSteps is how many steps of a search are tried before it gives up and refuses:
// which nodes are near to enough devices and networks at once is a hard question in
// the worst case, though hardly on a real host.
const mostSteps = 1 << 17

// assign finds the first assignment in the order of trial, of those with the least
// cost: the cells in their order, each on the earliest node that leaves places for
// the rest.
func (s *search) assign() bool {
	if s.greedy() {
		return true
	}
	least, ok := s.rest(0, 0)
	if !ok {
		return false
	}
	if !s.joint() {
		return s.descend(0, 0, 0, least, nil)
	}
	if s.hopeless(choice{0, s.chosen(s.reachable(0, 0)), s.n}) {
		return false
	}
	most := least
	if s.classes[0] != span(s.m) {
		most = s.costs(3) * s.n
	}
	for budget := least; budget <= most; budget++ {
		if s.descend(0, 0, 0, budget, map[uint64]struct{}{}) {
			return true
		}
	}
	return false
}

// greedy gives each cell the first node that is left. Where that works, and all
// nodes cost the same, it is the first assignment.
func (s *search) greedy() bool {
	if s.classes[0] != span(s.m) {
		return false
	}
	used := uint64(0)
	for i := range s.n {
		left := s.fits[i] &^ used
		if left == 0 {
			return false
		}
		s.place[i] = uint8(bits.TrailingZeros64(left))
		used |= left & -left
	}
	return s.agrees(s.chosen(used)) && s.leaves()
}

// descend places cell i and those after it on nodes that are not used, so that all
// of it costs no more than the budget. dead remembers sets of nodes that led
// nowhere; it is nil where every matching will do.
func (s *search) descend(i int, used uint64, spent, budget int, dead map[uint64]struct{}) bool {
	if i == s.n {
		return s.agrees(s.chosen(used)) && s.leaves()
	}
	for left := s.fits[i] &^ used; left != 0; left &= left - 1 {
		now := used | left&-left
		if _, ok := dead[now]; ok {
			continue
		}
		if s.steps++; s.steps > mostSteps {
			return false
		}
		cost := spent + s.cost(left&-left)
		rest, ok := s.rest(i+1, now)
		if !ok || cost+rest > budget {
			continue
		}
		if dead != nil && s.hopeless(choice{s.chosen(now), s.chosen(s.reachable(i+1, now)), s.n - i - 1}) {
			continue
		}
		s.place[i] = uint8(bits.TrailingZeros64(left))
		if s.descend(i+1, now, cost, budget, dead) {
			return true
		}
		if dead != nil {
			dead[now] = struct{}{}
		}
	}
	return false
}

// rest is the least cost of placing the cells from i on, on nodes that are not
// used. The cheapest class is filled as far as matching goes, then the next is
// added: what is matched once stays matched, so the sum is the least.
func (s *search) rest(i int, used uint64) (cost int, ok bool) {
	for p := range s.m {
		s.owner[p] = -1
	}
	waiting := span(s.n) &^ span(i)
	allowed := uint64(0)
	for class := 0; class < len(s.classes) && waiting != 0; class++ {
		if s.classes[class] == 0 {
			continue
		}
		allowed |= s.classes[class] &^ used
		for cells := waiting; cells != 0; cells &= cells - 1 {
			seen := uint64(0)
			if s.augment(bits.TrailingZeros64(cells), allowed, &seen) {
				waiting &^= cells & -cells
				cost += s.costs(class)
			}
		}
	}
	return cost, waiting == 0
}

// augment finds a node for the cell, moving others along where that helps.
func (s *search) augment(cell int, allowed uint64, seen *uint64) bool {
	for {
		left := s.fits[cell] & allowed &^ *seen
		if left == 0 {
			return false
		}
		p := bits.TrailingZeros64(left)
		*seen |= left & -left
		if s.owner[p] < 0 || s.augment(int(s.owner[p]), allowed, seen) {
			s.owner[p] = int8(cell)
			return true
		}
	}
}

// cost of one node.
func (s *search) cost(node uint64) int {
	for class := range s.classes {
		if s.classes[class]&node != 0 {
			return s.costs(class)
		}
	}
	return 0
}

// reachable are the nodes that cells from i on could have.
func (s *search) reachable(i int, used uint64) uint64 {
	all := uint64(0)
	for ; i < s.n; i++ {
		all |= s.fits[i]
	}
	return all &^ used
}

// chosen turns positions into indices of Host.Cells.
func (s *search) chosen(used uint64) uint64 {
	out := uint64(0)
	for ; used != 0; used &= used - 1 {
		out |= 1 << s.order[bits.TrailingZeros64(used)]
	}
	return out
}
