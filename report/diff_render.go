package report

import (
	"fmt"
	"strings"

	"plimsoll.dev/internal/table"
)

// group is the changes of one kind.
type group struct {
	ID, Title string
	Changes   []change
}

// groupTitles are the headings of the groups, in their order.
var groupTitles = [][2]string{
	{"verdict", "Verdict"}, {"limits", "Limits"}, {"findings", "Findings"}, {"options", "Options"}, {"decisions", "Decisions"}, {"figures", "Figures"},
	{"nodes", "layers"}, {"tables", "Tables"}, {"assumptions", "Assumptions"}, {"scenario", "Scenario"}, {"skipped", "Not counted, or otherwise"}, {"other", "Other"},
}

// groups are the changes by group, without empty ones.
func (d difference) groups() []group {
	var out []group
	for _, t := range groupTitles {
		g := group{ID: t[0], Title: t[1]}
		if g.ID == "nodes" {
			g.Title = title(d.terms.Place) + " layers"
		}
		for _, c := range d.Changes {
			if c.Group == g.ID {
				g.Changes = append(g.Changes, c)
			}
		}
		if len(g.Changes) > 0 {
			out = append(out, g)
		}
	}
	return out
}

func (d difference) title() string {
	if d.Old.Name == d.New.Name {
		return "Difference of two plans of " + d.New.Name
	}
	return "From plan " + d.Old.Name + " to " + d.New.Name
}

// subtitle says how the verdict moved and how much changed.
func (d difference) subtitle() string {
	if !d.Changed {
		return "no difference"
	}
	word := map[bool]string{true: "fits", false: "does not fit"}
	verdict := word[d.New.Fits] + ", as before"
	if d.Old.Fits != d.New.Fits {
		verdict = word[d.Old.Fits] + " -> " + word[d.New.Fits]
	}
	return verdict + "; " + plural(len(d.Changes), "change")
}

// mostChanges is the number of changes of a group that a short text lists.
const mostChanges = 12

// shortGroups are the groups that a short text lists; the others are counted.
var shortGroups = map[string]bool{"verdict": true, "limits": true, "findings": true, "options": true, "decisions": true, "figures": true, "assumptions": true, "scenario": true, "other": true}

func diffText(ix *index, d difference, format string) string {
	t := newText(ix, format)
	t.line("", table.Bold, d.title())
	mark, style := "~", table.Plain
	switch {
	case !d.Changed:
		mark, style = "+", table.Good
	case d.Old.Fits && !d.New.Fits:
		mark, style = "!", table.Bad
	case !d.Old.Fits && d.New.Fits:
		mark, style = "+", table.Good
	}
	t.mark("", mark, style, style, d.subtitle())
	var left []string
	for _, g := range d.groups() {
		if !t.wide && !shortGroups[g.ID] {
			left = append(left, fmt.Sprintf("%d in %s", len(g.Changes), strings.ToLower(g.Title)))
			continue
		}
		t.changes(g)
	}
	if len(left) > 0 {
		t.b.WriteByte('\n')
		t.line("", table.Faint, "and "+strings.Join(left, ", ")+" (-o wide)")
	}
	return t.b.String()
}

func (t *text) changes(g group) {
	t.heading(g.Title)
	shown := len(g.Changes)
	if !t.wide {
		shown = min(shown, mostChanges)
	}
	tb := table.Table{Bare: true, Columns: []table.Column{{Title: ""}, {Title: "What"}, {Title: "Before"}, {Title: "", Keep: true}, {Title: "After"}, {Title: "By", Right: true}}}
	if t.wide {
		tb.Columns = append(tb.Columns, table.Column{Title: "Id"})
	}
	for _, c := range g.Changes[:shown] {
		tb.AddCells(t.changeRow(c)...)
	}
	t.table(tb)
	if n := len(g.Changes) - shown; n > 0 {
		t.line("   ", table.Faint, fmt.Sprintf("and %d more (-o wide)", n))
	}
}

func (t *text) changeRow(c change) []table.Cell {
	style := map[string]table.Style{worse: table.Bad, better: table.Good}[c.Effect]
	what := c.Title
	switch {
	case what == "" || c.Group == "options" || c.Group == "decisions" || c.Group == "assumptions" || c.Group == "findings":
		what = c.ID
	}
	arrow := "->"
	if c.Change != altered {
		arrow = ""
	}
	row := []table.Cell{{Text: c.Mark(), Style: style}, {Text: what}, {Text: c.Old}, {Text: arrow}, {Text: c.New, Style: style}, {Text: c.By()}}
	if t.wide {
		row = append(row, table.Cell{Text: c.ID, Style: table.Faint})
	}
	return row
}

func diffMarkdown(d difference) string {
	m := &markdown{}
	m.heading(1, d.title())
	m.para(md(d.subtitle()))
	for _, g := range d.groups() {
		m.heading(2, g.Title)
		var rows [][]string
		for _, c := range g.Changes {
			word := c.Change
			if c.Effect == worse {
				word = "**" + c.Change + ", worse**"
			} else if c.Effect == better {
				word += ", better"
			}
			rows = append(rows, []string{word, md(c.Title), code(c.ID), md(c.Old), md(c.New), md(c.By())})
		}
		m.table([]string{"Change", "What", "Id", "Before", "After", ">By"}, rows)
	}
	return m.b.String()
}
