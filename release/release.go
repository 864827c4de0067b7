// Package release names the minor releases of OpenShift 4, and holds what differs
// between them: a behaviour has a value from each release on that changed it, and a
// source where that can be read. The behaviours themselves are rows of rules.yaml
// beside the package that they are rules of.
//
// It knows no operator.
//
//	var perNode = release.Behaviour[bool]{ID: "profile.perNode", Steps: []release.Step[bool]{{From: 4, Value: true}}}
//	if perNode.In(r) { ... }
package release

//go:generate go run -C .. ./tools/rulegen

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Release is a minor release of OpenShift 4: 5 is 4.5. The zero Release is Current.
type Release int

// Current stands for what the operators do today, where no release is named. The
// releases of the five documents have names, too.
const (
	Current Release = 0
	V43     Release = 3
	V44     Release = 4
	V45     Release = 5
)

// Newest is the last release whose sources the tables were read from.
const Newest Release = 23

// Where no source between two releases was read, what is known of the later one is
// taken for what is between them: sources were read of 4.3 to 4.5, and of 4.19 on.
const (
	firstRead = V43
	lastOld   = V45
	firstNew  = Release(19)
)

// current is the name of Current.
const current = "current"

// Names are the releases that are known, as a user may name them.
func Names() []string {
	out := []string{current}
	for r := Newest; r >= 1; r-- {
		out = append(out, r.String())
	}
	return out
}

// Documented are the releases of which behaviours were read closely, oldest first.
func Documented() []Release { return []Release{V43, V44, V45, Current} }

// Followed is the documented release whose generation the release is of: 4.3 for what
// was before, Current for all since 4.6.
func (r Release) Followed() Release {
	if r = max(r.Minor(), V43); r > V45 {
		return Current
	}
	return r
}

// Parse reads "4.4" or "4.14.3"; the patch level doesn't matter here.
func Parse(text string) (Release, error) {
	major, rest, ok := strings.Cut(text, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	if !ok || major != "4" || err != nil || n < 1 {
		return 0, fmt.Errorf("release %q is not of the form 4.17", text)
	}
	return Release(n), nil
}

// ParseName is Parse for text that may also be "current".
func ParseName(text string) (Release, error) {
	if text == current {
		return Current, nil
	}
	r, err := Parse(text)
	if err != nil {
		return 0, fmt.Errorf("%w, or current", err)
	}
	return r, nil
}

// MarshalText writes the release as people write it.
func (r Release) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String is the release as people write it: "4.5", or "current".
func (r Release) String() string {
	if r == Current {
		return current
	}
	return "4." + strconv.Itoa(int(r))
}

// OpenShift names the release in a sentence: "OpenShift 4.5", "OpenShift today".
func (r Release) OpenShift() string {
	if r == Current {
		return "OpenShift today"
	}
	return "OpenShift " + r.String()
}

// Minor is the release, and for Current the newest.
func (r Release) Minor() Release { return cmp.Or(r, Newest) }

// Rules says whose rules judge the release: its own, or, where its sources were not
// read, those of the nearest that were. It stands after "rules of OpenShift": "4.5",
// "current", "4.11, and of today where nothing else is known".
func (r Release) Rules() string {
	switch {
	case r == Current || r >= firstRead && r <= lastOld || r >= firstNew && r <= Newest:
		return r.String()
	case r < firstRead:
		return r.String() + ", and of " + firstRead.String() + " where nothing else is known"
	}
	return r.String() + ", and of today where nothing else is known"
}

// Span are the releases that have something, from Since to Until, both included;
// Until 0 is for what is still there.
type Span struct{ Since, Until Release }

// Has reports whether a release is within the span.
func (s Span) Has(r Release) bool {
	r = r.Minor()
	return r >= s.Since && (s.Until == 0 || r <= s.Until)
}

// String is the span for people: "4.1 to 4.10", "since 4.5".
func (s Span) String() string {
	if s.Until == 0 {
		return "since " + s.Since.String()
	}
	return s.Since.String() + " to " + s.Until.String()
}
