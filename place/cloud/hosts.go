package cloud

import (
	"cmp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// likeness is equal for hosts that a reader need not tell apart.
type likeness struct {
	state int32
	vms   int
}

func (r *run) likeness(host int32) likeness { return likeness{r.s.of[host], len(r.s.vms[host])} }

// hostList tells the hosts, equal ones without a map as one.
func (r *run) hostList() {
	at := map[likeness]int{}
	full := map[int32]bool{}
	for host := range r.c.hosts {
		h := int32(host)
		key := r.likeness(h)
		if k, ok := at[key]; ok && r.machines[h] == 0 {
			r.p.Hosts[k].Count++
			continue
		}
		out := r.host(h)
		isFull, known := full[key.state]
		if !known {
			isFull = r.full(key.state)
			full[key.state] = isFull
		}
		out.Full = isFull
		if out.Machine == 0 {
			at[key] = len(r.p.Hosts)
		}
		r.p.Hosts = append(r.p.Hosts, out)
	}
}

func (r *run) host(host int32) v1alpha1.PlacedHost {
	id := r.s.of[host]
	b := &r.c.typesInZones[r.states.list[id].typeInZone]
	out := v1alpha1.PlacedHost{Name: r.c.hostName(host), Count: 1, Type: r.c.hostTypes[b.hostType].node.Name, Zone: b.zone,
		VMs: len(r.s.vms[host]), Machine: r.machines[host]}
	h := r.states.list[id].host
	for i := range h.Cells {
		out.Nodes = append(out.Nodes, r.hostNode(h, &h.Cells[i]))
	}
	return out
}

func (r *run) hostNode(h *nova.Host, c *nova.HostCell) v1alpha1.HostNode {
	n := v1alpha1.HostNode{ID: c.ID, Dedicated: c.Dedicated.Len(), Pinned: c.Pinned.Len(),
		Shared: c.Shared.Minus(c.Pinned).Len() + floatsOnShared(r.c.rules, c), VCPUs: c.CPUUsage}
	for _, p := range c.Pages {
		size := unit.Bytes(p.Size) * unit.KiB
		n.Pools = append(n.Pools, v1alpha1.PagePool{PageSize: size, Total: size * unit.Bytes(p.Total),
			Used: size * unit.Bytes(p.Used)})
	}
	for _, p := range h.Pools {
		if p.Node == c.ID {
			n.Devices = append(n.Devices, v1alpha1.DevicePool{Kind: p.Kind, Total: p.Total, Used: p.Total - p.Free})
		}
	}
	return n
}

// full reports whether no VM of any type fits any more on the hosts of a state.
func (r *run) full(id int32) bool {
	for spec := range r.c.specs {
		if r.states.takes(id, spec) {
			return false
		}
	}
	return len(r.c.specs) > 0
}

// mostMachines is the most hosts whose machine is drawn.
const mostMachines = 8

// machineMaps draw the machines of the hosts that tell most: those with the most
// different VMs, one of each that are equal.
func (r *run) machineMaps() {
	seen := map[likeness]bool{}
	var hosts []int32
	for host := range r.c.hosts {
		if h := int32(host); len(r.s.vms[h]) > 0 && !seen[r.likeness(h)] {
			seen[r.likeness(h)] = true
			hosts = append(hosts, h)
		}
	}
	kinds := make(map[int32]int, len(hosts))
	for _, h := range hosts {
		list := slices.Clone(r.s.vms[h])
		slices.Sort(list)
		kinds[h] = len(slices.Compact(list))
	}
	slices.SortFunc(hosts, func(a, b int32) int {
		return cmp.Or(cmp.Compare(kinds[b], kinds[a]), cmp.Compare(len(r.s.vms[b]), len(r.s.vms[a])), cmp.Compare(a, b))
	})
	hosts = hosts[:min(len(hosts), mostMachines)]
	slices.Sort(hosts)
	for _, h := range hosts {
		r.p.Machines = append(r.p.Machines, r.machine(h))
		r.machines[h] = len(r.p.Machines)
	}
}
