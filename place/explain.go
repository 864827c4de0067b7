package place

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/whatif"
	"plimsoll.dev/unit"
)

// nearest names the node that a pod misses by least, and by what.
func (r *run) nearest(d *scheduler.Diagnosis) string {
	if d.Nearest == nil {
		return ""
	}
	var lacks []string
	for _, l := range d.Nearest.Lacks {
		if _, own := cluster.MostOf(l.Resource); own {
			lacks = nil // the reasons say it in words
			break
		}
		lacks = append(lacks, unit.FormatResource(l.Resource, l.Amount)+" of "+l.Resource)
	}
	name := r.c.Nodes[d.Nearest.Node].Name
	if len(lacks) == 0 {
		var reasons []string
		for _, reason := range d.Nearest.Reasons {
			reasons = append(reasons, cluster.Reason(reason))
		}
		return name + ": " + strings.Join(reasons, ", ")
	}
	return name + " lacks " + strings.Join(lacks, " and ")
}

// evicts is what preemption would do, where it helps.
const evicts = "would take the place of "

// preemption reports whether pods of lower priority would make room.
func (r *run) preemption(kind int) string {
	v := r.s.Preempt(r.class[kind])
	if v.Node < 0 {
		return v.Message
	}
	var victims []string
	for _, c := range v.Victims {
		if i := slices.Index(r.class, c.Class); i >= 0 {
			victims = append(victims, fmt.Sprintf("%d %s", c.Count, r.c.Kinds[i].Type.Name))
		}
	}
	return fmt.Sprintf(evicts+"%s on %s", strings.Join(victims, ", "), r.c.Nodes[v.Node].Name)
}

// admissions explain what kubelets refused, the first of each kind of pod.
func (r *run) admissions(p *v1alpha1.Placement) {
	for _, f := range r.refusals {
		a := f.explained
		a.Node, a.Pod, a.Count = r.c.Nodes[f.node].Name, r.c.Kinds[f.kind].Type.Name, r.refused[f.kind]
		p.Admissions = append(p.Admissions, a)
	}
}

// remedy is what would end a runaway.
func remedy(o v1alpha1.PodOutcome) string {
	if o.NUMAAware != nil && *o.NUMAAware > o.Placed {
		return "let a NUMA-aware scheduler place it, or see under admission what would let it in"
	}
	return "see under admission what would let it in"
}

// AllowOne is the remedy where a disruption budget blocks a drain.
const AllowOne = "let the budget allow one pod at least, or run one pod more of what it guards"

// findings judge the placement as a whole.
func (r *run) findings(p *v1alpha1.Placement, opt Options) {
	for _, o := range p.PodTypes {
		switch {
		case o.Runaway:
			p.Find(v1alpha1.Error, "place.runaway["+o.Name+"]",
				o.Name+": kubelets refuse every new pod, and its controller makes another one for ever", remedy(o))
		case o.Failed > 0:
			p.Find(v1alpha1.Error, "place.failed["+o.Name+"]", fmt.Sprintf("%s: kubelets refused %s for good: no controller "+
				"makes another", o.Name, words.Count(o.Failed, "pod")), remedy(o))
		case o.Refused > 0:
			p.Find(v1alpha1.Warning, "place.refused["+o.Name+"]",
				fmt.Sprintf("%s: kubelets refused %s before all found a node", o.Name, words.Count(o.Refused, "pod")), "")
		}
		if strings.HasPrefix(o.Preemption, evicts) {
			p.Find(v1alpha1.Warning, "place.preemption["+o.Name+"]", o.Name+" "+o.Preemption+
				": nothing is evicted here, and both may end elsewhere", "")
		}
	}
	if n := len(r.c.Nodes); opt.Failures > 1 && n <= opt.Failures && opt.Stated.Failures < n {
		p.Find(v1alpha1.Warning, "place.failures",
			fmt.Sprintf("no failure of %s was tried: there are only %d", words.Count(opt.Failures, "node"), n), "")
	}
	for _, l := range p.Losses {
		if l.Worst != "" {
			p.Find(whatif.Broken(l.Asked), "place.loss["+l.What+"]", fmt.Sprintf("the workload does not survive the loss of %s",
				l.What), "add nodes, or spread the pods over more of them")
		}
	}
	for _, d := range p.Drains {
		if d.Worst != "" {
			p.Find(whatif.Broken(d.Asked), "place.drain", fmt.Sprintf("pods lose their place during a %s", d.What),
				"add a node for the time of the update, or set a lower maxUnavailable")
		}
		if d.Blocked != "" {
			p.Find(whatif.Broken(d.Asked), "place.budget", "a "+d.What+", never ends: "+d.Blocked, AllowOne)
		}
	}
	for _, a := range p.Admissions {
		if a.Slow != "" {
			p.Find(v1alpha1.Warning, "place.slow["+a.Pod+"]", a.Pod+": "+a.Slow, "")
		}
	}
}
