package cpu

import "plimsoll.dev/topo"

// combination runs through the k-subsets of n positions in lexicographic order.
type combination struct {
	all  [topo.MaxNodes]uint16
	k, n int
}

// at are the chosen positions.
func (c *combination) at() []uint16 { return c.all[:c.k] }

// first begins; from is the lowest index of at that is new.
func (c *combination) first(n, k int) (from int, more bool) {
	c.n, c.k = n, k
	for i := range c.at() {
		c.all[i] = uint16(i)
	}
	return 0, k <= n
}

func (c *combination) next() (from int, more bool) {
	i := c.k - 1
	for i >= 0 && int(c.all[i]) == c.n-c.k+i {
		i--
	}
	if i < 0 {
		return 0, false
	}
	for j, v := i, c.all[i]+1; j < c.k; j, v = j+1, v+1 {
		c.all[j] = v
	}
	return i, true
}

// picked is a combination that is kept while the search goes on. Upstream keeps a
// slice to which the search goes on appending: combinations that agree up to the
// position where append last made a new array share what follows, so the kept one
// turns into the last of them that was tried. append makes a new array for the
// positions 0, 1, 2, 4, 8, 16, ...; combinations of 4, of 6 to 8, of 10 to 16 and
// so on are affected. (iterateCombinations, kubernetes#141237)
type picked struct {
	at     [topo.MaxNodes]uint16
	k      int
	shared int  // the first position that is shared
	live   bool // nothing before it has changed since
}

// reset empties it, for combinations of k.
func (p *picked) reset(k int) {
	p.k, p.shared, p.live = k, 1, false
	for n := 1; n < k; n *= 2 {
		p.shared = n + 1
	}
}

// keep takes the combination.
func (p *picked) keep(c *combination) {
	copy(p.at[:], c.at())
	p.live = true
}

// moved tells it that the search has changed the positions from the given one on.
func (p *picked) moved(c *combination, from int) {
	switch {
	case from < p.shared:
		p.live = false
	case p.live:
		copy(p.at[from:], c.at()[from:])
	}
}

// of appends what the positions mean.
func (p *picked) of(dst, meaning []uint16) []uint16 {
	for _, i := range p.at[:p.k] {
		dst = append(dst, meaning[i])
	}
	return dst
}
