package place

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/plan/grow"
	"plimsoll.dev/unit"
)

// mostCases bounds how many failures of one sort are tried.
const mostCases = 2000

// whatIf tries failures and drains.
func (r *run) whatIf(p *v1alpha1.Placement, opt Options) {
	if opt.Failures > 0 && len(r.c.Nodes) > opt.Failures {
		p.Losses = append(p.Losses, r.lose(opt))
		for _, key := range r.c.Domains {
			p.Losses = append(p.Losses, r.loseDomain(key, opt))
		}
	}
	if n, err := grow.Budget(opt.MaxUnavailable, len(r.c.Nodes)); opt.MaxUnavailable != "" && err == nil && n > 0 && len(r.c.Nodes) > 1 {
		p.Drains = append(p.Drains, r.drain(n, opt))
	}
}

// alike groups nodes that are equal in all that counts: type, place and pods.
// Losing one or another of a group is the same case.
func (r *run) alike() [][]int {
	at := map[string]int{}
	var groups [][]int
	names := r.c.Resources()
	for i := range r.c.Nodes {
		key := r.nodeKey(r.node(i, names)) + fmt.Sprint(r.c.Nodes[i].Taints, r.c.Nodes[i].Unschedulable)
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

// lose tries the loss of any k nodes, one case for each way to take them from
// the groups of equal nodes.
func (r *run) lose(opt Options) v1alpha1.Loss {
	k := opt.Failures
	groups := r.alike()
	cases := choose(groups, k, mostCases)
	loss := v1alpha1.Loss{What: "any " + plural(k, "node"), How: "each combination of unequal nodes"}
	if len(cases) >= mostCases {
		cases = cases[:mostCases]
		loss.How = fmt.Sprintf("the first %s combinations of unequal nodes, the fullest first", count(mostCases))
	}
	r.tryAll(&loss, cases, opt)
	return loss
}

// choose lists the ways to take k nodes from groups of equal ones, at most so
// many; equal nodes are taken in order.
func choose(groups [][]int, k, most int) [][]int {
	var out [][]int
	var take func(from int, chosen []int)
	take = func(from int, chosen []int) {
		if len(out) >= most {
			return
		}
		if len(chosen) == k {
			out = append(out, slices.Clone(chosen))
			return
		}
		for g := from; g < len(groups); g++ {
			n := 0
			for _, c := range chosen {
				if slices.Contains(groups[g], c) {
					n++
				}
			}
			if n < len(groups[g]) {
				take(g, append(chosen, groups[g][n]))
			}
		}
	}
	take(0, nil)
	return out
}

// loseDomain tries the loss of all nodes with one value of a label.
func (r *run) loseDomain(key string, opt Options) v1alpha1.Loss {
	by := map[string][]int{}
	for i, n := range r.c.Nodes {
		if v, ok := n.Labels[key]; ok {
			by[v] = append(by[v], i)
		}
	}
	name := key[strings.LastIndexByte(key, '/')+1:]
	loss := v1alpha1.Loss{What: "any " + name, How: fmt.Sprintf("each of the %d", len(by))}
	cases := make([][]int, 0, len(by))
	for _, v := range slices.Sorted(maps.Keys(by)) {
		cases = append(cases, by[v])
	}
	r.tryAll(&loss, cases, opt)
	return loss
}

// tryAll counts the cases after which every pod that ran runs again, and keeps
// the worst.
func (r *run) tryAll(loss *v1alpha1.Loss, cases [][]int, opt Options) {
	worst := 0
	for i, nodes := range cases {
		if opt.Trying != nil {
			opt.Trying(i, len(cases))
		}
		if opt.Stop != nil && opt.Stop() {
			loss.How += fmt.Sprintf(", stopped after %d", loss.Tried)
			return
		}
		c := r.clone()
		homeless := c.fail(nodes)
		n := sum(homeless)
		loss.Tried++
		if n == 0 {
			loss.Survived++
			continue
		}
		if n > worst {
			worst = n
			loss.Worst, loss.Homeless = r.names(nodes), counts(homeless)
		}
	}
}

// fail takes nodes away with their pods, which are made anew elsewhere. It
// returns the pods that found no place, by kind.
func (r *run) fail(nodes []int) []int {
	moved := make([]int, len(r.c.Kinds))
	for _, n := range nodes {
		for _, p := range slices.Clone(r.on[n]) {
			r.count(p.PodType, n, -p.Count)
			moved[p.PodType] += p.Count
		}
	}
	r.s.RemoveNodes(nodes...)
	return r.again(moved)
}

// evict drains nodes: their pods are made anew elsewhere, but those of
// DaemonSets, which stay. It returns the pods that found no place, by kind.
func (r *run) evict(nodes []int) []int {
	for _, n := range nodes {
		r.s.SetUnschedulable(n, true)
	}
	moved := make([]int, len(r.c.Kinds))
	for _, n := range nodes {
		for _, p := range slices.Clone(r.on[n]) {
			if r.c.Kinds[p.PodType].Type.DaemonSet {
				continue
			}
			moved[p.PodType] += p.Count
			r.unbind(p.PodType, n, p.Count)
		}
		r.clear(n)
	}
	return r.again(moved)
}

// again schedules pods that have lost their node, the highest priority first,
// and returns those that find no place. Pods of DaemonSets don't move.
func (r *run) again(moved []int) []int {
	kinds := make([]int, len(r.c.Kinds))
	for i := range kinds {
		kinds[i] = i
	}
	slices.SortStableFunc(kinds, func(a, b int) int { return cmp.Compare(r.c.Kinds[b].Pod.Priority, r.c.Kinds[a].Pod.Priority) })
	homeless := make([]int, len(kinds))
	for _, kind := range kinds {
		if r.c.Kinds[kind].Type.DaemonSet {
			continue
		}
		for range moved[kind] {
			if r.one(kind) < 0 {
				homeless[kind]++
			}
		}
	}
	return homeless
}

// clear tells the kubelet of a node that its pods are gone, but those of
// DaemonSets.
func (r *run) clear(node int) {
	if r.kubelets[node] == nil {
		return
	}
	r.own(node)
	for _, uid := range r.kubelets[node].Running() {
		if !r.c.Kinds[kindOf(uid)].Type.DaemonSet {
			r.kubelets[node].Remove(uid)
		}
	}
}

// unbind takes pods off a node.
func (r *run) unbind(kind, node, n int) {
	for range n {
		if err := r.s.Unbind(r.class[kind], node); err != nil {
			panic(err) // the pods were counted wrongly
		}
	}
	r.count(kind, node, -n)
}

// drain empties the nodes batch by batch, as a rolling update does, and looks
// whether all pods keep running; and how large batches could be.
func (r *run) drain(batch int, opt Options) v1alpha1.Drain {
	d := v1alpha1.Drain{What: fmt.Sprintf("rolling update, %s at a time", plural(batch, "node")), MaxUnavailable: batch,
		Batches: grow.Waves(len(r.c.Nodes), batch)}
	if opt.PerNode != nil {
		d.Duration = *opt.PerNode * unit.Duration(d.Batches)
	}
	worst, at, homeless := r.roll(batch)
	if worst > 0 {
		d.Worst, d.Homeless = r.names(at), counts(homeless)
	}
	low, high := 0, len(r.c.Nodes) // every pod runs at low, not at high
	if worst == 0 {
		low = batch
	} else {
		high = batch
	}
	for low+1 < high && (opt.Stop == nil || !opt.Stop()) {
		mid := (low + high) / 2
		if n, _, _ := r.roll(mid); n == 0 {
			low = mid
		} else {
			high = mid
		}
	}
	d.MostUnavailable = low
	return d
}

// roll drains batch after batch; nodes come back empty when their batch is done.
// It returns the worst batch, with the pods that had no place meanwhile.
func (r *run) roll(batch int) (worst int, at, homeless []int) {
	c := r.clone()
	for first := 0; first < len(c.c.Nodes); first += batch {
		var nodes []int
		for n := first; n < min(first+batch, len(c.c.Nodes)); n++ {
			nodes = append(nodes, n)
		}
		out := c.evict(nodes)
		if n := sum(out); n > worst {
			worst, at, homeless = n, nodes, out
		}
		for _, n := range nodes {
			c.s.SetUnschedulable(n, c.c.Nodes[n].Unschedulable)
		}
		for kind, n := range out { // they come back with the nodes
			for range n {
				c.one(kind)
			}
		}
	}
	return worst, at, homeless
}

// names are nodes in words.
func (r *run) names(nodes []int) string {
	const most = 4
	var names []string
	for _, n := range nodes[:min(most, len(nodes))] {
		names = append(names, r.c.Nodes[n].Name)
	}
	if n := len(nodes) - most; n > 0 {
		names = append(names, fmt.Sprintf("%d more", n))
	}
	return strings.Join(names, ", ")
}

func sum(list []int) int {
	total := 0
	for _, n := range list {
		total += n
	}
	return total
}

// counts are the kinds with pods.
func counts(by []int) []v1alpha1.PodsCount {
	var out []v1alpha1.PodsCount
	for kind, n := range by {
		if n > 0 {
			out = append(out, v1alpha1.PodsCount{PodType: kind, Count: n})
		}
	}
	return out
}
