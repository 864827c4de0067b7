package profile

import (
	"plimsoll.dev/api/openshift"
)

// engine is a compiled set of CRs with the nodes and pods of a cluster.
type engine struct {
	in    *Input
	m     *merged
	u     *universe
	pools *pools
	trees []tree
	// byKey and byPod are the items that ask for a node label or a pod condition, in order;
	// byPool those with machineConfigLabels.
	byKey, byPod [][]int32
	byPool       []int32

	// nodes that count, as numbers of Input.Nodes, and what is seen of each.
	nodes []int32
	seen  []situation
	// The pods that meet any condition, those of nodes[i] from podFrom[i] to podFrom[i+1]:
	// pod is its number in Input.Pods, its conditions stand from meetsFrom[j] to
	// meetsFrom[j+1] in meets.
	podFrom   []int32
	pod       []int32
	meetsFrom []int32
	meets     []int32
	// strayPods are on nodes that are not among the nodes.
	strayPods int
}

func newEngine(in *Input) *engine {
	g := &engine{in: in, m: merge(in), u: newUniverse()}
	g.trees = make([]tree, len(g.m.items))
	for i := range g.m.items {
		g.trees[i] = g.u.compile(&g.m.items[i])
	}
	g.pools = newPools(g.u, in.Pools, in.Era)
	g.u.nodeValue(g.u.nodeKey(openshift.LabelWorker), "")
	g.u.nodeValue(g.u.nodeKey(openshift.LabelInfra), "")
	g.index()
	g.see()
	g.seePods()
	return g
}

// index finds items by what they ask for.
func (g *engine) index() {
	g.byKey, g.byPod = make([][]int32, len(g.u.keys)), make([][]int32, len(g.u.pods))
	for i := range g.trees {
		t := &g.trees[i]
		if labels := g.m.items[i].MachineConfigLabels; labels != nil {
			t.hits, t.hitSet = g.pools.hit(labels)
			g.byPool = append(g.byPool, int32(i))
		}
		for _, k := range t.keys {
			g.byKey[k] = append(g.byKey[k], int32(i))
		}
		for _, p := range t.pods {
			g.byPod[p] = append(g.byPod[p], int32(i))
		}
	}
}

// see takes the labels of all nodes that count.
func (g *engine) see() {
	for i := range g.in.Nodes {
		if g.in.Nodes[i].counts(g.in.basis()) {
			g.nodes = append(g.nodes, int32(i))
		}
	}
	keys, words := len(g.u.keys), (len(g.u.pods)+63)/64
	states, bits := make([]uint32, len(g.nodes)*keys), make([]uint64, len(g.nodes)*words)
	g.seen = make([]situation, len(g.nodes))
	for i, n := range g.nodes {
		s := &g.seen[i]
		s.node, s.pods = states[i*keys:(i+1)*keys:(i+1)*keys], bits[i*words:(i+1)*words:(i+1)*words]
		g.label(s.node, g.in.Nodes[n].Labels)
		s.member = g.pools.of(s.node)
	}
}

// label enters labels into a state.
func (g *engine) label(node []uint32, labels map[string]string) {
	for key, value := range labels {
		if k, ok := g.u.key[key]; ok {
			node[k] = g.u.stateOf(k, value)
		}
	}
}

// seePods finds the pods that meet conditions, and sorts them by node. Without
// conditions on pods none is looked at.
func (g *engine) seePods() {
	g.podFrom = make([]int32, len(g.nodes)+1)
	if len(g.u.pods) == 0 {
		return
	}
	numbers := make(map[string]int32, len(g.in.Nodes))
	for i := range g.in.Nodes {
		numbers[g.in.Nodes[i].Name] = -1
	}
	for i, n := range g.nodes {
		numbers[g.in.Nodes[n].Name] = int32(i)
	}
	var on, found []int32 // node and pod, in the order of the pods
	var from, meets []int32
	for i := range g.in.Pods {
		p := &g.in.Pods[i]
		n, ok := numbers[p.Node]
		if !ok && p.Node != "" {
			g.strayPods++
		}
		if !ok || n < 0 {
			continue
		}
		before := len(meets)
		if meets = g.u.met(p.Labels, meets); len(meets) > before {
			on, found, from = append(on, n), append(found, int32(i)), append(from, int32(before))
			g.podFrom[n+1]++
			g.meet(n, meets[before:])
		}
	}
	g.sortPods(on, found, append(from, int32(len(meets))), meets)
}

// meet enters conditions that a pod of a node meets.
func (g *engine) meet(n int32, conditions []int32) {
	for _, c := range conditions {
		g.seen[n].pods[c>>6] |= 1 << (c & 63)
	}
}

// sortPods orders pods by their node, keeping their order on each.
func (g *engine) sortPods(on, found, from, meets []int32) {
	for i := range g.nodes {
		g.podFrom[i+1] += g.podFrom[i]
	}
	next := append([]int32(nil), g.podFrom...)
	place := make([]int32, len(on))
	for j, n := range on {
		place[next[n]] = int32(j)
		next[n]++
	}
	g.pod, g.meetsFrom, g.meets = make([]int32, len(on)), make([]int32, len(on)+1), make([]int32, 0, len(meets))
	for at, j := range place {
		g.pod[at] = found[j]
		g.meets = append(g.meets, meets[from[j]:from[j+1]]...)
		g.meetsFrom[at+1] = int32(len(g.meets))
	}
}

// met appends the conditions that a pod with these labels meets.
func (u *universe) met(labels map[string]string, out []int32) []int32 {
	if len(u.byLabel) < len(labels) {
		for key, l := range u.byLabel {
			if value, ok := labels[key]; ok {
				out = l.met(value, out)
			}
		}
		return out
	}
	for key, value := range labels {
		if l := u.byLabel[key]; l != nil {
			out = l.met(value, out)
		}
	}
	return out
}

func (l *podLabel) met(value string, out []int32) []int32 {
	if l.present >= 0 {
		out = append(out, l.present)
	}
	if id, ok := l.values[value]; ok {
		out = append(out, id)
	}
	return out
}

// next is the first item from i on that matches, or -1.
func (g *engine) next(s *situation, i int) int {
	for ; i < len(g.trees); i++ {
		if g.trees[i].matches(s) {
			return i
		}
	}
	return -1
}

// noMatch is the profile of a node that no item matches.
const noMatch = "openshift-node"

// profileOf is the profile that an item recommends; -1 is no item.
func (g *engine) profileOf(item int) string {
	if item < 0 {
		return noMatch
	}
	return g.m.items[item].Profile
}
