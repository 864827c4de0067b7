package report

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// withNeeded adds what the scheduler needs and what is proven, for the options of which
// both plans know it: a plan without, because it is older or large, has not lost
// anything.
func withNeeded(before, after *index, found []change) []change {
	a, b, w := before.plan, after.plan, after.terms()
	var old, now []entry
	for _, x := range a.Options {
		i := slices.IndexFunc(b.Options, func(o v1alpha1.Option) bool { return o.Name == x.Name })
		if i >= 0 && x.Comparison != nil && b.Options[i].Comparison != nil {
			old, now = append(old, needed(*x.Comparison, w)...), append(now, needed(*b.Options[i].Comparison, w)...)
		}
	}
	if len(a.Proofs) > 0 && len(b.Proofs) > 0 {
		old, now = append(old, proven(a.Proofs, w)...), append(now, proven(b.Proofs, w)...)
	}
	return append(found, pairs(old, now)...)
}

func needed(c v1alpha1.NodeComparison, w terms) []entry {
	return each(c.Needed, func(n v1alpha1.NeededNodes) entry {
		number := float64(n.Nodes)
		return entry{ID: c.Option + ": scheduler, " + n.Rules + ", " + n.Order,
			Title: title(w.Place) + "s that the scheduler needs", Text: neededText(n), Number: &number}
	})
}

func proven(list []v1alpha1.Proof, w terms) []entry {
	var out []entry
	for i, line := range proofLines(list, w) {
		out = append(out, entry{ID: list[i].Option + ": certificate, " + list[i].Basis, Title: "Packing with a proven floor",
			Text: line})
	}
	return out
}

// essence is a plan without what may differ between plans that say the same: the
// certificates, which are one proof of many, and the comparison with the
// scheduler, which diffNeeded compares where it can be.
func essence(p *v1alpha1.Plan) v1alpha1.Plan {
	out := *p
	out.Proofs = nil
	out.Options = slices.Clone(p.Options)
	for i := range out.Options {
		out.Options[i].Comparison = nil
	}
	return out
}
