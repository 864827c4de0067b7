package report

import (
	"cmp"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report/chart"
)

// drawGrid writes a table in a box that scrolls, folded where it is long.
func (h *webpage) drawGrid(g Grid) {
	if len(g.Rows) == 0 {
		return
	}
	if len(g.Rows) >= manyRows {
		h.given("<p><b>%s</b></p>", g.Title)
		h.fold(foldTitle(len(g.Rows)), func() { h.bareGrid(g) })
	} else {
		h.bareGrid(g)
	}
	h.notes(g.Notes)
}

func (h *webpage) notes(list []string) {
	if len(list) == 0 {
		return
	}
	h.f("<ul class=\"notes\">")
	for _, n := range list {
		h.f("<li>%s</li>", n)
	}
	h.f("</ul>\n")
}

// bareGrid writes the rows of a table. Those of sentences become blocks on a phone, and
// say by their roles that they still are a table.
func (h *webpage) bareGrid(g Grid) {
	role := func(name string) raw {
		if !g.Prose {
			return ""
		}
		return raw(` role="` + name + `"`)
	}
	name := ""
	switch {
	case g.Prose:
		name = "list"
	case g.Side:
		name = "options"
	}
	h.widest = g.widest()
	label := cmp.Or(g.Title, g.ID, "of this part")
	h.f("<div class=\"scroll\" role=\"region\" aria-label=\"Table %s\" tabindex=\"0\"><table%s%s>\n", label, classes(name),
		role("table"))
	h.given("<caption>%s</caption>\n", g.Title)
	h.f("<thead%s><tr%s>", role("rowgroup"), role("row"))
	for _, c := range g.Columns {
		if c.Title == "" {
			h.f("<td%s></td>", role("cell"))
		} else {
			h.f("<th%s scope=\"col\"%s>%s</th>", role("columnheader"), columnClass(c, Cell{}), c.Title)
		}
	}
	h.f("</tr></thead>\n<tbody%s>", role("rowgroup"))
	for i, row := range g.Rows {
		h.f("<tr%s", role("row"))
		if i < len(g.Places) && g.Places[i] != "" && !h.done[g.Places[i]] {
			h.done[g.Places[i]] = true
			h.f(" id=\"%s\"", h.anchorOf(g.Places[i]))
		}
		h.f(">")
		for j := range g.Columns {
			if j == 0 && (g.Prose || g.Side) {
				h.f("<th%s scope=\"row\">", role("rowheader"))
				h.cell(g.Columns[j], row[j])
				h.f("</th>")
			} else {
				h.f("<td%s%s", role("cell"), columnClass(g.Columns[j], row[j], j == 0))
				if g.Prose && g.Columns[j].Right { // a number says nothing without its heading
					h.given(" data-head=\"%s\"", g.Columns[j].Title)
				}
				h.f(">")
				h.cell(g.Columns[j], row[j])
				h.f("</td>")
			}
		}
		h.f("</tr>\n")
	}
	h.f("</tbody></table></div>\n")
}

// widest is the largest share in a table, at least all.
func (t Grid) widest() float64 {
	most := 1.0
	for _, row := range t.Rows {
		for _, c := range row {
			most = max(most, c.Share)
		}
	}
	return most
}

// Lengths of a name that stays on one line, and from which a text is long; rows
// from which a table is folded.
const (
	keptName = 32
	longText = 24
	manyRows = 40
)

// foldTitle is the summary of so many rows that are folded.
func foldTitle(rows int) string { return "All " + words.Number(rows) + " rows" }

// columnClass is the class of a cell: numbers stand at the right, long texts get some
// width, also on a phone, and the first name stays on one line.
func columnClass(c Column, cell Cell, first ...bool) raw {
	var out []string
	text := cell.Text
	if cell.Drawing != "" {
		out = append(out, "drawn")
	}
	if c.Right {
		out = append(out, "n")
	}
	if c.Chosen {
		out = append(out, "chosen")
	}
	switch {
	case c.Right:
	case len(first) > 0 && first[0] && text != "" && len(text) <= keptName:
		out = append(out, "keep")
	case len(text) >= longText:
		out = append(out, "long")
	}
	return classes(out...)
}

// classes is the attribute of classes; nothing without.
func classes(names ...string) raw {
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	if len(names) == 0 {
		return ""
	}
	return raw(` class="` + strings.Join(names, " ") + `"`)
}

func (h *webpage) cell(col Column, c Cell) {
	h.b.WriteString(c.Swatch)
	if c.Mark != "" {
		h.mark(c.Mark)
	}
	format := "%s"
	switch {
	case col.Code && c.Text != "":
		format = "<code>%s</code>"
	case c.Style == table.Bold:
		format = "<b>%s</b>"
	case classOf(c.Style) != "":
		format = `<span class="` + classOf(c.Style) + `">%s</span>`
	}
	if len(c.List) > 0 {
		h.notes(c.List)
	} else {
		h.linked(c.To, format, c.Text)
	}
	if c.Shared {
		h.b.WriteString(chart.Share(c.Share, h.widest))
	}
	h.b.WriteString(c.Drawing)
}

// findings are those in files as a table, the others as a list, and remarks folded.
func (h *webpage) findings(f Findings) {
	placed, rest := apart(f.List)
	if len(placed) > 0 {
		g := Findings{List: placed}.table().dropped()
		for i, row := range g.Rows {
			row[0].Mark = severityMark(placed[i].Severity)
		}
		g.Title = "Findings in files"
		h.bareGrid(g)
	}
	split := slices.IndexFunc(rest, func(x v1alpha1.Finding) bool { return x.Severity.Rank() == 2 })
	if split < 0 {
		split = len(rest)
	}
	h.findingList(rest[:split])
	if n := len(rest) - split; n > 0 {
		h.fold(words.Count(n, "remark"), func() { h.findingList(rest[split:]) })
	}
}

func (h *webpage) findingList(list []v1alpha1.Finding) {
	if len(list) == 0 {
		return
	}
	h.f("<ul class=\"findings\">")
	for _, x := range list {
		sign, _ := signOf(severityMark(x.Severity))
		class := string(v1alpha1.Severities()[x.Severity.Rank()])
		h.f("<li class=\"%s\">\n<p class=\"f-head\"><span class=\"m\">%s</span> <b>%s</b> <code>%s</code></p>\n<p>%s</p>\n",
			class, sign, string(x.Severity), x.ID, x.Message)
		h.given("<p><b>Remedy:</b> %s</p>\n", x.Remedy)
		if x.Field+x.Figure != "" || len(x.Sources) > 0 {
			h.f("<p class=\"sub\">")
			h.given("Field <code>%s</code>. ", x.Field)
			if x.Figure != "" {
				h.f("Figure ")
				h.linked(figurePlace(x.Figure), "<code>%s</code>", x.Figure)
				h.f(". ")
			}
			h.given("%s.", sources(x.Sources))
			h.f("</p>\n")
		}
		h.f("</li>")
	}
	h.f("</ul>\n")
}
