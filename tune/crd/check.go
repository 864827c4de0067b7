package crd

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
	near "plimsoll.dev/schema"
	"plimsoll.dev/tune/crd/cel"
)

// check judges a value and what is in it by the structure.
func (v *validator) check(n *yamlpos.Node, s *schema, path string) {
	if n.Kind == yamlpos.Null && s.Nullable {
		return
	}
	if want := s.wants(n); want != "" {
		v.blocked = true
		v.bad(wrongType, n, path, shown(path)+" holds "+n.Kind.String()+", not "+want+refused, "write "+want)
		return
	}
	v.value(n, s, path)
	v.branches(n, s, path)
	switch n.Kind {
	case yamlpos.List:
		v.items(n, s, path)
	case yamlpos.Map:
		v.fields(n, s, path)
	}
}

// shown is the path of a field in a sentence.
func shown(path string) string {
	if path == "" {
		return "the object"
	}
	return path
}

// wants says which type a value should have, "" when it has it.
func (s *schema) wants(n *yamlpos.Node) string {
	if s.IntOrString {
		if n.Kind == yamlpos.Int || n.Kind == yamlpos.Text {
			return ""
		}
		return "a whole number or text"
	}
	whole := n.Kind == yamlpos.Int
	if f, err := strconv.ParseFloat(n.Text, 64); n.Kind == yamlpos.Float && err == nil {
		whole = f == float64(int64(f))
	}
	want, ok := "", true
	switch s.Type {
	case "integer":
		want, ok = yamlpos.Int.String(), whole
	case "number":
		want, ok = yamlpos.Float.String(), n.Kind == yamlpos.Int || n.Kind == yamlpos.Float
	case "string":
		want, ok = yamlpos.Text.String(), n.Kind == yamlpos.Text
	case "boolean":
		want, ok = "true or false", n.Kind == yamlpos.Bool
	case "array":
		want, ok = yamlpos.List.String(), n.Kind == yamlpos.List
	case "object":
		want, ok = yamlpos.Map.String(), n.Kind == yamlpos.Map
	}
	if ok {
		return ""
	}
	return want
}

// value judges what is asked of the value itself.
func (v *validator) value(n *yamlpos.Node, s *schema, path string) {
	v.oneOf(n, s, path)
	switch n.Kind {
	case yamlpos.Int, yamlpos.Float:
		v.number(n, s, path)
	case yamlpos.Text:
		v.text(n, s, path)
	case yamlpos.List:
		v.count(n, path, len(n.Items), s.MinItems, s.MaxItems, "item", "items")
	case yamlpos.Map:
		v.count(n, path, len(n.Entries), s.MinProperties, s.MaxProperties, "field", "fields")
	}
}

// oneOf judges values that must be one of a few.
func (v *validator) oneOf(n *yamlpos.Node, s *schema, path string) {
	if len(s.Enum) == 0 {
		return
	}
	var known []string
	for _, e := range s.Enum {
		if text := fmt.Sprint(e); text == n.Text {
			return
		} else if text != "" {
			known = append(known, text)
		}
	}
	fix := "write " + oneOf(known)
	if w := near.Nearest(n.Text, known); w != "" && n.Text != "" {
		fix = "did you mean " + w + "? known are " + words.And(known)
	}
	v.blocked = true
	v.bad(badValue, n, path, fmt.Sprintf("%s can't be %s", path, quoted(n))+refused, fix)
}

func quoted(n *yamlpos.Node) string {
	if n.Kind == yamlpos.Text {
		return strconv.Quote(yamlpos.Shorten(n.Text))
	}
	return yamlpos.Shorten(n.Text)
}

// number judges limits; a whole number must fit into its format, too.
func (v *validator) number(n *yamlpos.Node, s *schema, path string) {
	var f float64
	switch x := n.Value().(type) {
	case int64:
		f = float64(x)
	case float64:
		f = x
	}
	low, high := s.Min, s.Max
	if s.Type == "integer" && s.Format == "int32" {
		low, high = tighter(low, -1<<31, 1), tighter(high, 1<<31-1, -1)
	}
	say := func(what string, limit float64) {
		text := strconv.FormatFloat(limit, 'f', -1, 64)
		v.bad(badValue, n, path, fmt.Sprintf("%s is %s, %s %s", path, n.Text, what, text)+refused, "write "+bounds(low, high))
	}
	if low != nil && f < *low {
		say("below", *low)
	}
	if high != nil && f > *high {
		say("above", *high)
	}
}

// tighter is a limit, or the other one where that is narrower; sign is 1 for a lower limit, -1 for an upper one.
func tighter(limit *float64, other, sign float64) *float64 {
	if limit == nil || (*limit-other)*sign < 0 {
		return &other
	}
	return limit
}

// bounds says between which limits a number may be.
func bounds(low, high *float64) string {
	show := func(f *float64) string { return strconv.FormatFloat(*f, 'f', -1, 64) }
	switch {
	case low == nil:
		return show(high) + " or less"
	case high == nil:
		return show(low) + " or more"
	}
	return show(low) + " to " + show(high)
}

// text judges length, form and format of a text.
func (v *validator) text(n *yamlpos.Node, s *schema, path string) {
	v.count(n, path, utf8.RuneCountInString(n.Text), s.MinLength, s.MaxLength, "letter", "letters")
	if re := patterns(s.Pattern); s.Pattern != "" && re != nil && !re.MatchString(n.Text) {
		fix := find(patternSayings, s.Pattern).fix
		if fix == "" {
			fix = "it must match " + yamlpos.Shorten(s.Pattern)
		}
		v.bad(badValue, n, path, fmt.Sprintf("%s can't be %s", path, quoted(n))+refused, fix)
	}
	if f := formats[s.Format]; f.ok != nil && s.Type == "string" && !f.ok(n.Text) {
		v.bad(badValue, n, path, fmt.Sprintf("%s %s is no %s", path, quoted(n), f.name)+refused, f.fix)
	}
}

// count judges how many there are of something.
func (v *validator) count(n *yamlpos.Node, path string, have int, least, most *int, one, many string) {
	switch {
	case least != nil && have < *least && have == 0:
		v.bad(badValue, n, path, path+" is empty"+refused, fmt.Sprintf("write at least %s", words.Count(*least, one, many)))
	case least != nil && have < *least:
		v.bad(badValue, n, path, fmt.Sprintf("%s has %s", path, words.Count(have, one, many))+refused,
			fmt.Sprintf("write %d or more", *least))
	case most != nil && have > *most:
		v.blocked = true
		v.bad(badValue, n, path, fmt.Sprintf("%s has %s", path, words.Count(have, one, many))+refused,
			fmt.Sprintf("write %d or fewer", *most))
	}
}

// branches judges what must hold of one of several forms.
func (v *validator) branches(n *yamlpos.Node, s *schema, path string) {
	if s.IntOrString {
		return // whose forms are the two types
	}
	if field := s.branched(); field != "" { // of which the finding is told, not of all around it
		if inner := n.Get(field); inner != nil {
			only := &schema{AnyOf: inside(s.AnyOf), OneOf: inside(s.OneOf), AllOf: inside(s.AllOf)}
			v.branches(inner, only, join(path, field))
		}
		return
	}
	fits := func(list []*schema) (hits int) {
		for _, b := range list {
			trial := &validator{object: v.object, kind: v.kind, release: v.release}
			trial.check(n, b, path)
			if len(trial.found) == 0 {
				hits++
			}
		}
		return hits
	}
	if len(s.AnyOf) > 0 && fits(s.AnyOf) == 0 || len(s.OneOf) > 0 && fits(s.OneOf) != 1 ||
		fits(s.AllOf) != len(s.AllOf) {
		var forms []string
		for _, b := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
			forms = append(forms, b.describe())
		}
		v.bad(badValue, n, path, fmt.Sprintf("%s can't be %s", path, quoted(n))+refused, "write "+oneOf(forms))
	}
}

// branched is the one field that all forms are about, "" when there is no such.
func (s *schema) branched() (name string) {
	for _, b := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
		if len(b.Fields) != 1 || len(b.Required) > 0 || name != "" && name != b.Fields[0].name {
			return ""
		}
		name = b.Fields[0].name
	}
	return name
}

// inside are the schemas of the one field of each.
func inside(list []*schema) (out []*schema) {
	for _, s := range list {
		out = append(out, s.Fields[0].schema)
	}
	return out
}

// describe says what a form of a value is.
func (s *schema) describe() string {
	switch {
	case s.Format != "":
		if f := formats[s.Format]; f.name != "" {
			return f.name
		}
		return s.Format
	case len(s.Enum) > 0:
		return strings.Trim(fmt.Sprint(s.Enum), "[]")
	case s.Min != nil || s.Max != nil:
		return bounds(s.Min, s.Max)
	}
	return "another value"
}

// items judges the items of a list.
func (v *validator) items(n *yamlpos.Node, s *schema, path string) {
	seen := map[string]int{}
	for i, item := range n.Items {
		at := path + "[" + strconv.Itoa(i) + "]"
		if s.Items != nil {
			v.check(item, s.Items, at)
		}
		key, unique := s.identity(item)
		if !unique {
			continue
		}
		first, double := seen[key]
		switch {
		case double && first >= 0: // each is told once
			v.bad(duplicate, item, at, fmt.Sprintf("%s is the same as %s[%d]", at, path, first)+refused, "remove one of them")
			seen[key] = -1
		case !double:
			seen[key] = i
		}
	}
}

// identity is what no two items of a list may share.
func (s *schema) identity(item *yamlpos.Node) (key string, unique bool) {
	switch s.List {
	case "set":
		return fmt.Sprintf("%#v", item.Value()), true
	case "map":
		for _, k := range s.Keys {
			if item.Get(k) == nil {
				return "", false
			}
			key += fmt.Sprintf("%#v,", item.Get(k).Value())
		}
		return key, true
	}
	return "", false
}

// fields judges the fields of a mapping.
func (v *validator) fields(n *yamlpos.Node, s *schema, path string) {
	for _, name := range s.Required {
		if n.Entry(name) == nil {
			v.blocked = true
			v.bad(missing, n, join(path, name), join(path, name)+" is missing"+refused, "add "+name)
		}
	}
	for _, e := range n.Entries {
		if f := s.below(e.Key); f != nil {
			v.check(e.Value, f, join(path, e.Key))
		}
	}
}

// rules judges a value and what is in it by the rules in CEL.
func (v *validator) rules(n *yamlpos.Node, s *schema, path string) {
	if n.Kind == yamlpos.Null {
		return
	}
	for _, r := range s.Rules {
		if r.expr.Transition {
			continue
		}
		ok, err := r.expr.Eval(n.Value())
		if ok && err == nil {
			continue
		}
		say := find(ruleSayings, r.text)
		if err != nil {
			say = saying{what: "can't be judged by a rule of the kind: " + err.Error(), fix: "write it in full"}
			if m := cel.Missing(""); errors.As(err, &m) {
				say.fix = "add " + string(m)
			}
		}
		v.bad(badValue, n, path, shown(path)+" "+say.what+refused, say.fix)
	}
	for i, item := range n.Items {
		if s.Items != nil {
			v.rules(item, s.Items, path+"["+strconv.Itoa(i)+"]")
		}
	}
	for _, e := range n.Entries {
		if f := s.below(e.Key); f != nil {
			v.rules(e.Value, f, join(path, e.Key))
		}
	}
}

// oneOf names what is to be chosen from.
func oneOf(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}
