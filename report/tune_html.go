package report

import (
	_ "embed" // template and style sheet
	"html/template"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/report/chart"
)

//go:embed tune.html
var tuneTemplate string

//go:embed tune.css
var tuneStyle string

// tunedPage is an answer prepared for its template.
type tunedPage struct {
	*page
	A *v1alpha1.Answer
	// Heading names the answer and its era, Says is the verdict.
	Heading, Says string
	Placed        []v1alpha1.Finding
	Others        []v1alpha1.Finding
	Parts         []tunedSection
}

// tunedSection is a part of an answer with those that belong to it.
type tunedSection struct {
	Anchor, Title string
	Parts         []tunedPart
}

// tunedPart is a part with its drawings.
type tunedPart struct {
	Lead     []string
	Timeline *timelineView
	Tables   []foldedTable
	Texts    []textView
}

// foldedTable is a table that is folded when it is long.
type foldedTable struct {
	Fold string
	Tab  tableView
}

// timelineView is a timeline with its legend and its tables.
type timelineView struct {
	Title, Description, Note, Level string
	Drawing                         template.HTML
	Kinds                           []kindView
	// Signs explain the marks of events; empty without events.
	Signs string
	Grids []*rowsView
}

// textView is a text in lines.
type textView struct {
	Title, Fold string
	Lines       []lineView
}

// lineView is a line, and what a difference does with it.
type lineView struct{ Text, Class string }

// foldedLines is the number of lines from which a text is folded.
const foldedLines = 120

// tunedHTML is an answer as one HTML file.
func tunedHTML(a *v1alpha1.Answer, opt Options) (string, error) {
	v := &tunedPage{page: newPage(tunedIndex(a, opt)), A: a, Heading: tunedTitle(a), Says: tunedVerdict(a)}
	v.CSS += template.CSS(placementStyle + chart.TimelineStyle + tuneStyle) //nolint:gosec // constants
	v.Placed, v.Others = apart(v.findings())
	v.sections()
	v.Contents = []link{{"verdict", "Verdict"}}
	findings := link{"findings", "Findings"}
	if v.FindingsFirst() {
		v.Contents = append(v.Contents, findings)
	}
	for _, s := range v.Parts {
		if s.Title != "" {
			v.Contents = append(v.Contents, link{s.Anchor, s.Title})
		}
	}
	if v.FindingsLast() {
		v.Contents = append(v.Contents, findings)
	}
	return execute("tuned", v)
}

// FindingsFirst and FindingsLast say where findings stand, if there are any.
func (v *tunedPage) FindingsFirst() bool { return len(v.A.Findings) > 0 && findingsFirst(v.A) }

// FindingsLast is FindingsFirst for those that stand below the parts.
func (v *tunedPage) FindingsLast() bool { return len(v.A.Findings) > 0 && !findingsFirst(v.A) }

// HasFile says whether the page may name the command that made it.
func (v *tunedPage) HasFile() bool { return v.opt.File != "" }

// judge is the class of a severity.
func judge(s v1alpha1.Severity) string {
	if s == v1alpha1.Error || s == v1alpha1.Warning {
		return string(s)
	}
	return ""
}

// sections joins parts without a title to the part before.
func (v *tunedPage) sections() {
	for i, p := range v.A.Parts {
		if i == 0 || p.Title != "" {
			v.Parts = append(v.Parts, tunedSection{Anchor: v.anchors.of("p", strconv.Itoa(i)+"-"+p.Title), Title: p.Title})
		}
		last := &v.Parts[len(v.Parts)-1]
		last.Parts = append(last.Parts, v.part(p))
	}
}

func (v *tunedPage) part(p v1alpha1.Part) tunedPart {
	out := tunedPart{Lead: p.Lead}
	if p.Timeline != nil {
		out.Timeline = v.timelineView(p.Timeline)
	}
	for _, t := range p.Tables {
		f := foldedTable{Tab: v.tableView(slim(t))}
		if len(t.Rows) >= manyRows {
			f.Fold = foldTitle(len(t.Rows))
		}
		out.Tables = append(out.Tables, f)
	}
	for _, x := range p.Texts {
		out.Texts = append(out.Texts, newTextView(x))
	}
	return out
}

// timelineView draws a timeline under an anchor of its own.
func (v *page) timelineView(src *v1alpha1.Timeline) *timelineView {
	t := newTimeView(src, drawnRows)
	id := v.anchors.of("t", strconv.Itoa(len(v.anchors.used)))
	out := &timelineView{Title: src.Title, Description: src.Description, Note: t.note, Drawing: template.HTML(t.drawing(id))} //nolint:gosec // escaped by chart
	if src.Level != nil {
		out.Level = levelText(src.Level)
	}
	for i, s := range t.states {
		name := s.name
		if s.mark == "bad" || s.mark == "warn" {
			name += " (" + s.mark + ")"
		}
		out.Kinds = append(out.Kinds, kindView{name, template.HTML(t.drawnState(i).Swatch())}) //nolint:gosec // escaped by chart
	}
	if len(t.moments) > 0 {
		out.Signs = "Upright lines are events of the whole, numbered as in the table of events; marks on bars are events of one thing: ! bad, ~ doubtful, + good, * any other."
	}
	for _, g := range t.grids() {
		if rows := g.view(); rows != nil {
			out.Grids = append(out.Grids, rows)
		}
	}
	return out
}

// newTextView is a text without control characters.
func newTextView(x v1alpha1.Text) textView {
	v := textView{Title: x.Title}
	for _, l := range bodyLines(x.Body) {
		line := lineView{Text: cleanLine(l)}
		if x.Language == "diff" {
			line.Class = map[table.Style]string{table.Good: "good", table.Bad: "bad", table.Bold: "head", table.Faint: "sub"}[diffStyle(l)]
		}
		v.Lines = append(v.Lines, line)
	}
	if len(v.Lines) > foldedLines {
		v.Fold = "All " + whole(len(v.Lines)) + " lines"
	}
	return v
}
