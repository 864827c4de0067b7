package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
)

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
	word := func(fits bool) string {
		if fits {
			return "fits"
		}
		return "does not fit"
	}
	verdict := word(d.New.Fits) + ", as before"
	if d.Old.Fits != d.New.Fits {
		verdict = word(d.Old.Fits) + " -> " + word(d.New.Fits)
	}
	return verdict + "; " + words.Count(len(d.Changes), "change")
}

// mostChanges is the number of changes of a group that a short text lists.
const mostChanges = 12

// document is the comparison for people.
func (d difference) document(format string) *Document {
	out := &Document{Title: d.title(), Verdict: &Verdict{Mark: d.mark(), Text: d.subtitle()}, Value: d}
	out.Names = each(d.Changes, func(c change) string { return c.ID })
	var left []string
	for _, p := range diffParts {
		if p.id == "nodes" {
			p.title = title(d.terms.Place) + " layers"
		}
		all := slices.DeleteFunc(slices.Clone(d.Changes), func(c change) bool { return c.Group != p.id })
		shown, more := all, Para{Style: table.Faint}
		if short(format) {
			shown = all[:min(len(all), mostChanges)]
		}
		if n := len(all) - len(shown); n > 0 {
			more.Text = fmt.Sprintf("and %d more (-o wide)", n)
		}
		switch {
		case p.brief || !short(format):
			out.add(p.id, p.title, changesGrid(p.id, shown, format), more)
		case len(all) > 0:
			left = append(left, fmt.Sprintf("%d in %s", len(all), strings.ToLower(p.title)))
		}
	}
	if len(left) > 0 {
		out.Foot = []string{"and " + strings.Join(left, ", ") + " (-o wide)"}
	}
	return out
}

// mark judges how the verdict moved.
func (d difference) mark() string {
	switch {
	case d.Changed && d.Old.Fits && !d.New.Fits:
		return "bad"
	case !d.Changed, !d.Old.Fits && d.New.Fits:
		return "good"
	}
	return ""
}

// effects are the marks of effects.
var effects = map[string]table.Style{worse: table.Bad, better: table.Good}

// changesGrid is the table of changes; the short one names each by its title or its id.
func changesGrid(id string, list []change, format string) Grid {
	g := Grid{ID: id, Bare: true, Flush: true, Columns: heads("", "What", "Before", "", "After", ">By", "Change", "Id")}
	g.Columns[3].Keep, g.Columns[7].Code = true, true
	for _, c := range list {
		style, arrow, says := effects[c.Effect], "->", c.Change
		if c.Change != altered {
			arrow = ""
		}
		if c.Effect != "" {
			says += ", " + c.Effect
		}
		g.Rows = append(g.Rows, []Cell{{Text: c.Mark(), Style: style}, {Text: c.what()}, {Text: c.Old}, {Text: arrow},
			{Text: c.New, Style: style}, {Text: c.By()}, {Text: says, Style: style}, {Text: c.ID, Style: table.Faint}})
	}
	if short(format) {
		return g.cut(6)
	}
	for i, row := range g.Rows {
		row[1].Text = cmp.Or(list[i].Title, list[i].ID)
		if !isText(format) {
			row[3].Text = "" // the headings say it
		}
	}
	if !isText(format) {
		return g.dropped()
	}
	return g
}

// what names what has changed in a line.
func (c change) what() string {
	switch c.Group {
	case "options", "decisions", "assumptions", "findings":
		return c.ID
	}
	return cmp.Or(c.Title, c.ID)
}
