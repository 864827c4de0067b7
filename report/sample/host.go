package sample

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// use says what CPUs are for that are no VM's.
func (m *machine) use(use, cpus string) {
	m.thread(cpusOf(cpus), func(t *v1alpha1.ThreadMap) { t.Use = use })
}

// pool gives a NUMA node pages of which some are kept back.
func (m *machine) pool(numa int, resource string, total, reserved unit.Bytes) {
	m.NUMANodes[numa].Memory = append(m.NUMANodes[numa].Memory, v1alpha1.NUMAMemory{Resource: resource, Total: int64(total), Reserved: int64(reserved)})
}

// port is a network port that the vSwitch has.
func (m *machine) port(numa int, id string) {
	m.NUMANodes[numa].Devices = append(m.NUMANodes[numa].Devices, v1alpha1.DeviceMap{Resource: "data", ID: id, Use: "vswitch"})
}

// float lets VMs float over the CPUs of a NUMA node that are still free.
func (m *machine) float(numa int) {
	for _, c := range m.NUMANodes[numa].Cores {
		for i := range c.Threads {
			if c.Threads[i].Use == "free" {
				c.Threads[i].Use = "floating"
			}
		}
	}
}

// cell is a virtual NUMA node with vCPUs from first on that are pinned to CPUs.
func cell(number, node, first int, memory unit.Bytes, cpus ...int) v1alpha1.PlacedCell {
	c := v1alpha1.PlacedCell{Cell: number, Node: node, Memory: memory, PageSize: 2 * unit.MiB}
	for i, cpu := range cpus {
		c.Pins = append(c.Pins, v1alpha1.PinnedCPU{VCPU: first + i, CPU: cpu})
	}
	return c
}

// run makes a VM an owner: what it says that it has is what the machine says.
func (m *machine) run(s v1alpha1.PlacedServer) {
	o := v1alpha1.Owner{Server: s.Name}
	index := len(m.Owners) + 1
	for _, c := range s.Cells {
		for _, p := range c.Pins {
			if !p.Shared {
				o.CPUs.Add(p.CPU)
			}
		}
		o.Affinity = append(o.Affinity, c.Node)
		m.thread(c.Idle, func(t *v1alpha1.ThreadMap) { t.Use, t.Owner = "idle", index })
	}
	m.thread(o.CPUs, func(t *v1alpha1.ThreadMap) { t.Use, t.Owner = "exclusive", index })
	m.Owners = append(m.Owners, o)
	for _, c := range s.Cells {
		m.memory(pagesOf(c.PageSize), c.Node, c.Memory)(&m.Owners[index-1], index)
	}
	for _, d := range s.Devices {
		m.takes(d.Kind, m.freeDevices(d)...)(&m.Owners[index-1], index)
	}
}

func pagesOf(size unit.Bytes) string { return "hugepages-" + size.String() }

// freeDevices are the first that nobody has.
func (m *machine) freeDevices(d v1alpha1.PlacedDevice) []string {
	var out []string
	for _, x := range m.NUMANodes[d.Node].Devices {
		if x.Resource == d.Kind && x.Owner == 0 && len(out) < d.Count {
			out = append(out, x.ID)
		}
	}
	return out
}

// host is the machine in numbers.
func (m *machine) host(zone string, count int) v1alpha1.PlacedHost {
	h := v1alpha1.PlacedHost{Name: m.Node, Count: count, Type: m.Type, Zone: zone, VMs: len(m.Owners)}
	for _, n := range m.NUMANodes {
		x := v1alpha1.HostNode{ID: n.ID, Pools: []v1alpha1.PagePool{}}
		for _, c := range n.Cores {
			for _, t := range c.Threads {
				switch t.Use {
				case "exclusive", "idle":
					x.Dedicated, x.Pinned = x.Dedicated+1, x.Pinned+1
				case "free":
					x.Dedicated++
				case "floating": // what is not pinned floats, and can be pinned
					x.Dedicated, x.Shared = x.Dedicated+1, x.Shared+1
				}
			}
		}
		for _, p := range n.Memory {
			size, err := unit.ParseBytes(p.Resource[len("hugepages-"):])
			if err != nil {
				panic("sample: " + err.Error())
			}
			used := int64(0)
			for _, u := range p.Used {
				used += u.Size
			}
			if p.Total > p.Reserved {
				x.Pools = append(x.Pools, v1alpha1.PagePool{PageSize: size, Total: unit.Bytes(p.Total - p.Reserved), Used: unit.Bytes(used)})
			}
		}
		for _, d := range n.Devices {
			i := slices.IndexFunc(x.Devices, func(p v1alpha1.DevicePool) bool { return p.Kind == d.Resource })
			if d.Use != "" {
				continue
			}
			if i < 0 {
				i = len(x.Devices)
				x.Devices = append(x.Devices, v1alpha1.DevicePool{Kind: d.Resource})
			}
			x.Devices[i].Total++
			if d.Owner > 0 {
				x.Devices[i].Used++
			}
		}
		h.Nodes = append(h.Nodes, x)
	}
	return h
}

// cloudResources sums up hosts; what is free on full ones is stranded.
func cloudResources(hosts []v1alpha1.PlacedHost) []v1alpha1.ClusterResource {
	var out []v1alpha1.ClusterResource
	add := func(h v1alpha1.PlacedHost, name string, total, used int64) {
		i := slices.IndexFunc(out, func(r v1alpha1.ClusterResource) bool { return r.Resource == name })
		if i < 0 {
			i = len(out)
			out = append(out, v1alpha1.ClusterResource{Resource: name})
		}
		r, n := &out[i], int64(h.Count)
		r.Allocatable, r.Requested = r.Allocatable+total*n, r.Requested+used*n
		if h.Full && total > used && name != "dedicated CPUs" {
			r.Stranded, r.By = r.Stranded+(total-used)*n, "dedicated CPUs"
		}
	}
	for _, h := range hosts {
		for _, n := range h.Nodes {
			add(h, "dedicated CPUs", int64(n.Dedicated), int64(n.Pinned))
			for _, p := range n.Pools {
				add(h, pagesOf(p.PageSize), int64(p.Total), int64(p.Used))
			}
		}
	}
	for _, h := range hosts {
		for _, n := range h.Nodes {
			for _, d := range n.Devices {
				add(h, d.Kind, int64(d.Total), int64(d.Used))
			}
		}
	}
	return out
}

// serverPlacement sums up VMs and hosts, so that all numbers agree.
func serverPlacement(name, description, rules string, types []v1alpha1.ServerOutcome, servers []v1alpha1.PlacedServer, hosts []v1alpha1.PlacedHost) *v1alpha1.ServerPlacement {
	p := &v1alpha1.ServerPlacement{PlacementHead: v1alpha1.PlacementHead{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindServerPlacement,
		Metadata: v1alpha1.Metadata{Name: name, Description: description}, Platform: v1alpha1.Platform{Type: "helion", Release: "4.0"},
		Rules: []string{rules}}, ServerTypes: types, Servers: servers, Hosts: hosts, Resources: cloudResources(hosts)}
	count, wanted := 0, 0
	for _, h := range hosts {
		count += h.Count
	}
	for _, s := range servers {
		p.ServerTypes[s.ServerType].Placed++
	}
	for i := range p.ServerTypes {
		o := &p.ServerTypes[i]
		o.Refused = o.Wanted - o.Placed
		wanted += o.Wanted
	}
	p.Verdict = v1alpha1.PlacementVerdict{Fits: wanted == len(servers), Summary: fmt.Sprintf("%d of %d VMs run on %d hosts", len(servers), wanted, count)}
	if count == 1 {
		p.Verdict.Summary = fmt.Sprintf("%d of %d VMs run on 1 host", len(servers), wanted)
	}
	return p
}
