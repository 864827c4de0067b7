package kube

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"plimsoll.dev/internal/yamlpos"
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
	var made []*yamlpos.Node
	for item := range o.value.get("objects").elems() {
		literal := !strings.Contains(item.get("metadata", "namespace").text(), "${")
		t := p.substitute(item, 0)
		if literal {
			remove(t.Get("metadata"), "namespace")
		}
		addLabels(t, labels)
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
	if r.set.Asked != nil {
		r.set.Asked[name] = true
	}
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

// maxDepth bounds the nesting of a template's objects.
const maxDepth = 200

// substitute copies v into a tree with the parameters filled in.
func (p *process) substitute(v value, depth int) *yamlpos.Node {
	n := &yamlpos.Node{}
	n.Line, n.Col = v.position()
	if depth > maxDepth {
		p.failed = "the nesting is too deep"
	}
	if p.failed != "" {
		return n
	}
	switch v.kind() {
	case scalar:
		return p.scalar(n, v.text())
	case list:
		n.Kind = yamlpos.List
		for item := range v.elems() {
			n.Items = append(n.Items, p.substitute(item, depth+1))
		}
	case mapping:
		n.Kind = yamlpos.Map
		for k, f := range v.fields() {
			n.Entries = append(n.Entries, yamlpos.Entry{Key: p.text(string(k)), Value: p.substitute(f, depth+1)})
		}
	}
	return n
}

// scalar fills the text of n in: "${{NAME}}" alone becomes whatever JSON the
// value is, "${NAME}" becomes text.
func (p *process) scalar(n *yamlpos.Node, text string) *yamlpos.Node {
	n.Kind = yamlpos.Text
	m := jsonParameter.FindStringSubmatch(text)
	if m == nil {
		n.Text = p.text(text)
		return n
	}
	given, ok := p.values[m[1]]
	raw := jsontext.Value(given)
	switch {
	case !ok:
		n.Text = text
	case raw.IsValid() && (raw.Kind() == '{' || raw.Kind() == '[' || raw.Kind() == 'n'):
		return (&process{r: p.r}).substitute(newJSON("", raw, n.Line, n.Col), 0)
	default:
		n.Text = given
		p.grow(len(given))
	}
	return n
}

func (p *process) text(text string) string {
	if !strings.Contains(text, "${") {
		return text
	}
	return textParameter.ReplaceAllStringFunc(text, func(m string) string {
		given, ok := p.values[m[2:len(m)-1]]
		if !ok {
			return m
		}
		p.grow(len(given))
		if p.failed != "" {
			return ""
		}
		return given
	})
}

func (p *process) grow(n int) {
	if p.r.grown += n; p.r.grown > maxGrown {
		p.failed = "the templates' parameters make too much text"
	}
}

// remove takes the entry of a mapping away.
func remove(n *yamlpos.Node, key string) {
	if n != nil {
		n.Entries = slices.DeleteFunc(n.Entries, func(e yamlpos.Entry) bool { return e.Key == key })
	}
}

// put sets the entry of a mapping.
func put(n *yamlpos.Node, key string, v *yamlpos.Node) {
	remove(n, key)
	n.Kind, n.Entries = yamlpos.Map, append(n.Entries, yamlpos.Entry{Key: key, Value: v})
}

// child is the mapping under key, made when there is none.
func child(n *yamlpos.Node, key string) *yamlpos.Node {
	if c := n.Get(key); c != nil && c.Kind == yamlpos.Map {
		return c
	}
	c := &yamlpos.Node{Kind: yamlpos.Map, Line: n.Line, Col: n.Col}
	put(n, key, c)
	return c
}

// addLabels puts a template's labels on an object; on a DeploymentConfig also
// on its pods.
func addLabels(n, labels *yamlpos.Node) {
	if len(labels.Entries) == 0 || n.Kind != yamlpos.Map {
		return
	}
	on := []*yamlpos.Node{child(child(n, "metadata"), "labels")}
	if isKind(n, "DeploymentConfig") {
		on = append(on, child(child(child(child(n, "spec"), "template"), "metadata"), "labels"))
	}
	for _, o := range on {
		for _, e := range labels.Entries {
			put(o, e.Key, e.Value)
		}
	}
}

// isKind looks at the object's kind, whichever way the key is spelled.
func isKind(n *yamlpos.Node, kind string) bool {
	for _, e := range n.Entries {
		if strings.EqualFold(e.Key, "kind") {
			return e.Value.Text == kind
		}
	}
	return false
}
