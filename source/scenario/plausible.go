package scenario

import (
	"fmt"
	"strings"

	"plimsoll.dev/unit"
)

// Amounts outside these bounds are slips: a unit was forgotten or misspelt.
const (
	leastMachineMemory = 64 * unit.MiB
	leastBytes         = 64 * unit.KiB
	mostBytes          = 1024 * unit.TiB
	mostCores          = 4096 // the most CPUs that a machine may have
)

// bytes checks that an amount can be meant. guess is the unit that is offered
// when none was written.
func (v *validator) bytes(path string, amount, least unit.Bytes, guess string) {
	if !v.good(path) || amount == 0 || !v.given(path) {
		return
	}
	text := v.written(path)
	switch plain := strings.Trim(text, "0123456789") == ""; {
	case amount > mostBytes:
		v.bad(path, fmt.Sprintf("%s is too much", text), fmt.Sprintf("at most %s", mostBytes))
	case amount >= least:
	case plain:
		v.bad(path, fmt.Sprintf("%s without a unit is %s", text, unit.FormatBytes(amount)), "did you mean "+text+guess+"?")
	case strings.HasSuffix(text, "m"):
		v.bad(path, fmt.Sprintf("%s is in thousandths of a byte", text), "did you mean "+strings.TrimSuffix(text, "m")+"M?")
	default:
		v.bad(path, fmt.Sprintf("%s is too little", text), fmt.Sprintf("at least %s", least))
	}
}

// memory checks a pod's memory; small numbers are taken for gibibytes.
func (v *validator) memory(path string, amount unit.Bytes) {
	guess := "Mi"
	if amount < 64 {
		guess = "Gi"
	}
	v.bytes(path, amount, leastBytes, guess)
}

// cores checks that an amount of CPU is neither memory nor millicores without
// their suffix.
func (v *validator) cores(path string, amount unit.CPU) {
	const likely = 256 // more than a pod is given on the largest machines
	if !v.given(path) {
		return
	}
	if text := v.written(path); v.good(path) && amount.Cores() >= likely && amount.Cores() <= mostCores &&
		strings.Trim(text, "0123456789") == "" {
		v.bad(path, text+" without a unit is "+unit.Format(float64(amount), unit.Millicores), "did you mean "+text+"m?")
		return
	}
	if v.good(path) && amount.Cores() > mostCores {
		v.bad(path, fmt.Sprintf("%s is %s", v.written(path), unit.Format(float64(amount), unit.Millicores)),
			fmt.Sprintf("CPU is counted in cores, at most %d; memory goes into memory", mostCores))
	}
}

// rate checks a network speed.
func (v *validator) rate(path string, speed unit.BitRate) {
	const least = 1_000_000
	if v.good(path) && speed > 0 && speed < least {
		text := v.written(path)
		fix := "at least 1M"
		if strings.Trim(text, "0123456789") == "" {
			fix = "did you mean " + text + "G?"
		}
		v.bad(path, fmt.Sprintf("%s is %s", text, unit.Format(float64(speed), unit.BitsPerS)), fix)
	}
}
