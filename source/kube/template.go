package kube

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxGrown bounds what parameters may make of templates, in bytes.
const maxGrown = 64 << 20

// template processes an OpenShift template as "oc process" does and reads the
// objects that come of it. A parameter's value is the given one, else its own,
// else a generated one; where the text would be random, a stand-in of the same
// length that is always the same takes its place.
func (r *reader) template(o *object, depth int) {
	p := process{r: r, values: map[string]string{}}
	for param := range o.value.get("parameters").elems() {
		name := param.get("name").text()
		p.values[name] = r.parameter(name, param)
		if p.values[name] == "" && param.get("required").is("true") {
			r.skip(o.place(), o.title(), "parameter "+name+" is required and has no value")
			return
		}
	}
	labels := p.substitute(o.value.get("labels"), 0)
	var made []*tree
	for item := range o.value.get("objects").elems() {
		literal := !strings.Contains(item.get("metadata", "namespace").text(), "${")
		t := p.substitute(item, 0)
		if literal {
			t.field("metadata").remove("namespace")
		}
		t.addLabels(labels)
		made = append(made, t)
	}
	if p.failed != "" {
		r.skip(o.place(), o.title(), p.failed)
		return
	}
	for _, t := range made {
		r.object(newTree(o.doc.file, t), "", depth+1)
	}
}

// parameter is the value of a template's parameter.
func (r *reader) parameter(name string, param value) string {
	if given, ok := r.set.Parameters[name]; ok {
		return given
	}
	if v := param.get("value").text(); v != "" {
		return v
	}
	if param.get("generate").is("expression") {
		return standIn(param.get("from").text())
	}
	return ""
}

var generated = regexp.MustCompile(`(\[[^\]]+\]|\\[wdaA])(\{(\d{1,3})\})?`)

// standIn is a text that fits a template's "from" expression: for each range,
// such as [a-z0-9]{8}, its first character so many times.
func standIn(from string) string {
	if len(from) > 1024 {
		from = from[:1024]
	}
	return generated.ReplaceAllStringFunc(from, func(part string) string {
		m := generated.FindStringSubmatch(part)
		times := 1
		if m[3] != "" {
			times, _ = strconv.Atoi(m[3])
		}
		return strings.Repeat(firstOf(m[1]), min(times, 255))
	})
}

// firstOf is the first character of a range or a class.
func firstOf(class string) string {
	class = strings.TrimPrefix(class, "[")
	switch {
	case strings.HasPrefix(class, `\d`):
		return "0"
	case strings.HasPrefix(class, `\A`):
		return "~"
	case strings.HasPrefix(class, `\`):
		return "a"
	}
	return class[:1]
}

// process fills parameters in.
type process struct {
	r      *reader
	values map[string]string
	failed string // why the template can't be processed
}

var (
	textParameter = regexp.MustCompile(`\$\{([a-zA-Z0-9_]+)\}`)
	jsonParameter = regexp.MustCompile(`^\$\{\{([a-zA-Z0-9_]+)\}\}$`)
)

// substitute copies v into a tree with the parameters filled in.
func (p *process) substitute(v value, depth int) *tree {
	t := &tree{kind: v.kind()}
	t.line, t.col = v.position()
	if depth > maxDepth {
		p.failed = "the nesting is too deep"
	}
	if p.failed != "" {
		return t
	}
	switch t.kind {
	case scalar:
		return p.scalar(t, v.bytes())
	case list:
		for item := range v.elems() {
			t.kids = append(t.kids, p.substitute(item, depth+1))
		}
	case mapping:
		for k, f := range v.fields() {
			t.keys = append(t.keys, p.text(bytes.Clone(k)))
			t.kids = append(t.kids, p.substitute(f, depth+1))
		}
	}
	return t
}

// scalar fills the text of t in: "${{NAME}}" alone becomes whatever JSON the
// value is, "${NAME}" becomes text.
func (p *process) scalar(t *tree, text []byte) *tree {
	m := jsonParameter.FindSubmatch(text)
	if m == nil {
		t.text = p.text(bytes.Clone(text))
		return t
	}
	given, ok := p.values[string(m[1])]
	raw := jsontext.Value(given)
	switch {
	case !ok:
		t.text = bytes.Clone(text)
	case raw.IsValid() && (raw.Kind() == '{' || raw.Kind() == '[' || raw.Kind() == 'n'):
		line, col := t.line, t.col
		t = (&process{r: p.r}).substitute(newJSON("", raw, line, col), 0)
	default:
		t.text = []byte(given)
		p.grow(len(given))
	}
	return t
}

func (p *process) text(text []byte) []byte {
	if bytes.Contains(text, []byte("${")) {
		text = textParameter.ReplaceAllFunc(text, func(m []byte) []byte {
			given, ok := p.values[string(m[2:len(m)-1])]
			if !ok {
				return m
			}
			p.grow(len(given))
			if p.failed != "" {
				return nil
			}
			return []byte(given)
		})
	}
	return text
}

func (p *process) grow(n int) {
	if p.r.grown += n; p.r.grown > maxGrown {
		p.failed = "the templates' parameters make too much text"
	}
}

// field is the entry of a mapping, nil when there is none.
func (t *tree) field(key string) *tree {
	if t == nil {
		return nil
	}
	for i, k := range t.keys {
		if string(k) == key {
			return t.kids[i]
		}
	}
	return nil
}

func (t *tree) remove(key string) {
	if t == nil {
		return
	}
	for i, k := range t.keys {
		if string(k) == key {
			t.keys = append(t.keys[:i], t.keys[i+1:]...)
			t.kids = append(t.kids[:i], t.kids[i+1:]...)
			return
		}
	}
}

// put sets the entry of a mapping.
func (t *tree) put(key string, v *tree) {
	t.remove(key)
	t.kind, t.keys, t.kids = mapping, append(t.keys, []byte(key)), append(t.kids, v)
}

// child is the mapping under key, made when there is none.
func (t *tree) child(key string) *tree {
	c := t.field(key)
	if c == nil || c.kind != mapping {
		c = &tree{kind: mapping, line: t.line, col: t.col}
		t.put(key, c)
	}
	return c
}

// addLabels puts a template's labels on an object; on a DeploymentConfig also
// on its pods.
func (t *tree) addLabels(labels *tree) {
	if len(labels.keys) == 0 || t.kind != mapping {
		return
	}
	on := []*tree{t.child("metadata").child("labels")}
	if isKind(t, "DeploymentConfig") {
		on = append(on, t.child("spec").child("template").child("metadata").child("labels"))
	}
	for _, o := range on {
		for i, k := range labels.keys {
			o.put(string(k), labels.kids[i])
		}
	}
}

// isKind looks at the object's kind, whichever way the key is spelled.
func isKind(t *tree, kind string) bool {
	for i, k := range t.keys {
		if strings.EqualFold(string(k), "kind") {
			return string(t.kids[i].text) == kind
		}
	}
	return false
}
