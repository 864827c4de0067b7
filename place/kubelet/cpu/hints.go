package cpu

import (
	"math/bits"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// HintKind tells three answers to the topology manager apart.
type HintKind uint8

const (
	// NoOpinion: any NUMA node will do, preferred.
	NoOpinion HintKind = iota
	// Impossible is an empty list: any node, but not preferred.
	Impossible
	// Listed is a list of masks. It can turn out empty, which is read as Impossible.
	Listed
)

// Hints is the CPU manager's answer to the topology manager. The list has up to 2
// to the power of the number of NUMA nodes masks, so it is described: a subset of
// Nodes is in it when it contains Must and Sure plus its Free reach Wants.
type Hints struct {
	Kind HintKind
	// Wants is the number of CPUs asked for.
	Wants int
	// Nodes are the NUMA nodes that have CPUs.
	Nodes uint64
	// Must are the nodes of CPUs that are to be used again.
	Must uint64
	// Sure is the number of those; every mask counts them in.
	Sure int
	// Free is the number of available CPUs by node index.
	Free [topo.MaxNodes]uint16
	// Least is the size of preferred masks: the fewest nodes whose CPUs, used or
	// not, reach Wants.
	Least int
	// sockets is set with align-by-socket.
	sockets *shape
}

// Has reports whether a mask is in the list.
func (h *Hints) Has(mask uint64) bool {
	if h.Kind != Listed || mask == 0 || mask&^h.Nodes != 0 || h.Must&^mask != 0 {
		return false
	}
	n := h.Sure
	for ; mask != 0; mask &= mask - 1 {
		n += int(h.Free[bits.TrailingZeros64(mask)])
	}
	return n >= h.Wants
}

// Preferred reports whether a mask of the list is preferred: it has the least size,
// or with align-by-socket it touches no more sockets than the least size needs.
func (h *Hints) Preferred(mask uint64) bool {
	return bits.OnesCount64(mask) == h.Least || h.sockets != nil && h.fewSockets(mask)
}

func (h *Hints) fewSockets(mask uint64) bool {
	perSocket := len(h.sockets.nodes.parts) / len(h.sockets.sockets.parts)
	return bits.OnesCount64(h.sockets.socketsIn(mask)) == roundUp(h.Least, perSocket)
}

// Hints says where a container's CPUs could come from, for the topology manager's
// container scope. (GetTopologyHints)
func (m *Manager) Hints(p *Pod, container int) Hints {
	n := p.Containers[container].CPUs
	if n == 0 || !m.manages(p) {
		return Hints{}
	}
	own := p.find(container)
	switch {
	case own == nil:
		return m.hints(n, m.reusable(p.UID))
	case m.s.count(own) != n:
		return Hints{Kind: Impossible, Wants: n}
	}
	return m.hints(n, own) // the masks that contain what it has
}

// PodHints says the same for a pod as a whole, for the pod scope. (GetPodTopologyHints)
func (m *Manager) PodHints(p *Pod) Hints {
	n := m.podCPUs(p)
	if n == 0 || !m.manages(p) {
		return Hints{}
	}
	if p.Level && checkSharedPool(p, n) != nil {
		return Hints{Kind: Impossible, Wants: n}
	}
	var all unit.CPUSet
	for i := range p.held {
		own := &p.held[i]
		if m.s.count(&own.cpus) != p.Containers[own.container].CPUs {
			return Hints{Kind: Impossible, Wants: n}
		}
		m.s.add(&all, &own.cpus)
	}
	if reusable := m.reusable(p.UID); reusable != nil && m.s.count(&all) != n {
		m.s.add(&all, reusable)
	}
	return m.hints(n, &all)
}

// hints are for n CPUs out of those to be used again, which there may be none of,
// and the available ones. (generateCPUTopologyHints)
func (m *Manager) hints(n int, again *unit.CPUSet) Hints {
	h := Hints{Kind: Listed, Wants: n, Nodes: m.s.inMachine, Least: m.s.leastNodes(n)}
	if m.opts.bySocket {
		h.sockets = m.s
	}
	free := m.shared
	m.s.drop(&free, &m.reserved)
	for i, bit := range m.s.nodeBits {
		cpus := &m.s.nodes.parts[i].cpus
		h.Free[bit] = uint16(m.s.common(&free, cpus))
		if again != nil && m.s.common(again, cpus) > 0 {
			h.Must |= 1 << bit
		}
	}
	if again != nil {
		h.Sure = m.s.count(again)
	}
	return h
}
