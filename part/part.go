// Package part is what each part of a plan returns beside its own results: a
// section of figures and tables, findings, and gauges.
//
// It holds no rules. The packages beside it (network, control, monitor, …) fill
// a Part each, on a Sheet; package plan puts them together.
//
//	s := part.On(&book, facts, origin, part.New("network", "Cluster network"), "network")
//	s.Show(s.Calc("network.hostPrefix", …))
//	s.Find(v1alpha1.Error, "network.cidr.tooSmall", "…", "…")
package part

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
)

// Part is one part of a plan.
type Part struct {
	Section  v1alpha1.Section
	Findings []v1alpha1.Finding
	Gauges   []limit.Gauge
}

// New returns an empty part for the section id with its title.
func New(id, title string) *Part {
	return &Part{Section: v1alpha1.Section{ID: id, Title: title}}
}

// Show lists the figures behind the values among those that every reader
// wants. Values that are not figures are ignored.
func (p *Part) Show(values ...derive.Value) {
	for _, v := range values {
		if v.From != nil && v.From.Kind == derive.FromFigure {
			p.Section.Figures = append(p.Section.Figures, v.From.ID)
		}
	}
}

// Detail lists the figures behind the values among those of wide output.
func (p *Part) Detail(values ...derive.Value) {
	for _, v := range values {
		if v.From != nil && v.From.Kind == derive.FromFigure {
			p.Section.Details = append(p.Section.Details, v.From.ID)
		}
	}
}

// Find adds a finding and returns it for completion (figure, field, sources).
// The pointer is good until the next finding is added.
func (p *Part) Find(severity v1alpha1.Severity, id, message, remedy string) *v1alpha1.Finding {
	p.Findings = append(p.Findings, v1alpha1.Finding{Severity: severity, ID: id, Message: message, Remedy: remedy})
	return &p.Findings[len(p.Findings)-1]
}

// FindAt is Find about a field of the scenario, with the sources of what it says.
func (p *Part) FindAt(severity v1alpha1.Severity, id, field, message, remedy string,
	sources ...derive.Source) *v1alpha1.Finding {
	f := p.Find(severity, id, message, remedy)
	f.Field, f.Sources = field, sources
	return f
}

// Gauge adds gauges.
func (p *Part) Gauge(gauges ...limit.Gauge) { p.Gauges = append(p.Gauges, gauges...) }

// Table adds a table and returns it for filling. The pointer is good until the
// next table is added.
func (p *Part) Table(id, title string, columns ...v1alpha1.Column) *v1alpha1.Table {
	p.Section.Tables = append(p.Section.Tables, v1alpha1.Table{ID: id, Title: title, Columns: columns})
	return &p.Section.Tables[len(p.Section.Tables)-1]
}

// Left is a column of text.
func Left(title string) v1alpha1.Column { return v1alpha1.Column{Title: title} }

// Right is a column of numbers.
func Right(title string) v1alpha1.Column { return v1alpha1.Column{Title: title, Right: true} }

// Text is a cell of text.
func Text(s string) v1alpha1.Cell { return v1alpha1.Cell{Text: s} }

// Marked is a cell of text with a judgement: good, warn or bad.
func Marked(s, mark string) v1alpha1.Cell { return v1alpha1.Cell{Text: s, Mark: mark} }

// Num is a cell with a value; it links to the figure that the value comes from.
func Num(v derive.Value) v1alpha1.Cell {
	n := v.Number
	c := v1alpha1.Cell{Text: v.Text, Number: &n, Unit: v.Unit}
	if v.From != nil && v.From.Kind == derive.FromFigure {
		c.Figure = v.From.ID
	}
	return c
}

// Bare is a cell of a number whose unit stands in the heading.
func Bare(v derive.Value) v1alpha1.Cell {
	return Num(v.WithText(derive.Of(v.Number, "").Text))
}

// OCP is a section of the OpenShift 4.4 guide.
func OCP(section string) derive.Source { return derive.Source{Code: "OCP", Section: section} }
