package unit_test

import (
	"math"
	"testing"

	"plimsoll.dev/unit"
)

func TestFormatDecimal(t *testing.T) {
	for b, want := range map[unit.Bytes]string{0: "0 B", 999: "999 B", 8000: "8 kB", 94 * unit.GB: "94 GB",
		32 * unit.GiB: "34.36 GB", -unit.MB: "-1 MB",
		math.MinInt64: "-9.223 EB", math.MaxInt64: "9.223 EB"} {
		if got := unit.FormatDecimal(b); got != want {
			t.Errorf("%d bytes are %q, want %q", b, got, want)
		}
	}
}

// Amounts that are round in decimal multiples are written so, and rates of whole MiB
// in those.
func TestFormatKeepsTheSystem(t *testing.T) {
	for bytes, want := range map[float64]string{62_500_000: "62.5 MB", 7_500_000: "7.5 MB", 75_000_000: "75 MB",
		200_000: "200 kB", 19.5e9: "19.5 GB", 64 << 20: "64 MiB", 500 << 10: "500 KiB", 1536 << 20: "1.5 GiB"} {
		if got := unit.Format(bytes, unit.ByteUnit); got != want {
			t.Errorf("%v bytes: %q, want %q", bytes, got, want)
		}
	}
	for rate, want := range map[float64]string{170 << 20: "170 MiB/s", 3e6: "3 MB/s", 1e9: "1 GB/s", 2048 << 20: "2 GiB/s",
		512: "512 B/s", 0: "0 B/s"} {
		if got := unit.Format(rate, unit.BytesPerS); got != want {
			t.Errorf("%v bytes/s: %q, want %q", rate, got, want)
		}
	}
}
