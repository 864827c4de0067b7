package cloud

import (
	"cmp"
	"math"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/whatif"
	"plimsoll.dev/unit"
)

// Names of resources that are no pages or devices.
const (
	dedicatedCPUs = "dedicated CPUs"
	floatingVCPUs = "floating vCPUs"
	localDisk     = "ephemeral-storage"
)

// amounts of one host by resource.
type amounts map[string]struct{ has, used int64 }

func (a amounts) add(name string, has, used int64) {
	v := a[name]
	v.has += has
	v.used += used
	a[name] = v
}

// amountsOf are what a host of a state has and what is in use.
func (r *run) amountsOf(id int32) amounts {
	state := &r.states.list[id]
	h, out := state.host, amounts{}
	floating, limit := int64(h.FloatingVCPUs), 0.0
	for i := range h.Cells {
		c := &h.Cells[i]
		out.add(dedicatedCPUs, int64(c.Dedicated.Len()), int64(c.Pinned.Len()))
		floating += int64(c.CPUUsage)
		if r.c.rules == nova.Nova {
			limit += float64(c.Shared.Len()) * h.CPUAllocationRatio
		} else {
			limit += float64(c.Dedicated.Minus(c.Pinned).Len()+floatsOnShared(r.c.rules, c)) * h.CPUAllocationRatio
		}
		for _, p := range c.Pages {
			size := int64(unit.Bytes(p.Size) * unit.KiB)
			out.add(resourceOf(p.Size), (p.Total-p.Reserved)*size, p.Used*size)
		}
	}
	out.add(resourceOf(int64(smallPage/unit.KiB)), 0, int64(unit.Bytes(h.FloatingMemory)*unit.MiB))
	if r.c.floats() {
		out.add(floatingVCPUs, int64(math.Floor(limit)), floating)
	}
	for _, p := range h.Pools {
		out.add(p.Kind, int64(p.Total), int64(p.Total-p.Free))
	}
	if ht := r.c.typeAt(state.typeInZone); !ht.diskUnstated && ht.backing != backingRemote {
		out.add(localDisk, ht.disk, state.used.disk)
	}
	return out
}

// floatsOnShared is how many CPUs of a node's shared core VMs float on, beside what is
// not pinned: only the document lets them.
func floatsOnShared(rules nova.Rules, c *nova.HostCell) int {
	if rules != nova.HCG40 {
		return 0
	}
	return c.SharedVCPU.Len()
}

// floats reports whether any VM has vCPUs that float.
func (c *Cloud) floats() bool {
	return slices.ContainsFunc(c.specs, func(rs requestSpec) bool { return cpuPolicy(rs.request) != nova.Dedicated })
}

// resources sum up the cloud, and what is stranded: free on hosts where no VM of
// any type fits any more.
func (r *run) resources() {
	total := whatif.NewTotals()
	for _, id := range r.s.live {
		hosts := r.s.sets[id].size()
		full := r.full(id)
		lack := ""
		if full {
			lack = r.lacks(id)
		}
		for name, v := range r.amountsOf(id) {
			total.Add(name, v.has, v.used, hosts)
			if full {
				total.Strand(name, v.has-v.used, hosts, lack)
			}
		}
	}
	r.p.Resources = stated(total)
}

// stated are the totals of what there is.
func stated(t *whatif.Totals) []v1alpha1.ClusterResource {
	none := func(r v1alpha1.ClusterResource) bool { return r.Allocatable == 0 && r.Requested == 0 }
	return slices.DeleteFunc(t.List(inOrder), none)
}

// inOrder sorts CPUs before memory, huge pages, devices and disks.
func inOrder(a, b string) int {
	place := func(name string) int {
		switch {
		case name == dedicatedCPUs:
			return 0
		case name == floatingVCPUs:
			return 1
		case name == "memory":
			return 2
		case len(name) > 9 && name[:9] == "hugepages":
			return 3
		case name == localDisk:
			return 5
		}
		return 4
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), cmp.Compare(a, b))
}

// lacks is what most VMs lack on a host of a state that is full.
func (r *run) lacks(id int32) string {
	short := map[string]int{}
	for spec := range r.c.specs {
		w := r.whyNotState(id, spec)
		if w.filter == "" && len(w.reasons) > 0 {
			short[tests[w.reasons[0].Test].lacking]++
		}
	}
	return whatif.Most(short, "")
}
