package report

import (
	"fmt"
	"regexp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// whatIfView is a what-if in a sentence, for all formats alike.
type whatIfView struct {
	Text string
	Bad  bool
	// Reasons say more of what is bad.
	Reasons []string
}

// lossView is what a failure does to what runs: of the cases that are judged, which are
// whole when they are all that there are. At worst it leads to what homeless says.
func lossView[C any](l v1alpha1.LossOf[C], cases int64, whole bool, w terms, homeless string) whatIfView {
	worst := ""
	if l.Worst != "" {
		worst = "without " + l.Worst + ", no " + homeless
	}
	view := func(s string) whatIfView {
		return whatIfView{Text: failing(l.What) + ": " + s, Bad: l.Survived < cases}
	}
	again, how, tried := "every "+w.Unit+" runs again", l.How, words.Number(l.Tried)
	if int64(l.Tried) != cases {
		tried += " of " + words.Number(cases)
		how = tried + " tried: " + how
	}
	switch {
	case l.Tried == 0:
		return view("nothing was tried")
	case l.Survived >= cases && cases == 1 && whole:
		return view(again)
	case cases == 1 && worst != "":
		return view(worst)
	case l.Survived >= cases && !whole:
		return view(fmt.Sprintf("%s in the %s cases tried (%s)", again, words.Number(cases), how))
	case l.Survived >= cases:
		return view(fmt.Sprintf("%s, whichever it is (%s tried: %s)", again, tried, l.How))
	}
	s := fmt.Sprintf("%s in %s of %s cases (%s)", again, words.Number(l.Survived), words.Number(cases), how)
	if worst != "" {
		s += "; at worst, " + worst
	}
	return view(s)
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
