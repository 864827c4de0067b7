package place_test

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/podres"
)

// more is how many more pods of a kind run, each in a world of its own.
func (w *world) more(kind int) int {
	if w.c.Kinds[kind].Type.DaemonSet || w.still(kind) {
		return 0
	}
	f, n := w.fork(), 0
	for f.one(kind) >= 0 {
		n++
	}
	return n
}

// mixed is how many more run when all kinds grow together: each time the kind
// that is furthest behind its share, the first among equals. Ten times the
// workload is the most. A tie between kinds of different shares might as well be
// decided otherwise.
func (w *world) mixed() (more []int, tie bool) {
	more = make([]int, len(w.c.Kinds))
	f, wanted, total := w.fork(), make([]int, len(w.c.Kinds)), 0
	for i, k := range w.c.Kinds {
		if !k.Type.DaemonSet {
			wanted[i] = w.placed[i] + w.pending[i]
		}
		total += wanted[i]
	}
	lag := func(i, step int) int { return wanted[i]*step - more[i]*total }
	for step := 1; step <= 10*total; step++ {
		behind := 0
		for i := range wanted {
			if lag(i, step) > lag(behind, step) {
				behind = i
			}
		}
		for i := range wanted {
			tie = tie || lag(i, step) == lag(behind, step) && wanted[i] != wanted[behind]
		}
		if f.one(behind) < 0 {
			break
		}
		more[behind]++
	}
	return more, tie
}

// again places pods that have lost their node, the highest priority first, and
// returns those that find no place.
func (w *world) again(lost []live) []int {
	kinds := w.c.Kinds
	slices.SortStableFunc(lost, func(a, b live) int {
		return cmp.Or(cmp.Compare(kinds[b.kind].Pod.Priority, kinds[a.kind].Pod.Priority), cmp.Compare(a.kind, b.kind))
	})
	clear(w.stuck)
	clear(w.pending)
	for _, p := range lost {
		if !kinds[p.kind].Type.DaemonSet {
			w.one(p.kind)
		}
	}
	w.retry()
	return slices.Clone(w.pending)
}

// lose takes nodes away, and returns the pods that find no other place. The API keeps the nodes, not
// ready and tainted, so that a hard spread goes on counting their domains.
func (w *world) lose(nodes ...int) []int {
	f := w.fork()
	for _, n := range nodes {
		f.cordoned[n], f.drained[n] = true, true
	}
	return f.again(f.take(nodes, true))
}

// take takes the pods off nodes, and says which; those of DaemonSets only with
// the node itself.
func (w *world) take(nodes []int, daemons bool) []live {
	var lost []live
	w.pods = slices.DeleteFunc(slices.Clone(w.pods), func(p live) bool {
		if !slices.Contains(nodes, p.node) || w.c.Kinds[p.kind].Type.DaemonSet && !daemons {
			return false
		}
		lost = append(lost, p)
		w.placed[p.kind]--
		w.asked[p.node] = append(w.asked[p.node], asked{pod: podres.Pod{UID: p.uid}, ended: true})
		return true
	})
	return lost
}

// batches are the nodes of each type, of OpenShift all workers, so many of them, or such a share, at a time.
func (w *world) batches(atOnce string) (out [][]int) {
	for of := range w.c.Types {
		var nodes []int
		for n, t := range w.c.Of {
			if t == of || w.c.ByRole && of == 0 {
				nodes = append(nodes, n)
			}
		}
		if w.c.ByRole && of > 0 {
			break
		}
		size, err := strconv.Atoi(strings.TrimSuffix(atOnce, "%"))
		if err != nil {
			panic(err)
		}
		if strings.HasSuffix(atOnce, "%") {
			size = len(nodes) * size / 100
		}
		size = max(1, size)
		for len(nodes) > 0 {
			k := min(size, len(nodes))
			out, nodes = append(out, nodes[:k]), nodes[k:]
		}
	}
	return out
}

// roll drains all nodes, so many at a time, and returns the worst batch and the
// pods without a place meanwhile.
func (w *world) roll(atOnce string) (worst int, at, homeless []int) {
	f := w.fork()
	for _, nodes := range w.batches(atOnce) {
		for _, n := range nodes {
			f.cordoned[n], f.drained[n] = true, true
		}
		out := f.again(f.take(nodes, false))
		if n := sum(out); n > worst {
			worst, at, homeless = n, nodes, out
		}
		clear(f.cordoned)
		clear(f.drained)
		var back []live
		for kind, n := range out {
			back = append(back, slices.Repeat([]live{{kind: kind}}, n)...)
		}
		f.again(back)
	}
	return worst, at, homeless
}

func sum(list []int) int {
	n := 0
	for _, x := range list {
		n += x
	}
	return n
}

// on are the pods on a node, by kind.
func (w *world) on(node int) []v1alpha1.PodsCount {
	var out []v1alpha1.PodsCount
	for kind := range w.c.Kinds {
		n := 0
		for _, p := range w.pods {
			if p.node == node && p.kind == kind {
				n++
			}
		}
		if n > 0 {
			out = append(out, v1alpha1.PodsCount{PodType: kind, Count: n})
		}
	}
	return out
}

// place is what makes a node like another one: its type, its place, its pods, and
// whether any more may come.
func (w *world) place(node int) string {
	domains := map[string]string{}
	for _, key := range w.c.Domains {
		domains[key] = w.c.Nodes[node].Labels[key]
	}
	return fmt.Sprint(w.c.Of[node], domains, w.on(node), w.full(node), w.c.Nodes[node].Unschedulable)
}

// apart is what else tells nodes apart whose pods lose their place: the domains that
// pods spread over or gather by, and what its kubelet has given to which kind.
func (w *world) apart(node int) string {
	var keys []string
	for _, k := range w.c.Kinds {
		for _, s := range k.Pod.TopologySpreadConstraints {
			keys = append(keys, s.TopologyKey)
		}
		if a := k.Pod.Affinity; a != nil {
			for _, list := range []*v1alpha1.PodAffinity{a.PodAffinity, a.PodAntiAffinity} {
				if list == nil {
					continue
				}
				for _, t := range list.Required {
					keys = append(keys, t.TopologyKey)
				}
				for _, t := range list.Preferred {
					keys = append(keys, t.PodAffinityTerm.TopologyKey)
				}
			}
		}
	}
	text := ""
	for _, key := range keys {
		if key != "kubernetes.io/hostname" {
			text += w.c.Nodes[node].Labels[key] + ","
		}
	}
	k := w.kubelet(node)
	if k == nil {
		return text
	}
	m := k.Map()
	for i := range m.Owners {
		m.Owners[i].Pod = m.Owners[i].Pod[:strings.LastIndexByte(m.Owners[i].Pod, '-')]
	}
	return text + fmt.Sprint(m)
}

// free is what the pods on a node leave of each resource.
func (w *world) free(node int) map[string]int64 {
	free := cluster.Amounts(w.c.Nodes[node].Allocatable)
	for _, p := range w.pods {
		if p.node == node {
			free["pods"]--
			for name, n := range cluster.Amounts(w.c.Kinds[p.kind].Pod.Request) {
				free[name] -= n
			}
		}
	}
	return free
}

// full reports whether no kind of pod that may run on a node finds enough there.
func (w *world) full(node int) bool {
	free, any := w.free(node), false
	limits := cluster.All(w.c.Nodes[node].Allocatable)
	for _, p := range w.pods {
		for name, n := range cluster.All(w.c.Kinds[p.kind].Pod.Request) {
			if p.node == node {
				limits[name] -= n
			}
		}
	}
	for _, k := range w.c.Kinds {
		if k.Type.DaemonSet || !w.c.RunsOn(k, node) {
			continue
		}
		any = true
		fits := free["pods"] > 0
		for name, n := range cluster.All(k.Pod.Request) {
			fits = fits && n <= limits[name]
		}
		if fits {
			return false
		}
	}
	return any
}

// replay asks one new scheduler about all pods, one after the other, and tells
// where each of them ran.
func (w *world) replay(order []int32, ran func(kind, node int, p podres.Pod)) (*scheduler.Scheduler,
	[]scheduler.ClassID) {
	s, classes := newWorld(w.c).scheduler()
	for _, kind := range order {
		if node := s.Schedule(classes[kind]).Node; node >= 0 && ran != nil {
			ran(int(kind), node, podres.Pod{})
		}
	}
	return s, classes
}
