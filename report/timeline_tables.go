package report

import (
	"cmp"
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// grids are a timeline as tables: the things, the events, the level.
func (v timeView) grids() []grid {
	title := cmp.Or(oneLine(v.Title), "Timeline")
	things := grid{Title: title + ": states", Head: []string{"Name", "States"}}
	for _, r := range equalRows(v.Rows) {
		things.Rows = append(things.Rows, []string{foldedNames(r.names), spansText(r.Spans)})
	}
	events := grid{Title: title + ": events", Head: []string{">Time", "Of", "Event"}}
	for _, m := range v.moments {
		events.Rows = append(events.Rows, []string{timeText(m.At), foldedNames(m.names), strings.TrimPrefix(eventSign(m.Mark)+" ", "* ") + m.Text})
	}
	out := []grid{things, events.dropped()}
	if l := v.Level; l != nil && len(l.Steps) > 0 {
		level := grid{Title: cmp.Or(oneLine(l.Title), "Level"), Head: []string{">From", ">" + cmp.Or(oneLine(l.Unit), "Amount")}}
		for _, s := range l.Steps {
			level.Rows = append(level.Rows, []string{timeText(s.At), grouped(s.Amount)})
		}
		for _, x := range l.Limits {
			level.Notes = append(level.Notes, fmt.Sprintf("%s: %s", x.Name, grouped(x.Amount)))
		}
		out = append(out, level)
	}
	return out
}

// spansText is "draining from 0 s to 5 min; updated from 5 min to 2 h".
func spansText(spans []v1alpha1.TimelineSpan) string {
	parts := make([]string, len(spans))
	for i, s := range spans {
		sign, _ := markOfCell(s.Mark)
		parts[i] = fmt.Sprintf("%s%s from %s to %s", sign, oneLine(s.State), timeText(s.From), timeText(s.To))
	}
	return strings.Join(parts, "; ")
}

// tables are the grids.
func (v timeView) tables() []Grid {
	var out []Grid
	for _, g := range v.grids() {
		out = append(out, newTable(g.Title, g.Head, g.Rows, g.Notes...))
	}
	return out
}
