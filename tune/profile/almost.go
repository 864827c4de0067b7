package profile

// Failed is an item that didn't match, and the fewest changes that make it match.
type Failed struct {
	// Item is a number of Explanation.Items.
	Item int `json:"item"`
	// Changes that together make the item match; there is no smaller set.
	Changes []Change `json:"changes,omitempty"`
	// Never says that no change makes it match.
	Never bool `json:"never,omitempty"`
	// MoreThan is a number of changes that don't suffice, where the search for more was given up.
	MoreThan int `json:"moreThan,omitempty"`
}

// searchLimit is how many ways to label a node are tried to bring it into a pool.
const searchLimit = 20000

// almost finds the fewest changes that make items match, and remembers them.
type almost struct {
	g     *engine
	known map[local]Failed
	pools map[poolWish]Failed
	lack  lack
}

// local is an item and all that its own labels are in a situation.
type local struct {
	item   int32
	states uint64
	member *membership
}

type poolWish struct {
	member *membership
	set    int32
}

func newAlmost(g *engine) *almost {
	return &almost{g: g, known: map[local]Failed{}, pools: map[poolWish]Failed{}}
}

// of is what item i lacks.
func (a *almost) of(i int, s *situation) Failed {
	t := &a.g.trees[i]
	key, short := localKey(i, t, s)
	if f, ok := a.known[key]; ok && short {
		return f
	}
	f := a.fewest(i, s)
	if short {
		a.known[key] = f
	}
	return f
}

// localKey packs what the item sees; short says whether it fits.
func localKey(i int, t *tree, s *situation) (key local, short bool) {
	if len(t.keys)*8+len(t.pods) > 64 {
		return local{}, false
	}
	key.item = int32(i)
	for _, k := range t.keys {
		if s.node[k] > 255 {
			return local{}, false
		}
		key.states = key.states<<8 | uint64(s.node[k])
	}
	for _, c := range t.pods {
		key.states = key.states<<1 | s.pods[c>>6]>>(c&63)&1
	}
	if t.hits != nil {
		key.member = s.member
	}
	return key, true
}

func (a *almost) fewest(i int, s *situation) Failed {
	t := &a.g.trees[i]
	best := -1
	var size int
	for n := range t.paths {
		if t.paths[n].impossible {
			continue
		}
		a.g.u.lacks(&t.paths[n], s, &a.lack)
		if best < 0 || a.lack.size() < size {
			best, size = n, a.lack.size()
		}
	}
	f := Failed{Item: i, Never: true}
	if best >= 0 {
		a.g.u.lacks(&t.paths[best], s, &a.lack)
		f = Failed{Item: i, Changes: a.g.u.changes(&a.lack, s)}
	}
	if t.hits == nil || best >= 0 && size == 1 {
		return f
	}
	return fewer(f, a.pool(s, t.hitSet))
}

// fewer is the better of what a match tree and what machineConfigLabels lack.
func fewer(tree, pool Failed) Failed {
	pool.Item = tree.Item
	switch {
	case tree.Never, !pool.Never && pool.MoreThan == 0 && len(pool.Changes) < len(tree.Changes):
		return pool
	case pool.MoreThan > 0 && pool.MoreThan < len(tree.Changes)-1:
		tree.MoreThan = pool.MoreThan
	}
	return tree
}

// pool finds the fewest labels to change for the node to get into a pool of the set.
func (a *almost) pool(s *situation, set int32) Failed {
	wish := poolWish{s.member, set}
	f, ok := a.pools[wish]
	if !ok {
		f = a.search(s, set)
		a.pools[wish] = f
	}
	return f
}

func (a *almost) search(s *situation, set int32) Failed {
	h := hunt{p: a.g.pools, set: set, from: s.node, node: append([]uint32(nil), s.node...), left: searchLimit}
	for depth := 1; depth <= len(h.p.keys); depth++ {
		if h.try(0, depth) {
			return Failed{Changes: h.changes()}
		}
		if h.left <= 0 {
			return Failed{MoreThan: depth - 1}
		}
	}
	return Failed{Never: true}
}

// hunt tries ways to change labels that pools look at.
type hunt struct {
	p          *pools
	set        int32
	from, node []uint32
	left       int
}

// try changes depth labels from the at-th key on, and says whether the node is in
// a pool of the set then.
func (h *hunt) try(at, depth int) bool {
	if depth == 0 {
		h.left--
		return h.p.of(h.node).hit(h.set)
	}
	for i := at; i+depth <= len(h.p.keys) && h.left > 0; i++ {
		k := h.p.keys[i]
		for state := uint32(0); int(state) < int(firstValue)+len(h.p.u.values[k]); state++ {
			if state == h.from[k] {
				continue
			}
			h.node[k] = state
			if h.try(i+1, depth-1) {
				return true
			}
		}
		h.node[k] = h.from[k]
	}
	return false
}

func (h *hunt) changes() []Change {
	var out []Change
	for _, k := range h.p.keys {
		if h.node[k] == h.from[k] {
			continue
		}
		c := h.p.u.labelled(k, h.from[k], h.node[k])
		if h.node[k] == other {
			c.Except = h.p.u.values[k]
		}
		out = append(out, c)
	}
	return out
}
