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
	switch {
	case r.c.Kinds[kind].Type.DaemonSet || r.stuck[kind] > 0 && r.stuckAt[kind] == r.changes:
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
	c := r.clone()
	more = make([]int, len(r.c.Kinds))
	share, total := make([]int, len(r.c.Kinds)), 0
	for i, k := range r.c.Kinds {
		if !k.Type.DaemonSet && !k.Type.Bare && !k.Type.Held && k.NotTried == "" { // which do not grow
			share[i] = r.placed[i] + r.pending[i]
			total += share[i]
		}
	}
	// The k-th pod is of the kind that is furthest behind its share.
	for step := 1; step <= total*maxGrowth; step++ {
		kind, behind := -1, 0
		for i := range share {
			if lag := share[i]*step - more[i]*total; share[i] > 0 && (kind < 0 || lag > behind) {
				kind, behind = i, lag
			}
		}
		if c.one(kind) < 0 {
			return more, true
		}
		more[kind]++
	}
	return more, total == 0
}

// maxGrowth bounds how many times the workload is added to the cluster.
const maxGrowth = 10
