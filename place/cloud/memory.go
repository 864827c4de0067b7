package cloud

import (
	"cmp"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// smallPage is the size of the pages of memory without huge pages.
const smallPage = 4 * unit.KiB

// memory shares out the memory of each NUMA node: platform, vSwitch, pages for
// VMs by size, and what is left in pages of 4 KiB.
func (b *builder) memory() {
	sizes := b.pageSizes()
	for i := range b.empty.Cells {
		cell, n := &b.empty.Cells[i], b.machine.Nodes[i]
		kept := b.keptMemory(i)
		b.kept = append(b.kept, kept)
		left := n.Memory - kept
		if left < 0 {
			b.bad(".memory", "more memory, or a smaller compute.platformMemory",
				"NUMA node %d has %s, of which %s are kept back", n.ID, unit.FormatBytes(n.Memory), unit.FormatBytes(kept))
			continue
		}
		cell.Memory = int64(left / unit.MiB)
		cell.Pages = []nova.PagePool{{Size: int64(smallPage / unit.KiB)}}
		for _, size := range sizes {
			count := b.pages(size, i, left)
			taken := unit.Bytes(count) * size
			if taken > left {
				b.bad(b.pagesField(), "fewer pages", "NUMA node %d: %s of pages of %s are more than the %s that are left for VMs",
					n.ID, unit.FormatBytes(taken), size, unit.FormatBytes(left))
				break
			}
			left -= taken
			if count > 0 {
				cell.Pages = append(cell.Pages, nova.PagePool{Size: int64(size / unit.KiB), Total: count})
			}
		}
		cell.Pages[0].Total = int64(left / smallPage)
		slices.SortFunc(cell.Pages, func(a, b nova.PagePool) int { return cmp.Compare(a.Size, b.Size) })
	}
}

// PlatformMemory are what the platform keeps by default: on node 0, where a CPE has the
// controller as well, and on each NUMA node. The fork's own rules have its own figures.
func PlatformMemory(c *facts.Catalogue, rules nova.Rules, cpe bool) (first, each facts.Fact) {
	from, controller := "hcg.compute.", "hcg.cpe.controllerMemory"
	if rules == nova.StarlingX {
		from, controller = "starlingx.compute.", "starlingx.compute.controllerMemory"
	}
	if first = c.Must(from + "platformMemoryBase"); cpe {
		first = c.Must(controller)
	}
	return first, c.Must(from + "platformMemoryPerNode")
}

// keptMemory is what platform and vSwitch keep of a NUMA node: with the
// document's defaults 6 GB on node 0 and 2 GB on each node, and a page of 1 GB on
// each node.
func (b *builder) keptMemory(i int) unit.Bytes {
	platform := entry(b.compute.PlatformMemory, i)
	if b.compute.PlatformMemory == nil {
		first, each := PlatformMemory(b.facts, b.rules, b.pool.CPE)
		if platform = unit.Bytes(each.Number); i == 0 {
			platform += unit.Bytes(first.Number)
		}
	}
	vSwitch := entry(b.compute.VSwitchMemory, i)
	if b.compute.VSwitchMemory == nil {
		vSwitch = unit.Bytes(b.fact("hcg.compute.vswitchMemoryPerNode"))
	}
	return platform + vSwitch
}

// pageSizes are the sizes of huge pages of the host, the largest first. Where none
// is given, all memory for VMs becomes huge pages: as the document has it, and with
// other rules when a VM asks for pages, since a VM without a page size has no part
// in them there.
func (b *builder) pageSizes() []unit.Bytes {
	names := map[string]bool{}
	for name := range b.pool.Pages {
		names[name] = true
	}
	if b.pool.Pages == nil {
		for name := range b.node.HugePages {
			names[name] = true
		}
		for name := range b.node.HugePagesPerNUMANode {
			names[name] = true
		}
		if len(names) == 0 && b.rules != nova.HCG40 && asksPages(b.s) {
			return []unit.Bytes{b.defaultPage()}
		}
	}
	var sizes []unit.Bytes
	for _, name := range slices.Sorted(maps.Keys(names)) {
		size, err := unit.ParseBytes(name)
		if err != nil || size <= smallPage || size%unit.KiB != 0 {
			b.bad(b.pagesField(), "2Mi or 1Gi", "%q is no size of a huge page", name)
			continue
		}
		sizes = append(sizes, size)
	}
	slices.SortFunc(sizes, func(a, b unit.Bytes) int { return cmp.Compare(b, a) }) // the largest are the hardest to fit in
	if b.rest = b.restInPages(sizes); b.rest {
		sizes = append(sizes, b.defaultPage()) // it takes what the others leave, so it comes last
	}
	once := slices.Compact(slices.Clone(sizes))
	if len(once) < len(sizes) {
		b.bad(b.pagesField(), "one entry for each size", "a size of pages is named twice: %s",
			words.And(slices.Sorted(maps.Keys(names))))
	}
	return once
}

// restInPages reports whether memory that no given pool names becomes pages of the
// default size: the document's hosts have such pages and no others unless somebody
// splits them. Naming the size, be it with nothing, ends it.
func (b *builder) restInPages(named []unit.Bytes) bool {
	return b.rules == nova.HCG40 && b.pool.Pages == nil && !slices.Contains(named, b.defaultPage())
}

// pages is the number of pages of a size on a NUMA node, where so much memory is
// left.
func (b *builder) pages(size unit.Bytes, i int, left unit.Bytes) int64 {
	if b.pool.Pages != nil {
		list, _ := ofSize(b.pool.Pages, size)
		return entry(list, i)
	}
	if list, given := ofSize(b.node.HugePagesPerNUMANode, size); given {
		return int64(entry(list, i) / size)
	}
	if total, given := ofSize(b.node.HugePages, size); given {
		return spreadOver(int64(total/size), len(b.empty.Cells), i)
	}
	return int64(left / size)
}

// ofSize is the entry of a size of pages, however that is written.
func ofSize[T any](by map[string]T, size unit.Bytes) (found T, given bool) {
	for name, v := range by {
		if s, err := unit.ParseBytes(name); err == nil && s == size {
			return v, true
		}
	}
	return found, false
}

// spreadOver is the i-th of n even shares; the first ones take what is left over.
func spreadOver(total int64, n, i int) int64 {
	share := total / int64(n)
	if int64(i) < total%int64(n) {
		share++
	}
	return share
}

func (b *builder) pagesField() string {
	if b.node.HugePagesPerNUMANode != nil {
		return ".hugePagesPerNUMANode"
	}
	return ".hugePages"
}

func (b *builder) defaultPage() unit.Bytes { return unit.Bytes(b.fact("hcg.compute.pageSize")) }

// pinsCPUs reports whether a flavor in use, or an image, asks for CPUs of its own.
func pinsCPUs(s *v1alpha1.Scenario) bool {
	return anyProperty(s, func(key, value string) bool {
		return (key == "hw:cpu_policy" || key == "hw_cpu_policy") && (value == nova.Dedicated || value == nova.Mixed) ||
			key == "resources:PCPU" || key == "hw:cpu_dedicated_mask"
	})
}

// asksPages reports whether a flavor in use, or an image, asks for pages.
func asksPages(s *v1alpha1.Scenario) bool {
	return anyProperty(s, func(key, value string) bool {
		return (key == "hw:mem_page_size" || key == "hw_mem_page_size") && value != "small"
	})
}

// anyProperty reports whether a property of a flavor or image that servers use is so.
func anyProperty(s *v1alpha1.Scenario, is func(key, value string) bool) bool {
	flavors, images := map[string]bool{}, map[string]bool{}
	for i := range s.Workload.Servers {
		flavors[s.Workload.Servers[i].Flavor], images[s.Workload.Servers[i].Image] = true, true
	}
	any := func(properties map[string]string) bool {
		for key, value := range properties {
			if is(key, value) {
				return true
			}
		}
		return false
	}
	for i := range s.Workload.Flavors {
		if f := &s.Workload.Flavors[i]; flavors[f.Name] && any(f.Properties) {
			return true
		}
	}
	for i := range s.Workload.Images {
		if m := &s.Workload.Images[i]; images[m.Name] && any(m.Properties) {
			return true
		}
	}
	return false
}
