package sysfs

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

// parseMask reads a set as the kernel and hwloc write masks: words of 32 bits,
// the highest first, such as 00000001,0000ffff or 0x00000001,0x0000ffff; hwloc
// leaves zeros out and writes 0xf...f for all from there on, which are none that
// there are.
func parseMask(text string) (unit.CPUSet, error) {
	const bits = 32
	var s unit.CPUSet
	words := strings.Split(text, ",")
	for i, word := range words {
		word = strings.TrimSpace(word)
		if word == "" || word == "0xf...f" {
			continue
		}
		w, err := strconv.ParseUint(strings.TrimPrefix(word, "0x"), 16, bits)
		if err != nil {
			return unit.CPUSet{}, fmt.Errorf("%s is not a mask (hexadecimal words such as 00000001,0000ffff)",
				yamlpos.Quote(text))
		}
		for bit, base := 0, (len(words)-1-i)*bits; bit < bits; bit++ {
			if w>>bit&1 == 0 {
				continue
			}
			if base+bit >= unit.MaxCPUs {
				return unit.CPUSet{}, fmt.Errorf("CPU %d is beyond %d (the highest number there is room for)", base+bit,
					unit.MaxCPUs-1)
			}
			s.Add(base + bit)
		}
	}
	return s, nil
}
