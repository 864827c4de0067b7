// Package sample holds plans, placements and a packing made by hand, for the tests
// of reports: a likely plan after the example of OCP 9.4, a later edition of it to
// compare with, placements from two cores to 500 nodes, and of both one in which
// every text is hostile.
//
// It plans and places nothing, and its numbers of nodes are chosen, not packed.
//
//	p := sample.Plan()
package sample

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
)

// Plan is a likely plan: OCP 9.4 on OpenShift 4.4 with a cluster network that
// is too small for the growth in mind.
func Plan() *v1alpha1.Plan { return build(input{namespaces: 9200, podsPerNode: 54, cidrBits: 17}) }

// Later is Plan after its network was mended and its workload has grown.
func Later() *v1alpha1.Plan { return build(input{namespaces: 11000, podsPerNode: 110, cidrBits: 14}) }

// input is what differs between the plans.
type input struct{ namespaces, podsPerNode, cidrBits int }

// builder gathers a plan.
type builder struct {
	input
	derive.Book
	facts *facts.Catalogue
	plan  v1alpha1.Plan
}

func build(in input) *v1alpha1.Plan {
	b := &builder{input: in, facts: Facts()}
	b.plan = v1alpha1.Plan{
		APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindPlan,
		Metadata: v1alpha1.Metadata{Name: "web-shop", Description: "The example of OCP 9.4: four pod types, 500 pods, three kinds of node to choose from."},
		Platform: v1alpha1.Platform{Type: "openshift", Release: "4.4", Provider: "aws", Service: "self-managed"},
	}
	b.workload()
	b.nodes()
	b.network()
	b.control()
	b.services()
	b.gauges()
	b.findings()
	b.choices()
	b.plan.Figures = b.Figures()
	limit.Sort(b.plan.Gauges)
	b.verdict()
	return &b.plan
}

func (b *builder) verdict() {
	b.plan.Verdict = v1alpha1.Verdict{
		Fits:     true,
		Summary:  "57 x m5.2xlarge workers (8 CPUs, 32 GiB), 3 infra nodes, 3 control plane machines (16 cores, 96 GB)",
		Tightest: "Namespaces come first: 11,000 namespaces are 110 % of the 10,000 tested (OCP 9.2).",
	}
	for _, f := range b.plan.Findings {
		if f.Severity == v1alpha1.Error {
			b.plan.Verdict.Fits = false
			b.plan.Verdict.Problem = f.Message
			b.plan.Verdict.Tightest = "The cluster network comes first: 150 nodes are 234 % of the 64 nodes that 10.128.0.0/17 can address."
		}
	}
}

func (b *builder) fact(name string, id string) derive.Input {
	return derive.In(name, b.facts.Must(id).Value())
}

// section appends a section; what lies behind the values is listed in it.
func (b *builder) section(id, title, summary string, shown, details []derive.Value, tables ...v1alpha1.Table) {
	ids := func(values []derive.Value) (out []string) {
		for _, v := range values {
			out = append(out, v.From.ID)
		}
		return out
	}
	b.plan.Sections = append(b.plan.Sections, v1alpha1.Section{
		ID: id, Title: title, Summary: summary, Figures: ids(shown), Details: ids(details), Tables: tables,
	})
}

func num(v derive.Value) v1alpha1.Cell {
	n := v.Number
	c := v1alpha1.Cell{Text: v.Text, Number: &n, Unit: v.Unit}
	if v.From != nil && v.From.Kind == derive.FromFigure {
		c.Figure = v.From.ID
	}
	return c
}

func text(s string) v1alpha1.Cell         { return v1alpha1.Cell{Text: s} }
func marked(s, mark string) v1alpha1.Cell { return v1alpha1.Cell{Text: s, Mark: mark} }
func left(title string) v1alpha1.Column   { return v1alpha1.Column{Title: title} }
func right(title string) v1alpha1.Column  { return v1alpha1.Column{Title: title, Right: true} }
