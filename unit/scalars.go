package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// BitRate is a network speed in bit/s, written with decimal suffixes: "10G".
type BitRate int64

// ParseBitRate reads "1G", "25G", "100M", with or without a trailing "bit/s".
func ParseBitRate(s string) (BitRate, error) {
	t := strings.TrimSpace(strings.TrimSuffix(s, "bit/s"))
	q, err := ParseBytes(t)
	if err != nil || strings.HasSuffix(t, "i") {
		return 0, fmt.Errorf("%q is not a bit rate (write it like 1G, 10G or 100M, in bit/s)", s)
	}
	return BitRate(q), nil
}

// String writes the shortest exact form: "10G".
func (r BitRate) String() string {
	for _, u := range []struct {
		suffix string
		size   BitRate
	}{{"T", 1e12}, {"G", 1e9}, {"M", 1e6}, {"k", 1e3}} {
		if r != 0 && r%u.size == 0 {
			return strconv.FormatInt(int64(r/u.size), 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(r), 10)
}

// MarshalText writes the shortest exact form.
func (r BitRate) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a bit rate.
func (r *BitRate) UnmarshalText(b []byte) error { return read(r, ParseBitRate, b) }

// Duration is a time in whole seconds, written with one or more of the
// suffixes s, m, h, d, w, y, as Prometheus writes a retention: "15d", "1h30m".
type Duration int64

var durationUnits = []struct {
	suffix  byte
	seconds int64
}{{'y', 365 * 86400}, {'w', 7 * 86400}, {'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}}

// ParseDuration reads a duration such as "15d", "300s" or "1h30m".
func ParseDuration(s string) (Duration, error) {
	bad := fmt.Errorf("%q is not a duration (write it like 15d, 12h or 300s)", s)
	var total int64
	rest, last := s, int64(math.MaxInt64)
	for rest != "" {
		i := 0
		for i < len(rest) && rest[i] >= '0' && rest[i] <= '9' {
			i++
		}
		if i == 0 || i == len(rest) {
			return 0, bad
		}
		n, err := strconv.ParseInt(rest[:i], 10, 64)
		size := secondsOf(rest[i])
		if err != nil || size == 0 || size >= last || n > (math.MaxInt64-total)/size {
			return 0, bad
		}
		total, last, rest = total+n*size, size, rest[i+1:]
	}
	if s == "" {
		return 0, bad
	}
	return Duration(total), nil
}

func secondsOf(suffix byte) int64 {
	for _, u := range durationUnits {
		if u.suffix == suffix {
			return u.seconds
		}
	}
	return 0
}

// String writes the duration in the largest unit that leaves no rest; weeks
// and years are written as days, as the documents do.
func (d Duration) String() string {
	for _, u := range durationUnits[2:] {
		if int64(d)%u.seconds == 0 {
			return strconv.FormatInt(int64(d)/u.seconds, 10) + string(u.suffix)
		}
	}
	return strconv.FormatInt(int64(d), 10) + "s"
}

// MarshalText writes the duration as String does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration.
func (d *Duration) UnmarshalText(b []byte) error { return read(d, ParseDuration, b) }

// Factor is a dimensionless factor or share, written as a number ("1.375") or
// as a percentage ("30%", read as 0.3).
type Factor float64

// ParseFactor reads "1.375" or "30%". It refuses negative and infinite values.
func ParseFactor(s string) (Factor, error) {
	number, isPercent := strings.CutSuffix(strings.TrimSpace(s), "%")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%q is not a factor (write it like 1.375 or 30%%)", s)
	}
	if v < 0 {
		return 0, fmt.Errorf("%q is negative (a factor is 0 or more)", s)
	}
	if isPercent {
		v /= 100
	}
	return Factor(v), nil
}

// MarshalText writes the factor as a plain number.
func (f Factor) MarshalText() ([]byte, error) {
	return []byte(strconv.FormatFloat(float64(f), 'f', -1, 64)), nil
}

// UnmarshalText reads a factor.
func (f *Factor) UnmarshalText(b []byte) error { return read(f, ParseFactor, b) }

// read sets what v points at to what parse makes of a text.
func read[T any](v *T, parse func(string) (T, error), text []byte) (err error) {
	*v, err = parse(string(text))
	return err
}
