package nova

import "math/bits"

// permutations is how many permutations Search tries before it gives up.
const permutations = 1 << 20

// Search is Nova's own search, with its fault: it remembers which node and cell
// fit, by ids that it changes while it searches, and a cell keeps the page size of
// the first node that offered one. ok is what Nova says; fit is its answer, which
// may name CPUs of another node, or none: it is not for Claim.
//
// A VM without cells passes wherever its devices are: no NUMA code looks at it.
//
// Nova tries all permutations of nodes. Search passes over those that can change
// nothing, and refuses after 2^20 others, for which Nova itself would take minutes.
func (h *Host) Search(r *Request) (fit *Fit, ok bool) {
	var s search
	s.init(h, r, Nova)
	if s.n == 0 {
		if !s.agrees(0) {
			return nil, false
		}
		f := newFit(0)
		s.fit(f)
		return f, true
	}
	if s.n > s.m || s.m > MaxNodes {
		return nil, false
	}
	s.nets = networks(h, r, Nova)
	if s.hopeless(choice{0, span(s.m), s.n}) {
		return nil, false // whatever nodes it tried
	}
	s.sorted()
	n := faulty{search: &s, cells: make([]faultyCell, s.n), at: make([]int, s.n)}
	if !n.run() {
		return nil, false
	}
	return n.fit(), true
}

// faulty is the state of Nova's search.
type faulty struct {
	*search
	cells []faultyCell
	// at is the permutation: positions in the order of trial.
	at []int
	// fitted and unfit are, by node, the numbers of the cells' ids that are known.
	fitted, unfit [MaxNodes][2]uint64
}

// faultyCell is what Nova changes of a guest's cell.
type faultyCell struct {
	// id is a number for the cell's id: the index of the node of that id, or else
	// MaxNodes and the cell's own index.
	id int
	// page is 0 or what the cell asks for now.
	page PageSize
	// packed is 1 + the index of the node whose CPUs it names.
	packed int
}

func (n *faulty) run() bool {
	for i := range n.cells {
		n.at[i] = i
		n.cells[i] = faultyCell{id: n.number(n.r.Cells[i].ID), page: n.r.Cells[i].PageSize}
	}
	for range permutations {
		failed, changed := n.try()
		if failed < 0 {
			return true
		}
		if changed {
			failed = n.n - 1 // the next permutation may go another way
		}
		if !n.advance(failed) {
			return false
		}
	}
	return false
}

// number of an id, below 2*MaxNodes. Ids that no node has differ from one another.
func (n *faulty) number(id int) int {
	for k := range n.h.Cells {
		if n.h.Cells[k].ID == id {
			return k
		}
	}
	for i := range n.r.Cells {
		if n.r.Cells[i].ID == id {
			return MaxNodes + i
		}
	}
	return 0
}

// try goes through one permutation: failed is the cell at which it ends, the last
// one where the nodes do not agree together, or -1. changed says that it has
// changed something that a further permutation with the same nodes up to there
// would see.
func (n *faulty) try() (failed int, changed bool) {
	chosen := uint64(0)
	for i := range n.cells {
		k := int(n.order[n.at[i]])
		cell := &n.cells[i]
		before, id := *cell, cell.id
		word, bit := id>>6, uint64(1)<<(id&63)
		switch {
		case n.unfit[k][word]&bit != 0:
			return i, changed
		case n.fitted[k][word]&bit != 0:
			cell.id = k
		case n.fitsNow(i, k):
			n.fitted[k][word] |= bit
			changed = true
		default:
			n.unfit[k][word] |= bit
			return i, true
		}
		changed = changed || *cell != before
		chosen |= 1 << k
	}
	if n.agrees(chosen) {
		return -1, changed
	}
	return n.n - 1, changed
}

// fitsNow tests cell i on a node and changes the cell as Nova does, also where the
// test fails half way.
func (n *faulty) fitsNow(i, k int) bool {
	cell, c := &n.cells[i], &n.h.Cells[k]
	d := demandOf(n.r, &n.ask, i)
	d.page = cell.page
	page, f := n.check(n.h, c, coresOf(c), &d)
	if page != 0 && cell.page != 0 {
		cell.page = PageSize(page)
	}
	if n.pinned && (f.test == passed || f.test >= noVCPUs) {
		cell.packed = k + 1
		cell.id = k
	}
	if f.test != passed {
		return false
	}
	cell.id = k
	return true
}

// advance goes to the next permutation that differs in the first failed+1 nodes.
func (n *faulty) advance(failed int) bool {
	used := uint64(0)
	for _, p := range n.at[:failed+1] {
		used |= 1 << p
	}
	for i := failed; i >= 0; i-- {
		used &^= 1 << n.at[i]
		higher := span(n.m) &^ used &^ span(n.at[i]+1)
		if higher == 0 {
			continue
		}
		n.at[i] = bits.TrailingZeros64(higher)
		used |= 1 << n.at[i]
		for j := i + 1; j < n.n; j++ {
			n.at[j] = bits.TrailingZeros64(^used)
			used |= 1 << n.at[j]
		}
		return true
	}
	return false
}

// fit is Nova's answer.
func (n *faulty) fit() *Fit {
	f := &Fit{Cells: make([]CellFit, n.n)}
	chosen := uint64(0)
	for i := range n.cells {
		cell, out := &n.cells[i], &f.Cells[i]
		c := &n.h.Cells[cell.id]
		chosen |= 1 << cell.id
		out.Node, out.PageSize = c.ID, int64(cell.page)
		if cell.page == 0 && len(c.Pages) > 0 {
			out.PageSize = c.Pages[0].Size
		}
		if cell.packed > 0 {
			d := demandOf(n.r, &n.ask, i)
			n.pins(out, &n.h.Cells[cell.packed-1], &d, i)
		}
	}
	f.Devices = n.taken(nil, chosen)
	return f
}
