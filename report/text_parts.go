package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/table"
)

func (t *text) findingList() {
	list := t.findings()
	infos := t.count(v1alpha1.Info)
	if !t.wide {
		list = slices.DeleteFunc(list, func(f v1alpha1.Finding) bool { return severityRank(f.Severity) == 2 })
	}
	if len(list) > 0 {
		t.heading("Findings")
	}
	for _, f := range list {
		t.finding(f)
	}
	if infos > 0 && !t.wide && len(list) > 0 {
		t.line("  ", table.Faint, fmt.Sprintf("and %s (-o wide)", plural(infos, "remark")))
	}
}

// finding writes a finding under its id.
func (t *text) finding(f v1alpha1.Finding) {
	mark, style := markOfFinding(f.Severity)
	t.mark("", mark, style, style, f.ID)
	t.line("  ", table.Plain, f.Message)
	if f.Remedy != "" {
		t.line("  -> ", table.Plain, f.Remedy)
	}
	for _, s := range f.Sources {
		t.cites[s.Code] = true
	}
	if where := aboutFinding(f); where != "" {
		t.line("     ", table.Faint, where)
	}
}

// aboutFinding names field, figure and sources of a finding.
func aboutFinding(f v1alpha1.Finding) string {
	var parts []string
	if f.Place != nil {
		if at := strings.TrimSpace(f.Place.Object + " " + f.Place.Field); at != "" {
			parts = append(parts, at)
		}
	} else if f.Field != "" {
		parts = append(parts, "field "+f.Field)
	}
	if f.Figure != "" {
		parts = append(parts, "figure "+f.Figure)
	}
	if len(f.Sources) > 0 {
		parts = append(parts, sources(f.Sources))
	}
	return strings.Join(parts, "; ")
}

func (t *text) section(s v1alpha1.Section) {
	ids := s.Figures
	if t.wide {
		ids = slices.Concat(ids, s.Details)
	}
	figures := t.figuresOf(ids)
	tables := slices.DeleteFunc(slices.Clone(s.Tables), func(tb v1alpha1.Table) bool { return tb.Wide && !t.wide })
	drawn := s.Timeline != nil && t.wide
	if len(figures) == 0 && len(tables) == 0 && s.Summary == "" && !drawn {
		return
	}
	t.heading(s.Title)
	if s.Summary != "" {
		t.line("", table.Plain, s.Summary)
	}
	t.figures(figures)
	for _, tb := range tables {
		t.planTable(tb)
	}
	if drawn {
		t.timeline(s.Timeline, shortRows)
	}
}

// rest lists, in wide output, the figures that no section lists, and what the
// manifests are written from.
func (t *text) rest() {
	if !t.wide {
		return
	}
	if figures := t.unlisted(); len(figures) > 0 {
		t.heading("Further figures")
		t.figures(figures)
	}
	t.section(decisions(t.plan.Decisions))
}

// figures writes "title  value", and in wide output how each was found.
func (t *text) figures(list []derive.Figure) {
	if len(list) == 0 {
		return
	}
	tb := table.Table{Bare: true, Indent: "  ", Columns: []table.Column{{Title: "Figure"}, {Title: "Value", Right: true}}}
	for _, f := range list {
		if table.Width(f.Value.Text) > 24 {
			tb.Columns[1].Right = false
		}
	}
	if t.wide {
		tb.Columns = append(tb.Columns, table.Column{Title: "Id", Keep: t.width == 0}, table.Column{Title: "How"}, table.Column{Title: "Source"})
	}
	for _, f := range list {
		row := []table.Cell{{Text: f.Title}, {Text: f.Value.Text, Style: table.Bold}}
		if t.wide {
			row = append(row, table.Cell{Text: f.ID, Style: table.Faint}, table.Cell{Text: worked(explain(f))}, table.Cell{Text: sources(f.Sources), Style: table.Faint})
		}
		tb.AddCells(row...)
	}
	t.table(tb)
	if t.wide {
		for _, f := range list {
			for _, n := range f.Notes {
				t.line("  - ", table.Plain, f.Title+": "+n)
			}
		}
	}
}

// worked is the formula with and without numbers, or the method.
func worked(e explanation) string {
	out := e.how()
	switch {
	case e.Formula == "":
	case e.Formula == e.Numbers:
		out = numbers(e.Numbers, e.Result)
	default:
		out += " = " + numbers(e.Numbers, e.Result)
	}
	if e.Problem != "" {
		out += " (! " + e.Problem + ")"
	}
	return out
}

// few is the number of assumptions that a short report names.
const few = 8

func (t *text) assumptions() {
	list := slices.Clone(t.plan.Assumptions)
	if len(list) == 0 {
		return
	}
	if t.wide {
		t.heading("Assumptions: fields that the scenario left open")
		tb := table.Table{Indent: "  ", Columns: []table.Column{{Title: "Field"}, {Title: "Value"}, {Title: "Why"}, {Title: "Fact"}}}
		for _, a := range list {
			tb.Add(a.Field, a.Value, a.Why, a.Fact)
		}
		t.table(tb)
		return
	}
	t.heading(fmt.Sprintf("Assumptions: %s left open in the scenario", plural(len(list), "field")))
	slices.SortStableFunc(list, func(a, b v1alpha1.Assumption) int { return cmp.Compare(weight(a), weight(b)) })
	var words []string
	for _, a := range list[:min(few, len(list))] {
		words = append(words, a.Field+" = "+a.Value)
	}
	out := strings.Join(words, ", ")
	if len(list) > few {
		out += fmt.Sprintf(", and %d more (-o wide)", len(list)-few)
	}
	t.line("  ", table.Plain, out)
}

// weight puts first the assumptions that move a plan most: the planner's
// choices, then what nobody publishes.
func weight(a v1alpha1.Assumption) int {
	switch {
	case strings.HasPrefix(a.Field, "policy."):
		return 0
	case a.Fact == "":
		return 1
	}
	return 2
}

func (t *text) skipped() {
	if len(t.plan.Skipped) == 0 {
		return
	}
	t.heading("Not counted, or otherwise")
	tb := table.Table{Bare: !t.wide, Indent: "  ", Columns: []table.Column{{Title: "Place"}, {Title: "What"}, {Title: "Why"}}}
	for _, s := range t.plan.Skipped {
		tb.Add(s.Place, counted(s), s.Why)
	}
	t.table(tb)
}

// counted is what was skipped, with its number when there are several.
func counted(s v1alpha1.Skipped) string {
	if s.Count > 1 {
		return fmt.Sprintf("%s (%d)", s.What, s.Count)
	}
	return s.What
}

// documents spells out the short names of the sources, and the places whose
// names are too long for a column; in a short report of those that it names.
func (t *text) documents() {
	tb := table.Table{Bare: true, Indent: "  ", Columns: []table.Column{{Title: "Code"}, {Title: "Title"}}}
	for _, d := range t.cited() {
		if !t.wide && !t.cites[d.Code] {
			continue
		}
		what := d.Title
		if what == "" {
			what = strings.Join(d.Sections, "; ")
		}
		tb.Add(d.Code, what)
	}
	if len(tb.Rows) > 0 {
		t.heading("Sources")
		t.table(tb)
	}
}

func (t *text) hints() {
	id := ""
	if g := t.gauges(); len(g) > 0 {
		id = g[0].ID
	} else if len(t.plan.Figures) > 0 {
		id = t.plan.Figures[0].ID
	}
	t.b.WriteByte('\n')
	if id != "" {
		t.line("Any number explained:  ", table.Plain, "plimsoll why "+t.opt.file()+" "+quoted(id))
	}
	if !t.wide {
		t.command("Everything, to attach:", "plimsoll plan "+t.opt.file()+" -o html")
	}
}

// quoted protects an id from the shell.
func quoted(id string) string {
	if strings.ContainsAny(id, " []()*?'\"$`&;|<>\\!#~") {
		return "'" + strings.ReplaceAll(id, "'", `'\''`) + "'"
	}
	return id
}

// whereFound is the place of a finding, empty when it stands in no file.
func whereFound(f v1alpha1.Finding) string {
	if f.Place == nil {
		return ""
	}
	return placeText(*f.Place)
}
