package manifest

import (
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/plan"
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
		if today[pool.Type] {
			pool.SystemReserved, pool.MaxPods, pool.PodsPerCore, pool.HugePages = nil, 0, 0, nil
			kept = true
		}
	}
	if kept {
		left = append(left, "Kubelet settings and huge pages of the nodes that run stay: they were read from the nodes.")
	}
	return d, left
}

// typesOfToday are the node types that were read from the snapshot.
func typesOfToday(s *v1alpha1.Scenario) map[string]bool {
	types := map[string]bool{}
	for _, o := range s.Hardware.Options {
		if o.Name != plan.TodaysNodes {
			continue
		}
		for _, n := range o.Nodes {
			types[n.Type] = true
		}
	}
	return types
}
