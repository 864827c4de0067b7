package neutron

import (
	"fmt"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// awayFindings tells of VMs that are bound to NUMA nodes on which the vSwitch has no core.
func (p *planner) awayFindings(t Type, r TypeResult) {
	var at []int
	for node, n := range r.Cores {
		if n > 0 {
			at = append(at, node)
		}
	}
	for _, s := range p.in.Servers {
		if len(at) == 0 || len(s.NUMANodes) == 0 || s.count(normal) == 0 ||
			slices.ContainsFunc(s.NUMANodes, func(node int) bool { return slices.Contains(at, node) }) {
			continue
		}
		p.find(v1alpha1.Warning, "away["+s.Name+"/"+t.Name+"]", s.Path+".flavor",
			fmt.Sprintf("%s: bound to NUMA node %s, and the vSwitch of %s has its cores on node %s: all packets cross "+
				"nodes, which the document does not recommend", s.Name, setOf(s.NUMANodes), t.Name, setOf(at)),
			fmt.Sprintf("bind such VMs to node %d (hw:numa_node), or give the vSwitch cores on theirs", at[0]), hcg)
	}
}

// setOf writes numbers of NUMA nodes.
func setOf(nodes []int) string {
	var set unit.CPUSet
	for _, n := range nodes {
		set.Add(n)
	}
	return set.String()
}

// frameAround is what an Ethernet frame has around its payload: header of 14 bytes, VLAN tag of 4
// and checksum of 4 (IEEE 802.3).
const frameAround = 14 + 4 + 4

// frameFindings tells of ports whose frames no NIC that carries them takes.
func (p *planner) frameFindings(t Type) {
	for _, s := range p.in.Servers {
		for i, port := range s.Ports {
			size, err := strconv.Atoi(port.FrameSize)
			nics := t.carrying("data", port.PhysicalNetwork)
			if err != nil || len(nics) == 0 || kind(port) != normal {
				continue
			}
			nic := slices.MaxFunc(nics, func(a, b v1alpha1.NIC) int { return a.MTU - b.MTU })
			if most := nic.MTU + frameAround; nic.MTU > 0 && size > most {
				severity, at := v1alpha1.Error, slices.IndexFunc(t.NICs, func(n v1alpha1.NIC) bool {
					return n.Use == "data" && n.Name == nic.Name && n.MTU == nic.MTU
				})
				if p.Origin.Assumed(fmt.Sprintf("%s.nics[%d].mtu", t.Path, at)) {
					severity = v1alpha1.Warning
				}
				p.find(severity, fmt.Sprintf("mtu[%s/%s/%d]", t.Name, s.Name, i),
					fmt.Sprintf("%s.ports[%d].frameSize", s.Path, i),
					fmt.Sprintf("%s: frames of %s bytes do not leave %s: with the MTU of %d of its NIC %s a frame has %s bytes "+
						"at most, VLAN tag and checksum included", s.Name, words.Number(size), t.Name, nic.MTU, nic.Name,
						words.Number(most)),
					"correct the frame size, or the mtu of the NICs", derive.Source{Code: "IEEE 802.3", Section: "3"})
			}
		}
	}
}
