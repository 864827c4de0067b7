package kube

import (
	"errors"
	"strconv"
	"strings"
	"sync/atomic"

	"plimsoll.dev/unit"
)

// reader turns objects into records of its tally. Each goroutine has its own.
type reader struct {
	set  Options
	live bool // a snapshot of what runs, not manifests
	// take reads one object of a snapshot: object, unless something else is looked for.
	take func(v value, hint string, depth int)
	tally
	// counted are the nodes that all readers of a text have seen.
	counted *atomic.Int64
	pod     pod // scratch, so that 50,000 pods don't make 50,000 of them

	words  map[string]string // texts seen before
	cpus   map[string]int64  // quantities seen before
	others map[string]int64
	grown  int     // bytes that parameters made of templates
	key    []byte  // scratch
	sum    amounts // scratch
}

func newReader(set Options, live bool) *reader {
	r := &reader{set: set, live: live, counted: new(atomic.Int64), tally: newTally(), words: map[string]string{},
		cpus: map[string]int64{}, others: map[string]int64{}}
	r.take = r.object
	return r
}

// countNode counts a node, and refuses the first that is one too many.
func (r *reader) countNode(v value) {
	if r.counted.Add(1) == int64(r.set.MaxNodes)+1 {
		r.bad.at(v, tooMany(r.set.MaxNodes, "nodes"), "plan a part of them, by a selector of kubectl's")
	}
}

func tooMany(most int, what string) string {
	return "there are more than " + unit.Format(float64(most), what)
}

// Texts that come again and again are kept once, as long as they are not too
// many or too long.
const (
	maxWords    = 1 << 16
	maxWordSize = 256
)

func (r *reader) word(b []byte) string {
	if s, ok := r.words[string(b)]; ok {
		return s
	}
	s := string(b)
	if len(s) <= maxWordSize && len(r.words) < maxWords {
		r.words[s] = s
	}
	return s
}

// errOpen says that a value holds a parameter that nobody filled in.
var errOpen = errors.New("holds an open parameter")

// isOpen says whether a text holds a parameter of a template.
func isOpen(text []byte) bool {
	s := string(text)
	return strings.Contains(s, "${") || strings.Contains(s, "{{")
}

// quantity reads the amount of a resource: CPU in millicores, rounded up as the
// API server does, everything else in whole bytes or pieces.
func (r *reader) quantity(name string, v value) (int64, error) {
	text := v.bytes()
	known := r.others
	if name == resCPU {
		known = r.cpus
	}
	if n, ok := known[string(text)]; ok {
		return n, nil
	}
	if isOpen(text) {
		return 0, errOpen
	}
	var n int64
	var err error
	if name == resCPU {
		var c unit.CPU
		c, err = unit.ParseCPU(string(text))
		n = int64(c)
	} else {
		var b unit.Bytes
		b, err = unit.ParseBytes(string(text))
		n = int64(b)
	}
	if err == nil && len(known) < maxWords {
		known[string(text)] = n
	}
	return n, err
}

// amounts reads a list of resources, such as a container's limits, onto out.
func (r *reader) amounts(v value, out amounts) amounts {
	for k, q := range v.fields() {
		if q.kind() == nothing {
			continue
		}
		name := r.word(k)
		n, err := r.quantity(name, q)
		switch {
		case errors.Is(err, errOpen):
			r.pod.open = q.text()
		case err != nil:
			what, fix, _ := strings.Cut(err.Error(), " (")
			r.bad.at(q, name+": "+what, strings.TrimSuffix(fix, ")"))
		default:
			out = append(out, amount{name, n})
		}
	}
	return out
}

// maxPieces bounds numbers of pods, as the scenario does.
const maxPieces = 10_000_000

// count reads a number of things; absent is the result when there is none.
func (r *reader) count(v value, absent int) int {
	if v.kind() == nothing {
		return absent
	}
	text := v.bytes()
	if isOpen(text) {
		r.pod.open = string(text)
		return absent
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 0 || n > maxPieces {
		r.bad.at(v, strconv.Quote(string(text))+" is not a number of pods", "write a whole number from 0 to 10000000")
		return absent
	}
	return n
}

// labels reads a map of texts onto out.
func (r *reader) labels(v value, out []label) []label {
	for k, f := range v.fields() {
		out = append(out, label{r.word(k), r.word(f.bytes())})
	}
	return out
}

// label is a key and its value.
type label struct{ key, value string }

func labelOf(list []label, key string) (string, bool) {
	for _, l := range list {
		if l.key == key {
			return l.value, true
		}
	}
	return "", false
}

// asMap is the labels as the scenario holds them, nil when there are none.
func asMap(list []label) map[string]string {
	if len(list) == 0 {
		return nil
	}
	out := make(map[string]string, len(list))
	for _, l := range list {
		out[l.key] = l.value
	}
	return out
}
