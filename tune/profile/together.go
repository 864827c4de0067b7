package profile

import (
	"fmt"
	"slices"

	"plimsoll.dev/object"
)

// together checks the CRs with each other, CR default included.
func (c *checker) together(m *merged) {
	for i := range m.items {
		c.undefined(m, &m.items[i])
		c.lacking(&m.items[i])
		c.bootArguments(m, &m.items[i])
		c.takers(m, &m.items[i])
	}
	c.priorities(m)
	for i := range m.definitions {
		c.duplicate(m, &m.definitions[i])
	}
}

// cr finds a CR by its name.
func (m *merged) cr(name string) *cr {
	i := slices.IndexFunc(m.crs, func(t *cr) bool { return t.Value.Metadata.Name == name })
	return m.crs[i]
}

// own says whether an item stands in the input.
func (m *merged) own(i *Item) bool { return i.CR != DefaultName || m.builtIn == "" }

func (c *checker) atItem(m *merged, r object.Rule, i *Item, field, what, fix string) {
	c.add(m.cr(i.CR), r, fmt.Sprintf("spec.recommend[%d]%s", i.Index, field), what, fix)
}

func (c *checker) undefined(m *merged, i *Item) {
	if m.own(i) && !c.known(i.Profile) {
		c.atItem(m, noDefinition, i, ".profile", "profile "+i.Profile+
			" is defined in no CR and not installed with TuneD: nodes keep their old settings",
			"define it, or correct the name")
	}
}

// priorities finds ties, and items that come after one that matches everything.
func (c *checker) priorities(m *merged) {
	var all *Item // the first item that matches every node
	for i := range m.items {
		item := &m.items[i]
		if all != nil && m.own(item) {
			c.atItem(m, neverReached, item, ".priority",
				fmt.Sprintf("the item is never reached: %s, profile %s%s, comes before and matches every node", all.Name(),
					all.Profile, withPriority(all)),
				"give it a smaller priority")
		}
		if all == nil && len(item.recommend.Match) == 0 && (item.recommend.Match != nil || item.MachineConfigLabels == nil) {
			all = item
			c.everyNode(m, i)
		}
	}
	for first := 0; first < len(m.items); {
		end := first + 1
		for end < len(m.items) && byPriority(m.items[first], m.items[end]) == 0 {
			end++
		}
		c.ties(m, m.items[first:end])
		first = end
	}
}

// everyNode tells of an item that matches every node, and comes before the one for the control plane.
func (c *checker) everyNode(m *merged, all int) {
	const masters = "openshift-control-plane"
	later := slices.ContainsFunc(m.items[all+1:], func(i Item) bool { return i.Profile == masters && !m.own(&i) })
	if later && m.own(&m.items[all]) && perNode.In(c.release) { // 4.3 can't be relied on to match labels
		c.atItem(m, everyNode, &m.items[all], "", "the item has no match and takes every node: those of the control plane "+
			"don't get profile "+masters+" any more", "match a label that only the nodes that are meant have")
	}
}

func withPriority(i *Item) string {
	if i.Priority == nil {
		return ""
	}
	return fmt.Sprintf(" (priority %d)", *i.Priority)
}

// duplicate reports a profile that is defined more than once.
func (c *checker) duplicate(m *merged, d *Definition) {
	if len(d.Others) == 0 {
		return
	}
	t := m.cr(d.CR)
	if d.CR == DefaultName && m.builtIn != "" {
		t = m.cr(d.Others[len(d.Others)-1])
	}
	path := "spec.profile"
	for i, p := range t.Value.Spec.Profile {
		if p.Name != nil && *p.Name == d.Name {
			path = fmt.Sprintf("spec.profile[%d]", i)
		}
	}
	also := fmt.Sprintf("profile %s is also defined in %s", d.Name, others(d, t.Value.Metadata.Name))
	switch {
	case !d.Conflict:
		c.add(t, duplicateSame, path, also+", with the same text", "keep one")
	case freezes.In(c.release):
		c.add(t, duplicate, path, also+" with another text: no node's profile is updated any more", "rename or remove one")
	default:
		c.add(t, duplicate, path, also+" with another text: which one counts is left to chance", "rename or remove one")
	}
}

// others are the CRs that define a profile beside one.
func others(d *Definition, but string) string {
	list := slices.DeleteFunc(append(slices.Clone(d.Others), d.CR), func(name string) bool { return name == but })
	if len(list) == 0 {
		return "the same CR"
	}
	slices.Sort(list)
	text := ""
	for i, name := range slices.Compact(list) {
		if i > 0 {
			text += ", "
		}
		text += "CR " + name
	}
	return text
}
