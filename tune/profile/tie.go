package profile

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
)

// ties reports items of one priority that some node may match both: each item once,
// with those before it.
func (c *checker) ties(m *merged, items []Item) {
	if len(items) < 2 || items[0].Priority == nil {
		return
	}
	rivals := make([][]*Item, len(items))
	for j := range items {
		for i := range j {
			a, b := &items[i], &items[j]
			if a.Profile == b.Profile || !m.own(a) && !m.own(b) || !mayMeet(a, b) {
				continue
			}
			if !m.own(b) || a.CR != DefaultName && b.CR == DefaultName {
				rivals[i] = append(rivals[i], b)
			} else {
				rivals[j] = append(rivals[j], a)
			}
		}
	}
	for i := range items {
		if len(rivals[i]) > 0 {
			c.tie(m, &items[i], rivals[i])
		}
	}
}

// alternative is one way to match an item: through its match tree, or by its pool.
type alternative struct {
	way
	byPool bool
	// role of the pool that it asks for; empty where it may be any.
	role string
}

// controlPlane is the role of the pool of the control plane.
const controlPlane = "master"

// alternatives are the ways to match an item. A pool's role is that for which it stands
// by convention.
func (i *Item) alternatives() []alternative {
	var out []alternative
	for _, w := range i.ways {
		if w.impossible() {
			continue
		}
		a := alternative{way: w}
		if slices.ContainsFunc(w, condition.onControlPlane) {
			a.role = controlPlane
		}
		out = append(out, a)
	}
	if i.MachineConfigLabels != nil {
		out = append(out, alternative{byPool: true, role: i.MachineConfigLabels[openshift.LabelRole]})
	}
	return out
}

// onControlPlane reports whether only nodes of the control plane have the label.
func (c condition) onControlPlane() bool {
	return !c.pod && (c.label == openshift.LabelMaster || c.label == roleLabel+"control-plane")
}

// mayMeet reports whether some node may match both items, as far as the items tell.
func mayMeet(a, b *Item) bool {
	for _, p := range a.alternatives() {
		if slices.ContainsFunc(b.alternatives(), p.mayMeet) {
			return true
		}
	}
	return false
}

// mayMeet reports whether a node may match both ways: a node of the control plane is in
// no other pool, and a custom pool takes what worker takes as well.
func (a alternative) mayMeet(b alternative) bool {
	switch {
	case a.excludes(b.way):
		return false
	case a.role == "" || b.role == "" || a.role == b.role:
		return true
	case !a.byPool || !b.byPool || a.role == controlPlane || b.role == controlPlane:
		return false
	}
	return a.role == "worker" || b.role == "worker"
}

// tie reports an item at which others have its priority.
func (c *checker) tie(m *merged, here *Item, rivals []*Item) {
	names := make([]string, len(rivals))
	for i, r := range rivals {
		names[i] = r.Name() + ", profile " + r.Profile
	}
	then := "on a node that several of them match, the first by the name of its CR and its place in it wins"
	if len(rivals) == 1 {
		first, second := rivals[0], here
		if byName(here, rivals[0]) {
			first, second = here, rivals[0]
		}
		then = fmt.Sprintf("on a node that both match, %s wins by %s", first.Name(), decidedBy(first, second))
	}
	if !tieByName.In(c.release) {
		then = "on a node that both match, either may win"
		if len(rivals) > 1 {
			then = "on a node that several of them match, any may win"
		}
	}
	c.atItem(m, priorityTie, here, ".priority",
		fmt.Sprintf("priority %d is also that of %s: %s", *here.Priority, listed(names, "; "), then),
		"take a priority that no other item has")
}

// byName says whether an item is before another of its priority.
func byName(a, b *Item) bool { return a.CR < b.CR || a.CR == b.CR && a.Index < b.Index }

// decidedBy says what decides between two items of one priority where chance doesn't.
func decidedBy(a, b *Item) string {
	if a.CR == b.CR {
		return "its place in the CR"
	}
	return "the name of its CR"
}

// judgeTies finds items of which the order decides, for the nodes that match the same
// ones: each item that wins once.
func (e *explainer) judgeTies() {
	type winner struct {
		item    int
		classes string
	}
	var wins []winner
	rivals, classes := map[winner][]int{}, map[winner][]int{}
	for _, p := range e.tied() {
		w := winner{p.a, fmt.Sprint(p.classes)}
		if rivals[w] == nil {
			wins = append(wins, w)
		}
		rivals[w], classes[w] = append(rivals[w], p.b), p.classes
	}
	for _, w := range wins {
		e.judgeTie(w.item, rivals[w], classes[w])
	}
}

// tiedPair is two items of one priority that nodes match both, of which the first wins.
type tiedPair struct {
	a, b    int
	classes []int
}

// tied are the pairs, in the order in which nodes match them.
func (e *explainer) tied() []tiedPair {
	var out []tiedPair
	at := map[[2]int]int{}
	for i := range e.x.Classes {
		for _, j := range e.x.Classes[i].Ties {
			key := [2]int{e.x.Classes[i].winner, j}
			n, ok := at[key]
			if !ok {
				n, at[key] = len(out), len(out)
				out = append(out, tiedPair{a: key[0], b: key[1]})
			}
			out[n].classes = append(out[n].classes, i)
		}
	}
	return out
}

func (e *explainer) judgeTie(winner int, rivals, classes []int) {
	a, b := &e.x.Items[winner], &e.x.Items[rivals[0]]
	items, profiles := []string{a.Name()}, []string{a.Profile}
	for _, r := range rivals {
		items, profiles = append(items, e.x.Items[r].Name()), append(profiles, e.x.Items[r].Profile)
	}
	match, then := "both "+items[0]+" and "+items[1], decidedBy(a, b)
	if len(rivals) > 1 {
		match, then = "all of "+listed(items, ", "), "the name of its CR and its place in it"
	}
	then = a.Name() + " wins by " + then
	if !tieByName.In(e.in.Release) {
		then = fmt.Sprintf("whether %s is chosen is left to chance", listed(profiles, " or "))
	}
	e.add(tieDecides, winner, classes, fmt.Sprintf("%s: %s%s match: %s", list(e.of(classes...)), match, withPriority(a),
		then), "give one of them another priority")
}

// listed names a few things, each once and in the order in which they come first, and
// counts the rest.
func listed(names []string, between string) string {
	const shown = 3
	seen := make(map[string]bool, len(names))
	var once []string
	for _, name := range names {
		if !seen[name] {
			seen[name], once = true, append(once, name)
		}
	}
	if len(once) <= shown+1 {
		return strings.Join(once, between)
	}
	return fmt.Sprintf("%s and %d more", strings.Join(once[:shown], between), len(once)-shown)
}
