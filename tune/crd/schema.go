package crd

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/internal/memo"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/crd/cel"
)

// files are the definitions of kinds: a line for each field with its type, and below it, further in, what is asked of
// its values (=min 0) and its own fields; [] is an item, {} a value of any name. @8-,T22- before a line says in which
// releases it is so: since 4.8, and since 4.22 with TechPreviewNoUpgrade; without, in all that the line above has.
//
//go:embed data/*.txt
var files embed.FS

// kind is what is known of a kind: a tree of lines, and the columns that they may be of.
type kind struct {
	name    string
	columns []span
	root    *line
	// schemas by column.
	schemas func(column) *schema
}

// column is a release with a feature set: "" for the default one, "T" or "C".
type column struct {
	set     string
	release int
}

// line is a line of a file.
type line struct {
	text  string
	spans []span
	inner []*line
}

// span are some releases of a feature set.
type span struct {
	set         string
	since, last int
}

// schema is what is asked of a value.
type schema struct {
	Type                            string
	Nullable, Preserve, IntOrString bool
	PreserveAll                     bool
	Format, Pattern, List           string
	Enum                            []any
	Required, Keys                  []string
	Min, Max                        *float64
	MinLength, MaxLength            *int
	MinItems, MaxItems              *int
	MinProperties, MaxProperties    *int
	Default                         any
	Rules                           []rule
	Fields                          []field
	Items, Values                   *schema
	AnyOf, OneOf, AllOf             []*schema
}

// rule is a rule in CEL, as it is written and as it is evaluated.
type rule struct {
	text string
	expr *cel.Expr
}

type field struct {
	name string
	*schema
}

func (s *schema) field(name string) *schema {
	for i := range s.Fields {
		if s.Fields[i].name == name {
			return s.Fields[i].schema
		}
	}
	return nil
}

// below is the schema of a key: that of the field of its name, or else of all values of a map; nil is none.
func (s *schema) below(key string) *schema {
	if f := s.field(key); f != nil {
		return f
	}
	return s.Values
}

// kinds are the kinds by name, each read once; nil for others.
var kinds = memo.Once(func(name string) *kind {
	text, err := files.ReadFile("data/" + strings.ToLower(name) + ".txt")
	if err != nil || name == strings.ToLower(name) {
		return nil
	}
	k := parse(string(text))
	k.name = name
	k.schemas = memo.Once(k.schema)
	return k
})

// parse reads a file.
func parse(text string) *kind {
	k := &kind{root: &line{}}
	head, body, _ := strings.Cut(text, "\n")
	k.columns = spans(strings.TrimPrefix(head, "releases "))
	above := []*line{k.root}
	for t := range strings.Lines(body) {
		t = strings.TrimSuffix(t, "\n")
		content := strings.TrimLeft(t, "\t")
		l, depth := &line{text: content}, len(t)-len(content)
		if rest, ok := strings.CutPrefix(content, "@"); ok {
			at, text, _ := strings.Cut(rest, " ")
			l.text, l.spans = text, spans(at)
		}
		above[depth].inner = append(above[depth].inner, l)
		above = append(above[:depth+1], l)
	}
	return k
}

func spans(text string) (out []span) {
	for part := range strings.SplitSeq(text, ",") {
		s := span{last: int(release.Newest)}
		if part[0] > '9' {
			s.set, part = part[:1], part[1:]
		}
		since, last, _ := strings.Cut(part, "-")
		s.since, _ = strconv.Atoi(since)
		if last != "" {
			s.last, _ = strconv.Atoi(last)
		}
		out = append(out, s)
	}
	return out
}

func has(list []span, c column) bool {
	return slices.ContainsFunc(list, func(s span) bool {
		return s.set == c.set && s.since <= c.release && c.release <= s.last
	})
}

// in is the schema of a release and a feature set. Releases before the first that is known are judged as that; a set
// without a definition of its own has the default one.
func (k *kind) in(r release.Release, set string) *schema {
	letter := map[string]string{"TechPreviewNoUpgrade": "T", "CustomNoUpgrade": "C", "DevPreviewNoUpgrade": "C"}[set]
	c := column{letter, min(max(int(r.Minor()), k.columns[0].since), int(release.Newest))}
	if !has(k.columns, c) {
		c.set = ""
	}
	return k.schemas(c)
}

// schema is the schema of a column.
func (k *kind) schema(c column) *schema {
	for _, l := range k.root.inner {
		if l.spans == nil || has(l.spans, c) {
			return l.schema(c)
		}
	}
	panic(fmt.Sprintf("%s has no definition in %v", k.name, c))
}

// schema reads the lines below l that a column has.
func (l *line) schema(c column) *schema {
	name, typ, _ := strings.Cut(l.text, " ")
	s := &schema{Type: typ}
	for _, in := range l.inner {
		if in.spans != nil && !has(in.spans, c) {
			continue
		}
		name, _, _ = strings.Cut(in.text, " ")
		switch {
		case strings.HasPrefix(name, "="):
			s.fact(name[1:], in.text[len(name)+1:])
		case name == "[]":
			s.Items = in.schema(c)
		case name == "{}":
			s.Values = in.schema(c)
		case strings.HasPrefix(name, "<"):
			*map[string]*[]*schema{"<anyOf": &s.AnyOf, "<oneOf": &s.OneOf, "<allOf": &s.AllOf}[name] = in.branches(c)
		default:
			s.Fields = append(s.Fields, field{name, in.schema(c)})
		}
	}
	return s
}

func (l *line) branches(c column) (out []*schema) {
	for _, in := range l.inner {
		if in.spans == nil || has(in.spans, c) {
			out = append(out, in.schema(c))
		}
	}
	return out
}

// fact takes one line that begins with "=".
func (s *schema) fact(name, text string) {
	into := map[string]any{"nullable": &s.Nullable, "preserve": &s.Preserve, "preserveAll": &s.PreserveAll,
		"intOrString": &s.IntOrString, "format": &s.Format, "pattern": &s.Pattern, "list": &s.List, "enum": &s.Enum,
		"required": &s.Required, "keys": &s.Keys, "min": &s.Min, "max": &s.Max, "minLength": &s.MinLength,
		"maxLength": &s.MaxLength, "minItems": &s.MinItems, "maxItems": &s.MaxItems, "minProperties": &s.MinProperties,
		"maxProperties": &s.MaxProperties, "default": &s.Default}[name]
	if name == "rule" {
		s.Rules = append(s.Rules, rule{})
		into = &s.Rules[len(s.Rules)-1].text
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		panic(fmt.Sprintf("%s %s: %v", name, text, err))
	}
	if name == "rule" {
		r := &s.Rules[len(s.Rules)-1]
		var err error
		if r.expr, err = cel.Parse(r.text); err != nil {
			panic(err)
		}
	}
}
