package machineconfig

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/internal/bootargs"
	"plimsoll.dev/unit"
)

// reached are the nodes that get a MachineConfig.
func (c *checker) reached(s subject) []openshift.Node {
	takers := c.takers(s)
	var out []openshift.Node
	for _, n := range c.nodes {
		if slices.Contains(takers, n.pool) {
			out = append(out, n.Node)
		}
	}
	return out
}

// arguments checks kernel arguments: blanks, and those for huge pages.
func (c *checker) arguments(s subject) {
	var words, paths []string
	for i, a := range s.Value.Spec.KernelArguments {
		at := fmt.Sprintf("spec.kernelArguments[%d]", i)
		list := strings.Fields(a)
		switch {
		case len(list) == 0:
			c.add(s, argumentRule, at, "a kernel argument is empty", "remove it")
		case len(list) > 1 && !strings.Contains(a, `"`) && !reapplied.In(c.release):
			c.add(s, argumentRule, at, short(a)+" holds a blank: "+c.release.OpenShift()+
				" takes it for one argument and can't take it off again", "write each argument as an item of its own")
		}
		for _, w := range list {
			words, paths = append(words, w), append(paths, at)
		}
	}
	sizes := bootPages(words, func(i int, what, fix string) { c.add(s, hugePagesRule, paths[i], what, fix) })
	if sizes > 1 && !severalSizes.In(c.release) {
		c.add(s, hugePagesRule, "spec.kernelArguments",
			fmt.Sprintf("huge pages of %d sizes on one node: %s offers pods one size a node", sizes, c.release.OpenShift()),
			"keep one size in each pool")
	}
}

// bootPages reads arguments as the kernel does and tells what it ignores or what
// may not be meant. It returns the number of sizes with pages.
func bootPages(words []string, tell func(i int, what, fix string)) int {
	r := bootReader{tell: tell, counted: map[unit.Bytes]bool{}, named: map[unit.Bytes]bool{}}
	for i, w := range words {
		key, text, _ := strings.Cut(w, "=")
		switch key {
		case "default_hugepagesz":
			r.size(i, w, text, true)
		case "hugepagesz":
			r.size(i, w, text, false)
		case "hugepages":
			r.count(i, w, text)
		}
	}
	r.end()
	return len(r.counted)
}

// bootReader follows the kernel through the arguments for huge pages.
type bootReader struct {
	tell func(i int, what, fix string)
	// current is the size that the next count is for; 0 is the default size.
	current unit.Bytes
	// open is the position of a hugepagesz that waits for a count, from 1.
	open int
	// refused says that the last size was none, so that its count is ignored.
	refused bool
	counted map[unit.Bytes]bool
	named   map[unit.Bytes]bool
}

const orderFix = "write hugepagesz=SIZE and hugepages=COUNT in pairs, each size once"

func (r *bootReader) size(i int, word, text string, isDefault bool) {
	r.end()
	size, ok := kernelBytes(text)
	r.refused = !ok || !slices.Contains(pageSizes, size)
	switch {
	case r.refused:
		r.tell(i, word+" names no size of huge pages: the kernel ignores it and the count behind it",
			"write 2M or 1G, or another size of the processor")
		return
	case r.named[size] && !isDefault:
		r.refused = r.counted[size]
		if r.counted[size] {
			r.tell(i, word+" names a size for the second time: the kernel ignores it", orderFix)
			return
		}
	}
	r.named[size], r.current = true, size
	if !isDefault {
		r.open = i + 1
	}
}

func (r *bootReader) count(i int, word, text string) {
	r.open = 0
	switch {
	case r.refused:
		r.tell(i, word+" follows no size of huge pages: the kernel ignores it", orderFix)
		r.refused = false
		return
	case r.counted[r.current]:
		r.tell(i, word+" is the second count of one size: the kernel ignores it", orderFix)
		return
	case r.current == 0:
		r.tell(i, word+" stands before any hugepagesz: it is for the default size", "write hugepagesz=SIZE before it")
	}
	r.counted[r.current] = true
	for part := range strings.SplitSeq(text, ",") {
		_, n, perNode := strings.Cut(part, ":")
		if !perNode {
			n = part
		}
		if v, err := strconv.ParseUint(n, 10, 63); err != nil || v == 0 {
			r.tell(i, word+" is no number of pages", "write a number from 1")
			return
		}
	}
}

// end tells of a size without a count.
func (r *bootReader) end() {
	if r.open > 0 {
		r.tell(r.open-1, "hugepagesz="+bootargs.Size(r.current)+
			" has no count behind it: no pages of that size are allocated", orderFix)
		r.open = 0
	}
}

// kernelBytes reads a number with a suffix as the kernel's command line does;
// what follows the suffix is ignored there, and so is "B".
func kernelBytes(text string) (unit.Bytes, bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(text)
	}
	n, err := strconv.ParseInt(text[:end], 10, 40)
	if err != nil || n <= 0 {
		return 0, false
	}
	scale := unit.Bytes(1)
	if end < len(text) {
		switch text[end] {
		case 'k', 'K':
			scale = unit.KiB
		case 'm', 'M':
			scale = unit.MiB
		case 'g', 'G':
			scale = unit.GiB
		default:
			return 0, false
		}
	}
	if n > int64(1<<62/scale) {
		return 0, false
	}
	return unit.Bytes(n) * scale, true
}
