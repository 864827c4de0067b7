package memory

import (
	"fmt"
	"math/bits"

	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/podres"
)

// Allocate gives the container with this index its memory: from the affinity, 0
// when there is none, as far as that suffices. An error is the kubelet's own; it
// refuses the pod and nothing is taken for this container.
// (staticPolicy.Allocate)
func (m *Manager) Allocate(p *Pod, container int, affinity hint.Mask, preferred bool) error {
	c := &p.containers[container]
	nodes, err := m.settle(p, c.Requests, affinity, preferred)
	if err != nil {
		return err
	}
	for _, r := range c.Requests {
		b := Block{Request: r, Nodes: nodes}
		need := r
		if again := p.reusableOf(nodes, r.Type); again != nil {
			need.Size = max(0, r.Size-*again)
		}
		m.take(Block{Request: need, Nodes: nodes})
		p.keepReusable(c.Sort, b)
		p.handOver(container, b)
		p.held = append(p.held, holding{container, b})
	}
	return nil
}

// take books a block: from the lowest node up, as much as each has.
func (m *Manager) take(b Block) {
	row := m.cells[b.kind*len(m.nodes):]
	left := uint64(b.Size)
	for rest := b.Nodes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		m.nodes[i].blocks++
		m.nodes[i].group = b.Nodes
		part := min(left, row[i].free)
		row[i].free -= part
		row[i].used += part
		left -= part
	}
}

// release gives a block back: to the lowest node first, as much as is in use there.
func (m *Manager) release(b Block) {
	row := m.cells[b.kind*len(m.nodes):]
	left := uint64(b.Size)
	for rest := b.Nodes; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest)
		m.nodes[i].blocks--
		if m.nodes[i].blocks == 0 {
			m.nodes[i].group = 1 << i
		}
		part := min(left, row[i].used)
		row[i].free += part
		row[i].used -= part
		left -= part
	}
}

// Start releases what the pod's init containers still hold: they have come to
// their end when the app containers start. Sidecars keep theirs.
// (manager.AddContainer)
func (m *Manager) Start(p *Pod) {
	kept := p.held[:0]
	for _, h := range p.held {
		switch {
		case p.containers[h.container].Sort != podres.Init:
			kept = append(kept, h)
		case len(p.whole) == 0:
			m.release(h.Block)
		}
	}
	p.held = kept
}

// Remove releases all that the pod holds. The pod is not changed, so that clones
// may share it.
func (m *Manager) Remove(p *Pod) {
	for i := range p.held {
		if len(p.whole) == 0 {
			m.release(p.held[i].Block)
		}
	}
	for _, b := range p.whole {
		m.release(b)
	}
}

// EmptySharedPoolError refuses a pod with resources as a whole whose containers
// with memory of their own leave nothing for the others.
type EmptySharedPoolError struct{ message string }

// Error is the kubelet's message.
func (e *EmptySharedPoolError) Error() string { return e.message }

// Reason is the pod's status.reason.
func (e *EmptySharedPoolError) Reason() string { return "EmptyPodSharedPoolError" }

// CheckPool reports whether the containers of a pod with resources as a whole fit
// together: whoever has no memory of its own must find some in the pod's pool.
// (staticPolicy.validatePodScopeResources)
func CheckPool(containers []Container, whole []Request) error {
	sharing := false
	for i := range containers {
		c := &containers[i]
		if len(c.Requests) > 0 {
			continue
		}
		if c.Sort != podres.Init {
			sharing = true
			continue
		}
		if name := exhausted(containers[:i], whole); name != "" {
			return &EmptySharedPoolError{
				fmt.Sprintf("pod rejected, pod has shared init containers but no %s available for them", name),
			}
		}
	}
	if name := exhausted(containers, whole); sharing && name != "" {
		return &EmptySharedPoolError{fmt.Sprintf("pod rejected, sum of exclusive container %s requests equals pod budget, "+
			"leaving no memory for shared containers", name)}
	}
	return nil
}

// exhausted is the first type of which running containers take the pod's whole
// amount; empty when something is left of each.
func exhausted(containers []Container, whole []Request) string {
	for _, r := range whole {
		left := r.Size
		for i := range containers {
			if containers[i].Sort != podres.Init {
				left -= containers[i].amount(r.Type)
			}
		}
		if left <= 0 {
			return r.Type
		}
	}
	return ""
}

// AllocatePod gives a pod with resources as a whole its memory at once; its
// containers get parts of it. Only with the feature gate PodLevelResourceManagers
// and in pod scope. (staticPolicy.AllocatePod)
func (m *Manager) AllocatePod(p *Pod, whole []Request, affinity hint.Mask, preferred bool) error {
	if err := CheckPool(p.containers, whole); err != nil {
		return err
	}
	nodes, err := m.settle(p, whole, affinity, preferred)
	if err != nil {
		return err
	}
	for _, r := range whole {
		b := Block{Request: r, Nodes: nodes}
		p.whole = append(p.whole, b)
		m.take(b)
	}
	p.divide(nodes)
	return nil
}

// divide notes each container's part of the pod's memory: its own requests; an
// init container without any has what sidecars left so far; all others share the rest.
func (p *Pod) divide(nodes hint.Mask) {
	rest := make([]Request, len(p.whole))
	for i := range p.whole {
		rest[i] = p.whole[i].Request
	}
	hold := func(container int, requests []Request) {
		for _, r := range requests {
			if r.Size > 0 {
				p.held = append(p.held, holding{container, Block{Request: r, Nodes: nodes}})
			}
		}
	}
	for i := range p.containers {
		c := &p.containers[i]
		switch {
		case len(c.Requests) > 0:
			hold(i, c.Requests)
		case c.Sort == podres.Init:
			hold(i, rest)
		}
		for j := range rest {
			if c.Sort != podres.Init {
				rest[j].Size -= c.amount(rest[j].Type)
			}
		}
	}
	for i := range p.containers {
		if c := &p.containers[i]; len(c.Requests) == 0 && c.Sort != podres.Init {
			hold(i, rest)
		}
	}
}
