// Package pages says how many huge pages each node must pre-allocate for the
// pods that were packed on it, per node and per NUMA node, with the kernel
// arguments or the sysctl that do it, and checks what pods ask for (OCP 13).
//
// It places no pod on a NUMA node and writes no Tuned profile.
//
//	pages.Count(100*unit.MiB, 2*unit.MiB)                 // 50
//	pages.BootArguments(map[string]int64{"1Gi": 8}, def)  // default_hugepagesz=1G hugepagesz=1G hugepages=8
package pages

import (
	"cmp"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// Node is a node type of the plan and the huge pages that its pods use.
type Node struct {
	// Index of the type in hardware.nodeTypes, for the paths of its fields.
	Index int
	// Type is the node type's name.
	Type string
	// Memory of the machine in bytes.
	Memory derive.Value
	// Kept is the memory that can't become huge pages: what is reserved for the
	// system and for eviction. The zero value keeps nothing.
	Kept derive.Value
	// NUMANodes of the machine; 0 counts as 1.
	NUMANodes int
	// Pods are the most bytes of each page size ("2Mi") that the pods of any one
	// node of the type use.
	Pods map[string]derive.Value
	// Given are the pages that the scenario pre-allocates, in bytes by page size;
	// empty to derive them from the pods.
	Given map[string]unit.Bytes
}

// Input is what the section is made from.
type Input struct {
	Nodes []Node
	// PodTypes of the scenario, to be checked.
	PodTypes []v1alpha1.PodType
	// Platform is openshift or kubernetes; Release is its release.
	Platform, Release string
	// Origin tells which fields were assumed.
	Origin *part.Origin
	// Facts is the catalogue.
	Facts *facts.Catalogue
}

// Allocation is what each node of a type pre-allocates.
type Allocation struct {
	// Type is the node type's name.
	Type string
	// NUMANodes of the machine, at least 1.
	NUMANodes int
	// Sizes are the page sizes, the largest first.
	Sizes []Size
	// BootArguments are kernel arguments in the order in which they must stand.
	BootArguments []string
	// Sysctl does the same without a reboot; empty where that is not possible.
	Sysctl string
	// Memory of all pages in bytes.
	Memory derive.Value
}

// Size is the pages of one size on a node.
type Size struct {
	// Name is the size as Kubernetes writes it: "2Mi".
	Name string
	// Need is what the pods use in bytes.
	Need derive.Value
	// Pages on the node, and on each of its NUMA nodes.
	Pages, PerNUMA derive.Value
}

// Result is the allocation of each node type that has huge pages.
type Result struct {
	// Part is the section "hugePages".
	Part *part.Part
	// Nodes are the node types that need pages, in the order of Input.Nodes.
	Nodes []Allocation
}

// HugePages is the number of pages by size, as a pool's decision holds it.
func (a Allocation) HugePages() map[string]int64 {
	m := make(map[string]int64, len(a.Sizes))
	for _, s := range a.Sizes {
		m[s.Name] = s.Pages.Int()
	}
	return m
}

// Plan derives the pages of every node type and checks the pods; it records the
// figures "hugePages.*" in b.
func Plan(b *derive.Book, in Input) Result {
	p := &planner{Sheet: part.On(b, in.Facts, in.Origin, part.New("hugePages", "Huge pages"), "hardware"), in: in}
	r := Result{Part: p.Part}
	for _, n := range in.Nodes {
		if len(n.Pods) > 0 || len(n.Given) > 0 {
			r.Nodes = append(r.Nodes, p.allocate(n))
		}
	}
	p.checkPods(r.Nodes)
	p.show(r.Nodes)
	return r
}

type planner struct {
	part.Sheet
	in Input
}

// Count is the number of pages of the given size that hold an amount of memory;
// a page that is partly used is used. The page size is positive.
func Count(amount, page unit.Bytes) int64 { return int64((amount + page - 1) / page) }

// sizesOf lists the page sizes of a node, the largest first. A size that can't
// be read was refused when the scenario was, so it is left out here.
func sizesOf(n Node) []string {
	all := map[string]bool{}
	for size := range n.Pods {
		all[size] = true
	}
	for size := range n.Given {
		all[size] = true
	}
	return largestFirst(slices.Collect(maps.Keys(all)))
}

func largestFirst(sizes []string) []string {
	sizes = slices.DeleteFunc(sizes, func(s string) bool { return bytesOf(s) == 0 })
	slices.SortFunc(sizes, func(a, b string) int { return cmp.Or(cmp.Compare(bytesOf(b), bytesOf(a)), cmp.Compare(a, b)) })
	return sizes
}

// bytesOf is a page size in bytes, 0 when it is none.
func bytesOf(size string) unit.Bytes {
	b, err := unit.ParseBytes(size)
	if err != nil {
		return 0
	}
	return b
}
