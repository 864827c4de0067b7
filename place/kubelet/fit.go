package kubelet

import (
	"fmt"

	"plimsoll.dev/podres"
)

// shortage is a resource that a pod does not fit for.
type shortage struct {
	resource                  string
	requested, used, capacity int64
}

func (s shortage) missing() int64 { return s.requested - (s.capacity - s.used) }

func (s shortage) refusal() *refusal {
	return &refusal{"OutOf" + s.resource,
		fmt.Sprintf("Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d",
			s.resource, s.requested, s.used, s.capacity)}
}

// predicates is the last handler: the pod has to fit by its requests. For a
// critical pod others are killed. (pkg/kubelet/lifecycle/predicate.go)
func (a *admission) predicates(v *Verdict) *refusal {
	short := a.shortages(a.pod.class)
	if len(short) == 0 {
		return nil
	}
	a.trace.short(short)
	if !a.pod.class.pod.Critical {
		return short[0].refusal()
	}
	victims, err := a.victims(short)
	if err != nil {
		return &refusal{UnexpectedAdmissionError,
			fmt.Sprintf("Unexpected error while attempting to recover from admission failure: %v", err)}
	}
	for _, p := range victims {
		v.Preempted = append(v.Preempted, p.cpu.UID)
		a.Remove(p.cpu.UID)
	}
	return nil
}

// shortages are all resources that a pod of a class does not fit for, in the
// order in which the kubelet names them: pods, CPU, memory, storage, then by name
// (the kubelet's own order of the last ones is a Go map's).
func (n *Node) shortages(c *Class) []shortage {
	var out []shortage
	check := func(resource string, requested, used, capacity int64) {
		if requested > 0 && requested > capacity-used {
			out = append(out, shortage{resource, requested, used, capacity})
		}
	}
	has, r := &n.s.capacity, &c.request
	check(podsResource, 1, n.used.pods, has.pods)
	check(podres.CPU, r.milliCPU, n.used.milliCPU, has.milliCPU)
	check(podres.Memory, r.memory, n.used.memory, has.memory)
	if has.storage >= 0 {
		check(podres.EphemeralStorage, r.storage, n.used.storage, has.storage)
	}
	for _, s := range r.scalars {
		if s.at < 0 {
			check(s.name, s.amount, 0, 0)
		} else {
			check(s.name, s.amount, n.used.scalars[s.at], has.scalars[s.at].amount)
		}
	}
	return out
}
