package plan

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/plan/grow"
	"plimsoll.dev/unit"
)

// growthAndRollout plans how the pools are scaled up, and what a change of
// their configuration takes; who places the nodes does not ask.
func (p *planner) growthAndRollout() {
	if p.choice == nil || p.read.Placing {
		return
	}
	in := grow.Input{Zones: p.o.Value("policy.zones", float64(p.s.Policy.Zones), "zones"),
		BatchSize:      p.o.Value("policy.batchSize", float64(p.s.Policy.BatchSize), "nodes"),
		MaxUnavailable: p.s.Policy.MaxUnavailable, RolloutPerNode: p.s.Policy.RolloutPerNode,
		Platform: p.s.Platform, Facts: p.c, Origin: p.o}
	if v, ok := p.b.Get("nodes.podsPerNode[" + p.choice.opt.Name + "]"); ok {
		in.PodsPerNode = derive.Cite(v)
	}
	worker := grow.Pool{Name: "worker", Role: "worker", Count: p.choice.total, Used: p.shares(),
		MostAtOnce: p.mostAtOnce()}
	if _, all := p.choice.fixed(); all && p.observed() {
		worker.Present = int(p.choice.total.Int())
	}
	in.Pools = append(in.Pools, worker)
	if p.infra.count.Number > 0 {
		in.Pools = append(in.Pools, grow.Pool{Name: "infra", Role: "infra", Count: p.infra.count})
	}
	r := grow.Plan(&p.b, in)
	p.put(r.Part)
	p.plan.Decisions.Growth = r.Steps
}

// shares are the shares of what the workers can hold that the pods take, under
// the policy's overcommit: 1 is full, whatever the requests sum up to.
func (p *planner) shares() []grow.Use {
	var out []grow.Use
	for _, u := range p.use(p.choice, p.choice.items, p.choice.bins) {
		if u.Total.Number <= 0 {
			continue
		}
		v := p.b.Found("nodes.use."+u.Resource, "Share of "+u.Resource+
			" that the pods take on all workers, under the overcommit", u.Share, unit.Ratio, "used / room",
			derive.In("used", u.Used), derive.In("room", u.Total))
		out = append(out, grow.Use{Resource: u.Resource, Share: v})
	}
	return out
}
