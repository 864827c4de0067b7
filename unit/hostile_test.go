package unit

import (
	"strings"
	"testing"
)

// Amounts that don't fit are refused, quickly; they don't wrap around.
func TestHostileQuantities(t *testing.T) {
	for _, s := range []string{
		"1e19", "9e99", "1e99999999", "1e-99999999", "1E+999999999", "9999999999999999999999999999999",
		strings.Repeat("9", 1000), "8Ei", "9223372036854775807",
	} {
		if v, err := ParseBytes(s); err == nil {
			t.Errorf("ParseBytes(%q) = %d", s, v)
		}
		if v, err := ParseCPU(s); err == nil {
			t.Errorf("ParseCPU(%q) = %d", s, v)
		}
	}
	if v, err := ParseBytes("7Ei"); err != nil || v != 7<<60 {
		t.Errorf("7Ei: %d, %v", v, err)
	}
	if v, err := ParseBytes("1E"); err != nil || v != 1e18 {
		t.Errorf("1E: %d, %v", v, err)
	}
}
