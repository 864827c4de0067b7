package facts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
)

// File is a file of data/: groups of facts that share most of their fields.
type File struct {
	Groups []Group `json:"groups"`
}

// Group is a table of a document, or figures that stand together. Its fields
// are the defaults of its quantities.
type Group struct {
	Prefix     string            `json:"prefix"`
	Platform   string            `json:"platform"`
	Scope      string            `json:"scope,omitempty"`
	Dims       []string          `json:"dims,omitempty"`
	Unit       string            `json:"unit,omitempty"`
	Kind       limit.Kind        `json:"kind"`
	Grade      Grade             `json:"grade"`
	Source     derive.Source     `json:"source"`
	Conditions string            `json:"conditions,omitempty"`
	Date       string            `json:"date,omitempty"`
	Footnotes  map[string]string `json:"footnotes,omitempty"`
	Quantities []Quantity        `json:"quantities"`
}

// Quantity is one row of the table.
type Quantity struct {
	Name  string     `json:"name"`
	Title string     `json:"title"`
	Scope string     `json:"scope,omitempty"`
	Unit  string     `json:"unit,omitempty"`
	Kind  limit.Kind `json:"kind,omitempty"`
	Grade Grade      `json:"grade,omitempty"`
	// Source replaces the group's.
	Source *derive.Source `json:"source,omitempty"`
	// Marks are keys of the group's footnotes.
	Marks []string `json:"marks,omitempty"`
	Notes []string `json:"notes,omitempty"`
	// Value is the figure of a quantity without dimensions.
	Value *Cell `json:"value,omitempty"`
	// Values are the figures by the values of the group's dims, joined by "/".
	Values map[string]Cell `json:"values,omitempty"`
}

// Cell is one figure: a number, a text, or an object that overrides the
// quantity's fields for this figure alone.
type Cell struct {
	Number      float64
	Text        string
	Kind        limit.Kind
	Grade       Grade
	Marks       []string
	Notes       []string
	Conditions  string
	Contradicts []string
}

// Flatten expands the groups into facts, sorted by id. It reports every row
// that is incomplete or inconsistent.
func Flatten(files []File) ([]Fact, []error) {
	var out []Fact
	var errs []error
	seen := map[string]bool{}
	for _, file := range files {
		for _, g := range file.Groups {
			for _, q := range g.Quantities {
				for _, f := range g.facts(q) {
					if seen[f.ID] {
						errs = append(errs, fmt.Errorf("%s: stands twice", f.ID))
					}
					seen[f.ID] = true
					errs = append(errs, f.problems()...)
					out = append(out, f)
				}
				errs = append(errs, g.problems(q)...)
			}
		}
	}
	slices.SortFunc(out, func(a, b Fact) int { return strings.Compare(a.ID, b.ID) })
	for _, f := range out {
		for _, id := range f.Contradicts {
			if id == f.ID || !seen[id] {
				errs = append(errs, fmt.Errorf("%s: contradicts %q, which is no other fact", f.ID, id))
			}
		}
	}
	return symmetric(out), errs
}

func (g Group) problems(q Quantity) []error {
	var errs []error
	id := g.Prefix + "." + q.Name
	if (q.Value == nil) == (len(q.Values) == 0) {
		errs = append(errs, fmt.Errorf("%s: give either value or values", id))
	}
	if q.Value != nil && len(g.Dims) > 0 {
		errs = append(errs, fmt.Errorf("%s: the group has dims %v, so give values", id, g.Dims))
	}
	for key := range q.Values {
		if n := len(strings.Split(key, "/")); n != len(g.Dims) {
			errs = append(errs, fmt.Errorf("%s: key %q has %d parts, the group has dims %v", id, key, n, g.Dims))
		}
	}
	return errs
}

func (g Group) facts(q Quantity) []Fact {
	if q.Value != nil {
		return []Fact{g.fact(q, "", *q.Value)}
	}
	var out []Fact
	for _, key := range slices.Sorted(maps.Keys(q.Values)) {
		out = append(out, g.fact(q, key, q.Values[key]))
	}
	return out
}

func (g Group) fact(q Quantity, key string, c Cell) Fact {
	f := Fact{
		Quantity: g.Prefix + "." + q.Name, Title: q.Title, Platform: g.Platform,
		Scope: first(q.Scope, g.Scope), Number: c.Number, Text: c.Text, Unit: first(q.Unit, g.Unit),
		Kind: first(c.Kind, q.Kind, g.Kind), Grade: first(c.Grade, q.Grade, g.Grade), Source: g.Source,
		Conditions: first(c.Conditions, g.Conditions), Date: g.Date, Contradicts: c.Contradicts,
	}
	if q.Source != nil {
		f.Source = *q.Source
	}
	f.ID = f.Quantity
	if key != "" {
		f.ID += "/" + key
		for i, v := range strings.Split(key, "/") {
			if i < len(g.Dims) {
				f.Dims = append(f.Dims, Dim{Name: g.Dims[i], Value: v})
			}
		}
	}
	for _, mark := range slices.Concat(q.Marks, c.Marks) {
		f.Notes = append(f.Notes, first(g.Footnotes[mark], "missing footnote "+mark))
	}
	f.Notes = append(f.Notes, slices.Concat(q.Notes, c.Notes)...)
	return f
}

// first returns the first value that is not empty.
func first[T ~string](values ...T) T {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

func (f Fact) problems() []error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf(f.ID+": "+format, args...))
	}
	if f.Title == "" {
		bad("has no title")
	}
	if !slices.Contains([]string{"openshift", "kubernetes", "helion", "any"}, f.Platform) {
		bad("platform %q is not openshift, kubernetes, helion or any", f.Platform)
	}
	if !slices.Contains(limit.Kinds(), f.Kind) {
		bad("kind %q is not one of %v", f.Kind, limit.Kinds())
	}
	if !slices.Contains(Grades(), f.Grade) {
		bad("grade %q is not one of %v", f.Grade, Grades())
	}
	if f.Source.Code == "" || f.Source.Section == "" {
		bad("has no source")
	}
	if f.Unit == "" && f.Text == "" {
		bad("a number needs a unit (ratio or bits for a bare one)")
	}
	for _, n := range f.Notes {
		if strings.HasPrefix(n, "missing footnote") {
			bad("%s", n)
		}
	}
	return errs
}

// symmetric makes each contradiction known to both sides.
func symmetric(list []Fact) []Fact {
	at := map[string]int{}
	for i, f := range list {
		at[f.ID] = i
	}
	for i := range list {
		for _, id := range list[i].Contradicts {
			if j, ok := at[id]; ok && !slices.Contains(list[j].Contradicts, list[i].ID) {
				list[j].Contradicts = append(list[j].Contradicts, list[i].ID)
			}
		}
	}
	return list
}
