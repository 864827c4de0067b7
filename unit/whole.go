package unit

import "math"

// Whole is the integer part of a number; what no int64 can hold is the most or the
// least that one can. The language leaves open what a conversion gives there, and
// processors differ. What is no number is 0.
func Whole(number float64) int64 {
	switch {
	case math.IsNaN(number):
		return 0
	case number >= math.MaxInt64:
		return math.MaxInt64
	case number <= math.MinInt64:
		return math.MinInt64
	}
	return int64(number)
}
