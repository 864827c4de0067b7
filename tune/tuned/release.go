package tuned

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/tune/era"
)

// Release is a release of TuneD. The zero Release is the newest that is known here.
type Release struct {
	// Minor is its second number, of TuneD 2: 20 for 2.20.
	Minor int `json:"minor"`
	// Patched are functions of later releases that it was given.
	Patched []string `json:"patched,omitempty"`
}

// String is TuneD with the release.
func (r Release) String() string {
	switch {
	case r.Minor == 0:
		return "TuneD"
	case len(r.Patched) == 0:
		return fmt.Sprintf("TuneD 2.%d", r.Minor)
	}
	return fmt.Sprintf("TuneD 2.%d (with %s)", r.Minor, strings.Join(r.Patched, ", "))
}

// has says whether a release has a function.
func (r Release) has(f builtin) bool {
	return r.Minor == 0 || r.Minor >= f.since || slices.Contains(r.Patched, f.name)
}

// releases are those that the operator's image has: that of CentOS 7, with patches,
// then one that its sources pin.
var releases = era.Rule[Release]{
	ID:     "tuned.release",
	Title:  "Release of TuneD on the nodes, whose functions profiles may call",
	At:     [...]Release{{Minor: 11}, {Minor: 11}, {Minor: 11, Patched: []string{"regex_search_ternary"}}, {Minor: 24}},
	Source: derive.Source{Code: "NTO source", Section: "Dockerfile, assets/patches, assets/tuned/tuned"},
}

// ReleaseIn is the release of TuneD that nodes of an era have.
func ReleaseIn(e era.Era) Release { return releases.In(e) }
