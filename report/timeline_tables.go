package report

import (
	"cmp"
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// tables are a timeline as tables: the things, the events, the level.
func (v timeView) tables() []Grid {
	title := cmp.Or(oneLine(v.Title), "Timeline")
	things := newTable(title+": states", []string{"Name", "States"}, nil)
	for _, r := range equalRows(v.Rows) {
		things.row(foldedNames(r.names), spansText(r.Spans))
	}
	events := newTable(title+": events", []string{">Time", "Of", "Event"}, nil)
	for _, m := range v.moments {
		events.row(timeText(m.At), foldedNames(m.names), strings.TrimPrefix(eventSign(m.Mark)+" ", "* ")+m.Text)
	}
	out := []Grid{things, events.dropped()}
	if l := v.Level; l != nil && len(l.Steps) > 0 {
		level := newTable(cmp.Or(oneLine(l.Title), "Level"), []string{">From", ">" + cmp.Or(oneLine(l.Unit), "Amount")}, nil)
		for _, s := range l.Steps {
			level.row(timeText(s.At), grouped(s.Amount))
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
	return joined(spans, "; ", func(s v1alpha1.TimelineSpan) string {
		sign, _ := markOfCell(s.Mark)
		return fmt.Sprintf("%s%s from %s to %s", sign, oneLine(s.State), timeText(s.From), timeText(s.To))
	})
}
