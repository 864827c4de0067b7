package cloud

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// remedies are single changes of the VM that would give it a place now, each
// tried.
func (r *run) remedies(k int32) []string {
	kd := &r.c.kinds[k]
	t := &trier{run: r, kd: *kd, hosts: r.unlike(kd)}
	q := r.c.asks[kd.ask].request
	var out []string
	for _, m := range changes(q) {
		if t.anyTakes(m.request) {
			out = append(out, m.text)
		}
	}
	for _, text := range []string{t.fewerVCPUs(q), t.lessMemory(q)} {
		if text != "" {
			out = append(out, text)
		}
	}
	return append(out, t.otherPlaces()...)
}

// trier tries changes of a VM of a kind on some hosts.
type trier struct {
	*run
	kd    kind
	hosts []int32
}

// change is a changed request.
type change struct {
	text    string
	request *nova.Request
}

// changes are the single changes that keep the VM's size.
func changes(q *nova.Request) []change {
	var out []change
	add := func(text string, edit func(*nova.Request)) {
		c := copyOf(q)
		edit(c)
		out = append(out, change{text, c})
	}
	if len(q.Cells) > 0 {
		for _, size := range []nova.PageSize{2 * 1024, 1024 * 1024, nova.SmallPages, nova.AnyPages} {
			if size != q.Cells[0].PageSize {
				add("hw:mem_page_size="+pageKey(size), func(c *nova.Request) { setPages(c, size) })
			}
		}
		if slices.ContainsFunc(q.Cells, func(c nova.GuestCell) bool { return c.HostNode >= 0 }) {
			add("no hw:numa_node, so that any NUMA node of the host will do", freeNodes)
		}
		if n := 2 * len(q.Cells); q.VCPUs%n == 0 && q.Memory%int64(n) == 0 {
			add(fmt.Sprintf("hw:numa_nodes=%d", n), func(c *nova.Request) { spreadCells(c, n) })
		}
		if len(q.Cells) > 1 {
			add("hw:numa_nodes=1", func(c *nova.Request) { spreadCells(c, 1) })
		}
	}
	if q.VSwitchAffinity == nova.Required {
		add("hw:wrs:vswitch_numa_affinity=prefer", func(c *nova.Request) { c.VSwitchAffinity = nova.Preferred })
	}
	if slices.ContainsFunc(q.Devices, func(d nova.DeviceRequest) bool { return d.Policy != nova.Preferred }) {
		add("prefer in place of the strict affinity of its devices", func(c *nova.Request) {
			for i := range c.Devices {
				c.Devices[i].Policy = nova.Preferred
			}
		})
	}
	if q.ThreadPolicy == nova.Isolate || q.ThreadPolicy == nova.Require {
		add("no "+q.ThreadPolicy+" (hw:cpu_thread_policy=prefer)", func(c *nova.Request) { c.ThreadPolicy = nova.Prefer })
	}
	if q.EmulatorThreads == nova.EmulatorIsolate {
		add("hw:emulator_threads_policy=share", func(c *nova.Request) { c.EmulatorThreads = nova.EmulatorShare })
	}
	return out
}

func pageKey(size nova.PageSize) string {
	if size > 0 {
		return (unit.Bytes(size) * unit.KiB).String()
	}
	return pageWord(size)
}

func copyOf(q *nova.Request) *nova.Request {
	c := *q
	c.Cells, c.Devices = slices.Clone(q.Cells), slices.Clone(q.Devices)
	return &c
}

func setPages(c *nova.Request, size nova.PageSize) {
	for i := range c.Cells {
		c.Cells[i].PageSize = size
	}
}

func freeNodes(c *nova.Request) {
	for i := range c.Cells {
		c.Cells[i].HostNode = -1
	}
}

// spreadCells divides vCPUs and memory over n virtual NUMA nodes as evenly as
// they go.
func spreadCells(c *nova.Request, n int) {
	old := c.Cells
	var pinned, floating unit.CPUSet
	for i := range old {
		pinned, floating = pinned.Union(old[i].PCPUs), floating.Union(old[i].VCPUs)
	}
	c.Cells = make([]nova.GuestCell, n)
	for i := range c.Cells {
		c.Cells[i] = nova.GuestCell{ID: i, Memory: spreadOver(c.Memory, n, i), PageSize: old[0].PageSize, HostNode: -1}
	}
	i := 0
	for cpu := range pinned.Union(floating).All() {
		cell := &c.Cells[i*n/c.VCPUs]
		if pinned.Has(cpu) {
			cell.PCPUs.Add(cpu)
		} else {
			cell.VCPUs.Add(cpu)
		}
		i++
	}
}

// fewerVCPUs finds the most vCPUs with which a VM of one NUMA node would fit.
func (t *trier) fewerVCPUs(q *nova.Request) string {
	if len(q.Cells) > 1 {
		return ""
	}
	for n := q.VCPUs - 1; n > 0; n-- {
		c := copyOf(q)
		c.VCPUs = n
		for i := range c.Cells {
			c.Cells[i].VCPUs, c.Cells[i].PCPUs = below(c.Cells[i].VCPUs, n), below(c.Cells[i].PCPUs, n)
		}
		if c.SharedVCPU >= n {
			return ""
		}
		if t.anyTakes(c) {
			return plural(n, "vCPU") + " instead of " + count(int64(q.VCPUs))
		}
	}
	return ""
}

func below(set unit.CPUSet, n int) unit.CPUSet {
	for cpu := range set.All() {
		if cpu >= n {
			set.Remove(cpu)
		}
	}
	return set
}

// lessMemory finds the most memory, in steps of 1 GiB, with which a VM of one
// NUMA node would fit.
func (t *trier) lessMemory(q *nova.Request) string {
	const step = 1024
	if len(q.Cells) > 1 {
		return ""
	}
	with := func(n int64) *nova.Request {
		c := copyOf(q)
		c.Memory = n * step
		for i := range c.Cells {
			c.Cells[i].Memory = c.Memory
		}
		return c
	}
	low, high := int64(0), (q.Memory+step-1)/step // fits at low, not at high
	for low+1 < high {
		if mid := (low + high) / 2; t.anyTakes(with(mid)) {
			low = mid
		} else {
			high = mid
		}
	}
	if low == 0 {
		return ""
	}
	return unit.FormatBytes(unit.Bytes(low*step)*unit.MiB) + " of memory instead of " + unit.FormatBytes(unit.Bytes(q.Memory)*unit.MiB)
}

// mostTried is how many unlike hosts a remedy is tried on.
const mostTried = 300

// unlike are hosts that are not alike to VMs of a kind, those with most free CPUs
// first, at most mostTried.
func (r *run) unlike(kd *kind) []int32 {
	var hosts []int32
	r.eachUnlike(kd, func(host int32, _ int) { hosts = append(hosts, host) })
	slices.SortFunc(hosts, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.cl.list[r.s.of[b]].freeCPUs(), r.cl.list[r.s.of[a]].freeCPUs()), cmp.Compare(a, b))
	})
	return hosts[:min(len(hosts), mostTried)]
}

// anyTakes says whether any host takes a VM with a changed request. Zone,
// aggregates, local disks and the group hold as before.
func (t *trier) anyTakes(q *nova.Request) bool {
	a := &t.c.asks[t.kd.ask]
	for _, host := range t.hosts {
		k := &t.cl.list[t.s.of[host]]
		if a.ruledOut[k.base] != "" || t.cl.noDisk(k, a) != "" || t.kd.group >= 0 && t.groupWhy(&t.kd, host) != "" {
			continue
		}
		if t.c.fits(k.host, q) {
			return true
		}
	}
	return false
}

// otherPlaces are what the group, the zone or the aggregates keep the VM from.
func (t *trier) otherPlaces() []string {
	var out []string
	a := t.c.asks[t.kd.ask]
	if t.kd.group >= 0 {
		g := &t.c.groups[t.kd.group]
		free := *t
		free.kd.group = -1
		if (g.Policy == affinity || g.Policy == antiAffinity) && free.anyTakes(a.request) {
			out = append(out, fmt.Sprintf("soft-%s in place of %s in the server group %s", g.Policy, g.Policy, g.Name))
		}
	}
	if a.zone != "" {
		b := a
		b.zone = ""
		if zone, ok := t.elsewhere(&b); ok {
			out = append(out, "the availability zone "+zone)
		}
	}
	if len(a.constraints.Aggregate) > 0 {
		a.constraints.Aggregate = nil
		if _, ok := t.elsewhere(&a); ok {
			out = append(out, "a host outside its aggregate")
		}
	}
	return out
}

// elsewhere is the zone of a host that takes a VM with other constraints.
func (t *trier) elsewhere(a *ask) (zone string, found bool) {
	for _, host := range t.hosts {
		k := &t.cl.list[t.s.of[host]]
		b := &t.c.bases[k.base]
		if t.c.ruledOut(a, b) != "" || t.cl.noDisk(k, a) != "" || t.kd.group >= 0 && t.groupWhy(&t.kd, host) != "" {
			continue
		}
		if t.c.fits(k.host, a.request) && (!found || b.zone < zone) {
			zone, found = b.zone, true
		}
	}
	return zone, found
}
