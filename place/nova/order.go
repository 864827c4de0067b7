package nova

// sorted puts the nodes in the order in which they are tried, as indices of
// Host.Cells. Nova sorts only when the VM leaves nodes over: by free memory, then
// by what its policy uses of CPUs, then by free devices of any kind, the last
// being the strongest; nodes that are equal stay in the host's order. The document
// and the fork go by the lowest id.
func (s *search) sorted() {
	for i := range s.m {
		s.order[i] = uint8(i)
	}
	if s.rules == Nova && s.m == s.n {
		return
	}
	if s.m <= 4 {
		var keys [4]key // zeroing all of them would cost more than the rest
		s.sortBy(keys[:s.m])
		return
	}
	var keys [MaxNodes]key
	s.sortBy(keys[:s.m])
}

func (s *search) sortBy(keys []key) {
	for i := range keys {
		keys[i] = s.keyOf(&s.h.Cells[i], coresOf(&s.h.Cells[i]))
	}
	for i := 1; i < len(keys); i++ {
		for j := i; j > 0 && keys[s.order[j]].before(&keys[s.order[j-1]]); j-- {
			s.order[j], s.order[j-1] = s.order[j-1], s.order[j]
		}
	}
}

// key of a node in the order of trial: less is earlier, the first figure counts most.
type key [3]int64

func (k *key) before(other *key) bool {
	for i := range k {
		if k[i] != other[i] {
			return k[i] < other[i]
		}
	}
	return false
}

func (s *search) keyOf(c *HostCell, l *cores) key {
	if s.rules != Nova {
		return key{int64(c.ID)}
	}
	devices := int64(0)
	for p := range s.h.Pools {
		if s.h.Pools[p].Node == c.ID {
			devices += int64(s.h.Pools[p].Free)
		}
	}
	if s.devices {
		devices = -devices
	}
	cpus := int64(c.CPUUsage)
	if s.pinned {
		cpus = -int64(l.numFree(c))
	}
	memory := c.MemoryUsage - c.Memory
	if s.h.PackNodes {
		cpus, memory = -cpus, -memory
	}
	return key{devices, cpus, memory}
}

// classify puts the nodes into classes of rising cost. Nova knows one class: the
// order says all. With the other rules a preferred vSwitch counts most; then VMs
// without devices keep off the nodes that have some, and, by the document, those
// whose devices may be far keep to nodes that have such devices.
func (s *search) classify() {
	s.classes[0] = span(s.m)
	if s.rules == Nova {
		return
	}
	s.classes = [4]uint64{}
	for p := range s.m {
		s.classes[s.class(&s.h.Cells[s.order[p]])] |= 1 << p
	}
}

// class of a node: 2 is without a vSwitch that is preferred, 1 the wrong one as to devices.
func (s *search) class(c *HostCell) int {
	class := 0
	if s.r.VSwitchAffinity == Preferred && !c.VSwitch {
		class = 2
	}
	if !s.devices && s.h.hasDevices(c.ID) || s.relaxed && s.rules == HCG40 && !s.hasPreferred(c.ID) {
		class++
	}
	return class
}

// costs of the classes: one node without a vSwitch is worse than any number of
// the wrong nodes as to devices.
func (s *search) costs(class int) int { return class>>1*(s.n+1) + class&1 }

func (h *Host) hasDevices(node int) bool {
	for i := range h.Pools {
		if h.Pools[i].Node == node && h.Pools[i].Total > 0 {
			return true
		}
	}
	return false
}

// hasPreferred reports whether a device is free on the node of a kind that the VM
// prefers to have near.
func (s *search) hasPreferred(node int) bool {
	for i := range s.r.Devices {
		q := &s.r.Devices[i]
		if q.Policy != Preferred || q.Count <= 0 {
			continue
		}
		for k := range s.h.Pools {
			if p := &s.h.Pools[k]; p.Kind == q.Kind && p.Node == node && p.Free > 0 {
				return true
			}
		}
	}
	return false
}

// span is the mask of the first n bits.
func span(n int) uint64 { return 1<<n - 1 }
