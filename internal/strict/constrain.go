package strict

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
)

// constraints applies the tags to a value that could be read.
func (d *decoding) constraints(n *yamlpos.Node, v reflect.Value, f *field, path string) {
	switch {
	case v.Kind() == reflect.Slice:
		d.requireSome(n, v, f, path, "item")
		d.unique(n, v, f, path)
	case v.Kind() == reflect.Map:
		d.requireSome(n, v, f, path, "entry")
	case v.Kind() == reflect.String:
		d.textConstraints(n, v.String(), f, path)
	case v.CanInt(), v.CanFloat():
		d.limits(n, v, f, path)
	}
}

func (d *decoding) requireSome(n *yamlpos.Node, v reflect.Value, f *field, path, what string) {
	if f.required && v.Len() == 0 {
		d.bad(n, path, "is empty", "it needs at least one "+what)
	}
}

func (d *decoding) textConstraints(n *yamlpos.Node, text string, f *field, path string) {
	switch {
	case f.enum != nil && !slices.Contains(f.enum, text):
		d.bad(n, path, yamlpos.Quote(text)+" is not allowed", oneOf(text, f.enum))
	case f.required && text == "":
		d.bad(n, path, "is empty", "write a value")
	case f.check != nil:
		d.test(n, path, text, f.check)
	}
}

// oneOf advises the nearest allowed value, and all of them when they are few.
func oneOf(text string, allowed []string) string {
	const few = 8
	near := schema.Nearest(text, allowed)
	all := "one of " + strings.Join(allowed, ", ")
	switch {
	case len(allowed) == 1:
		return "write " + allowed[0]
	case near == "":
		return all
	case len(allowed) > few:
		return "did you mean " + near + "?"
	}
	return "did you mean " + near + "? " + all
}

func (d *decoding) test(n *yamlpos.Node, path, text string, c *Check) {
	if err := c.Test(text); err != nil {
		what, fix := yamlpos.SplitFix(err)
		d.bad(n, path, what, fix)
	}
}

func (d *decoding) limits(n *yamlpos.Node, v reflect.Value, f *field, path string) {
	x, most := numberOf(v), d.most(f, v.Type())
	switch {
	case f.min != nil && x < *f.min:
		d.bad(n, path, shown(n)+" is too small", d.leastFix(v, f))
	case most != nil && x > *most:
		d.bad(n, path, shown(n)+" is too large", d.mostFix(v, f))
	}
}

func numberOf(v reflect.Value) float64 {
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

func (d *decoding) leastFix(v reflect.Value, f *field) string {
	switch {
	case f.min == nil:
		return "write a larger number"
	case *f.min == 1 && isQuantity(v.Type()) && v.CanInt():
		return "it must be more than 0"
	}
	return "at least " + printed(*f.min, v.Type())
}

func (d *decoding) mostFix(v reflect.Value, f *field) string {
	most := d.most(f, v.Type())
	if most == nil {
		return "write a smaller number"
	}
	return "at most " + printed(*most, v.Type())
}

// printed writes a limit as the values of type t are written.
func printed(x float64, t reflect.Type) string {
	v := reflect.New(t).Elem()
	if v.CanInt() {
		v.SetInt(int64(x))
	} else {
		v.SetFloat(x)
	}
	return textOf(v)
}

// textOf writes a value as it is written in a file.
func textOf(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err == nil {
			return string(text)
		}
	}
	if v.Kind() == reflect.Float64 {
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	}
	return fmt.Sprint(v.Interface())
}

// unique finds items of a list that have the same name, fact and so on.
func (d *decoding) unique(n *yamlpos.Node, v reflect.Value, f *field, path string) {
	if f.unique == "" {
		return
	}
	first := map[string]int{}
	index := d.specOf(v.Type().Elem()).byName[f.unique].index
	for i := range v.Len() {
		name := v.Index(i).Field(index).String()
		j, dup := first[name]
		if name == "" || !dup {
			first[name] = i
			continue
		}
		at := n.Item(i).Get(f.unique)
		if at == nil {
			continue
		}
		line := n.Item(j).Get(f.unique).Line
		d.bad(at, path+"["+strconv.Itoa(i)+"]."+f.unique, fmt.Sprintf("%s stands twice", yamlpos.Quote(name)),
			fmt.Sprintf("the first is in line %d; each %s may be used once", line, f.unique))
	}
}
