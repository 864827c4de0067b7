package manifest

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/plan"
	"plimsoll.dev/plan/grow"
)

// running takes out of a plan's decisions what a running cluster decides by itself:
// what the scenario leaves to defaults is no reason to change, or to reboot, anything
// there. left says what is left as it runs, for the README.
func running(p *v1alpha1.Plan) (d v1alpha1.Decisions, left []string) {
	d = p.Decisions
	stated := func(field string) bool {
		return !slices.ContainsFunc(p.Assumptions, func(a v1alpha1.Assumption) bool { return a.Field == field })
	}
	keep := func(what, field string) {
		left = append(left, what+" stay as they run: the scenario states nothing under "+field+".")
	}
	s := p.Scenario
	if len(s.Router.Traffic) == 0 {
		d.Routers = nil
		keep("Routers", "router.traffic")
	}
	if !stated("monitoring.retention") && !stated("monitoring.alertmanagerSize") && s.Monitoring.StorageClass == "" {
		d.Monitoring = v1alpha1.MonitoringDecision{}
		keep("Settings of the monitoring", "monitoring")
	}
	d.Pools = slices.Clone(d.Pools)
	today := typesOfToday(s)
	kept := false
	for i := range d.Pools {
		pool := &d.Pools[i]
		if !stated("policy.maxUnavailable") {
			pool.MaxUnavailable = ""
		}
		if today[pool.Type] > 0 {
			pool.SystemReserved, pool.MaxPods, pool.PodsPerCore, pool.HugePages = nil, 0, 0, nil
			kept = true
		}
	}
	d.Pools, d.Growth = onlyNew(d.Pools, d.Growth, today)
	if kept {
		left = append(left, "Kubelet settings and huge pages of the nodes that run stay: they were read from the nodes.")
	}
	return d, left
}

// onlyNew leaves out machines that run beside those that a pool is to get: they need no machine
// sets, and are no part of its steps. A pool that gets none stays as it is.
func onlyNew(pools []v1alpha1.PoolDecision, steps []v1alpha1.GrowthBatch, today map[string]int) (
	[]v1alpha1.PoolDecision, []v1alpha1.GrowthBatch) {
	var out []v1alpha1.PoolDecision
	steps = slices.Clone(steps)
	for _, p := range pools {
		grows := slices.ContainsFunc(steps, func(s v1alpha1.GrowthBatch) bool { return s.Pool == p.Name })
		if p.Count > today[p.Type] || !grows {
			out = append(out, p)
			continue
		}
		steps = less(steps, p)
	}
	return out, steps
}

// less takes the machines of one type off the first steps of its pool.
func less(steps []v1alpha1.GrowthBatch, p v1alpha1.PoolDecision) []v1alpha1.GrowthBatch {
	var out []v1alpha1.GrowthBatch
	total := 0
	for _, s := range steps {
		if s.Pool == p.Name {
			now := grow.Spread(max(0, s.Total-p.Count), len(s.Replicas))
			s.Add, s.Replicas = minus(now, grow.Spread(total, len(s.Replicas))), now
			s.Total = max(0, s.Total-p.Count)
			if s.Total == total {
				continue
			}
			total = s.Total
		}
		s.Step = len(out) + 1
		out = append(out, s)
	}
	return out
}

// typesOfToday are the node types that were read from the snapshot, with the number of nodes.
func typesOfToday(s *v1alpha1.Scenario) map[string]int {
	types := map[string]int{}
	for _, o := range s.Hardware.Options {
		if o.Name != plan.TodaysNodes {
			continue
		}
		for _, n := range o.Nodes {
			types[n.Type] += n.Count
		}
	}
	return types
}
