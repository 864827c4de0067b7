package cloud

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// otherPages says that a host would take the VM if what is free of its memory were
// in pages of the size that the VM takes.
func (t *remedySearch) otherPages() Remedy {
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
		return Remedy{}
	case unit.Bytes(size)*unit.KiB == smallPage:
		return Remedy{Says: fmt.Sprintf("less memory in huge pages (hugePagesPerNUMANode of the node type %s), "+
			"so that some is left in small ones", node)}
	}
	name := (unit.Bytes(size) * unit.KiB).String()
	return Remedy{Says: fmt.Sprintf(
		"more memory in pages of %s (an entry for %s in hugePagesPerNUMANode of the node type %s)", name, name, node)}
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
	poolOf(c, size).Total += free / size
}

// poolOf is a node's pool of pages of a size in KiB, an empty one where it has none.
func poolOf(c *nova.HostCell, size int64) *nova.PagePool {
	at, found := slices.BinarySearchFunc(c.Pages, size,
		func(p nova.PagePool, size int64) int { return int(p.Size - size) })
	if !found {
		c.Pages = slices.Insert(slices.Clip(c.Pages), at, nova.PagePool{Size: size})
	}
	return &c.Pages[at]
}

// moreFloating finds the fewest cores for VMs that float, the same number on each
// NUMA node, with which a host would take the VM. Only the rules of nova keep them
// apart.
func (t *remedySearch) moreFloating() Remedy {
	var found Remedy
	if t.c.rules != nova.Nova || t.request.CPUPolicy == nova.Dedicated {
		return found
	}
	t.any(func(host int32) bool {
		ht := t.c.typeOf(int(host))
		h := t.s.state(host).host.Clone()
		for n := 1; float(h); n++ {
			if t.c.fits(h, t.request) {
				found = FloatingCores(ht.node.Name, withFloating(ht, n))
				return true
			}
		}
		return false
	})
	return found
}

// FloatingCores gives VMs that float so many cores of each NUMA node.
func FloatingCores(nodeType string, cores []int) Remedy {
	return Remedy{Says: fmt.Sprintf("compute.floatingCores: [%s] of the node type %s", joined(cores), nodeType),
		Do: onHosts(nodeType, func(c *v1alpha1.Compute) { c.FloatingCores = cores })}
}

// VSwitchCores gives the vSwitch so many cores of each NUMA node.
func VSwitchCores(nodeType string, cores []int) Remedy {
	return Remedy{Says: fmt.Sprintf("compute.vSwitchCores: [%s] of the node type %s", joined(cores), nodeType),
		Do: onHosts(nodeType, func(c *v1alpha1.Compute) { c.VSwitchCores = cores })}
}

// onHosts changes what hosts of a type keep.
func onHosts(nodeType string, do func(c *v1alpha1.Compute)) func(s *v1alpha1.Scenario) {
	return onType(nodeType, func(t *v1alpha1.NodeType) {
		c := *cmp.Or(t.Compute, &v1alpha1.Compute{})
		do(&c)
		t.Compute = &c
	})
}

// onType changes a node type.
func onType(name string, do func(t *v1alpha1.NodeType)) func(s *v1alpha1.Scenario) {
	return func(s *v1alpha1.Scenario) {
		s.Hardware.NodeTypes = slices.Clone(s.Hardware.NodeTypes)
		for i := range s.Hardware.NodeTypes {
			if t := &s.Hardware.NodeTypes[i]; t.Name == name {
				do(t)
			}
		}
	}
}

// joined is a list of numbers of cores in words.
func joined(cores []int) string {
	var list []string
	for _, n := range cores {
		list = append(list, strconv.Itoa(n))
	}
	return strings.Join(list, ", ")
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

// withFloating is what floatingCores would say with so many more.
func withFloating(ht *hostType, more int) []int {
	var given, list []int
	if c := ht.node.Compute; c != nil {
		given = c.FloatingCores
	}
	for i := range ht.empty.Cells {
		list = append(list, entry(given, i)+more)
	}
	return list
}

// sharedCore finds a host that would take the VM if a free core of each NUMA node were a
// shared one.
func (t *remedySearch) sharedCore() Remedy {
	var found Remedy
	if t.request.SharedVCPU < 0 {
		return found
	}
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
			found = Remedy{Says: fmt.Sprintf("a shared core on each NUMA node (compute.sharedCores of the node type %s)",
				ht.node.Name), Do: onHosts(ht.node.Name, func(c *v1alpha1.Compute) {
				c.SharedCores = slices.Repeat([]int{1}, len(h.Cells))
			})}
		}
		return found.Says != ""
	})
	return found
}

// locate says on which NUMA node the devices of a node type are that don't say it.
func locate(t *v1alpha1.NodeType, node int) Remedy {
	var fields []string
	for i := range t.NICs {
		if n := &t.NICs[i]; n.NUMANode == nil && (n.Use == nicSRIOV || n.Use == nicPassthrough) {
			fields = append(fields, "numaNode of the NIC "+cmp.Or(n.Name, n.Use))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Devices)) {
		if int64(len(t.DeviceNUMANodes[name])) < t.Devices[name] {
			fields = append(fields, "deviceNUMANodes of "+name)
		}
	}
	return Remedy{Says: fmt.Sprintf("%s of the node type %s, which doesn't say it: %d, if that is so",
		words.And(fields), t.Name, node), Do: onType(t.Name, func(t *v1alpha1.NodeType) {
		t.NICs, t.DeviceNUMANodes = slices.Clone(t.NICs), maps.Clone(t.DeviceNUMANodes)
		for i := range t.NICs {
			if n := &t.NICs[i]; n.Use == nicSRIOV || n.Use == nicPassthrough {
				n.NUMANode = cmp.Or(n.NUMANode, &node)
			}
		}
		for name, n := range t.Devices {
			if t.DeviceNUMANodes == nil {
				t.DeviceNUMANodes = map[string][]int{}
			}
			at := t.DeviceNUMANodes[name]
			t.DeviceNUMANodes[name] = append(slices.Clip(at), slices.Repeat([]int{node}, int(n)-len(at))...)
		}
	})}
}

// nearDevices finds a host that would take the VM if devices which don't say where they
// are were on a NUMA node that suits it.
func (t *remedySearch) nearDevices() Remedy {
	var found Remedy
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
				found = locate(t.c.typeOf(int(host)).node, h.Cells[node].ID)
				return true
			}
		}
		return false
	})
	return found
}
