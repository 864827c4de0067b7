// Package crd says what the API server refuses of the kinds that packages of tune read: values that the definition of
// the kind in a release doesn't allow, by its structure and by its rules in CEL, and names that no object can have.
//
// It judges what is created from a file: status is dropped then, and rules about a change don't apply. What an operator
// makes of what was taken is the business of the packages beside it. The facts in data/ are written by tools/crdgen.
//
//	found := crd.Check(objects, release.V45)
package crd

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/memo"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// Check judges objects of the kinds that it knows. A FeatureGate among them says which feature set the cluster has.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	set := ""
	for _, o := range objects {
		if n := o.Tree.Node("spec.featureSet"); o.Kind == "FeatureGate" && n != nil {
			set = n.Text
		}
	}
	var out []v1alpha1.Finding
	for _, o := range objects {
		out = append(out, Validate(o, r, set)...)
	}
	return out
}

// Validate judges one object, as the API server of a release does with a feature set; "" is the default one.
func Validate(o *object.Object, r release.Release, set string) []v1alpha1.Finding {
	k := kinds(o.Kind)
	if k == nil || o.Tree.Root.Kind != yamlpos.Map {
		return nil
	}
	v := &validator{object: o, kind: k, release: r, schema: k.in(r, set)}
	v.name()
	v.run()
	return v.found
}

// validator judges one object.
type validator struct {
	object  *object.Object
	kind    *kind
	release release.Release
	schema  *schema
	found   []v1alpha1.Finding
	// blocked is set by what keeps the API server from evaluating rules.
	blocked bool
}

func (v *validator) bad(r object.Rule, at *yamlpos.Node, path, what, fix string) {
	v.found = append(v.found, v.object.Finding(r, path, what, fix))
	place := v.found[len(v.found)-1].Place
	place.Line, place.Col = at.Line, at.Col
}

// refused ends what is wrong.
const refused = ": the API server refuses the object"

// name judges what the API server asks of the name of any object. Nothing is said of a name that isn't there, of which
// package check tells.
func (v *validator) name() {
	meta := v.object.Tree.Root.Get("metadata")
	n := meta.Get("name")
	if n == nil || n.Kind == yamlpos.List || n.Kind == yamlpos.Map {
		return
	}
	if wrong := validation.IsDNS1123Subdomain(n.Text); len(wrong) > 0 {
		v.bad(badName, n, "metadata.name", fmt.Sprintf("%s can't be the name of an object", yamlpos.Shorten(n.Text))+refused,
			objectName)
	}
}

// run judges the fields below the object itself.
func (v *validator) run() {
	root := *v.object.Tree.Root
	root.Entries = nil
	for _, e := range v.object.Tree.Root.Entries {
		if !slices.Contains([]string{"apiVersion", "kind", "metadata", "status"}, e.Key) {
			root.Entries = append(root.Entries, e)
		}
	}
	tree := v.prepare(&root, v.schema, "", v.schema.PreserveAll)
	v.check(tree, v.schema, "")
	if v.blocked {
		return
	}
	tree.Entries = append(tree.Entries, yamlpos.Entry{Key: "metadata", Value: v.metadata()})
	v.rules(tree, v.schema, "")
}

// metadata is the part of it that rules see: the name, and where the API server makes it, one as long.
func (v *validator) metadata() *yamlpos.Node {
	name := v.object.Name
	if n := v.object.Tree.Node("metadata.generateName"); name == "" && n != nil {
		name = n.Text + "12345"
	}
	return &yamlpos.Node{Kind: yamlpos.Map, Entries: []yamlpos.Entry{
		{Key: "name", Value: &yamlpos.Node{Kind: yamlpos.Text, Text: name}}}}
}

// join is the path of a field.
func join(path, field string) string {
	if path == "" {
		return field
	}
	return path + "." + field
}

// patterns are the compiled patterns.
var patterns = memo.Once(func(text string) *regexp.Regexp {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	return re
})

// within says whether a value holds a word, without regard to case.
func within(list []string, word string) bool {
	for _, w := range list {
		if strings.EqualFold(w, word) {
			return true
		}
	}
	return false
}
