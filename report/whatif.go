package report

import (
	"fmt"
	"regexp"

	"plimsoll.dev/internal/words"
)

// whatIfView is a what-if in a sentence, for all formats alike.
type whatIfView struct {
	Text string
	Bad  bool
	// Reasons say more of what is bad.
	Reasons []string
}

// failure is a what-if of something that is lost.
type failure struct {
	// what is lost, and the worst that it leads to.
	what, worst string
	// cases that are judged, and those after which all runs again.
	cases, survived int64
	// whole says that the cases are all that there are.
	whole bool
	// tried is how many were tried for that, how in what way.
	tried int
	how   string
}

// text says what the failure does.
func (f failure) text(w terms) string {
	again := failing(f.what) + ": every " + w.Unit + " runs again"
	how := f.how
	if int64(f.tried) != f.cases {
		how = words.Number(f.tried) + " tried: " + how
	}
	switch {
	case f.tried == 0:
		return failing(f.what) + ": nothing was tried"
	case f.survived >= f.cases && f.cases == 1 && f.whole:
		return again
	case f.cases == 1 && f.worst != "":
		return failing(f.what) + ": " + f.worst
	case f.survived >= f.cases && !f.whole:
		return fmt.Sprintf("%s in the %s cases tried (%s)", again, words.Number(f.cases), how)
	case f.survived >= f.cases:
		return fmt.Sprintf("%s, whichever it is (%s tried: %s)", again, words.Number(f.tried), f.how)
	}
	s := fmt.Sprintf("%s in %s of %s cases (%s)", again, words.Number(f.survived), words.Number(f.cases), how)
	if f.worst == "" {
		return s
	}
	return s + "; at worst, " + f.worst
}

// several are names of more things than one.
var several = regexp.MustCompile(`^(any )?([2-9]|\d\d+) `)

// failing is "any 1 node fails" or "any 2 nodes fail".
func failing(what string) string {
	if several.MatchString(what) {
		return what + " fail"
	}
	return what + " fails"
}
