package schedulertest

import (
	"slices"

	"plimsoll.dev/place/scheduler"
)

// events let a pod leave before one arrival in five; now and then a node comes,
// goes, is cordoned or freed again. The last node stays.
func (g *generator) events(arrivals int) []Event {
	var out []Event
	var live []int
	for i := range g.Nodes {
		live = append(live, i)
	}
	all := g.Nodes
	for before := 1; before < arrivals; before++ {
		if g.one(5) {
			pod := g.IntN(before)
			out = append(out, Event{Before: before, Leave: &pod})
		}
		if g.one(60) {
			i := g.IntN(len(live))
			node := live[i]
			switch {
			case g.one(2):
				out = append(out, pick(g, Event{Before: before, Cordon: &node}, Event{Before: before, Uncordon: &node}))
			case g.one(2):
				added := g.node(all)
				out = append(out, Event{Before: before, Add: &added})
				live = append(live, all)
				all++
			case len(live) > 1:
				out = append(out, Event{Before: before, Remove: &node})
				live = slices.Delete(live, i, i+1)
			}
		}
	}
	return out
}

// node number i, of any kind.
func (g *generator) node(i int) scheduler.Node { return g.nodeOf(i, pick(g, g.kinds...)) }
