package health

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/selector"
)

// pool is the machines that manifests tell of.
type pool struct {
	machines []openshift.Machine
	sets     []replicaSet
	// told are the machine sets whose machines are among them.
	told map[string]bool
}

// replicaSet is a MachineSet as far as it tells of machines.
type replicaSet struct {
	Metadata openshift.ObjectMeta `json:"metadata"`
	Spec     struct {
		Replicas *int64 `json:"replicas"`
		Template struct {
			Metadata openshift.ObjectMeta  `json:"metadata"`
			Spec     openshift.MachineSpec `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

// poolsOf reads machines and machine sets; what is wrong with them is not told here.
func poolsOf(objects []*object.Object) pool {
	machines, _ := object.All[openshift.Machine](objects, "Machine")
	sets, _ := object.All[replicaSet](objects, "MachineSet")
	p := pool{object.Values(machines), object.Values(sets), map[string]bool{}}
	for i := range p.machines {
		p.told[p.machines[i].Metadata.Labels[LabelMachineSet]] = true
	}
	return p
}

func (p pool) empty() bool { return len(p.machines)+len(p.sets) == 0 }

// selected are the machines that a check selects, by their places in the list, the
// number of them with those that machine sets will make whose machines are not told,
// and whether some are servers of metal.
func (p pool) selected(mhc *openshift.MachineHealthCheck) (list []int, size int, metal bool) {
	sel := &mhc.Spec.Selector
	for i := range p.machines {
		if m := &p.machines[i].Metadata; m.Namespace == mhc.Metadata.Namespace && selector.Selects(sel, m.Labels) {
			list = append(list, i)
			metal = metal || isMetal(p.machines[i].Spec)
		}
	}
	size = len(list)
	for i := range p.sets {
		if s := &p.sets[i]; !p.told[s.Metadata.Name] && s.Metadata.Namespace == mhc.Metadata.Namespace &&
			selector.Selects(sel, s.Spec.Template.Metadata.Labels) {
			size += int(s.replicas())
			metal = metal || isMetal(s.Spec.Template.Spec)
		}
	}
	return list, size, metal
}

// isMetal says whether a machine is a server of its own, whose reboot takes long.
func isMetal(s openshift.MachineSpec) bool {
	return s.ProviderSpec.Value.Kind == "BareMetalMachineProviderSpec"
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
		s.judgeLabels()
		return
	}
	if selector.Wrong(&s.mhc.Spec.Selector) != "" {
		return
	}
	list, size, metal := p.selected(s.mhc)
	if size == 0 {
		s.say(nothing, "spec.selector", "the selector takes none of the machines: "+selectorText(&s.mhc.Spec.Selector),
			"select by labels that the machines have")
		return
	}
	s.judgeSize(size)
	if metal {
		s.judgeReboot()
	}
	s.judgeMachines(list)
}

// judgeMachines finds machines that count and are not remediated.
func (s *subject) judgeMachines(list []int) {
	policy := NewPolicy(s.mhc, s.release)
	var masters, alone []string
	for _, i := range list {
		m, err := MachineOf(&s.pool.machines[i])
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
		s.say(controlPlane, "spec.selector", "the check covers "+few(masters)+" of the control plane: "+s.ofMasters(),
			"select workers only")
	}
	if len(alone) > 0 {
		s.say(ownerless, "spec.selector", few(alone)+" has no owner that replaces it ("+ownerKind.In(s.release)+
			"): it counts, and is never remediated", "select machines of machine sets only")
	}
}

// pathOfKey is where a selector asks for a key.
func pathOfKey(s *openshift.LabelSelector, key string) string {
	if _, ok := s.MatchLabels[key]; ok {
		return "spec.selector.matchLabels." + key
	}
	i := slices.IndexFunc(s.MatchExpressions, func(r v1alpha1.Requirement) bool { return r.Key == key })
	return fmt.Sprintf("spec.selector.matchExpressions[%d].key", i)
}
