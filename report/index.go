package report

import (
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/limit"
)

// index finds the parts of a plan by id.
type index struct {
	plan    *v1alpha1.Plan
	opt     Options
	figures map[string]derive.Figure
	facts   *facts.Catalogue
}

func newIndex(p *v1alpha1.Plan, opt Options) *index {
	ix := &index{plan: p, opt: opt, figures: make(map[string]derive.Figure, len(p.Figures)), facts: opt.Facts}
	if ix.facts == nil {
		ix.facts = facts.Load()
	}
	for _, f := range p.Figures {
		ix.figures[f.ID] = f
	}
	return ix
}

// terms are the platform's words.
func (ix *index) terms() terms { return wordsOf(ix.plan.Platform) }

// gauges are the plan's gauges, the nearest first.
func (ix *index) gauges() []limit.Gauge {
	out := slices.Clone(ix.plan.Gauges)
	limit.Sort(out)
	return out
}

// count is the number of findings of a severity.
func (ix *index) count(s v1alpha1.Severity) int {
	n := 0
	for _, f := range ix.plan.Findings {
		if f.Severity == s {
			n++
		}
	}
	return n
}

// figuresOf are the figures behind ids, without those that the plan does not have.
func (ix *index) figuresOf(ids []string) []derive.Figure {
	var out []derive.Figure
	for _, id := range ids {
		if f, ok := ix.figures[id]; ok {
			out = append(out, f)
		}
	}
	return out
}

// unlisted are the figures that no section lists, in the plan's order.
func (ix *index) unlisted() []derive.Figure {
	seen := map[string]bool{}
	for _, s := range ix.plan.Sections {
		for _, id := range slices.Concat(s.Figures, s.Details) {
			seen[id] = true
		}
	}
	figures := once(ix.plan.Figures, func(f derive.Figure) string { return f.ID })
	return slices.DeleteFunc(figures, func(f derive.Figure) bool { return seen[f.ID] })
}

// usedFacts are the references to facts in figures and gauges, each fact once,
// sorted by id, with the value it had.
func (ix *index) usedFacts() []derive.Value {
	var out []derive.Value
	for _, f := range ix.plan.Figures {
		out = append(out, each(f.Inputs, func(in derive.Input) derive.Value { return in.Value })...)
	}
	for _, g := range ix.plan.Gauges {
		out = append(out, g.Value, g.Limit)
		out = append(out, each(g.Doubts, func(d limit.Doubt) derive.Value { return d.Limit })...)
	}
	out = slices.DeleteFunc(out, func(v derive.Value) bool { return v.From == nil || v.From.Kind != derive.FromFact })
	out = once(out, func(v derive.Value) string { return v.From.ID })
	slices.SortFunc(out, func(a, b derive.Value) int { return strings.Compare(a.From.ID, b.From.ID) })
	return out
}

// fact is the catalogue's entry behind a value, when it still is what the value
// was taken from.
func (ix *index) fact(v derive.Value) (facts.Fact, bool) {
	if v.From == nil || v.From.Kind != derive.FromFact {
		return facts.Fact{}, false
	}
	f, ok := ix.facts.Get(v.From.ID)
	return f, ok && f.Number == v.Number
}

// oneLine is s without control characters and line breaks.
func oneLine(s string) string { return strings.TrimSpace(table.Clean(s)) }
