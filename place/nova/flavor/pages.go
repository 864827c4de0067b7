package flavor

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"plimsoll.dev/place/nova"
)

// hugePages are those that the document's hosts have for VMs by default, in KiB.
const hugePages nova.PageSize = 2048

// pageSize is the size of the VM's pages; 0 when none is asked for. An image may
// only narrow a flavor's large or any.
func (r *reader) pageSize() nova.PageSize {
	spec, prop := r.both("mem_page_size")
	switch {
	case spec == "" && prop == "":
		return 0
	case spec == "":
		r.bad("hw_mem_page_size", "an image can't ask for pages that its flavor does not leave open",
			"set hw:mem_page_size=large or any on the flavor")
		return 0
	}
	size, ok := r.parsePage("hw:mem_page_size", spec)
	switch {
	case prop == "" || !ok:
	case size == nova.AnyPages || size == nova.LargePages:
		size, _ = r.parsePage("hw_mem_page_size", prop)
	default:
		r.bad("hw_mem_page_size", fmt.Sprintf("%s of the image contradicts %s of the flavor", prop, spec),
			"only hw:mem_page_size=large or any leaves the size to the image")
	}
	return size
}

// parsePage reads a page size; what is none is noted.
func (r *reader) parsePage(key, text string) (size nova.PageSize, ok bool) {
	switch text {
	case "small":
		return nova.SmallPages, true
	case "large":
		return nova.LargePages, true
	case "any":
		return r.anyPages(key), true
	}
	size, ok = parsePageSize(text)
	switch {
	case !ok:
		r.bad(key, fmt.Sprintf("%q is no page size", text), "small, large, any, or a size such as 2048, 2MB or 1GB")
	case size == 0:
		r.remark(key, "0 is no page size: it counts as if none were given")
	}
	return size, ok
}

// anyPages are any pages, which the document equates with the large ones.
func (r *reader) anyPages(key string) nova.PageSize {
	if r.rules != nova.HCG40 {
		return nova.AnyPages
	}
	r.remark(key, "any is the same as large in the document; StarlingX and Nova fall back to small pages "+
		"where no large ones are free")
	return nova.LargePages
}

// pageText is a size with a unit. Nova needs the unit behind the multiple: 2M is
// no size, and it knows no small k.
var pageText = regexp.MustCompile(`^([0-9]*\.?[0-9]+)(?:([KMGT])i?)?(b|bit|B)$`)

// parsePageSize reads a number of KiB, or a size with a unit: B is bytes, b and
// bit are bits, and multiples are of 1024, with or without i.
func parsePageSize(text string) (kib nova.PageSize, ok bool) {
	if n, err := strconv.ParseInt(text, 10, 50); err == nil && n >= 0 && text[0] != '+' && text[0] != '-' {
		return nova.PageSize(n), true
	}
	m := pageText.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	size, err := strconv.ParseFloat(m[1], 64)
	if m[3] != "B" {
		size /= 8
	}
	if m[2] != "" {
		size *= float64(int64(1) << (10 * (strings.Index("KMGT", m[2]) + 1)))
	}
	size = math.Ceil(size) / 1024
	if err != nil || size < 1 || size > 1<<50 {
		return 0, false
	}
	return nova.PageSize(size), true
}

// wholePages says which virtual node can have no pages of the size asked for.
func (r *reader) wholePages(req *nova.Request) {
	for _, c := range req.Cells {
		if size := int64(c.PageSize); size > 0 && c.Memory*1024%size != 0 {
			r.remark("hw:mem_page_size", fmt.Sprintf("%d MiB of virtual node %d are no multiple of %d KiB: it fits on no host",
				c.Memory, c.ID, size))
		}
	}
}
