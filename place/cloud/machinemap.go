package cloud

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/machine"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/unit"
)

// mapper draws the machine of a host.
type mapper struct {
	run      *run
	hostType *hostType
	out      v1alpha1.MachineMap
	// own and idle are owners by CPU, from 1.
	own, idle map[int]int
	// memory is what owners have of a node's pages of a size in KiB.
	memory map[pageKind][]v1alpha1.OwnedMemory
	// taken counts the devices of a pool that have an owner.
	taken map[int][]int
}

type pageKind struct {
	node int
	size int64
}

// machine shows who owns what on a host.
func (r *run) machine(host int32) v1alpha1.MachineMap {
	ht := r.c.typeOf(int(host))
	m := mapper{run: r, hostType: ht, own: map[int]int{}, idle: map[int]int{},
		memory: map[pageKind][]v1alpha1.OwnedMemory{}, taken: map[int][]int{}}
	m.out = v1alpha1.MachineMap{Node: r.c.hostName(host), Type: ht.node.Name, Layout: ht.machine.String(),
		Policies: "rules " + string(r.c.rules) + "; " + r.c.ratios(ht)}
	names := r.names(host)
	h := r.replay(host, func(nth int, k int32, at *vmPlace) {
		m.owner(names[nth], r.c.request(k), at.before, at.fit)
	})
	for i := range h.Cells {
		m.out.NUMANodes = append(m.out.NUMANodes, m.node(h, i))
	}
	return m.out
}

// names of the VMs on a host, in the order in which they came.
func (r *run) names(host int32) []string {
	var names []string
	for _, v := range r.running {
		if v.host == host {
			names = append(names, r.name(v))
		}
	}
	return names
}

// owner adds a VM with what it has of its own.
func (m *mapper) owner(name string, q *nova.Request, h *nova.Host, fit *nova.Fit) {
	o := v1alpha1.Owner{Server: name}
	n := len(m.out.Owners) + 1
	for i := range fit.Cells {
		c := &fit.Cells[i]
		for _, p := range c.Pins {
			if p.VCPU != q.SharedVCPU {
				o.CPUs.Add(p.CPU)
			}
		}
		o.CPUs = o.CPUs.Union(c.Reserved)
		for cpu := range c.Idle.All() {
			m.idle[cpu] = n
		}
		o.Affinity = append(o.Affinity, c.Node)
		size := cmp.Or(c.PageSize, int64(smallPage/unit.KiB))
		bytes := int64(unit.Bytes(q.Cells[i].Memory) * unit.MiB)
		key := pageKind{c.Node, size}
		m.memory[key] = append(m.memory[key], v1alpha1.OwnedMemory{Owner: n, Size: bytes})
		o.Memory = append(o.Memory, fmt.Sprintf("%s %s on %d", resourceOf(size), unit.Bytes(bytes), c.Node))
	}
	for cpu := range o.CPUs.All() {
		m.own[cpu] = n
	}
	for _, d := range fit.Devices {
		pool := &h.Pools[d.Pool]
		if o.Devices == nil {
			o.Devices = map[string][]string{}
		}
		for range d.Count {
			o.Devices[pool.Kind] = append(o.Devices[pool.Kind], deviceID(pool, len(m.taken[d.Pool])))
			m.taken[d.Pool] = append(m.taken[d.Pool], n)
		}
	}
	m.out.Owners = append(m.out.Owners, o)
}

// resourceOf is memory in pages of a size in KiB, as a resource's name.
func resourceOf(size int64) string {
	if bytes := unit.Bytes(size) * unit.KiB; bytes > smallPage {
		return "hugepages-" + bytes.String()
	}
	return "memory"
}

// deviceID names the i-th device of a pool.
func deviceID(p *nova.DevicePool, i int) string {
	if p.Node == unknownNode {
		return fmt.Sprintf("%s-%d", p.Kind, i)
	}
	return fmt.Sprintf("%s-%d.%d", p.Kind, p.Node, i)
}

// mostDrawn is the most devices of a kind that are drawn one by one on a node.
const mostDrawn = 512

// node shows one NUMA node.
func (m *mapper) node(h *nova.Host, i int) v1alpha1.NUMAMap {
	c := &h.Cells[i]
	out := machine.NUMAMap(&m.hostType.machine, c.ID, func(cpu int) v1alpha1.ThreadMap { return m.thread(c, cpu) })
	for _, p := range c.Pages {
		out.Memory = append(out.Memory, m.pages(c.ID, i, p))
	}
	for at := range h.Pools {
		pool := &h.Pools[at]
		if pool.Node != c.ID && (pool.Node != unknownNode || i > 0) {
			continue
		}
		for k := range min(pool.Total, mostDrawn) {
			d := v1alpha1.DeviceMap{Resource: pool.Kind, ID: deviceID(pool, k)}
			if k < len(m.taken[at]) {
				d.Owner = m.taken[at][k]
			}
			out.Devices = append(out.Devices, d)
		}
	}
	return out
}

// thread says how a CPU is used. A free one of a node where VMs float over what
// is not pinned is shared.
func (m *mapper) thread(c *nova.HostCell, cpu int) v1alpha1.ThreadMap {
	t := v1alpha1.ThreadMap{CPU: cpu}
	switch use := m.hostType.uses[cpu]; {
	case m.own[cpu] > 0:
		t.Use, t.Owner = useExclusive, m.own[cpu]
	case m.idle[cpu] > 0:
		t.Use, t.Owner = useIdle, m.idle[cpu]
	case use != "":
		t.Use = use
	case m.run.c.rules != nova.Nova && c.CPUUsage > 0:
		t.Use = useFloating
	default:
		t.Use = useFree
	}
	return t
}

// useFree is a CPU for pinned vCPUs that has none.
const useFree = "shared"

// pages shows one pool of pages. What is kept back of the node is told with
// memory without huge pages.
func (m *mapper) pages(node, i int, p nova.PagePool) v1alpha1.NUMAMemory {
	size := int64(unit.Bytes(p.Size) * unit.KiB)
	out := v1alpha1.NUMAMemory{Resource: resourceOf(p.Size), Total: p.Total * size, Reserved: p.Reserved * size,
		Used: slices.Clone(m.memory[pageKind{node, p.Size}])}
	if unit.Bytes(size) == smallPage {
		kept := int64(entry(m.hostType.kept, i))
		out.Total += kept
		out.Reserved += kept
	}
	return out
}
