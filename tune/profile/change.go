package profile

import (
	"slices"
	"strings"
)

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

// lack is what a path lacks in a situation.
type lack struct {
	// labels of the node, one step a key.
	labels []step
	// pods are conditions that no pod meets; the key alone is not among them where a value is.
	pods []int32
	// needed pods: one pod has one value for a label.
	needed int
}

func (l *lack) size() int { return len(l.labels) + l.needed }

// lacks fills l with what a path lacks.
func (u *universe) lacks(p *path, s *situation, l *lack) {
	l.labels, l.pods, l.needed = l.labels[:0], l.pods[:0], 0
	for _, st := range p.steps {
		if s.holds(st) {
			continue
		}
		if st.pod {
			if !slices.Contains(l.pods, st.id) {
				l.pods = append(l.pods, st.id)
			}
			continue
		}
		same := func(o step) bool { return o.id == st.id }
		if at := slices.IndexFunc(l.labels, same); at < 0 {
			l.labels = append(l.labels, st)
		} else if st.state != other {
			l.labels[at] = st
		}
	}
	l.pods = slices.DeleteFunc(l.pods, func(c int32) bool { return u.pods[c].Value == nil && u.valued(u.pods[c].Label, l.pods) })
	for i, c := range l.pods {
		l.needed = max(l.needed, 1+u.before(c, l.pods[:i]))
	}
}

// valued says whether one of the conditions asks for a value of the label.
func (u *universe) valued(label string, conditions []int32) bool {
	return slices.ContainsFunc(conditions, func(c int32) bool { return u.pods[c].Label == label && u.pods[c].Value != nil })
}

// before counts the conditions on the label of c.
func (u *universe) before(c int32, conditions []int32) int {
	n := 0
	for _, o := range conditions {
		if u.pods[o].Label == u.pods[c].Label {
			n++
		}
	}
	return n
}

// changes are what it takes to have what is lacking.
func (u *universe) changes(l *lack, s *situation) []Change {
	out := make([]Change, 0, l.size())
	for _, st := range l.labels {
		out = append(out, u.labelled(st.id, s.node[st.id], st.state))
	}
	come := make([]Change, l.needed)
	for i, c := range l.pods {
		p := &come[u.before(c, l.pods[:i])]
		p.Do = Come
		p.Pod = append(p.Pod, PodLabel{Label: u.pods[c].Label, Value: u.pods[c].Value})
	}
	return append(out, come...)
}

// labelled is the change of a node's label from one state to another.
func (u *universe) labelled(k int32, from, to uint32) Change {
	c := Change{Do: Alter, Label: u.keys[k]}
	switch {
	case to == absent:
		c.Do = Remove
	case from == absent:
		c.Do = Add
	}
	if to >= firstValue {
		c.Value = &u.values[k][to-firstValue]
	}
	return c
}
