package report

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
)

// optionRow is one property of all options, in the order of the options.
type optionRow struct {
	Title string
	Cells []v1alpha1.Cell
	// Shares are the shares behind the cells, for drawing; nil when they are none.
	Shares []float64
}

// optionRows are the options side by side: one row a property, without the
// properties that no option has; with totals, shares say of how much.
func optionRows(options []v1alpha1.Option, totals bool, w terms) []optionRow {
	number := func(n int) v1alpha1.Cell {
		if n == 0 {
			return v1alpha1.Cell{}
		}
		return v1alpha1.Cell{Text: words.Number(n)}
	}
	each := func(title string, cell func(o v1alpha1.Option) v1alpha1.Cell) optionRow {
		r := optionRow{Title: title}
		for _, o := range options {
			r.Cells = append(r.Cells, cell(o))
		}
		return r
	}
	rows := append([]optionRow{each("Verdict", optionVerdict), each(title(w.Place)+"s", func(o v1alpha1.Option) v1alpha1.Cell { return v1alpha1.Cell{Text: optionNodes(o, w)} })},
		neededRows(w, each, number)...)
	rows = append(rows,
		each(floorTitle(w), func(o v1alpha1.Option) v1alpha1.Cell { return number(o.Floor) }),
		each("Decided by", func(o v1alpha1.Option) v1alpha1.Cell { return v1alpha1.Cell{Text: o.Binding} }))
	rows = append(rows, shareRows(options, "requested", totals, func(o v1alpha1.Option) []v1alpha1.ResourceShare { return o.Overcommit })...)
	if w == podWords { // the CPUs of VMs are not shared out beyond their policy
		rows = append(rows, each("Holds at CPU overcommit", optionHolds))
	}
	if totals {
		rows = append(rows, shareRows(options, "used", totals, func(o v1alpha1.Option) []v1alpha1.ResourceShare { return o.Utilisation })...)
	}
	rows = append(rows, shareRows(options, "stranded", totals, func(o v1alpha1.Option) []v1alpha1.ResourceShare { return o.Stranded })...)
	rows = append(rows, each("Price", func(o v1alpha1.Option) v1alpha1.Cell {
		if o.Price == 0 {
			return v1alpha1.Cell{}
		}
		return v1alpha1.Cell{Text: grouped(o.Price)}
	}))
	return slices.DeleteFunc(rows, func(r optionRow) bool {
		return !slices.ContainsFunc(r.Cells, func(c v1alpha1.Cell) bool { return c.Text != "" })
	})
}

// neededRows say how many nodes or hosts are needed, and by what.
func neededRows(w terms, each func(string, func(v1alpha1.Option) v1alpha1.Cell) optionRow, number func(int) v1alpha1.Cell) []optionRow {
	total := func(o v1alpha1.Option) v1alpha1.Cell {
		c := number(o.Total)
		c.Figure = o.Figure
		return c
	}
	needed := func(o v1alpha1.Option) v1alpha1.Cell { return number(o.Needed) }
	given := each("In mind or in stock", func(o v1alpha1.Option) v1alpha1.Cell { return number(o.Given) })
	if w == serverWords {
		return []optionRow{
			each("Given by the scenario", func(o v1alpha1.Option) v1alpha1.Cell {
				if o.Given == o.Total {
					return v1alpha1.Cell{}
				}
				return number(o.Given)
			}),
			each("Needed, every VM placed", needed),
			each("Spare", func(o v1alpha1.Option) v1alpha1.Cell { return number(max(0, o.Total-o.Needed)) }),
		}
	}
	return []optionRow{given,
		each("Needed, nothing reserved", func(o v1alpha1.Option) v1alpha1.Cell { return number(o.Bare) }),
		each("Needed, system reserved", needed),
		each("... with policy.overcommit", func(o v1alpha1.Option) v1alpha1.Cell { return number(o.Base) }),
		each("... with spares, by zones", total)}
}

func optionVerdict(o v1alpha1.Option) v1alpha1.Cell {
	switch {
	case !o.Fits:
		return v1alpha1.Cell{Text: "does not fit", Mark: "bad"}
	case o.Chosen:
		return v1alpha1.Cell{Text: "chosen", Mark: "good"}
	}
	return v1alpha1.Cell{Text: "fits", Mark: "good"}
}

// optionHolds is the CPU overcommit at which the nodes in mind hold the pods.
func optionHolds(o v1alpha1.Option) v1alpha1.Cell {
	switch {
	case o.Given == 0:
		return v1alpha1.Cell{}
	case o.FitsAt == 0:
		return v1alpha1.Cell{Text: "none", Mark: "bad"}
	case o.FitsAt > 1:
		return v1alpha1.Cell{Text: plain(o.FitsAt), Mark: "warn"}
	}
	return v1alpha1.Cell{Text: plain(o.FitsAt)}
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

// shareRows are a row a resource: what share of what total.
func shareRows(options []v1alpha1.Option, what string, totals bool, list func(v1alpha1.Option) []v1alpha1.ResourceShare) []optionRow {
	var resources []string
	for _, o := range options {
		for _, s := range list(o) {
			if !slices.Contains(resources, s.Resource) {
				resources = append(resources, s.Resource)
			}
		}
	}
	var rows []optionRow
	for _, resource := range resources {
		r := optionRow{Title: resource + " " + what}
		for _, o := range options {
			cell, share := v1alpha1.Cell{}, 0.0
			for _, s := range list(o) {
				if s.Resource == resource {
					cell, share = shareCell(s, totals), s.Share
				}
			}
			r.Cells, r.Shares = append(r.Cells, cell), append(r.Shares, share)
		}
		rows = append(rows, r)
	}
	return rows
}

func shareCell(s v1alpha1.ResourceShare, total bool) v1alpha1.Cell {
	c := v1alpha1.Cell{Text: percent(s.Share), Figure: s.Figure}
	if total {
		c.Text += " of " + s.Total.Text
	}
	return c
}

// shareNote explains the rows of shares that the options have.
func shareNote(options []v1alpha1.Option, w terms) string {
	has := func(list func(o v1alpha1.Option) []v1alpha1.ResourceShare) bool {
		return slices.ContainsFunc(options, func(o v1alpha1.Option) bool { return len(list(o)) > 0 })
	}
	var out []string
	if has(func(o v1alpha1.Option) []v1alpha1.ResourceShare { return o.Overcommit }) {
		out = append(out, strings.NewReplacer("pod", w.Unit, "node", w.Place).Replace("Requested: what the pods ask for, as a share of the nominal size of the nodes in mind; above 100 % is overcommitment. Holds at: the CPU overcommit at which every pod finds a place on them, nothing reserved."))
	}
	if has(func(o v1alpha1.Option) []v1alpha1.ResourceShare { return o.Stranded }) {
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
