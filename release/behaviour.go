package release

import (
	"cmp"
	"fmt"
	"strings"

	"plimsoll.dev/derive"
)

// Behaviour is something that differs between releases.
type Behaviour[T any] struct {
	// ID is stable and dotted, the subject first: "pool.masterBudget".
	ID string
	// Title says in a sentence what is decided.
	Title string
	// Steps are the values, each from a release on, oldest first. Before the first it
	// is the zero value.
	Steps []Step[T]
	// Source is where the behaviour can be read.
	Source derive.Source
}

// Step is a value that holds from a release on.
type Step[T any] struct {
	From Release `json:"from"`
	// Seen is the first release whose source has the value, where that is not From: the
	// releases between were not read, and pass for the later one.
	Seen  Release `json:"seen,omitzero"`
	Value T       `json:"value"`
}

// In is the behaviour's value in a release.
func (b *Behaviour[T]) In(r Release) (value T) {
	for _, s := range b.Steps {
		if s.From > r.Minor() {
			break
		}
		value = s.Value
	}
	return value
}

// SpanOf is the span of what is true in some releases that follow one another.
func SpanOf(b *Behaviour[bool]) (s Span) {
	for r := Release(1); r <= Newest; r++ {
		switch is := b.In(r); {
		case is && s.Since == 0:
			s.Since = r
		case !is && s.Since > 0 && s.Until == 0:
			s.Until = r - 1
		}
	}
	return s
}

// Row is the behaviour for people.
func (b *Behaviour[T]) Row() Row {
	row := Row{ID: b.ID, Title: b.Title, Source: b.Source}
	var none T
	row.Steps = []Step[string]{{From: 1, Value: fmt.Sprint(none)}}
	for _, s := range b.Steps {
		last := &row.Steps[len(row.Steps)-1]
		switch value := fmt.Sprint(s.Value); {
		case s.From == 1:
			last.Value = value
		case value != last.Value:
			row.Steps = append(row.Steps, Step[string]{s.From, s.Seen, value})
		}
	}
	return row
}

// Row is a behaviour as a line of a table: its values as text, the first that of 4.1.
type Row struct {
	ID     string         `json:"id"`
	Title  string         `json:"title"`
	Steps  []Step[string] `json:"steps"`
	Source derive.Source  `json:"source"`
}

// In is the value in a release, as text.
func (r Row) In(of Release) string { return (&Behaviour[string]{Steps: r.Steps}).In(of) }

// Values tells the values by release: "since 4.5" of what is true then, or
// "MachineSet; any controller since 4.5". Where a turn is known to lie between two
// releases, both are named: "since 4.6–4.19".
func (r Row) Values() string {
	if v := r.Steps[0].Value; v == "true" || v == "false" {
		return r.spans()
	}
	out := []string{r.Steps[0].Value}
	for _, s := range r.Steps[1:] {
		out = append(out, s.Value+" "+since(s))
	}
	return strings.Join(out, "; ")
}

// spans tells in which releases it is true.
func (r Row) spans() string {
	var out []string
	for i, s := range r.Steps {
		last := i+1 == len(r.Steps)
		switch {
		case s.Value == "false":
		case last && i == 0:
			return "always"
		case last:
			out = append(out, since(s))
		case i == 0:
			out = append(out, "until "+before(r.Steps[i+1]))
		case r.Steps[i+1].From == s.From+1 && r.Steps[i+1].Seen == 0:
			out = append(out, s.From.String())
		default:
			out = append(out, s.From.String()+" to "+before(r.Steps[i+1]))
		}
	}
	return cmp.Or(strings.Join(out, ", "), "never")
}

// since names the release of a step, and before the one before it: two, where the step
// lies between them.
func since(s Step[string]) string {
	if s.Seen > s.From {
		return "since " + s.From.String() + "–" + s.Seen.String()
	}
	return "since " + s.From.String()
}

func before(s Step[string]) string {
	if s.Seen > s.From {
		return (s.From - 1).String() + "–" + (s.Seen - 1).String()
	}
	return (s.From - 1).String()
}
