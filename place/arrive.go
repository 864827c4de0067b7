package place

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/scheduler"
)

// all schedules pods in the order of their arrival.
func (r *run) all(order []int32) {
	const every = 1 << 14
	r.untried()
	order = slices.DeleteFunc(order, func(kind int32) bool { return r.c.Kinds[kind].NotTried != "" })
	r.order = order
	order = r.queue(order)
	for i, end := 0, 0; i < len(order); i = end {
		for end = i + 1; end < len(order) && order[end] == order[i] && end%every != 0; end++ {
		}
		r.inRow(int(order[i]), end-i)
		if r.progress != nil && end%every == 0 {
			r.progress(end)
		}
	}
	r.retry()
}

// untried notes the pods that the scheduler leaves alone.
func (r *run) untried() {
	for kind := range r.c.Kinds {
		if k := &r.c.Kinds[kind]; k.NotTried != "" && k.Count > 0 {
			r.pending[kind] += k.Count
			r.first[kind] = &scheduler.Diagnosis{Message: k.NotTried}
		}
	}
}

// queue schedules the pods of a snapshot that wait, where the order begins with
// them, else those of DaemonSets alone; it returns the rest of the order.
func (r *run) queue(order []int32) []int32 {
	n := 0
	for _, q := range r.c.Queue {
		switch {
		case q.Node >= 0:
			r.daemon(q.Kind, q.Node)
			r.s.Looked(r.class[q.Kind])
		case r.c.Kinds[q.Kind].Type.DaemonSet:
			r.unplaced(q.Kind) // its node is gone
		case n < len(order) && int(order[n]) == q.Kind:
			r.arrive(q.Kind)
			n++
		}
	}
	return order[n:]
}

// arrive schedules one pod of the workload, and tells of it.
func (r *run) arrive(kind int) {
	node := r.one(kind)
	if r.each != nil {
		r.each(kind, node)
	}
}

// inRow schedules equal pods one after the other, in one go where no kubelet has a say.
func (r *run) inRow(kind, pods int) {
	if r.each != nil || r.pinnedAny() {
		for range pods {
			r.arrive(kind)
		}
		return
	}
	placed := r.s.ScheduleRun(r.class[kind], pods, func(node int) {
		r.count(kind, node, 1)
		r.tell(kind, node)
	})
	if placed < pods {
		r.unplaced(kind)
		r.pending[kind] += pods - placed - 1
	}
}

// daemon starts the pod of a DaemonSet on its node. A pod that the kubelet refuses
// is made again, for the same node. A topology spread of a DaemonSet is judged over
// all nodes, while Kubernetes judges it over the one that the pod is meant for.
func (r *run) daemon(kind, node int) {
	ok := r.s.ScheduleOn(r.class[kind], node)
	if r.each != nil {
		r.each(kind, map[bool]int{true: node, false: -1}[ok])
	}
	if !ok {
		if r.pending[kind]++; r.first[kind] == nil && !r.trial {
			d := r.s.ExplainOn(r.class[kind], node)
			r.first[kind] = &d
		}
		return
	}
	if !r.admit(kind, node) {
		r.mustUnbind(kind, node)
		r.stick(kind)
		return
	}
	r.count(kind, node, 1)
}

// one schedules one pod, and has its node's kubelet admit it. A pod that is
// refused has failed for good; its controller makes another, which the scheduler
// sends out again, until one runs, or it is certain that none ever will.
func (r *run) one(kind int) int {
	if r.stuck[kind] > 0 && r.stuckAt[kind] == r.changes {
		r.stick(kind)
		return -1
	}
	t := attempts{r: r, kind: kind}
	for {
		start := r.s.Start()
		node := r.s.Schedule(r.class[kind]).Node
		if node < 0 {
			r.unplaced(kind)
			return -1
		}
		if r.admit(kind, node) {
			r.count(kind, node, 1)
			r.tell(kind, node)
			return node
		}
		r.mustUnbind(kind, node)
		if r.c.Kinds[kind].Type.Bare {
			r.failed[kind]++ // nothing makes another one
			return -1
		}
		if t.vain(start) {
			r.stick(kind)
			return -1
		}
	}
}

// attempts are those to run one pod. A refusal changes nothing but where the next
// search starts. So the pods are a runaway when a search starts where one has
// started before, and at all starts between the two every node that the scheduler
// may choose has refused: then it goes on like that for ever.
type attempts struct {
	r    *run
	kind int
	// dead are the starts at which all choices refuse, since the last start at which
	// one would not.
	dead map[int]bool
	// answers of the nodes' kubelets.
	answers []answer
}

// vain says, after a refusal, whether all further attempts are in vain.
func (t *attempts) vain(start int) bool {
	if t.dead[start] {
		return true
	}
	if t.r.s.Random() && !t.allRefuse(start) {
		clear(t.dead) // sooner or later the lot falls on the node that does not
		return false
	}
	if t.dead == nil {
		t.dead = map[int]bool{}
	}
	t.dead[start] = true
	return false
}

// allRefuse reports whether all choices of a search that starts there refuse.
func (t *attempts) allRefuse(start int) bool {
	if t.answers == nil {
		t.answers = make([]answer, len(t.r.c.Nodes))
	}
	for n := range t.r.s.Ties(t.r.class[t.kind], start) {
		if t.answers[n] == unasked {
			t.answers[n] = t.r.ask(t.kind, n)
		}
		if t.answers[n] == admits {
			return false
		}
	}
	return true
}

// answer is what a kubelet says of a kind of pod.
type answer byte

const (
	unasked answer = iota
	admits
	refuses
)

// ask asks the kubelet of a node without consequences.
func (r *run) ask(kind, node int) answer {
	k := r.kubelets[node]
	if k == nil {
		return admits
	}
	p := r.pod(kind)
	if r.shared[node] && r.refuses[refuser{k, kind}] || !k.Clone().Admit(&p).Admitted {
		return refuses
	}
	return admits
}

// stick notes a pod that kubelets refuse again and again.
func (r *run) stick(kind int) {
	r.pending[kind]++
	r.stuck[kind]++
	r.stuckAt[kind] = r.changes
}

// retry sends out again the pods that kubelets refuse again and again, as their
// controllers do, where something has changed since.
func (r *run) retry() {
	for ran := true; ran; {
		ran = false
		for kind, n := range r.stuck {
			if n == 0 || r.c.Kinds[kind].Type.DaemonSet || r.stuckAt[kind] == r.changes {
				continue
			}
			r.stuck[kind] = 0
			r.pending[kind] -= n
			for range n {
				ran = r.one(kind) >= 0 || ran
			}
		}
	}
}

// admit asks the kubelet of the node. One that has refused a pod is as it was before,
// with the next admission, so that those of equal nodes need not all be asked.
func (r *run) admit(kind, node int) bool {
	k := r.kubelets[node]
	if k == nil {
		return true
	}
	p, shared, like := r.pod(kind), r.shared[node], refuser{k, kind}
	if shared {
		if r.refuses[like] {
			r.refused[kind]++
			return false
		}
		k = k.Clone()
	}
	v := k.Admit(&p)
	r.hung = r.hung || v.Reason == kubelet.Hangs
	if plain := !v.Admitted && v.Reason != kubelet.Hangs && len(v.Preempted) == 0; shared && plain {
		r.refuses[like] = true
	} else if shared {
		r.give(node, k)
	}
	if v.Admitted {
		return true
	}
	if r.refused[kind]++; r.refused[kind] == 1 && !r.trial {
		p.UID += "/again" // what the first pod held is no longer kept for it
		r.refusals = append(r.refusals, refusal{kind, node, k.Explain(&p)})
	}
	return false
}

// unplaced remembers why a pod fits nowhere.
func (r *run) unplaced(kind int) {
	if r.pending[kind]++; r.first[kind] == nil && !r.trial {
		d := r.s.Explain(r.class[kind])
		r.first[kind] = &d
	}
}

// mostAssigned is the most pods whose nodes are told one by one.
const mostAssigned = 20_000

// tell notes where a pod went.
func (r *run) tell(kind, node int) {
	if r.trial || len(r.order) > mostAssigned {
		return
	}
	name := r.c.Nodes[node].Name
	if n := len(r.went); n > 0 && r.went[n-1].PodType == kind && r.went[n-1].Node == name {
		r.went[n-1].Count++
		return
	}
	r.went = append(r.went, v1alpha1.Assignment{PodType: kind, Node: name, Count: 1})
}
