package place

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/kube"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/podres"
)

// run is one simulation: the scheduler, and the kubelets of nodes that give out
// CPUs, memory or devices of their own.
type run struct {
	c        *cluster.Cluster
	s        *kube.Scheduler
	class    []kube.ClassID
	kubelets []*kubelet.Node // nil where admission never fails
	// on are the pods on each node, by kind in rising order.
	on [][]v1alpha1.PodsOnNode
	// shared says that on and kubelets of a node still belong to the run that this
	// one was cloned from; nil when nothing does.
	shared []bool
	// placed, pending and refused count pods by kind.
	placed, pending, refused []int
	runaway                  []bool
	// first is the diagnosis of the first pending pod of each kind.
	first []*kube.Diagnosis
	// refusals are pods that kubelets refused, in order; at most a few of each kind.
	refusals []refusal
	// next numbers the pods of each kind.
	next []int
	// aware makes the scheduler pass over nodes whose kubelet would refuse.
	aware bool

	progress func(done int)
	byName   map[string]int
}

// refusal is a pod that a kubelet refused.
type refusal struct {
	kind, node int
	explained  v1alpha1.Admission
}

// newRun sets up scheduler and kubelets, and binds what runs already.
func newRun(c *cluster.Cluster) (*run, error) {
	s, err := kube.New(c.Profile, c.Nodes)
	if err != nil {
		return nil, err
	}
	n := len(c.Kinds)
	r := &run{c: c, s: s, kubelets: make([]*kubelet.Node, len(c.Nodes)), on: make([][]v1alpha1.PodsOnNode, len(c.Nodes)), placed: make([]int, n),
		pending: make([]int, n), refused: make([]int, n), runaway: make([]bool, n), first: make([]*kube.Diagnosis, n), next: make([]int, n)}
	var wrong []error
	for _, k := range c.Kinds {
		id, err := s.Class(k.Pod)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("pod type %s: %w", k.Type.Name, err))
		}
		r.class = append(r.class, id)
	}
	wrong = append(wrong, r.startKubelets()...)
	if len(wrong) > 0 {
		return nil, errors.Join(wrong...)
	}
	for _, b := range c.Bound {
		for range b.Count {
			r.bind(b.Kind, b.Node)
			if k := r.kubelets[b.Node]; k != nil {
				p := r.pod(b.Kind)
				k.Admit(&p) // it runs: what the kubelet thinks of it is history
			}
		}
	}
	return r, nil
}

// startKubelets starts the kubelet of each node that needs one.
func (r *run) startKubelets() []error {
	first := make([]*kubelet.Node, len(r.c.Types))
	var wrong []error
	for i, t := range r.c.Types {
		if !t.Pinned {
			continue
		}
		n, err := kubelet.New(t.Machine, t.Kubelet)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("node type %s: the kubelet would not start: %w", t.Name, err))
			continue
		}
		first[i] = n
	}
	for i, t := range r.c.Of {
		if first[t] != nil {
			r.kubelets[i] = first[t].Clone()
		}
	}
	return wrong
}

// pod is a pod of the kind with a name of its own.
func (r *run) pod(kind int) podres.Pod {
	p := r.c.Kinds[kind].Spec
	r.next[kind]++
	p.Name = fmt.Sprintf("%s-%d", p.Name, r.next[kind])
	p.UID = fmt.Sprintf("%d/%d", kind, r.next[kind])
	return p
}

// kindOf is the kind of the pod with a UID that pod has given it.
func kindOf(uid string) int {
	kind, _, _ := strings.Cut(uid, "/")
	n, _ := strconv.Atoi(kind)
	return n
}

func (r *run) bind(kind, node int) {
	r.s.Bind(r.class[kind], node)
	r.count(kind, node, 1)
}

// count adds n pods of a kind to a node, or takes them away.
func (r *run) count(kind, node, n int) {
	r.own(node)
	list := r.on[node]
	at, found := slices.BinarySearchFunc(list, kind, func(p v1alpha1.PodsOnNode, kind int) int { return p.PodType - kind })
	if !found {
		list = slices.Insert(list, at, v1alpha1.PodsOnNode{PodType: kind})
	}
	if list[at].Count += n; list[at].Count == 0 {
		list = slices.Delete(list, at, at+1)
	}
	r.on[node] = list
	r.placed[kind] += n
}

// own makes what is known of a node the run's own before it changes.
func (r *run) own(node int) {
	if r.shared == nil || !r.shared[node] {
		return
	}
	r.shared[node] = false
	r.on[node] = slices.Clone(r.on[node])
	if k := r.kubelets[node]; k != nil {
		r.kubelets[node] = k.Clone()
	}
}

// all schedules pods in the order of their arrival.
func (r *run) all(order []int32) {
	const every = 1 << 14
	for i, kind := range order {
		r.one(int(kind))
		if r.progress != nil && i%every == every-1 {
			r.progress(i + 1)
		}
	}
}

// one schedules one pod, and has its node's kubelet admit it. A pod that is
// refused has failed for good; its controller makes another, which the
// scheduler sends out again.
func (r *run) one(kind int) int {
	if r.runaway[kind] {
		r.pending[kind]++
		return -1
	}
	var passed []int
	defer func() {
		for _, n := range passed {
			r.s.SetUnschedulable(n, false)
		}
	}()
	for range attempts(len(r.c.Nodes)) {
		d := r.s.Schedule(r.class[kind])
		if d.Node < 0 {
			r.unplaced(kind)
			return -1
		}
		if r.admit(kind, d.Node) {
			r.count(kind, d.Node, 1)
			return d.Node
		}
		_ = r.s.Unbind(r.class[kind], d.Node)
		if r.aware {
			passed = append(passed, d.Node)
			r.s.SetUnschedulable(d.Node, true)
		}
	}
	r.runaway[kind] = true
	r.pending[kind]++
	return -1
}

// attempts is the number of pods that a controller makes before it is called a
// runaway: by then every node that the scheduler would take has refused one, and
// nothing changes any more.
func attempts(nodes int) int { return 2*nodes + 8 }

// admit asks the kubelet of the node.
func (r *run) admit(kind, node int) bool {
	if r.kubelets[node] == nil {
		return true
	}
	r.own(node)
	k, p := r.kubelets[node], r.pod(kind)
	if k.Admit(&p).Admitted {
		return true
	}
	k.Remove(p.UID)
	if r.refused[kind]++; r.refused[kind] == 1 {
		r.refusals = append(r.refusals, refusal{kind, node, k.Explain(&p)})
	}
	return false
}

// unplaced remembers why a pod fits nowhere.
func (r *run) unplaced(kind int) {
	if r.pending[kind]++; r.first[kind] == nil {
		d := r.s.Explain(r.class[kind])
		r.first[kind] = &d
	}
}

// clone is an independent copy of the simulation, for a what-if. What is known of
// a node is copied when it changes first.
func (r *run) clone() *run {
	c := *r
	c.s = r.s.Clone()
	c.kubelets, c.on = slices.Clone(r.kubelets), slices.Clone(r.on)
	c.placed, c.pending, c.refused = slices.Clone(r.placed), slices.Clone(r.pending), slices.Clone(r.refused)
	c.runaway, c.next, c.first = slices.Clone(r.runaway), slices.Clone(r.next), slices.Clone(r.first)
	c.refusals, c.progress = nil, nil
	c.shared = make([]bool, len(r.c.Nodes))
	for i := range c.shared {
		c.shared[i] = true
	}
	return &c
}
