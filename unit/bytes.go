package unit

import (
	"fmt"
	"math"
	"strconv"
)

// Bytes is an amount of memory or storage in bytes.
type Bytes int64

// Multiples of a byte, decimal and binary.
const (
	KB Bytes = 1e3
	MB Bytes = 1e6
	GB Bytes = 1e9
	TB Bytes = 1e12

	KiB Bytes = 1 << 10
	MiB Bytes = 1 << 20
	GiB Bytes = 1 << 30
	TiB Bytes = 1 << 40
)

// ParseBytes reads an amount as Kubernetes writes it ("500M", "16Gi", "1e9").
// It rounds up to a whole byte and refuses negative amounts.
func ParseBytes(s string) (Bytes, error) {
	q, err := ParseQuantity(s)
	if err != nil {
		return 0, badQuantity(s, "byte quantity", "500M, 16Gi or 1T")
	}
	if q.Sign() < 0 {
		return 0, fmt.Errorf("%q is negative (a byte quantity is 0 or more)", s)
	}
	if q.CmpInt64(math.MaxInt64) >= 0 { // Value would wrap around
		return 0, fmt.Errorf("%q is too large (it must be below 8Ei)", s)
	}
	return Bytes(q.Value()), nil
}

// String writes the shortest exact Kubernetes form: "16Gi", "500M" or "1234".
func (b Bytes) String() string {
	if b == 0 {
		return "0"
	}
	for _, u := range []struct {
		suffix string
		size   Bytes
	}{{"Ti", TiB}, {"Gi", GiB}, {"Mi", MiB}, {"T", TB}, {"G", GB}, {"M", MB}, {"Ki", KiB}, {"k", KB}} {
		if b%u.size == 0 {
			return strconv.FormatInt(int64(b/u.size), 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(b), 10)
}

// MarshalText writes the Kubernetes form.
func (b Bytes) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Rounded writes an amount as Kubernetes reads it, rounded up to a whole MiB where
// it would be a long number of bytes.
func (b Bytes) Rounded() string {
	if b%MB != 0 && b%MiB != 0 {
		b = (b + MiB - 1) / MiB * MiB
	}
	return b.String()
}

// UnmarshalText reads the Kubernetes form.
func (b *Bytes) UnmarshalText(t []byte) error { return read(b, ParseBytes, t) }

// FormatBytes writes an amount for people, in the system (decimal or binary)
// in which it is round: "450 GB", "16 GiB", "1.4 TB".
func FormatBytes(b Bytes) string {
	if b < 0 {
		// The least int64 has no positive twin.
		return "-" + FormatBytes(max(-b, -(b+1)))
	}
	if b%MiB != 0 && b%MB == 0 || b%KiB != 0 && b%(100*KB) == 0 {
		return scaled(float64(b), 1000, "B", "kB", "MB", "GB", "TB", "PB", "EB")
	}
	return scaled(float64(b), 1024, "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
}

// FormatDecimal writes an amount for people in decimal multiples, to stand beside
// figures that a document gives so: "95.9 GB".
func FormatDecimal(b Bytes) string {
	if b < 0 { // of the least number there is no positive one
		return "-" + scaled(-float64(b), 1000, "B", "kB", "MB", "GB", "TB", "PB", "EB")
	}
	return scaled(float64(b), 1000, "B", "kB", "MB", "GB", "TB", "PB", "EB")
}

// scaled divides v by base until it is below it and names the step.
func scaled(v, base float64, names ...string) string {
	i := 0
	for v >= base && i < len(names)-1 {
		v /= base
		i++
	}
	return trim(v) + " " + names[i]
}
