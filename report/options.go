package report

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
)

// optionGrid is the options side by side: one row a property, without the properties
// that no option has; with all, shares say of how much.
func optionGrid(options []v1alpha1.Option, all bool, w terms) Grid {
	g := Grid{ID: "options", Side: true, Columns: heads("")}
	for _, o := range options {
		g.Columns = append(g.Columns, Column{Title: o.Name, Right: true, Chosen: o.Chosen})
	}
	for _, p := range optionProperties(options, all, w) {
		cells := each(options, p.cell)
		if slices.ContainsFunc(cells, func(c Cell) bool { return c.Text != "" }) {
			g.Rows = append(g.Rows, append([]Cell{{Text: p.title}}, cells...))
		}
	}
	if note := shareNote(options, w); note != "" {
		g.Notes = []string{note}
	}
	return g
}

// optionProperty is a row of the options: what an option says to a title.
type optionProperty struct {
	title string
	cell  func(o v1alpha1.Option) Cell
}

// optionCount is a property that is a number.
func optionCount(title string, of func(o v1alpha1.Option) int) optionProperty {
	return optionProperty{title, func(o v1alpha1.Option) Cell { return Cell{Text: orNone(of(o))} }}
}

// sharesOf are shares that an option has of its resources.
type sharesOf func(o v1alpha1.Option) []v1alpha1.ResourceShare

func overcommitted(o v1alpha1.Option) []v1alpha1.ResourceShare { return o.Overcommit }
func utilised(o v1alpha1.Option) []v1alpha1.ResourceShare      { return o.Utilisation }
func strandedOf(o v1alpha1.Option) []v1alpha1.ResourceShare    { return o.Stranded }

func optionProperties(options []v1alpha1.Option, totals bool, w terms) []optionProperty {
	out := []optionProperty{{"Verdict", optionVerdict},
		{title(w.Place) + "s", func(o v1alpha1.Option) Cell { return Cell{Text: optionNodes(o, w)} }}}
	out = append(out, optionNeeds[w]...)
	out = append(out, optionCount(floorTitle(w), func(o v1alpha1.Option) int { return o.Floor }),
		optionProperty{"Decided by", func(o v1alpha1.Option) Cell { return Cell{Text: o.Binding} }})
	out = append(out, optionShares(options, "requested", totals, overcommitted)...)
	if w == podWords { // the CPUs of VMs are not shared out beyond their policy
		out = append(out, optionProperty{"Holds at CPU overcommit", optionHolds})
	}
	if totals {
		out = append(out, optionShares(options, "used", totals, utilised)...)
	}
	out = append(out, optionShares(options, "stranded", totals, strandedOf)...)
	return append(out, optionProperty{"Price", func(o v1alpha1.Option) Cell { return Cell{Text: priced(o.Price)} }},
		optionProperty{"Price of all nodes", func(o v1alpha1.Option) Cell { return Cell{Text: priced(o.Cost)} }})
}

func priced(price float64) string {
	if price == 0 {
		return ""
	}
	return grouped(price)
}

// optionNeeds say how many nodes or hosts are needed, and by what.
var optionNeeds = map[terms][]optionProperty{
	serverWords: {
		optionCount("Given by the scenario", func(o v1alpha1.Option) int {
			if o.Given == o.Total {
				return 0
			}
			return o.Given
		}),
		optionCount("Needed, every VM placed", func(o v1alpha1.Option) int {
			if o.Base == 0 {
				return 0
			}
			return o.Total
		}),
		optionCount("Packed, none spare", func(o v1alpha1.Option) int { return o.Base }),
	},
	podWords: {
		optionCount("You have", func(o v1alpha1.Option) int { return o.Given }),
		optionCount("Needed, nothing reserved", func(o v1alpha1.Option) int { return o.Bare }),
		optionCount("Needed, system reserved", func(o v1alpha1.Option) int { return o.Needed }),
		optionCount("... with policy.overcommit", func(o v1alpha1.Option) int { return o.Base }),
		{"... placed, by the policy", func(o v1alpha1.Option) Cell {
			return Cell{Text: orNone(o.Total), To: toFigure(o.Figure)}
		}},
	},
}

func optionVerdict(o v1alpha1.Option) Cell {
	switch {
	case !o.Fits:
		return Cell{Text: "does not fit", Mark: "bad"}
	case o.Chosen:
		return Cell{Text: "chosen", Mark: "good"}
	case !wasPlaced(o) && o.Verified != nil:
		return Cell{Text: "not tried", Mark: "warn"}
	}
	return Cell{Text: "fits", Mark: "good"}
}

// optionHolds is the CPU overcommit at which the nodes in mind hold the pods.
func optionHolds(o v1alpha1.Option) Cell {
	switch {
	case o.Given == 0:
		return Cell{}
	case o.FitsAt == 0:
		return Cell{Text: "none", Mark: "bad"}
	case o.FitsAt > 1:
		return Cell{Text: plain(o.FitsAt), Mark: "warn"}
	}
	return Cell{Text: plain(o.FitsAt)}
}

// mostTypes is the number of node types of a mix that are listed; the pools of
// the plan name all.
const mostTypes = 4

// optionNodes is "100 x m5.xlarge + m5.large".
func optionNodes(o v1alpha1.Option, w terms) string {
	var parts []string
	if len(o.Nodes) > mostTypes {
		return fmt.Sprintf("%s %ss of %d types", words.Number(o.Total), w.Place, len(o.Nodes))
	}
	for _, n := range o.Nodes {
		if n.Count > 0 {
			parts = append(parts, words.Number(n.Count)+" x "+n.Type)
		} else {
			parts = append(parts, n.Type)
		}
	}
	return strings.Join(parts, " + ")
}

// optionShares are a row a resource: what share of what total.
func optionShares(options []v1alpha1.Option, what string, totals bool, list sharesOf) []optionProperty {
	var all []v1alpha1.ResourceShare
	for _, o := range options {
		all = append(all, list(o)...)
	}
	all = once(all, func(s v1alpha1.ResourceShare) string { return s.Resource })
	return each(all, func(x v1alpha1.ResourceShare) optionProperty {
		return optionProperty{x.Resource + " " + what, func(o v1alpha1.Option) (c Cell) {
			for _, s := range list(o) {
				if s.Resource == x.Resource {
					c = Cell{Text: percent(s.Share), To: toFigure(s.Figure), Share: s.Share, Shared: true}
					if totals {
						c.Text += " of " + s.Total.Text
					}
				}
			}
			return c
		}}
	})
}

// shareNote explains the rows of shares that the options have.
func shareNote(options []v1alpha1.Option, w terms) string {
	has := func(list sharesOf) bool {
		return slices.ContainsFunc(options, func(o v1alpha1.Option) bool { return len(list(o)) > 0 })
	}
	var out []string
	if has(overcommitted) {
		out = append(out, strings.NewReplacer("pod", w.Unit, "node", w.Place).Replace("Requested: what the pods ask for, "+
			"as a share of the nominal size of the nodes given; above 100 % is overcommitment. Holds at: "+
			"the CPU overcommit at which every pod finds a place on them, nothing reserved."))
	}
	if has(strandedOf) {
		out = append(out, "Stranded: free, but on "+w.Place+"s that are full otherwise.")
	}
	return strings.Join(out, " ")
}

// optionsTitle stands above the options.
func optionsTitle(w terms) string { return title(w.Place) + " options side by side" }

// layerValue is a layer as text: "0.5 cores (6 %)".
func layerValue(v, capacity derive.Value) string {
	if capacity.Number <= 0 {
		return v.Text
	}
	return fmt.Sprintf("%s (%s)", v.Text, percent(v.Number/capacity.Number))
}

// floorTitle names the proven least number of nodes or hosts.
func floorTitle(w terms) string {
	if w == serverWords {
		return "No placement with fewer than"
	}
	return "No packing with fewer than"
}
