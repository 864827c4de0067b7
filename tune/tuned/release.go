package tuned

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/release"
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

// The releases that the operator's image has: that of CentOS 7, with patches, then one
// that its sources pin.
var (
	tuned211   = Release{Minor: 11}
	patched211 = Release{Minor: 11, Patched: []string{"regex_search_ternary"}}
	tuned224   = Release{Minor: 24}
)

// ReleaseIn is the release of TuneD that nodes of a release have.
func ReleaseIn(r release.Release) Release { return releases.In(r) }
