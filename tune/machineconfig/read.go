package machineconfig

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
)

// problem is what is wrong with a MachineConfig, at a field of the object.
type problem struct {
	rule *object.Rule
	path string
	what string
	fix  string
	// fatal problems keep the operator from rendering the pool.
	fatal bool
	// mild problems are warnings, whatever their rule says.
	mild bool
}

// reader reads JSON values and notes those of the wrong type.
type reader struct{ problems []problem }

func (r *reader) add(rule *object.Rule, path string, fatal bool, what, fix string) {
	r.problems = append(r.problems, problem{rule: rule, path: path, what: what, fix: fix, fatal: fatal})
}

// warn notes what the operator takes, and people may not mean.
func (r *reader) warn(rule *object.Rule, path, what, fix string) {
	r.problems = append(r.problems, problem{rule: rule, path: path, what: what, fix: fix, mild: true})
}

// node is a mapping at a path of the object. Ignition's own reader takes names of
// fields in any case; what is null is absent.
type node struct {
	r  *reader
	at string
	m  map[string]any
}

func (n node) get(key string) (any, string) {
	if v, ok := n.m[key]; ok {
		return v, n.at + "." + key
	}
	other := ""
	for k := range n.m {
		if strings.EqualFold(k, key) && (other == "" || k < other) {
			other = k
		}
	}
	if other != "" {
		return n.m[other], n.at + "." + other
	}
	return nil, n.at + "." + key
}

func (n node) has(key string) bool {
	v, _ := n.get(key)
	return v != nil
}

func (n node) wrong(path string, v any, want, fix string) {
	n.r.add(&wrongTypeRule, path, true, fmt.Sprintf("%s is %s, not %s", shown(v), kindOf(v), want), fix)
}

func (n node) text(key string) *string {
	v, path := n.get(key)
	if v == nil {
		return nil
	}
	s, ok := v.(string)
	if !ok {
		n.wrong(path, v, "text", "put it in quotes")
		return nil
	}
	return &s
}

func (n node) number(key string) *int64 {
	v, path := n.get(key)
	switch x := v.(type) {
	case nil:
		return nil
	case int64:
		return &x
	case float64:
		if i := int64(x); x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return &i
		}
	case string:
		n.wrong(path, v, "a number", "remove the quotes")
		return nil
	}
	n.wrong(path, v, "a whole number", "write a whole number")
	return nil
}

func (n node) flag(key string) *bool {
	v, path := n.get(key)
	if v == nil {
		return nil
	}
	b, ok := v.(bool)
	if !ok {
		n.wrong(path, v, "true or false", "write true or false, without quotes")
		return nil
	}
	return &b
}

// child is the mapping of a key; empty when there is none.
func (n node) child(key string) node {
	v, path := n.get(key)
	m, ok := v.(map[string]any)
	if v != nil && !ok {
		n.wrong(path, v, "a mapping", "write its fields below it")
	}
	return node{n.r, path, m}
}

// children are the mappings of a list.
func (n node) children(key string) []node {
	v, path := n.get(key)
	list, ok := v.([]any)
	if v != nil && !ok {
		n.wrong(path, v, "a list", "begin each item with a hyphen")
	}
	out := make([]node, 0, len(list))
	for i, item := range list {
		at := fmt.Sprintf("%s[%d]", path, i)
		m, ok := item.(map[string]any)
		if item != nil && !ok {
			n.wrong(at, item, "a mapping", "write its fields below the hyphen")
		}
		out = append(out, node{n.r, at, m})
	}
	return out
}

// kindOf names the type of a JSON value for people.
func kindOf(v any) string {
	switch v.(type) {
	case string:
		return yamlpos.Text.String()
	case bool:
		return yamlpos.Bool.String()
	case int64:
		return yamlpos.Int.String()
	case float64:
		return yamlpos.Float.String()
	case []any:
		return yamlpos.List.String()
	case map[string]any:
		return yamlpos.Map.String()
	}
	return yamlpos.Null.String()
}

// shown is a value in a sentence.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		return short(v)
	case []any, map[string]any:
		return "what stands here"
	default:
		return fmt.Sprint(v)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// value is what p points at, the zero value for nil.
func value[T any](p *T) T { return valueOr(p, *new(T)) }
