package report

import (
	"cmp"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// tunedMarkdown is an answer with everything.
func tunedMarkdown(a *v1alpha1.Answer, opt Options) string {
	ix, m := tunedIndex(a, opt), &markdown{}
	m.heading(1, tunedTitle(a))
	mark := map[bool]string{true: "+", false: "!"}[a.Verdict.OK]
	m.para("**" + md(mark+" "+tunedVerdict(a)) + "**")
	if a.Verdict.Problem != "" {
		m.item(0, "**Problem**: "+md(a.Verdict.Problem))
	}
	if findingsFirst(a) {
		m.placedFindings(ix)
	}
	for _, p := range a.Parts {
		if p.Title != "" {
			m.heading(2, p.Title)
		}
		m.part(p)
	}
	if !findingsFirst(a) {
		m.placedFindings(ix)
	}
	return strings.TrimRight(m.b.String(), "\n") + "\n"
}

func (m *markdown) part(p v1alpha1.Part) {
	for _, s := range p.Lead {
		m.para(md(s))
	}
	if p.Timeline != nil {
		m.timeline(p.Timeline)
	}
	for _, t := range p.Tables {
		t = slim(t)
		if len(t.Rows) < manyRows {
			m.planTable(t)
		} else {
			m.fold(foldTitle(len(t.Rows)), func() { m.planTable(t) })
		}
	}
	for _, x := range p.Texts {
		m.listing(x)
	}
}

// placedFindings lists the findings: those that stand in files as a table.
func (m *markdown) placedFindings(ix *index) {
	placed, rest := apart(ix.findings())
	if len(placed) > 0 {
		m.grid(grid{Title: "Findings in files", Head: placedHead, Rows: placedRowsOf(placed)}.dropped())
	}
	other := newIndex(&v1alpha1.Plan{Findings: rest}, ix.opt)
	m.findings(other)
}

// apart are the findings that stand in files, and the others.
func apart(list []v1alpha1.Finding) (placed, rest []v1alpha1.Finding) {
	for _, f := range list {
		if f.Place != nil {
			placed = append(placed, f)
		} else {
			rest = append(rest, f)
		}
	}
	return placed, rest
}

// placedHead are the headings of placedRowsOf.
var placedHead = []string{"Severity", "Where", "What is wrong", "Remedy", "Rule", "About"}

// placedRowsOf are findings as rows of a table.
func placedRowsOf(list []v1alpha1.Finding) [][]string {
	rows := make([][]string, len(list))
	for i, f := range list {
		mark, _ := markOfFinding(f.Severity)
		rows[i] = []string{mark + " " + string(f.Severity), placeText(*f.Place), f.Message, f.Remedy, f.ID, aboutPlaced(f)}
	}
	return rows
}

// timeline writes a timeline as a drawing of letters, and as tables.
func (m *markdown) timeline(src *v1alpha1.Timeline) {
	v := newTimeView(src, drawnRows)
	if src.Title != "" {
		m.para("**" + md(src.Title) + "**")
	}
	m.para(md(src.Description))
	g := newTimeGrid(v, freeWidth)
	m.fenced("text", strings.Join(append(g.lines(), "", "  "+g.key()), "\n"))
	m.para(md(v.note))
	if v.Level != nil {
		m.para(md(levelText(v.Level)))
	}
	m.fold("The drawing as tables", func() {
		for _, g := range v.grids() {
			if len(g.Rows) > 0 {
				m.para("**" + md(g.Title) + "**")
				m.table(g.Head, escaped(g.Rows))
				m.notes(g.Notes)
			}
		}
	})
}

// listing writes a text as it is, but for control characters.
func (m *markdown) listing(x v1alpha1.Text) {
	if x.Title != "" {
		m.para("**" + md(x.Title) + "**")
	}
	lines := bodyLines(x.Body)
	for i, l := range lines {
		lines[i] = cleanLine(l)
	}
	m.fenced(language(x.Language), strings.Join(lines, "\n"))
}

// cleanLine is a line without control characters, but with its tabs.
func cleanLine(l string) string {
	parts := strings.Split(l, "\t")
	for i, p := range parts {
		parts[i] = table.Clean(p)
	}
	return strings.Join(parts, "\t")
}

// language is the name of a language as a fence may have it.
func language(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return "text"
	}
	return cmp.Or(name, "text")
}

// fenced writes a text between fences that are longer than any inside.
func (m *markdown) fenced(language, body string) {
	fence, run := 3, 0
	for _, c := range []byte(body) {
		if c == '`' {
			run++
			fence = max(fence, run+1)
		} else {
			run = 0
		}
	}
	marks := strings.Repeat("`", fence)
	m.para(marks + language + "\n" + strings.TrimRight(body, "\n") + "\n" + marks)
}
