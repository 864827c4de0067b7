package report

import (
	"math"
	"strconv"
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// percent writes a share.
func percent(share float64) string { return limit.Percent(share) }

// plain writes a number as a calculator takes it, exactly as far as float64 is.
func plain(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	if err != nil {
		short = v
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// grouped is plain with commas between thousands.
func grouped(v float64) string {
	whole, frac, has := strings.Cut(plain(v), ".")
	n, err := strconv.ParseFloat(whole, 64)
	if err != nil {
		return plain(v)
	}
	out := unit.Format(n, unit.None)
	if n == 0 && v < 0 {
		out = "-0"
	}
	if has {
		out += "." + frac
	}
	return out
}

// exact is the number of a value in its base unit where the printed form does
// not give it already: "550,000 millicores" for "550 cores". Formulas compute
// with these numbers.
func exact(v derive.Value) string {
	number := grouped(v.Number)
	if v.Text == number || strings.HasPrefix(v.Text, number+" ") || v.Number == 0 {
		return ""
	}
	return strings.TrimSpace(number + " " + v.Unit)
}

// pair writes value and limit with the unit once: "150" and "250 nodes".
func pair(value, most derive.Value) (string, string) {
	number, noun, ok := strings.Cut(value.Text, " ")
	_, other, also := strings.Cut(most.Text, " ")
	if ok && also && (noun == other || noun+"s" == other || noun+"es" == other) {
		return number, most.Text
	}
	return value.Text, most.Text
}

// bare is pair without the noun of a count, which a gauge's title says already:
// "150" and "250", but "1.38" and "7 GB".
func bare(value, most derive.Value) (string, string) {
	if scaled(value.Unit) || scaled(most.Unit) {
		return pair(value, most)
	}
	return leading(value), leading(most)
}

// leading is the number before the noun of a count, or the text when it is
// made otherwise.
func leading(v derive.Value) string {
	number, noun, ok := strings.Cut(v.Text, " ")
	if ok && noun != "" && strings.HasPrefix(v.Unit, noun) && strings.Trim(number, "0123456789,.") == "" {
		return number
	}
	return v.Text
}

// scaled reports whether the printed form of a unit has a name of its own
// beside the number.
func scaled(name string) bool {
	switch name {
	case unit.Millicores, unit.ByteUnit, unit.BytesPerS, unit.BitsPerS, unit.Seconds, unit.Percent:
		return true
	}
	return false
}
