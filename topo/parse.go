package topo

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/unit"
)

// MaxNodes is the most NUMA nodes that a machine may have: hints are kept as
// bits of one word.
const MaxNodes = 64

// Shape is a regular machine: every part has the same number of parts below it.
type Shape struct {
	// Sockets of the machine, NUMA nodes of each socket, last level caches of each
	// NUMA node, cores of each cache and threads of each core; all at least 1. A
	// NUMA node with one cache has no uncore caches: the kubelet tells only caches
	// apart that divide a node.
	Sockets, Nodes, Caches, Cores, Threads int
	// Adjacent numbers the threads of a core one after the other (0 and 1 are
	// siblings). Else Linux' usual order on x86 holds: one thread of every core
	// first, then the second of every core.
	Adjacent bool
	// Alternate deals the core numbers out to the sockets in turn (socket 0 has
	// 0, 2, 4, ...), as the firmware of some vendors does.
	Alternate bool
}

// parts are the factors of the notation, from the outside in.
var parts = [...]struct {
	name  string
	words []string
}{
	{"sockets", []string{"socket", "sockets"}},
	{"numa", []string{"numa", "numa node", "numa nodes"}},
	{"caches", []string{"cache", "caches"}},
	{"cores", []string{"core", "cores"}},
	{"threads", []string{"thread", "threads"}},
}

const (
	socketPart = iota
	nodePart
	cachePart
	corePart
	threadPart
)

const (
	example   = `"2 sockets x 2 numa x 14 cores x 2 threads"`
	adjacent  = "siblings adjacent"
	alternate = "sockets alternate"
)

// times is what stands between two factors.
var times = regexp.MustCompile(`\s+[xX]\s+|\s*[×*]\s*`)

// Parse reads the one-line notation of a regular machine:
//
//	2 sockets x 2 numa x 14 cores x 2 threads
//	1 socket x 4 numa x 2 caches x 8 cores x 2 threads, siblings adjacent
//
// Each factor counts within the one before it; those that are left out are 1, so
// "4 cores" is a machine of one socket. Between them stands x, × or *. Behind a
// comma "siblings adjacent" and "sockets alternate" change the numbers of the
// CPUs (see Shape). The machine has at most unit.MaxCPUs CPUs and MaxNodes NUMA
// nodes, no memory yet, and distances of 10 and 20.
func Parse(text string) (Machine, error) {
	s, err := ParseShape(text)
	if err != nil {
		return Machine{}, err
	}
	return s.Machine(), nil
}

// ParseShape reads the notation of Parse without making the machine.
func ParseShape(text string) (Shape, error) {
	head, options, hasOptions := strings.Cut(text, ",")
	if strings.TrimSpace(head) == "" {
		return Shape{}, fmt.Errorf("the topology is empty (write it like %s)", example)
	}
	var counts [len(parts)]int
	last := -1
	for _, factor := range times.Split(strings.TrimSpace(head), -1) {
		part, count, err := parseFactor(factor)
		switch {
		case err != nil:
			return Shape{}, err
		case counts[part] > 0:
			return Shape{}, fmt.Errorf("%s stands twice (write one number of %s)", parts[part].name, parts[part].name)
		case part < last:
			return Shape{}, fmt.Errorf("%s stands behind %s (the order is sockets, numa, caches, cores, threads)",
				parts[part].name, parts[last].name)
		}
		counts[part], last = count, part
	}
	s := Shape{
		Sockets: max(1, counts[socketPart]), Nodes: max(1, counts[nodePart]), Caches: max(1, counts[cachePart]),
		Cores: max(1, counts[corePart]), Threads: max(1, counts[threadPart]),
	}
	if err := s.tooLarge(); err != nil {
		return Shape{}, err
	}
	if hasOptions {
		return s, s.options(options)
	}
	return s, nil
}

// parseFactor reads "14 cores".
func parseFactor(text string) (part, count int, err error) {
	text = strings.TrimSpace(text)
	word := strings.TrimLeft(text, "0123456789")
	digits := text[:len(text)-len(word)]
	word = strings.TrimSpace(word)
	if digits == "" {
		return 0, 0, fmt.Errorf("%s does not begin with a number (write it like %s)", quote(text), example)
	}
	if part = partOf(word); part < 0 {
		return 0, 0, unknownPart(digits, word)
	}
	count, err = strconv.Atoi(digits)
	switch {
	case err != nil || count > unit.MaxCPUs:
		return 0, 0, fmt.Errorf("%s %s are too many (at most %d)", shorten(digits), parts[part].name, unit.MaxCPUs)
	case count == 0:
		return 0, 0, fmt.Errorf("0 %s are too few (at least 1)", parts[part].name)
	}
	return part, count, nil
}

// partOf is the index of the part that a word names, -1 when it names none.
func partOf(word string) int {
	word = strings.ToLower(strings.Join(strings.Fields(word), " "))
	for i, p := range parts {
		if slices.Contains(p.words, word) {
			return i
		}
	}
	return -1
}

func unknownPart(digits, word string) error {
	switch {
	case word == "":
		return fmt.Errorf("%s does not say of what (write it like %s)", shorten(digits), example)
	case strings.ContainsAny(word, "0123456789"):
		return fmt.Errorf("%s is not one part of a machine (put x between the parts, with blanks: %s)", quote(word), example)
	}
	return fmt.Errorf("%s is not a part of a machine (the parts are sockets, numa, caches, cores, threads)", quote(word))
}

// tooLarge compares with the most that there is room for.
func (s Shape) tooLarge() error {
	nodes := s.Sockets * s.Nodes
	if nodes > MaxNodes {
		return fmt.Errorf("%d NUMA nodes are too many (at most %d)", nodes, MaxNodes)
	}
	// The factors are at most unit.MaxCPUs each and the nodes at most MaxNodes, so
	// that the product stays below 2^36.
	if cpus := nodes * s.Caches * s.Cores * s.Threads; cpus > unit.MaxCPUs {
		return fmt.Errorf("%d CPUs are too many (at most %d)", cpus, unit.MaxCPUs)
	}
	return nil
}

// options reads what stands behind the first comma.
func (s *Shape) options(text string) error {
	for option := range strings.SplitSeq(text, ",") {
		switch strings.ToLower(strings.Join(strings.Fields(option), " ")) {
		case adjacent:
			s.Adjacent = true
		case alternate:
			s.Alternate = true
		default:
			return fmt.Errorf("%s is not known behind a comma (known are %q and %q; between the parts stands x)",
				quote(strings.TrimSpace(option)), adjacent, alternate)
		}
	}
	return nil
}

// quote shows a text that someone wrote, shortened.
func quote(text string) string { return strconv.Quote(shorten(text)) }

func shorten(text string) string {
	const most = 40
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}

// String is the notation that Parse reads.
func (s Shape) String() string {
	var b strings.Builder
	write := func(count int, one, many string) {
		if b.Len() > 0 {
			b.WriteString(" x ")
		}
		b.WriteString(strconv.Itoa(count) + " ")
		if count == 1 {
			many = one
		}
		b.WriteString(many)
	}
	write(s.Sockets, "socket", "sockets")
	if s.Nodes > 1 {
		write(s.Nodes, "numa", "numa")
	}
	if s.Caches > 1 {
		write(s.Caches, "cache", "caches")
	}
	write(s.Cores, "core", "cores")
	if s.Threads > 1 {
		write(s.Threads, "thread", "threads")
	}
	if s.Adjacent && s.Threads > 1 {
		b.WriteString(", " + adjacent)
	}
	if s.Alternate && s.Sockets > 1 {
		b.WriteString(", " + alternate)
	}
	return b.String()
}
