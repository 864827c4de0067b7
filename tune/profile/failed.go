package profile

import (
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/tune/pool"
)

// Failed is an item that didn't match, and the fewest changes that make it match.
type Failed struct {
	// Item is a number of Explanation.Items.
	Item int `json:"item"`
	// Changes that together make the item match; there is no smaller set.
	Changes []Change `json:"changes,omitempty"`
	// Never says that no change makes it match.
	Never bool `json:"never,omitempty"`
	// MoreThan is a number of changes that don't suffice, where the search for more was given up.
	MoreThan int `json:"moreThan,omitempty"`
}

// missing is what a way to match an item lacks on a node.
type missing struct {
	// labels of the node, one condition for each.
	labels []condition
	// pods that must come: one pod has one value for a label.
	pods [][]condition
}

func (m *missing) size() int { return len(m.labels) + len(m.pods) }

// missing is what a way lacks on a node. Where a value of a label is lacking, the label
// alone comes with it.
func (v *view) missing(w way) missing {
	var m missing
	for n, c := range w {
		if v.holds(c) || slices.Contains(w[:n], c) {
			continue
		}
		valued := func(o condition) bool { return o.pod == c.pod && o.label == c.label && !o.anyValue && !v.holds(o) }
		switch {
		case c.pod && (!c.anyValue || !slices.ContainsFunc(w, valued)):
			m.needPod(c)
		case !c.pod:
			m.needLabel(c)
		}
	}
	return m
}

// needPod adds a condition to the first new pod that has no such label.
func (m *missing) needPod(c condition) {
	same := func(o condition) bool { return o.label == c.label }
	i := slices.IndexFunc(m.pods, func(pod []condition) bool { return !slices.ContainsFunc(pod, same) })
	if i < 0 {
		i, m.pods = len(m.pods), append(m.pods, nil)
	}
	m.pods[i] = append(m.pods[i], c)
}

func (m *missing) needLabel(c condition) {
	i := slices.IndexFunc(m.labels, func(o condition) bool { return o.label == c.label })
	switch {
	case i < 0:
		m.labels = append(m.labels, c)
	case !c.anyValue:
		m.labels[i] = c
	}
}

// changes are what it takes to have what is missing.
func (c *cluster) changes(m *missing, v *view) []Change {
	out := make([]Change, 0, m.size())
	for _, asked := range m.labels {
		to := asked.value
		if asked.anyValue {
			to = unasked
		}
		out = append(out, relabel(asked.label, c.byKey[asked.label].state(v.labels), to))
	}
	for _, pod := range m.pods {
		change := Change{Do: Come}
		for _, asked := range pod {
			change.Pod = append(change.Pod, newPodLabel(asked))
		}
		out = append(out, change)
	}
	return out
}

// failed is what item i, which doesn't match a node, lacks.
func (c *cluster) failed(i int, v *view) Failed {
	item := &c.m.items[i]
	f, best := Failed{Item: i, Never: true}, missing{}
	for _, w := range item.ways {
		if w.impossible() {
			continue
		}
		if m := v.missing(w); f.Never || m.size() < best.size() {
			f.Never, best = false, m
		}
	}
	f.Changes = c.changes(&best, v)
	if item.MachineConfigLabels == nil || !f.Never && best.size() == 1 {
		return f
	}
	return fewer(f, c.intoPool(item.pools, v))
}

// fewer is the better of what a match tree and what machineConfigLabels lack.
func fewer(tree, pool Failed) Failed {
	pool.Item = tree.Item
	switch {
	case tree.Never, !pool.Never && pool.MoreThan == 0 && len(pool.Changes) < len(tree.Changes):
		return pool
	case pool.MoreThan > 0 && pool.MoreThan < len(tree.Changes)-1:
		tree.MoreThan = pool.MoreThan
	}
	return tree
}

// searchLimit is how many ways to label a node are tried to bring it into a pool.
const searchLimit = 20000

// poolSearch is the search for the fewest labels to change for a node to get into one
// of some pools.
type poolSearch struct {
	of     *pool.Membership
	wanted string
}

// intoPool finds the fewest labels to change for a node to get into one of some pools.
func (c *cluster) intoPool(wanted []string, v *view) Failed {
	key := poolSearch{v.pools, strings.Join(wanted, "\x00")}
	f, ok := c.searched[key]
	if !ok {
		t := trial{p: c.pools, wanted: wanted, from: v.labels, labels: maps.Clone(v.labels), left: searchLimit}
		f = t.search()
		c.searched[key] = f
	}
	return f
}

// trial tries ways to change the labels that pools name.
type trial struct {
	p            *pools
	wanted       []string
	from, labels map[string]string
	left         int
}

func (t *trial) search() Failed {
	for depth := 1; depth <= len(t.p.labels); depth++ {
		if t.change(0, depth) {
			return Failed{Changes: t.changes()}
		}
		if t.left <= 0 {
			return Failed{MoreThan: depth - 1}
		}
	}
	return Failed{Never: true}
}

// change changes depth labels from the at-th on, and reports whether the node is in
// one of the pools then.
func (t *trial) change(at, depth int) bool {
	if depth == 0 {
		t.left--
		return slices.ContainsFunc(t.p.of(t.labels).Pools, func(name string) bool { return slices.Contains(t.wanted, name) })
	}
	for i := at; i+depth <= len(t.p.labels) && t.left > 0; i++ {
		l := t.p.labels[i]
		from := l.state(t.from)
		for _, state := range l.states {
			if state == from {
				continue
			}
			if l.set(t.labels, state); t.change(i+1, depth-1) {
				return true
			}
		}
		l.set(t.labels, from)
	}
	return false
}

func (t *trial) changes() []Change {
	var out []Change
	for _, l := range t.p.labels {
		from, to := l.state(t.from), l.state(t.labels)
		if from == to {
			continue
		}
		c := relabel(l.key, from, to)
		if to == unasked {
			c.Except = l.values()
		}
		out = append(out, c)
	}
	return out
}
