package unit_test

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/unit"
)

func TestParseCPUSet(t *testing.T) {
	for text, want := range map[string]string{"": "", "3": "3", "0-3,8": "0-3,8", "8, 0-1,2": "0-2,8", "1023": "1023",
		"63-64": "63-64"} {
		got, err := unit.ParseCPUSet(text)
		if err != nil || got.String() != want {
			t.Errorf("ParseCPUSet(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"a", "3-1", "1024", "-1", "1-", ",", "0-99999999999"} {
		if got, err := unit.ParseCPUSet(text); err == nil {
			t.Errorf("ParseCPUSet(%q) = %q; want an error", text, got)
		}
	}
}

// TestCPUSetTwin compares the bit sets with maps.
func TestCPUSetTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (unit.CPUSet, map[int]bool) {
			m := map[int]bool{}
			for _, c := range rapid.SliceOf(rapid.IntRange(0, unit.MaxCPUs-1)).Draw(t, name) {
				m[c] = true
			}
			return unit.CPUSetOf(slices.Collect(maps.Keys(m))...), m
		}
		a, ma := draw("a")
		b, mb := draw("b")
		only := func(keep func(int) bool) []int {
			var out []int
			for c := range unit.MaxCPUs {
				if keep(c) {
					out = append(out, c)
				}
			}
			return out
		}
		check := func(name string, got unit.CPUSet, keep func(int) bool) {
			want := only(keep)
			if !slices.Equal(slices.Collect(got.All()), want) || got.Len() != len(want) || got.IsEmpty() != (len(want) == 0) {
				t.Fatalf("%s: %v, want %v", name, got, want)
			}
		}
		check("a", a, func(c int) bool { return ma[c] })
		check("union", a.Union(b), func(c int) bool { return ma[c] || mb[c] })
		check("intersect", a.Intersect(b), func(c int) bool { return ma[c] && mb[c] })
		check("minus", a.Minus(b), func(c int) bool { return ma[c] && !mb[c] })
		if a.SubsetOf(b) != (len(only(func(c int) bool { return ma[c] && !mb[c] })) == 0) {
			t.Fatal("subset")
		}
		if back, err := unit.ParseCPUSet(a.String()); err != nil || back != a {
			t.Fatalf("%q reads as %q, %v", a, back, err)
		}
	})
}

func TestFirstCPUs(t *testing.T) {
	for n, want := range map[int]string{-1: "", 0: "", 1: "0", 4: "0-3", unit.MaxCPUs + 1: "0-1023"} {
		if got := unit.FirstCPUs(n).String(); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
