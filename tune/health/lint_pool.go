package health

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/kube"
	"plimsoll.dev/tune/era"
	"plimsoll.dev/tune/object"
	"plimsoll.dev/tune/selector"
)

// pool is the machines that manifests tell of.
type pool struct {
	machines []openshift.Machine
	sets     []replicaSet
}

// replicaSet is a MachineSet as far as it tells of machines.
type replicaSet struct {
	Metadata openshift.ObjectMeta `json:"metadata"`
	Spec     struct {
		Replicas *int64 `json:"replicas"`
		Template struct {
			Metadata openshift.ObjectMeta `json:"metadata"`
		} `json:"template"`
	} `json:"spec"`
}

// poolsOf reads machines and machine sets; what is wrong with them is not told here.
func poolsOf(objects []*object.Object) pool {
	machines, _ := object.All[openshift.Machine](objects, "Machine")
	sets, _ := object.All[replicaSet](objects, "MachineSet")
	return pool{object.Values(machines), object.Values(sets)}
}

func (p pool) empty() bool { return len(p.machines)+len(p.sets) == 0 }

// selected are the machines that a check selects, and the number of them with those
// that machine sets will make whose machines are not told.
func (p pool) selected(mhc *openshift.MachineHealthCheck) (list []openshift.Machine, size int) {
	sel := &mhc.Spec.Selector
	told := map[string]bool{}
	for _, m := range p.machines {
		told[m.Metadata.Labels[LabelMachineSet]] = true
		if m.Metadata.Namespace == mhc.Metadata.Namespace && kube.Selects(sel, m.Metadata.Labels) {
			list = append(list, m)
		}
	}
	size = len(list)
	for _, s := range p.sets {
		if !told[s.Metadata.Name] && s.Metadata.Namespace == mhc.Metadata.Namespace && kube.Selects(sel, s.Spec.Template.Metadata.Labels) {
			size += int(s.replicas())
		}
	}
	return list, size
}

// replicas of a set; 1 when they are not given.
func (s replicaSet) replicas() int64 {
	if s.Spec.Replicas == nil {
		return 1
	}
	return min(max(*s.Spec.Replicas, 0), maxMachines)
}

// judge looks at a check together with the machines.
func (p pool) judge(s *subject) {
	if p.empty() {
		s.judgeSize(-1)
		return
	}
	if selector.Wrong(&s.mhc.Spec.Selector) != "" {
		return
	}
	list, size := p.selected(s.mhc)
	if size == 0 {
		s.say(nothing, "spec.selector", "the selector takes none of the machines: "+selectorText(&s.mhc.Spec.Selector), "select by labels that the machines have")
		return
	}
	s.judgeSize(size)
	s.judgeMachines(list)
}

// judgeMachines finds machines that count and are not remediated.
func (s *subject) judgeMachines(list []openshift.Machine) {
	policy := NewPolicy(s.mhc, s.era)
	var masters, alone []string
	for i := range list {
		m, err := MachineOf(&list[i])
		switch {
		case err != nil:
		case (Target{Machine: m}).isMaster():
			masters = append(masters, m.Name)
		case !policy.owned(m):
			alone = append(alone, m.Name)
		}
	}
	role := asksFor(&s.mhc.Spec.Selector, LabelMachineRole)
	if len(masters) > 0 && role != "master" && asksFor(&s.mhc.Spec.Selector, LabelMachineType) != "master" {
		s.say(controlPlane, "spec.selector", "the check covers "+few(masters)+" of the control plane: "+s.ofMasters(), "select workers only")
	}
	if len(alone) > 0 {
		s.say(ownerless, "spec.selector", few(alone)+" has no owner that replaces it ("+ownerKind.In(s.era)+"): it counts, and is never remediated", "select machines of machine sets only")
	}
}

// overlaps finds checks that cover the same machines: those that are told, or
// because one asks for no more than the other.
func overlaps(list []object.Typed[openshift.MachineHealthCheck], machines pool, e era.Era) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for j := range list {
		b := &list[j].Value
		var whats []string
		others := map[string][]string{}
		for i := range j {
			a := &list[i].Value
			if a.Metadata.Namespace != b.Metadata.Namespace {
				continue
			}
			if what := shared(a, b, machines); what != "" {
				if others[what] == nil {
					whats = append(whats, what)
				}
				others[what] = append(others[what], a.Metadata.Name)
			}
		}
		for _, what := range whats {
			all := "both"
			if len(others[what]) > 1 {
				all = "all"
			}
			out = append(out, list[j].Finding(overlap, "spec.selector",
				fmt.Sprintf("checks %s and %s %s cover %s: each counts and deletes without the other", strings.Join(others[what], ", "), b.Metadata.Name, all, what), "give each machine one check"))
		}
	}
	return out
}

// shared says what two checks certainly both cover; empty for nothing.
func shared(a, b *openshift.MachineHealthCheck, machines pool) string {
	if selector.Wrong(&a.Spec.Selector) != "" || selector.Wrong(&b.Spec.Selector) != "" {
		return ""
	}
	var both []string
	of, _ := machines.selected(a)
	for _, m := range of {
		if kube.Selects(&b.Spec.Selector, m.Metadata.Labels) {
			both = append(both, m.Metadata.Name)
		}
	}
	switch {
	case len(both) > 0:
		return few(both)
	case !machines.empty():
		return ""
	case covers(&a.Spec.Selector, &b.Spec.Selector):
		return selectorText(&b.Spec.Selector)
	case covers(&b.Spec.Selector, &a.Spec.Selector):
		return selectorText(&a.Spec.Selector)
	}
	return ""
}

// keysOf are the keys that a selector asks for, sorted.
func keysOf(s *openshift.LabelSelector) iter.Seq[string] {
	keys := slices.Collect(maps.Keys(s.MatchLabels))
	for _, r := range s.MatchExpressions {
		keys = append(keys, r.Key)
	}
	slices.Sort(keys)
	return slices.Values(slices.Compact(keys))
}

// pathOfKey is where a selector asks for a key.
func pathOfKey(s *openshift.LabelSelector, key string) string {
	if _, ok := s.MatchLabels[key]; ok {
		return "spec.selector.matchLabels." + key
	}
	i := slices.IndexFunc(s.MatchExpressions, func(r v1alpha1.Requirement) bool { return r.Key == key })
	return fmt.Sprintf("spec.selector.matchExpressions[%d].key", i)
}
