package sysfs

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// object is an element <object> of the XML, and what of its ancestors counts.
type object struct {
	kind   string // its type
	index  int    // os_index, -1 without
	cpus   unit.CPUSet
	core   int // number of the core around it, -1 outside of one
	socket int
	caches []int // those above level 2 around it, as indices of lstopo.caches
	pages  int   // page sizes seen
	node   int   // index of lstopo.nodes when it is a NUMANode
}

// lstopo is the state of one reading.
type lstopo struct {
	d       *xml.Decoder
	name    string
	bad     *problems
	stack   []object
	cores   int
	pus     []pu
	caches  []xmlCache
	nodes   []xmlNode
	allowed unit.CPUSet // of the machine
	leftOut unit.CPUSet // offline, or not allowed to the one who asked
	// numbered says that hwloc gives caches the kernel's numbers.
	numbered bool
	matrix   distances
}

// pu is a thread ("processing unit").
type pu struct {
	id, core, socket int
	caches           []int
}

type xmlCache struct{ id, cpus int }

type xmlNode struct {
	node topo.Node
	cpus unit.CPUSet
}

// deepestXML is more than any topology needs.
const deepestXML = 256

// readLstopo reads what "lstopo --of xml" of hwloc 1, 2 and 3 writes. The ids of
// caches are their os_index, which is the kernel's (hwloc since 2.6). Caches that
// hwloc could not number have none for the kubelet either; those of an older
// hwloc are counted in the order of the file.
func readLstopo(text []byte, name string, bad *problems) Reading {
	x := &lstopo{d: xml.NewDecoder(bytes.NewReader(text)), name: name, bad: bad}
	for bad.none() {
		token, err := x.d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			x.problem("it is not well-formed: "+strings.TrimPrefix(err.Error(), "XML syntax error on "),
				`write it with "lstopo --of xml"`)
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			x.start(t)
		case xml.EndElement:
			x.end(t)
		case xml.CharData:
			x.matrix.data(t)
		}
	}
	if bad.none() && len(x.pus) == 0 {
		bad.file(name, "there is no PU in it", `write it with "lstopo --of xml"`)
	}
	if !bad.none() {
		return Reading{}
	}
	return x.reading()
}

// problem notes something at the place that is read.
func (x *lstopo) problem(what, fix string) {
	line, col := x.d.InputPos()
	x.bad.at(x.name, line, col, what, fix)
}

func (x *lstopo) start(e xml.StartElement) {
	switch e.Name.Local {
	case "object":
		x.object(e)
	case "page_type":
		x.pageType(e)
	case "info":
		if attr(e, "name") == "hwlocVersion" {
			x.numbered = x.numbered || numbersCaches(attr(e, "value"))
		}
	case "distances", "distances2", "indexes", "u64values", "latency":
		x.matrix.start(e)
	}
}

func (x *lstopo) end(e xml.EndElement) {
	if e.Name.Local == "object" && len(x.stack) > 0 {
		x.stack = x.stack[:len(x.stack)-1]
	}
	x.matrix.end(e)
}

// top is the object around the place that is read.
func (x *lstopo) top() object {
	if len(x.stack) == 0 {
		return object{core: -1, index: -1, node: -1}
	}
	return x.stack[len(x.stack)-1]
}

func (x *lstopo) object(e xml.StartElement) {
	if len(x.stack) == deepestXML {
		x.problem("objects lie too deep", fmt.Sprintf("at most %d in each other", deepestXML))
		return
	}
	o := x.top()
	o.kind, o.index, o.pages, o.node = attr(e, "type"), -1, 0, -1
	if text := attr(e, "os_index"); text != "" {
		o.index = x.whole(text)
	}
	if text := attr(e, "cpuset"); text != "" {
		o.cpus = x.mask(text)
	}
	if text := attr(e, "nodeset"); text != "" {
		x.mask(text) // read only to be refused where it is none
	}
	x.enter(&o, e)
	x.stack = append(x.stack, o)
}

// enter notes what the object is.
func (x *lstopo) enter(o *object, e xml.StartElement) {
	switch o.kind {
	case "Machine", "System":
		x.allowed = o.cpus
		if text := attr(e, "online_cpuset"); text != "" {
			x.allowed = x.allowed.Intersect(x.mask(text))
		}
		x.leftOut = x.mask(attr(e, "complete_cpuset")).Minus(x.allowed)
	case "Package", "Socket":
		o.socket = max(0, o.index)
	case "Core":
		o.core = x.cores
		x.cores++
	case "L1Cache", "L2Cache", "L3Cache", "L4Cache", "L5Cache", "Cache":
		x.cache(o, e)
	case "NUMANode":
		x.numaNode(o, e)
	case "PU":
		x.unit(o)
	}
}

// cache notes one above level 2; the nearest of a core stands first.
func (x *lstopo) cache(o *object, e xml.StartElement) {
	depth := attr(e, "depth")
	x.numbered = x.numbered || o.index >= 0
	if o.kind == "L1Cache" || o.kind == "L2Cache" || o.kind == "Cache" && (depth == "" || x.whole(depth) <= 2) {
		return
	}
	o.caches = append([]int{len(x.caches)}, o.caches...)
	x.caches = append(x.caches, xmlCache{id: o.index, cpus: o.cpus.Len()})
}

func (x *lstopo) numaNode(o *object, e xml.StartElement) {
	n := xmlNode{node: topo.Node{ID: max(0, o.index)}, cpus: o.cpus}
	if text := attr(e, "local_memory"); text != "" {
		n.node.Memory = unit.Bytes(x.large(text))
	}
	o.node = len(x.nodes)
	x.nodes = append(x.nodes, n)
}

func (x *lstopo) unit(o *object) {
	if len(x.pus) > unit.MaxCPUs {
		x.problem("there are too many PUs", fmt.Sprintf("at most %d", unit.MaxCPUs))
		return
	}
	if o.index < 0 || o.index >= unit.MaxCPUs {
		x.problem("a PU has no os_index, or one that is too large", fmt.Sprintf("0 to %d", unit.MaxCPUs-1))
		return
	}
	core := o.core
	if core < 0 { // a machine that doesn't tell its cores
		core = x.cores
		x.cores++
	}
	x.pus = append(x.pus, pu{id: o.index, core: core, socket: o.socket, caches: o.caches})
}

// pageType notes the pre-allocated pages of a node; the first size is that of
// normal pages.
func (x *lstopo) pageType(e xml.StartElement) {
	if len(x.stack) == 0 {
		return
	}
	o := &x.stack[len(x.stack)-1]
	o.pages++
	if o.node < 0 || o.pages == 1 {
		return
	}
	size, count := x.large(attr(e, "size")), x.large(attr(e, "count"))
	if size <= 0 || count > 0 && size > (1<<62)/count {
		x.problem("a page_type has an impossible size or count", `such as size="2097152" count="512"`)
		return
	}
	addPages(&x.nodes[o.node].node, unit.Bytes(size), count)
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (x *lstopo) whole(text string) int {
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		x.problem(yamlpos.Quote(text)+" is not a number", "such as 0")
		return -1
	}
	if n > 1<<31 { // hwloc's "unknown" is 2^32-1
		return -1
	}
	return int(n)
}

func (x *lstopo) large(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		x.problem(yamlpos.Quote(text)+" is not an amount", "such as 2097152")
		return 0
	}
	return n
}

// mask reads a set of CPUs or nodes.
func (x *lstopo) mask(text string) unit.CPUSet {
	s, err := parseMask(text)
	if err != nil {
		line, col := x.d.InputPos()
		x.bad.caused(x.name, line, col, err)
	}
	return s
}
