package place

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/whatif"
)

// alike groups nodes that are equal in all that counts: type, place and pods, what
// the pods think of their labels and taints, and what their kubelet has given out.
// Losing one or another of a group is the same case.
func (r *run) alike() [][]int {
	keys := r.topologyKeys()
	machines := map[*kubelet.Node]string{} // nodes without pods have the same
	return whatif.Groups(len(r.c.Nodes), func(i int) string {
		key := r.nodeKey(r.node(i)) + fmt.Sprint(r.s.Opinions(i))
		if k := r.kubelets[i]; k != nil {
			if machines[k] == "" {
				machines[k] = machineKey(k)
			}
			key += machines[k]
		}
		for _, label := range keys {
			value, ok := r.c.Nodes[i].Labels[label]
			key += fmt.Sprintf("%t%q", ok, value)
		}
		return key
	})
}

// topologyKeys are the labels that pods spread over or gather by, but that of the
// single node.
func (r *run) topologyKeys() []string {
	var keys []string
	for _, k := range r.c.Kinds {
		for _, s := range k.Pod.TopologySpreadConstraints {
			keys = append(keys, s.TopologyKey)
		}
		if k.Pod.Affinity == nil {
			continue
		}
		for _, a := range []*v1alpha1.PodAffinity{k.Pod.Affinity.PodAffinity,
			(*v1alpha1.PodAffinity)(k.Pod.Affinity.PodAntiAffinity)} {
			if a == nil {
				continue
			}
			for _, t := range a.Required {
				keys = append(keys, t.TopologyKey)
			}
			for _, t := range a.Preferred {
				keys = append(keys, t.PodAffinityTerm.TopologyKey)
			}
		}
	}
	slices.Sort(keys)
	return slices.DeleteFunc(slices.Compact(keys), func(k string) bool { return k == "kubernetes.io/hostname" })
}

// machineKey is equal for kubelets that have given out the same to the same kinds of pod.
func machineKey(k *kubelet.Node) string {
	m := k.Map()
	for i := range m.Owners {
		o := &m.Owners[i]
		o.Pod = o.Pod[:strings.LastIndexByte(o.Pod, '-')+1]
	}
	return fmt.Sprint(m)
}

// failing is one case for each way to take k nodes, and how many there are; of very many
// a sample, of which the first are those that take every node from the pods of a kind.
// Where one failure ends the search, the worst come first.
func (r *run) failing(k int, worst bool) (cases []whatif.Case, all int64) {
	var homes []home
	sorted := func(groups [][]int) [][]int {
		homes = r.homes(k)
		return r.worstFirst(groups, homes)
	}
	groups := r.alike()
	if worst {
		groups, sorted = sorted(groups), func(groups [][]int) [][]int { return groups }
	}
	cases, all = whatif.Sample(groups, k, sorted)
	if all <= whatif.MostCases {
		return cases, all
	}
	var scarce []whatif.Case
	for kind, h := range homes {
		if r.placed[kind] > 0 && !r.stays(kind) && h.count <= k {
			scarce = append(scarce, whatif.Case{Nodes: filled(h.nodes, k, cases[0].Nodes), Of: 1})
		}
	}
	slices.SortFunc(scarce, func(a, b whatif.Case) int { return slices.Compare(a.Nodes, b.Nodes) })
	scarce = slices.CompactFunc(scarce, func(a, b whatif.Case) bool { return slices.Equal(a.Nodes, b.Nodes) })
	return append(scarce, cases[min(len(scarce), len(cases)):]...), all
}

// filled is a list of nodes, with others up to k.
func filled(nodes []int, k int, others []int) []int {
	out := slices.Clone(nodes)
	for _, n := range others {
		if len(out) < k && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// home is where pods of a kind could run if the nodes were empty: on how many nodes, and
// which, where these are few.
type home struct {
	count int
	nodes []int
}

// homes are those of each kind; up to few nodes are listed.
func (r *run) homes(few int) []home {
	out := make([]home, len(r.c.Kinds))
	for node := range r.c.Nodes {
		l := r.loadOf(node)
		clear(l.used)
		for kind := range r.c.Kinds {
			if !r.s.Allowed(r.class[kind], node) || r.lacks(kind, &l) != "" {
				continue
			}
			if out[kind].count++; out[kind].count <= few {
				out[kind].nodes = append(out[kind].nodes, node)
			}
		}
	}
	return out
}

// worstFirst sorts groups of equal nodes: those whose pods could run on the fewest
// nodes first, then the fullest.
func (r *run) worstFirst(groups [][]int, homes []home) [][]int {
	type rank struct {
		homes    int
		fullness float64
	}
	ranks := make(map[int]rank, len(groups))
	for _, g := range groups {
		node := g[0]
		k := rank{homes: len(r.c.Nodes)}
		for _, p := range r.on[node] {
			if !r.stays(p.PodType) {
				k.homes = min(k.homes, homes[p.PodType].count)
			}
		}
		l := r.loadOf(node)
		for i, has := range l.has {
			if has > 0 {
				k.fullness = max(k.fullness, float64(l.used[i])/float64(has))
			}
		}
		ranks[node] = k
	}
	slices.SortStableFunc(groups, func(a, b []int) int {
		x, y := ranks[a[0]], ranks[b[0]]
		return cmp.Or(cmp.Compare(x.homes, y.homes), cmp.Compare(y.fullness, x.fullness))
	})
	return groups
}
