package scenario

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/schema"
)

// validator checks what fields say about each other, on a scenario with its
// defaults.
type validator struct {
	*reader
	tree     *yamlpos.Tree
	s        *v1alpha1.Scenario
	problems yamlpos.Problems
}

// validate adds to the problems of decoding and returns all in order.
func (r *reader) validate(tree *yamlpos.Tree, s *v1alpha1.Scenario, problems yamlpos.Problems) yamlpos.Problems {
	v := &validator{reader: r, tree: tree, s: s, problems: problems}
	v.platform()
	for i := range s.Hardware.NodeTypes {
		v.nodeType(fmt.Sprintf("hardware.nodeTypes[%d]", i), &s.Hardware.NodeTypes[i])
	}
	v.prices()
	for i := range s.Hardware.Options {
		v.option(fmt.Sprintf("hardware.options[%d]", i), &s.Hardware.Options[i])
	}
	for i := range s.Workload.PodTypes {
		v.podType(fmt.Sprintf("workload.podTypes[%d]", i), &s.Workload.PodTypes[i])
	}
	for i := range s.Workload.DisruptionBudgets {
		v.budget(fmt.Sprintf("workload.disruptionBudgets[%d]", i), &s.Workload.DisruptionBudgets[i])
	}
	v.files()
	v.network()
	v.services()
	v.policy()
	v.scheduling()
	if s.Platform.Type == helion {
		v.cloud()
	}
	v.measurements()
	if v.filesExist {
		v.exist()
	}
	v.problems.Sort()
	return v.problems
}

// bad notes a problem of the field at path.
func (v *validator) bad(path, what, fix string) { v.problems.Add(v.tree.Problem(path, what, fix)) }

// good says that nothing is wrong so far with the fields at the paths, so that
// their values can be compared.
func (v *validator) good(paths ...string) bool {
	for _, p := range v.problems {
		for _, path := range paths {
			rest, below := strings.CutPrefix(p.Field, path)
			if below && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				return false
			}
		}
	}
	return true
}

// given says whether the file has the field.
func (v *validator) given(path string) bool { return v.tree.Has(path) }

// written is the scalar at path as it is written; empty when it isn't there.
func (v *validator) written(path string) string {
	if n := v.tree.Node(path); n != nil {
		return n.Text
	}
	return ""
}

// nodeTypeExists checks the name of a node type. While node types without a
// name are about, it takes any.
func (v *validator) nodeTypeExists(path, name string) bool {
	var known []string
	for _, t := range v.s.Hardware.NodeTypes {
		if t.Name == name || t.Name == "" {
			return true
		}
		known = append(known, t.Name)
	}
	fix := "known are " + yamlpos.Shorten(strings.Join(known, ", "))
	switch near := schema.Nearest(name, known); {
	case near != "":
		fix = "did you mean " + near + "?"
	case len(known) == 0:
		fix = "add it to hardware.nodeTypes"
	}
	v.bad(path, "there is no node type "+yamlpos.Quote(name), fix)
	return false
}
