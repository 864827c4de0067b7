package place

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/whatif"
)

// outcome fills in the document.
func (r *run) outcome(p *v1alpha1.Placement, opt Options) error {
	r.measure()
	p.Rules = r.rules(opt)
	p.Assignments = r.went
	r.podTypes(p)
	first := r.nodes(p)
	r.resources(p)
	r.machines(p, first)
	r.admissions(p)
	r.whatIf(p, opt)
	r.findings(p, opt)
	if err := r.otherOrders(p, opt.Stated); err != nil {
		return err
	}
	r.verdict(p)
	return nil
}

// podTypes says what became of each kind of pod.
func (r *run) podTypes(p *v1alpha1.Placement) {
	bound, made := r.boundOf()
	mixed, all := r.mixedRoom()
	capped := false
	p.PodTypes = []v1alpha1.PodOutcome{} // a list also when it is empty
	for i, k := range r.c.Kinds {
		o := v1alpha1.PodOutcome{Name: k.Type.Name, Namespace: k.Type.Namespace, QOSClass: k.QOS, Bound: bound[i],
			Wanted:   bound[i] + made[i] + k.Count,
			Requests: cluster.Amounts(k.Pod.Request),
			Placed:   r.placed[i], Pending: r.pending[i], Failed: r.failed[i], Refused: r.refused[i],
			Runaway: r.stuck[i] > 0, MoreMixed: mixed[i]}
		more, counted := r.room(i)
		o.More, o.AtLeast = more, !counted
		if d := r.first[i]; d != nil {
			r.unfit(&o, i, d)
		}
		if r.refused[i] > 0 {
			n := r.numaAware()[i]
			o.NUMAAware = &n
		}
		p.PodTypes = append(p.PodTypes, o)
		capped = capped || !counted
	}
	if capped {
		most := words.Number(r.tried())
		p.Rules = append(p.Rules, "room for more pods of a type is counted up to "+most+" where only placing them tells")
	}
	if !all {
		p.Rules = append(p.Rules, fmt.Sprintf("room for all types together is counted up to %d times the workload, "+
			"or %s", maxGrowth, words.Count(mostMixed, "pod")))
	}
}

// unfit says why the first pending pod fits nowhere.
func (r *run) unfit(o *v1alpha1.PodOutcome, kind int, d *scheduler.Diagnosis) {
	for _, reason := range d.Reasons {
		o.Reasons = append(o.Reasons, v1alpha1.UnfitReason{Reason: cluster.Reason(reason.Reason), Nodes: reason.Nodes})
	}
	o.Message, o.Nearest = cluster.Reason(d.Message), r.nearest(d)
	if k := &r.c.Kinds[kind]; !k.Type.DaemonSet && k.NotTried == "" {
		o.Preemption = cluster.Reason(r.preemption(kind))
	}
}

// boundOf counts, by kind, the pods that ran already, and those that DaemonSets
// add.
func (r *run) boundOf() (bound, made []int) {
	bound, made = make([]int, len(r.c.Kinds)), make([]int, len(r.c.Kinds))
	for _, q := range r.c.Queue {
		if r.c.Kinds[q.Kind].Type.DaemonSet {
			made[q.Kind]++
		}
	}
	for _, b := range r.c.Bound {
		if b.New {
			made[b.Kind] += b.Count
		} else {
			bound[b.Kind] += b.Count
		}
	}
	return bound, made
}

// nodes tells equal nodes as one, and returns the first of each.
func (r *run) nodes(p *v1alpha1.Placement) (first []int) {
	at := map[string]int{}
	for i := range r.c.Nodes {
		n := r.node(i)
		if r.kubelets[i] == nil {
			key := r.nodeKey(n)
			if k, ok := at[key]; ok {
				p.Nodes[k].Count++
				continue
			}
			at[key] = len(p.Nodes)
		}
		p.Nodes, first = append(p.Nodes, n), append(first, i)
	}
	return first
}

// nodeKey is equal for nodes that a reader need not tell apart.
func (r *run) nodeKey(n v1alpha1.PlacedNode) string {
	key := binary.AppendUvarint(nil, uint64(len(n.Pods)))
	for _, p := range n.Pods {
		key = binary.AppendUvarint(binary.AppendUvarint(key, uint64(p.PodType)), uint64(p.Count))
	}
	n.Name, n.Pods = "", nil
	return string(fmt.Append(key, n))
}

// node is one node and what runs there.
func (r *run) node(i int) v1alpha1.PlacedNode {
	at := &r.c.Nodes[i]
	n := v1alpha1.PlacedNode{Name: at.Name, Count: 1, Type: r.c.Types[r.c.Of[i]].Name, Unschedulable: at.Unschedulable}
	for _, key := range r.c.Domains {
		if v, ok := at.Labels[key]; ok {
			if n.Domains == nil {
				n.Domains = map[string]string{}
			}
			n.Domains[key] = v
		}
	}
	n.Pods = slices.Clone(r.on[i])
	l := r.loadOf(i)
	for _, k := range r.figures.shown {
		if has, used := l.has[k], l.used[k]; l.stated(r.figures, k) && (has > 0 || used > 0) {
			n.Resources = append(n.Resources, v1alpha1.NodeResource{Resource: r.figures.names[k], Allocatable: has,
				Requested: used})
		}
	}
	n.Full = l.full
	return n
}

// machines draws the machine of each node whose kubelet gives out CPUs, memory
// or devices of their own, at most so many; first are the first of equal ones.
func (r *run) machines(p *v1alpha1.Placement, first []int) {
	for i := range p.Nodes {
		k := r.kubelets[first[i]]
		if k == nil || len(p.Machines) >= mostMachines {
			continue
		}
		m := k.Map()
		m.Node, m.Type = p.Nodes[i].Name, p.Nodes[i].Type
		p.Machines = append(p.Machines, m)
		p.Nodes[i].Machine = len(p.Machines)
	}
}

// mostMachines bounds the machines that are drawn; the rest are in the nodes'
// table.
const mostMachines = 200

// resources sums up the cluster, and what is stranded: free on nodes where no
// pod of any kind finds enough of everything.
func (r *run) resources(p *v1alpha1.Placement) {
	f := r.figures
	total := whatif.NewTotals()
	at := map[string]int{} // in the order to show
	for i, k := range f.shown {
		at[f.names[k]] = i
		total.Add(f.names[k], 0, 0, 1)
	}
	for node := range r.c.Nodes {
		l := r.loadOf(node)
		for _, k := range f.shown {
			if !l.stated(f, k) {
				total.Add(f.names[k], 0, l.used[k], 1)
				continue
			}
			total.Add(f.names[k], l.has[k], l.used[k], 1)
			if l.full {
				total.Strand(f.names[k], l.has[k]-l.used[k], 1, l.missing)
			}
		}
	}
	p.Resources = total.List(func(a, b string) int { return cmp.Compare(at[a], at[b]) })
}

// rules are the rules that decided, in words.
func (r *run) rules(opt Options) []string {
	order := map[string]string{cluster.Shuffled: fmt.Sprintf("shuffled (seed %d)", opt.Seed),
		cluster.LargestFirst: "the largest first"}[opt.Order]
	if order == "" {
		order = "type by type, as they are listed"
		pods := 0
		for _, k := range r.c.Kinds {
			pods += k.Count
		}
		switch queued := len(r.c.Queue); {
		case queued > 0 && queued == pods:
			order = "in the queue's order, by priority and then by age"
		case queued > 0:
			order = "in the queue's order, by priority and then by age; the scenario's after them, " + order
		}
	}
	rules := []string{r.s.Rules(), "pods arrive " + order,
		"each pod is tried once; nothing is preempted"}
	if n := slices.IndexFunc(r.c.Types, func(t cluster.Type) bool { return t.Pinned }); n >= 0 {
		rules = append(rules, "kubelets admit by the rules of Kubernetes 1.36")
	}
	return append(rules, r.c.Notes...)
}

// verdict is the placement in three sentences.
func (r *run) verdict(p *v1alpha1.Placement) {
	wanted, placed, worst := whatif.Worst(len(p.PodTypes), func(i int) (int, int, int) {
		return p.PodTypes[i].Wanted, p.PodTypes[i].Placed, p.PodTypes[i].Pending + p.PodTypes[i].Failed
	})
	p.Verdict.Fits = placed >= wanted && worst < 0
	p.Verdict.Summary = fmt.Sprintf("%s of %s pods run on %s",
		words.Number(placed), words.Number(wanted), words.Count(len(r.c.Nodes), "node"))
	if worst >= 0 {
		o := p.PodTypes[worst]
		p.Verdict.Problem = fmt.Sprintf("%s of %s: %s", words.Count(o.Pending+o.Failed, "pod"), o.Name, why(o))
	}
	whatif.Judge(&p.PlacementHead)
	p.Verdict.Tightest = whatif.Tightest(p.Resources, "requested")
}

// why is the main reason of a pod type that does not run, in a few words.
func why(o v1alpha1.PodOutcome) string {
	switch {
	case o.Failed > 0 && o.Pending == 0:
		return "a kubelet refuses it, and no controller makes another"
	case o.Runaway:
		return "kubelets refuse them again and again"
	case len(o.Reasons) == 0:
		return cmp.Or(o.Message, "no node takes them")
	}
	best := slices.MaxFunc(o.Reasons, func(a, b v1alpha1.UnfitReason) int { return cmp.Compare(a.Nodes, b.Nodes) })
	return strings.ToLower(best.Reason[:1]) + best.Reason[1:]
}
