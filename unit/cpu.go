package unit

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// CPU is an amount of processor time in millicores; one core, one hyper-thread
// or one virtual CPU is 1000.
type CPU int64

// ParseCPU reads a CPU quantity as Kubernetes writes it ("500m", "2", "0.5").
// It rounds up to a whole millicore, as the API server does, and refuses
// negative amounts.
func ParseCPU(s string) (CPU, error) {
	q, err := ParseQuantity(s)
	if err != nil {
		return 0, badQuantity(s, "CPU quantity", "500m, 2 or 0.5")
	}
	if q.Sign() < 0 {
		return 0, fmt.Errorf("%q is negative (a CPU quantity is 0 or more)", s)
	}
	if q.CmpInt64(math.MaxInt64/1000) > 0 {
		return 0, fmt.Errorf("%q is too large (a CPU quantity is counted in cores)", s)
	}
	return CPU(q.MilliValue()), nil
}

// Cores is the amount in cores.
func (c CPU) Cores() float64 { return float64(c) / 1000 }

// String writes the amount as Kubernetes does: "2" or "1500m".
func (c CPU) String() string {
	if c%1000 == 0 {
		return strconv.FormatInt(int64(c/1000), 10)
	}
	return strconv.FormatInt(int64(c), 10) + "m"
}

// MarshalText writes the Kubernetes form.
func (c CPU) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the Kubernetes form.
func (c *CPU) UnmarshalText(b []byte) error { return read(c, ParseCPU, b) }

// badQuantity explains an unreadable quantity, with the likely intended form
// where one can be guessed.
func badQuantity(s, what, examples string) error {
	if fix := guessQuantity(s); fix != "" {
		return fmt.Errorf("%q is not a %s (did you mean %s?)", s, what, fix)
	}
	return fmt.Errorf("%q is not a %s (write it like %s)", s, what, examples)
}

// guessQuantity maps spellings that people use ("4GB", "16 GiB", "2000K") to
// the quantities they probably mean; empty when there is no good guess.
func guessQuantity(s string) string {
	t := strings.TrimSpace(s)
	i := 0
	for i < len(t) && (t[i] >= '0' && t[i] <= '9' || t[i] == '.') {
		i++
	}
	number, suffix := t[:i], strings.ToLower(strings.TrimSpace(t[i:]))
	if number == "" || strings.Count(number, ".") > 1 || strings.HasSuffix(number, ".") {
		return ""
	}
	if suffix == "" && t != s {
		return number
	}
	both := func(dec, bin string) string { return number + dec + " or " + number + bin }
	switch suffix {
	case "k", "kb":
		return both("k", "Ki")
	case "mb":
		return both("M", "Mi")
	case "g", "gb":
		return both("G", "Gi")
	case "t", "tb":
		return both("T", "Ti")
	case "p", "pb":
		return both("P", "Pi")
	case "kib", "ki", "mib", "mi", "gib", "gi", "tib", "ti", "pib", "pi":
		return number + strings.ToUpper(suffix[:1]) + "i"
	case "cores", "core", "cpu", "cpus", "vcpu", "vcpus":
		return number
	}
	return ""
}
