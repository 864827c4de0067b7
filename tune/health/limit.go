package health

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"plimsoll.dev/release"
)

// Limit is how many of a check's machines may be unhealthy for it to remediate.
type Limit struct {
	release release.Release
	none    bool // not given: as many as there are
	percent bool
	value   int
	err     error
}

// LimitOf reads maxUnhealthy: nil, a whole number (int64), or text.
func LimitOf(value any, r release.Release) Limit {
	l := Limit{release: r}
	switch v := value.(type) {
	case nil:
		l.none = true
	case int64:
		l.value, l.err = bounded(v)
	case string:
		l.readText(v)
	default:
		l.err = fmt.Errorf("%v is neither a whole number nor text", value)
	}
	return l
}

func (l *Limit) readText(text string) {
	digits := text
	switch {
	case percentAnywhere.In(l.release):
		digits = strings.ReplaceAll(text, "%", "")
		l.percent = digits != text
	default:
		digits, l.percent = strings.CutSuffix(text, "%")
	}
	l.percent = l.percent || textIsPercent.In(l.release)
	v, err := strconv.Atoi(digits)
	if err != nil {
		l.err = fmt.Errorf("%q is neither a number nor a percentage", text)
		return
	}
	l.value, l.err = bounded(int64(v))
}

// bounded refuses what does not fit into the 32 bits of the field.
func bounded(v int64) (int, error) {
	if v != int64(int32(v)) {
		return 0, errors.New(strconv.FormatInt(v, 10) + " is beyond 32 bits")
	}
	return int(v), nil
}

// Of is how many of so many machines may be unhealthy. A percentage is rounded
// down. A negative number allows nothing: it restricts even when no machine is
// unhealthy, where the release does not take it for 0. The error says that the value
// can't be read, which allows nothing either.
func (l Limit) Of(expected int) (int, error) {
	limit := l.value
	switch {
	case l.err != nil:
		return 0, l.err
	case l.none:
		return expected, nil
	case l.percent:
		limit = int(math.Floor(float64(l.value) * float64(expected) / 100))
	}
	if limit < 0 && negativeIsZero.In(l.release) {
		limit = 0
	}
	return limit, nil
}

// Allows says whether a check with so many unhealthy machines remediates.
func (l Limit) Allows(expected, unhealthy int) bool {
	limit, err := l.Of(expected)
	return err == nil && unhealthy <= limit
}
