package crd

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

var writeCases = flag.String("cases", "", "write the cases for a real API server to this file (make oracle-crd)")

// verdict is what a real API server said of an object: which fields it refuses, and which it drops.
type verdict struct {
	Kind    string          `json:"kind"`
	Column  string          `json:"column"`
	Spec    json.RawMessage `json:"spec,omitempty"`
	Refused []string        `json:"refused,omitempty"`
	Dropped []string        `json:"dropped,omitempty"`
}

// TestVerdicts holds the package to what a real API server said of a value for each field and limit.
func TestVerdicts(t *testing.T) {
	if *writeCases != "" {
		text := cases()
		if err := os.WriteFile(*writeCases, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	file, err := os.Open("testdata/verdicts.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzip, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	n, refused := 0, 0
	for d := json.NewDecoder(unzip); d.More(); {
		var v verdict
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		n++
		if len(v.Refused) > 0 {
			refused++
		}
		if d := cmp.Diff(v, v.ours(t)); d != "" {
			t.Errorf("%s of %s: %s\n%s", v.Kind, v.Column, v.Spec, d)
		}
	}
	if n < 1000 || refused < n/4 {
		t.Errorf("only %d verdicts, %d of them refusals", n, refused)
	}
}

// ours is what the package says of the same object.
func (v verdict) ours(t *testing.T) verdict {
	text := `{"kind": "` + v.Kind + `", "metadata": {"name": "x"}`
	if v.Spec != nil {
		text += `, "spec": ` + string(v.Spec)
	}
	objects, problems := object.Split("x.json", []byte(text+"}"))
	if len(problems) > 0 {
		t.Fatal(text, problems)
	}
	set := map[byte]string{'T': "TechPreviewNoUpgrade", 'C': "CustomNoUpgrade"}[v.Column[0]]
	n, err := strconv.Atoi(strings.TrimLeft(v.Column, "TC"))
	if err != nil {
		t.Fatal(err)
	}
	out := verdict{Kind: v.Kind, Column: v.Column, Spec: v.Spec}
	for _, f := range Validate(objects[0], release.Release(n), set) {
		switch {
		case f.Severity == v1alpha1.Error:
			out.Refused = append(out.Refused, f.Place.Field)
		default:
			out.Dropped = append(out.Dropped, f.Place.Field)
		}
	}
	slices.Sort(out.Refused)
	out.Refused = slices.Compact(out.Refused)
	slices.Sort(out.Dropped)
	return out
}

// cases are objects with one value each that a limit may mind: of the newest release all, of older ones a sample.
func cases() []byte {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for _, kind := range names {
		for _, c := range []struct {
			column
			share int
		}{{column{"", 23}, 1}, {column{"", 19}, 7}, {column{"", 16}, 7}, {column{"", 12}, 7}, {column{"", 8}, 7},
			{column{"C", 23}, 7}, {column{"T", 21}, 7}} {
			k := kinds(kind)
			if !has(k.columns, c.column) {
				continue
			}
			g := &generator{}
			g.walk(k.schemas(c.column).field("spec"), func(v any) any { return v })
			for i, spec := range g.specs {
				// Of a spec that is no mapping the server says more where the kind has a scale.
				if i%c.share == 0 && string(spec) != `"text"` {
					v := verdict{Kind: kind, Column: c.set + strconv.Itoa(c.release), Spec: spec}
					if err := e.Encode(v); err != nil {
						panic(err)
					}
				}
			}
		}
	}
	w.Flush()
	return out.Bytes()
}

// generator makes specs.
type generator struct{ specs []json.RawMessage }

// walk tries values in the place that wrap puts them, and in places further in.
func (g *generator) walk(s *schema, wrap func(any) any) {
	tried := map[string]bool{}
	for _, v := range s.trials() {
		text, err := json.Marshal(wrap(v))
		if err != nil {
			panic(err)
		}
		if !tried[string(text)] {
			g.specs = append(g.specs, text)
		}
		tried[string(text)] = true
	}
	for _, f := range s.Fields {
		g.walk(f.schema, func(v any) any {
			all := s.sample().(map[string]any)
			all[f.name] = v
			return wrap(all)
		})
	}
	if s.Items != nil {
		g.walk(s.Items, func(v any) any { return wrap([]any{v}) })
	}
	if s.Values != nil {
		g.walk(s.Values, func(v any) any { return wrap(map[string]any{"k": v}) })
	}
}

// samples are values that patterns and rules take, by a part of them.
var samples = []struct{ part, value string }{{"|h))+", "10s"}, {"%|[0-9]+)$", "40%"}, {"Managed|", "Managed"},
	{"^subnet-", "subnet-0a"}, {"application|", "text/html"}, {"25[0-5])/", "10.0.0.0/8"}, {"isIP", "192.0.2.1"},
	{"eipalloc", "eipalloc-0123456789abcdef0"}, {"", "x"}}

// sample is a value that is taken.
func (s *schema) sample() any {
	switch {
	case s.IntOrString:
		return 1
	case len(s.Enum) > 0:
		return s.Enum[len(s.Enum)-1]
	}
	switch s.Type {
	case "object":
		all := map[string]any{}
		for _, name := range s.Required {
			all[name] = s.field(name).sample()
		}
		return all
	case "array":
		if s.MinItems != nil {
			return []any{s.Items.sample()}
		}
		return []any{}
	case "integer":
		if s.Min != nil {
			return *s.Min
		}
		return 1
	case "boolean":
		return true
	case "string":
		text := s.Pattern
		for _, r := range s.Rules {
			text += r.text
		}
		if len(s.OneOf) > 0 {
			text += "isIP"
		}
		if s.Format == "duration" {
			return "10s"
		}
		for _, c := range samples {
			if strings.Contains(text, c.part) {
				return c.value
			}
		}
	}
	return map[string]any{}
}

// trials are values at and beyond each limit.
func (s *schema) trials() []any {
	out := []any{s.sample(), nil}
	switch s.Type {
	case "object":
		out = append(out, "text")
		if !s.Preserve && s.Values == nil {
			all := s.sample().(map[string]any)
			all["unheardOf"] = 1
			out = append(out, all)
		}
		for _, name := range s.Required {
			all := s.sample().(map[string]any)
			delete(all, name)
			out = append(out, all)
		}
	case "array":
		out = append(out, map[string]any{}, []any{})
		if s.List != "" || len(s.Rules) > 0 {
			out = append(out, []any{s.Items.sample(), s.Items.sample()})
		}
		if s.MaxItems != nil && *s.MaxItems < 50 {
			out = append(out, slices.Repeat([]any{s.Items.sample()}, *s.MaxItems+1))
		}
	case "integer":
		out = append(out, "1", 1.5, 2.0, -1, 0, 5, 1<<31, -1<<31-1)
		for _, limit := range []*float64{s.Min, s.Max} {
			if limit != nil {
				out = append(out, *limit-1, *limit, *limit+1)
			}
		}
	case "boolean":
		out = append(out, "true", 0, false)
	case "string":
		out = append(out, s.texts()...)
	default:
		out = append(out, "40%", "3%0", 0, -1, true, 1.5)
	}
	return out
}

func (s *schema) texts() []any {
	out := []any{"", 7, "x", "Nonsense"}
	if s.MaxLength != nil && *s.MaxLength < 300 {
		out = append(out, strings.Repeat("x", *s.MaxLength), strings.Repeat("x", *s.MaxLength+1))
	}
	if len(s.Rules) > 0 || s.Pattern != "" || s.Format != "" {
		out = append(out, "cookie", "Host", "a,b", "a_b", "a b", "subnet-1", "eipalloc-1", strings.Repeat("y", 70)+".z",
			"1.2.3.4", "1s", "16m", "1us", "1 hour", "-5m", "0", "100%", "10.0.0.0/8", "%[req.hdr(X)]", "%", "text/html", "ü")
	}
	return append(out, s.Enum...)
}
