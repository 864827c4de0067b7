package unit_test

import (
	"testing"

	"plimsoll.dev/unit"
)

func TestFormatDecimal(t *testing.T) {
	for b, want := range map[unit.Bytes]string{0: "0 B", 999: "999 B", 8000: "8 kB", 94 * unit.GB: "94 GB", 32 * unit.GiB: "34.36 GB", -unit.MB: "-1 MB"} {
		if got := unit.FormatDecimal(b); got != want {
			t.Errorf("%d bytes are %q, want %q", b, got, want)
		}
	}
}
