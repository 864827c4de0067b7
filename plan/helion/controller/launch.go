package controller

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
)

// launch fills the section on the times to create volumes and VMs.
func (p *planner) launch() *part.Part {
	p.Part = part.New("launch", "Creating volumes with VMs")
	if !p.holdsVolumes() {
		p.Section.Summary = "measured with controller storage only; storage nodes are faster, " +
			"and the document has no figure for them"
		p.Show(p.r.Simultaneous)
		return p.Part
	}
	advised, asked := p.advised(), p.parallel()
	p.Gauge(limit.Measure("parallelCreates", "Volumes with VMs created at once", "cluster", asked, advised,
		p.advisedFact().Kind).AsLocal())
	p.in.Doubts.Met(22)
	p.in.Doubts.Effect(22, fmt.Sprintf("%s at once on %s; a Heat stack may hold more VMs than that", advised.Text,
		p.mediaName()))
	p.launchTimes(asked)
	p.launchFindings(asked, advised)
	return p.Part
}

// rotates says whether the disk for volumes rotates; it is an SSD where it is open.
func (p *planner) rotates() bool { return p.lvm.media != "" && !Solid(p.lvm.media) }

// onSSDs reminds of the disks of the measurement where those of the host are slower.
func (p *planner) onSSDs() string {
	if p.rotates() {
		return " (on SSDs; SAS disks take longer)"
	}
	return ""
}

func (p *planner) mediaName() string {
	if p.rotates() {
		return "SAS disks"
	}
	return "SSDs"
}

// advisedFact is how many may be created at once: the document's number for SSDs, or
// what follows of it for disks that rotate.
func (p *planner) advisedFact() facts.Fact {
	if p.rotates() {
		return p.Facts.Must("hcg.create.parallelSAS")
	}
	return p.Facts.Must("hcg.create.parallel")
}

func (p *planner) advised() derive.Value { return p.advisedFact().Value() }

// launchTimes bounds the time for all VMs and for one batch.
func (p *planner) launchTimes(asked derive.Value) {
	if p.in.VolumeVMs.Number <= 0 {
		p.Section.Summary = "no VM boots from a volume of its own"
		return
	}
	one, measured, raw := p.Fact("hcg.create.time"), p.Fact("hcg.create.rawSize"), p.raw()
	shared := []derive.Input{derive.In("one", one), derive.In("raw", raw), derive.In("measured", measured)}
	with := func(in ...derive.Input) []derive.Input { return append(in, shared...) }
	all := p.in.VolumeVMs
	p.r.LaunchLeast = p.seconds("launch.least", "Time to create all volumes with VMs, at least", "ceil(creates / "+
		"parallel) * one * min(1, raw / measured)", with(derive.In("creates", all), derive.In("parallel", asked))...)
	most := func(id, title string, creates derive.Value) derive.Value {
		formula, in := "creates * one * max(1, raw / measured)", with(derive.In("creates", creates))
		if !p.in.Creation.Thin {
			formula, in = formula+" * thick", append(in, derive.In("thick", p.Fact("hcg.create.thickFactor")))
		}
		return p.seconds(id, title, formula, in...)
	}
	p.r.LaunchMost = most("launch.most", "Time to create all volumes with VMs, at most"+p.onSSDs(), all)
	batch := most("launch.batchMost", "Time to create as many as are created at once, at most"+p.onSSDs(), asked)
	p.Show(p.r.LaunchLeast, p.r.LaunchMost)
	p.Detail(raw, batch)
	p.launchNotes()
	p.Section.Summary = fmt.Sprintf("%s, %s at once: between %s and %s%s", all.Text, derive.Of(asked.Number, "").Text,
		p.r.LaunchLeast.Text, p.r.LaunchMost.Text, p.onSSDs())
}

// launchNotes say what the bounds rest on.
func (p *planner) launchNotes() {
	p.Note("launch.least", "as if several at once took no longer than one")
	for _, id := range []string{"launch.most", "launch.batchMost"} {
		p.Note(id, "assumed: several at once take no longer than one after the other. The document's time grows linearly "+
			"with their number; how steeply stood in a chart that is lost, and no slope is invented")
		if p.rotates() {
			p.Note(id, "the document has no figure for SAS disks")
		}
	}
}

// raw is the mean raw size of the images, that of the measurement where there are none.
func (p *planner) raw() derive.Value {
	disks := raw(p.in.Images)
	if part.SizeOf(disks) == 0 {
		v := p.Fact("hcg.create.rawSize")
		return p.bytes("launch.raw", "Mean raw size of an image, as measured for want of images", "measured",
			derive.In("measured", v))
	}
	return p.mean("launch.raw", "Mean raw size of an image", disks)
}

// launchFindings warns of too many at once and of thick provisioning.
func (p *planner) launchFindings(asked, advised derive.Value) {
	if asked.Number > advised.Number {
		p.find(v1alpha1.Warning, "launch.parallel",
			fmt.Sprintf("%s at once: no more than %s volumes with VMs should be created at once on %s", asked.Text,
				derive.Of(advised.Number, "").Text, p.mediaName()),
			fmt.Sprintf("set storage.creation.parallel to %s, or keep the volumes on storage nodes (policy.model: %s)",
				derive.Of(advised.Number, "").Text, Dedicated), derive.Value{}).Field = "storage.creation.parallel"
	}
	if !p.in.Creation.Thin {
		p.find(v1alpha1.Info, "launch.thick", "thick provisioning copies and zeroes the whole size of a volume; "+
			"it may take an order of magnitude longer than thin",
			"set storage.creation.thin to true", derive.Value{}).Field = "storage.creation.thin"
	}
}
