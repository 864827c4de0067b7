package part

import (
	"cmp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/limit"
)

// Collect puts the parts into the plan: sections in the reading order given (what is
// not in it comes last), findings with those of passed gauges, the worst first, and
// gauges, the nearest first.
func Collect(p *v1alpha1.Plan, parts []*Part, order []string) {
	rank := func(section string) int {
		if i := slices.Index(order, section); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(parts, func(a, b *Part) int {
		return cmp.Compare(rank(a.Section.ID), rank(b.Section.ID))
	})
	for _, s := range parts {
		limit.Sort(s.Gauges) // the worst is told first
		s.Findings = append(s.Findings, passedGauges(s)...)
		p.Sections = append(p.Sections, s.Section)
		p.Findings = append(p.Findings, s.Findings...)
		p.Gauges = append(p.Gauges, s.Gauges...)
	}
	limit.Sort(p.Gauges)
	v1alpha1.SortFindings(p.Findings)
}

// Skip tells what of the input a plan does not count. What is needed fails it, and what can
// change the workload leaves it open.
func Skip(p *v1alpha1.Plan, skipped []v1alpha1.Skipped) {
	p.Skipped = skipped
	p.Verdict.Open = append(p.Verdict.Open, v1alpha1.Undecided(skipped)...)
	if f, ok := v1alpha1.Lacking(skipped); ok {
		p.Findings = append(p.Findings, f)
		v1alpha1.SortFindings(p.Findings)
		p.Verdict.Fits, p.Verdict.Problem = false, f.Message
	}
}

// Conclude says in three sentences what the plan comes to: the summary, the tightest
// limit, and the worst problem.
func Conclude(p *v1alpha1.Plan, summary string) {
	v := &p.Verdict
	v.Fits, v.Problem = true, ""
	for _, f := range p.Findings {
		if f.Severity == v1alpha1.Error {
			v.Fits, v.Problem = false, f.Message
			break
		}
	}
	v.Summary = summary
	v.Tightest = tightest(p.Gauges)
}
