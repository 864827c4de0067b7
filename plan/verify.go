package plan

import (
	"fmt"
	"math"
	"reflect"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
)

// Verify checks a plan by itself: that each formula gives its figure's value, that
// each input has the value of the figure or the fact that it names, that each gauge is
// what its numbers say, and the verdict what gauges and findings say. It plans nothing
// anew, which Confirm does.
func Verify(p *v1alpha1.Plan, c *facts.Catalogue) []error {
	v := verifier{facts: c, figures: map[string]derive.Figure{}}
	for _, f := range p.Figures {
		v.figures[f.ID] = f
	}
	for _, f := range p.Figures {
		if err := f.Check(); err != nil {
			v.errs = append(v.errs, err)
		}
		for _, in := range f.Inputs {
			v.value(f.ID+", "+in.Name, in.Value)
		}
	}
	for _, g := range p.Gauges {
		v.gauge(g)
	}
	v.verdict(p)
	return v.errs
}

type verifier struct {
	facts   *facts.Catalogue
	figures map[string]derive.Figure
	errs    []error
}

func (v *verifier) bad(format string, args ...any) {
	v.errs = append(v.errs, fmt.Errorf(format, args...))
}

// gauge measures a gauge anew and compares what it says.
func (v *verifier) gauge(g limit.Gauge) {
	v.value("limit "+g.ID+", value", g.Value)
	v.value("limit "+g.ID+", limit", g.Limit)
	want := limit.Measure(g.ID, g.Title, g.Scope, g.Value, g.Limit, g.Kind)
	if !equal(g.Share, want.Share) {
		v.bad("limit %s: %v of %v is not a share of %v", g.ID, g.Value.Number, g.Limit.Number, g.Share)
	}
	if g.Verdict != want.Verdict {
		v.bad("limit %s: %s of %s is %s, not %q", g.ID, g.Value, g.Limit, want.Verdict, g.Verdict)
	}
}

// verdict concludes anew from gauges and findings.
func (v *verifier) verdict(p *v1alpha1.Plan) {
	want := *p
	part.Conclude(&want, p.Verdict.Summary)
	if !reflect.DeepEqual(want.Verdict, p.Verdict) {
		v.bad("the verdict does not follow from limits and findings: fits %v, %q, %q; they say fits %v, %q, %q",
			p.Verdict.Fits, p.Verdict.Tightest, p.Verdict.Problem, want.Verdict.Fits, want.Verdict.Tightest,
			want.Verdict.Problem)
	}
}

// value checks that a value is that of the figure or fact it comes from.
func (v *verifier) value(at string, x derive.Value) {
	if x.From == nil {
		return
	}
	switch x.From.Kind {
	case derive.FromFigure:
		f, ok := v.figures[x.From.ID]
		if !ok {
			v.bad("%s: there is no figure %s", at, x.From.ID)
		} else if !equal(f.Value.Number, x.Number) {
			v.bad("%s: %v, but figure %s says %v", at, x.Number, x.From.ID, f.Value.Number)
		}
	case derive.FromFact:
		f, ok := v.facts.Get(x.From.ID)
		if !ok {
			v.bad("%s: there is no fact %s", at, x.From.ID)
		} else if !equal(f.Number, x.Number) && !ofDim(f, x.Number) && !v.measured(x) {
			v.bad("%s: %v, but fact %s says %v", at, x.Number, x.From.ID, f.Number)
		}
	}
}

// ofDim says that a number is one of the fact's dimensions: the size of a
// control plane for 250 workers states the 250, too.
func ofDim(f facts.Fact, number float64) bool {
	for _, d := range f.Dims {
		if n, err := strconv.ParseFloat(d.Value, 64); err == nil && equal(n, number) {
			return true
		}
	}
	return false
}

// measured says that the value is the user's own in place of a fact's.
func (v *verifier) measured(x derive.Value) bool {
	return x.From.Source != nil && x.From.Source.Code == part.OwnMeasurement
}

func equal(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(a)) }
