package nova_test

import (
	"pgregory.net/rapid"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// oneIn is true once in n times.
func oneIn(t *rapid.T, name string, n int) bool {
	numbers := make([]int, n)
	numbers[n-1] = 1
	return rapid.SampledFrom(numbers).Draw(t, name) == 1
}

// drawHost makes a small host, partly in use.
func drawHost(t *rapid.T, rules nova.Rules) *nova.Host {
	number := func(name string, least, most int) int { return rapid.IntRange(least, most).Draw(t, name) }
	h := &nova.Host{
		CPUAllocationRatio: rapid.SampledFrom([]float64{1, 1.5, 4, 16}).Draw(t, "cpuRatio"),
		RAMAllocationRatio: rapid.SampledFrom([]float64{1, 1.5}).Draw(t, "ramRatio"),
		PackNodes:          rapid.Bool().Draw(t, "pack"),
	}
	threads := rapid.SampledFrom([]int{1, 1, 2, 2, 2, 4}).Draw(t, "threads")
	nodes := rapid.SampledFrom([]int{3, 4, 2, 5, 1}).Draw(t, "nodes")
	gap := 0 // now and then ids are 1, 3, 5
	if oneIn(t, "gap", 8) {
		gap = 1
	}
	cpu := 0
	for i := range nodes {
		c := nova.HostCell{ID: i + gap*(i+1), Socket: i / 2, VSwitch: rapid.Bool().Draw(t, "vswitch"),
			Tunneled: oneIn(t, "tunneled", 4)}
		cores := rapid.SampledFrom([]int{4, 2, 6, 3, 1, 5}).Draw(t, "cores")
		if oneIn(t, "uneven", 12) {
			threads = 3 - min(threads, 2)
		}
		for range cores {
			var core unit.CPUSet
			for range threads {
				core.Add(cpu)
				cpu++
			}
			c.Siblings = append(c.Siblings, core)
		}
		drawCPUs(t, rules, &c)
		drawMemory(t, &c)
		if oneIn(t, "physnet", 3) {
			c.Physnets = []string{"physnet0"}
		}
		h.Cells = append(h.Cells, c)
	}
	if oneIn(t, "noSocket", 10) {
		h.Cells[0].Socket = -1
	}
	for range rapid.SampledFrom([]int{4, 5, 3, 2, 0}).Draw(t, "pools") {
		total := rapid.SampledFrom([]int{2, 3, 4, 1, 0}).Draw(t, "total")
		h.Pools = append(h.Pools, nova.DevicePool{
			Kind: rapid.SampledFrom([]string{"vf", "vf", "gpu"}).Draw(t, "kind"),
			Node: rapid.SampledFrom([]int{0, 1, 2, -1, 3, 1}).Draw(t, "node"), Total: total,
			Free: total - min(total, number("inUse", 0, 2))})
	}
	if oneIn(t, "floats", 5) {
		h.FloatingVCPUs, h.FloatingMemory = number("floating", 0, 20), int64(number("floatingMemory", 0, 4))
	}
	return h
}

// drawCPUs divides the node's CPUs, and says which are in use.
func drawCPUs(t *rapid.T, rules nova.Rules, c *nova.HostCell) {
	common := rules != nova.Nova || oneIn(t, "legacy", 4)
	each := rapid.SampledFrom([]string{"dedicated", "dedicated", "mixed", "mixed", "mixed", "shared"}).Draw(t, "division")
	for _, core := range c.Siblings {
		for cpu := range core.All() {
			switch {
			case common:
				c.Dedicated.Add(cpu)
				c.Shared.Add(cpu)
			case each == "dedicated" || each == "mixed" && rapid.Bool().Draw(t, "isDedicated"):
				c.Dedicated.Add(cpu)
			default:
				c.Shared.Add(cpu)
			}
			if c.Dedicated.Has(cpu) && oneIn(t, "pinned", 5) {
				c.Pinned.Add(cpu)
			}
		}
	}
	if oneIn(t, "noSiblings", 10) {
		c.Siblings = nil
	}
	c.CPUUsage = rapid.IntRange(0, 12).Draw(t, "cpuUsage")
	if rules != nova.Nova && rapid.Bool().Draw(t, "sharedCore") {
		c.SharedVCPU = unit.CPUSetOf(900+c.ID, 950+c.ID)
		c.SharedUsage = rapid.SampledFrom([]int{0, 15, 16}).Draw(t, "sharedUsage")
	}
}

func drawMemory(t *rapid.T, c *nova.HostCell) {
	c.Memory = int64(rapid.SampledFrom([]int{16, 12, 20, 8, 3}).Draw(t, "memory"))
	c.MemoryUsage = int64(rapid.IntRange(0, 3).Draw(t, "memoryUsage"))
	if oneIn(t, "noPools", 4) {
		return
	}
	sizes := rapid.SampledFrom([][]int64{{4}, {4, 2048}, {4, 2048}, {4, 2048, 4096}, {2048}}).Draw(t, "sizes")
	for _, size := range sizes {
		total := int64(rapid.SampledFrom([]int{8, 12, 6, 4, 0}).Draw(t, "total")) << 10 / size
		p := nova.PagePool{Size: size, Total: total, Used: int64(rapid.IntRange(0, 2).Draw(t, "used")) << 10 / size}
		if oneIn(t, "reserves", 6) {
			p.Reserved = 1
		}
		c.Pages = append(c.Pages, p)
	}
}

// drawRequest makes a request of up to four cells.
func drawRequest(t *rapid.T, rules nova.Rules, nodes int) *nova.Request {
	pick := func(name string, from ...string) string { return rapid.SampledFrom(from).Draw(t, name) }
	r := &nova.Request{SharedVCPU: -1, CPUPolicy: pick("policy", nova.Dedicated, nova.Dedicated, nova.Mixed, nova.Shared)}
	if rules != nova.Nova && r.CPUPolicy == nova.Mixed {
		r.CPUPolicy = nova.Dedicated
	}
	if r.CPUPolicy != nova.Shared {
		r.ThreadPolicy = pick("thread", "", "", nova.Prefer, nova.Require, nova.Isolate)
		r.EmulatorThreads = pick("emulator", "", "", nova.EmulatorShare, nova.EmulatorIsolate)
	}
	cells := rapid.SampledFrom([]int{2, 1, 2, 3, 1, 3, 4, 0}).Draw(t, "cells")
	if !oneIn(t, "tooMany", 20) {
		cells = min(cells, nodes)
	}
	page := rapid.SampledFrom([]nova.PageSize{0, 0, 0, 4, 2048, nova.SmallPages, nova.LargePages, nova.AnyPages,
		nova.AnyPages, 4096}).Draw(t, "page")
	equal := rapid.Bool().Draw(t, "equal")
	for i := range cells {
		drawCell(t, rules, r, i, equal, page)
	}
	if cells == 0 {
		r.VCPUs, r.Memory = rapid.IntRange(1, 40).Draw(t, "vcpus"), int64(rapid.IntRange(1, 40).Draw(t, "memory"))
		r.CPUPolicy, r.ThreadPolicy, r.EmulatorThreads = nova.Shared, "", ""
	}
	for range rapid.SampledFrom([]int{1, 0, 2, 0}).Draw(t, "requests") {
		r.Devices = append(r.Devices, nova.DeviceRequest{Kind: pick("kind", "vf", "vf", "gpu"),
			Count:  rapid.SampledFrom([]int{1, 1, 1, 2}).Draw(t, "count"),
			Policy: pick("affinity", "", nova.Preferred, nova.Required, nova.Preferred, nova.Legacy, nova.Socket)})
	}
	if oneIn(t, "net", 3) {
		r.Physnets = []string{pick("physnet", "physnet0", "physnet9")}
		r.Tunneled = rapid.Bool().Draw(t, "tunneled")
	}
	if rules != nova.Nova {
		r.VSwitchAffinity = pick("affinity", "", "", nova.Required, nova.Preferred)
		if cells > 0 && oneIn(t, "sharedVCPU", 4) {
			r.SharedVCPU = r.VCPUs
			r.VCPUs++
			r.Cells[0].VCPUs.Add(r.SharedVCPU)
		}
	}
	return r
}

func drawCell(t *rapid.T, rules nova.Rules, r *nova.Request, i int, equal bool, page nova.PageSize) {
	if i > 0 && equal {
		c := nova.GuestCell{ID: i, Memory: r.Cells[0].Memory, PageSize: page, HostNode: r.Cells[0].HostNode}
		for range r.Cells[0].PCPUs.Len() {
			c.PCPUs.Add(r.VCPUs)
			r.VCPUs++
		}
		for range r.Cells[0].VCPUs.Len() {
			c.VCPUs.Add(r.VCPUs)
			r.VCPUs++
		}
		r.Cells, r.Memory = append(r.Cells, c), r.Memory+c.Memory
		return
	}
	c := nova.GuestCell{ID: i, Memory: int64(rapid.SampledFrom([]int{2, 4, 6, 4, 1}).Draw(t, "memory")), PageSize: page,
		HostNode: -1}
	if rules != nova.Nova && oneIn(t, "pins", 6) {
		c.HostNode = rapid.IntRange(0, 2).Draw(t, "hostNode")
	}
	for range rapid.SampledFrom([]int{2, 1, 3, 2, 1, 4, 0}).Draw(t, "vcpus") {
		if r.CPUPolicy == nova.Dedicated || r.CPUPolicy == nova.Mixed && rapid.Bool().Draw(t, "isPinned") {
			c.PCPUs.Add(r.VCPUs)
		} else {
			c.VCPUs.Add(r.VCPUs)
		}
		r.VCPUs++
	}
	r.Cells, r.Memory = append(r.Cells, c), r.Memory+c.Memory
}
