package cloud

import (
	"iter"
	"slices"
)

// hostSet is a set of hosts in rising order, in pieces, so that one of a million
// hosts comes and goes without the others being moved.
type hostSet struct {
	pieces [][]int32
	n      int
}

// pieceSize is the most hosts of a piece.
const pieceSize = 1024

func (h *hostSet) empty() bool { return h.n == 0 }

func (h *hostSet) size() int { return h.n }

// first is the lowest host of a set that has any.
func (h *hostSet) first() int32 { return h.pieces[0][0] }

// all are the hosts in rising order.
func (h *hostSet) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for _, p := range h.pieces {
			for _, host := range p {
				if !yield(host) {
					return
				}
			}
		}
	}
}

// piece is the first one that does not end before the host.
func (h *hostSet) piece(host int32) int {
	at, _ := slices.BinarySearchFunc(h.pieces, host,
		func(p []int32, host int32) int { return int(p[len(p)-1]) - int(host) })
	return at
}

func (h *hostSet) add(host int32) {
	h.n++
	if len(h.pieces) == 0 {
		h.pieces = append(h.pieces, []int32{host})
		return
	}
	i := min(h.piece(host), len(h.pieces)-1)
	p := h.pieces[i]
	at, _ := slices.BinarySearch(p, host)
	p = slices.Insert(p, at, host)
	if h.pieces[i] = p; len(p) < pieceSize {
		return
	}
	half := len(p) / 2
	if i == len(h.pieces)-1 && at == len(p)-1 {
		half = len(p) - 1 // hosts that come in their order leave full pieces
	}
	h.pieces[i] = p[:half:half]
	h.pieces = slices.Insert(h.pieces, i+1, slices.Clone(p[half:]))
}

func (h *hostSet) remove(host int32) {
	i := h.piece(host)
	at, ok := 0, i < len(h.pieces)
	if ok {
		at, ok = slices.BinarySearch(h.pieces[i], host)
	}
	if !ok {
		panic("cloud: a host is not where it was thought to be")
	}
	h.n--
	if h.pieces[i] = slices.Delete(h.pieces[i], at, at+1); len(h.pieces[i]) == 0 {
		h.pieces = slices.Delete(h.pieces, i, i+1)
	}
}
