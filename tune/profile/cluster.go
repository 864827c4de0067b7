package profile

import (
	"slices"
	"strconv"

	"plimsoll.dev/api/openshift"
)

// The states of a label of a node that are no value which anything asks for.
const (
	absent  = "\x00" // the node doesn't have the label
	unasked = "\x01" // any value that nothing asks for
)

// namedLabel is a label of nodes that items or pools name.
type namedLabel struct {
	key string
	// states that can make a difference: absent, unasked, and the values that are asked for.
	states []string
	// items that name the label, and whether pools do.
	items []int
	pool  bool
}

// The places of unasked and of the values among the states of a label.
const atUnasked, atValues = 1, 2

// values are those that are asked for.
func (l *namedLabel) values() []string { return l.states[atValues:] }

// state is the state of the label on a node.
func (l *namedLabel) state(labels map[string]string) string {
	value, ok := labels[l.key]
	switch {
	case !ok:
		return absent
	case !slices.Contains(l.values(), value):
		return unasked
	}
	return value
}

// set gives the label of a node a state.
func (l *namedLabel) set(labels map[string]string, state string) {
	if labels[l.key] = state; state == absent {
		delete(labels, l.key)
	}
}

// cluster is the recommend items with the nodes and pods that they choose among.
type cluster struct {
	in    *Input
	m     *merged
	pools *pools
	// labels of nodes that are named, in the order in which they are; byKey finds them.
	labels []*namedLabel
	byKey  map[string]*namedLabel
	// conditions on pods, in the order in which items name them, and the items that do.
	conditions []condition
	byPod      map[condition][]int
	// podLabels are the labels of pods that items name.
	podLabels map[string]bool
	// searched are the pools that nodes may get into, by the pools that they are in.
	searched map[poolSearch]Failed
	// byPool are the items with machineConfigLabels.
	byPool []int

	// nodes that count, as numbers of Input.Nodes; what the items see of each, and those
	// of its pods that have a named label.
	nodes []int
	views []view
	pods  [][]*Pod
	// strayPods are on nodes that are not among the nodes.
	strayPods int
}

func newCluster(in *Input) *cluster {
	c := &cluster{in: in, m: merge(in), byKey: map[string]*namedLabel{}, byPod: map[condition][]int{},
		podLabels: map[string]bool{}, searched: map[poolSearch]Failed{}}
	for i := range c.m.items {
		for _, w := range c.m.items[i].ways {
			c.name(i, w)
		}
	}
	c.pools = newPools(c, in.Pools, in.Release)
	for i := range c.m.items {
		if item := &c.m.items[i]; item.MachineConfigLabels != nil {
			item.pools = c.pools.taking(item.MachineConfigLabels)
			c.byPool = append(c.byPool, i)
		}
	}
	c.label(openshift.LabelWorker, "")
	c.label(openshift.LabelInfra, "")
	c.see()
	c.seePods()
	return c
}

// name enters what a way to match an item asks for.
func (c *cluster) name(item int, w way) {
	for _, asked := range w {
		if !asked.pod {
			l := c.label(asked.label)
			if !asked.anyValue {
				l = c.label(asked.label, asked.value)
			}
			l.items = withLast(l.items, item)
			continue
		}
		if c.byPod[asked] == nil {
			c.conditions = append(c.conditions, asked)
		}
		c.byPod[asked] = withLast(c.byPod[asked], item)
		c.podLabels[asked.label] = true
	}
}

// withLast appends an item that isn't the last already.
func withLast(items []int, item int) []int {
	if len(items) > 0 && items[len(items)-1] == item {
		return items
	}
	return append(items, item)
}

// label is a label of nodes, of which values are asked for.
func (c *cluster) label(key string, values ...string) *namedLabel {
	l := c.byKey[key]
	if l == nil {
		l = &namedLabel{key: key, states: []string{absent, unasked}}
		c.byKey[key], c.labels = l, append(c.labels, l)
	}
	for _, v := range values {
		if !slices.Contains(l.values(), v) {
			l.states = append(l.states, v)
		}
	}
	return l
}

// see takes the labels of all nodes that count.
func (c *cluster) see() {
	for i := range c.in.Nodes {
		if n := &c.in.Nodes[i]; n.counts(c.in.Release) {
			labels := map[string]string{}
			for key := range n.Labels {
				if l := c.byKey[key]; l != nil {
					labels[key] = l.state(n.Labels)
				}
			}
			c.nodes = append(c.nodes, i)
			c.views = append(c.views, view{labels: labels, pods: map[string]map[string]int{}, pools: c.pools.of(labels)})
		}
	}
}

// seePods finds the pods that have a label which items name. Without conditions on
// pods none is looked at.
func (c *cluster) seePods() {
	c.pods = make([][]*Pod, len(c.nodes))
	if len(c.podLabels) == 0 {
		return
	}
	numbers := make(map[string]int, len(c.in.Nodes))
	for i := range c.in.Nodes {
		numbers[c.in.Nodes[i].Name] = -1
	}
	for i, n := range c.nodes {
		numbers[c.in.Nodes[n].Name] = i
	}
	for j := range c.in.Pods {
		p := &c.in.Pods[j]
		i, ok := numbers[p.Node]
		if !ok && p.Node != "" {
			c.strayPods++
		}
		if !ok || i < 0 {
			continue
		}
		if labels := c.named(p); len(labels) > 0 {
			c.views[i].addPod(labels)
			c.pods[i] = append(c.pods[i], p)
		}
	}
}

// named are the labels of a pod that items name.
func (c *cluster) named(p *Pod) map[string]string {
	var out map[string]string
	for key, value := range p.Labels {
		if c.podLabels[key] {
			if out == nil {
				out = map[string]string{}
			}
			out[key] = value
		}
	}
	return out
}

// key tells apart what items and pools see of nodes.
func (c *cluster) key(v *view) string {
	var b []byte
	for _, l := range c.labels {
		b = strconv.AppendQuote(b, l.state(v.labels))
	}
	for _, asked := range c.conditions {
		b = strconv.AppendBool(b, v.holds(asked))
	}
	return string(b)
}

// next is the first item from i on that matches, or -1.
func (c *cluster) next(v *view, i int) int {
	for ; i < len(c.m.items); i++ {
		if c.m.items[i].matches(v) {
			return i
		}
	}
	return -1
}

// after is the item that wins after a change which concerns only these items, each
// list of them in order; winner is the one that won before.
func (c *cluster) after(v *view, winner int, concerned ...[]int) int {
	first := c.before(winner)
	for _, items := range concerned {
		for _, i := range items {
			if i >= first {
				break
			}
			if c.m.items[i].matches(v) {
				first = i
			}
		}
	}
	switch {
	case first < c.before(winner):
		return first
	case winner >= 0 && !c.m.items[winner].matches(v):
		return c.next(v, winner+1)
	}
	return winner
}

// before counts the items that come before the one that wins: all when none does.
func (c *cluster) before(winner int) int {
	if winner < 0 {
		return len(c.m.items)
	}
	return winner
}

// noMatch is the profile of a node that no item matches.
const noMatch = "openshift-node"

// profileOf is the profile that an item recommends; -1 is no item.
func (c *cluster) profileOf(item int) string {
	if item < 0 {
		return noMatch
	}
	return c.m.items[item].Profile
}
