package loadmodel

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"
)

// Seconds is a time that is a number of seconds where no unit stands with it.
type Seconds time.Duration

// Milliseconds is a time that is a number of milliseconds where no unit stands with it.
type Milliseconds time.Duration

// UnmarshalText reads "30", "10 s", "10s", "0 min", "1 hr", "250 ms".
func (s *Seconds) UnmarshalText(text []byte) (err error) {
	*(*time.Duration)(s), err = duration(string(text), time.Second, "10 s")
	return err
}

// UnmarshalText reads "250", "250 ms", "3 s".
func (m *Milliseconds) UnmarshalText(text []byte) (err error) {
	*(*time.Duration)(m), err = duration(string(text), time.Millisecond, "250 ms")
	return err
}

var (
	timed     = regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*([a-zµ]*)$`)
	timeUnits = map[string]time.Duration{
		"ns": time.Nanosecond, "us": time.Microsecond, "µs": time.Microsecond, "ms": time.Millisecond,
		"s": time.Second, "sec": time.Second, "secs": time.Second,
		"m": time.Minute, "min": time.Minute, "mins": time.Minute,
		"h": time.Hour, "hr": time.Hour, "hrs": time.Hour}
)

// longestTime is more than any run is waited for.
const longestTime = 7 * 24 * time.Hour

// duration reads the forms that the configurations of both programs have; a number alone counts plain units.
func duration(text string, plain time.Duration, sample string) (time.Duration, error) {
	if d, err := time.ParseDuration(text); err == nil && d >= 0 && d <= longestTime {
		return d, nil
	}
	m := timed.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf("%q is not a time (write it like %s)", text, sample)
	}
	unit, ok := timeUnits[m[2]]
	if m[2] == "" {
		unit, ok = plain, true
	}
	n, err := strconv.ParseFloat(m[1], 64)
	switch {
	case !ok || err != nil:
		return 0, fmt.Errorf("%q has no unit of time (write ns, us, ms, s, m or h: %s)", text, sample)
	case n*float64(unit) > float64(longestTime):
		return 0, fmt.Errorf("%q is too long (at most 7 days)", text)
	}
	return time.Duration(math.Round(n * float64(unit))), nil
}
