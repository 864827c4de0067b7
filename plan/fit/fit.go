// Package fit packs pods on nodes by first fit decreasing, over any number of
// resources, in integers. Equal pods and equal nodes are handled by counting,
// so that a million pods take milliseconds.
//
// It proves nothing beyond the plain volume bound, and it knows no scheduler:
// a proven optimum and the scheduler's own decisions are other packages' work.
//
//	items := []fit.Item{{Name: "apache", Count: 100, Need: fit.Vec{500, 500e6, 1}}}
//	p := fit.Best(items, []fit.Bin{{Cap: fit.Vec{4000, 16e9, 250}, Count: fit.Unlimited}})
//	p.Nodes // 13
package fit

import "slices"

// Unlimited is the count of a bin type of which as many are opened as needed.
const Unlimited = -1

// Vec holds an amount of each resource, in the same order everywhere.
type Vec []int64

// Item is a number of equal pods.
type Item struct {
	Name  string
	Count int
	// Need of one pod. Not negative.
	Need Vec
	// MaxPerNode is the most of this item on one node; 0 is no limit.
	MaxPerNode int
	// On says for each bin type whether the item may go there; nil is everywhere.
	On []bool
}

// Bin is a number of equal nodes.
type Bin struct {
	// Cap of one node. Negative capacities hold nothing.
	Cap Vec
	// Count of nodes, or Unlimited. Only the last bin type should be unlimited:
	// bins are filled in their order.
	Count int
}

// Packing says what came of it.
type Packing struct {
	// Groups of nodes with equal content, in the order in which they were filled.
	// Nodes that stayed empty are left out.
	Groups []Group
	// Nodes in use.
	Nodes int
	// Left are the pods that found no place.
	Left []Left
	// Order that gave this packing.
	Order string
}

// Group is a number of nodes with equal content.
type Group struct {
	// Bin type of the nodes.
	Bin int
	// Nodes in the group.
	Nodes int
	// Free is what is left on each node.
	Free Vec
	// Holds is what each node holds, last placed first.
	Holds *Held
}

// Held is a list of what a node holds.
type Held struct {
	Item int
	Each int
	Next *Held
}

// Left are pods that found no place.
type Left struct {
	Item  int
	Count int
	// Resource is the index of a resource of which one pod needs more than any
	// allowed bin has; -1 when the nodes are full, -2 when no bin is allowed.
	Resource int
}

// Best packs in several decreasing orders and returns the packing with the
// fewest pods left, then the fewest nodes, the first order among equals.
func Best(items []Item, bins []Bin) Packing {
	var best Packing
	if len(bins) == 0 {
		bins = []Bin{{Cap: make(Vec, width(items))}}
	}
	for i, o := range orders {
		p := Pack(items, bins, o.sort(items, bins))
		p.Order = o.name
		if i == 0 || better(p, best) {
			best = p
		}
		if len(best.Left) == 0 && best.Nodes <= Floor(items, bins) {
			break
		}
	}
	return best
}

// width is the number of resources of the items.
func width(items []Item) int {
	if len(items) == 0 {
		return 1
	}
	return len(items[0].Need)
}

func better(a, b Packing) bool {
	if x, y := a.leftCount(), b.leftCount(); x != y {
		return x < y
	}
	return a.Nodes < b.Nodes
}

func (p Packing) leftCount() int {
	n := 0
	for _, l := range p.Left {
		n += l.Count
	}
	return n
}

// Pack packs the items in the given order of their indexes by first fit: each
// pod goes to the first node with room, and a new node is opened when none has.
func Pack(items []Item, bins []Bin, order []int) Packing {
	s := newState(items, bins)
	for _, i := range order {
		s.place(i)
	}
	return s.result()
}

type state struct {
	items  []Item
	bins   []Bin
	open   []stretch // in filling order
	unused []int     // nodes not opened yet, per bin type
	left   []Left
}

// stretch is a run of open groups with the most of each resource that any of them has
// free: where that is too little for a pod, none of them needs a look.
type stretch struct {
	groups []Group
	most   Vec
}

// longest is the most groups of a stretch; a longer one is halved when it is looked at.
const longest = 48

func newState(items []Item, bins []Bin) *state {
	s := &state{items: items, bins: bins, unused: make([]int, len(bins))}
	for i, b := range bins {
		s.unused[i] = b.Count
	}
	return s
}

// place puts all pods of item i, first on open nodes, then on new ones.
func (s *state) place(i int) {
	it := &s.items[i]
	rest := it.Count
	for k := 0; k < len(s.open) && rest > 0; k++ {
		if groups := s.open[k].groups; len(groups) > longest {
			half := len(groups) / 2
			s.open = slices.Replace(s.open, k, k+1, stretchOf(slices.Clip(groups[:half])), stretchOf(groups[half:]))
		}
		if it.copies(s.open[k].most, 1) > 0 {
			rest = s.placeOn(k, 0, i, rest)
		}
	}
	for b := 0; b < len(s.bins) && rest > 0; b++ {
		if it.allowed(b) {
			rest = s.openNodes(b, i, rest)
		}
	}
	if rest > 0 {
		s.left = append(s.left, Left{Item: i, Count: rest, Resource: s.tooLarge(it)})
	}
}

// placeOn puts rest pods of item i on the groups of stretch k, from the given one on, and
// returns what is still to place.
func (s *state) placeOn(k, from, i, rest int) int {
	it, before := &s.items[i], rest
	groups := s.open[k].groups
	for g := from; g < len(groups) && rest > 0; g++ {
		if each := it.copies(groups[g].Free, rest); each > 0 && it.allowed(groups[g].Bin) {
			var parts []Group
			parts, rest = groups[g].fill(it, i, each, rest)
			groups = slices.Replace(groups, g, g+1, parts...)
			g += len(parts) - 1
		}
	}
	if rest < before {
		s.open[k] = stretchOf(groups)
	}
	return rest
}

func stretchOf(groups []Group) stretch {
	most := slices.Clone(groups[0].Free)
	for _, g := range groups[1:] {
		for d, free := range g.Free {
			most[d] = max(most[d], free)
		}
	}
	return stretch{groups, most}
}

// fill puts rest pods of item i on the nodes of the group, each at most `each`. It
// returns the group, split where only a part of its nodes is filled, and what is still
// to place.
func (g Group) fill(it *Item, i, each, rest int) ([]Group, int) {
	full := min(g.Nodes, rest/each)
	rest -= full * each
	parts := make([]Group, 0, 3)
	if full > 0 {
		parts = append(parts, g.with(i, each, full, it.Need))
	}
	if full < g.Nodes && rest > 0 {
		parts = append(parts, g.with(i, rest, 1, it.Need))
		full++
		rest = 0
	}
	if full < g.Nodes {
		g.Nodes -= full
		parts = append(parts, g)
	}
	return parts, rest
}

// openNodes opens as many nodes of bin type b as the rest of item i needs.
func (s *state) openNodes(b, i, rest int) int {
	it := &s.items[i]
	each := it.copies(s.bins[b].Cap, rest)
	if each == 0 || s.unused[b] == 0 {
		return rest
	}
	nodes := (rest + each - 1) / each
	if s.unused[b] != Unlimited {
		nodes = min(nodes, s.unused[b])
		s.unused[b] -= nodes
	}
	if len(s.open) == 0 {
		s.open = append(s.open, stretch{})
	}
	last := len(s.open) - 1
	at := len(s.open[last].groups)
	s.open[last].groups = append(s.open[last].groups, Group{Bin: b, Nodes: nodes, Free: s.bins[b].Cap})
	return s.placeOn(last, at, i, rest)
}

// with returns n nodes of the group after each took `each` pods of an item.
func (g Group) with(item, each, n int, need Vec) Group {
	free := make(Vec, len(g.Free))
	for d := range free {
		free[d] = g.Free[d] - need[d]*int64(each)
	}
	return Group{Bin: g.Bin, Nodes: n, Free: free, Holds: &Held{Item: item, Each: each, Next: g.Holds}}
}

func (it *Item) allowed(bin int) bool { return it.On == nil || it.On[bin] }

// Fits says whether one pod of the item may go to a node of a bin type with so
// much room, MaxPerNode aside.
func (it *Item) Fits(bin int, free Vec) bool {
	return it.allowed(bin) && (&Item{Need: it.Need}).copies(free, 1) == 1
}

// copies is how many pods of the item fit into free, at most most.
func (it *Item) copies(free Vec, most int) int {
	n := int64(most)
	if it.MaxPerNode > 0 {
		n = min(n, int64(it.MaxPerNode))
	}
	for d, need := range it.Need {
		if need > 0 {
			n = min(n, free[d]/need)
		}
		if free[d] < 0 && need > 0 || n <= 0 {
			return 0
		}
	}
	return int(n)
}

// tooLarge finds a resource of which one pod needs more than any bin has.
func (s *state) tooLarge(it *Item) int {
	anyAllowed := false
	short := make([]int, len(it.Need))
	for b := range s.bins {
		if !it.allowed(b) {
			continue
		}
		anyAllowed = true
		fits := true
		for d, need := range it.Need {
			if need > s.bins[b].Cap[d] {
				short[d]++
				fits = false
			}
		}
		if fits {
			return -1
		}
	}
	if !anyAllowed {
		return -2
	}
	worst := 0
	for d := range short {
		if short[d] > short[worst] {
			worst = d
		}
	}
	return worst
}

func (s *state) result() Packing {
	p := Packing{Left: s.left}
	for _, t := range s.open {
		p.Groups = append(p.Groups, t.groups...)
	}
	for _, g := range p.Groups {
		p.Nodes += g.Nodes
	}
	return p
}

// Floor is the least number of nodes that the totals allow: for each resource
// the sum of the needs over the largest bin's capacity, and for each item with
// MaxPerNode its count over that. No packing uses fewer.
func Floor(items []Item, bins []Bin) int {
	floor, _ := FloorBy(items, bins)
	return floor
}

// FloorBy is Floor and the index of the resource that decides it; -1 when
// MaxPerNode decides or nothing is to be packed.
func FloorBy(items []Item, bins []Bin) (int, int) {
	floor, by := 0, -1
	if len(items) == 0 || len(bins) == 0 {
		return 0, -1
	}
	for d := range bins[0].Cap {
		var need, most int64
		for _, it := range items {
			need += it.Need[d] * int64(it.Count)
		}
		for _, b := range bins {
			most = max(most, b.Cap[d])
		}
		if need == 0 || most <= 0 {
			continue
		}
		if n := int((need + most - 1) / most); n > floor {
			floor, by = n, d
		}
	}
	for _, it := range items {
		if it.MaxPerNode > 0 {
			if n := (it.Count + it.MaxPerNode - 1) / it.MaxPerNode; n > floor {
				floor, by = n, -1
			}
		}
	}
	return floor, by
}
