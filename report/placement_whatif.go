package report

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// whatIfs are all failures and drains of a placement of pods. They name so many
// pod types at most; 0 names all.
func whatIfs(p *v1alpha1.Placement, most int) []whatIfView {
	var out []whatIfView
	for _, l := range p.Losses {
		homeless := "place for " + podsText(p, l.Homeless, most)
		out = append(out, lossView(l, int64(l.Tried), l.Of == 0, podWords, homeless))
	}
	for _, d := range p.Drains {
		out = append(out, whatIfView{Text: drainText(p, d, most), Bad: d.Worst != "" || d.Blocked != ""})
	}
	return out
}

// drainText says what a rolling update does, and which disruption budgets it meets.
func drainText(p *v1alpha1.Placement, d v1alpha1.Drain, most int) string {
	s := movedText(p, d, most)
	if d.Blocked != "" {
		s += "; it never ends: " + d.Blocked
	}
	if d.Waits != "" {
		s += "; it waits: " + d.Waits
	}
	return s
}

// movedText says what a rolling update does to the pods that it moves.
func movedText(p *v1alpha1.Placement, d v1alpha1.Drain, most int) string {
	s := d.What + ", " + words.Count(d.Batches, "batch", "batches")
	if d.Duration > 0 {
		s += ", " + unit.Format(float64(d.Duration), unit.Seconds)
	}
	if d.Worst == "" {
		s += ": every pod keeps a place"
		switch {
		case d.MostUnavailable < 0:
			s += "; more at a time were not tried"
		case d.MostUnavailable > d.MaxUnavailable:
			s += ", with " + upTo(d) + words.Number(d.MostUnavailable) + " at a time"
		}
		return s
	}
	s += ": no place for " + podsText(p, d.Homeless, most) + " with " + d.Worst + " drained"
	switch d.MostUnavailable {
	case -1:
		return s + "; other numbers at a time were not tried"
	case 0:
		return s + "; not even one node at a time would keep all running"
	}
	return s + "; " + upTo(d) + words.Number(d.MostUnavailable) + " at a time would keep all running"
}

// upTo begins a number of nodes, of which more may do where the search for it ended early.
func upTo(d v1alpha1.Drain) string {
	if d.AtLeast {
		return "at least "
	}
	return "up to "
}
