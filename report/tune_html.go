package report

import (
	_ "embed" // template and style sheet
	"html/template"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
)

// timelineView is a timeline with its legend and its tables.
type timelineView struct {
	Title, Description, Note, Level string
	Drawing                         template.HTML
	Kinds                           []kindView
	// Signs explain the marks of events; empty without events.
	Signs string
	Grids []*rowsView
}

// foldedLines is the number of lines from which a text is folded.
const foldedLines = 120

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
