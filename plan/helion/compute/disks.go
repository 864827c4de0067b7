package compute

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/unit"
)

// inDecimal writes bytes of disk as disks are sold, in decimal multiples.
func inDecimal(v derive.Value) derive.Value {
	return v.WithText(part.InDecimal(v.Number))
}

// bytes records a figure in bytes of disk.
func (p *planner) bytes(id, title, formula string, in ...derive.Input) derive.Value {
	return p.Record(derive.Figure{ID: id, Title: title,
		Value: inDecimal(derive.Of(derive.Solve(formula, in...), unit.ByteUnit)), Formula: formula, Inputs: in,
		Sources: []derive.Source{source}})
}

// disks sizes the disks of a fleet's hosts.
func (p *planner) disks(f *Fleet) {
	p.primary(f)
	p.backings(f)
	p.local(f)
}

// primary is the system disk: fixed partitions, and a minimum (table 9).
func (p *planner) primary(f *Fleet) {
	var t derive.Terms
	for _, name := range []string{"rootfs", "boot", "scratch", "log", "platform"} {
		t.Product(derive.In(name, inDecimal(p.in.fact("disk."+name))))
	}
	used := p.bytes("compute.partitions", "Partitions of a compute host's primary disk", t.Sum(), t.In...)
	least := inDecimal(p.in.fact("disk.primaryMin"))
	need := p.bytes("compute.primary", "Primary disk of a compute host", "max(partitions, minimum)",
		derive.In("partitions", used), derive.In("minimum", least))
	if !p.in.CPE { // the controller's partitions are larger
		p.Detail(used, need)
	}
	system := p.diskOf(f, "system")
	if len(system) == 0 && len(p.in.Scenario.Hardware.NodeTypes[f.Type].Disks) > 0 {
		p.diskFinding(f, v1alpha1.Warning, "compute.primaryMissing", "no disk of use system: the primary disk is not among "+
			"them", fmt.Sprintf("add one of %s or more", need), need)
	}
	for _, d := range system {
		if float64(d.Size) < need.Number && !p.in.CPE {
			p.diskFinding(f, v1alpha1.Error, "compute.primarySize", fmt.Sprintf("a primary disk of %s, at least %s are required",
				unit.FormatDecimal(d.Size), need), "take a larger disk", need)
		}
		if d.Media == "hdd" {
			p.diskFinding(f, v1alpha1.Error, "compute.primaryMedia", "a primary disk slower than 10,000 revolutions a minute",
				"take SAS disks of 10,000 at least, better SSDs", derive.Value{})
		}
	}
}

func (p *planner) diskOf(f *Fleet, use string) []v1alpha1.Disk {
	var out []v1alpha1.Disk
	for _, d := range p.in.Scenario.Hardware.NodeTypes[f.Type].Disks {
		if d.Use == use {
			out = append(out, d)
		}
	}
	return out
}

func (p *planner) diskFinding(f *Fleet, severity v1alpha1.Severity, id, message, remedy string, figure derive.Value) {
	found := p.Find(severity, id, p.name(f)+": "+message, remedy)
	found.Field, found.Sources = path(f)+".disks", []derive.Source{source}
	if figure.From != nil {
		found.Figure = figure.From.ID
	}
}

// backings lists which backing each server's local disks ask for.
func (p *planner) backings(f *Fleet) {
	stated := p.localBacking(f)
	t := p.Table("compute.backing", "Backing of the VMs' local disks", part.Left("Server"), part.Right("VMs"),
		part.Left("Backing"), part.Left("Why"), part.Left("Price of it"))
	for i := range p.in.Scenario.Workload.Servers {
		sv := &p.in.Scenario.Workload.Servers[i]
		c := p.choice(i)
		if c.Backing == "" || sv.Count == 0 {
			continue
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(sv.Name), part.Num(derive.Of(float64(sv.Count), unit.None)),
			part.Text(c.Backing), part.Text(c.Why), part.Text(c.Against)})
		if stated != "" && stated != c.Backing {
			severity := v1alpha1.Info
			if c.Backing == Remote || c.Backing == CoW && sv.KeepData {
				severity = v1alpha1.Warning
			}
			p.FindAt(severity, "compute.backing["+sv.Name+"]", path(f)+".compute.localBacking",
				fmt.Sprintf("%s: VMs of %s should be backed by %s (%s), the hosts are set to %s", p.name(f), sv.Name, c.Backing,
					c.Why, stated),
				"give such VMs hosts of their own with compute.localBacking: "+c.Backing, source)
		}
		if sv.LiveMigration {
			p.in.Doubts.Met(19)
			p.in.Doubts.Effect(19, "the disks of "+sv.Name+
				" are remote; with copy on write they would be migrated block by block")
		}
	}
	if len(t.Rows) == 0 {
		p.Section.Tables = p.Section.Tables[:len(p.Section.Tables)-1]
	}
}

// localBacking is that which the scenario gives a fleet's hosts; empty is open.
func (p *planner) localBacking(f *Fleet) string {
	if c := p.in.Scenario.Hardware.NodeTypes[f.Type].Compute; c != nil {
		return c.LocalBacking
	}
	return ""
}

// backing is where the local disks of a server lie on a fleet's hosts: as these are
// set, whatever the server asks for, unless its disks have to be remote.
func (p *planner) backing(f *Fleet, i int) string {
	c := p.choice(i).Backing
	if stated := p.localBacking(f); stated != "" && (c == CoW || c == LVM) {
		return stated
	}
	return c
}

func (p *planner) choice(i int) Choice {
	if i < len(p.in.Choices) {
		return p.in.Choices[i]
	}
	return Choice{}
}

// local sizes the secondary disks for each backing that VMs ask for.
func (p *planner) local(f *Fleet) {
	var needs []derive.Value
	for _, backing := range []string{CoW, LVM} {
		if n, size := p.perHost(f, backing); n > 0 {
			needs = append(needs, p.localNeed(f, backing, float64(n), size))
		}
	}
	have := 0.0
	for _, d := range p.diskOf(f, "local") {
		have += float64(d.Size) * float64(max(1, d.Count))
	}
	given := len(p.in.Scenario.Hardware.NodeTypes[f.Type].Disks) > 0
	least := inDecimal(p.in.fact("disk.secondaryMin"))
	if len(needs) == 0 {
		p.noLocal(f, have, given, least)
		return
	}
	if len(needs) > 1 {
		p.diskFinding(f, v1alpha1.Info, "compute.twoBackings", "some VMs ask for copy on write and others for LVM: "+
			"a host has one backing, so they need host aggregates of their own; each backing is sized by itself",
			"split the hosts into two node types with compute.localBacking", derive.Value{})
	}
	p.localMedia(f, v1alpha1.Error, "")
	for _, need := range needs {
		if given && have < need.Number {
			p.diskFinding(f, v1alpha1.Error, "compute.localSize", fmt.Sprintf("local disks of %s, %s are needed",
				unit.FormatDecimal(unit.Bytes(have)), need), "take larger or more disks of use local", need)
		}
	}
}

// localMedia judges what the secondary disks are.
func (p *planner) localMedia(f *Fleet, severity v1alpha1.Severity, use string) {
	if slices.ContainsFunc(p.diskOf(f, "local"), func(d v1alpha1.Disk) bool { return d.Media == "hdd" }) {
		p.diskFinding(f, severity, "compute.localMedia", "a local disk slower than 10,000 revolutions a minute, "+
			"SAS of 10,000 at least is mandatory"+use, "take SAS disks of 10,000 at least, better SSDs", derive.Value{})
	}
}

// noLocal judges the secondary disk of hosts whose VMs have no local disk.
func (p *planner) noLocal(f *Fleet, have float64, given bool, least derive.Value) {
	p.localMedia(f, v1alpha1.Warning, "; no VM uses it")
	if !given || have >= least.Number {
		return
	}
	p.in.Doubts.Met(20)
	p.in.Doubts.Effect(20, fmt.Sprintf("no disk of %s on each host of %s", least, p.name(f)))
	p.diskFinding(f, v1alpha1.Warning, "compute.noSecondary",
		fmt.Sprintf("no secondary disk of %s, which the document calls mandatory; no VM uses one", least),
		"add one if VMs are to boot from images", derive.Value{})
}

// perHost is what the host with the most local disks of a backing holds, before or
// after a loss: the number of such VMs on it, and the mean size of their disks in
// bytes.
func (p *planner) perHost(f *Fleet, backing string) (int, float64) {
	size, all, whole := p.diskSizes(f, backing)
	if all == 0 {
		return 0, 0
	}
	n, bytes := all, whole // on a CPE one host carries all
	if !p.in.CPE {
		n = int(derive.Ceil(float64(all) / float64(max(1, f.Total))))
		bytes = whole / float64(all) * float64(n)
		if loads := slices.Concat(f.Loads, f.After); len(loads) > 0 {
			n, bytes = heaviest(loads, size)
		}
	}
	return n, bytes / float64(n)
}

// diskSizes are the sizes of the local disks of a backing of one VM of each server, 0
// without, with the number of such VMs and the sum over them.
func (p *planner) diskSizes(f *Fleet, backing string) (size []float64, vms int, sum float64) {
	servers := p.in.Scenario.Workload.Servers
	size = make([]float64, len(servers))
	for i := range servers {
		if p.backing(f, i) != backing {
			continue
		}
		if fl, image := FlavorOf(p.in.Scenario, &servers[i]); fl != nil {
			size[i] = LocalDisk(&servers[i], fl, image)
			vms += servers[i].Count
			sum += float64(servers[i].Count) * size[i]
		}
	}
	return size, vms, sum
}

// heaviest is the largest sum of local disks on one host, and the number of VMs with
// such disks there; of equal sums the one of the most VMs.
func heaviest(loads []cloud.Load, size []float64) (vms int, bytes float64) {
	for _, l := range loads {
		n, sum := 0, 0.0
		for _, server := range slices.Sorted(maps.Keys(l.VMs)) {
			if size[server] > 0 {
				n += l.VMs[server]
				sum += float64(l.VMs[server]) * size[server]
			}
		}
		if sum > bytes || sum == bytes && n > vms {
			vms, bytes = n, sum
		}
	}
	return vms, bytes
}

// localNeed records what the local disks of a host must hold with a backing.
func (p *planner) localNeed(f *Fleet, backing string, n, size float64) derive.Value {
	name, m := "["+p.name(f)+"]", p.in.Margin
	overhead := inDecimal(p.in.fact("disk.overhead"))
	count := p.Record(derive.Figure{ID: "compute.local." + backing + ".vms" + name,
		Title: "VMs with local disks of backing " + backing + " on one host of " + p.name(f),
		Value: derive.Of(n, "VMs"), Method: "those on the host with the most bytes of such disks, before or after a loss",
		Inputs: []derive.Input{derive.In("vms", p.in.VMs), derive.In("hosts", p.hostsValue(f))}})
	each := p.Record(derive.Figure{ID: "compute.local." + backing + ".size" + name,
		Title: "Mean local disk of such a VM there",
		Value: inDecimal(derive.Of(size, unit.ByteUnit)), Method: "root disks of images, ephemeral disks and swap of " +
			"flavors, in the mean of the VMs on that host", Inputs: []derive.Input{derive.In("vms", count)}})
	id, title := "compute.local."+backing+name, "Local storage of a host of "+p.name(f)+" with backing "+backing
	var need derive.Value
	if backing == CoW {
		need = p.bytes(id, title, "(vms * size + overhead) * (1 + margin)",
			derive.In("vms", count), derive.In("size", each), derive.In("overhead", overhead), derive.In("margin", m))
		p.Note(id, "the margin is taken of the overhead, too; of the images alone it makes "+
			inDecimal(derive.Of(n*size*(1+m.Number)+overhead.Number, unit.ByteUnit)).Text)
	} else {
		cached, image := p.cached()
		need = p.bytes(id, title, "(cached * image + overhead) * (1 + margin) + vms * size * (1 + margin)",
			derive.In("cached", cached), derive.In("image", image),
			derive.In("overhead", overhead), derive.In("margin", m), derive.In("vms", count), derive.In("size", each))
	}
	least := inDecimal(p.in.fact("disk.secondaryMin"))
	provide := p.bytes("compute.local."+backing+".disk"+name, "Disks to provide for it", "max(need, minimum)",
		derive.In("need", need), derive.In("minimum", least))
	p.Show(provide)
	p.Detail(count, each, need)
	return provide
}

// cached is the number of images that a host of LVM backing keeps, and their mean
// size in bytes.
func (p *planner) cached() (n, size derive.Value) {
	images, bytes := 0.0, 0.0
	for i, m := range p.in.Scenario.Workload.Images {
		k := float64(m.Count)
		if i < len(p.in.Images) {
			k = p.in.Images[i].Number
		}
		images += k
		bytes += k * float64(m.Size)
	}
	n = p.Record(derive.Figure{ID: "compute.local.images", Title: "Images in the cloud",
		Value: derive.Of(images, "images"), Method: "the sum of the scenario's images, growth included"})
	mean := 0.0
	if images > 0 {
		mean = bytes / images
	}
	size = p.Record(derive.Figure{ID: "compute.local.imageSize", Title: "Mean size of an image",
		Value:  inDecimal(derive.Of(mean, unit.ByteUnit)),
		Method: "the scenario's images, weighed by their number", Inputs: []derive.Input{derive.In("images", n)}})
	if c := p.in.Scenario.Storage.Creation.CachedImages; c != nil {
		n = p.Origin.Value("storage.creation.cachedImages", float64(*c), "images")
	}
	return n, size
}
