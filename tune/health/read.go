package health

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/tune/era"
)

// reader reads a script line by line and keeps what it can, so that every problem
// is found at once.
type reader struct {
	s        *Script
	open     func(path string) ([]byte, error)
	problems yamlpos.Problems

	line  int
	text  string
	words []word
	used  int

	machines, sets, checks map[string]bool
	refs                   []ref
	named                  int // names so far
	until                  *word
}

// ref is a name that must be known when the script has been read.
type ref struct {
	line int
	w    word
	what string // machine, set, check, or "" for a machine or a check
	name string
}

// Read reads a script; the package's comment describes its language. open reads
// the files that it names; nil allows none. The problems are all that there are, in
// the order of their positions.
func Read(name string, text []byte, open func(path string) ([]byte, error)) (*Script, yamlpos.Problems) {
	r := &reader{s: &Script{Name: name, takes: defaultTakes(), until: -1, budget: maxWork}, open: open,
		machines: map[string]bool{}, sets: map[string]bool{}, checks: map[string]bool{}}
	if len(text) > maxScript || !utf8.Valid(text) {
		r.line = 1
		r.bad(word{col: 1}, "the script is longer than 1 MiB, or no UTF-8 text", "write one scenario")
		return nil, r.problems
	}
	for line := range strings.Lines(string(text)) {
		r.line++
		r.statement(strings.TrimSuffix(line, "\n"))
	}
	r.finish()
	r.problems.Sort()
	r.problems.TakeExcerpts(text, 1, 1)
	if len(r.problems) > 0 {
		return nil, r.problems
	}
	return r.s, nil
}

// statements are the words that a line can begin with.
var statements = map[string]func(*reader){
	"title": (*reader).title, "era": (*reader).eras, "check": (*reader).check, "machines": (*reader).group,
	"takes": (*reader).takesLine, "at": (*reader).event, "until": (*reader).untilLine, "expect": (*reader).expect,
}

func (r *reader) statement(line string) {
	words, closed := split(line)
	r.text, r.words, r.used = strings.TrimSpace(line), words, 0
	if !closed {
		r.bad(words[len(words)-1], "nothing closes the quotes", `end them with "`)
		return
	}
	if len(words) == 0 {
		return
	}
	w := words[0]
	r.used = 1
	read, ok := statements[w.text]
	if !ok || w.quoted {
		r.bad(w, fmt.Sprintf("unknown statement %q", w.text), "begin with title, era, check, machines, takes, at, until or expect")
		return
	}
	before := len(r.problems)
	read(r)
	if len(r.problems) == before && r.used < len(r.words) {
		r.bad(r.words[r.used], fmt.Sprintf("%q is one word too many", r.words[r.used].text), "end the line before it")
	}
}

// bad takes a problem at a word.
func (r *reader) bad(w word, what, fix string) {
	r.problems.Add(yamlpos.Problem{File: r.s.Name, Line: r.line, Col: w.col, What: what, Fix: fix})
}

// rest is the line from a word on, without comments.
func (r *reader) rest(from int) string {
	parts := make([]string, 0, len(r.words))
	for _, w := range r.words[from:] {
		if w.quoted {
			w.text = strconv.Quote(w.text)
		}
		parts = append(parts, w.text)
	}
	return strings.Join(parts, " ")
}

// next is the next word of the line; what is told when there is none.
func (r *reader) next(what string) (word, bool) {
	if r.used >= len(r.words) {
		last := r.words[len(r.words)-1]
		r.bad(word{col: last.col + utf8.RuneCountInString(last.text)}, "the line ends too early", "write "+what)
		return word{}, false
	}
	r.used++
	return r.words[r.used-1], true
}

// more says whether words are left.
func (r *reader) more() bool { return r.used < len(r.words) }

// take takes the next word if it is the given one.
func (r *reader) take(text string) bool {
	if r.more() && r.words[r.used].text == text && !r.words[r.used].quoted {
		r.used++
		return true
	}
	return false
}

// oneOf is the next word, which must be one of some.
func (r *reader) oneOf(what string, words ...string) (string, bool) {
	w, ok := r.next(what)
	if ok && !slices.Contains(words, w.text) {
		r.bad(w, fmt.Sprintf("%q is not known here", w.text), "write "+what)
		return "", false
	}
	return w.text, ok
}

// span is the next word as a time in seconds.
func (r *reader) span(what string) (int64, bool) {
	w, ok := r.next(what + " such as 90s, 5m or 1h30m")
	if !ok {
		return 0, false
	}
	at, err := spanOf(w.text)
	if err != nil {
		r.bad(w, err.Error(), "write "+what+" such as 90s, 5m or 1h30m")
	}
	return at, err == nil
}

// number is the next word as a number from 0 on.
func (r *reader) number(what string) (int, bool) {
	w, ok := r.next(what)
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(w.text)
	if err != nil || n < 0 || n > maxMachines {
		r.bad(w, fmt.Sprintf("%q is not a number up to %d", w.text, maxMachines), "write "+what)
		return 0, false
	}
	return n, true
}

// names are the machines of the next word. They need not be known yet.
func (r *reader) names(what string) ([]string, word, bool) {
	w, ok := r.next("names of " + what + " such as worker-[1-3]")
	if !ok {
		return nil, w, false
	}
	list, err := expand(w.text)
	if r.named += len(list); err == nil && r.named > maxNames {
		err = fmt.Errorf("the script names machines more than %d times", maxNames)
	}
	if err != nil {
		r.bad(w, err.Error(), "write names of "+what+" such as worker-[1-3],infra-1")
	}
	return list, w, err == nil
}

// known demands that names are known when the script has been read.
func (r *reader) known(w word, what string, names ...string) {
	for _, n := range names {
		r.refs = append(r.refs, ref{r.line, w, what, n})
	}
}

func (r *reader) title() {
	r.s.Title = strings.TrimSpace(strings.TrimPrefix(r.text, "title"))
	r.used = len(r.words)
	if r.s.Title == "" {
		r.bad(r.words[0], "the title is empty", "write it in a few words")
	}
}

func (r *reader) eras() {
	for first := true; first || r.more(); first = false {
		w, ok := r.next("an era: " + strings.Join(era.Names(), ", "))
		if !ok {
			return
		}
		e, err := era.Parse(w.text)
		if err != nil {
			r.bad(w, err.Error(), "write "+strings.Join(era.Names(), ", "))
			continue
		}
		r.s.Eras = append(r.s.Eras, e)
	}
}

func (r *reader) untilLine() {
	at, ok := r.span("the end of the scenario")
	switch {
	case !ok:
	case r.until != nil:
		r.bad(r.words[0], "the scenario ends twice", "leave one of the ends out")
	case at == 0:
		r.bad(r.words[1], "the scenario ends as it begins", "write a later end")
	default:
		w := r.words[0]
		r.until, r.s.until = &w, at
	}
}

// finish judges what only the whole script shows.
func (r *reader) finish() {
	r.line++
	if r.until == nil {
		r.bad(word{col: 1}, "the scenario has no end", `write "until 1h" for example`)
	}
	if len(r.s.checks) == 0 {
		r.bad(word{col: 1}, "the scenario has no check", `write "check workers selector role=worker ready-unknown 300s" for example`)
	}
	for _, f := range r.refs {
		r.line = f.line
		if !r.knows(f) {
			what := f.what
			if what == "" {
				what = "machine or check"
			}
			r.bad(f.w, fmt.Sprintf("there is no %s %q", what, f.name), "name one that the script declares"+r.hint(f))
		}
	}
	slices.SortStableFunc(r.s.events, func(a, b scriptEvent) int { return int(min(max(a.at-b.at, -1), 1)) })
}

func (r *reader) hint(f ref) string {
	if f.what == "" || f.what == "machine" {
		return ", or one that a set makes: SET-r1"
	}
	return ""
}

func (r *reader) knows(f ref) bool {
	switch f.what {
	case "set":
		return r.sets[f.name]
	case "check":
		return r.checks[f.name]
	case "":
		if r.checks[f.name] {
			return true
		}
	}
	stem, n := numbered(f.name)
	set, made := strings.CutSuffix(stem, "-r")
	return r.machines[f.name] || made && n > 0 && r.sets[set]
}
