package words

import "testing"

func TestByNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"compute-2", "compute-10", -1}, {"a", "a", 0}, {"a1b2", "a1b10", -1}, {"a01", "a1", -1}, {"b", "a9", 1},
		{"a", "a1", -1}, {"10", "9", 1}, {"eno1np0", "eno2", -1}, {"eno2", "eno10", -1}} {
		if got := ByNumbers(c.a, c.b); got != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// FuzzByNumbers: it is an order.
func FuzzByNumbers(f *testing.F) {
	f.Add("a10", "a9", "b")
	f.Add("0", "00", "000")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		if ByNumbers(a, b) != -ByNumbers(b, a) {
			t.Errorf("%q, %q", a, b)
		}
		if ByNumbers(a, b) <= 0 && ByNumbers(b, c) <= 0 && ByNumbers(a, c) > 0 {
			t.Errorf("%q, %q, %q", a, b, c)
		}
	})
}
