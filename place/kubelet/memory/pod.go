package memory

import (
	"slices"

	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/podres"
)

// Pod is a pod's containers, init containers first, and what they hold.
type Pod struct {
	containers []Container
	held       []holding
	// whole are the blocks of a pod with resources as a whole; its containers' are
	// parts of them.
	whole []Block
	// reusable is the largest that init containers leave to later containers of the
	// pod, by set of nodes and type.
	reusable []Block
}

// holding is a block of the container with this index.
type holding struct {
	container int
	Block
}

// NewPod is a pod that holds nothing yet.
func NewPod(containers []Container) Pod { return Pod{containers: containers} }

// Reset makes it another pod that holds nothing yet.
func (p *Pod) Reset(containers []Container) {
	p.containers, p.held, p.whole, p.reusable = containers, p.held[:0], p.whole[:0], p.reusable[:0]
}

// Blocks calls f for each block of the container with this index, by type. What
// a later container took over from an init container counts as the later one's.
func (p *Pod) Blocks(container int, f func(Block)) {
	for i := range p.held {
		if p.held[i].container == container {
			f(p.held[i].Block)
		}
	}
}

// Count is the number of blocks that all containers have.
func (p *Pod) Count() int { return len(p.held) }

// Whole is what the pod requests at its peak, of each type that an app container
// names. (getPodRequestedResources)
func Whole(containers []Container) []Request {
	var sum []Request
	for i := range containers {
		if containers[i].Sort != podres.App {
			continue
		}
		for _, r := range containers[i].Requests {
			if !slices.ContainsFunc(sum, func(s Request) bool { return s.Type == r.Type }) {
				sum = append(sum, Request{Type: r.Type, kind: r.kind, Size: peak(containers, r.Type)})
			}
		}
	}
	return sum
}

func peak(containers []Container, name string) int64 {
	var s podres.Sum
	for i := range containers {
		s.Add(containers[i].Sort, containers[i].amount(name))
	}
	return s.Peak()
}

func (c *Container) amount(name string) int64 {
	for _, r := range c.Requests {
		if r.Type == name {
			return r.Size
		}
	}
	return 0
}

// reusableOf is how much of a request the pod's init containers have left on
// exactly this set of nodes.
func (p *Pod) reusableOf(nodes hint.Mask, name string) *int64 {
	for i := range p.reusable {
		if p.reusable[i].Nodes == nodes && p.reusable[i].Type == name {
			return &p.reusable[i].Size
		}
	}
	return nil
}

// keepReusable notes what an init container leaves, and what another one uses of it.
func (p *Pod) keepReusable(sort podres.Sort, b Block) {
	left := p.reusableOf(b.Nodes, b.Type)
	switch {
	case sort == podres.Init && left == nil:
		p.reusable = append(p.reusable, b)
	case sort == podres.Init:
		*left = max(*left, b.Size)
	case left != nil:
		*left = max(0, *left-b.Size)
	}
}

// handOver takes from the blocks of earlier init containers what a container
// uses again, so that the sum of all blocks is what the pod really holds.
// (updateInitContainersMemoryBlocks)
func (p *Pod) handOver(container int, b Block) {
	for i := range p.held {
		h := &p.held[i]
		if h.container >= container || p.containers[h.container].Sort != podres.Init || h.Type != b.Type ||
			h.Nodes != b.Nodes {
			continue
		}
		used := min(h.Size, b.Size)
		h.Size -= used
		b.Size -= used
	}
}
