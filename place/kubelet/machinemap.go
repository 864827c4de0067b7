package kubelet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/place/kubelet/memory"
	"plimsoll.dev/place/machine"
	"plimsoll.dev/podres"
	"plimsoll.dev/unit"
)

// How a thread is used, in a machine map.
const (
	useReserved  = "reserved"
	useShared    = "shared"
	useExclusive = "exclusive"
)

// Map shows who owns what of the machine, after the next pass over stale state.
// The node's and the type's name are left to the caller.
func (n *Node) Map() v1alpha1.MachineMap {
	n.sweep()
	m := &n.s.machine
	b := mapper{Node: n, cpus: map[int]int{}, devices: map[deviceName]int{}}
	b.out.Layout, b.out.Policies = m.String(), n.policies()
	for _, p := range n.running() {
		b.pod(p)
	}
	for i := range m.Nodes {
		b.out.NUMANodes = append(b.out.NUMANodes, b.node(i))
	}
	return b.out
}

// policies in one line, with the options that are set.
func (n *Node) policies() string {
	c := &n.s.config
	topology := c.TopologyManagerPolicy
	if topology != topologyNone {
		topology += " per " + c.TopologyManagerScope + optionText(c.TopologyManagerPolicyOptions)
	}
	return fmt.Sprintf("CPU manager %s%s, memory manager %s, topology manager %s",
		c.CPUManagerPolicy, optionText(c.CPUManagerPolicyOptions), c.MemoryManagerPolicy, topology)
}

func optionText(options map[string]string) string {
	var set []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		switch options[name] {
		case "true":
			set = append(set, name)
		case "false":
		default:
			set = append(set, name+"="+options[name])
		}
	}
	if len(set) == 0 {
		return ""
	}
	return " (" + strings.Join(set, ", ") + ")"
}

// deviceName is a device's resource and id.
type deviceName [2]string

// mapper builds a machine map.
type mapper struct {
	*Node
	out     v1alpha1.MachineMap
	cpus    map[int]int        // owner by CPU
	devices map[deviceName]int // owner by device
	blocks  []ownedBlock
}

// ownedBlock is memory, as far as it has not been laid on nodes yet.
type ownedBlock struct {
	owner int
	memory.Block
}

// pod adds the containers of a pod that own something.
func (b *mapper) pod(p *pod) {
	for i, got := range b.allocations(p) {
		o := v1alpha1.Owner{Pod: p.name(), Container: got.Container, QOSClass: p.class.qos,
			CPUs: got.CPUs, Affinity: got.Affinity, Devices: got.Devices}
		owner := len(b.out.Owners) + 1
		p.memory.Blocks(i, func(block memory.Block) {
			if block.Size == 0 {
				return
			}
			o.Memory = append(o.Memory, fmt.Sprintf("%s %s on %s", block.Type, unit.Bytes(block.Size),
				b.s.nodeList(block.Nodes)))
			b.blocks = append(b.blocks, ownedBlock{owner, block})
		})
		if o.CPUs.IsEmpty() && o.Memory == nil && o.Devices == nil {
			continue
		}
		b.out.Owners = append(b.out.Owners, o)
		for cpu := range o.CPUs.All() {
			b.cpus[cpu] = owner
		}
		for resource, ids := range o.Devices {
			for _, id := range ids {
				b.devices[deviceName{resource, id}] = owner
			}
		}
	}
}

// name of a pod for people.
func (p *pod) name() string { return p.named(p.cpu.UID) }

func (p *pod) named(uid string) string {
	switch own := &p.class.pod; {
	case own.Name == "":
		return uid
	case own.Namespace == "":
		return own.Name
	default:
		return own.Namespace + "/" + own.Name
	}
}

// nodeList is a set of nodes by their ids: "0,2".
func (s *setup) nodeList(nodes hint.Mask) string { return strings.Join(s.nodeNumbers(nodes), ",") }

// node shows one NUMA node.
func (b *mapper) node(i int) v1alpha1.NUMAMap {
	m := &b.s.machine
	out := machine.NUMAMap(m, m.Nodes[i].ID, b.thread)
	for _, name := range b.memoryTypes() {
		out.Memory = append(out.Memory, b.memoryOf(i, name))
	}
	for _, d := range m.Devices {
		if slices.Contains(d.Nodes, out.ID) || len(d.Nodes) == 0 && i == 0 {
			out.Devices = append(out.Devices,
				v1alpha1.DeviceMap{Resource: d.Resource, ID: d.ID, Owner: b.devices[deviceName{d.Resource, d.ID}]})
		}
	}
	return out
}

func (b *mapper) thread(cpu int) v1alpha1.ThreadMap {
	t := v1alpha1.ThreadMap{CPU: cpu, Use: useShared, Owner: b.cpus[cpu]}
	switch {
	case t.Owner > 0:
		t.Use = useExclusive
	case b.Reserved().Has(cpu):
		t.Use = useReserved
	}
	return t
}

// memoryTypes are memory and the sizes of huge pages of the machine.
func (b *mapper) memoryTypes() []string {
	names := []string{podres.Memory}
	for _, s := range b.s.capacity.scalars {
		if strings.HasPrefix(s.name, podres.HugePages) {
			names = append(names, s.name)
		}
	}
	return names
}

// memoryOf shows one type of memory on a node. The kubelet books what a group of
// nodes gives out from the lowest node up and does not say whose it is; it is laid
// on the owners in the same way, after what only this node can have given.
func (b *mapper) memoryOf(i int, name string) v1alpha1.NUMAMemory {
	out := v1alpha1.NUMAMemory{Resource: name, Total: memory.Total(&b.s.machine.Nodes[i], name)}
	if b.memory == nil {
		out.Unassigned = true
		return out
	}
	out.Reserved = out.Total - b.memory.Allocatable(name, i)
	used := b.memory.Allocatable(name, i) - b.memory.Free(name, i)
	for _, alone := range []bool{true, false} {
		for j := range b.blocks {
			block := &b.blocks[j]
			part := min(block.Size, used)
			if block.Type != name || block.Nodes>>i&1 == 0 || (block.Nodes == 1<<i) != alone || part == 0 {
				continue
			}
			out.Used = append(out.Used, v1alpha1.OwnedMemory{Owner: block.owner, Size: part})
			block.Size -= part
			used -= part
		}
	}
	slices.SortFunc(out.Used, func(a, b v1alpha1.OwnedMemory) int { return a.Owner - b.Owner })
	return out
}
