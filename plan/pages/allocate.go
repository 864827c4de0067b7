package pages

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/bootargs"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

var (
	chapter = derive.Source{Code: "OCP", Section: "13.2"}
	kernel  = derive.Source{Code: "Linux kernel", Section: "admin-guide/mm/hugetlbpage"}
)

func (p *planner) allocate(n Node) Allocation {
	a := Allocation{Type: n.Type, NUMANodes: max(1, n.NUMANodes)}
	for _, size := range sizesOf(n) {
		a.Sizes = append(a.Sizes, p.size(n, size))
	}
	a.Memory = p.memory(n, a.Sizes)
	counts := a.HugePages()
	usual := unit.Bytes(p.Fact("linux.hugePages.runtimeDefault").Int())
	a.BootArguments = BootArguments(counts, usual)
	if len(a.Sizes) == 1 && bytesOf(a.Sizes[0].Name) == usual {
		a.Sysctl = fmt.Sprintf("vm.nr_hugepages=%d", a.Sizes[0].Pages.Int())
	}
	p.checkSizes(n, a)
	p.checkMemory(n, a)
	return a
}

// size derives the pages of one size: as many as the pods of the fullest node
// use, a whole number on each NUMA node, because the kernel spreads them evenly.
func (p *planner) size(n Node, name string) Size {
	scope := "[" + n.Type + "/" + name + "]"
	page := p.page(name)
	numa := p.numa(n)
	s := Size{Name: name, Need: n.Pods[name]}
	if s.Need.From == nil {
		s.Need = p.Calc("hugePages.need"+scope, "Huge pages of "+name+" that pods use on a "+n.Type+" node",
			unit.ByteUnit, "0")
	}
	if given, ok := n.Given[name]; ok {
		have := derive.Given(fmt.Sprintf("hardware.nodeTypes[%d].hugePages.%s", n.Index, name), given, unit.ByteUnit)
		s.Pages = p.Calc("hugePages.pages"+scope, "Pages of "+name+" on a "+n.Type+" node", "pages",
			"floor(given / page)", derive.In("given", have), derive.In("page", page))
		s.PerNUMA = p.Calc("hugePages.perNUMA"+scope, "Pages of "+name+" on each NUMA node", "pages",
			"floor(pages / numaNodes)", derive.In("pages", s.Pages), derive.In("numaNodes", numa))
		p.checkGiven(n, s, have)
		return s
	}
	s.PerNUMA = p.Calc("hugePages.perNUMA"+scope, "Pages of "+name+" on each NUMA node", "pages",
		"ceil(need / page / numaNodes)", derive.In("need", s.Need), derive.In("page", page), derive.In("numaNodes", numa))
	p.Note("hugePages.perNUMA"+scope, "the kernel spreads pages "+p.Fact("linux.hugePages.spread").Text+
		", so that each NUMA node gets as many", kernel)
	s.Pages = p.Calc("hugePages.pages"+scope, "Pages of "+name+" to pre-allocate on a "+n.Type+" node", "pages",
		"perNUMA * numaNodes", derive.In("perNUMA", s.PerNUMA), derive.In("numaNodes", numa))
	p.Note("hugePages.pages"+scope, "the pods of the fullest node, since all nodes of a pool are set up alike; "+
		"huge pages are never overcommitted", chapter)
	return s
}

// page is the size of a page: a published one, else what the pods name.
func (p *planner) page(name string) derive.Value {
	if f, ok := p.Facts.Get("ocp.hugePages.sizes/" + name); ok {
		return f.Value()
	}
	return derive.Given("workload.podTypes[*].hugePages."+name, bytesOf(name), unit.ByteUnit)
}

func (p *planner) numa(n Node) derive.Value {
	return p.Origin.Value(fmt.Sprintf("hardware.nodeTypes[%d].numaNodes", n.Index), float64(max(1, n.NUMANodes)),
		"NUMA nodes")
}

// memory is what all pages of a node take, used or not.
func (p *planner) memory(n Node, sizes []Size) derive.Value {
	var t derive.Terms
	for i, s := range sizes {
		t.Product(derive.In(fmt.Sprintf("pages%d", i+1), s.Pages), derive.In(fmt.Sprintf("size%d", i+1), p.page(s.Name)))
	}
	v := p.Calc("hugePages.memory["+n.Type+"]", "Memory of the huge pages of a "+n.Type+" node", unit.ByteUnit,
		t.Sum(), t.In...)
	normal := p.Fact("ocp.hugePages.pageSize")
	small := p.Calc("hugePages.normalPages["+n.Type+"]", "Normal pages that they replace", "pages",
		"memory / page", derive.In("memory", v), derive.In("page", normal))
	p.Note("hugePages.normalPages["+n.Type+"]", fmt.Sprintf("1 Gi is %s of 4 Ki; the document says %s",
		p.Fact("ocp.hugePages.pagesPer1GiArithmetic").Text, p.Fact("ocp.hugePages.pagesPer1Gi").Text),
		derive.Source{Code: "OCP", Section: "13.1"})
	p.Detail(small)
	return v
}

// BootArguments are the kernel arguments for pages by size ("2Mi"), the largest
// size first. usual is the size that the kernel takes without being told. A size
// that can't be read has no pages.
func BootArguments(pages map[string]int64, usual unit.Bytes) []string {
	counts := map[unit.Bytes]int64{}
	for name, n := range pages {
		if size := bytesOf(name); size > 0 {
			counts[size] += n
		}
	}
	return bootargs.HugePages(counts, usual)
}

// checkSizes compares the number of page sizes with what the release allows.
func (p *planner) checkSizes(n Node, a Allocation) {
	allowed := p.sizesAllowed()
	if float64(len(a.Sizes)) <= allowed.Number {
		return
	}
	words, remedy := whoBrings(n, a)
	p.FindAt(v1alpha1.Error, "hugePages.sizes", fmt.Sprintf("hardware.nodeTypes[%d]", n.Index),
		fmt.Sprintf("%s: %s one node; with %s %s a node can pre-allocate %s", n.Type, words, p.platform(), p.in.Release,
			allowed.Text), remedy, *allowed.From.Source)
}

// whoBrings says whether pods or the scenario brought the page sizes together,
// and what would keep them apart.
func whoBrings(n Node, a Allocation) (words, remedy string) {
	var used, idle []string
	for _, s := range a.Sizes {
		if s.Need.Number > 0 {
			used = append(used, s.Name)
		} else {
			idle = append(idle, s.Name)
		}
	}
	field := fmt.Sprintf("hardware.nodeTypes[%d].hugePages", n.Index)
	switch {
	case len(idle) == 0:
		return "pods bring huge pages of " + strings.Join(used, " and ") + " onto",
			"keep pods of different page sizes on different node types with a nodeSelector"
	case len(used) == 0:
		return field + " pre-allocates huge pages of " + strings.Join(idle, " and ") + ", which no pod uses, on",
			"write one page size in " + field + ", or leave it out"
	}
	return fmt.Sprintf("pods use huge pages of %s and %s pre-allocates those of %s, which no pod uses, on",
			strings.Join(used, " and "), field, strings.Join(idle, " and ")),
		"leave " + strings.Join(idle, " and ") + " out of " + field
}

// platform is the product's name in words.
func (p *planner) platform() string {
	if p.in.Platform == "kubernetes" {
		return "Kubernetes"
	}
	return "OpenShift"
}

// sizesAllowed is the number of page sizes of a node in the release.
func (p *planner) sizesAllowed() derive.Value {
	quantity := "ocp.hugePages.sizesByRelease"
	if p.in.Platform == "kubernetes" {
		quantity = "k8s.hugePages.sizesByRelease"
	}
	if f, _, _, ok := p.Facts.ForRelease(quantity, p.in.Release); ok {
		return f.Value()
	}
	known := p.Facts.Releases(quantity)
	return p.Fact(quantity + "/" + known[len(known)-1])
}

// alike writes two amounts in the same multiples: binary ones where both are.
func alike(a, b derive.Value) (string, string) {
	if strings.HasSuffix(a.Text, "iB") && strings.HasSuffix(b.Text, "iB") {
		return a.Text, b.Text
	}
	return unit.FormatDecimal(unit.Bytes(a.Int())), unit.FormatDecimal(unit.Bytes(b.Int()))
}

// checkMemory compares the pages with the memory that may become pages.
func (p *planner) checkMemory(n Node, a Allocation) {
	room := n.Memory
	if n.Kept.Number > 0 {
		room = p.Calc("hugePages.room["+n.Type+"]", "Memory of a "+n.Type+" node that can become huge pages", unit.ByteUnit,
			"memory - kept", derive.In("memory", n.Memory), derive.In("kept", n.Kept))
	}
	take, of := alike(a.Memory, room)
	p.Gauge(limit.Measure("hugePages["+n.Type+"]", "Huge pages", "node "+n.Type, a.Memory.WithText(take),
		room.WithText(of), limit.Hard).AsLocal())
	if a.Memory.Number > room.Number {
		f := p.Find(v1alpha1.Error, "hugePages.tooMany",
			fmt.Sprintf("%s: huge pages take %s of %s; the kernel would allocate fewer and pods would stay pending", n.Type,
				take, of),
			"take nodes with more memory, or put fewer of these pods on one node with maxPerNode")
		f.Figure, f.Sources = a.Memory.From.ID, []derive.Source{chapter}
	}
}
