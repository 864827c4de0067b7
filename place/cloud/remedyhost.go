package cloud

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/facts"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// otherPages says that a host would take the VM if what is free of its memory were
// in pages of the size that the VM takes.
func (t *remedySearch) otherPages() string {
	size := t.pageTaken()
	node := ""
	found := t.any(func(host int32) bool {
		h := t.s.state(host).host.Clone()
		for i := range h.Cells {
			repage(&h.Cells[i], size)
		}
		node = t.c.typeOf(int(host)).node.Name
		return t.c.fits(h, t.request)
	})
	switch {
	case !found:
		return ""
	case unit.Bytes(size)*unit.KiB == smallPage:
		return fmt.Sprintf("less memory in huge pages (hugePagesPerNUMANode of the node type %s), "+
			"so that some is left in small ones", node)
	}
	name := (unit.Bytes(size) * unit.KiB).String()
	return fmt.Sprintf("more memory in pages of %s (an entry for %s in hugePagesPerNUMANode of the node type %s)", name,
		name, node)
}

// pageTaken is the size in KiB of the pages that the VM's memory would be in.
func (t *remedySearch) pageTaken() int64 {
	small := int64(smallPage / unit.KiB)
	if len(t.request.Cells) == 0 {
		return small
	}
	switch size := t.request.Cells[0].PageSize; {
	case size > 0:
		return int64(size)
	case size == nova.LargePages:
		return int64(unit.Bytes(facts.Load().Must("hcg.compute.pageSize").Value().Number) / unit.KiB)
	}
	return small
}

// repage makes pages of a size in KiB of what is free of a node's memory.
func repage(c *nova.HostCell, size int64) {
	free := int64(0)
	for i := range c.Pages {
		p := &c.Pages[i]
		free += p.Free() * p.Size
		p.Total -= p.Free()
	}
	at, found := slices.BinarySearchFunc(c.Pages, size,
		func(p nova.PagePool, size int64) int { return int(p.Size - size) })
	if !found {
		c.Pages = slices.Insert(slices.Clip(c.Pages), at, nova.PagePool{Size: size})
	}
	c.Pages[at].Total += free / size
}

// moreFloating finds the fewest cores for VMs that float, the same number on each
// NUMA node, with which a host would take the VM. Only the rules of nova keep them
// apart.
func (t *remedySearch) moreFloating() string {
	if t.c.rules != nova.Nova || t.request.CPUPolicy == nova.Dedicated {
		return ""
	}
	text := ""
	t.any(func(host int32) bool {
		ht := t.c.typeOf(int(host))
		h := t.s.state(host).host.Clone()
		for n := 1; float(h); n++ {
			if t.c.fits(h, t.request) {
				text = fmt.Sprintf("compute.floatingCores: %s of the node type %s", floatingList(ht, n), ht.node.Name)
				return true
			}
		}
		return false
	})
	return text
}

// float gives one more free core of each NUMA node to VMs that float; false is that
// no node has one.
func float(h *nova.Host) bool {
	any := false
	for i := range h.Cells {
		c := &h.Cells[i]
		free := c.Dedicated.Minus(c.Pinned)
		at := slices.IndexFunc(c.Siblings,
			func(core unit.CPUSet) bool { return !core.IsEmpty() && core.Minus(free).IsEmpty() })
		if at >= 0 {
			c.Shared, c.Dedicated = c.Shared.Union(c.Siblings[at]), c.Dedicated.Minus(c.Siblings[at])
			any = true
		}
	}
	return any
}

// floatingList is what floatingCores would say with so many more.
func floatingList(ht *hostType, more int) string {
	var given []int
	if c := ht.node.Compute; c != nil {
		given = c.FloatingCores
	}
	var list []string
	for i := range ht.empty.Cells {
		list = append(list, strconv.Itoa(entry(given, i)+more))
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// sharedCore finds a host that would take the VM if a free core of each NUMA node were a
// shared one.
func (t *remedySearch) sharedCore() string {
	if t.request.SharedVCPU < 0 {
		return ""
	}
	text := ""
	t.any(func(host int32) bool {
		ht, h := t.c.typeOf(int(host)), t.s.state(host).host.Clone()
		for i := range h.Cells {
			c := &h.Cells[i]
			free := c.Dedicated.Minus(c.Pinned)
			at := slices.IndexFunc(c.Siblings,
				func(core unit.CPUSet) bool { return !core.IsEmpty() && core.Minus(free).IsEmpty() })
			if at >= 0 && c.SharedVCPU.IsEmpty() {
				c.SharedVCPU = c.Siblings[at]
				c.Dedicated, c.Shared = c.Dedicated.Minus(c.SharedVCPU), c.Shared.Minus(c.SharedVCPU)
			}
		}
		if t.c.fits(h, t.request) {
			text = fmt.Sprintf("a shared core on each NUMA node (compute.sharedCores of the node type %s)", ht.node.Name)
		}
		return text != ""
	})
	return text
}

// nearDevices finds a host that would take the VM if devices which don't say where they
// are were on a NUMA node that suits it.
func (t *remedySearch) nearDevices() string {
	text := ""
	t.any(func(host int32) bool {
		h := t.s.state(host).host
		for node := range h.Cells {
			near, moved := h.Clone(), false
			for i := range near.Pools {
				if near.Pools[i].Node == unknownNode {
					near.Pools[i].Node, moved = h.Cells[node].ID, true
				}
			}
			if moved && t.c.fits(near, t.request) {
				text = fmt.Sprintf("numaNode of the devices of the node type %s, which doesn't say where they are",
					t.c.typeOf(int(host)).node.Name)
				return true
			}
		}
		return false
	})
	return text
}
