package place

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/podres"
)

// run is one simulation: the scheduler, and the kubelets of nodes that give out
// CPUs, memory or devices of their own.
type run struct {
	c        *cluster.Cluster
	s        *scheduler.Scheduler
	class    []scheduler.ClassID
	kubelets []*kubelet.Node // nil where admission never fails
	// on are the pods on each node, by kind in rising order.
	on [][]v1alpha1.PodsCount
	// shared says that on and kubelets of a node still belong to the run that this
	// one was cloned from, or to all nodes of its type.
	shared []bool
	// refuses are the shared kubelets that refuse pods of a kind.
	refuses map[refuser]bool
	// placed, pending, refused and failed count pods by kind.
	placed, pending, refused, failed []int
	// stuck are the pending pods that kubelets refuse again and again, by kind, and
	// stuckAt the number of changes when that was certain.
	stuck   []int
	stuckAt []uint64
	changes uint64
	// first is the diagnosis of the first pending pod of each kind.
	first []*scheduler.Diagnosis
	// refusals are pods that kubelets refused, in order; at most a few of each kind.
	refusals []refusal
	// next numbers the pods of each kind.
	next []int
	// trial says that nobody asks why: a what-if.
	trial bool
	// hung says that a kubelet answers no more.
	hung bool
	// order is that of the arrivals; went says where they went.
	order []int32
	went  []v1alpha1.Assignment

	progress func(done int)
	each     func(kind, node int)
	noted    func(step) // is told what count is
	awareOf  []int      // what numaAware found
	// spared are, by kind, the pods that need find no other place; nil spares none.
	spared  []bool
	figures *figures
}

// refusal is a pod that a kubelet refused.
type refusal struct {
	kind, node int
	explained  v1alpha1.Admission
}

// refuser is a kubelet that nothing changes, and a kind of pod.
type refuser struct {
	k    *kubelet.Node
	kind int
}

// newRun sets up scheduler and kubelets, and binds what runs already and what
// DaemonSets add to it.
func newRun(c *cluster.Cluster) (*run, error) {
	s, err := scheduler.New(c.Profile, c.Nodes)
	if err != nil {
		return nil, err
	}
	n := len(c.Kinds)
	r := &run{c: c, s: s, kubelets: make([]*kubelet.Node, len(c.Nodes)), on: make([][]v1alpha1.PodsCount, len(c.Nodes)),
		placed:  make([]int, n),
		pending: make([]int, n), refused: make([]int, n), failed: make([]int, n),
		stuck: make([]int, n), stuckAt: make([]uint64, n),
		first: make([]*scheduler.Diagnosis, n), next: make([]int, n), shared: make([]bool, len(c.Nodes)),
		refuses: map[refuser]bool{}}
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
			if !b.New {
				r.bind(b.Kind, b.Node)
			}
		}
	}
	for _, b := range c.Bound {
		if b.New {
			r.daemon(b.Kind, b.Node)
		}
	}
	return r, nil
}

// startKubelets starts the kubelet of each node that needs one: one for all nodes of a
// type, before their first pods.
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
			r.kubelets[i], r.shared[i] = first[t], true
		}
	}
	return wrong
}

// pod is a pod of the kind with a name of its own.
func (r *run) pod(kind int) podres.Pod {
	p := r.c.Kinds[kind].Spec
	r.next[kind]++
	if t := &r.c.Kinds[kind].Type; !t.Bare || t.Replicas > 1 {
		p.Name = fmt.Sprintf("%s-%d", p.Name, r.next[kind])
	}
	p.UID = fmt.Sprintf("%d/%d", kind, r.next[kind])
	return p
}

// kindOf is the kind of the pod with a UID that pod has given it.
func kindOf(uid string) int {
	kind, _, _ := strings.Cut(uid, "/")
	n, _ := strconv.Atoi(kind)
	return n
}

// bind makes a pod run that has run before.
func (r *run) bind(kind, node int) {
	r.s.Bind(r.class[kind], node)
	r.count(kind, node, 1)
	if k := r.kubelets[node]; k != nil {
		p := r.pod(kind)
		k.Admit(&p) // what the kubelet thinks of it is history
	}
}

// count adds n pods of a kind to a node, or takes them away.
func (r *run) count(kind, node, n int) {
	r.own(node)
	r.changes++
	list := r.on[node]
	at, found := kind, kind < len(list) && list[kind].PodType == kind // as where all kinds run
	if !found {
		at, found = slices.BinarySearchFunc(list, kind, func(p v1alpha1.PodsCount, kind int) int { return p.PodType - kind })
	}
	if !found {
		list = slices.Insert(list, at, v1alpha1.PodsCount{PodType: kind})
	}
	if list[at].Count += n; list[at].Count == 0 {
		list = slices.Delete(list, at, at+1)
	}
	r.on[node] = list
	r.placed[kind] += n
	if r.noted != nil {
		r.noted(step{kind, node, n})
	}
}

// own makes what is known of a node the run's own before it changes.
func (r *run) own(node int) {
	if !r.shared[node] {
		return
	}
	k := r.kubelets[node]
	if k != nil {
		k = k.Clone()
	}
	r.give(node, k)
}

// give makes a kubelet the node's own.
func (r *run) give(node int, k *kubelet.Node) {
	r.shared[node] = false
	r.on[node] = slices.Clone(r.on[node])
	r.kubelets[node] = k
}

// clone is an independent copy of the simulation, for a what-if. What is known of
// a node is copied when it changes first.
func (r *run) clone() *run {
	c := *r
	c.s = r.s.Clone()
	c.kubelets, c.on = slices.Clone(r.kubelets), slices.Clone(r.on)
	c.placed, c.pending, c.refused = slices.Clone(r.placed), slices.Clone(r.pending), slices.Clone(r.refused)
	c.failed = slices.Clone(r.failed)
	c.stuck, c.stuckAt, c.next = slices.Clone(r.stuck), slices.Clone(r.stuckAt), slices.Clone(r.next)
	c.refusals, c.progress, c.each, c.noted, c.went, c.trial = nil, nil, nil, nil, nil, true
	c.shared, c.refuses = make([]bool, len(r.c.Nodes)), map[refuser]bool{}
	for i := range c.shared {
		c.shared[i] = true
	}
	return &c
}

// spare takes pods out of what is missed when they find no other place.
func (r *run) spare(names []string) {
	r.spared = make([]bool, len(r.c.Kinds))
	for i, k := range r.c.Kinds {
		r.spared[i] = slices.Contains(names, k.Type.Name)
	}
}

// missed is how many of the homeless are not spared.
func (r *run) missed(homeless []int) int {
	n := sum(homeless)
	for kind, spared := range r.spared {
		if spared {
			n -= homeless[kind]
		}
	}
	return n
}
