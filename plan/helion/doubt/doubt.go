// Package doubt keeps the rows of the Helion document that contradict themselves
// or reality: which value was used, which is printed, why, and what difference it
// makes. It repairs nothing in silence and computes no figure of its own.
//
//	log := doubt.New("careful", facts.Load())
//	rate := log.Pick(1, "hcg.log.storage.bytes", "hcg.log.storage.bytesPrinted")
//	log.Effect(1, "1.64 GB a day instead of 1.78")
package doubt

import (
	"fmt"
	"slices"

	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
)

// The ways to treat a doubtful row (policy.doubtful).
const (
	Careful   = "careful"
	AsPrinted = "as-printed"
	Refuse    = "refuse"
)

// Log collects the doubtful rows that a plan met. Not safe for concurrent use.
type Log struct {
	mode string
	c    *facts.Catalogue
	rows []Row
}

// Row is one doubtful row.
type Row struct {
	// Number of the row, from 1.
	Number int
	// Title says what is in doubt, Why what a careful engineer uses and the reason.
	Title, Why string
	// Used and Printed are the values in words.
	Used, Printed string
	// Effects are the differences that it makes to this plan's results.
	Effects []string
	// Contradicts says that the document contradicts itself so that nothing may be
	// computed with the row in mode refuse.
	Contradicts bool
	// Met says that the plan depends on the row.
	Met bool

	// choice says that mode as-printed takes the printed reading.
	choice bool
	// facts that were picked for the row.
	facts []string
}

// New returns an empty log for a mode; an unknown mode is careful.
func New(mode string, c *facts.Catalogue) *Log {
	if mode != AsPrinted && mode != Refuse {
		mode = Careful
	}
	return &Log{mode: mode, c: c, rows: list()}
}

// Pick returns the figure to compute with, by mode: the fact careful, or the
// fact printed. In mode refuse it is the careful one, and the row is noted as one
// that must be refused when it contradicts itself. A measurement of the user's own
// in the place of the careful fact ends the doubt: it is used in every mode. A row
// or a fact that does not exist is a fault of the program: it panics.
func (l *Log) Pick(number int, careful, printed string) derive.Value {
	r := l.row(number)
	if own := l.c.Must(careful); own.Source.Code == part.OwnMeasurement {
		return own.Value()
	}
	r.Met, r.choice = true, true
	id := careful
	if l.mode == AsPrinted {
		id = printed
	}
	if !slices.Contains(r.facts, id) {
		r.facts = append(r.facts, id)
	}
	return l.c.Must(id).Value()
}

// Met notes that the plan depends on a row that has no two figures.
func (l *Log) Met(number int) { l.row(number).Met = true }

// Effect notes what difference a row makes to a result: "77.5 MB would make it
// 1.78 GB a day". A sentence is kept once.
func (l *Log) Effect(number int, text string) {
	r := l.row(number)
	if !slices.Contains(r.Effects, text) {
		r.Effects = append(r.Effects, text)
	}
}

// AsPrinted says whether the document's own reading is asked for.
func (l *Log) AsPrinted() bool { return l.mode == AsPrinted }

// Mode is careful, as-printed or refuse.
func (l *Log) Mode() string { return l.mode }

// Rows are all rows of the document in order, those that were met marked.
func (l *Log) Rows() []Row {
	out := slices.Clone(l.rows)
	for i := range out {
		r := &out[i]
		switch {
		case l.mode != AsPrinted:
		case r.choice:
			r.Used = r.Printed
		case r.Met:
			r.Used += "; in mode as-printed, too: what is printed is nothing to compute with"
		}
		r.Effects, r.facts = slices.Clone(r.Effects), slices.Clone(r.facts)
	}
	return out
}

func (l *Log) row(number int) *Row {
	if number < 1 || number > len(l.rows) {
		panic(fmt.Sprintf("doubt: no row %d (1 to %d)", number, len(l.rows)))
	}
	return &l.rows[number-1]
}
