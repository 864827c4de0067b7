// Package memory decides as the kubelet's memory manager does under the policy
// Static: from which NUMA nodes a Guaranteed pod's containers get their memory
// and huge pages, and which sets of nodes could serve a request. It follows
// Kubernetes 1.36, groups of nodes and reuse by init containers included.
//
// It merges no hints and knows no quality-of-service class; under policy None
// there is no manager. A Manager is one node's, for one goroutine at a time.
//
//	m := memory.New(&machine, reserved)
//	asks := podres.Container{Requests: map[string]int64{"memory": 4 << 30}}
//	pod := memory.NewPod([]memory.Container{{Requests: m.Requests(&asks)}})
//	err := m.Allocate(&pod, 0, 0b01, true)
//	pod.Blocks(0, func(b memory.Block) { ... }) // 4 GiB of memory from node 0
package memory

import (
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/podres"
	"plimsoll.dev/topo"
)

// Request is an amount of one kind of memory, in bytes.
type Request struct {
	// Type is memory or hugepages-*.
	Type string
	Size int64
	// kind is the index of the type in the manager's tables.
	kind int
}

// Block is memory of one kind from a set of nodes.
type Block struct {
	Request
	Nodes hint.Mask
}

// Container and what it requests: memory and every size of huge pages that it names.
type Container struct {
	Sort     podres.Sort
	Requests []Request
}

// Manager is the memory of one node.
type Manager struct {
	// types and allocatable are shared by all clones. The last type has no name: it
	// stands for page sizes that the machine has no pages of.
	types       []string
	allocatable []uint64 // by type and node
	nodes       []node
	cells       []cell // by type and node
}

// node keeps single and grouped use of a NUMA node apart.
type node struct {
	// group is the set of nodes that this one's memory is given out with.
	group hint.Mask
	// blocks that have this node in their set.
	blocks int
}

// cell is one type of memory on one node, in bytes. Like the kubelet's, the
// amounts wrap around: a node of which more is reserved than it has offers
// nearly 2^64 bytes.
type cell struct{ free, used uint64 }

// New makes the manager of an idle machine. What is reserved stands by node index
// and resource name.
func New(m *topo.Machine, reserved []map[string]int64) *Manager {
	mgr := &Manager{types: types(m), nodes: make([]node, len(m.Nodes))}
	for i := range mgr.nodes {
		mgr.nodes[i].group = 1 << i
	}
	for _, name := range mgr.types {
		for i := range m.Nodes {
			amount := uint64(Total(&m.Nodes[i], name) - reserved[i][name])
			mgr.allocatable = append(mgr.allocatable, amount)
			mgr.cells = append(mgr.cells, cell{free: amount})
		}
	}
	return mgr
}

// types are memory, the page sizes that the machine has by name, and the one
// without name.
func types(m *topo.Machine) []string {
	pages := map[string]bool{}
	for i := range m.Nodes {
		for size := range m.Nodes[i].HugePages {
			pages[podres.HugePages+size] = true
		}
	}
	return append(append([]string{podres.Memory}, slices.Sorted(maps.Keys(pages))...), "")
}

// Total is what a NUMA node has of a type, in bytes; memory is without huge pages.
func Total(n *topo.Node, resource string) int64 {
	if size, isPages := strings.CutPrefix(resource, podres.HugePages); isPages {
		return int64(n.HugePages[size])
	}
	if resource != podres.Memory {
		return 0
	}
	left := int64(n.Memory)
	for _, size := range n.HugePages {
		left -= int64(size)
	}
	return left
}

// Clone is an independent copy.
func (m *Manager) Clone() *Manager {
	c := *m
	c.nodes, c.cells = slices.Clone(m.nodes), slices.Clone(m.cells)
	return &c
}

// Free is what is left of a type on the node with this index; negative as
// Allocatable is.
func (m *Manager) Free(resource string, node int) int64 {
	return int64(m.cells[m.kind(resource)*len(m.nodes)+node].free)
}

// Allocatable is what containers can have of a type on the node with this index;
// negative when more is reserved than the node has, which the kubelet takes for
// a very large amount.
func (m *Manager) Allocatable(resource string, node int) int64 {
	return int64(m.allocatable[m.kind(resource)*len(m.nodes)+node])
}

// Group is the set of nodes that this one's memory is given out with; itself
// when it stands alone. used says that a container holds some of it.
func (m *Manager) Group(node int) (group hint.Mask, used bool) {
	return m.nodes[node].group, m.nodes[node].blocks > 0
}

// Requests are the memory and the huge pages that a container asks for, by name.
// Page sizes that the machine has no pages of are kept: nothing can serve them.
func (m *Manager) Requests(c *podres.Container) []Request {
	var out []Request
	for name, size := range c.Requests {
		out = m.AddRequest(out, name, size)
	}
	for name, size := range c.Limits {
		if _, requested := c.Requests[name]; !requested {
			out = m.AddRequest(out, name, size)
		}
	}
	return out
}

// AddRequest puts a request into a list by name, if it is one for memory or huge pages.
func (m *Manager) AddRequest(list []Request, name string, size int64) []Request {
	if name != podres.Memory && !strings.HasPrefix(name, podres.HugePages) {
		return list
	}
	list = append(list, Request{Type: name, Size: size, kind: m.kind(name)})
	for i := len(list) - 1; i > 0 && list[i].Type < list[i-1].Type; i-- {
		list[i], list[i-1] = list[i-1], list[i]
	}
	return list
}

func (m *Manager) kind(name string) int {
	if i := slices.Index(m.types, name); i >= 0 {
		return i
	}
	return len(m.types) - 1
}
