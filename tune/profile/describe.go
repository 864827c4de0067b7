package profile

import (
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// describe is what an item asks for, on one line: "pod label a=1 and (node label b or node label c)".
func describe(r *openshift.TunedRecommend, of release.Release) string {
	labels := r.MachineConfigLabels
	if !labelsKnown.In(of) {
		labels = nil
	}
	tree := "every node"
	if len(r.Match) > 0 {
		tree = either(r.Match)
	}
	switch {
	case labels == nil:
		return tree
	case r.Match == nil:
		return "a pool that takes MachineConfigs with " + pairs(labels)
	}
	return tree + " or a pool that takes MachineConfigs with " + pairs(labels)
}

func either(list []openshift.TunedMatch) string {
	parts := make([]string, len(list))
	for i := range list {
		m := &list[i]
		parts[i] = conditionOf(m).String()
		if len(m.Match) > 0 {
			inner := either(m.Match)
			if len(m.Match) > 1 {
				inner = "(" + inner + ")"
			}
			parts[i] += " and " + inner
		}
	}
	return strings.Join(parts, " or ")
}

// pairs are labels in the order of their keys: "a=1,b=2".
func pairs(labels map[string]string) string {
	if len(labels) == 0 {
		return "no labels"
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(key + "=" + labels[key])
	}
	return b.String()
}

// Condition is what one match item asks for by itself.
type Condition struct {
	// Type is "node", "pod", or "any" for an item without a label, which always holds.
	Type  string `json:"type"`
	Label string `json:"label,omitempty"`
	// Value that is asked for; nil asks for the key alone.
	Value *string `json:"value,omitempty"`
}

func conditionOf(m *openshift.TunedMatch) Condition {
	c := Condition{Type: "node", Value: m.Value}
	if m.Label == nil {
		return Condition{Type: "any"}
	}
	if isPod(m) {
		c.Type = "pod"
	}
	c.Label = *m.Label
	return c
}

// isPod says whether an item looks at pods: only if its own type says so.
func isPod(m *openshift.TunedMatch) bool { return m.Type != nil && *m.Type == "pod" }

// String is the condition in words: "node label infra", `pod label a=""`.
func (c Condition) String() string {
	if c.Type == "any" {
		return "anything"
	}
	return c.Type + " label " + labelText(c.Label, c.Value)
}

// labelText writes a label as people set it; an empty value is written out.
func labelText(key string, value *string) string {
	switch {
	case value == nil:
		return key
	case *value == "":
		return key + `=""`
	}
	return key + "=" + *value
}
