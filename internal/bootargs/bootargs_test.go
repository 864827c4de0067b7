package bootargs_test

import (
	"strings"
	"testing"

	"plimsoll.dev/internal/bootargs"
	"plimsoll.dev/unit"
)

// The forms of admin-guide/mm/hugetlbpage of the Linux kernel.
func TestHugePages(t *testing.T) {
	for want, pages := range map[string]map[unit.Bytes]int64{
		"":                             nil,
		"hugepagesz=2M hugepages=1024": {2 * unit.MiB: 1024},
		"default_hugepagesz=1G hugepagesz=1G hugepages=8":           {unit.GiB: 8},
		"hugepagesz=1G hugepages=2 hugepagesz=2M hugepages=512":     {2 * unit.MiB: 512, unit.GiB: 2},
		"hugepagesz=2M hugepages=3":                                 {2 * unit.MiB: 3, unit.GiB: 0},
		"default_hugepagesz=512M hugepagesz=512M hugepages=4":       {512 * unit.MiB: 4},
		"hugepagesz=16G hugepages=1 hugepagesz=64K hugepages=65536": {64 * unit.KiB: 65536, 16 * unit.GiB: 1},
	} {
		if got := strings.Join(bootargs.HugePages(pages, 2*unit.MiB), " "); got != want {
			t.Errorf("%v: %q, want %q", pages, got, want)
		}
	}
}

func TestSize(t *testing.T) {
	for want, size := range map[string]unit.Bytes{"64K": 64 * unit.KiB, "2M": 2 * unit.MiB, "1G": unit.GiB,
		"2048G": 2 * unit.TiB, "1000": 1000} {
		if got := bootargs.Size(size); got != want {
			t.Errorf("%d: %q, want %q", size, got, want)
		}
	}
}
