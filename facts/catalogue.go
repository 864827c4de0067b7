package facts

import (
	"bytes"
	_ "embed" // the generated catalogue
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed catalogue.json
var embedded []byte

// Catalogue is a set of facts by id. It is immutable and safe for concurrent use.
type Catalogue struct {
	facts []Fact
	index map[string]int
}

// Load returns the built-in catalogue, sorted by id.
var Load = sync.OnceValue(func() *Catalogue {
	var list []Fact
	if err := json.Unmarshal(embedded, &list); err != nil {
		panic("facts: the embedded catalogue is broken: " + err.Error())
	}
	return New(list)
})

// Encode writes facts as the catalogue file has them: a JSON list, one fact a line.
func Encode(list []Fact) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("[\n")
	for i, f := range list {
		line, err := json.Marshal(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.ID, err)
		}
		out.Write(line)
		if i < len(list)-1 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
	}
	out.WriteString("]\n")
	return out.Bytes(), nil
}

// New makes a catalogue of the given facts; the last of equal ids wins, so
// that a measurement can take the place of a built-in figure.
func New(list []Fact) *Catalogue {
	c := &Catalogue{index: make(map[string]int, len(list))}
	for _, f := range list {
		if i, ok := c.index[f.ID]; ok {
			c.facts[i] = f
			continue
		}
		c.index[f.ID] = len(c.facts)
		c.facts = append(c.facts, f)
	}
	return c
}

// With returns a catalogue in which the given facts replace or extend those of c.
func (c *Catalogue) With(list ...Fact) *Catalogue {
	return New(append(slices.Clone(c.facts), list...))
}

// All returns every fact, in the catalogue's order.
func (c *Catalogue) All() []Fact { return c.facts }

// Get returns the fact id.
func (c *Catalogue) Get(id string) (Fact, bool) {
	i, ok := c.index[id]
	if !ok {
		return Fact{}, false
	}
	return c.facts[i], true
}

// Must returns the fact id, which the program relies on; a test proves that
// each such id exists. It panics when there is none.
func (c *Catalogue) Must(id string) Fact {
	f, ok := c.Get(id)
	if !ok {
		panic(fmt.Sprintf("facts: no fact %q", id))
	}
	return f
}

// Quantity returns all facts of one quantity, in the catalogue's order.
func (c *Catalogue) Quantity(quantity string) []Fact {
	var out []Fact
	for _, f := range c.facts {
		if f.Quantity == quantity {
			out = append(out, f)
		}
	}
	return out
}

// ForRelease finds the figure of a quantity that applies to a release: the row
// of that very release, else the newest row before it, else the row of its
// major release ("4.x"). A patch release (4.4.12) has the row of its minor one
// (4.4), or of an earlier patch of it, as its own. The second result lists the other published figures
// that claim the same release and differ; the third says in words when the row
// is not the release's own. ok is false when the catalogue has nothing.
func (c *Catalogue) ForRelease(quantity, release string) (f Fact, others []Fact, remark string, ok bool) {
	var major *Fact
	best := -1
	rows := c.Quantity(quantity)
	for i, row := range rows {
		r := row.Dim("release")
		switch {
		case r == majorOf(release)+".x":
			major = &rows[i]
		case strings.HasSuffix(r, ".x") || majorOf(r) != majorOf(release):
		case CompareReleases(r, release) <= 0 && (best < 0 || CompareReleases(r, rows[best].Dim("release")) > 0):
			best = i
		}
	}
	switch {
	case best >= 0:
		f = rows[best]
	case major != nil:
		return *major, nil, "", true
	default:
		return Fact{}, nil, "", false
	}
	if minorOf(f.Dim("release")) != minorOf(release) {
		remark = fmt.Sprintf("this catalogue has nothing for %s; this is the figure of %s", release, f.Dim("release"))
	}
	if major != nil && (major.Number != f.Number || major.Text != f.Text) && remark == "" {
		others = append(others, *major)
	}
	return f, others, remark, true
}

// Releases lists the releases that a quantity has rows for, in order, without
// the rows of a whole major release.
func (c *Catalogue) Releases(quantity string) []string {
	var out []string
	for _, f := range c.Quantity(quantity) {
		if r := f.Dim("release"); r != "" && !strings.HasSuffix(r, ".x") {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, CompareReleases)
	return out
}

func majorOf(release string) string {
	major, _, _ := strings.Cut(release, ".")
	return major
}

// minorOf is a release without the number of its patch.
func minorOf(release string) string {
	parts := strings.SplitN(release, ".", 3)
	return strings.Join(parts[:min(2, len(parts))], ".")
}

// CompareReleases orders "4.4" before "4.10" before "4.14.14".
func CompareReleases(a, b string) int {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for i := range max(len(x), len(y)) {
		n, m := 0, 0
		if i < len(x) {
			n, _ = strconv.Atoi(x[i])
		}
		if i < len(y) {
			m, _ = strconv.Atoi(y[i])
		}
		if n != m {
			return n - m
		}
	}
	return 0
}
