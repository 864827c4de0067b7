package profile

import (
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/tune/pool"
)

// condition is what one match item asks for: a label of the node, or of any pod on it.
type condition struct {
	pod          bool
	label, value string
	// anyValue asks for the label alone.
	anyValue bool
}

func newCondition(m *openshift.TunedMatch) condition {
	c := condition{pod: isPod(m), label: *m.Label, anyValue: m.Value == nil}
	if m.Value != nil {
		c.value = *m.Value
	}
	return c
}

// wanted is the value that is asked for; nil asks for the label alone.
func (c condition) wanted() *string {
	if c.anyValue {
		return nil
	}
	return &c.value
}

// public is the condition as answers have it.
func (c condition) public() Condition {
	out := Condition{Type: "node", Label: c.label, Value: c.wanted()}
	if c.pod {
		out.Type = "pod"
	}
	return out
}

// onPod reports whether a pod must have the label.
func (c condition) onPod() bool { return c.pod }

// metBy reports whether a set of labels has what is asked for.
func (c condition) metBy(labels map[string]string) bool {
	value, ok := labels[c.label]
	return ok && (c.anyValue || value == c.value)
}

// excludes reports whether no node meets both conditions: a label of a node has one value.
func (c condition) excludes(o condition) bool {
	return !c.pod && !o.pod && c.label == o.label && !c.anyValue && !o.anyValue && c.value != o.value
}

// way is a way through a match tree from its root to a leaf: all its conditions must
// hold. A tree is the OR of its ways.
type way []condition

// findWays are the ways to match an item by its match tree. Without match, an item
// matches everything, unless it has machineConfigLabels.
func (i *Item) findWays() []way {
	switch list := i.recommend.Match; {
	case len(list) > 0:
		return waysBelow(nil, list, nil)
	case list != nil || i.MachineConfigLabels == nil:
		return []way{nil}
	}
	return nil
}

func waysBelow(above way, list []openshift.TunedMatch, out []way) []way {
	for n := range list {
		here := slices.Clip(above)
		if list[n].Label != nil {
			here = append(here, newCondition(&list[n]))
		}
		if len(list[n].Match) == 0 {
			out = append(out, here)
		} else {
			out = waysBelow(here, list[n].Match, out)
		}
	}
	return out
}

// excludes reports whether no node meets the conditions of both ways.
func (w way) excludes(o way) bool {
	return slices.ContainsFunc(w, func(c condition) bool { return slices.ContainsFunc(o, c.excludes) })
}

// impossible reports whether no node can meet all conditions.
func (w way) impossible() bool { return w.excludes(w) }

// view is what the recommend items see of a node.
type view struct {
	// labels of the node that anything names.
	labels map[string]string
	// pods on the node by label and value, as far as items name the label.
	pods map[string]map[string]int
	// pools of the node.
	pools *pool.Membership
}

func (v *view) holds(c condition) bool {
	switch {
	case !c.pod:
		return c.metBy(v.labels)
	case c.anyValue:
		return len(v.pods[c.label]) > 0
	}
	return v.pods[c.label][c.value] > 0
}

// addPod adds a pod with these labels.
func (v *view) addPod(labels map[string]string) {
	for key, value := range labels {
		if v.pods[key] == nil {
			v.pods[key] = map[string]int{}
		}
		v.pods[key][value]++
	}
}

// removePod takes a pod with these labels away.
func (v *view) removePod(labels map[string]string) {
	for key, value := range labels {
		if v.pods[key][value]--; v.pods[key][value] == 0 {
			delete(v.pods[key], value)
		}
	}
}

// firstWay is the number of the first way to match the item whose conditions hold, or -1.
func (i *Item) firstWay(v *view) int {
	return slices.IndexFunc(i.ways, func(w way) bool {
		for _, c := range w {
			if !v.holds(c) {
				return false
			}
		}
		return true
	})
}

// matches reports whether the item matches a node.
func (i *Item) matches(v *view) bool {
	return i.firstWay(v) >= 0 || slices.ContainsFunc(v.pools.Pools, i.takenBy)
}

// takenBy reports whether machineConfigLabels select a pool.
func (i *Item) takenBy(pool string) bool { return slices.Contains(i.pools, pool) }
