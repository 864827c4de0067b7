package report

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/unit"
)

// whatIfs are failures and drains, a line each.
func (t placed) whatIfs() {
	list := whatIfs(t.p, t.mostHomeless())
	if len(list) == 0 {
		return
	}
	t.heading("What if")
	for _, w := range list {
		mark, style := "+", table.Good
		if w.Bad {
			mark, style = "!", table.Bad
		}
		t.mark("  ", mark, style, table.Plain, w.Text)
	}
}

// mostHomeless is the number of pod types that a what-if names; 0 is all.
func (t placed) mostHomeless() int {
	if t.wide {
		return 0
	}
	return typesNamed
}

// whatIfView is a what-if in a sentence.
type whatIfView struct {
	Text string
	Bad  bool
}

// whatIfs are all failures and drains in sentences, for all formats alike. They
// name so many pod types at most; 0 names all.
func whatIfs(p *v1alpha1.Placement, most int) []whatIfView {
	var out []whatIfView
	for _, l := range p.Losses {
		out = append(out, whatIfView{lossText(p, l, most), l.Survived < l.Tried})
	}
	for _, d := range p.Drains {
		out = append(out, whatIfView{drainText(p, d, most), d.Worst != ""})
	}
	return out
}

// lossText says what a failure does.
func lossText(p *v1alpha1.Placement, l v1alpha1.Loss, most int) string {
	switch {
	case l.Tried == 0:
		return l.What + " fails: nothing was tried"
	case l.Survived >= l.Tried && l.Of > 0:
		return fmt.Sprintf("%s fails: every pod runs again in the %s cases tried (%s)", l.What, whole(l.Tried), l.How)
	case l.Survived >= l.Tried:
		return fmt.Sprintf("%s fails: every pod runs again, whichever it is (%s tried: %s)", l.What, whole(l.Tried), l.How)
	}
	s := fmt.Sprintf("%s fails: every pod runs again in %s of %s cases (%s)", l.What, whole(l.Survived), whole(l.Tried), l.How)
	if l.Worst == "" {
		return s
	}
	return s + "; at worst, without " + l.Worst + ", no place for " + homelessText(p, l.Homeless, most)
}

// drainText says what a rolling update does.
func drainText(p *v1alpha1.Placement, d v1alpha1.Drain, most int) string {
	s := d.What + ", " + whole(d.Batches) + " batches"
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
			s += fmt.Sprintf(", with up to %s at a time", whole(d.MostUnavailable))
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
	return s + fmt.Sprintf("; up to %s at a time would keep all running", whole(d.MostUnavailable))
}

func homelessText(p *v1alpha1.Placement, list []v1alpha1.PodsCount, most int) string {
	pods := make([]v1alpha1.PodsOnNode, len(list))
	for i, c := range list {
		pods[i] = v1alpha1.PodsOnNode(c)
	}
	return podsText(p, pods, most)
}
