package era

import (
	"fmt"
	"strconv"
	"strings"
)

// Release is a minor release of OpenShift 4: 5 is 4.5.
type Release int

// Newest is the last release whose sources the tables were read from.
const Newest Release = 23

// ParseRelease reads "4.4" or "4.14.3"; the patch level doesn't matter here.
func ParseRelease(text string) (Release, error) {
	major, rest, ok := strings.Cut(text, ".")
	minor, _, _ := strings.Cut(rest, ".")
	n, err := strconv.Atoi(minor)
	if !ok || major != "4" || err != nil || n < 1 {
		return 0, fmt.Errorf("release %q is not of the form 4.17", text)
	}
	return Release(n), nil
}

// MarshalText writes the release as people write it.
func (r Release) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// String is the release as people write it: "4.5".
func (r Release) String() string { return "4." + strconv.Itoa(int(r)) }

// Release is the release that stands for the era: for current the newest.
func (e Era) Release() Release {
	return [...]Release{V43: 3, V44: 4, V45: 5, Current: Newest}[e]
}

// Span are the releases that have something, from Since to Until, both included;
// Until 0 is for what is still there.
type Span struct{ Since, Until Release }

// Has says whether a release is within the span.
func (s Span) Has(r Release) bool { return r >= s.Since && (s.Until == 0 || r <= s.Until) }

// String is the span for people: "4.1 to 4.10", "since 4.5".
func (s Span) String() string {
	if s.Until == 0 {
		return "since " + s.Since.String()
	}
	return s.Since.String() + " to " + s.Until.String()
}

// In is what holds for each era, given what holds for each release.
func In[T any](of func(Release) T) (out [len(names)]T) {
	for i := range out {
		out[i] = of(Era(i).Release())
	}
	return out
}

// Text says whose rules an answer was made by: an era's, or, where the release is known
// more exactly than by its era, that release's, with those of the era where it has none
// of its own. It stands after "rules of OpenShift": "4.5", "4.20", "4.11, and of today
// where nothing else is known".
func Text(e Era, r Release) string {
	if r == 0 {
		return e.String()
	}
	of, exact, err := Of(r.String())
	if err != nil || of != e {
		return e.String()
	}
	if exact && r <= Newest {
		return r.String()
	}
	others := e.String()
	if e == Current {
		others = "today"
	}
	return r.String() + ", and of " + others + " where nothing else is known"
}
