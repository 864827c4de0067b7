package unit

import (
	"math"
	"testing"
)

// Numbers beyond an int64 become its ends, on every processor, and are written so.
func TestWhole(t *testing.T) {
	for number, want := range map[float64]int64{
		1.9: 1, -1.9: -1, 1e30: math.MaxInt64, -1e30: math.MinInt64, 1 << 62: 1 << 62, 1 << 63: math.MaxInt64,
		-1 << 63: math.MinInt64, math.Inf(1): math.MaxInt64, math.Inf(-1): math.MinInt64,
	} {
		if got := Whole(number); got != want {
			t.Errorf("%v: got %d, want %d", number, got, want)
		}
	}
	if Whole(math.NaN()) != 0 {
		t.Error("what is no number is 0")
	}
	for text, want := range map[string]string{
		Format(1e30, ByteUnit): "8 EiB", Format(-1e30, ByteUnit): "-8 EiB", Format(1e12, Seconds): "11574074 d 1 h",
		FormatDecimal(math.MinInt64): "-9.223 EB",
	} {
		if text != want {
			t.Errorf("got %s, want %s", text, want)
		}
	}
}
