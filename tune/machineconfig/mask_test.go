package machineconfig

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The forms that the kernel shows, and the documents' values.
func TestMask(t *testing.T) {
	for _, c := range []struct {
		cpus int
		only []int
		want string
	}{
		{8, nil, "ff"}, // the text of "Red Hat OpenShift on IBM Z"
		{12, nil, "fff"},
		{1, nil, "1"},
		{2, nil, "3"},
		{5, nil, "1f"},
		{32, nil, "ffffffff"},
		{33, nil, "1,ffffffff"},
		{64, nil, "ffffffff,ffffffff"},
		{64, []int{0, 1, 2, 3, 4, 5, 6, 7}, "00000000,000000ff"}, // its example output
		{64, []int{63}, "80000000,00000000"},
		{40, []int{32, 0}, "01,00000001"},
		{96, []int{0}, "00000000,00000000,00000001"},
		{8, []int{}, "00"},
	} {
		got, err := Mask(c.cpus, c.only)
		if err != nil || got != c.want {
			t.Errorf("%d CPUs, %v: %q, %v; want %q", c.cpus, c.only, got, err, c.want)
		}
	}
	for _, c := range []struct {
		cpus int
		only []int
	}{{0, nil}, {-1, nil}, {MaxCPUs + 1, nil}, {8, []int{8}}, {8, []int{-1}}} {
		if got, err := Mask(c.cpus, c.only); err == nil {
			t.Errorf("%d CPUs, %v: %q", c.cpus, c.only, got)
		}
	}
}

// naiveMask sets one digit after the other, four CPUs each.
func naiveMask(cpus int, has func(int) bool) string {
	var digits []byte
	for c := 0; c < cpus; c += 4 {
		v := 0
		for bit := range 4 {
			if c+bit < cpus && has(c+bit) {
				v += 1 << bit
			}
		}
		digits = append(digits, "0123456789abcdef"[v])
	}
	var out []byte
	for i, d := range digits {
		if i > 0 && i%8 == 0 {
			out = append(out, ',')
		}
		out = append(out, d)
	}
	slices.Reverse(out)
	return string(out)
}

func TestMaskAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cpus := rapid.OneOf(rapid.IntRange(1, 130), rapid.IntRange(1, MaxCPUs)).Draw(t, "cpus")
		var only []int
		has := func(int) bool { return true }
		if rapid.Bool().Draw(t, "some") {
			only = rapid.SliceOfN(rapid.IntRange(0, cpus-1), 1, 200).Draw(t, "only")
			has = func(c int) bool { return slices.Contains(only, c) }
		}
		got, err := Mask(cpus, only)
		if want := naiveMask(cpus, has); err != nil || got != want {
			t.Fatalf("%d CPUs: %s, %v; want %s", cpus, got, err, want)
		}
		m, err := parseMask(got)
		if err != nil || !m.fits(cpus) || m.highest() >= cpus || m.highest() < 0 || !has(m.highest()) {
			t.Fatalf("%s is read as %v, %v", got, m, err)
		}
		if cut := m.highest(); m.fits(cut) {
			t.Fatalf("%s fits %d CPUs", got, cut)
		}
	})
}

// What the kernel refused on a machine with two CPUs, and what it took.
func TestMaskFits(t *testing.T) {
	for text, want := range map[string]bool{"ff": false, "7": false, "00000000,00000003": false, "3": true,
		"00000003": true, "0": true, "": false, "0x3": false,
		"3,": false, "xyz": false, "000000003": false, "-3": false, "+3": false, "3 ": true} {
		m, err := parseMask(text)
		if got := err == nil && m.fits(2); got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
		if err != nil && !strings.HasSuffix(err.Error(), ")") {
			t.Errorf("%q: %v does not say what would be right", text, err)
		}
	}
	a, _ := parseMask("ff")
	b, _ := parseMask("00000000,000000ff")
	c, _ := parseMask("fff")
	if !a.equal(b) || a.equal(c) {
		t.Error("ff is 00000000,000000ff and is not fff")
	}
}
