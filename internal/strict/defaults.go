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

// Default is a field that was left open and filled in.
type Default struct {
	// Path of the field, such as hardware.nodeTypes[2].maxPods. When Count is
	// more than one it stands for several: hardware.nodeTypes[*].maxPods.
	Path string
	// Generic is the path with every index replaced by *.
	Generic string
	// Value as it would be written in the file.
	Value string
	// Fact that the value comes from, and Why in words, where they are known.
	Fact, Why string
	// Count is the number of fields that got the value, of Of such fields in all.
	Count, Of int
}

// Rule finds a default that depends on other fields. parent points to the struct
// that the field belongs to; fields that stand before it in the document have
// their defaults already. A nil value is no default.
type Rule func(parent any) (value any, fact, why string)

// Defaults fills what the tree leaves open with the values of the `default`
// tags and of the rules, which are named by generic paths. Without a tree,
// fields that are zero count as left open. The result is in document order.
func (d *Decoder) Defaults(tree *yamlpos.Tree, into any, rules map[string]Rule) []Default {
	f := &filling{Decoder: d, rules: rules, visits: map[string]int{}}
	var root *yamlpos.Node
	if tree != nil {
		root = tree.Root
	}
	f.object(root, reflect.ValueOf(into).Elem(), "", "")
	return f.told()
}

// told is what was found, with the number of fields like each.
func (f *filling) told() []Default {
	for i := range f.found {
		f.found[i].Of = f.visits[f.found[i].Generic]
	}
	return f.found
}

// Filled finds in a document that has its defaults the fields that Defaults would have given
// the value that they have. The fields of the paths that are open are filled in as there.
func (d *Decoder) Filled(document any, rules map[string]Rule, open ...string) []Default {
	f := &filling{Decoder: d, rules: rules, visits: map[string]int{}, full: true, open: open}
	f.object(nil, reflect.ValueOf(document).Elem(), "", "")
	return f.told()
}

// filling is one run over one document.
type filling struct {
	*Decoder
	rules  map[string]Rule
	visits map[string]int
	found  []Default
	// full says that the document has its defaults, but for the fields that are open.
	full bool
	open []string
	// rulesOnly passes over the defaults of the tags.
	rulesOnly bool
}

func (f *filling) object(n *yamlpos.Node, v reflect.Value, path, generic string) {
	for _, fd := range f.specOf(v.Type()).fields {
		if fd.output || !of(f.Platform, fd.variants) {
			continue
		}
		f.field(n.Get(fd.name), v, fd, join(path, fd.name), join(generic, fd.name))
	}
}

// field fills one field of parent, or goes into it.
func (f *filling) field(n *yamlpos.Node, parent reflect.Value, fd *field, path, generic string) {
	v := parent.Field(fd.index)
	if f.rules[generic] != nil || fd.hasDefault && !f.rulesOnly {
		f.visits[generic]++
		switch {
		case f.full && !slices.Contains(f.open, path):
			f.again(parent, fd, path, generic)
		case n == nil && v.IsZero():
			f.fill(parent, fd, path, generic)
		}
	}
	switch {
	case v.Kind() == reflect.Struct:
		f.object(n, v, path, generic)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		for i := range v.Len() {
			f.object(n.Item(i), v.Index(i), path+"["+strconv.Itoa(i)+"]", generic+"[*]")
		}
	case v.Kind() == reflect.Pointer && v.Type().Elem().Kind() == reflect.Struct:
		f.pointer(n, v, path, generic)
	}
}

// pointer goes into an optional struct. One that is absent is made when a rule
// fills something in; the tags of its fields count for one that is there.
func (f *filling) pointer(n *yamlpos.Node, v reflect.Value, path, generic string) {
	if !v.IsNil() {
		f.object(n, v.Elem(), path, generic)
		return
	}
	inner := reflect.New(v.Type().Elem())
	absent := *f
	absent.rulesOnly = true
	absent.object(n, inner.Elem(), path, generic)
	f.found = absent.found
	if !inner.Elem().IsZero() {
		v.Set(inner)
	}
}

// fill takes the rule's value, else that of the tag.
func (f *filling) fill(parent reflect.Value, fd *field, path, generic string) {
	v := parent.Field(fd.index)
	found := Default{Path: path, Generic: generic, Count: 1, Value: fd.fallback, Fact: fd.fact}
	var value any
	if rule := f.rules[generic]; rule != nil {
		value, found.Fact, found.Why = rule(parent.Addr().Interface())
	}
	switch {
	case value != nil:
		v.Set(reflect.ValueOf(value))
		found.Value = textOf(v)
	case fd.hasDefault && !f.rulesOnly:
		found.Fact, found.Why = fd.fact, ""
		setText(v, fd.fallback)
	default:
		return
	}
	f.found = append(f.found, found)
}

// again finds out whether fill gives the value that the field has, which it keeps.
func (f *filling) again(parent reflect.Value, fd *field, path, generic string) {
	v, before := parent.Field(fd.index), len(f.found)
	has := reflect.New(v.Type()).Elem()
	has.Set(v)
	v.SetZero()
	f.fill(parent, fd, path, generic)
	if !reflect.DeepEqual(v.Interface(), has.Interface()) {
		v.Set(has)
		f.found = f.found[:before]
	}
}

// setText reads a default. One that can't be read is a mistake in the program.
func setText(v reflect.Value, text string) {
	var err error
	switch {
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		setText(v.Elem(), text)
	case isQuantity(v.Type()):
		err = v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		setText(v.Index(0), text)
	case v.Kind() == reflect.Bool:
		var x bool
		x, err = strconv.ParseBool(text)
		v.SetBool(x)
	case v.CanFloat():
		var x float64
		x, err = strconv.ParseFloat(text, 64)
		v.SetFloat(x)
	case v.CanInt():
		var x int64
		x, err = strconv.ParseInt(text, 10, 64)
		v.SetInt(x)
	default:
		err = fmt.Errorf("no default for a %s", v.Type())
	}
	if err != nil {
		panic(fmt.Sprintf("strict: default %q: %v", text, err))
	}
}

// Collapse makes one of the defaults that give the same value to the same field
// of several items of a list.
func Collapse(list []Default) []Default {
	var out []Default
	at := map[string]int{}
	for _, d := range list {
		key := strings.Join([]string{d.Generic, d.Value, d.Fact, d.Why}, "\x00")
		i, seen := at[key]
		if !seen {
			at[key] = len(out)
			out = append(out, d)
			continue
		}
		out[i].Count += d.Count
		out[i].Path = d.Generic
	}
	return out
}
