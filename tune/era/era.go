// Package era names the generations of OpenShift whose operators behave
// differently, and holds what differs as data: one rule, a value for each era,
// and where that can be read.
//
// It knows no operator. An era is not a release: 4.5 stands for its last state,
// "current" for what the operators do today.
//
//	var perNode = era.Rule[bool]{ID: "profile.perNode", At: era.Since(era.V44)}
//	if perNode.In(e) { ... }
package era

import (
	"fmt"
	"strings"

	"plimsoll.dev/derive"
)

// Era is a generation. The zero Era is the first, 4.3.
type Era uint8

// The eras, oldest first.
const (
	V43 Era = iota
	V44
	V45
	Current
)

var names = [...]string{"4.3", "4.4", "4.5", "current"}

// All are the eras, oldest first.
func All() []Era { return []Era{V43, V44, V45, Current} }

// Names are the names of the eras, oldest first.
func Names() []string { return names[:] }

// String is the era's name.
func (e Era) String() string { return names[e] }

// MarshalText writes the era's name.
func (e Era) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Parse reads the name of an era.
func Parse(name string) (Era, error) {
	for i, n := range names {
		if n == name {
			return Era(i), nil
		}
	}
	return 0, fmt.Errorf("era %q is not %s or %s", name, strings.Join(names[:len(names)-1], ", "), names[len(names)-1])
}

// Of is the era whose rules a release of OpenShift follows best, and whether they
// are its own: 4.1 and 4.2 are taken for 4.3, and what came after 4.5 for
// current, of which releases in between may differ.
func Of(release string) (e Era, exact bool, err error) {
	minor, err := ParseRelease(release)
	if err != nil {
		return 0, false, err
	}
	switch {
	case minor <= 3:
		return V43, minor == 3, nil
	case minor == 4:
		return V44, true, nil
	case minor == 5:
		return V45, true, nil
	}
	return Current, minor >= 19, nil
}

// Rule is a behaviour with a value in each era.
type Rule[T any] struct {
	// ID is stable and dotted, the subject first: "pool.masterBudget".
	ID string
	// Title says in a sentence what is decided.
	Title string
	// At are the values, oldest era first.
	At [len(names)]T
	// Source is where the behaviour can be read.
	Source derive.Source
}

// In is the rule's value in an era.
func (r Rule[T]) In(e Era) T { return r.At[e] }

// Row is the rule for people: its values as text.
func (r Rule[T]) Row() Row {
	row := Row{ID: r.ID, Title: r.Title, Source: r.Source}
	for i, v := range r.At {
		row.At[i] = fmt.Sprint(v)
	}
	return row
}

// Row is a rule as a line of a table.
type Row struct {
	ID, Title string
	At        [len(names)]string
	Source    derive.Source
}

// Since is false before an era and true from it on.
func Since(first Era) (out [len(names)]bool) {
	for i := range out {
		out[i] = Era(i) >= first
	}
	return out
}

// Until is true up to an era and false after it.
func Until(last Era) (out [len(names)]bool) {
	for i := range out {
		out[i] = Era(i) <= last
	}
	return out
}

// Same is one value in all eras.
func Same[T any](v T) (out [len(names)]T) {
	for i := range out {
		out[i] = v
	}
	return out
}
