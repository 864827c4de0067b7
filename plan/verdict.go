package plan

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// sortFindings puts errors first and keeps the order within a severity.
func sortFindings(list []v1alpha1.Finding) {
	slices.SortStableFunc(list, func(a, b v1alpha1.Finding) int {
		return cmp.Compare(slices.Index(v1alpha1.Severities(), a.Severity), slices.Index(v1alpha1.Severities(), b.Severity))
	})
}

// verdict says in three sentences what the plan comes to.
func (p *planner) verdict() {
	v := &p.plan.Verdict
	v.Fits = true
	for _, f := range p.plan.Findings {
		if f.Severity == v1alpha1.Error {
			v.Fits, v.Problem = false, f.Message
			break
		}
	}
	v.Summary = p.summary()
	v.Tightest = tightest(p.plan.Gauges)
}

// summary says what is to be bought.
func (p *planner) summary() string {
	if p.choice == nil {
		return "no nodes can be planned"
	}
	const most = 4
	s := ""
	for i, r := range p.choice.rooms {
		if n := p.choice.opt.Nodes[i].Count; n > 0 {
			s += fmt.Sprintf("%s %s, ", derive.Of(float64(n), "workers"), r.Type.Name)
		}
	}
	if n := len(p.choice.rooms); n > most {
		s = fmt.Sprintf("%s of %d types, ", derive.Of(p.choice.total.Number, "workers"), n)
	}
	if n := p.infra.count.Int(); n > 0 {
		s += derive.Of(float64(n), "infrastructure nodes").Text + ", "
	}
	return s + fmt.Sprintf("%s for %s", derive.Of(float64(p.s.Policy.ControlPlaneNodes), "control plane nodes"), p.load.count)
}

// tightest names the limit that is passed, or else the nearest of those that
// grow with the workload: the first of the sorted gauges.
func tightest(gauges []limit.Gauge) string {
	for _, g := range gauges {
		if g.Share == 0 {
			continue
		}
		kind := string(g.Kind)
		if g.Limit.From != nil && g.Limit.From.Source != nil {
			kind += ", " + g.Limit.From.Source.String()
		}
		s := fmt.Sprintf("%s: %s of %s (%s)", g.Title, g.Value, g.Limit, kind)
		if sameUnit(g) {
			s = fmt.Sprintf("%s: %s of %s (%s)", g.Title, derive.Of(g.Value.Number, unit.None), g.Limit, kind)
		}
		if g.Verdict == limit.Passed {
			return s + ", passed at " + percent(g.Share)
		}
		return s + ", " + percent(g.Share) + " used"
	}
	return "no published limit applies"
}

// sameUnit says that the value needs no unit beside the limit's.
func sameUnit(g limit.Gauge) bool {
	return g.Value.Unit == g.Limit.Unit && g.Value.Unit != unit.ByteUnit && g.Value.Unit != unit.Millicores
}
