package unit_test

import (
	"testing"

	"plimsoll.dev/unit"
)

func TestFormatResource(t *testing.T) {
	for _, c := range []struct {
		resource string
		n        int64
		want     string
	}{
		{"cpu", 2500, "2.5 cores"}, {"memory", 3 << 30, "3 GiB"}, {"hugepages-2Mi", 2 << 20, "2 MiB"},
		{"pods", 1100, "1,100"}, {"nvidia.com/gpu", 4, "4"},
	} {
		if got := unit.FormatResource(c.resource, c.n); got != c.want {
			t.Errorf("%d of %s: %s, want %s", c.n, c.resource, got, c.want)
		}
	}
}
