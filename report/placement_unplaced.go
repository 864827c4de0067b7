package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
)

// unplaced says of each kind of pod that does not run why. The default output tells
// types with the same reasons as one, and so does Markdown and a page above the types.
func unplaced(p *v1alpha1.Placement, format string) []Block {
	single, groups := alike(p.PodTypes, true), alike(p.PodTypes, false)
	list := func(of []trouble, all bool) List {
		return List{Items: each(of, func(g trouble) Item {
			return Item{Mark: "bad", Text: g.title(), Items: items("", g.reasons(all, nodeCount(p)))}
		})}
	}
	switch {
	case short(format):
		more := Para{Style: table.Faint}
		if n := len(groups) - problemRows; n > 0 {
			groups, more = groups[:problemRows], andMore(n, "reason", "lists them")
		}
		return []Block{list(groups, false), more}
	case format == Wide || len(groups) == len(single):
		return []Block{list(single, true)}
	}
	return []Block{list(groups, false), Fold{"Each type by itself", []Block{list(single, true)}}}
}

// trouble is a number of pod types that do not run for the same reasons.
type trouble []v1alpha1.PodOutcome

// alike groups the types in trouble by their reasons, the most pods first; apart
// leaves each by itself, in the order of the types.
func alike(types []v1alpha1.PodOutcome, apart bool) []trouble {
	var groups []trouble
	for _, o := range types {
		if inTrouble(o) {
			groups = append(groups, trouble{o})
		}
	}
	if apart {
		return groups
	}
	groups = merged(groups, func(g *trouble) (string, bool) { return troubleKey((*g)[0]), true },
		func(to *trouble, g trouble) { *to = append(*to, g...) })
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b v1alpha1.PodOutcome) int { return cmp.Compare(b.Pending, a.Pending) })
	}
	slices.SortStableFunc(groups, func(a, b trouble) int { return cmp.Compare(b.pending(), a.pending()) })
	return groups
}

// troubleKey is equal for types whose pods are kept out by the same reasons.
func troubleKey(o v1alpha1.PodOutcome) string {
	reasons := each(o.Reasons, func(r v1alpha1.UnfitReason) string { return r.Reason })
	slices.Sort(reasons)
	message := ""
	if len(reasons) == 0 {
		message = o.Message
	}
	return fmt.Sprintf("%q %q %t %t %t %s", reasons, message, o.Pending > 0, o.Runaway, o.NUMAAware != nil,
		helpful(o.Preemption))
}

// helpful is the preemption that would help; it is empty when none would.
func helpful(preemption string) string {
	if unhelpful(preemption) {
		return ""
	}
	return preemption
}

// unhelpful says that a text on preemption is kube-scheduler's message of its
// failure: "0/3 nodes are available: ...".
func unhelpful(preemption string) bool {
	return strings.HasPrefix(strings.TrimPrefix(preemption, "preemption: "), "0/")
}

func (g trouble) pending() int {
	return sumOf(g, func(o v1alpha1.PodOutcome) int { return o.Pending })
}

// title is "second: 1 pod pending", or names several types with their numbers.
func (g trouble) title() string {
	if len(g) == 1 {
		return pendingTitle(g[0])
	}
	names := each(g[:min(typesNamed, len(g))], func(o v1alpha1.PodOutcome) string {
		return o.Name + " x" + words.Number(max(o.Pending, 1))
	})
	if n := len(g) - typesNamed; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	what := words.Count(g.pending(), "pod") + " pending"
	switch {
	case g.pending() == 0 && g[0].Failed > 0:
		what = "pods refused by kubelets for good"
	case g.pending() == 0:
		what = "pods refused by kubelets before all ran"
	}
	return fmt.Sprintf("%s of %d types: %s", what, len(g), strings.Join(names, ", "))
}

// pendingTitle is "second: 1 pod pending".
func pendingTitle(o v1alpha1.PodOutcome) string {
	if o.Pending == 0 && o.Failed > 0 {
		return o.Name + ": " + words.Count(o.Failed, "pod") + " refused by a kubelet for good"
	}
	if o.Pending == 0 {
		return o.Name + ": " + words.Count(o.Refused, "pod") + " refused by kubelets before all ran"
	}
	return o.Name + ": " + words.Count(o.Pending, "pod") + " pending"
}

// reasons are those of one type as they are, of several summed up, and short
// unless all is asked for.
func (g trouble) reasons(all bool, nodes int) []string {
	if all {
		return outcomeReasons(g[0])
	}
	var out []string
	first := g[0]
	if len(g) == 1 && first.Message != "" {
		out = append(out, first.Message)
	} else if s := g.nodesByReason(nodes); s != "" {
		out = append(out, s)
	}
	var help []string
	if first.Nearest != "" {
		lead := "nearest: "
		if len(g) > 1 {
			lead = "nearest for " + first.Name + ": "
		}
		help = append(help, lead+first.Nearest)
	}
	switch {
	case unhelpful(first.Preemption):
		help = append(help, "preemption would not help")
	case first.Preemption != "":
		help = append(help, "preemption "+first.Preemption)
	}
	if len(help) > 0 {
		out = append(out, strings.Join(help, "; "))
	}
	return append(out, g.refusals()...)
}

// nodesByReason is "Insufficient cpu on 635-1,523 of 1,523 nodes, ...".
func (g trouble) nodesByReason(nodes int) string {
	var parts []string
	for _, r := range g[0].Reasons {
		least, most := r.Nodes, r.Nodes
		for _, o := range g[1:] {
			for _, x := range o.Reasons {
				if x.Reason == r.Reason {
					least, most = min(least, x.Nodes), max(most, x.Nodes)
				}
			}
		}
		on := words.Number(most)
		if least < most {
			on = words.Number(least) + "-" + on
		}
		if len(parts) == 0 {
			on += " of " + words.Count(nodes, "node")
		}
		parts = append(parts, r.Reason+" on "+on)
	}
	return strings.Join(parts, ", ")
}

// outcomeReasons are the reasons of one type in sentences, for wide output,
// Markdown and pages alike.
func outcomeReasons(o v1alpha1.PodOutcome) []string {
	var out []string
	if o.Message != "" {
		out = append(out, o.Message)
	} else {
		out = each(o.Reasons, func(r v1alpha1.UnfitReason) string {
			return words.Count(r.Nodes, "node") + ": " + r.Reason
		})
	}
	if o.Nearest != "" {
		out = append(out, "nearest: "+o.Nearest)
	}
	if o.Preemption != "" {
		out = append(out, "preemption: "+strings.TrimPrefix(o.Preemption, "preemption: "))
	}
	return append(out, trouble{o}.refusals()...)
}

// refusals say what kubelets did, and what a scheduler that knows them would do.
func (g trouble) refusals() []string {
	var out []string
	if g[0].Runaway {
		refused := sumOf(g, func(o v1alpha1.PodOutcome) int { return o.Refused })
		out = append(out, fmt.Sprintf("runaway: the scheduler sends each new pod to a node whose kubelet refuses it; "+
			"the count was stopped at %s, a cluster goes on for ever", words.Count(refused, "pod")))
	}
	if g[0].NUMAAware != nil {
		run := sumOf(g, func(o v1alpha1.PodOutcome) int { return *o.NUMAAware })
		wanted := sumOf(g, func(o v1alpha1.PodOutcome) int { return o.Wanted })
		out = append(out, fmt.Sprintf("a scheduler that knows of NUMA nodes would run %s of %s", words.Number(run),
			words.Number(wanted)))
	}
	return out
}

func nodeCount(p *v1alpha1.Placement) int {
	return sumOf(p.Nodes, func(n v1alpha1.PlacedNode) int { return n.Count })
}
