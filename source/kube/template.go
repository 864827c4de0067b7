package kube

import (
	"errors"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/template"
)

// template processes an OpenShift template as "oc process" does and reads the objects that come of
// it. Where a value would be random, a stand-in of the same length that is always the same takes its place. In
// a snapshot nothing is made of it: what was, runs.
func (r *reader) template(o *object, depth int) {
	if r.live {
		r.skip(o.place(), o.title(), "what was made of it is counted as it runs")
		return
	}
	made, err := template.Read(treeOf(o.value, 0)).Process(template.Options{Given: r.set.Parameters, Asked: r.set.Asked,
		Generate: template.StandIn, Grown: &r.grown})
	if err != nil {
		r.lack(o.place(), o.title(), err.Error()+howParam(err))
		return
	}
	for _, t := range made {
		r.object(newTree(o.doc.file, t), "", depth+1)
	}
}

// howParam says how a parameter gets its value, where that is what is wrong.
func howParam(err error) string {
	var lacking *template.Lacking
	if !errors.As(err, &lacking) {
		return ""
	}
	return " (--param " + lacking.Parameter + "=VALUE gives it one)"
}

// deepest bounds the nesting of a template's objects.
const deepest = 1000

// treeOf copies v into a tree.
func treeOf(v value, depth int) *yamlpos.Node {
	if v.tree != nil {
		return v.tree
	}
	n := &yamlpos.Node{}
	n.Line, n.Col = v.position()
	switch kind := v.kind(); {
	case depth > deepest:
	case kind == scalar:
		n.Kind, n.Text = yamlpos.Text, v.text()
	case kind == list:
		n.Kind = yamlpos.List
		for item := range v.elems() {
			n.Items = append(n.Items, treeOf(item, depth+1))
		}
	case kind == mapping:
		n.Kind = yamlpos.Map
		for k, f := range v.fields() {
			n.Entries = append(n.Entries, yamlpos.Entry{Key: string(k), Value: treeOf(f, depth+1)})
		}
	}
	return n
}
