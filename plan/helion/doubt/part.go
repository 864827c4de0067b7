package doubt

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
)

// Section is the id of the section that tells the doubtful rows.
const Section = "doubts"

// Part tells the rows: those that the plan met for every reader, the others in wide
// output; with an error for each that must be refused.
func Part(l *Log) *part.Part {
	p := part.New(Section, "Doubtful figures")
	rows := l.Rows()
	met := 0
	for _, r := range rows {
		if r.Met {
			met++
			l.find(p, r)
		}
	}
	p.Section.Summary = fmt.Sprintf("%d of the document's %d doubtful rows touch this plan; mode %s", met,
		len(rows), l.mode)
	if met > 0 {
		table(p, "doubts.met", "Doubtful rows that this plan depends on", rows, func(r Row) bool { return r.Met })
	}
	if met < len(rows) {
		table(p, "doubts.others", "Doubtful rows that it does not touch", rows,
			func(r Row) bool { return !r.Met }).Wide = true
	}
	return p
}

func table(p *part.Part, id, title string, rows []Row, wanted func(Row) bool) *v1alpha1.Table {
	t := p.Table(id, title, part.Right("Row"), part.Left("What"), part.Left("Used"), part.Left("Printed"),
		part.Left("Why"), part.Left("Effect on this plan"))
	t.Columns[3].Wide, t.Columns[4].Wide = true, true
	for _, r := range rows {
		if wanted(r) {
			t.Rows = append(t.Rows, []v1alpha1.Cell{part.Num(derive.Of(float64(r.Number), "")), part.Marked(r.Title, mark(r)),
				part.Text(r.Used), part.Text(r.Printed), part.Text(r.Why), part.Text(effect(r))})
		}
	}
	return t
}

// mark warns of rows that contradict themselves.
func mark(r Row) string {
	if r.Contradicts {
		return "warn"
	}
	return ""
}

// effect is what the row changes in this plan, in words.
func effect(r Row) string {
	switch {
	case len(r.Effects) > 0:
		return strings.Join(r.Effects, "; ")
	case r.Met:
		return "no figure changes"
	}
	return "not met"
}

// find adds what the mode makes of a row that was met.
func (l *Log) find(p *part.Part, r Row) {
	if !r.Contradicts {
		return
	}
	id := fmt.Sprintf("doubts.row[%d]", r.Number)
	said := fmt.Sprintf("%s: the document contradicts itself: %s", r.Title, r.Why)
	switch l.mode {
	case Refuse:
		p.Find(v1alpha1.Error, id, said+"; what depends on it stands as with careful, and its limits are not judged",
			"plan with policy.doubtful: careful, or give the figure under measurements")
	case AsPrinted:
		p.Find(v1alpha1.Warning, id, said+"; the printed "+r.Printed+" is used", "plan with policy.doubtful: careful")
	default:
		p.Find(v1alpha1.Info, id, said+"; "+r.Used+" is used", "")
	}
}
