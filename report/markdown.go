package report

import (
	"regexp"
	"strings"
)

// markdown writes a report in GitHub's Markdown.
type markdown struct{ b strings.Builder }

// special are the characters that Markdown or its HTML could take for markup.
var special = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "$", `\$`,
	"&", "&amp;", "<", "&lt;", ">", "&gt;",
)

// opening is what would begin a heading, a list or a rule at the start of a line.
var opening = regexp.MustCompile(`^((#+|[+-]|\d+[.)])( |$)|=+$|-+$)`)

// md is text from a plan as Markdown that shows just this text, on one line.
func md(s string) string {
	s = oneLine(s)
	if opening.MatchString(s) {
		i := strings.IndexAny(s, "#+=-.)")
		return special.Replace(s[:i]) + `\` + special.Replace(s[i:])
	}
	return special.Replace(s)
}

// code is text as a code span, or as plain text where a span can't hold it.
func code(s string) string {
	s = oneLine(s)
	if s == "" {
		return ""
	}
	if strings.ContainsAny(s, "`|<&") {
		return md(s)
	}
	return "`" + s + "`"
}

func (m *markdown) heading(level int, s string) {
	if s := m.b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		m.b.WriteByte('\n')
	}
	m.b.WriteString(strings.Repeat("#", level) + " " + md(s) + "\n\n")
}

// para writes a paragraph that is Markdown already.
func (m *markdown) para(s string) {
	if s != "" {
		m.b.WriteString(s + "\n\n")
	}
}

// item writes a list item, nested by depth.
func (m *markdown) item(depth int, s string) {
	m.b.WriteString(strings.Repeat("  ", depth) + "- " + s + "\n")
}

// fold puts what body writes under a summary that opens.
func (m *markdown) fold(summary string, body func()) {
	m.b.WriteString("<details><summary>" + special.Replace(oneLine(summary)) + "</summary>\n\n")
	body()
	if !strings.HasSuffix(m.b.String(), "\n\n") {
		m.b.WriteByte('\n')
	}
	m.b.WriteString("</details>\n\n")
}

// table writes a table, whose headings stand in its first row.
func (m *markdown) table(g Grid) {
	rule := each(g.Columns, func(c Column) string {
		if c.Right {
			return "--:"
		}
		return "---"
	})
	rows := [][]string{each(g.Columns, func(c Column) string { return md(c.Title) }), rule}
	for _, row := range g.Rows {
		cells := make([]string, len(g.Columns))
		for i := range min(len(row), len(cells)) {
			cells[i] = markdownCell(g.Columns[i], row[i])
		}
		rows = append(rows, cells)
	}
	for _, r := range rows {
		m.b.WriteString("| " + strings.Join(r, " | ") + " |\n")
	}
	m.b.WriteByte('\n')
}

func (m *markdown) notes(notes []string) {
	for _, n := range notes {
		m.item(0, md(n))
	}
	if len(notes) > 0 {
		m.b.WriteByte('\n')
	}
}
