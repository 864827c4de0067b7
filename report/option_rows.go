package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report/chart"
	"plimsoll.dev/unit"
)

// optionRows has a row an option, the chosen one first, then by price or number: how far
// floor, packing and placement are apart, and what it costs. Of more than most only the
// first are shown.
func (ix *index) optionRows(most int) Grid {
	w := ix.terms()
	g := Grid{ID: "option-counts", Prose: true,
		Columns: heads("Option", "Verdict", ">Floor", ">Packed", ">Placed", ">Price", ">In all")}
	options := slices.Clone(ix.plan.Options)
	slices.SortStableFunc(options, func(a, b v1alpha1.Option) int {
		return cmp.Compare(optionRank(a), optionRank(b))
	})
	month, costs := ix.monthly()
	if costs {
		g.Columns[6].Title = "A month, in all"
	}
	end, dearest := 0.0, 0.0
	for _, o := range options {
		end, dearest = max(end, rangeOf(o, w).Last()), max(dearest, o.Cost)
	}
	for _, o := range options[:min(most, len(options))] {
		verdict := optionVerdict(o)
		placed := "not placed"
		if w == serverWords || wasPlaced(o) {
			placed = orNone(o.Total)
		}
		cost := Cell{Text: priced(o.Cost)}
		if o.Cost > 0 {
			cost.Drawing = chart.Amount(o.Cost/dearest, o.Chosen)
			if costs {
				cost.Text = unit.Format(math.Round(o.Cost*month.Number), month.Unit)
			}
		}
		g.Rows = append(g.Rows, []Cell{{Text: o.Name, Drawing: rangeOf(o, w).Draw(end)},
			{Text: verdict.Text, Mark: verdict.Mark}, {Text: orNone(o.Floor)}, {Text: orNone(max(o.Base, o.Needed))},
			{Text: placed}, {Text: priced(o.Price)}, cost})
	}
	g = g.dropped()
	if n := len(options) - most; n > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("and %d more", n))
	}
	return g
}

// optionRank puts the chosen option first, and last those that don't fit.
func optionRank(o v1alpha1.Option) int {
	switch {
	case o.Chosen:
		return 0
	case o.Fits:
		return 1
	}
	return 2
}

// monthly is what a month costs for each unit of an option's cost; ok is false where the plan
// does not know it.
func (ix *index) monthly() (month derive.Value, ok bool) {
	f, known := ix.figures["nodes.cost.month"]
	i := slices.IndexFunc(ix.plan.Options, func(o v1alpha1.Option) bool { return o.Chosen && o.Cost > 0 })
	if !known || i < 0 {
		return month, false
	}
	return derive.Of(f.Value.Number/ix.plan.Options[i].Cost, f.Value.Unit), true
}

// wasPlaced reports whether placement has said something of an option's number of nodes.
func wasPlaced(o v1alpha1.Option) bool {
	return o.Verified != nil && o.Verified.Status != v1alpha1.Estimated
}

// rangeOf is what each way to count the nodes of an option comes to.
func rangeOf(o v1alpha1.Option, w terms) chart.Range {
	r := chart.Range{}
	if o.Comparison != nil {
		r = comparedRange(*o.Comparison)
	}
	r.Floor, r.Packed = float64(o.Floor), float64(max(o.Base, o.Needed))
	if w == serverWords || wasPlaced(o) {
		r.Placed = float64(o.Total)
	}
	return r
}

// scheduled is what the scheduler of the release needs, over the orders of arrival.
func scheduled(c v1alpha1.NodeComparison) (least, most float64) {
	for _, n := range c.Needed {
		if n.Rules != c.Needed[0].Rules {
			break
		}
		low := float64(cmp.Or(n.Least, n.Nodes))
		if least == 0 || low < least {
			least = low
		}
		most = max(most, float64(n.Nodes), float64(n.Most))
	}
	return least, most
}

// rangeLegend explains the drawings of options.
func rangeLegend(options []v1alpha1.Option) Legend {
	out := Legend{{"proven floor", chart.RangeSwatch("floor")}, {"packed", chart.RangeSwatch("packed")}}
	if len(comparisons(options)) > 0 {
		out = append(out, kindView{"the scheduler, by the order of arrival", chart.RangeSwatch("order")})
	}
	return append(out, kindView{"placed, with all that the policy asks", chart.RangeSwatch("placed")})
}

// gapText says what the placed nodes of an option are more than the floor for; empty where
// they are no more, or where the scenario gives them.
func gapText(o v1alpha1.Option, w terms) string {
	gap := o.Total - o.Floor
	if gap <= 0 || o.Floor <= 0 || o.Given == o.Total || !wasPlaced(o) {
		return ""
	}
	arrival := o.Floor
	if o.Comparison != nil {
		for _, n := range slices.Backward(o.Comparison.Needed) {
			if n.Order == o.Verified.Order && n.Rules == o.Comparison.Needed[0].Rules {
				arrival = max(o.Floor, min(n.Nodes, o.Total))
			}
		}
	}
	why := "as the scheduler takes the " + w.Unit + "s in the order in which they arrive"
	asked := "so that every " + w.Unit + " has a place also when " + strings.Join(o.Verified.Asked, ", or when ")
	switch byOrder, byPolicy := arrival-o.Floor, o.Total-arrival; {
	case len(o.Verified.Asked) == 0 || byPolicy == 0:
	case byOrder == 0:
		why = asked
	default:
		why = fmt.Sprintf("%d %s, and %d %s", byOrder, why, byPolicy, asked)
	}
	return fmt.Sprintf("%s: %s more than the floor: %s", o.Name, words.Count(gap, w.Place), why)
}

// given says that the scenario counts too few of the chosen nodes, which place takes. Of a
// cloud's hosts it is a finding.
func given(p *v1alpha1.Plan) string {
	for _, o := range p.Options {
		if p.Decisions.Helion == nil && o.Chosen && o.Given > 0 && o.Given < o.Total {
			return words.Count(o.Given, "node") + ", as the scenario counts them: " +
				words.Count(o.Total-o.Given, "more is", "more are") + " needed"
		}
	}
	return ""
}
