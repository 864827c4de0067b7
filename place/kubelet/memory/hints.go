package memory

import (
	"cmp"
	"errors"
	"math/bits"

	"plimsoll.dev/place/kubelet/hint"
)

// Each calls f for every set of nodes that could serve the requests with what
// is free now; a set is preferred when it has as few nodes as the requests need
// at least on an idle machine. No call at all is what the kubelet reads as "no
// opinion". Sets of idle nodes come first, in rising order of their masks.
// (staticPolicy.calculateHints)
func (m *Manager) Each(p *Pod, requests []Request, f func(nodes hint.Mask, preferred bool)) {
	if len(requests) == 0 {
		return
	}
	least, idle := m.Least(requests), m.idle()
	offer := func(nodes hint.Mask) {
		if m.serves(p, nodes, requests) {
			f(nodes, bits.OnesCount64(nodes) == least)
		}
	}
	for nodes := idle & -idle; nodes != 0; nodes = (nodes - idle) & idle {
		offer(nodes)
	}
	// A node of a group serves only with its group, and one that serves alone joins
	// none while it is in use: other sets are the group of their lowest node in use.
	for i := range m.nodes {
		group := m.nodes[i].group
		if bits.TrailingZeros64(group&^idle) == i && !m.violates(group) {
			offer(group)
		}
	}
}

// idle are the nodes that have given out nothing.
func (m *Manager) idle() hint.Mask {
	idle := hint.Mask(0)
	for i := range m.nodes {
		if m.nodes[i].blocks == 0 {
			idle |= 1 << i
		}
	}
	return idle
}

// Least is the size of the smallest set that could hold the requests if
// nothing were in use; all nodes when there is none.
func (m *Manager) Least(requests []Request) int {
	least := len(m.nodes)
	for nodes := hint.Mask(1); nodes < 1<<len(m.nodes) && least > 1; nodes++ {
		if n := bits.OnesCount64(nodes); n < least && m.holds(nodes, requests) {
			least = n
		}
	}
	return least
}

func (m *Manager) holds(nodes hint.Mask, requests []Request) bool {
	for i := range requests {
		row := m.allocatable[requests[i].kind*len(m.nodes):]
		sum := uint64(0)
		for rest := nodes; rest != 0; rest &= rest - 1 {
			sum += row[bits.TrailingZeros64(rest)]
		}
		if sum < uint64(requests[i].Size) {
			return false
		}
	}
	return true
}

// violates reports whether a set of several nodes cuts through how its nodes are
// used now. (isAffinityViolatingNUMAAllocations)
func (m *Manager) violates(nodes hint.Mask) bool {
	if nodes&(nodes-1) == 0 {
		return false
	}
	for rest := nodes; rest != 0; rest &= rest - 1 {
		n := &m.nodes[bits.TrailingZeros64(rest)]
		if n.blocks > 0 && n.group != nodes {
			return true
		}
	}
	return false
}

// serves reports whether what is free on the nodes, with what the pod may use
// again, suffices for all requests; without a pod, what is free alone.
func (m *Manager) serves(p *Pod, nodes hint.Mask, requests []Request) bool {
	for i := range requests {
		row := m.cells[requests[i].kind*len(m.nodes):]
		sum := uint64(0)
		for rest := nodes; rest != 0; rest &= rest - 1 {
			sum += row[bits.TrailingZeros64(rest)].free
		}
		if sum >= uint64(requests[i].Size) {
			continue
		}
		if p == nil {
			return false
		}
		if again := p.reusableOf(nodes, requests[i].Type); again == nil || sum+uint64(*again) < uint64(requests[i].Size) {
			return false
		}
	}
	return true
}

// The messages are the kubelet's, which users search for.
var (
	errNoDefault = errors.New("[memorymanager] failed to get the default NUMA affinity, " +
		"no NUMA nodes with enough memory is available")
	errDefaultPreferred = errors.New("[memorymanager] failed to find the default preferred hint")
	errNoExtension      = errors.New("[memorymanager] failed to find NUMA nodes to extend the current topology hint")
	errExtendPreferred  = errors.New("[memorymanager] failed to find the extended preferred hint")
	errViolates         = errors.New("[memorymanager] preferred hint violates NUMA node allocation")
)

// settle is the set of nodes that the requests are served from: the affinity, or
// the best set when there is none or when it does not suffice, which then
// contains the affinity.
func (m *Manager) settle(p *Pod, requests []Request, affinity hint.Mask, preferred bool) (hint.Mask, error) {
	if affinity == 0 {
		best, good := m.bestWith(p, requests, 0)
		switch {
		case best == 0:
			return 0, errNoDefault
		case preferred && !good:
			return 0, errDefaultPreferred
		}
		affinity, preferred = best, good
	}
	if !m.serves(nil, affinity, requests) {
		best, good := m.bestWith(p, requests, affinity)
		switch {
		case best == 0:
			return 0, errNoExtension
		case preferred && !good:
			return 0, errExtendPreferred
		}
		affinity = best
	}
	if m.violates(affinity) {
		return 0, errViolates
	}
	return affinity, nil
}

// bestWith is the best set that contains the given nodes: preferred before
// others, then the fewest nodes, then the lowest.
func (m *Manager) bestWith(p *Pod, requests []Request, within hint.Mask) (best hint.Mask, preferred bool) {
	m.Each(p, requests, func(nodes hint.Mask, good bool) {
		switch {
		case nodes&within != within, preferred && !good:
			return
		case best == 0, good && !preferred, fewer(nodes, best):
			best, preferred = nodes, good
		}
	})
	return best, preferred
}

// fewer reports whether a set has fewer nodes than another, or as many and lower ones.
func fewer(a, b hint.Mask) bool {
	return cmp.Or(cmp.Compare(bits.OnesCount64(a), bits.OnesCount64(b)), cmp.Compare(a, b)) < 0
}
