// Package object holds Kubernetes objects as they stand in files: what they are,
// their values as Go structs, and for each of their fields the line and column,
// so that a rule can point at what it finds.
//
// It reads texts that others opened, and asks no server. What a kind means is the
// business of the packages beside it.
//
//	objects, problems := object.Split("ingress.yaml", text)
//	tuneds, findings := object.All[openshift.Tuned](objects, "Tuned")
package object

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/strict"
	"plimsoll.dev/internal/yamlpos"
)

// Object is one Kubernetes object of a file.
type Object struct {
	// Tree has the object's mapping as its root, and positions of the whole file.
	Tree *yamlpos.Tree
	// APIVersion and Kind say what it is; Namespace and Name which one. They are
	// empty where the file has none.
	APIVersion, Kind, Namespace, Name string
}

// String is the kind and name of the object: "Tuned/ingress".
func (o *Object) String() string {
	if o.Name == "" {
		return o.Kind
	}
	return o.Kind + "/" + o.Name
}

// Rule is something that a check looks for.
type Rule struct {
	// ID is stable and dotted, the subject first: "profile.priorityTie".
	ID string
	// Severity of what it finds, unless the finding has its own.
	Severity v1alpha1.Severity
	// Title says in a sentence what is wrong: "two items with one priority match one node".
	Title string
	// Sources say so: a document's section, or the operator's own code.
	Sources []derive.Source
	// Effect is what it does to users, of rules about clusters that run: "new pods stay Pending".
	Effect string
	// Needs are the resources of a cluster without which nothing can be said: "nodes".
	Needs []string
	// About is the one of them of which there must be an object; empty where the rule says so by itself.
	About string
	// Within is the only namespace that the rule looks into; empty for any.
	Within string
}

// Finding is what a rule found at a field of the object, or at the nearest thing
// around it that stands in the file: "spec.recommend[0].priority"; empty is the
// object itself. what begins in lower case and has no full stop, as fix, which
// says what would be right.
func (o *Object) Finding(r Rule, path, what, fix string) v1alpha1.Finding {
	line, col := o.Tree.At(path)
	return v1alpha1.Finding{Severity: r.Severity, ID: r.ID, Message: what, Remedy: fix, Sources: r.Sources,
		Place: &v1alpha1.Place{File: o.Tree.Name, Line: line, Col: col, Object: o.String(), Field: path}}
}

// Typed is an object with its value.
type Typed[T any] struct {
	*Object
	Value T
}

// Decode fills a struct of package api/openshift. Fields that the struct doesn't
// have are warnings, but below metadata and status, and values of the wrong type
// errors, whose fields stay empty. A field that is null is not given: the API server
// drops it (Go programs write creationTimestamp: null).
func Decode[T any](o *Object) (Typed[T], []v1alpha1.Finding) {
	out := Typed[T]{Object: o}
	var found []v1alpha1.Finding
	note := func(r Rule, p yamlpos.Problem) {
		found = append(found, v1alpha1.Finding{Severity: r.Severity, ID: r.ID, Message: p.What, Remedy: p.Fix,
			Place: &v1alpha1.Place{File: p.File, Line: p.Line, Col: p.Col, Object: o.String(), Field: p.Field}})
	}
	d := strict.New[T](nil)
	d.NullIsAbsent = true
	d.Unknown = func(p yamlpos.Problem) {
		if !within(p.Field, "metadata") && !within(p.Field, "status") &&
			!(p.Field == "" && o.Tree.Has("status") && p.What == `unknown field "status"`) {
			note(UnknownField, p)
		}
	}
	for _, p := range d.Decode(o.Tree, &out.Value) {
		note(WrongType, p)
	}
	return out, found
}

// within says whether a path is the field name or below it.
func within(path, name string) bool {
	return len(path) >= len(name) && path[:len(name)] == name &&
		(len(path) == len(name) || path[len(name)] == '.' || path[len(name)] == '[')
}

// All decodes the objects of a kind, in their order.
func All[T any](objects []*Object, kind string) ([]Typed[T], []v1alpha1.Finding) {
	var out []Typed[T]
	var findings []v1alpha1.Finding
	for _, o := range objects {
		if o.Kind == kind {
			t, found := Decode[T](o)
			out, findings = append(out, t), append(findings, found...)
		}
	}
	return out, findings
}

// Values are the values of typed objects.
func Values[T any](list []Typed[T]) []T {
	out := make([]T, len(list))
	for i, t := range list {
		out[i] = t.Value
	}
	return out
}

// Sort orders findings by severity, the worst first, then by file and position.
func Sort(findings []v1alpha1.Finding) {
	slices.SortStableFunc(findings, compare)
}
