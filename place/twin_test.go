package place_test

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/podres"
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
	// cordoned by node.
	cordoned []bool
	// by kind
	placed, pending, refused, next []int
	stuck                          []int
	stuckAt                        []string
	drained                        []bool
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
	w := &world{c: c, asked: make([][]asked, n), cordoned: make([]bool, n), placed: make([]int, k),
		pending: make([]int, k), refused: make([]int, k), next: make([]int, k), stuck: make([]int, k),
		stuckAt: make([]string, k), drained: make([]bool, n), message: make([]string, k)}
	for _, b := range c.Bound {
		for range b.Count {
			if b.New {
				continue
			}
			p := w.pod(b.Kind)
			w.run(b.Kind, b.Node, p)
			w.asked[b.Node] = append(w.asked[b.Node], asked{pod: p})
		}
	}
	for _, b := range c.Bound {
		if b.New {
			w.daemon(b.Kind, b.Node)
		}
	}
	return w
}

// daemon runs a pod of a DaemonSet on its node, if that is the only node there is
// and the pod would run there.
func (w *world) daemon(kind, node int) {
	k := w.c.Kinds[kind].Pod
	k.NodeSelector = map[string]string{"kubernetes.io/hostname": w.c.Nodes[node].Name}
	s, classes := w.scheduler()
	id, err := s.Class(k)
	if err != nil {
		panic(err)
	}
	_ = classes
	if s.Schedule(id).Node < 0 {
		w.pending[kind]++
		if w.message[kind] == "" {
			w.message[kind] = cluster.Reason(s.ExplainOn(classes[kind], node).Message)
		}
		return
	}
	p, kl := w.pod(kind), w.kubelet(node)
	w.asked[node] = append(w.asked[node], asked{pod: p})
	if kl == nil || kl.Admit(&p).Admitted {
		w.run(kind, node, p)
		return
	}
	w.asked[node] = append(w.asked[node], asked{pod: p, ended: true})
	w.refused[kind]++
	w.pending[kind]++
	w.stuck[kind]++
}

// simulate places the pods that arrive, in order.
func simulate(c *cluster.Cluster, order []int32) *world {
	w := newWorld(c)
	for _, kind := range order {
		w.one(int(kind))
	}
	w.retry()
	return w
}

// retry sends out the pods that kubelets have refused again and again, until
// nothing changes any more.
func (w *world) retry() {
	for ran := true; ran; {
		ran = false
		for kind, n := range w.stuck {
			if w.c.Kinds[kind].Type.DaemonSet || n == 0 || w.still(kind) {
				continue
			}
			w.stuck[kind], w.pending[kind] = 0, w.pending[kind]-n
			for range n {
				ran = w.one(kind) >= 0 || ran
			}
		}
	}
}

// still reports whether nothing has changed since kubelets refused a kind again and
// again; stick notes that they do.
func (w *world) still(kind int) bool { return w.stuck[kind] > 0 && w.stuckAt[kind] == w.now() }

func (w *world) now() string { return fmt.Sprint(w.pods, w.cordoned) }

func (w *world) stick(kind int) int {
	w.pending[kind]++
	w.stuck[kind]++
	w.stuckAt[kind] = w.now()
	return -1
}

// fork is another world with the same past.
func (w *world) fork() *world {
	f := *w
	f.pods, f.cordoned = slices.Clone(w.pods), slices.Clone(w.cordoned)
	f.placed, f.pending, f.refused, f.next = slices.Clone(w.placed), slices.Clone(w.pending), slices.Clone(w.refused),
		slices.Clone(w.next)
	f.drained, f.stuckAt = slices.Clone(w.drained), slices.Clone(w.stuckAt)
	f.stuck, f.message, f.asked = slices.Clone(w.stuck), slices.Clone(w.message), slices.Clone(w.asked)
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

// scheduler is a new one that knows what runs. Passed nodes take no pods.
func (w *world) scheduler(passed ...int) (*scheduler.Scheduler, []scheduler.ClassID) {
	var nodes []scheduler.Node
	for n, node := range w.c.Nodes {
		if w.cordoned[n] {
			node.Unschedulable = true
			node.Taints = append(slices.Clone(node.Taints),
				v1alpha1.Taint{Key: "node.kubernetes.io/unschedulable", Effect: "NoSchedule"})
		}
		if w.drained[n] || slices.Contains(passed, n) {
			node.Allocatable.Pods = 0
		}
		nodes = append(nodes, node)
	}
	s, err := scheduler.New(w.c.Profile, nodes)
	if err != nil {
		panic(err)
	}
	var classes []scheduler.ClassID
	for _, k := range w.c.Kinds {
		id, err := s.Class(k.Pod)
		if err != nil {
			panic(err)
		}
		classes = append(classes, id)
	}
	for _, p := range w.pods {
		s.Bind(classes[p.kind], p.node)
	}
	return s, classes
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

// one schedules a pod, and another one for each that a kubelet refuses. The
// scheduler decides alike each time, so the second refusal by the same node means
// that it will go on for ever.
func (w *world) one(kind int) int {
	if w.still(kind) {
		return w.stick(kind)
	}
	var passed, refused []int
	for {
		s, classes := w.scheduler(passed...)
		node := s.Schedule(classes[kind]).Node
		if node < 0 {
			if w.pending[kind]++; w.message[kind] == "" {
				w.message[kind] = cluster.Reason(s.Explain(classes[kind]).Message)
			}
			return -1
		}
		p := w.pod(kind)
		k := w.kubelet(node)
		w.asked[node] = append(w.asked[node], asked{pod: p})
		if k == nil || k.Admit(&p).Admitted {
			w.run(kind, node, p)
			return node
		}
		w.asked[node] = append(w.asked[node], asked{pod: p, ended: true})
		w.refused[kind]++
		switch {
		case w.aware:
			passed = append(passed, node)
		case slices.Contains(refused, node):
			return w.stick(kind)
		}
		refused = append(refused, node)
	}
}
