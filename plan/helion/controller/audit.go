package controller

import (
	"cmp"
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// tables list the partitions, and the machine beside the document's least.
func (p *planner) tables() {
	t := p.Table("controller.partitions", "Primary disk of a controller (table 3)", part.Left("Partition"),
		part.Right("Size"), part.Left(""))
	add := func(name string, v derive.Value, words string) {
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(name), part.Num(v), part.Text(words)})
	}
	for _, f := range p.fixed {
		add(f.name, f.size, "fixed")
	}
	images := "images, by their sizes"
	if !p.holdsVolumes() {
		images = "fixed with dedicated storage"
	}
	add("cgcs", p.r.Images, images)
	add("database", p.r.Database, "by VMs and computes, twice for upgrades")
	add("image conversion", p.r.Conversion, "by simultaneous creates")
	add("backup", p.r.Backup, "database, images and overhead")
	add("all partitions", p.r.Disk, "")
	add("to provide", p.r.DiskNeed, "one SSD, at least "+p.disk("primaryMin").Text)
	if p.holdsVolumes() {
		add("Cinder volumes", p.r.LVM, "on a second disk")
		add("to provide", p.r.LVMNeed, "one disk, SAS at 10,000 revolutions a minute or better, at least "+
			p.disk("lvmMin").Text)
	}
	p.hostTable()
}

// hostTable shows the machine beside what is demanded of it.
func (p *planner) hostTable() {
	t := p.Table("controller.host", "Machine of a controller", part.Left("Demand"), part.Left("At least"),
		part.Left("Machine"))
	row := func(what, least, has string, good bool) {
		mark := "good"
		if !good {
			mark = "bad"
		}
		if has == "" {
			has, mark = "open", ""
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(what), part.Text(least), part.Marked(has, mark)})
	}
	h := p.in.Host
	if h == nil {
		h = &Host{}
	}
	sockets, cores, memory := p.Fact("hcg.controller.sockets"), p.Fact("hcg.controller.coresPerSocket"),
		p.Fact("hcg.controller.memoryMin")
	hasSockets, hasCores := "", ""
	if h.Sockets > 0 {
		hasSockets = derive.Of(float64(h.Sockets), "sockets").Text
		hasCores = derive.Of(h.Cores.Number/float64(h.Sockets), "cores").Text
	}
	row("sockets", sockets.Text, hasSockets, float64(h.Sockets) >= sockets.Number)
	row("cores of each socket", cores.Text, hasCores, h.Cores.Number >= float64(h.Sockets)*cores.Number)
	row("memory", memory.Text, h.Memory.Text, h.Memory.Number >= memory.Number)
	row("primary disk", p.r.DiskNeed.Text+", SSD", p.primary.text(), p.primary.size.Number >= p.r.DiskNeed.Number &&
		Solid(p.primary.media))
	if p.holdsVolumes() {
		row("disk for volumes", p.r.LVMNeed.Text+", SAS 10K", p.lvm.text(), p.lvm.size.Number >= p.r.LVMNeed.Number &&
			p.lvm.media != "hdd")
	}
}

// text is a disk in words, empty when there is none.
func (d device) text() string {
	if d.size.Text == "" {
		return ""
	}
	return d.size.Text + ", " + d.media
}

// audit lists the settings of firmware and interfaces that have to be seen to.
func (p *planner) audit() {
	t := p.Table("controller.settings", "Settings of a controller's firmware (table 2)", part.Left("Setting"),
		part.Left("Value"), part.Left("Kind"))
	t.Wide = true
	for _, name := range []string{"mode", "hyperthreading", "power", "idle", "boot"} {
		p.rule(t, "hcg.controller.bios."+name)
	}
	t = p.Table("controller.interfaces", "Management and infrastructure interfaces", part.Left("Combination"),
		part.Left("Value"), part.Left("Kind"))
	t.Wide = true
	for _, id := range []string{"hcg.net.interfaces/single", "hcg.net.interfaces/separate", "hcg.net.interfaces/vlans",
		"hcg.net.aggregation", "hcg.net.boardManagement"} {
		p.rule(t, id)
	}
	if p.in.Host != nil {
		p.judgeInterfaces(t)
	}
}

// rule adds a fact as a row.
func (p *planner) rule(t *v1alpha1.Table, id string) {
	f := p.Facts.Must(id)
	text := f.Printed()
	for _, n := range f.Notes {
		text += "; " + strings.ToLower(n[:1]) + strings.TrimSuffix(n[1:], ".")
	}
	t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(cmp.Or(f.Dim("combination"), f.Title)), part.Text(text),
		part.Text(string(f.Kind))})
}

// Interfaces is how a host's management and infrastructure interfaces stand to the
// combinations of HCG 3.
type Interfaces struct {
	// Combination is the last part of the fact hcg.net.interfaces: single, separate
	// or vlans; empty when the host names no such interface or none is supported.
	Combination string
	// Problem says why no combination is supported; empty when one is.
	Problem string
	// Single says that one of the two has only one port, so that no link
	// aggregation is possible.
	Single bool
}

// JudgeInterfaces compares the fastest interfaces for management and infrastructure
// with the combinations that are supported. Infrastructure without management is
// taken for VLANs on one interface. It holds for hosts of every kind.
func JudgeInterfaces(nics []v1alpha1.NIC, c *facts.Catalogue) Interfaces {
	var r Interfaces
	speed := map[string]unit.BitRate{}
	for _, n := range nics {
		if n.Use == "management" || n.Use == "infrastructure" {
			r.Single = r.Single || n.Count < int(c.Must("hcg.net.aggregation").Number)
			speed[n.Use] = max(speed[n.Use], n.Speed)
		}
	}
	least := func(name string) unit.BitRate { return unit.BitRate(c.Must("hcg.net." + name).Number) }
	needs := func(what string, has unit.BitRate, name string) string {
		return fmt.Sprintf("%s on %s, it needs %s", what, unit.Format(float64(has), unit.BitsPerS),
			c.Must("hcg.net."+name).Printed())
	}
	management, infrastructure := speed["management"], speed["infrastructure"]
	switch {
	case len(speed) == 0:
	case infrastructure == 0 && management >= least("managementAlone"):
		r.Combination = "single"
	case infrastructure == 0:
		r.Problem = needs("management without infrastructure", management, "managementAlone")
	case infrastructure < least("infrastructure"):
		r.Problem = needs("infrastructure", infrastructure, "infrastructure")
	case management == 0:
		r.Combination = "vlans"
	case management < least("management"):
		r.Problem = needs("management", management, "management")
	default:
		r.Combination = "separate"
	}
	return r
}

// judgeInterfaces adds what the node type has.
func (p *planner) judgeInterfaces(t *v1alpha1.Table) {
	h := p.in.Host
	r := JudgeInterfaces(h.NICs, p.Facts)
	switch {
	case r.Problem != "":
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(h.Name), part.Marked(r.Problem, "bad"), part.Text("")})
		p.find(v1alpha1.Warning, "controller.interfaces", h.Name+": "+r.Problem, "use one of the "+
			"supported combinations, best "+p.Fact("hcg.net.interfaces/single").Text, derive.Value{}).Field = h.Path + ".nics"
	case r.Combination != "":
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(h.Name),
			part.Marked(p.Fact("hcg.net.interfaces/"+r.Combination).Text, "good"), part.Text("")})
	default:
		t.Notes = append(t.Notes, h.Name+" names no interface for management or infrastructure.")
	}
	if r.Single {
		p.find(v1alpha1.Info, "controller.aggregation", h.Name+": management or infrastructure has a single port; "+
			"link aggregation of all interfaces is recommended for high availability",
			"give each two ports", derive.Value{}).Field = h.Path + ".nics"
	}
}
