package place

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// alike groups nodes that are equal in all that counts: type, place and pods, what
// the pods think of their labels and taints, and what their kubelet has given out.
// Losing one or another of a group is the same case.
func (r *run) alike() [][]int {
	at := map[string]int{}
	var groups [][]int
	keys := r.topologyKeys()
	for i := range r.c.Nodes {
		key := r.nodeKey(r.node(i)) + fmt.Sprint(r.s.Opinions(i)) + r.machineKey(i)
		for _, label := range keys {
			value, ok := r.c.Nodes[i].Labels[label]
			key += fmt.Sprintf("%t%q", ok, value)
		}
		k, ok := at[key]
		if !ok {
			k = len(groups)
			at[key] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], i)
	}
	return groups
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
		for _, a := range []*v1alpha1.PodAffinity{k.Pod.Affinity.PodAffinity, (*v1alpha1.PodAffinity)(k.Pod.Affinity.PodAntiAffinity)} {
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

// machineKey is equal for nodes whose kubelets have given out the same to the same
// kinds of pod.
func (r *run) machineKey(node int) string {
	if r.kubelets[node] == nil {
		return ""
	}
	m := r.kubelets[node].Map()
	for i := range m.Owners {
		o := &m.Owners[i]
		o.Pod = o.Pod[:strings.LastIndexByte(o.Pod, '-')+1]
	}
	return fmt.Sprint(m)
}

// worstFirst sorts groups of equal nodes: those whose pods could run on the fewest
// nodes first, then the fullest.
func (r *run) worstFirst(groups [][]int) [][]int {
	homes := r.homes()
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
				k.homes = min(k.homes, homes[p.PodType])
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

// homes is the number of nodes that could run a pod of each kind if they were
// empty.
func (r *run) homes() []int {
	out := make([]int, len(r.c.Kinds))
	for node := range r.c.Nodes {
		l := r.loadOf(node)
		clear(l.used)
		for kind := range r.c.Kinds {
			if r.s.Allowed(r.class[kind], node) && r.lacks(kind, &l) == "" {
				out[kind]++
			}
		}
	}
	return out
}

// ways are the ways to take a number of nodes from groups of equal ones, each of
// which takes its nodes in order. They are numbered so that all that take nodes
// from the first groups only come first.
type ways struct {
	groups [][]int
	k      int
	// of[g][n] is the number of ways to take n nodes from the first g groups.
	of [][]int64
}

func newWays(groups [][]int, k int) *ways {
	w := &ways{groups: groups, k: k, of: make([][]int64, len(groups)+1)}
	w.of[0] = make([]int64, k+1)
	w.of[0][0] = 1
	for g, nodes := range groups {
		row := make([]int64, k+1)
		for n := range row {
			for take := 0; take <= min(n, len(nodes)); take++ {
				row[n] = plus(row[n], w.of[g][n-take])
			}
		}
		w.of[g+1] = row
	}
	return w
}

// plus adds without overflow.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (w *ways) count() int64 { return w.of[len(w.groups)][w.k] }

// cases are all ways, or of more than most the first half of so many, and others
// at equal distances from the rest.
func (w *ways) cases(most int64) [][]int {
	all := w.count()
	var out [][]int
	for i := range min(most, all) {
		at := i
		if first := most / 2; all > most && i >= first {
			// In floats, since products of such numbers overflow.
			at = first + int64(float64(i-first)/float64(most-first)*float64(all-first))
		}
		out = append(out, w.way(at))
	}
	return out
}

// way is the i-th way.
func (w *ways) way(i int64) []int {
	var nodes []int
	for g, n := len(w.groups), w.k; n > 0; {
		if i < w.of[g-1][n] {
			g--
			continue
		}
		i -= w.of[g-1][n]
		take := 1
		for i >= w.of[g-1][n-take] {
			i -= w.of[g-1][n-take]
			take++
		}
		nodes = append(nodes, w.groups[g-1][:take]...)
		g, n = g-1, n-take
	}
	slices.Sort(nodes)
	return nodes
}
