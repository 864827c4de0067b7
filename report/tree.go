package report

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
)

// node is a value with everything below it, down to facts and fields. It is
// what Why writes as JSON.
type node struct {
	// Name of the value in the formula above it.
	Name  string       `json:"name,omitempty"`
	Value derive.Value `json:"value"`
	// Title of the figure or the fact.
	Title string `json:"title,omitempty"`
	// Formula of the figure, with names, with numbers in base units, and evaluated.
	Formula string `json:"formula,omitempty"`
	Numbers string `json:"numbers,omitempty"`
	Result  string `json:"result,omitempty"`
	// Problem says that formula and value disagree, or that a figure is missing.
	Problem string          `json:"problem,omitempty"`
	Method  string          `json:"method,omitempty"`
	Notes   []string        `json:"notes,omitempty"`
	Sources []derive.Source `json:"sources,omitempty"`
	// Why a default has its value.
	Why string `json:"why,omitempty"`
	// Fact is the catalogue's entry.
	Fact *facts.Fact `json:"fact,omitempty"`
	// Above says that the figure was worked out at an earlier mention.
	Above bool `json:"above,omitempty"`
	// Inputs of the formula or method.
	Inputs []node `json:"inputs,omitempty"`
}

// grower makes trees in which each figure is worked out once.
type grower struct {
	*index
	seen map[string]bool
}

func (ix *index) grower() *grower { return &grower{ix, map[string]bool{}} }

// figure is the tree below a figure of the plan.
func (g *grower) figure(f derive.Figure) node {
	v := f.Value
	v.From = &derive.Ref{Kind: derive.FromFigure, ID: f.ID}
	return g.value("", v)
}

// value is the tree below a value. A figure that was worked out before, and so
// also one that needs itself, is only referred to.
func (g *grower) value(name string, v derive.Value) node {
	n := node{Name: name, Value: v}
	if v.From == nil {
		return n
	}
	switch v.From.Kind {
	case derive.FromFigure:
		g.fill(&n, v.From.ID)
	case derive.FromFact:
		if f, ok := g.fact(v); ok {
			n.Title, n.Fact = f.Title, &f
		}
	case derive.FromDefault:
		for _, a := range g.plan.Assumptions {
			if a.Field == v.From.ID {
				n.Why = a.Why
			}
		}
	}
	return n
}

func (g *grower) fill(n *node, id string) {
	f, ok := g.figures[id]
	if !ok {
		n.Problem = "the plan has no figure " + id
		return
	}
	n.Title = f.Title
	if g.seen[id] {
		n.Above = true
		return
	}
	g.seen[id] = true
	e := explain(f)
	n.Formula, n.Numbers, n.Result, n.Problem = f.Formula, e.Numbers, e.Result, e.Problem
	n.Method, n.Notes, n.Sources = f.Method, f.Notes, f.Sources
	for _, in := range f.Inputs {
		n.Inputs = append(n.Inputs, g.value(in.Name, in.Value))
	}
}

// gauge is the trees below a gauge: the planned value, the limit, the doubts.
func (g *grower) gauge(x limit.Gauge) []node {
	out := []node{g.value("planned", x.Value), g.value("limit", x.Limit)}
	for _, d := range x.Doubts {
		out = append(out, g.value("other limit", d.Limit))
	}
	return out
}

// ids are the figures of a tree, in the order in which they are worked out.
func (n node) ids() []string {
	var out []string
	if r := n.Value.From; r != nil && r.Kind == derive.FromFigure && !n.Above {
		out = append(out, r.ID)
	}
	for _, in := range n.Inputs {
		out = append(out, in.ids()...)
	}
	return out
}
