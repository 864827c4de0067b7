package template

import (
	"errors"
	"slices"
	"strings"

	"plimsoll.dev/internal/yamlpos"
)

// Template is a template as it stands in a file.
type Template struct {
	Name       string
	Parameters []Parameter
	labels     *yamlpos.Node
	objects    *yamlpos.Node
}

// Parameter is one that a template declares.
type Parameter struct {
	Name, Value string
	// From is the expression that a value is generated from; empty where none is.
	From     string
	Required bool
}

// Options of processing.
type Options struct {
	// Given values go before those of the template; names that it does not declare change nothing.
	Given map[string]string
	// Asked takes note of the parameters that are declared; it may be nil.
	Asked map[string]bool
	// Generate makes a text that fits an expression, such as Random or StandIn.
	Generate func(from string) string
	// Grown counts the bytes that parameters put in, over all templates that share it; nil is one of its own.
	Grown *int
}

// maxGrown bounds what parameters may make of templates, in bytes.
const maxGrown = 64 << 20

// maxDepth bounds the nesting of a template's objects.
const maxDepth = 200

// Is says whether an object is a template, of the API group or of the time before there were groups.
func Is(n *yamlpos.Node) bool {
	version := text(Field(n, "apiVersion"))
	return text(Field(n, "kind")) == "Template" &&
		(version == "v1" || strings.HasPrefix(version, "template.openshift.io/"))
}

// Read takes a template apart. Of what is not a template it finds neither parameters nor objects.
func Read(n *yamlpos.Node) *Template {
	t := &Template{Name: text(n.Get("metadata").Get("name")), labels: n.Get("labels"), objects: n.Get("objects")}
	for _, p := range items(n.Get("parameters")) {
		read := Parameter{Name: text(p.Get("name")), Value: text(p.Get("value")),
			Required: text(p.Get("required")) == "true"}
		if text(p.Get("generate")) == "expression" {
			read.From = text(p.Get("from"))
		}
		t.Parameters = append(t.Parameters, read)
	}
	return t
}

// Declares says whether the template has a parameter of this name.
func (t *Template) Declares(name string) bool {
	return slices.ContainsFunc(t.Parameters, func(p Parameter) bool { return p.Name == name })
}

// Lacking says that a required parameter has no value.
type Lacking struct{ Parameter string }

func (l *Lacking) Error() string { return "parameter " + l.Parameter + " is required and has no value" }

// Process copies the objects with the parameters filled in. A value is the given one, else the
// template's, else a generated one. A namespace that stands there literally is taken away; one that
// holds a parameter stays. The error says which required parameter has no value, or that too much
// text would come of it.
func (t *Template) Process(opt Options) ([]*yamlpos.Node, error) {
	p := process{values: map[string]string{}, grown: opt.Grown}
	if p.grown == nil {
		p.grown = new(int)
	}
	for _, param := range t.Parameters {
		p.values[param.Name] = param.of(opt)
		if p.values[param.Name] == "" && param.Required {
			return nil, &Lacking{param.Name}
		}
	}
	var labels *yamlpos.Node
	if t.labels != nil {
		labels = p.copy(t.labels, 0)
	}
	var made []*yamlpos.Node
	for _, item := range items(t.objects) {
		literal := !strings.Contains(text(item.Get("metadata").Get("namespace")), "${")
		o := p.copy(item, 0)
		if literal {
			remove(o.Get("metadata"), "namespace")
		}
		addLabels(o, labels)
		made = append(made, o)
	}
	if p.failed != "" {
		return nil, errors.New(p.failed)
	}
	return made, nil
}

func (p Parameter) of(opt Options) string {
	if opt.Asked != nil {
		opt.Asked[p.Name] = true
	}
	given, ok := opt.Given[p.Name]
	switch {
	case ok:
		return given
	case p.Value != "":
		return p.Value
	case p.From != "" && opt.Generate != nil:
		return opt.Generate(p.From)
	}
	return ""
}

// Field is the value of a key, whichever way it is spelled: API servers take "Kind" for "kind".
func Field(n *yamlpos.Node, key string) *yamlpos.Node {
	if n == nil {
		return nil
	}
	for _, e := range n.Entries {
		if strings.EqualFold(e.Key, key) {
			return e.Value
		}
	}
	return nil
}

// text of a scalar; empty where there is none.
func text(n *yamlpos.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

func items(n *yamlpos.Node) []*yamlpos.Node {
	if n == nil {
		return nil
	}
	return n.Items
}
