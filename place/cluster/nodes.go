package cluster

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/node"
	"plimsoll.dev/place/machine"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/unit"
)

// Unstated is the capacity of what the scenario does not state: it never binds.
const Unstated = int64(1) << 52

// nodes makes the single nodes: those of the snapshot, or of the pools.
func (b *builder) nodes() {
	if b.live() {
		b.snapshotNodes()
	} else {
		for _, p := range b.Pools {
			b.pool(p)
		}
	}
	b.domains()
}

// live reports whether the nodes are those of a snapshot.
func (b *builder) live() bool { return b.Snapshot != nil && len(b.Snapshot.Nodes) > 0 }

// pool makes the nodes of a pool, each with its name and its place in the
// domains, which the nodes of all pools take in turn.
func (b *builder) pool(p v1alpha1.PoolDecision) {
	index, ok := b.types[p.Type]
	if !ok || p.Count == 0 {
		return
	}
	t := b.Scenario.Hardware.NodeTypes[index]
	domains := b.domainsOf(t)
	room := b.allocatable(index, t, p.HugePages)
	of := b.addType(t, p.HugePages)
	prefix := machine.Prefix(t.Name)
	for range p.Count {
		b.made[prefix]++
		n := scheduler.Node{Name: machine.Name(prefix, b.made[prefix]-1), Taints: t.Taints, Allocatable: room,
			Labels: node.Labels(t)}
		n.Labels[v1alpha1.HostnameLabel] = n.Name
		for key, values := range domains {
			if _, stated := t.Labels[key]; !stated {
				n.Labels[key] = machine.DomainValue(key, b.turns[key]%values)
				b.turns[key]++
			}
		}
		b.c.Nodes, b.c.Of = append(b.c.Nodes, n), append(b.c.Of, of)
	}
}

// domainsOf are the labels that the machines of a type take in turn.
func (b *builder) domainsOf(t v1alpha1.NodeType) map[string]int {
	domains := maps.Clone(t.Domains)
	if zones := b.Scenario.Policy.Zones; zones > 1 && domains[scheduler.ZoneLabel] == 0 {
		if domains == nil {
			domains = map[string]int{}
		}
		domains[scheduler.ZoneLabel] = zones
	}
	return domains
}

// allocatable is what a node of the type offers to the scheduler, DaemonSets
// included, scaled up by the overcommit.
func (b *builder) allocatable(index int, t v1alpha1.NodeType, pages map[string]int64) scheduler.Resources {
	var book derive.Book
	sized := pageSizes(t, pages)
	room := node.Measure(&book, b.o, node.Input{Index: index, Type: t, HugePages: sized,
		SystemPods: b.o.Value("policy.systemPodsPerNode", float64(b.Scenario.Policy.SystemPodsPerNode), "pods")})
	r := scheduler.Resources{Pods: room.Pods.Int(), EphemeralStorage: cmp.Or(int64(t.Disk), Unstated)}
	cpu := room.CPUAllocatable.Number
	if kept := reservedCPUs(t); kept > 0 {
		cpu = room.CPUCapacity.Number - 1000*float64(kept) // in place of what both reservations say
	}
	r.CPU, r.Memory = b.over.Room(cpu, room.MemoryAllocatable.Number)
	for size, n := range sized {
		setScalar(&r, hugePages+size, int64(n))
	}
	for name, n := range t.Devices {
		setScalar(&r, name, n)
	}
	b.limits(&r)
	return r
}

// reservedCPUs is the number of CPUs in reservedSystemCPUs.
func reservedCPUs(t v1alpha1.NodeType) int {
	if t.Kubelet == nil {
		return 0
	}
	set, err := unit.ParseCPUSet(t.Kubelet.ReservedSystemCPUs)
	if err != nil {
		return 0
	}
	return set.Len()
}

// pageSizes are a node's huge pages as memory: as stated, or as the plan decided.
func pageSizes(t v1alpha1.NodeType, pages map[string]int64) map[string]unit.Bytes {
	if t.HugePages != nil || len(pages) == 0 {
		return t.HugePages
	}
	sized := map[string]unit.Bytes{}
	for size, n := range pages {
		if each, err := unit.ParseBytes(size); err == nil {
			sized[size] = each * unit.Bytes(n)
		}
	}
	return sized
}

// snapshotNodes takes the nodes as they are. Those that are not ready take no
// pods, as the scheduler sees by their taint.
func (b *builder) snapshotNodes() {
	of := map[string]int{}
	for _, n := range b.Snapshot.Nodes {
		index, known := of[n.Type]
		if !known {
			t := v1alpha1.NodeType{Name: n.Type}
			if i, ok := b.types[n.Type]; ok {
				t = b.Scenario.Hardware.NodeTypes[i]
			}
			index = b.addType(t, nil)
			of[n.Type] = index
		}
		b.c.Nodes = append(b.c.Nodes, scheduler.Node{Name: n.Name, Labels: n.Labels, Taints: n.Taints,
			Unschedulable: n.Unschedulable, Images: n.Images, Allocatable: b.attachable(n)})
		b.c.Of = append(b.c.Of, index)
	}
}

// attachable are the resources of a node of the snapshot, with the volumes that it can
// attach of each driver that pods use: all, where it says nothing.
func (b *builder) attachable(n v1alpha1.Node) scheduler.Resources {
	r := b.resources(n.Allocatable)
	for _, k := range b.c.Kinds {
		for name := range k.Pod.Request.Scalar {
			if driver, ok := strings.CutPrefix(name, scheduler.AttachLimit); ok {
				left, limited := n.VolumeLimits[driver]
				if !limited {
					left = Unstated
				}
				setScalar(&r, name, max(0, left))
			}
		}
	}
	return r
}

// resources are amounts by name, scaled up by the overcommit.
func (b *builder) resources(by map[string]int64) scheduler.Resources {
	var r scheduler.Resources
	r.EphemeralStorage = Unstated
	for name, n := range by {
		switch name {
		case "cpu":
			r.CPU, _ = b.over.Room(float64(n), 0)
		case "memory":
			_, r.Memory = b.over.Room(0, float64(n))
		case "ephemeral-storage":
			r.EphemeralStorage = n
		case "pods":
			r.Pods = n
		default:
			setScalar(&r, name, n)
		}
	}
	b.limits(&r)
	return r
}

// addType remembers a kind of node, and returns its index.
func (b *builder) addType(t v1alpha1.NodeType, pages map[string]int64) int {
	for i, known := range b.c.Types {
		if known.Name == t.Name {
			return i
		}
	}
	k := Type{Name: t.Name}
	if k.Pinned = pinned(t); k.Pinned {
		b.machine(&k, t, pages)
	}
	b.c.Types = append(b.c.Types, k)
	return len(b.c.Types) - 1
}

// domains are the label keys that at least two nodes have in common, and whose
// values differ: what fails together. Where the policy states that a zone may fail, the
// zone is one of them also when each has one node, or all are in one.
func (b *builder) domains() {
	keys := map[string]bool{scheduler.ZoneLabel: true}
	for _, t := range b.Scenario.Hardware.NodeTypes {
		for key := range t.Domains {
			keys[key] = true
		}
	}
	for key := range keys {
		values := map[string]bool{}
		for _, n := range b.c.Nodes {
			if v, ok := n.Labels[key]; ok {
				values[v] = true
			}
		}
		asked := key == scheduler.ZoneLabel && b.Scenario.Policy.SurviveZoneLoss && len(values) > 0
		if asked || len(values) > 1 && len(values) < len(b.c.Nodes) {
			b.c.Domains = append(b.c.Domains, key)
		}
	}
	slices.Sort(b.c.Domains)
}
