package template

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"plimsoll.dev/internal/yamlpos"
)

// process fills parameters in.
type process struct {
	values map[string]string
	grown  *int
	failed string // why the template can't be processed
}

var (
	textParameter = regexp.MustCompile(`\$\{([a-zA-Z0-9_]+)\}`)
	jsonParameter = regexp.MustCompile(`^\$\{\{([a-zA-Z0-9_]+)\}\}$`)
)

// copy is n with the parameters filled in.
func (p *process) copy(n *yamlpos.Node, depth int) *yamlpos.Node {
	out := &yamlpos.Node{Kind: n.Kind, Text: n.Text, Line: n.Line, Col: n.Col}
	if depth > maxDepth {
		p.failed = "the nesting is too deep"
	}
	if p.failed != "" {
		return out
	}
	switch n.Kind {
	case yamlpos.Text:
		return p.scalar(out)
	case yamlpos.List:
		for _, item := range n.Items {
			out.Items = append(out.Items, p.copy(item, depth+1))
		}
	case yamlpos.Map:
		for _, e := range n.Entries {
			e.Key, e.Value = p.text(e.Key), p.copy(e.Value, depth+1)
			out.Entries = append(out.Entries, e)
		}
	}
	return out
}

// scalar fills the text of n in: "${{NAME}}" alone becomes whatever JSON the value is, else its
// text; "${NAME}" becomes text.
func (p *process) scalar(n *yamlpos.Node) *yamlpos.Node {
	m := jsonParameter.FindStringSubmatch(n.Text)
	if m == nil {
		n.Text = p.text(n.Text)
		return n
	}
	given, ok := p.values[m[1]]
	if !ok {
		return n
	}
	p.grow(len(given))
	if jsontext.Value(given).IsValid() {
		if tree, problems := yamlpos.Parse("", []byte(given)); len(problems) == 0 {
			tree.Root.Move(n.Line, n.Col)
			return tree.Root
		}
	}
	n.Text = given
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
	if *p.grown += n; *p.grown > maxGrown {
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

// addLabels puts a template's labels on an object; on a DeploymentConfig also on its pods.
func addLabels(n, labels *yamlpos.Node) {
	if labels == nil || len(labels.Entries) == 0 || n.Kind != yamlpos.Map {
		return
	}
	on := []*yamlpos.Node{child(child(n, "metadata"), "labels")}
	if text(Field(n, "kind")) == "DeploymentConfig" {
		on = append(on, child(child(child(child(n, "spec"), "template"), "metadata"), "labels"))
	}
	for _, o := range on {
		for _, e := range labels.Entries {
			put(o, e.Key, e.Value)
		}
	}
}
