package strict

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
)

// Decoder reads documents of one type. It is not safe for concurrent use.
type Decoder struct {
	// Platform of the document: fields whose `platform` tag names others are errors
	// and have no defaults. Empty takes all fields.
	Platform string
	// Unknown is given the fields that the type doesn't have, at the path of the
	// object that they stand in; nil makes them problems.
	Unknown func(yamlpos.Problem)
	// NullIsAbsent takes a field that is null as one that is not there, as API servers
	// do; otherwise it is a problem.
	NullIsAbsent bool
	// Output takes the fields that the program fills in, of documents that it saved.
	Output bool
	// Most are the largest values by type, for fields whose tags say none, such as Sensible.
	Most   map[reflect.Type]float64
	checks map[string]Check
	specs  map[reflect.Type]*spec
	places map[string][]place // where each field name stands, for misplaced fields
}

// place is where a field stands, and the platforms that have it; none is all.
type place struct {
	path     string
	variants []string
}

// New returns a decoder of documents of type T. It panics when a tag of T or of
// the types below is not understood.
func New[T any](checks map[string]Check) *Decoder {
	d := &Decoder{checks: checks, specs: map[reflect.Type]*spec{}, places: map[string][]place{}}
	d.index(reflect.TypeFor[T](), place{}, nil)
	return d
}

// index remembers where each field name stands, of types that hold themselves at
// the first level only.
func (d *Decoder) index(t reflect.Type, at place, within []reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || slices.Contains(within, t) {
		return
	}
	within = append(slices.Clip(within), t)
	for _, f := range d.specOf(t).fields {
		p := place{join(at.path, f.name), at.variants}
		if f.variants != nil {
			p.variants = f.variants
		}
		if !f.output {
			d.places[strings.ToLower(f.name)] = append(d.places[strings.ToLower(f.name)], p)
		}
		d.index(f.typ, p, within)
	}
}

// decoding is one run over one tree.
type decoding struct {
	*Decoder
	tree     *yamlpos.Tree
	problems yamlpos.Problems
	found    int // problems found, those that were noted before included
}

// Decode fills the struct that into points to from the tree and returns all
// problems in order; fields with problems stay empty.
func (d *Decoder) Decode(tree *yamlpos.Tree, into any) yamlpos.Problems {
	run := &decoding{Decoder: d, tree: tree}
	run.value(tree.Root, reflect.ValueOf(into).Elem(), &field{}, "")
	run.problems.Sort()
	return run.problems
}

// bad notes a problem of the field at path, at the position of n.
func (d *decoding) bad(n *yamlpos.Node, path, what, fix string) {
	d.found++
	d.problems.Add(yamlpos.Problem{File: d.tree.Name, Line: n.Line, Col: n.Col, Field: path, What: what, Fix: fix})
}

// value decodes n into v. f holds the tags that apply.
func (d *decoding) value(n *yamlpos.Node, v reflect.Value, f *field, path string) {
	if d.problems.Full() {
		return
	}
	if v.Kind() == reflect.Pointer && n.Kind != yamlpos.Null {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	before := d.found
	switch {
	case isQuantity(v.Type()):
		d.quantity(n, v, path)
	case v.Kind() == reflect.Struct:
		d.object(n, v, path)
	case v.Kind() == reflect.Slice:
		d.list(n, v, f, path)
	case v.Kind() == reflect.Map:
		d.table(n, v, f, path)
	case v.Kind() == reflect.Interface && n.Kind == yamlpos.Null:
		d.noValue(n, path)
	case v.Kind() == reflect.Interface:
		v.Set(reflect.ValueOf(n.Value()))
	default:
		d.scalar(n, v, f, path)
	}
	switch {
	case n.Kind == yamlpos.Null:
	case d.found == before:
		d.constraints(n, v, f, path)
	case v.Kind() == reflect.Slice: // a mistake in one item hides no name that stands twice
		d.unique(n, v, f, path)
	}
}

func (d *decoding) object(n *yamlpos.Node, v reflect.Value, path string) {
	if n.Kind != yamlpos.Map && n.Kind != yamlpos.Null {
		d.wrongType(n, path, yamlpos.Map.String(), mappingFix(n))
		return
	}
	s := d.specOf(v.Type())
	seen := make(map[*field]bool, len(n.Entries))
	for _, e := range n.Entries {
		f := s.byName[e.Key]
		switch {
		case f == nil:
			d.unknown(e, s, path)
		case f.output && !d.Output:
			d.bad(&yamlpos.Node{Line: e.Line, Col: e.Col}, join(path, e.Key), "is filled in by the program", "remove it")
		case !of(d.Platform, f.variants):
			d.bad(&yamlpos.Node{Line: e.Line, Col: e.Col}, join(path, e.Key), "is not a field of platform "+d.Platform,
				"remove it, or write platform.type: "+strings.Join(f.variants, " or "))
		case d.NullIsAbsent && e.Value.Kind == yamlpos.Null:
		default:
			seen[f] = true
			d.value(e.Value, v.Field(f.index), f, join(path, e.Key))
		}
	}
	for _, f := range s.fields {
		if f.required && !seen[f] && of(d.Platform, f.variants) {
			d.bad(n, join(path, f.name), "is missing", "add "+d.sample(f))
		}
	}
}

func (d *decoding) list(n *yamlpos.Node, v reflect.Value, f *field, path string) {
	switch n.Kind {
	case yamlpos.Null:
		d.requireSome(n, v, f, path, "item")
		return
	case yamlpos.List:
	default:
		d.wrongType(n, path, yamlpos.List.String(), listFix(n))
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.Items), len(n.Items)))
	item := &field{check: f.check, enum: f.enum, min: f.min, max: f.max}
	for i, child := range n.Items {
		at := path + "[" + strconv.Itoa(i) + "]"
		if child.Kind == yamlpos.Null {
			d.bad(child, at, "has no value", "write one, or remove the item")
			continue
		}
		d.value(child, v.Index(i), item, at)
	}
}

func (d *decoding) table(n *yamlpos.Node, v reflect.Value, f *field, path string) {
	switch n.Kind {
	case yamlpos.Null:
		d.requireSome(n, v, f, path, "entry")
	case yamlpos.Map:
	default:
		d.wrongType(n, path, yamlpos.Map.String(), mappingFix(n))
		return
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.Entries)))
	item := &field{min: f.min, max: f.max, plain: f.plain}
	for _, e := range n.Entries {
		at := join(path, e.Key)
		if f.check != nil {
			d.test(&yamlpos.Node{Line: e.Line, Col: e.Col}, at, e.Key, f.check)
		}
		value := reflect.New(v.Type().Elem()).Elem()
		if value.Kind() == reflect.Interface && e.Value.Kind == yamlpos.Null {
			v.SetMapIndex(reflect.ValueOf(e.Key), reflect.Zero(v.Type().Elem()))
			continue
		}
		if value.Kind() == reflect.Slice && e.Value.Kind == yamlpos.Null {
			d.noValue(e.Value, at)
			continue
		}
		d.value(e.Value, value, item, at)
		v.SetMapIndex(reflect.ValueOf(e.Key), value)
	}
}

// longestQuantity is more than any quantity needs; what is longer is not given
// to a parser.
const longestQuantity = 40

func (d *decoding) quantity(n *yamlpos.Node, v reflect.Value, path string) {
	kind := quantityOf(v.Type())
	switch n.Kind {
	case yamlpos.Null:
		d.noValue(n, path)
		return
	case yamlpos.Text, yamlpos.Int, yamlpos.Float:
	default:
		d.wrongType(n, path, kind.name, "write it like "+kind.sample)
		return
	}
	if len(n.Text) > longestQuantity {
		d.bad(n, path, yamlpos.Quote(n.Text)+" is not "+kind.name, "write it like "+kind.sample)
		return
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Text)); err != nil {
		what, fix := yamlpos.SplitFix(err)
		d.bad(n, path, what, fix)
	}
}

func (d *decoding) noValue(n *yamlpos.Node, path string) {
	d.bad(n, path, "has no value", "write one, or remove the key")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// wrongType notes that n is not what the field wants.
func (d *decoding) wrongType(n *yamlpos.Node, path, want, fix string) {
	switch n.Kind {
	case yamlpos.List, yamlpos.Map:
		d.bad(n, path, n.Kind.String()+" stands where "+want+" is expected", fix)
	case yamlpos.Text:
		d.bad(n, path, fmt.Sprintf("%s is text, not %s", yamlpos.Quote(n.Text), want), fix)
	default:
		d.bad(n, path, fmt.Sprintf("%s is %s, not %s", n.Text, n.Kind, want), fix)
	}
}
