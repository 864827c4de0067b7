package report

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/unit"
)

// whatIfs are all failures and drains of a placement of pods. They name so many
// pod types at most; 0 names all.
func whatIfs(p *v1alpha1.Placement, most int) []whatIfView {
	var out []whatIfView
	for _, l := range p.Losses {
		out = append(out, whatIfView{Text: lossText(p, l, most), Bad: l.Survived < int64(l.Tried)})
	}
	for _, d := range p.Drains {
		out = append(out, whatIfView{Text: drainText(p, d, most), Bad: d.Worst != ""})
	}
	return out
}

// lossText says what a failure does.
func lossText(p *v1alpha1.Placement, l v1alpha1.Loss, most int) string {
	f := failure{what: l.What, cases: int64(l.Tried), survived: l.Survived, whole: l.Of == 0, how: l.How, tried: l.Tried}
	if l.Worst != "" {
		f.worst = "without " + l.Worst + ", no place for " + homelessText(p, l.Homeless, most)
	}
	return f.text(podWords)
}

// drainText says what a rolling update does.
func drainText(p *v1alpha1.Placement, d v1alpha1.Drain, most int) string {
	s := d.What + ", " + words.Number(d.Batches) + " batches"
	if d.Batches == 1 {
		s = d.What + ", 1 batch"
	}
	if d.Duration > 0 {
		s += ", " + unit.Format(float64(d.Duration), unit.Seconds)
	}
	if d.Worst == "" {
		s += ": every pod keeps a place"
		switch {
		case d.MostUnavailable < 0:
			s += "; more at a time were not tried"
		case d.MostUnavailable > d.MaxUnavailable:
			s += fmt.Sprintf(", with up to %s at a time", words.Number(d.MostUnavailable))
		}
		return s
	}
	s += ": no place for " + homelessText(p, d.Homeless, most) + " with " + d.Worst + " drained"
	switch d.MostUnavailable {
	case -1:
		return s + "; other numbers at a time were not tried"
	case 0:
		return s + "; not even one node at a time would keep all running"
	}
	return s + fmt.Sprintf("; up to %s at a time would keep all running", words.Number(d.MostUnavailable))
}

func homelessText(p *v1alpha1.Placement, list []v1alpha1.PodsCount, most int) string {
	return countsText(list, "pod", most, func(x v1alpha1.PodsCount) (string, int) { return podName(p, x.PodType), x.Count })
}
