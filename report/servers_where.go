package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// whereText says where the parts of a VM are: "node 0: vCPU 0-1 on CPU 3-4, 4 GiB
// of 2Mi pages; sriov-a x2 on node 0".
func whereText(s v1alpha1.PlacedServer) string {
	var parts []string
	for _, c := range s.Cells {
		lead := fmt.Sprintf("node %d: ", c.Node)
		if len(s.Cells) > 1 {
			lead = fmt.Sprintf("cell %d on node %d: ", c.Cell, c.Node)
		}
		parts = append(parts, lead+strings.Join(cellParts(c), ", "))
	}
	if len(s.Cells) == 0 {
		parts = append(parts, "floats over the host")
	}
	if !s.EmulatorCPUs.IsEmpty() {
		parts = append(parts, "emulator threads on CPU "+s.EmulatorCPUs.String())
	}
	for _, d := range s.Devices {
		at := fmt.Sprintf(" on node %d", d.Node)
		if d.Node < 0 {
			at = ", its node is not known"
		}
		parts = append(parts, d.Kind+" x"+words.Number(d.Count)+at)
	}
	return strings.Join(parts, "; ")
}

// cellParts are what a virtual NUMA node has of its NUMA node.
func cellParts(c v1alpha1.PlacedCell) []string {
	var parts []string
	for _, shared := range []bool{false, true} {
		var vcpus, cpus []int
		for _, p := range c.Pins {
			if p.Shared == shared {
				vcpus, cpus = append(vcpus, p.VCPU), append(cpus, p.CPU)
			}
		}
		if len(vcpus) > 0 {
			on := " on CPU "
			if shared {
				on = " on shared CPU "
			}
			parts = append(parts, "vCPU "+runs(vcpus)+on+runs(cpus))
		}
	}
	if !c.VCPUs.IsEmpty() {
		parts = append(parts, "vCPU "+c.VCPUs.String()+" floating")
	}
	if !c.Idle.IsEmpty() {
		parts = append(parts, "CPU "+c.Idle.String()+" kept idle")
	}
	if c.Memory != 0 {
		parts = append(parts, unit.FormatBytes(c.Memory)+" of "+pagesName(c.PageSize))
	}
	return parts
}

// pagesName is "2Mi pages", or "memory" that is not counted in pages.
func pagesName(size unit.Bytes) string {
	if size == 0 {
		return "memory"
	}
	return size.String() + " pages"
}

// runs writes numbers in their order, ascending neighbours as a range: 4-7,12,11.
func runs(list []int) string {
	var out []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j] < list[j+1] && list[j+1]-list[j] == 1 {
			j++
		}
		s := strconv.Itoa(list[i])
		if j > i {
			s += "-" + strconv.Itoa(list[j])
		}
		out = append(out, s)
		i = j + 1
	}
	return strings.Join(out, ",")
}

// vmAt is a VM on a host.
type vmAt struct{ host, name string }

// drawnVMs are the VMs in the drawings of machines.
func drawnVMs(p *v1alpha1.ServerPlacement) map[vmAt]bool {
	out := map[vmAt]bool{}
	for _, m := range p.Machines {
		for _, o := range m.Owners {
			out[vmAt{m.Node, o.Server}] = true
		}
	}
	return out
}

// placedVMs are where the VMs in the drawings of machines are.
func placedVMs(p *v1alpha1.ServerPlacement) map[vmAt]v1alpha1.PlacedServer {
	drawn, servers := drawnVMs(p), map[vmAt]v1alpha1.PlacedServer{}
	for _, s := range p.Servers {
		if at := (vmAt{s.Host, s.Name}); drawn[at] {
			servers[at] = s
		}
	}
	return servers
}

// ownedByServers says where the VMs of a machine are, and why they are there.
func ownedByServers(p *v1alpha1.ServerPlacement) ownedBy {
	servers := placedVMs(p)
	return func(m v1alpha1.MachineMap) []owned {
		var out []owned
		for i, o := range m.Owners {
			x := owned{Mark: string(lettersOf(m).of(i + 1)), Name: ownerName(o), Has: ownerText(o)}
			if s, ok := servers[vmAt{m.Node, o.Server}]; ok {
				x.Has, x.Why = whereText(s), whySentences(s)
			}
			out = append(out, x)
		}
		return out
	}
}

// whySentences say why a VM is where it is, and what Nova would say.
func whySentences(s v1alpha1.PlacedServer) []string {
	why := slices.Clone(s.Why)
	if s.NovaRefuses != "" {
		why = append(why, "Nova would refuse it here: "+s.NovaRefuses)
	}
	return why
}

// mostServers bounds the VMs that are listed one by one.
const mostServers = 1000

// serverGrid is the table of the single VMs, without those that the drawings of
// machines explain.
func serverGrid(p *v1alpha1.ServerPlacement) Grid {
	g := newTable("VMs", []string{"VM", "Host", "Where", "Why there"}, nil)
	if len(p.Machines) > 0 {
		g.Title = "VMs on the hosts that are not drawn"
	}
	drawn, more := drawnVMs(p), 0
	for _, s := range p.Servers {
		switch {
		case drawn[vmAt{s.Host, s.Name}]:
		case len(g.Rows) == mostServers:
			more++
		default:
			g.row(s.Name, s.Host, whereText(s), strings.Join(whySentences(s), "; "))
		}
	}
	if more > 0 {
		g.Notes = []string{fmt.Sprintf("and %s more, as the JSON has them", words.Count(more, "VM"))}
	}
	return g.dropped()
}

// novaBlocks are the VMs that run and that Nova's own search would refuse, by type.
func novaBlocks(p *v1alpha1.ServerPlacement, format string) []Block {
	out, more, left := List{}, Para{}, 0
	for i, o := range p.ServerTypes {
		switch {
		case o.NovaRefuses == 0:
		case len(out.Items) == problemRows && short(format):
			left++
			more = andMore(left, "type", "lists them")
		default:
			out.Items = append(out.Items, Item{Mark: "warn", Text: fmt.Sprintf("%s: %s of %s that run", o.Name,
				words.Number(o.NovaRefuses), words.Number(o.Placed)), Items: novaItems(p, i, format)})
		}
	}
	if len(out.Items) == 0 {
		return nil
	}
	return []Block{Para{Style: table.Faint, Text: novaNote}, out, more}
}

// novaItems are the VMs of a type that Nova would refuse.
func novaItems(p *v1alpha1.ServerPlacement, server int, format string) []Item {
	var out []Item
	for _, s := range p.Servers {
		if s.ServerType == server && s.NovaRefuses != "" {
			out = append(out, Item{Text: s.Name + " on " + s.Host + ": " + s.NovaRefuses})
		}
	}
	if short(format) && len(out) > typesNamed {
		return append(out[:typesNamed], Item{Style: table.Faint, Text: "and more: -o wide lists them"})
	}
	if n := len(out) - mostNova; n > 0 {
		return append(out[:mostNova], Item{Text: "and " + words.Count(n, "VM") + " more, as the JSON has them"})
	}
	return out
}

// mostNova bounds the VMs of a type that Nova would refuse.
const mostNova = 20

// novaNote explains why Nova may refuse what fits.
const novaNote = "They fit, and Nova's own search would say no: it remembers what it tried under numbers that " +
	"it changes while it searches."
