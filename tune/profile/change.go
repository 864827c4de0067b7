package profile

import "strings"

// What a change does.
const (
	Add    = "add"    // a label of the node that it doesn't have
	Alter  = "change" // the value of a label of the node
	Remove = "remove" // a label of the node
	Come   = "come"   // a pod on the node
	Go     = "go"     // a pod of the node
)

// Change is one thing that somebody may do to a node or that may happen on it.
type Change struct {
	// Do is add, change or remove for a label of the node, come or go for a pod.
	Do string `json:"do"`
	// Label of the node, and the Value that it gets; nil is any but those of Except.
	Label  string   `json:"label,omitempty"`
	Value  *string  `json:"value,omitempty"`
	Except []string `json:"except,omitempty"`
	// Pod are the labels that matter of the pod that comes or goes.
	Pod []PodLabel `json:"pod,omitempty"`
}

// PodLabel is a label of a pod; a nil value is any but those of Except.
type PodLabel struct {
	Label  string   `json:"label"`
	Value  *string  `json:"value,omitempty"`
	Except []string `json:"except,omitempty"`
}

// String is the change in words: "add the label hugepages=true".
func (c Change) String() string {
	switch c.Do {
	case Remove:
		return "remove the label " + c.Label
	case Come:
		return "a pod with the label" + podText(c.Pod) + " comes"
	case Go:
		return "the only pod with the label" + podText(c.Pod) + " goes"
	}
	verb := c.Do + " the label "
	if c.Do == Alter {
		verb = "change the label "
	}
	if c.Value == nil {
		return verb + c.Label + " (" + anyBut(c.Except) + ")"
	}
	return verb + labelText(c.Label, c.Value)
}

func podText(labels []PodLabel) string {
	parts := make([]string, len(labels))
	for i, l := range labels {
		parts[i] = labelText(l.Label, l.Value)
		if l.Value == nil && len(l.Except) > 0 {
			parts[i] += " (" + anyBut(l.Except) + ")"
		}
	}
	plural := ""
	if len(labels) > 1 {
		plural = "s"
	}
	return plural + " " + strings.Join(parts, " and ")
}

func anyBut(values []string) string {
	if len(values) == 0 {
		return "any value"
	}
	out := make([]string, len(values))
	for i, v := range values {
		if out[i] = v; v == "" {
			out[i] = `""`
		}
	}
	return "any value but " + strings.Join(out, ", ")
}

// relabel is the change of a node's label from one state to another. The values that
// anything asks for are not told where the new one is none of them.
func relabel(key, from, to string) Change {
	c := Change{Do: Alter, Label: key}
	switch {
	case to == absent:
		c.Do = Remove
	case from == absent:
		c.Do = Add
	}
	if to != absent && to != unasked {
		c.Value = &to
	}
	return c
}

// newPodLabel is the label by which a pod meets a condition.
func newPodLabel(c condition) PodLabel { return PodLabel{Label: c.label, Value: c.wanted()} }
