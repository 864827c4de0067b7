package place

import (
	"fmt"
	"slices"

	"plimsoll.dev/place/cluster"
	"plimsoll.dev/podres"
)

// How many pods of a kind are tried to see how many more would run, where nothing but
// trying tells, and how many of all kinds; but so many of each at least.
const (
	mostTried    = 5000
	mostTriedAll = 100_000
	leastTried   = 20
)

// tried is how many pods of each kind are tried.
func (r *run) tried() int {
	return min(mostTried, max(leastTried, mostTriedAll/max(1, len(r.c.Kinds))))
}

// room is how many more pods of a kind would run now, one after the other; all is
// false where counting ended before.
func (r *run) room(kind int) (n int, all bool) {
	switch k := &r.c.Kinds[kind]; {
	case k.Type.DaemonSet || k.NotTried != "" || r.stuck[kind] > 0 && r.stuckAt[kind] == r.changes:
		return 0, true
	case !r.mayRefuse(kind):
		return r.s.Room(r.class[kind], r.tried())
	}
	c := r.clone()
	for n < r.tried() {
		if c.one(kind) < 0 {
			return n, true
		}
		n++
	}
	return n, false
}

// mayRefuse reports whether a kubelet may refuse a pod of the kind that the scheduler
// sends there: when its containers get CPUs, memory or devices of their own, or
// the two don't agree on what the node has.
func (r *run) mayRefuse(kind int) bool {
	if !r.pinnedAny() {
		return false
	}
	k := &r.c.Kinds[kind]
	if r.hung || r.figures.tight || k.Spec.PodLevel() {
		return true
	}
	own := false
	k.Spec.Each(func(c *podres.Container) {
		cpu, _ := c.Request(podres.CPU)
		own = own || k.QOS == podres.Guaranteed && cpu >= 1000 && cpu%1000 == 0
		for name := range c.Limits {
			own = own || !plainResource(name)
		}
		for name := range c.Requests {
			own = own || !plainResource(name)
		}
	})
	return own || k.QOS == podres.Guaranteed &&
		slices.ContainsFunc(r.c.Types, func(t cluster.Type) bool { return t.Kubelet.MemoryManagerPolicy == "Static" })
}

// plainResource reports whether a resource is no device.
func plainResource(name string) bool {
	switch name {
	case podres.CPU, podres.Memory, podres.EphemeralStorage:
		return true
	}
	return len(name) > len(podres.HugePages) && name[:len(podres.HugePages)] == podres.HugePages
}

// pinnedAny reports whether any kubelet may refuse a pod.
func (r *run) pinnedAny() bool {
	return slices.ContainsFunc(r.c.Types, func(t cluster.Type) bool { return t.Pinned })
}

// tight reports whether a kubelet has less to give than the scheduler thinks.
func (r *run) tight() bool {
	for i, k := range r.kubelets {
		if k == nil || i > 0 && r.c.Of[i] == r.c.Of[i-1] && sameRoom(r.c, i, i-1) {
			continue
		}
		has := k.Allocatable()
		for name, n := range cluster.Amounts(r.c.Nodes[i].Allocatable) {
			if m, ok := has[name]; n > m && (ok || name != podres.EphemeralStorage) {
				return true
			}
		}
	}
	return false
}

// sameRoom reports whether two nodes of a type offer the same.
func sameRoom(c *cluster.Cluster, a, b int) bool {
	x, y := c.Nodes[a].Allocatable, c.Nodes[b].Allocatable
	return x.CPU == y.CPU && x.Memory == y.Memory && x.Pods == y.Pods && x.EphemeralStorage == y.EphemeralStorage &&
		fmt.Sprint(x.Scalar) == fmt.Sprint(y.Scalar)
}

// mixedRoom is how many more pods of each kind would run when all kinds grow in
// proportion to their numbers, until the first one finds no place; all is false
// where counting ended before.
func (r *run) mixedRoom() (more []int, all bool) {
	more = make([]int, len(r.c.Kinds))
	groups, total := r.shares()
	steps := min(total*maxGrowth, mostMixed)
	place := func(kind int) int { return 0 }
	if !r.absorbs(r.grown(groups, steps, total), nil) {
		place = r.trying()
	}
	for step := 1; step <= steps; step++ {
		g := next(groups, step, total)
		kind := g.kinds[g.at]
		if place(kind) < 0 {
			return more, true
		}
		more[kind]++
		if g.at++; g.at == len(g.kinds) {
			g.at, g.rounds = 0, g.rounds+1
		}
	}
	return more, total == 0
}

// grown is the most pods by which each kind has grown after so many steps. At each of
// them what the kinds are behind adds up to more than nothing, so that the one furthest
// behind has less than its share: it comes to less than one pod more.
func (r *run) grown(groups []growing, steps, total int) []int {
	most := make([]int, len(r.c.Kinds))
	for _, g := range groups {
		for _, kind := range g.kinds {
			most[kind] = g.share*steps/total + 1
		}
	}
	return most
}

// trying places pods one by one in a copy of the simulation, and leaves out what only
// kubelets need where there are none.
func (r *run) trying() (place func(kind int) int) {
	if r.pinnedAny() {
		return r.clone().one
	}
	s := r.s.Clone()
	return func(kind int) int { return s.Schedule(r.class[kind]).Node }
}

// growing are kinds with equal numbers of pods, which take turns as they grow.
type growing struct {
	kinds []int
	share int // of the total, of each
	// at is the kind whose turn it is, after all have grown by so many rounds.
	at, rounds int
}

// shares groups the kinds that grow by their numbers of pods.
func (r *run) shares() (groups []growing, total int) {
	of := map[int]int{}
	for i, k := range r.c.Kinds {
		share := r.placed[i] + r.pending[i]
		if share == 0 || k.Type.DaemonSet || k.Type.Bare || k.Type.Held || k.NotTried != "" { // which do not grow
			continue
		}
		g, known := of[share]
		if !known {
			g = len(groups)
			of[share] = g
			groups = append(groups, growing{share: share})
		}
		groups[g].kinds = append(groups[g].kinds, i)
		total += share
	}
	return groups, total
}

// next is the group of the kind that is furthest behind its share at a step, the first
// such kind. In a group it is always the one whose turn it is.
func next(groups []growing, step, total int) *growing {
	best, behind := &groups[0], groups[0].share*step-groups[0].rounds*total
	for i := range groups[1:] {
		g := &groups[i+1]
		lag := g.share*step - g.rounds*total
		if lag > behind || lag == behind && g.kinds[g.at] < best.kinds[best.at] {
			best, behind = g, lag
		}
	}
	return best
}

// maxGrowth bounds how many times the workload is added to the cluster, and mostMixed
// how many pods are.
const (
	maxGrowth = 10
	mostMixed = 125_000
)
