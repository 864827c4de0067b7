package cpu

import (
	"iter"
	"math/bits"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// Hint is a set of NUMA nodes that could serve a request, as a mask of indices of
// the machine's nodes.
type Hint struct {
	Nodes     uint64
	Preferred bool
}

// All is the list in the kubelet's order: by size, then by the lowest nodes.
func (h *Hints) All() iter.Seq[Hint] {
	return func(yield func(Hint) bool) {
		if !h.Has(h.Nodes) {
			return // then no smaller mask is in, either
		}
		var nodes [topo.MaxNodes]uint8
		n := 0
		for m := h.Nodes; m != 0; m &= m - 1 {
			nodes[n] = uint8(bits.TrailingZeros64(m))
			n++
		}
		var c combination
		for k := 1; k <= n; k++ {
			for _, more := c.first(n, k); more; _, more = c.next() {
				var mask uint64
				for _, i := range c.at() {
					mask |= 1 << nodes[i]
				}
				if h.Has(mask) && !yield(Hint{mask, h.Preferred(mask)}) {
					return
				}
			}
		}
	}
}

// Available is the CPUs that a container could get for itself.
func (m *Manager) Available() unit.CPUSet { return m.shared.Minus(m.reserved) }
