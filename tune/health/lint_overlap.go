package health

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/selector"
)

type typedCheck = object.Typed[openshift.MachineHealthCheck]

// overlaps finds checks that cover what checks before them cover: machines that are
// told, or, without any, because one selector asks for no more than the other.
func overlaps(list []typedCheck, machines pool) []v1alpha1.Finding {
	list = slices.DeleteFunc(slices.Clone(list),
		func(c typedCheck) bool { return selector.Wrong(&c.Value.Spec.Selector) != "" })
	if machines.empty() {
		return sameSelectors(list)
	}
	return sameMachines(list, machines)
}

// sameMachines finds checks that select the same machines, in one pass over what each
// of them selects.
func sameMachines(list []typedCheck, machines pool) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	covered := make([]big.Int, len(machines.machines)) // by which of the checks so far, a bit each
	for j := range list {
		var others big.Int
		var both []string
		selected, _, _ := machines.selected(&list[j].Value)
		for _, m := range selected {
			if covered[m].Sign() > 0 {
				others.Or(&others, &covered[m])
				both = append(both, machines.machines[m].Metadata.Name)
			}
			covered[m].SetBit(&covered[m], j, 1)
		}
		if len(both) > 0 {
			var rivals crowd
			for i := range j {
				if others.Bit(i) == 1 {
					rivals.add(list[i].Value.Metadata.Name)
				}
			}
			out = append(out, overlapping(&list[j], few(both)+", which ", ", too", rivals))
		}
	}
	return out
}

// sameSelectors finds checks of which one certainly covers all that the other does.
// Those of one selector are compared once.
func sameSelectors(list []typedCheck) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	var groups []*group
	known := map[string]*group{}
	for j := range list {
		b := &list[j].Value
		key := b.Metadata.Namespace + "\n" + selectorText(&b.Spec.Selector)
		g := known[key]
		if g == nil {
			g = newGroup(b, groups)
			groups, known[key] = append(groups, g), g
		}
		if wider := membersOf(g.wider); wider.count > 0 {
			out = append(out, overlapping(&list[j], selectorText(&b.Spec.Selector)+", which ", ", too", wider))
		}
		if narrower := membersOf(g.narrower); narrower.count > 0 {
			out = append(out, overlapping(&list[j], "all that ", ", and more", narrower))
		}
		g.members.add(b.Metadata.Name)
	}
	return out
}

// group is the checks of one selector and namespace, and the groups that cover at least
// what it does, itself the first, and those that cover less.
type group struct {
	namespace       string
	selector        *openshift.LabelSelector
	members         crowd
	wider, narrower []*group
}

// newGroup compares a selector with those before it.
func newGroup(c *openshift.MachineHealthCheck, before []*group) *group {
	g := &group{namespace: c.Metadata.Namespace, selector: &c.Spec.Selector}
	g.wider = []*group{g}
	for _, o := range before {
		switch {
		case o.namespace != g.namespace:
		case covers(o.selector, g.selector):
			g.wider, o.narrower = append(g.wider, o), append(o.narrower, g)
		case covers(g.selector, o.selector):
			g.narrower, o.wider = append(g.narrower, o), append(o.wider, g)
		}
	}
	return g
}

// crowd is a number of checks, of which the first are named.
type crowd struct {
	names []string
	count int
}

// mostNames is the number of checks that a finding names.
const mostNames = 4

func (c *crowd) add(names ...string) {
	c.names = append(c.names, names[:min(len(names), mostNames-len(c.names))]...)
	c.count += len(names)
}

func membersOf(groups []*group) crowd {
	var out crowd
	for _, g := range groups {
		out.add(g.members.names...)
		out.count += g.members.count - len(g.members.names)
	}
	return out
}

// String is "check a covers", "checks a, b and 3 more cover".
func (c crowd) String() string {
	switch {
	case c.count == 1:
		return "check " + c.names[0] + " covers"
	case c.count > len(c.names):
		return fmt.Sprintf("checks %s and %d more cover", strings.Join(c.names, ", "), c.count-len(c.names))
	}
	return "checks " + strings.Join(c.names, ", ") + " cover"
}

// overlapping tells what a check covers that others cover, too: these stand between
// the first words and the last.
func overlapping(c *typedCheck, first, last string, others crowd) v1alpha1.Finding {
	end := "the other"
	if others.count > 1 {
		end = "the others"
	}
	return c.Finding(overlap, "spec.selector", fmt.Sprintf("check %s covers %s%s%s: each counts and deletes without %s",
		c.Value.Metadata.Name, first, others, last, end), "give each machine one check")
}
