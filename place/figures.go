package place

import (
	"maps"
	"slices"

	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/whatif"
	"plimsoll.dev/podres"
)

// figures are amounts of resources by number, each worked out once.
type figures struct {
	// names of all resources that nodes or pods name, those of our own included.
	names []string
	// asks are what one pod of each kind requests.
	asks [][]int64
	// shown are the numbers of the resources to show, in the order that people expect.
	shown []int
	// pods is the number of the resource of that name.
	pods int
	// tight says that a kubelet has less to give than the scheduler thinks.
	tight bool
}

// load is a node's side of the figures.
type load struct {
	has, used []int64
	// full says that no kind of pod that may run there finds enough of everything;
	// missing is the resource that most kinds lack.
	full    bool
	missing string
}

func (r *run) measure() {
	f := &figures{tight: r.tight()}
	names := map[string]bool{"pods": true}
	for _, k := range r.c.Kinds {
		for name := range cluster.All(k.Pod.Request) {
			names[name] = true
		}
	}
	for _, name := range r.c.Resources() {
		names[name] = true
	}
	f.names = slices.Sorted(maps.Keys(names))
	for _, name := range r.c.Resources() {
		f.shown = append(f.shown, slices.Index(f.names, name))
	}
	f.pods = slices.Index(f.names, "pods")
	for _, k := range r.c.Kinds {
		ask := f.vector(cluster.All(k.Pod.Request))
		ask[f.pods] = 1
		f.asks = append(f.asks, ask)
	}
	r.figures = f
}

func (f *figures) vector(by map[string]int64) []int64 {
	out := make([]int64, len(f.names))
	for i, name := range f.names {
		out[i] = by[name]
	}
	return out
}

// loadOf is what a node has, and what the pods there request, counted anew.
func (r *run) loadOf(node int) load {
	f := r.figures
	l := load{has: f.vector(cluster.All(r.c.Nodes[node].Allocatable)), used: make([]int64, len(f.names))}
	for _, p := range r.on[node] {
		for i, n := range f.asks[p.PodType] {
			l.used[i] += n * int64(p.Count)
		}
	}
	l.missing, l.full = r.full(node, &l)
	return l
}

// full reports whether no kind of pod that may run on a node finds enough of
// everything there, and which resource is missing for the most kinds.
func (r *run) full(node int, l *load) (missing string, full bool) {
	short := map[string]int{}
	for kind, k := range r.c.Kinds {
		if k.Type.DaemonSet || !r.s.Allowed(r.class[kind], node) {
			continue
		}
		lacks := r.lacks(kind, l)
		if lacks == "" {
			return "", false
		}
		short[lacks]++
	}
	return whatif.Most(short, ""), len(short) > 0
}

// lacks is the first resource of which a pod finds too little: a place, then by
// name; the limit of its type per node, at last.
func (r *run) lacks(kind int, l *load) string {
	f, lacks := r.figures, ""
	if l.has[f.pods]-l.used[f.pods] < 1 {
		return "pods"
	}
	for i, n := range f.asks[kind] {
		if n == 0 || n <= l.has[i]-l.used[i] {
			continue
		}
		if _, own := cluster.MostOf(f.names[i]); !own {
			return f.names[i]
		}
		lacks = mostPerNode
	}
	return lacks
}

// mostPerNode is what nodes are out of that have the most pods of a type.
const mostPerNode = "pods of a type"

// stated reports whether the amount of a resource on the node is known.
func (l *load) stated(f *figures, k int) bool {
	return f.names[k] != podres.EphemeralStorage || l.has[k] < cluster.Unstated
}
