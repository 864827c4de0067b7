package sample

import (
	"reflect"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
)

// Nasty ends every text of the Hostile plan: markup, quotes, template and
// Markdown syntax, a terminal escape, a direction override, wide characters, a
// line break, and a word that is longer than any line.
const Nasty = ` "'><script>alert(1)</script><img src=x onerror=alert(2)>{{.}}|` + "`*_[x](javascript:y)\x1b[31m\u202e節點\nend-of-" +
	"a-very-long-word-that-does-not-want-to-be-broken-anywhere-at-all-because-nobody-gave-it-a-place-to-break"

// Hostile is Plan with Nasty behind every text that could come from a file,
// and with a formula that can't be computed.
func Hostile() *v1alpha1.Plan {
	p := Plan()
	spoilAll(p)
	p.APIVersion, p.Kind = v1alpha1.APIVersion, v1alpha1.KindPlan
	p.Figures = append(p.Figures, derive.Figure{ID: "loop", Title: "A figure that needs itself", Value: derive.Of(1, ""),
		Formula: "</code><script>alert(3)</script>", Inputs: []derive.Input{
			{Name: "loop", Value: derive.Value{Text: "1", From: &derive.Ref{Kind: derive.FromFigure, ID: "loop"}}},
			{Name: "gone", Value: derive.Value{Text: "2", From: &derive.Ref{Kind: derive.FromFigure, ID: "no such figure"}}},
			{Name: "odd", Value: derive.Value{Text: "3", From: &derive.Ref{Kind: "oracle", ID: "delphi"}}}, {Name: "bare", Value: derive.Value{Text: "4"}}}})
	p.Sections[0].Figures = append(p.Sections[0].Figures, "loop", "not a figure")
	p.Sections[1].ID = p.Sections[0].ID
	return p
}

// spared are the fields that are code rather than text.
var spared = []string{"Formula", "Unit", "Mark", "Use"}

// spoilAll spoils whatever v points to.
func spoilAll(v any) { spoil(reflect.ValueOf(v).Elem()) }

// spoil appends Nasty to every plain string below v, keys of maps included.
func spoil(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if !slices.Contains(spared, name) && (v.Type() != reflect.TypeFor[derive.Input]() || name != "Name") {
				spoil(v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i))
		}
	case reflect.Map:
		spoilMap(v)
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() && v.String() != "" {
			v.SetString(v.String() + Nasty)
		}
	}
}

// spoilMap replaces the entries of a map by spoilt ones.
func spoilMap(m reflect.Value) {
	for _, key := range m.MapKeys() {
		k, v := reflect.New(key.Type()).Elem(), reflect.New(m.Type().Elem()).Elem()
		k.Set(key)
		v.Set(m.MapIndex(key))
		spoil(k)
		spoil(v)
		m.SetMapIndex(key, reflect.Value{})
		m.SetMapIndex(k, v)
	}
}
