package tuned

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// maxSearch bounds the steps that an expression takes: its size times that of the text.
const maxSearch = 1 << 26

// maxPattern is the size in bytes of the longest expression that is searched for, and
// searchWork what reading one counts as: real ones have some 20 bytes, a profile a few.
const (
	maxPattern = 512
	searchWork = 16 << 10
)

// A sign of a set that stands for itself, and what Go and Python read the same way: groups,
// alternatives and edges, which can't be repeated; characters and sets, which can. A
// repetition at the beginning, a backslash or an open set at the end are what both refuse.
const (
	member = `(?:[^\\\[\]]|\\[[:punct:]])`
	sets   = `\[\^?(?:\]?` + member + `*|(?:\\[dsw])+(?:-|(?:[^-\\\[\]]|\\[[:punct:]])` + member + `*)?)\]`
	signs  = `[^\\\[({*+?|^$]|\\[dDsSwWafnrtv[:punct:]]|` + sets
	items  = `\((?:\?:)?|[$^|]|\\[AbB]|\{[A-Za-z_]|(?:` + signs + `)(?:(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??)?`
)

// alike matches the expressions that Go and Python read the same way, or that both
// refuse.
var alike = regexp.MustCompile(`^(?:\(\?[ims]+\))*[*+?]?(?:` + items + `)*(?:\\|\[[^\\\]]*)?$`)

// refused are the errors of Go for expressions that are alike, and that Python doesn't
// take either.
var refused = []syntax.ErrorCode{syntax.ErrMissingParen, syntax.ErrUnexpectedParen, syntax.ErrMissingBracket,
	syntax.ErrMissingRepeatArgument, syntax.ErrInvalidCharRange, syntax.ErrTrailingBackslash}

// search is re.search of an expression in Python's syntax, where Go gives the same
// answer. What both refuse stops the load, everything else leaves the text.
func search(pattern, text string, lines bool) (bool, error) {
	if len(pattern) > maxPattern || len(pattern)*len(text) > maxSearch {
		return false, beyond("has an expression that takes too long")
	}
	if !alike.MatchString(pattern) || !sameSigns(pattern, text, lines) {
		return false, beyond(fmt.Sprintf("has the expression %q, which is not understood here", clip(pattern)))
	}
	flags := ""
	if lines {
		flags = "(?m)"
	}
	re, err := regexp.Compile(flags + pattern)
	var bad *syntax.Error
	switch {
	case err == nil:
		return re.MatchString(text), nil
	case errors.As(err, &bad) && slices.Contains(refused, bad.Code):
		return false, &aborts{Crash, fmt.Sprintf("%q is no regular expression", clip(pattern)), "error"}
	}
	return false, beyond(fmt.Sprintf("has the expression %q, which is not understood here", clip(pattern)))
}

// unicodes matches what knows all of Unicode in Python, and the separators of ASCII.
var unicodes = regexp.MustCompile(`\\[dDsSwWbB]|^\(\?[ims)(?]*i`)

// sameSigns reports whether both have the same letters, blanks, edges and ends in a
// text. Python's $ stands before a last line break too, and its \B is not in an empty
// text.
func sameSigns(pattern, text string, lines bool) bool {
	other := func(r rune) bool { return r == '\v' || r >= 0x1c && r <= 0x1f || r > unicode.MaxASCII }
	return (!strings.ContainsFunc(pattern+text, other) || !unicodes.MatchString(pattern)) &&
		(lines || !strings.HasSuffix(text, "\n") || !strings.Contains(pattern, "$")) &&
		(text != "" || !strings.Contains(pattern, `\B`))
}

func beyond(what string) error {
	return &stays{BeyondUs, what, "look at what it comes to on the node", "what TuneD makes of the expression"}
}

// searching is the work of looking for the expressions that a function is given.
func searching(f builtin, args []string) int {
	if !slices.Contains([]string{"regex_search_ternary", "cpuinfo_check", "lscpu_check"}, f.name) {
		return 0
	}
	return len(args)*searchWork + len(strings.Join(args, ""))
}
