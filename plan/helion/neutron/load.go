package neutron

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
)

// The kinds of port (vnicType).
const (
	normal      = "normal"
	direct      = "direct"
	passthrough = "direct-physical"
)

// kind of a port; one that does not say is normal.
func kind(port v1alpha1.Port) string {
	if port.VNICType == "" {
		return normal
	}
	return port.VNICType
}

// count is how many ports of a kind a VM has.
func (s Server) count(of string) int {
	n := 0
	for _, port := range s.Ports {
		if kind(port) == of {
			n++
		}
	}
	return n
}

// rules on the ports of a VM that the vSwitch serves.
func (s Server) rules() int {
	n := 0
	for _, port := range s.Ports {
		if kind(port) == normal {
			n += port.SecurityRules
		}
	}
	return n
}

// load is packets/s of the vSwitch by NUMA node, and those of them that cross nodes.
type load struct{ packets, crossed []float64 }

func newLoad(nodes int) load {
	return load{make([]float64, nodes), make([]float64, nodes)}
}

func (l load) add(m load) {
	for i := range l.packets {
		l.packets[i] += m.packets[i]
		l.crossed[i] += m.crossed[i]
	}
}

func sum(list []float64) float64 {
	total := 0.0
	for _, v := range list {
		total += v
	}
	return total
}

// nodes of a machine, at least one.
func (t Type) nodes() int { return max(1, t.NUMANodes) }

// carrying are the NICs of a use that carry a physical network; all of the use when
// none says that it does.
func (t Type) carrying(use, network string) []v1alpha1.NIC {
	var all, named []v1alpha1.NIC
	for _, nic := range t.NICs {
		if nic.Use != use {
			continue
		}
		all = append(all, nic)
		if network != "" && slices.Contains(nic.PhysicalNetworks, network) {
			named = append(named, nic)
		}
	}
	if len(named) > 0 {
		return named
	}
	return all
}

// node of a NIC; one that does not say counts as on node 0.
func (t Type) node(nic v1alpha1.NIC) int {
	if nic.NUMANode == nil || *nic.NUMANode < 0 || *nic.NUMANode >= t.nodes() {
		return 0
	}
	return *nic.NUMANode
}

// ports of NICs, and what they carry together in bit/s.
func capacity(nics []v1alpha1.NIC) (ports int, bits float64) {
	for _, nic := range nics {
		n := max(1, nic.Count)
		ports += n
		bits += float64(n) * float64(nic.Speed)
	}
	return ports, bits
}

// spread shares traffic of a physical network over the NUMA nodes by the speed of
// the vSwitch's NICs there; without NICs all of it is on node 0.
func (t Type) spread(network string) []float64 {
	share := make([]float64, t.nodes())
	nics := t.carrying("data", network)
	_, all := capacity(nics)
	for _, nic := range nics {
		_, bits := capacity([]v1alpha1.NIC{nic})
		if all > 0 {
			share[t.node(nic)] += bits / all
		}
	}
	if all == 0 {
		share[0] = 1
	}
	return share
}

// of is the load of the VMs of a server on a host of the type, of which so many are on
// each NUMA node. Where the scenario fixes the vSwitch's cores, traffic of NICs on nodes
// without any crosses to the others, in proportion to their cores.
func (p *planner) of(t Type, s Server, vms float64, on []float64) load {
	l := newLoad(t.nodes())
	fixed := t.fixed()
	cores := sum(fixed)
	for _, port := range s.Ports {
		rate := p.flow.packets(port)
		if kind(port) != normal || rate == 0 {
			continue
		}
		spread := t.spread(port.PhysicalNetwork)
		for node, share := range spread {
			if cores > 0 && fixed[node] == 0 {
				for other, n := range fixed {
					l.packets[other] += vms * rate * share * n / cores
					l.crossed[other] += vms * rate * share * n / cores
				}
				continue
			}
			l.packets[node] += vms * rate * share
			if port.CrossNUMA {
				l.crossed[node] += vms * rate * share
			} else {
				l.crossed[node] += away(on, spread) * rate * share
			}
		}
	}
	return l
}

// away is how many VMs are on NUMA nodes without a NIC of their network. Of several
// nodes with one the vSwitch keeps traffic on the VM's own (HCG 5).
func away(on, spread []float64) float64 {
	n := 0.0
	for node, vms := range on {
		if node >= len(spread) || spread[node] == 0 {
			n += vms
		}
	}
	return n
}

// fixed are the cores that the scenario gives the vSwitch by node; all 0 without.
func (t Type) fixed() []float64 {
	list := make([]float64, t.nodes())
	for i, n := range t.VSwitchCores {
		if i < len(list) {
			list[i] = float64(n)
		}
	}
	return list
}

// hostLoad is the load of one host and the cores that it takes, by node.
type hostLoad struct {
	host  int
	load  load
	exact []float64
}

// loads of all hosts of a type.
func (p *planner) loads(index int) []hostLoad {
	t := p.in.Types[index]
	var list []hostLoad
	for i, h := range p.in.Hosts {
		if h.Type != index {
			continue
		}
		l := hostLoad{host: i, load: newLoad(t.nodes()), exact: make([]float64, t.nodes())}
		for _, server := range h.servers(len(p.in.Servers)) {
			l.load.add(p.of(t, p.in.Servers[server], float64(h.VMs[server]), h.On[server]))
		}
		for n := range l.exact {
			l.exact[n] = Cores(l.load.packets[n], l.load.crossed[n], p.flow.factor.Number, p.flow.cycles.Number, t.ghz(),
				p.flow.utilisation.Number)
		}
		list = append(list, l)
	}
	return list
}

// ghz is the clock rate, 1 when it is not known.
func (t Type) ghz() float64 {
	if t.CPUGHz <= 0 {
		return 1
	}
	return t.CPUGHz
}

// servers on the host in the order of the list; those that are not there are left out.
func (h Host) servers(known int) []int {
	var list []int
	for i, n := range h.VMs {
		if i >= 0 && i < known && n > 0 {
			list = append(list, i)
		}
	}
	slices.Sort(list)
	return list
}

// cores are those that the vSwitch needs on hosts of a type by node: as the scenario
// has them, else what the busiest host takes on each node, at least the document's
// default in all, no more than its most and than the nodes have, and those that it keeps. over says by how
// many more it would be.
func (p *planner) cores(index int, loads []hostLoad) (cores []int, over int) {
	t := p.in.Types[index]
	if t.VSwitchCores != nil {
		for _, n := range t.fixed() {
			cores = append(cores, int(n))
		}
		return cores, 0
	}
	exact := make([]float64, t.nodes())
	for _, l := range loads {
		for n := range exact {
			exact[n] = max(exact[n], l.exact[n])
		}
	}
	count := func(id string) int { return int(p.Fact("hcg.compute." + id).Int()) }
	most := count("vswitchCoresMax")
	cores, over = Split(exact, count("vswitchCores"), count("vswitchCoresMin"), most)
	for n, room := range t.Room {
		if n < len(cores) && cores[n] > room {
			over += cores[n] - room
			cores[n] = room
		}
	}
	return keep(cores, t.Kept, most), over
}

// keep makes cores no fewer than those kept on any node. Where both together are more
// than the most, those kept stay as they are.
func keep(cores, kept []int, most int) []int {
	out, total := slices.Clone(cores), 0
	for n := range out {
		if n < len(kept) {
			out[n] = max(out[n], kept[n])
		}
		total += out[n]
	}
	if total > most && len(kept) == len(cores) {
		return slices.Clone(kept)
	}
	return out
}

// Split rounds the cores that each NUMA node needs up to whole ones: at least least
// on a node that needs any, usual in all (on the node that needs most, node 0 when
// none does), and no more than most in all, taken from the node that has most. over
// is how many were taken.
func Split(exact []float64, usual, least, most int) (cores []int, over int) {
	cores = make([]int, len(exact))
	total, needy := 0, 0
	for n, e := range exact {
		if e > 0 {
			cores[n] = int(max(float64(least), min(derive.Ceil(e), 1e6)))
		}
		total += cores[n]
		if e > exact[needy] {
			needy = n
		}
	}
	if total < usual && len(cores) > 0 {
		cores[needy] += usual - total
		total = usual
	}
	over = max(0, total-most)
	total = 0
	for n := range cores {
		cores[n] = min(cores[n], most)
		total += cores[n]
	}
	for ; total > most; total-- {
		cores[slices.Index(cores, slices.Max(cores))]--
	}
	return cores, over
}
