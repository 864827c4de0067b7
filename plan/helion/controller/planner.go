package controller

import (
	"fmt"
	"math"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

// Plan sizes the controllers. The parts are the sections "controller", "drbd",
// "logging" (with remote logging only) and "launch".
func Plan(in Input) (Result, []*part.Part) {
	if in.Doubts == nil {
		in.Doubts = doubt.New(doubt.Careful, in.Facts)
	}
	p := &planner{Sheet: part.On(in.Book, in.Facts, in.Origin, nil, "storage"), in: in}
	parts := []*part.Part{p.controller(), p.drbd()}
	if in.RemoteLogging {
		parts = append(parts, p.logging())
	}
	return p.r, append(parts, p.launch())
}

type planner struct {
	part.Sheet
	in Input
	r  Result

	// fixed are the partitions of fixed size, platform and rabbitmq among them.
	fixed []partition
	// primary and lvm are the disks of the host given.
	primary, lvm device
	// largest is the figure of the conversion by the largest image.
	largest derive.Value
}

// hcg is the document's chapter on controllers.
var hcg = derive.Source{Code: "HCG", Section: "3"}

// starlingx is where the rules of DRBD were read that the document leaves out.
func (p *planner) starlingx() derive.Source { return p.Facts.Must("starlingx.drbd.cap").Source }

// disk is a fact in bytes, written in decimal multiples.
func (p *planner) disk(name string) derive.Value {
	v := p.Fact("hcg.controller.disk." + name)
	return v.WithText(part.InDecimal(v.Number))
}

// holdsVolumes says that the controllers hold the Cinder volumes.
func (p *planner) holdsVolumes() bool { return p.in.Model == CPE || p.in.Model == Controller }

// bytes records a figure in bytes of disk.
func (p *planner) bytes(id, title, formula string, in ...derive.Input) derive.Value {
	number := derive.Solve(formula, in...)
	v := derive.Of(number, unit.ByteUnit).WithText(part.InDecimal(number))
	return p.Record(derive.Figure{ID: id, Title: title, Value: v, Formula: formula, Inputs: in,
		Sources: []derive.Source{hcg}})
}

// seconds records a figure of time.
func (p *planner) seconds(id, title, formula string, in ...derive.Input) derive.Value {
	return p.Record(derive.Figure{ID: id, Title: title, Value: inTime(derive.Solve(formula, in...)), Formula: formula,
		Inputs: in, Sources: []derive.Source{hcg}})
}

// inTime is a time in seconds; years are written in days.
func inTime(number float64) derive.Value {
	v := derive.Of(number, unit.Seconds)
	if number >= 1000*86400 {
		v.Text = unit.Format(math.Round(number/86400), "days")
	}
	return v
}

// sum records the sum of values in bytes.
func (p *planner) sum(id, title string, list []partition) derive.Value {
	var t derive.Terms
	for _, v := range list {
		t.Product(derive.In(v.name, v.size))
	}
	return p.bytes(id, title, t.Of("sum"), t.In...)
}

// manyItems is from how many kinds on a sum is told in words, not term by term.
const manyItems = 40

// total records what items need: the sum of count times size.
func (p *planner) total(id, title string, items []part.Items) derive.Value {
	var t derive.Terms
	for i, item := range items {
		t.Product(derive.In(fmt.Sprintf("n%d", i+1), item.Count), derive.In(fmt.Sprintf("s%d", i+1), item.Size))
	}
	if len(items) > manyItems {
		sum := derive.Solve(t.Sum(), t.In...)
		return p.Record(derive.Figure{ID: id, Title: title,
			Value:  derive.Of(sum, unit.ByteUnit).WithText(part.InDecimal(sum)),
			Method: fmt.Sprintf("the sum of count times size over %d kinds", len(items)), Sources: []derive.Source{hcg}})
	}
	return p.bytes(id, title, t.Sum(), t.In...)
}

// count records the number of items.
func (p *planner) count(id, title, noun string, items []part.Items) derive.Value {
	var t derive.Terms
	for i, item := range items {
		t.Product(derive.In(fmt.Sprintf("n%d", i+1), item.Count))
	}
	if len(items) > manyItems {
		n := derive.Solve(t.Of("sum"), t.In...)
		return p.Record(derive.Figure{ID: id, Title: title, Value: derive.Of(n, noun),
			Method: fmt.Sprintf("the sum over %d kinds", len(items))})
	}
	return p.Calc(id, title, noun, t.Of("sum"), t.In...)
}

// find adds a finding of the chapter about a figure.
func (p *planner) find(severity v1alpha1.Severity, id, message, remedy string, about derive.Value) *v1alpha1.Finding {
	f := p.Find(severity, id, message, remedy)
	f.Sources = []derive.Source{hcg}
	if about.From != nil {
		switch about.From.Kind {
		case derive.FromFigure:
			f.Figure = about.From.ID
		case derive.FromScenario, derive.FromDefault:
			f.Field = about.From.ID
		}
	}
	return f
}
