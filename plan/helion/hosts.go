package helion

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/topo"
)

// Hosts are the compute hosts to place VMs on: those that the scenario counts, on
// which the plan's pages and cores are kept back where it chose their type, and
// where it counts none those of the plan (see Pools). Where the plan found no number
// of hosts, for some VM fits on none, it is one of each type: placement can say why.
// With several regions the hosts are those of all of them, and VMs are not kept apart.
func Hosts(s *v1alpha1.Scenario, p *v1alpha1.Plan, machines map[string]topo.Machine) []cloud.Pool {
	planned := Pools(s, p, machines)
	var out []cloud.Pool
	for i, t := range s.Hardware.NodeTypes {
		if t.Role != "compute" || t.Count == nil || *t.Count == 0 {
			continue
		}
		pool := cloud.Pool{Type: i, CPE: p.Decisions.Helion != nil && p.Decisions.Helion.Model == controller.CPE}
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
	switch {
	case len(out) > 0:
		return out
	case len(planned) > 0:
		return planned
	}
	return oneOfEach(s, p, machines)
}

// oneOfEach is one host of each node type that runs VMs.
func oneOfEach(s *v1alpha1.Scenario, p *v1alpha1.Plan, machines map[string]topo.Machine) []cloud.Pool {
	if p.Decisions.Helion == nil {
		return nil
	}
	var out []cloud.Pool
	for i, t := range s.Hardware.NodeTypes {
		if t.Role != "compute" {
			continue
		}
		pool := cloud.Pool{Type: i, Count: 1, CPE: p.Decisions.Helion.Model == controller.CPE}
		for _, h := range p.Decisions.Helion.Hosts {
			if h.Role == "compute" && h.Type == t.Name {
				pool.Reserve, pool.Pages = h.Compute, h.Pages
			}
		}
		if m, read := machines[t.Name]; read {
			pool.Machine = &m
		}
		out = append(out, pool)
	}
	return out
}
