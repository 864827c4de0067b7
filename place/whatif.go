package place

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/whatif"
)

// whatIf tries failures and drains, and whatever losses the policy states.
func (r *run) whatIf(p *v1alpha1.Placement, opt Options) {
	n := len(r.c.Nodes)
	for _, k := range slices.Compact([]int{opt.Failures, max(opt.Failures, opt.Stated.Failures)}) {
		if k > 0 && (n > k || opt.Stated.Failures >= n) {
			p.Losses = append(p.Losses, r.lose(k, opt))
		}
	}
	for _, key := range r.c.Domains {
		if opt.Failures > 0 || opt.Stated.Zones && key == scheduler.ZoneLabel {
			p.Losses = append(p.Losses, r.loseDomain(key, opt))
		}
	}
	if opt.MaxUnavailable == "" || n < 2 && opt.Stated.MaxUnavailable == "" {
		return
	}
	stated := cmp.Or(opt.Stated.MaxUnavailable, opt.MaxUnavailable)
	for _, most := range slices.Compact([]string{opt.MaxUnavailable, stated}) {
		opt.MaxUnavailable = most
		if of, err := r.batches(most); err == nil {
			if d, ok := r.drain(of, opt); ok {
				p.Drains = append(p.Drains, d)
			}
		}
	}
}

// lose tries the loss of any k nodes, one case for each way to take them from
// the groups of equal nodes.
func (r *run) lose(k int, opt Options) v1alpha1.Loss {
	cases, all := r.failing(min(k, len(r.c.Nodes)), false)
	loss := v1alpha1.Loss{What: "any " + words.Count(k, "node"), How: "each combination of unequal nodes",
		Asked: k <= opt.Stated.Failures}
	if all > whatif.MostCases {
		loss.How = fmt.Sprintf(
			"%s of %s combinations of unequal nodes, half of them the fullest and those with what is scarce, "+
				"and all that take every node from a type",
			words.Number(whatif.MostCases), whatif.CountLarge(all))
		loss.Of = all
	}
	for i := range cases {
		cases[i].Of = 1 // a combination of unequal nodes is one, however many are equal to them
	}
	r.try(&loss, cases, opt)
	return loss
}

// loseDomain tries the loss of all nodes with one value of a label.
func (r *run) loseDomain(key string, opt Options) v1alpha1.Loss {
	cases := r.domainCases(key)
	name := key[strings.LastIndexByte(key, '/')+1:]
	loss := v1alpha1.Loss{What: "any " + name, How: fmt.Sprintf("each of the %d", len(cases)),
		Asked: opt.Stated.Zones && key == scheduler.ZoneLabel}
	r.try(&loss, cases, opt)
	return loss
}

// try tries cases of a loss, and tells which pods find no place after the worst.
func (r *run) try(loss *v1alpha1.Loss, cases []whatif.Case, opt Options) {
	each := losing{r: r}
	worst := whatif.Try(loss, cases, opt.Watch, func(nodes []int) int {
		if r.absorbs(r.movedFrom(nodes), nodes) {
			return 0
		}
		return sum(each.of(nodes))
	})
	if worst != nil {
		loss.Worst, loss.Homeless = r.names(worst), counts(each.of(worst))
	}
}

// absorbs reports whether it is certain that so many pods of each kind find a place on
// the nodes other than some, without trying.
func (r *run) absorbs(pods, without []int) bool {
	if r.pinnedAny() {
		return false
	}
	var moved []scheduler.ClassCount
	for kind, n := range pods {
		if n > 0 && !r.stays(kind) {
			moved = append(moved, scheduler.ClassCount{Class: r.class[kind], Count: n})
		}
	}
	return r.s.Absorbs(moved, without)
}

// movedFrom counts the pods of nodes, by kind.
func (r *run) movedFrom(nodes []int) []int {
	moved := make([]int, len(r.c.Kinds))
	for _, n := range nodes {
		for _, p := range r.on[n] {
			moved[p.PodType] += p.Count
		}
	}
	return moved
}

// fail takes nodes away with their pods, which are made anew elsewhere. It returns the
// pods that found no place, by kind. The nodes stay in the API, not ready and tainted, so
// that a hard spread goes on counting their domains, which have no pods any more.
func (r *run) fail(nodes []int) []int {
	moved := r.movedFrom(nodes)
	r.close(nodes)
	for _, n := range nodes {
		r.s.UnbindAll(n, func(scheduler.ClassID) bool { return true })
		for _, p := range slices.Clone(r.on[n]) {
			r.count(p.PodType, n, -p.Count)
		}
	}
	return r.again(moved)
}

// close keeps pods off nodes, whatever they tolerate.
func (r *run) close(nodes []int) {
	for _, n := range nodes {
		r.s.SetUnschedulable(n, true)
		r.s.SetFull(n, true)
	}
}

// evict drains nodes: their pods are made anew elsewhere, whatever they tolerate,
// but those that stay. It returns the pods that found no place, and those that moved, by kind.
func (r *run) evict(nodes []int) (homeless, moved []int) {
	r.close(nodes)
	moved = make([]int, len(r.c.Kinds))
	for _, n := range nodes {
		r.s.UnbindAll(n, func(id scheduler.ClassID) bool { return !r.stays(int(id)) })
		for _, p := range slices.Clone(r.on[n]) {
			if !r.stays(p.PodType) {
				moved[p.PodType] += p.Count
				r.count(p.PodType, n, -p.Count)
			}
		}
		r.clear(n)
	}
	return r.again(moved), moved
}

// stays reports whether pods of a kind belong to their node: those of DaemonSets, and
// those that no controller makes again elsewhere.
func (r *run) stays(kind int) bool {
	t := &r.c.Kinds[kind].Type
	return t.DaemonSet || t.Bare
}

// again schedules pods that have lost their node, the highest priority first,
// and returns those that find no place. Pods that were pending before are not
// tried.
func (r *run) again(moved []int) []int {
	clear(r.stuck)
	clear(r.pending)
	var kinds []int
	for kind, n := range moved {
		if n > 0 && !r.stays(kind) {
			kinds = append(kinds, kind)
		}
	}
	slices.SortStableFunc(kinds,
		func(a, b int) int { return cmp.Compare(r.c.Kinds[b].Pod.Priority, r.c.Kinds[a].Pod.Priority) })
	for _, kind := range kinds {
		r.inRow(kind, moved[kind])
	}
	r.retry()
	return slices.Clone(r.pending)
}

// clear tells the kubelet of a node that its pods are gone, but those that stay.
func (r *run) clear(node int) {
	if r.kubelets[node] == nil {
		return
	}
	for _, uid := range r.kubelets[node].Running() {
		if !r.stays(kindOf(uid)) {
			r.own(node)
			r.kubelets[node].Remove(uid)
		}
	}
}

// mustUnbind takes a pod off a node that is known to be there.
func (r *run) mustUnbind(kind, node int) {
	if err := r.s.Unbind(r.class[kind], node); err != nil {
		panic(err) // the pods were counted wrongly
	}
}

// names are nodes in words.
func (r *run) names(nodes []int) string {
	return strings.Join(whatif.Names(nodes, func(n int) string { return r.c.Nodes[n].Name }), ", ")
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
