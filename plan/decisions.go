package plan

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/plan/grow"
	"plimsoll.dev/unit"
)

// pools turns the chosen nodes into what machine sets and kubelet
// configurations are written from.
func (p *planner) pools() {
	d := &p.plan.Decisions
	d.InfraNodes = p.infra.count.Number > 0
	d.WorkerPods = p.homeless
	if p.choice != nil {
		for i, r := range p.choice.rooms {
			if n := p.choice.opt.Nodes[i].Count; n > 0 {
				d.Pools = append(d.Pools, p.pool("worker", "worker", r, n))
			}
		}
	}
	if d.InfraNodes {
		d.Pools = append(d.Pools, p.pool("infra", "infra", p.infra.room, int(p.infra.count.Int())))
	}
}

// pool describes n nodes of a type. Settings that are the platform's own
// defaults are left out, so that no KubeletConfig repeats them.
func (p *planner) pool(name, role string, r roomOf, n int) v1alpha1.PoolDecision {
	t := r.Type
	d := v1alpha1.PoolDecision{Name: name, Role: role, Type: t.Name, CPUs: t.CPUs, Memory: t.Memory, Disk: t.Disk,
		Count:   n,
		PerZone: grow.Spread(n, p.s.Policy.Zones), MaxPods: t.MaxPods, MaxUnavailable: p.s.Policy.MaxUnavailable,
		Labels: t.Labels, Taints: t.Taints,
		HugePages: map[string]int64{}}
	if t.PodsPerCore != nil {
		d.PodsPerCore = *t.PodsPerCore
	}
	if role != "worker" {
		d.MaxUnavailable = "1" // three infrastructure nodes can't lose what sixty workers can
	}
	path := fmt.Sprintf("hardware.nodeTypes[%d].", r.index)
	if !p.o.Assumed(path+"systemReserved.cpu") && !p.o.Assumed(path+"autoSizingReserved") && t.SystemReserved != nil {
		d.SystemReserved = t.SystemReserved
	}
	for size, bytes := range r.HugePages {
		if each, err := unit.ParseBytes(size); err == nil && each > 0 {
			d.HugePages[size] = int64((bytes + each - 1) / each)
		}
	}
	return d
}
