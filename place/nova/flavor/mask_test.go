package flavor

import (
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/unit"
)

func TestParseCPUs(t *testing.T) {
	for text, want := range map[string]string{
		"0":            "0",
		"0-3,8":        "0-3,8",
		"0-7,^2":       "0-1,3-7",
		"^2,0-7":       "0-1,3-7", // an exclusion counts wherever it stands
		"0-7,^2-5":     "0-1,6-7",
		" 0 , 2 - 3 ,": "0,2-3",
		"^1":           "",
		"":             "",
		"0-7,^0-99":    "",
	} {
		list, err := parseCPUs(text)
		cpus, beyond := list.below(16)
		if err != nil || cpus.String() != want || beyond != -1 {
			t.Errorf("%q: %q, %d, %v; want %q", text, cpus, beyond, err, want)
		}
	}
	for _, text := range []string{"x", "1-", "-1", "3-2", "^", "^^1", "1--2", "^1-x", "1.5", strings.Repeat("1,", 4000)} {
		if list, err := parseCPUs(text); err == nil {
			t.Errorf("%.20q is read as %v", text, list)
		}
	}
}

func TestParseCPUsBeyond(t *testing.T) {
	for text, want := range map[string]int64{
		"8":                        8,
		"0-9":                      8,
		"0-9,^8":                   9,
		"0-9,^8-9":                 -1,
		"0-9,^9,^8":                -1,
		"20,12":                    12,
		"0-99999999999999999999":   8,
		"0-99999999,^8-99999999":   -1,
		"0-99999999,^9-99999999,8": 8,
	} {
		list, err := parseCPUs(text)
		if _, beyond := list.below(8); err != nil || beyond != want {
			t.Errorf("%q: first beyond 7 is %d, %v; want %d", text, beyond, err, want)
		}
	}
}

// naiveCPUs takes and leaves out CPU by CPU.
func naiveCPUs(text string, n int) (below unit.CPUSet, beyond int64) {
	in, out := map[int]bool{}, map[int]bool{}
	for _, rule := range strings.Split(text, ",") {
		set := in
		if strings.HasPrefix(rule, "^") {
			rule, set = rule[1:], out
		}
		first, last, ok := strings.Cut(rule, "-")
		if !ok {
			last = first
		}
		a, _ := strconv.Atoi(first)
		b, _ := strconv.Atoi(last)
		for c := a; c <= b; c++ {
			set[c] = true
		}
	}
	beyond = -1
	for c := 40; c >= 0; c-- {
		switch {
		case !in[c] || out[c]:
		case c < n:
			below.Add(c)
		default:
			beyond = int64(c)
		}
	}
	return below, beyond
}

func TestParseCPUsLikeNaive(t *testing.T) {
	rule := rapid.Custom(func(t *rapid.T) string {
		a := rapid.IntRange(0, 30).Draw(t, "first")
		text := strconv.Itoa(a)
		if rapid.Bool().Draw(t, "range") {
			text += "-" + strconv.Itoa(a+rapid.IntRange(0, 9).Draw(t, "length"))
		}
		if rapid.IntRange(0, 2).Draw(t, "out") == 0 {
			text = "^" + text
		}
		return text
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rule, 1, 8).Draw(t, "rules"), ",")
		n := rapid.IntRange(1, 24).Draw(t, "n")
		list, err := parseCPUs(text)
		if err != nil {
			t.Fatal(err)
		}
		cpus, beyond := list.below(n)
		if want, wantBeyond := naiveCPUs(text, n); cpus != want || beyond != wantBeyond {
			t.Fatalf("%q below %d: %s and %d, want %s and %d", text, n, cpus, beyond, want, wantBeyond)
		}
	})
}

func TestParsePageSize(t *testing.T) {
	for text, want := range map[string]int64{
		"4": 4, "2048": 2048, "1048576": 1048576, "0": 0,
		"2MB": 2048, "2MiB": 2048, "1GB": 1048576, "1GiB": 1048576, "4KB": 4, "2048KB": 2048, "1TB": 1 << 30,
		"16Mb": 2048, "16Mbit": 2048, "16Mib": 2048, "4096B": 4, "1.5GB": 1572864,
	} {
		if got, ok := parsePageSize(text); !ok || int64(got) != want {
			t.Errorf("%q is %d KiB, %v; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "2M", "2m", "2048kB", "1G", "-4", "+4", "huge", "512B", "1e3", "0x10",
		"99999999999999999999", "9999999999TB", " 4"} {
		if got, ok := parsePageSize(text); ok {
			t.Errorf("%q is read as %d KiB", text, got)
		}
	}
}
