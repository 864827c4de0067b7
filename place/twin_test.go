package place_test

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/kube"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/podres"
)

// world is the naive twin of a placement: a list of what runs, and of what each
// kubelet was ever asked. For each pod a scheduler is made anew and told what
// runs, and the kubelet is made anew and asked everything again; nothing is
// cloned, unbound or uncordoned. That is the same cluster where the scheduler
// looks at all nodes from the first one on and draws no lots: below 100 nodes,
// from release 1.35 on.
type world struct {
	c    *cluster.Cluster
	pods []live
	// asked by node.
	asked [][]asked
	// away and cordoned by node.
	away, cordoned []bool
	// by kind
	placed, pending, refused, next []int
	runaway                        []bool
	message                        []string // of the first pod that was pending
	aware                          bool     // the scheduler passes over nodes whose kubelet refuses
}

// live is a pod that runs.
type live struct {
	kind, node int
	uid        string
}

// asked is what a kubelet was asked: to admit a pod, or that a pod has ended.
type asked struct {
	pod   podres.Pod
	ended bool
}

func newWorld(c *cluster.Cluster) *world {
	n, k := len(c.Nodes), len(c.Kinds)
	w := &world{c: c, asked: make([][]asked, n), away: make([]bool, n), cordoned: make([]bool, n), placed: make([]int, k),
		pending: make([]int, k), refused: make([]int, k), next: make([]int, k), runaway: make([]bool, k), message: make([]string, k)}
	for _, b := range c.Bound {
		for range b.Count {
			p := w.pod(b.Kind)
			w.run(b.Kind, b.Node, p)
			w.asked[b.Node] = append(w.asked[b.Node], asked{pod: p})
		}
	}
	return w
}

// simulate places the pods that arrive, in order.
func simulate(c *cluster.Cluster, order []int32) *world {
	w := newWorld(c)
	for _, kind := range order {
		w.one(int(kind))
	}
	return w
}

// fork is another world with the same past.
func (w *world) fork() *world {
	f := *w
	f.pods, f.away, f.cordoned = slices.Clone(w.pods), slices.Clone(w.away), slices.Clone(w.cordoned)
	f.placed, f.pending, f.refused, f.next = slices.Clone(w.placed), slices.Clone(w.pending), slices.Clone(w.refused), slices.Clone(w.next)
	f.runaway, f.message, f.asked = slices.Clone(w.runaway), slices.Clone(w.message), slices.Clone(w.asked)
	for i := range f.asked {
		f.asked[i] = slices.Clone(f.asked[i])
	}
	return &f
}

// pod is the next pod of a kind.
func (w *world) pod(kind int) podres.Pod {
	w.next[kind]++
	p := w.c.Kinds[kind].Spec
	p.Name = fmt.Sprintf("%s-%d", p.Name, w.next[kind])
	p.UID = p.Name
	return p
}

func (w *world) run(kind, node int, p podres.Pod) {
	w.pods = append(w.pods, live{kind, node, p.UID})
	w.placed[kind]++
}

// nodes are the nodes that are there: as the cluster lists them, or zone by zone
// where some have gone, since a zone keeps its turn when its first node goes.
func (w *world) nodes() []int {
	var list []int
	turn := map[string]int{}
	zone := func(i int) string { return w.c.Nodes[i].Labels["topology.kubernetes.io/zone"] }
	for i := range w.c.Nodes {
		if _, ok := turn[zone(i)]; !ok {
			turn[zone(i)] = len(turn)
		}
		if !w.away[i] {
			list = append(list, i)
		}
	}
	if slices.Contains(w.away, true) {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(turn[zone(a)], turn[zone(b)]) })
	}
	return list
}

// scheduler is a new one that knows what runs. Passed nodes take no pods.
func (w *world) scheduler(passed ...int) (*kube.Scheduler, []kube.ClassID, []int) {
	list := w.nodes()
	at := make([]int, len(w.c.Nodes))
	var nodes []kube.Node
	for i, n := range list {
		at[n] = i
		node := w.c.Nodes[n]
		if w.cordoned[n] {
			node.Unschedulable = true
			node.Taints = append(slices.Clone(node.Taints), v1alpha1.Taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"})
		}
		if slices.Contains(passed, n) {
			node.Allocatable.Pods = 0
		}
		nodes = append(nodes, node)
	}
	s, err := kube.New(w.c.Profile, nodes)
	if err != nil {
		panic(err)
	}
	var classes []kube.ClassID
	for _, k := range w.c.Kinds {
		id, err := s.Class(k.Pod)
		if err != nil {
			panic(err)
		}
		classes = append(classes, id)
	}
	for _, p := range w.pods {
		if !w.away[p.node] {
			s.Bind(classes[p.kind], at[p.node])
		}
	}
	return s, classes, list
}

// kubelet is a new one that has been asked everything again; nil where none may
// refuse.
func (w *world) kubelet(node int) *kubelet.Node {
	t := w.c.Types[w.c.Of[node]]
	if !t.Pinned {
		return nil
	}
	k, err := kubelet.New(t.Machine, t.Kubelet)
	if err != nil {
		panic(err)
	}
	for _, a := range w.asked[node] {
		if a.ended {
			k.Remove(a.pod.UID)
		} else {
			k.Admit(&a.pod)
		}
	}
	return k
}

// one schedules a pod, and another one for each that a kubelet refuses. When
// each node has had the chance to refuse, it will go on for ever.
func (w *world) one(kind int) int {
	var passed []int
	for range 2*len(w.c.Nodes) + 8 {
		if w.runaway[kind] {
			break
		}
		s, classes, list := w.scheduler(passed...)
		at := s.Schedule(classes[kind]).Node
		if at < 0 {
			if w.pending[kind]++; w.message[kind] == "" {
				w.message[kind] = s.Explain(classes[kind]).Message
			}
			return -1
		}
		node, p := list[at], w.pod(kind)
		k := w.kubelet(node)
		w.asked[node] = append(w.asked[node], asked{pod: p})
		if k == nil || k.Admit(&p).Admitted {
			w.run(kind, node, p)
			return node
		}
		w.asked[node] = append(w.asked[node], asked{pod: p, ended: true})
		w.refused[kind]++
		if w.aware {
			passed = append(passed, node)
		}
	}
	w.runaway[kind] = true
	w.pending[kind]++
	return -1
}

// more is how many more pods of a kind run, each in a world of its own.
func (w *world) more(kind int) int {
	if w.c.Kinds[kind].Type.DaemonSet || w.runaway[kind] {
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
	homeless := make([]int, len(kinds))
	for _, p := range lost {
		if !kinds[p.kind].Type.DaemonSet && w.one(p.kind) < 0 {
			homeless[p.kind]++
		}
	}
	return homeless
}

// lose takes nodes away for good, and returns the pods that find no other place.
func (w *world) lose(nodes ...int) []int {
	f := w.fork()
	for _, n := range nodes {
		f.away[n] = true
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

// roll drains all nodes, so many at a time, and returns the worst batch and the
// pods without a place meanwhile.
func (w *world) roll(batch int) (worst int, at, homeless []int) {
	f := w.fork()
	for first := 0; first < len(w.c.Nodes); first += batch {
		var nodes []int
		for n := first; n < min(first+batch, len(w.c.Nodes)); n++ {
			nodes = append(nodes, n)
			f.cordoned[n] = true
		}
		out := f.again(f.take(nodes, false))
		if n := sum(out); n > worst {
			worst, at, homeless = n, nodes, out
		}
		clear(f.cordoned)
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
func (w *world) on(node int) []v1alpha1.PodsOnNode {
	var out []v1alpha1.PodsOnNode
	for kind := range w.c.Kinds {
		n := 0
		for _, p := range w.pods {
			if p.node == node && p.kind == kind {
				n++
			}
		}
		if n > 0 {
			out = append(out, v1alpha1.PodsOnNode{PodType: kind, Count: n})
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
	return fmt.Sprint(w.c.Of[node], domains, w.on(node), w.full(node))
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

// full says whether no kind of pod that may run on a node finds enough there.
func (w *world) full(node int) bool {
	free, any := w.free(node), false
	for _, k := range w.c.Kinds {
		if k.Type.DaemonSet || !w.c.RunsOn(k, node) {
			continue
		}
		any = true
		fits := free["pods"] > 0
		for name, n := range cluster.Amounts(k.Pod.Request) {
			fits = fits && n <= free[name]
		}
		if fits {
			return false
		}
	}
	return any
}

// replay asks one new scheduler about all pods, one after the other, and tells
// where each of them ran.
func (w *world) replay(order []int32, ran func(kind, node int, p podres.Pod)) (*kube.Scheduler, []kube.ClassID) {
	s, classes, _ := newWorld(w.c).scheduler()
	for _, kind := range order {
		if node := s.Schedule(classes[kind]).Node; node >= 0 && ran != nil {
			ran(int(kind), node, podres.Pod{})
		}
	}
	return s, classes
}
