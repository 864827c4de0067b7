package controller

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// group is a number of hosts that log alike.
type group struct {
	// name of the facts: controller, storage or compute; title for the reader.
	name, title string
	hosts       derive.Value
}

// logging fills the section on remote logging.
func (p *planner) logging() *part.Part {
	p.Part = part.New("logging", "Remote logging")
	groups := p.groups()
	p.r.Logs = p.logTotal("logs", "Logs of all hosts", "logs/day", groups)
	p.r.LogBandwidth = p.logTotal("bandwidth", "Bandwidth of all logs", unit.BitsPerS, groups)
	p.r.LogBytes = p.logTotal("bytes", "Logs that the remote server keeps of each day", unit.ByteUnit, groups)
	p.Note("logging.bandwidth", "a mean over the day without the protocol's overhead: 250 bytes a log; "+
		"all of it leaves through the OAM port of the active controller")
	p.Show(p.r.Logs, p.r.LogBandwidth, p.r.LogBytes)
	p.logDoubt(groups)
	p.logTable(groups)
	p.Section.Summary = fmt.Sprintf("%s and %s on the log server; %s on average through the active controller",
		p.r.Logs.Text, p.r.LogBytes.Text, p.r.LogBandwidth.Text)
	return p.Part
}

// groups are the hosts of the cloud. The two hosts of a CPE log as controllers and
// as computes, the greater load; the document does not say.
func (p *planner) groups() []group {
	model := p.in.Model
	if model == Regions {
		model = Dedicated
	}
	controllers := p.Fact("hcg.model.controllers/" + model)
	list := []group{{"controller", "Controllers", controllers}}
	if p.in.StorageHosts.Number > 0 {
		list = append(list, group{"storage", "Storage hosts", p.in.StorageHosts})
	}
	switch {
	case model == CPE:
		list = append(list, group{"compute", "The same as computes", controllers})
	case p.in.Computes.Number > 0:
		list = append(list, group{"compute", "Computes", p.in.Computes})
	}
	return list
}

// logRate is what one host of a group logs.
func (p *planner) logRate(name, quantity string) derive.Value {
	if name == "storage" && quantity == "bytes" {
		return p.in.Doubts.Pick(1, "hcg.log.storage.bytes", "hcg.log.storage.bytesPrinted")
	}
	return p.Fact("hcg.log." + name + "." + quantity)
}

// logTotal records a quantity over all hosts.
func (p *planner) logTotal(quantity, title, unitName string, groups []group) derive.Value {
	var t derive.Terms
	for _, g := range groups {
		t.Product(derive.In(g.name+"Hosts", g.hosts), derive.In(g.name, p.logRate(g.name, quantity)))
	}
	total := derive.Solve(t.Sum(), t.In...)
	v := derive.Of(total, unitName)
	if unitName == unit.ByteUnit {
		v.Text = part.InDecimal(total)
	}
	return p.Record(derive.Figure{ID: "logging." + quantity, Title: title, Value: v, Formula: t.Sum(), Inputs: t.In,
		Sources: []derive.Source{p.Facts.Must("hcg.log.controller.logs").Source}})
}

// logDoubt says what the other reading of table 6 would make of it.
func (p *planner) logDoubt(groups []group) {
	own := p.Facts.Must("hcg.log.storage.bytes").Source.Code == part.OwnMeasurement
	for _, g := range groups {
		if g.name != "storage" || own {
			continue
		}
		used, careful, printed := p.logRate("storage", "bytes"), p.Fact("hcg.log.storage.bytes"),
			p.Fact("hcg.log.storage.bytesPrinted")
		other := printed
		if used.Number == printed.Number {
			other = careful
		}
		with := p.r.LogBytes.Number + g.hosts.Number*(other.Number-used.Number)
		p.in.Doubts.Effect(1, fmt.Sprintf("%s a day on the log server; with %s for each storage host it would be %s",
			p.r.LogBytes.Text, part.InDecimal(other.Number), part.InDecimal(with)))
	}
}

// logTable lists the hosts.
func (p *planner) logTable(groups []group) {
	t := p.Table("logging.hosts", "Logs by kind of host, each day", part.Left("Hosts"), part.Right("Number"),
		part.Right("Logs of one"), part.Right("Bandwidth of one"), part.Right("Storage of one"))
	for _, g := range groups {
		bytes := p.logRate(g.name, "bytes")
		t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text(g.title), part.Bare(g.hosts), part.Num(p.logRate(g.name, "logs")),
			part.Num(p.logRate(g.name, "bandwidth")),
			part.Num(bytes.WithText(part.InDecimal(bytes.Number)))})
	}
	t.Rows = append(t.Rows, []v1alpha1.Cell{part.Text("All together"), part.Text(""), part.Num(p.r.Logs),
		part.Num(p.r.LogBandwidth), part.Num(p.r.LogBytes)})
	if p.in.Model == CPE {
		t.Notes = []string{
			"The hosts of a CPE are counted as controllers and as computes; the document does not say what they log.",
		}
	}
}
