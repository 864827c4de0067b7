// Package bootargs writes arguments of the kernel's command line that allocate
// huge pages when a node starts (OCP 13.2).
//
// It reads no command line, and knows neither pods nor node types.
//
//	bootargs.HugePages(map[unit.Bytes]int64{unit.GiB: 8}, 2*unit.MiB) // default_hugepagesz=1G hugepagesz=1G hugepages=8
package bootargs

import (
	"cmp"
	"slices"
	"strconv"

	"plimsoll.dev/unit"
)

// HugePages are the arguments for numbers of pages by size, the largest size
// first; sizes without pages are left out. usual is the size that the kernel takes
// without being told: when the node has pages of a single other size, that becomes
// the default.
func HugePages(pages map[unit.Bytes]int64, usual unit.Bytes) []string {
	var sizes []unit.Bytes
	for size, n := range pages {
		if n > 0 {
			sizes = append(sizes, size)
		}
	}
	slices.SortFunc(sizes, func(a, b unit.Bytes) int { return cmp.Compare(b, a) })
	var args []string
	if len(sizes) == 1 && sizes[0] != usual {
		args = append(args, "default_hugepagesz="+Size(sizes[0]))
	}
	for _, size := range sizes {
		args = append(args, "hugepagesz="+Size(size), "hugepages="+strconv.FormatInt(pages[size], 10))
	}
	return args
}

// Size writes a page size as the kernel's command line does: bytes with one of the
// suffixes K, M and G, which are powers of 1024 there ("2M", "1G").
func Size(size unit.Bytes) string {
	for _, u := range []struct {
		suffix string
		size   unit.Bytes
	}{{"G", unit.GiB}, {"M", unit.MiB}, {"K", unit.KiB}} {
		if size%u.size == 0 {
			return strconv.FormatInt(int64(size/u.size), 10) + u.suffix
		}
	}
	return strconv.FormatInt(int64(size), 10)
}
