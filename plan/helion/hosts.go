package helion

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/plan/helion/control"
	"plimsoll.dev/topo"
)

// Hosts are the compute hosts to place VMs on: those that the scenario counts, on
// which the plan's pages and cores are kept back where it chose their type, and
// where it counts none those of the plan (see Pools).
func Hosts(s *v1alpha1.Scenario, p *v1alpha1.Plan, machines map[string]topo.Machine) []cloud.Pool {
	planned := Pools(s, p, machines)
	var out []cloud.Pool
	for i, t := range s.Hardware.NodeTypes {
		if t.Role != "compute" || t.Count == nil || *t.Count == 0 {
			continue
		}
		pool := cloud.Pool{Type: i, CPE: p.Decisions.Helion != nil && p.Decisions.Helion.Model == control.CPE}
		if m, read := machines[t.Name]; read {
			pool.Machine = &m
		}
		for _, of := range planned {
			if of.Type == i {
				pool = of
			}
		}
		pool.Count = *t.Count
		out = append(out, pool)
	}
	if len(out) == 0 {
		return planned
	}
	return out
}
