package release

import (
	"cmp"
	"fmt"
	"slices"
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
	From Release
	// Seen is the first release whose source has the value, where that is not From: the
	// releases between were not read, and pass for the later one.
	Seen  Release
	Value T
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

// Since are the steps of what is true from a release on.
func Since(first Release) []Step[bool] { return []Step[bool]{{From: first, Value: true}} }

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
	row := Row{ID: b.ID, Title: b.Title, Source: b.Source, seen: map[Release]Release{}}
	for _, s := range b.Steps {
		row.seen[s.From] = s.Seen
	}
	for r := Release(1); r <= Newest; r++ {
		row.values = append(row.values, fmt.Sprint(b.In(r)))
	}
	return row
}

// Row is a behaviour as a line of a table.
type Row struct {
	ID, Title string
	Source    derive.Source
	// values are the values as text, of 4.1 and on.
	values []string
	// seen are the releases by which a value was seen, by that from which it is taken to hold.
	seen map[Release]Release
}

// In is the value in a release, as text.
func (r Row) In(of Release) string { return r.values[of.Minor()-1] }

// Values tells the values by release: "since 4.5" of what is true then, or
// "MachineSet; any controller since 4.5". Where a turn is known to lie between two
// releases, both are named: "since 4.6–4.19".
func (r Row) Values() string {
	var runs []Span
	for i, v := range r.values {
		if i == 0 || v != r.values[i-1] {
			runs = append(runs, Span{Since: Release(i + 1)})
		}
		runs[len(runs)-1].Until = Release(i + 1)
	}
	if slices.Contains([]string{"true", "false"}, r.values[0]) {
		return r.spans(runs)
	}
	out := []string{r.In(runs[0].Since)}
	for _, run := range runs[1:] {
		out = append(out, r.In(run.Since)+" "+r.since(run.Since))
	}
	return strings.Join(out, "; ")
}

// spans tells in which releases it is true.
func (r Row) spans(runs []Span) string {
	var out []string
	for _, run := range runs {
		switch {
		case r.In(run.Since) == "false":
		case run == Span{1, Newest}:
			return "always"
		case run.Since == 1:
			out = append(out, "until "+r.until(run.Until))
		case run.Until == Newest:
			out = append(out, r.since(run.Since))
		case run.Since == run.Until:
			out = append(out, run.Since.String())
		default:
			out = append(out, run.Since.String()+" to "+r.until(run.Until))
		}
	}
	return cmp.Or(strings.Join(out, ", "), "never")
}

func (r Row) since(from Release) string {
	if seen := r.seen[from]; seen > from {
		return "since " + from.String() + "–" + seen.String()
	}
	return Span{Since: from}.String()
}

func (r Row) until(last Release) string {
	if seen := r.seen[last+1]; seen > last+1 {
		return last.String() + "–" + (seen - 1).String()
	}
	return last.String()
}
