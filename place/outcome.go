package place

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cluster"
)

// outcome fills in the document.
func (r *run) outcome(p *v1alpha1.Placement, opt Options) {
	p.Rules = r.rules(opt)
	r.podTypes(p)
	r.nodes(p)
	r.resources(p)
	r.machines(p)
	r.admissions(p)
	r.whatIf(p, opt)
	r.findings(p)
	r.verdict(p)
}

// podTypes says what became of each kind of pod.
func (r *run) podTypes(p *v1alpha1.Placement) {
	mixed := r.mixedRoom()
	for i, k := range r.c.Kinds {
		o := v1alpha1.PodOutcome{Name: k.Type.Name, Namespace: k.Type.Namespace, QOSClass: k.QOS, Bound: r.boundOf(i),
			Requests: cluster.Amounts(k.Pod.Request),
			Placed:   r.placed[i], Pending: r.pending[i], Refused: r.refused[i], Runaway: r.runaway[i], More: r.room(i), MoreMixed: mixed[i]}
		o.Wanted = o.Bound + k.Count
		if d := r.first[i]; d != nil {
			for _, reason := range d.Reasons {
				o.Reasons = append(o.Reasons, v1alpha1.UnfitReason{Reason: cluster.Reason(reason.Reason), Nodes: reason.Nodes})
			}
			o.Message, o.Nearest, o.Preemption = d.Message, r.nearest(d), r.preemption(i)
		}
		if r.refused[i] > 0 && !r.aware {
			n := r.numaAware()[i]
			o.NUMAAware = &n
		}
		p.PodTypes = append(p.PodTypes, o)
	}
}

func (r *run) boundOf(kind int) int {
	n := 0
	for _, b := range r.c.Bound {
		if b.Kind == kind {
			n += b.Count
		}
	}
	return n
}

// nodes tells equal nodes as one.
func (r *run) nodes(p *v1alpha1.Placement) {
	at := map[string]int{}
	names := r.c.Resources()
	for i := range r.c.Nodes {
		n := r.node(i, names)
		key := r.nodeKey(n)
		if k, ok := at[key]; ok && r.kubelets[i] == nil {
			p.Nodes[k].Count++
			continue
		}
		at[key] = len(p.Nodes)
		p.Nodes = append(p.Nodes, n)
	}
}

// nodeKey is equal for nodes that a reader need not tell apart.
func (r *run) nodeKey(n v1alpha1.PlacedNode) string {
	n.Name = ""
	return fmt.Sprint(n)
}

// node is one node and what runs there.
func (r *run) node(i int, names []string) v1alpha1.PlacedNode {
	n := v1alpha1.PlacedNode{Name: r.c.Nodes[i].Name, Count: 1, Type: r.c.Types[r.c.Of[i]].Name}
	for _, key := range r.c.Domains {
		if v, ok := r.c.Nodes[i].Labels[key]; ok {
			if n.Domains == nil {
				n.Domains = map[string]string{}
			}
			n.Domains[key] = v
		}
	}
	n.Pods = slices.Clone(r.on[i])
	has, used := cluster.Amounts(r.c.Nodes[i].Allocatable), r.used(i)
	for _, name := range names {
		if has[name] > 0 || used[name] > 0 {
			n.Resources = append(n.Resources, v1alpha1.NodeResource{Resource: name, Allocatable: has[name], Requested: used[name]})
		}
	}
	_, n.Full = r.full(i, has, used)
	return n
}

// used is what the pods on a node request, counted anew from the pods.
func (r *run) used(node int) map[string]int64 {
	sum := map[string]int64{}
	for _, p := range r.on[node] {
		for name, n := range cluster.Amounts(r.c.Kinds[p.PodType].Pod.Request) {
			sum[name] += n * int64(p.Count)
		}
		sum["pods"] += int64(p.Count)
	}
	return sum
}

// resources sums up the cluster, and what is stranded: free on nodes where no
// pod of any kind finds enough of everything.
func (r *run) resources(p *v1alpha1.Placement) {
	names := r.c.Resources()
	sum := map[string]*v1alpha1.ClusterResource{}
	for _, name := range names {
		p.Resources = append(p.Resources, v1alpha1.ClusterResource{Resource: name})
	}
	for i := range p.Resources {
		sum[p.Resources[i].Resource] = &p.Resources[i]
	}
	short := map[string]map[string]int{} // by stranded resource, how often each other one is what is missing
	for i := range r.c.Nodes {
		has, used := cluster.Amounts(r.c.Nodes[i].Allocatable), r.used(i)
		missing, full := r.full(i, has, used)
		for _, name := range names {
			s := sum[name]
			s.Allocatable += has[name]
			s.Requested += used[name]
			if free := has[name] - used[name]; full && free > 0 {
				s.Stranded += free
				if short[name] == nil {
					short[name] = map[string]int{}
				}
				short[name][missing]++
			}
		}
	}
	for name, by := range short {
		sum[name].By = most(by, name)
	}
}

// full says whether no kind of pod that may run on a node finds enough of
// everything there, and which resource is missing for the most kinds.
func (r *run) full(node int, has, used map[string]int64) (missing string, full bool) {
	short := map[string]int{}
	for _, k := range r.c.Kinds {
		if k.Type.DaemonSet || !r.c.RunsOn(k, node) {
			continue
		}
		lacks := ""
		for name, n := range cluster.Amounts(k.Pod.Request) {
			if n > has[name]-used[name] && (lacks == "" || name < lacks) {
				lacks = name
			}
		}
		if has["pods"]-used["pods"] < 1 {
			lacks = "pods"
		}
		if lacks == "" {
			return "", false
		}
		short[lacks]++
	}
	return most(short, ""), len(short) > 0
}

// most is the key with the highest count, the first in order among equals.
func most(counts map[string]int, but string) string {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if name != but && (best == "" || counts[name] > counts[best]) {
			best = name
		}
	}
	return best
}

// rules are the rules that decided, in words.
func (r *run) rules(opt Options) []string {
	order := map[string]string{cluster.Shuffled: fmt.Sprintf("shuffled (seed %d)", opt.Seed), cluster.LargestFirst: "the largest first"}[opt.Order]
	rules := []string{r.s.Rules(), "pods arrive " + cmp.Or(order, "type by type, as they are listed"), "each pod is tried once; nothing is preempted"}
	if n := slices.IndexFunc(r.c.Types, func(t cluster.Type) bool { return t.Pinned }); n >= 0 {
		rules = append(rules, "kubelets admit by the rules of Kubernetes 1.36")
	}
	return append(rules, r.c.Notes...)
}

// verdict is the placement in three sentences.
func (r *run) verdict(p *v1alpha1.Placement) {
	wanted, placed := 0, 0
	var worst *v1alpha1.PodOutcome
	for i := range p.PodTypes {
		o := &p.PodTypes[i]
		wanted, placed = wanted+o.Wanted, placed+o.Placed
		if o.Pending > 0 && (worst == nil || o.Pending > worst.Pending) {
			worst = o
		}
	}
	p.Verdict.Fits = placed >= wanted && worst == nil
	p.Verdict.Summary = fmt.Sprintf("%s of %s pods run on %s", count(placed), count(wanted), plural(len(r.c.Nodes), "node"))
	if worst != nil {
		p.Verdict.Problem = fmt.Sprintf("%s of %s: %s", plural(worst.Pending, "pod"), worst.Name, why(*worst))
	}
	p.Verdict.Tightest = tightest(p)
}

// why is the main reason of a pod type that does not run, in a few words.
func why(o v1alpha1.PodOutcome) string {
	switch {
	case o.Runaway:
		return "kubelets refuse them again and again"
	case len(o.Reasons) == 0:
		return "no node takes them"
	}
	best := slices.MaxFunc(o.Reasons, func(a, b v1alpha1.UnfitReason) int { return cmp.Compare(a.Nodes, b.Nodes) })
	return strings.ToLower(best.Reason[:1]) + best.Reason[1:]
}

// tightest says which resource is the fullest.
func tightest(p *v1alpha1.Placement) string {
	best, share := "", -1.0
	for _, c := range p.Resources {
		if c.Allocatable > 0 && float64(c.Requested)/float64(c.Allocatable) > share {
			best, share = c.Resource, float64(c.Requested)/float64(c.Allocatable)
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("%s is the fullest resource: %.0f %% is requested", best, share*100)
}
