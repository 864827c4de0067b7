package report

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/limit"
)

// text writes a report for terminals.
type text struct {
	*index
	b     strings.Builder
	width int // 0 is no limit
	wide  bool
	// cites are the documents named so far, by their short names.
	cites map[string]bool
}

func newText(ix *index, format string) *text {
	return &text{index: ix, width: ix.opt.columns(format), wide: format == Wide, cites: map[string]bool{}}
}

// planText is the plan as text.
func planText(ix *index, format string) string {
	t := newText(ix, format)
	t.top()
	if s := purchase(t.plan.Decisions); s != nil {
		t.section(*s)
	}
	t.gaugeTable()
	t.optionTables()
	if list := comparisons(t.plan.Options); len(list) > 0 {
		t.heading(comparedTitle(t.terms()))
		t.gridBody(compareGrid(list, t.terms()))
	}
	t.proofs()
	t.findingList()
	for _, s := range ix.plan.Sections {
		t.section(s)
	}
	t.rest()
	t.nodeSplits()
	t.assumptions()
	t.skipped()
	t.documents()
	t.hints()
	return t.b.String()
}

// line writes s, wrapped, the first line behind lead and the others behind as
// many blanks.
func (t *text) line(lead string, style table.Style, s string) { t.write(lead, lead, 0, style, s) }

// hang is line with the further lines indented by four more.
func (t *text) hang(lead string, style table.Style, s string) { t.write(lead, lead, 4, style, s) }

// command writes a command that can be pasted: on one line where it fits behind lead,
// else below it, broken between words with a backslash. A word that is longer than a
// line stays whole, and so does a command with quotes, in which a break could be part
// of a word.
func (t *text) command(lead, s string) {
	s = oneLine(s)
	if t.width <= 0 || table.Width(lead)+1+table.Width(s) <= t.width {
		t.b.WriteString(lead + " " + s + "\n")
		return
	}
	t.b.WriteString(lead + "\n")
	words := strings.Split(s, " ")
	if strings.ContainsAny(s, `'"`) {
		words = []string{s}
	}
	line := " "
	for _, word := range words {
		if line != " " && table.Width(line)+1+table.Width(word)+2 > t.width {
			t.b.WriteString(line + " \\\n")
			line = "   "
		}
		line += " " + word
	}
	t.b.WriteString(line + "\n")
}

// mark is line behind a mark in its own style.
func (t *text) mark(indent, mark string, of, style table.Style, s string) {
	t.write(indent+mark+" ", indent+t.paint(of, mark)+" ", 0, style, s)
}

// write wraps s behind lead, which is shown as painted.
func (t *text) write(lead, painted string, more int, style table.Style, s string) {
	first, indent := 0, table.Width(lead)
	if t.width > 0 {
		first = max(1, t.width-indent)
	}
	for _, l := range table.Hang(oneLine(s), first, first-more) {
		t.b.WriteString(strings.TrimRight(painted+t.paint(style, l), " ") + "\n")
		painted = strings.Repeat(" ", indent+more)
	}
}

func (t *text) paint(style table.Style, s string) string { return table.Paint(t.opt.Color, style, s) }

// heading begins a part of the report.
func (t *text) heading(s string) {
	if t.b.Len() > 0 {
		t.b.WriteByte('\n')
	}
	t.line("", table.Bold, s)
}

// table writes a table in the report's width and colour.
func (t *text) table(tb table.Table) {
	tb.Color = t.opt.Color
	t.b.WriteString(tb.String(t.width))
}

func (t *text) top() {
	p := t.plan
	t.line("", table.Bold, "Plan "+p.Metadata.Name+": "+platform(p.Platform))
	if p.Metadata.Description != "" {
		t.line("", table.Plain, p.Metadata.Description)
	}
	t.b.WriteByte('\n')
	mark, style := "+", table.Good
	if !p.Verdict.Fits {
		mark, style = "!", table.Bad
	}
	t.mark("", mark, style, style, t.verdict())
	t.named("Needs", p.Verdict.Summary)
	t.named("Breaks first", p.Verdict.Tightest)
	t.named("Problem", p.Verdict.Problem)
}

// named writes a sentence behind its name, when there is one.
func (t *text) named(name, sentence string) {
	if sentence != "" {
		t.line(fmt.Sprintf("  %-12s  ", name), table.Plain, sentence)
	}
}

// verdict is "Does not fit: 1 error, 2 warnings".
func (ix *index) verdict() string {
	out := "Fits"
	if !ix.plan.Verdict.Fits {
		out = "Does not fit"
	}
	var parts []string
	for _, s := range []v1alpha1.Severity{v1alpha1.Error, v1alpha1.Warning} {
		if n := ix.count(s); n > 0 {
			parts = append(parts, plural(n, string(s)))
		}
	}
	if len(parts) == 0 {
		return out
	}
	return out + ": " + strings.Join(parts, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// platform is "OpenShift 4.4 on aws".
func platform(p v1alpha1.Platform) string {
	name := map[string]string{"openshift": "OpenShift", "kubernetes": "Kubernetes", "helion": "Helion OpenStack Carrier Grade"}[p.Type]
	if name == "" {
		name = p.Type
	}
	out := name + " " + p.Release
	if p.Provider != "" && p.Provider != "none" {
		out += " on " + p.Provider
	}
	if p.Service != "" && p.Service != "self-managed" {
		out += ", " + p.Service
	}
	return out
}

// markOf is the ASCII mark and the style of a verdict on a limit.
func markOf(v limit.Verdict) (string, table.Style) {
	switch v {
	case limit.Passed:
		return "!", table.Bad
	case limit.Near:
		return "~", table.Warn
	}
	return "+", table.Good
}

// markOfFinding is the ASCII mark and the style of a finding.
func markOfFinding(s v1alpha1.Severity) (string, table.Style) {
	switch s {
	case v1alpha1.Error:
		return "!", table.Bad
	case v1alpha1.Warning:
		return "~", table.Warn
	}
	return "-", table.Plain
}

// markOfCell is the ASCII mark and the style of a judged cell.
func markOfCell(mark string) (string, table.Style) {
	switch mark {
	case "bad":
		return "! ", table.Bad
	case "warn":
		return "~ ", table.Warn
	case "good":
		return "+ ", table.Good
	}
	return "", table.Plain
}
