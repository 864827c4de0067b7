package haproxy

import (
	"math"
	"regexp"
	"strconv"
	"time"
)

// timePattern is what the router's template takes for a time of HAProxy; any other
// text is silently replaced by the default.
var timePattern = regexp.MustCompile(`^[1-9][0-9]*(us|ms|s|m|h|d)?$`)

// haproxyTime writes whole seconds, at least 1, in the largest unit without rest:
// "90s", "18m", "1h".
func haproxyTime(seconds float64) string {
	n := int64(math.Round(max(1, seconds)))
	switch {
	case n%3600 == 0:
		return strconv.FormatInt(n/3600, 10) + "h"
	case n%60 == 0:
		return strconv.FormatInt(n/60, 10) + "m"
	}
	return strconv.FormatInt(n, 10) + "s"
}

// readTime reads a time as HAProxy does: without unit it is milliseconds. ok is
// false for what the template does not take. What is too long for a Duration is the
// longest one; HAProxy itself takes none above ocp.router.timeMax.
func readTime(text string) (d time.Duration, ok bool) {
	m := timePattern.FindStringSubmatchIndex(text)
	if m == nil {
		return 0, false
	}
	number, name := text, ""
	if m[2] >= 0 {
		number, name = text[:m[2]], text[m[2]:]
	}
	n, err := strconv.ParseInt(number, 10, 64)
	per := map[string]time.Duration{"": time.Millisecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second,
		"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[name]
	if err != nil || n > math.MaxInt64/int64(per) {
		return math.MaxInt64, true
	}
	return time.Duration(n) * per, true
}
