package cloud

import (
	"cmp"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/place/nova/flavor"
)

// Uses of NICs and disks that count here.
const (
	nicData        = "data"
	nicSRIOV       = "sriov"
	nicPassthrough = "passthrough"
	diskLocal      = "local"
)

// unknownNode is the node of a device that does not say where it is.
const unknownNode = -1

// devices makes a pool for each kind of device and NUMA node, and the networks of the nodes.
func (b *builder) devices() {
	count := map[nova.DevicePool]int{}
	for _, name := range slices.Sorted(maps.Keys(b.node.Devices)) {
		left := int(b.node.Devices[name])
		for _, at := range b.node.DeviceNUMANodes[name] {
			if left > 0 {
				count[nova.DevicePool{Kind: name, Node: at}]++
				left--
			}
		}
		if left > 0 {
			count[nova.DevicePool{Kind: name, Node: unknownNode}] += left
		}
	}
	for i := range b.node.NICs {
		b.nic(&b.node.NICs[i], count)
	}
	b.tunnels()
	for _, pool := range slices.SortedFunc(maps.Keys(count), func(a, c nova.DevicePool) int {
		return cmp.Or(cmp.Compare(a.Kind, c.Kind), cmp.Compare(a.Node, c.Node))
	}) {
		if pool.Node != unknownNode && b.cell(pool.Node) == nil {
			b.bad(".deviceNUMANodes", "name a NUMA node that there is", "%s: there is no NUMA node %d", pool.Kind, pool.Node)
		}
		pool.Total, pool.Free = count[pool], count[pool]
		b.empty.Pools = append(b.empty.Pools, pool)
	}
}

func (b *builder) cell(id int) *nova.HostCell {
	for i := range b.empty.Cells {
		if b.empty.Cells[i].ID == id {
			return &b.empty.Cells[i]
		}
	}
	return nil
}

// nic counts what a NIC gives to VMs, and notes the physical networks of its
// NUMA node where these bind VMs.
func (b *builder) nic(n *v1alpha1.NIC, count map[nova.DevicePool]int) {
	at, ports := unknownNode, max(1, n.Count)
	if n.NUMANode != nil {
		at = *n.NUMANode
		if b.cell(at) == nil {
			b.bad(".nics", "name a NUMA node that there is", "%s: there is no NUMA node %d", cmp.Or(n.Name, n.Use), at)
			return
		}
	}
	network := ""
	if len(n.PhysicalNetworks) > 0 {
		network = n.PhysicalNetworks[0]
	}
	switch n.Use {
	case nicSRIOV, nicPassthrough:
		if len(n.PhysicalNetworks) > 1 {
			b.bad(".nics", "one physical network; list the others as NICs of their own",
				"%s: a device belongs to one physical network", cmp.Or(n.Name, n.Use))
		}
		if n.Use == nicPassthrough {
			count[nova.DevicePool{Kind: flavor.PortKind(network), Node: at}] += ports
		} else if n.VirtualFunctions > 0 {
			count[nova.DevicePool{Kind: network, Node: at}] += ports * n.VirtualFunctions
		}
	case nicData:
		if cell := b.cell(at); cell != nil && b.compute.NetworkAffinity {
			for _, name := range n.PhysicalNetworks {
				if !slices.Contains(cell.Physnets, name) {
					cell.Physnets = append(cell.Physnets, name)
				}
			}
		}
	}
}

// tunnels end on the NUMA nodes of data NICs without physical networks; where
// every one carries some, on those of all data NICs. They bind nobody unless the
// operator has named the nodes of networks.
func (b *builder) tunnels() {
	if !b.compute.NetworkAffinity {
		return
	}
	plain := slices.ContainsFunc(b.node.NICs,
		func(n v1alpha1.NIC) bool { return n.Use == nicData && len(n.PhysicalNetworks) == 0 })
	for _, n := range b.node.NICs {
		if n.Use != nicData || n.NUMANode == nil || plain && len(n.PhysicalNetworks) > 0 {
			continue
		}
		if cell := b.cell(*n.NUMANode); cell != nil {
			cell.Tunneled = true
		}
	}
}

// localDisks adds up the room for VMs. A node type that names no disks leaves
// them open; then they never bind.
func (b *builder) localDisks() {
	if len(b.node.Disks) == 0 {
		b.diskUnstated = true
		return
	}
	for _, d := range b.node.Disks {
		if d.Use == diskLocal {
			b.disk += int64(d.Size) * int64(max(1, d.Count))
		}
	}
}
