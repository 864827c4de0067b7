package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// numaLine says of a NUMA node what the marks of its CPUs and devices don't: who runs on CPUs
// that are shared, which NICs are the vSwitch's, what crosses to other nodes.
type numaLine struct {
	Lead  string
	Parts []numaPart
}

// numaPart is what owners of the machine, by their index from 1, have to do with it; none for
// what is nobody's.
type numaPart struct {
	Owners []int
	Text   string
}

// add adds what an owner has to do with the line to those of whom the same is said.
func (l *numaLine) add(owner int, text string) {
	i := slices.IndexFunc(l.Parts, func(p numaPart) bool { return p.Text == text })
	if i < 0 {
		i = len(l.Parts)
		l.Parts = append(l.Parts, numaPart{Text: text})
	}
	l.Parts[i].Owners = append(l.Parts[i].Owners, owner)
}

// lead is what stands before the line in text.
func (l numaLine) lead() string { return l.Lead + "  " }

// says is the line with the letters of the owners.
func (l numaLine) says(marks letters) string {
	return joined(l.Parts, ", ", func(p numaPart) string {
		var out strings.Builder
		for _, owner := range p.Owners {
			out.WriteString(string(marks.of(owner)) + " ")
		}
		return out.String() + p.Text
	})
}

// besideBy says what stands beside a NUMA node of a machine.
type besideBy func(m v1alpha1.MachineMap, n v1alpha1.NUMAMap) []numaLine

// beside are the lines of a NUMA node, where there are any.
func (x Machines) beside(m v1alpha1.MachineMap, n v1alpha1.NUMAMap) []numaLine {
	if x.Beside == nil {
		return nil
	}
	return x.Beside(m, n)
}

// besideServers are the lines of compute hosts; of NICs and ports only where the scenario is known.
func besideServers(p *v1alpha1.ServerPlacement, s *v1alpha1.Scenario) besideBy {
	at := placedVMs(p)
	return func(m v1alpha1.MachineMap, n v1alpha1.NUMAMap) []numaLine {
		if !ofServers(m) {
			return nil
		}
		v := numaView{p: p, s: s, m: m, n: n}
		for _, o := range m.Owners {
			v.vms = append(v.vms, at[vmAt{m.Node, o.Server}])
		}
		return slices.DeleteFunc([]numaLine{v.pinnedShared(), v.floating(), v.nics(), v.crossing()},
			func(l numaLine) bool { return len(l.Parts) == 0 })
	}
}

// numaView is a NUMA node of a host, and the VMs of the host in the order of its owners.
type numaView struct {
	p   *v1alpha1.ServerPlacement
	s   *v1alpha1.Scenario
	m   v1alpha1.MachineMap
	n   v1alpha1.NUMAMap
	vms []v1alpha1.PlacedServer
}

// cpus are the CPUs of the node with a use.
func (v numaView) cpus(uses ...string) unit.CPUSet {
	var out []int
	for _, c := range v.n.Cores {
		for _, th := range c.Threads {
			if slices.Contains(uses, th.Use) && th.CPU >= 0 && th.CPU < unit.MaxCPUs {
				out = append(out, th.CPU)
			}
		}
	}
	return unit.CPUSetOf(out...)
}

// pinnedShared are the vCPUs on the shared core.
func (v numaView) pinnedShared() numaLine {
	l := numaLine{Lead: "on S " + v.cpus("sharedVCPU").String()}
	v.each(func(owner int, c v1alpha1.PlacedCell) {
		pins := slices.DeleteFunc(slices.Clone(c.Pins), func(p v1alpha1.PinnedCPU) bool { return !p.Shared })
		if len(pins) > 0 {
			vcpus := runs(each(pins, func(p v1alpha1.PinnedCPU) int { return p.VCPU }))
			l.add(owner, "vCPU "+vcpus)
		}
	})
	return l
}

// floating are the VMs on CPUs that nobody owns, the shared core among them where the rules
// let them there.
func (v numaView) floating() numaLine {
	cpus := v.cpus("floating")
	l := numaLine{Lead: "on ~ " + cpus.String()}
	all := v.cpus("floating", "sharedVCPU")
	for _, h := range v.p.Hosts {
		for _, n := range h.Nodes {
			if h.Name == v.m.Node && n.ID == v.n.ID && n.Shared == all.Len() && n.Shared > cpus.Len() {
				l.Lead += ", S " + v.cpus("sharedVCPU").String()
			}
		}
	}
	v.each(func(owner int, c v1alpha1.PlacedCell) {
		if !c.VCPUs.IsEmpty() {
			l.add(owner, "vCPU "+c.VCPUs.String())
		}
	})
	return l
}

// each are the parts of VMs that are on the node.
func (v numaView) each(do func(owner int, c v1alpha1.PlacedCell)) {
	for i, vm := range v.vms {
		for _, c := range vm.Cells {
			if c.Node == v.n.ID {
				do(i+1, c)
			}
		}
	}
}

// nics are the ports of the vSwitch on the node.
func (v numaView) nics() numaLine {
	l := numaLine{Lead: "vSwitch"}
	if v.s == nil {
		return l
	}
	for _, t := range v.s.Hardware.NodeTypes {
		for _, nic := range t.NICs {
			if t.Name == v.m.Type && nic.Use == "data" && nic.NUMANode != nil && *nic.NUMANode == v.n.ID {
				speed := unit.Format(float64(nic.Speed), unit.BitsPerS)
				l.Parts = append(l.Parts, numaPart{Text: "NIC " + nic.Name + ", " + speed})
			}
		}
	}
	return l
}

// crossing is what VMs with a part on this node have on another one: their vSwitch's cores,
// devices, further parts.
func (v numaView) crossing() numaLine {
	l := numaLine{Lead: "crosses NUMA"}
	switched := numaNodesWith(v.m, "vswitch")
	told := map[int]bool{}
	v.each(func(owner int, c v1alpha1.PlacedCell) {
		if told[owner] {
			return
		}
		told[owner] = true
		vm := v.vms[owner-1]
		onSwitch := func(c v1alpha1.PlacedCell) bool { return slices.Contains(switched, c.Node) }
		if len(switched) > 0 && !slices.ContainsFunc(vm.Cells, onSwitch) && v.switches(vm) {
			l.add(owner, "to the vSwitch on NUMA "+words.And(each(switched, strconv.Itoa)))
		}
		if first := vm.Cells[0]; first.Node != v.n.ID {
			l.add(owner, fmt.Sprintf("to its cell %d on NUMA %d", first.Cell, first.Node))
		}
		for _, d := range vm.Devices {
			near := func(c v1alpha1.PlacedCell) bool { return c.Node == d.Node }
			if d.Node >= 0 && !slices.ContainsFunc(vm.Cells, near) {
				l.add(owner, fmt.Sprintf("to %s on NUMA %d", d.Kind, d.Node))
			}
		}
	})
	return l
}

// switches reports whether a VM has a port on the vSwitch.
func (v numaView) switches(vm v1alpha1.PlacedServer) bool {
	if v.s == nil {
		return false
	}
	name := serverName(v.p, vm.ServerType)
	return slices.ContainsFunc(v.s.Workload.Servers, func(s v1alpha1.Server) bool {
		return s.Name == name && slices.ContainsFunc(s.Ports, func(p v1alpha1.Port) bool { return p.VNICType == "normal" })
	})
}

// numaNodesWith are the NUMA nodes of a machine that have CPUs of a use.
func numaNodesWith(m v1alpha1.MachineMap, use string) []int {
	var out []int
	for _, n := range m.NUMANodes {
		if !(numaView{n: n}).cpus(use).IsEmpty() {
			out = append(out, n.ID)
		}
	}
	return out
}
