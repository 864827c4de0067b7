package unit

import (
	"math"
	"strconv"
	"strings"
)

// Names of the units that figures, facts and gauges use. Any other text is
// taken as the noun of a count ("nodes", "pods").
const (
	Millicores = "millicores"
	ByteUnit   = "bytes"
	BytesPerS  = "bytes/s"
	BitsPerS   = "bit/s"
	Seconds    = "seconds"
	Ratio      = "ratio"   // 1.375, printed as written
	Percent    = "percent" // 37.5 stands for 37.5 %
	Bits       = "bits"
	None       = ""
)

// Format writes number in unit for people: millicores as cores, bytes with a
// scale, large counts with thousands separators.
func Format(number float64, unit string) string {
	switch unit {
	case Millicores:
		return trim(number/1000) + " " + singular(number/1000, "cores")
	case ByteUnit:
		return FormatBytes(Bytes(Whole(math.Round(number))))
	case BytesPerS:
		if number >= float64(MiB) && math.Mod(number, float64(MiB)) == 0 && math.Mod(number, float64(MB)) != 0 {
			return scaled(number, 1024, "B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s")
		}
		return scaled(number, 1000, "B/s", "kB/s", "MB/s", "GB/s", "TB/s")
	case BitsPerS:
		return scaled(number, 1000, "bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s")
	case Seconds:
		return formatSeconds(number)
	case Percent:
		return trim(number) + " %"
	case Ratio, None:
		return trim(number)
	}
	return trim(number) + " " + singular(number, unit)
}

// singular drops the plural s of a counting noun when there is exactly one.
func singular(number float64, noun string) string {
	if number == 1 && strings.HasSuffix(noun, "s") && !strings.HasSuffix(noun, "/s") && !strings.HasSuffix(noun, "ss") {
		if strings.HasSuffix(noun, "addresses") {
			return strings.TrimSuffix(noun, "es")
		}
		return strings.TrimSuffix(noun, "s")
	}
	return noun
}

// trim writes v with at most three decimals (four significant below one),
// without trailing zeros, with commas between thousands.
func trim(v float64) string {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "unlimited"
	}
	decimals := 3
	switch a := math.Abs(v); {
	case a >= 1000:
		decimals = 0
	case a >= 100:
		decimals = 1
	case a >= 10:
		decimals = 2
	}
	if v == math.Trunc(v) {
		decimals = 0
	}
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if decimals > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return thousands(s)
}

// thousands puts commas into the integer part of a decimal number.
func thousands(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	whole, frac, hasFrac := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if hasFrac {
		whole += "." + frac
	}
	return sign + whole
}

// formatSeconds writes a time in its two largest units: "2 h 30 min".
func formatSeconds(s float64) string {
	if s < 60 {
		return trim(s) + " s"
	}
	const minute, hour, day = 60, 3600, 86400
	whole := Whole(math.Round(s))
	days, hours, minutes, seconds := whole/day, whole%day/hour, whole%hour/minute, whole%minute
	parts := []string{}
	for _, p := range []struct {
		n int64
		u string
	}{{days, "d"}, {hours, "h"}, {minutes, "min"}, {seconds, "s"}} {
		if p.n > 0 && len(parts) < 2 {
			parts = append(parts, strconv.FormatInt(p.n, 10)+" "+p.u)
		}
	}
	return strings.Join(parts, " ")
}
