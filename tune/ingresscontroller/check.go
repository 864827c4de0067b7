package ingresscontroller

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/schema"
	"plimsoll.dev/tune/infra/placement"
)

// checker judges one IngressController.
type checker struct {
	*object.Object
	value   openshift.IngressController
	release release.Release
	found   []v1alpha1.Finding
}

// Check judges IngressControllers as a release would. How many nodes take their
// routers is an error when the objects have all nodes (placement.Cluster says when), and
// a warning when they have some.
func Check(objects []*object.Object, r release.Release) []v1alpha1.Finding {
	var list []*checker
	for _, o := range objects {
		if o.Kind != "IngressController" {
			continue
		}
		c := &checker{Object: o, release: r}
		c.decode()
		c.fields("spec", o.Tree.Node("spec"), specFields)
		c.placement()
		c.admitted()
		c.fixed()
		list = append(list, c)
	}
	domains(list)
	share(list, placement.ClusterOf(objects))
	var out []v1alpha1.Finding
	for _, c := range list {
		out = append(out, c.found...)
	}
	return out
}

// decode reads the value; fields that are not known are found by their tables.
func (c *checker) decode() {
	typed, found := object.Decode[openshift.IngressController](c.Object)
	c.value = typed.Value
	for _, f := range found {
		const p = "spec.nodePlacement."
		ours := strings.HasPrefix(f.Place.Field, "spec") && !strings.HasPrefix(f.Place.Field, p+"tolerations") &&
			!strings.HasPrefix(f.Place.Field, p+"nodeSelector.match")
		if f.ID == object.WrongType.ID || !ours {
			c.found = append(c.found, f)
		}
	}
}

// bad notes a finding at a field.
func (c *checker) bad(r object.Rule, path, what, fix string) {
	c.found = append(c.found, c.Finding(r, path, what, fix))
}

// when names the release in a sentence.
func (c *checker) when() string {
	if c.release.Minor() == release.Newest {
		return "today"
	}
	return "in " + c.release.String()
}

// fields notes the fields of a mapping that the release doesn't know.
func (c *checker) fields(path string, n *yamlpos.Node, fields []field) {
	if n == nil {
		return
	}
	for _, e := range n.Entries {
		at, f := path+"."+e.Key, find(fields, e.Key)
		switch {
		case f == nil:
			fix := "known are " + strings.Join(names(fields, c.release), ", ")
			if near := schema.Nearest(e.Key, names(fields, c.release)); near != "" {
				fix = "did you mean " + near + "?"
			}
			c.bad(unknownField, at, yamlpos.Shorten(e.Key)+" is no field of "+path+": it has no effect", fix)
		case !f.Has(c.release) && e.Key != "tuningOptions": // of which package router tells
			c.bad(otherRelease, at, fmt.Sprintf("%s is a field %s, and has no effect %s", e.Key, f.Span, c.when()), "remove it")
		}
	}
}

// placement judges where the routers are to run.
func (c *checker) placement() {
	p := c.value.Spec.NodePlacement
	if p == nil {
		return
	}
	const path = "spec.nodePlacement"
	c.fields(path, c.Tree.Node(path), placementFields)
	c.selector(path + ".nodeSelector")
	for i, t := range p.Tolerations {
		if field, what, fix := placement.Wrong(t); field != "" {
			c.bad(badToleration, fmt.Sprintf("%s.tolerations[%d].%s", path, i, field), what, fix)
		}
	}
}

// selector judges the node selector, which the operator turns into labels with one
// value each.
func (c *checker) selector(path string) {
	n := c.Tree.Node(path)
	if n == nil || n.Kind != yamlpos.Map {
		return
	}
	bare := 0
	for _, e := range n.Entries {
		if e.Key != "matchLabels" && e.Key != "matchExpressions" {
			bare++
			c.bad(bareLabels, path+"."+e.Key, fmt.Sprintf("the label %s stands in nodeSelector itself, where it has no effect",
				yamlpos.Shorten(e.Key)), "put it below matchLabels")
		}
	}
	labels, wrong := Labels(c.value.Spec.NodePlacement.NodeSelector)
	for _, i := range slices.Sorted(maps.Keys(wrong)) {
		what := wrong[i]
		c.bad(badSelector, fmt.Sprintf("%s.matchExpressions[%d]", path, i), what+": the operator refuses the selector and "+
			"leaves the routers as they are", "write labels with one value each below matchLabels")
	}
	if len(labels) == 0 && len(wrong) == 0 && bare == 0 {
		c.bad(anyNode, path, "the node selector is empty and replaces the default (Linux, worker): routers run on any node",
			"remove it, or write the label of the nodes below matchLabels")
	}
}

// Labels are what the operator makes of a node selector: labels with one value
// each. wrong has what it can't make into one, by the number of the expression. A
// selector replaces the default as a whole; nil is the default.
func Labels(s *openshift.LabelSelector) (labels map[string]string, wrong map[int]string) {
	if s == nil {
		return map[string]string{"kubernetes.io/os": "linux", openshift.LabelWorker: ""}, nil
	}
	labels, wrong = map[string]string{}, map[int]string{}
	maps.Copy(labels, s.MatchLabels)
	for i, x := range s.MatchExpressions {
		switch {
		case x.Operator != "In":
			wrong[i] = fmt.Sprintf("the operator %s of %s makes no label", x.Operator, x.Key)
		case len(x.Values) != 1:
			wrong[i] = fmt.Sprintf("%s of %s makes no label", words.Count(len(x.Values), "value", "values"), x.Key)
		default:
			labels[x.Key] = x.Values[0]
		}
	}
	return labels, wrong
}
