package unit

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParse(t *testing.T) {
	cpu := func(s string) (int64, error) { v, err := ParseCPU(s); return int64(v), err }
	size := func(s string) (int64, error) { v, err := ParseBytes(s); return int64(v), err }
	rate := func(s string) (int64, error) { v, err := ParseBitRate(s); return int64(v), err }
	dur := func(s string) (int64, error) { v, err := ParseDuration(s); return int64(v), err }
	for _, c := range []struct {
		parse func(string) (int64, error)
		in    string
		want  int64
		err   string
	}{
		{cpu, "500m", 500, ""},
		{cpu, "0.5", 500, ""},
		{cpu, "2", 2000, ""},
		{cpu, "1e3", 1_000_000, ""},
		{cpu, "1u", 1, ""}, // rounded up to a millicore
		{cpu, "-1", 0, "negative"},
		{cpu, "2 cores", 0, "did you mean 2?"},
		{cpu, "9e18", 0, "too large"},
		{size, "16Gi", 16 << 30, ""},
		{size, "500M", 500e6, ""},
		{size, "4GB", 0, "did you mean 4G or 4Gi?"},
		{size, "16 GiB", 0, "did you mean 16Gi?"},
		{size, "2000K", 0, "did you mean 2000k or 2000Ki?"},
		{size, "20Gi ", 0, "did you mean 20Gi?"},
		{size, "", 0, "write it like"},
		{size, "lots", 0, "write it like"},
		{size, "-5M", 0, "negative"},
		{size, "9Ei", 0, "too large"},
		{rate, "10G", 10e9, ""},
		{rate, "100Mbit/s", 100e6, ""},
		{rate, "10Gi", 0, "not a bit rate"},
		{dur, "15d", 15 * 86400, ""},
		{dur, "1h30m", 5400, ""},
		{dur, "1w", 7 * 86400, ""},
		{dur, "30m1h", 0, "not a duration"},
		{dur, "15", 0, "not a duration"},
		{dur, "15 d", 0, "not a duration"},
		{dur, "", 0, "not a duration"},
		{dur, "99999999999999999y", 0, "not a duration"},
	} {
		got, err := c.parse(c.in)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%q: error %v, want one with %q", c.in, err, c.err)
		}
		if err == nil && got != c.want {
			t.Errorf("%q: got %d, want %d", c.in, got, c.want)
		}
	}
}

func TestParseFactor(t *testing.T) {
	for in, want := range map[string]float64{"1.375": 1.375, "30%": 0.3, "0": 0, "12.5 %": 0.125} {
		if got, err := ParseFactor(in); err != nil || float64(got) != want {
			t.Errorf("%q: got %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "%", "-1", "NaN", "Inf", "1,5", "ten"} {
		if got, err := ParseFactor(in); err == nil {
			t.Errorf("%q: got %v, want an error", in, got)
		}
	}
}

// What is printed is read back as the same amount.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1<<60).Draw(t, "n")
		if v, err := ParseBytes(Bytes(n).String()); err != nil || int64(v) != n {
			t.Fatalf("bytes %d: %v, %v", n, v, err)
		}
		if v, err := ParseBitRate(BitRate(n).String()); err != nil || int64(v) != n {
			t.Fatalf("rate %d: %v, %v", n, v, err)
		}
		if v, err := ParseDuration(Duration(n).String()); err != nil || int64(v) != n {
			t.Fatalf("duration %d: %v, %v", n, v, err)
		}
		m := n / 1000
		if v, err := ParseCPU(CPU(m).String()); err != nil || int64(v) != m {
			t.Fatalf("CPU %d: %v, %v", m, v, err)
		}
	})
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		number float64
		unit   string
		want   string
	}{
		{550_000, Millicores, "550 cores"},
		{500, Millicores, "0.5 cores"},
		{450e9, ByteUnit, "450 GB"},
		{1.4e12, ByteUnit, "1.4 TB"},
		{16 << 30, ByteUnit, "16 GiB"},
		{100 << 20, ByteUnit, "100 MiB"},
		{0, ByteUnit, "0 B"},
		{-500e6, ByteUnit, "-500 MB"},
		{1e9, BitsPerS, "1 Gbit/s"},
		{122.88e6, BytesPerS, "122.9 MB/s"},
		{150000, "pods", "150,000 pods"},
		{1, "nodes", "1 node"},
		{1, "addresses", "1 address"},
		{1, "requests/s", "1 requests/s"},
		{37.5, Percent, "37.5 %"},
		{1.375, Ratio, "1.375"},
		{12.3456, None, "12.35"},
		{1234.5, None, "1,234"},
		{600, Seconds, "10 min"},
		{0.05, Seconds, "0.05 s"},
		{90061, Seconds, "1 d 1 h"},
	} {
		if got := Format(c.number, c.unit); got != c.want {
			t.Errorf("Format(%v, %q) = %q, want %q", c.number, c.unit, got, c.want)
		}
	}
}

func TestRounded(t *testing.T) {
	for b, want := range map[Bytes]string{0: "0", 1: "1Mi", 16 * GiB: "16Gi", 500 * MB: "500M", GiB + 1: "1025Mi"} {
		if got := b.Rounded(); got != want {
			t.Errorf("%d: %s", b, got)
		}
	}
}
