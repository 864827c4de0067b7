package profile

import (
	"fmt"
	"strings"
)

// ties reports items of one priority that some node may match both: each item once,
// with those before it.
func (c *checker) ties(m *merged, items []Item) {
	if len(items) < 2 || items[0].Priority == nil {
		return
	}
	u := newUniverse()
	list := u.contenders(items)
	rivals := make([][]*Item, len(list))
	for j := range list {
		for i := range j {
			a, b := &list[i], &list[j]
			if a.Profile == b.Profile || !m.own(a.Item) && !m.own(b.Item) || !u.meet(a, b) {
				continue
			}
			if !m.own(b.Item) || a.CR != DefaultName && b.CR == DefaultName {
				rivals[i] = append(rivals[i], b.Item)
			} else {
				rivals[j] = append(rivals[j], a.Item)
			}
		}
	}
	for i := range list {
		if len(rivals[i]) > 0 {
			c.tie(m, list[i].Item, rivals[i])
		}
	}
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
	if !tieByName.In(c.era) {
		then = "on a node that both match, either may win"
		if len(rivals) > 1 {
			then = "on a node that several of them match, any may win"
		}
	}
	c.atItem(m, priorityTie, here, ".priority", fmt.Sprintf("priority %d is also that of %s: %s", *here.Priority, listed(names, "; "), then),
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
	if !tieByName.In(e.in.Era) {
		then = fmt.Sprintf("whether %s is chosen is left to chance", listed(profiles, " or "))
	}
	e.add(tieDecides, winner, classes, fmt.Sprintf("%s: %s%s match: %s", list(e.of(classes...)), match, withPriority(a), then), "give one of them another priority")
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
