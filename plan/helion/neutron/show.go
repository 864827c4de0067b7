package neutron

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// show fills the section.
func (p *planner) show() {
	for _, q := range p.busiest {
		p.Show(q.ports, q.rules, q.packets, q.needed, q.cores)
		p.Detail(q.vnics, q.budget)
	}
	for _, s := range p.in.Servers {
		p.Detail(p.Figure("neutron.packetsPerVM[" + s.Name + "]"))
	}
	p.hostTable()
	p.serverTable()
	p.memoryTable()
	p.lineTable()
	p.Section.Summary = p.summary()
}

func (p *planner) summary() string {
	text := "no node type runs VMs"
	for i, q := range p.busiest {
		t := p.in.Types[i]
		if i == 0 {
			text = ""
		} else {
			text += "; "
		}
		text += fmt.Sprintf("%s: %s of %s for the vSwitch", t.Name, q.ports.Text,
			derive.Of(p.limitOf("ports").Number, "").Text)
		if q.packets.Number > 0 {
			text += fmt.Sprintf(", %s on %s", q.packets.Text, q.cores.Text)
		} else {
			text += ", " + q.cores.Text + "; no packet rates given"
		}
	}
	return text
}

// hostTable shows the fullest hosts of each node type: what the vSwitch carries there,
// and the cores that it takes.
func (p *planner) hostTable() {
	ports := p.Table("neutron.hosts", "The vSwitch on the fullest hosts", part.Left("Node type"), part.Right("Ports"),
		part.Right("Security rules"), part.Right("Packets"))
	for i, q := range p.busiest {
		ports.Rows = append(ports.Rows, []v1alpha1.Cell{part.Text(p.in.Types[i].Name), part.Bare(q.ports), part.Bare(q.rules),
			q.known(q.packets, part.Num)})
	}
	cores := p.Table("neutron.cores", "Its cores", part.Left("Node type"), part.Right("Packets take"),
		part.Right("Planned"), part.Left("By NUMA node"), part.Right("Cycles a packet has"))
	for i, q := range p.busiest {
		cores.Rows = append(cores.Rows, []v1alpha1.Cell{part.Text(p.in.Types[i].Name), q.known(q.needed, part.Num),
			part.Num(q.cores), part.Text(list(p.r.Types[i].Cores)), q.known(q.budget, part.Bare)})
	}
	cores.Notes = []string{"A packet that passes through a VM crosses the vSwitch twice; " +
		"one that crosses NUMA nodes costs " + p.flow.factor.Text + " times as much.",
		"No number of the document's throughput charts is left, and the charts can't be compared with each other; " +
			p.cyclesNote() + " (" + p.flow.cycles.Text + ")."}
}

// known is the cell of a value that follows from packet rates; a dash without any.
func (q busy) known(v derive.Value, cell func(derive.Value) v1alpha1.Cell) v1alpha1.Cell {
	if q.packets.Number == 0 {
		return part.Text("-")
	}
	return cell(v)
}

// serverTable shows the ports of each kind of VM.
func (p *planner) serverTable() {
	if len(p.in.Servers) == 0 {
		return
	}
	t := p.Table("neutron.servers", "Ports of the VMs", part.Left("Server"), part.Right("VMs"), part.Right("vNICs"),
		part.Right("SR-IOV"), part.Right("Passthrough"), part.Right("Rules"), part.Right("Packets of a VM"))
	t.Wide = true
	for _, s := range p.in.Servers {
		packets := part.Text("-")
		if v := p.Figure("neutron.packetsPerVM[" + s.Name + "]"); v.Number > 0 {
			packets = part.Num(v)
		}
		number := func(n int) v1alpha1.Cell { return part.Num(derive.Of(float64(n), "")) }
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(s.Name), part.Bare(s.Count), number(s.count(normal)),
			number(s.count(direct)), number(s.count(passthrough)), number(s.rules()), packets})
	}
}

// frames are the sizes of the line-rate table, those of RFC 2544 and the mix.
var frames = []string{"64", "128", "256", "512", "1024", "1280", "1518", IMIX}

// lineTable shows the line rates of the NICs' speeds.
func (p *planner) lineTable() {
	speeds := []unit.BitRate{}
	seen := map[unit.BitRate]bool{}
	for _, t := range p.in.Types {
		for _, nic := range t.carrying("data", "") {
			if nic.Speed > 0 && !seen[nic.Speed] {
				seen[nic.Speed] = true
				speeds = append(speeds, nic.Speed)
			}
		}
	}
	if len(speeds) == 0 {
		return
	}
	columns := []v1alpha1.Column{part.Left("Frame"), part.Right("Share of the line")}
	for _, s := range speeds {
		columns = append(columns, part.Right(unit.Format(float64(s), unit.BitsPerS)))
	}
	t := p.Table("neutron.lineRates", "Frames a second that fill a port, in each direction", columns...)
	t.Wide = true
	for _, text := range frames {
		size, err := ParseFrame(text, p.flow.imix)
		if err != nil {
			continue
		}
		title := text + " bytes"
		if text == IMIX {
			title = "IMIX, " + p.mix.Text + " in the mean"
		}
		row := []v1alpha1.Cell{part.Text(title), part.Num(derive.Of(100*FrameShare(size, p.flow.gap), unit.Percent))}
		for _, s := range speeds {
			row = append(row, part.Num(derive.Of(derive.Floor(LineRate(float64(s), size, p.flow.gap)), "")))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = p.Facts.Must("net.imix.share/64").Notes
}
