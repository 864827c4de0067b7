package profile

import (
	"slices"

	"plimsoll.dev/api/openshift"
)

// Relabel is what becomes of workers that get the label of infra nodes.
type Relabel struct {
	// Change is what is done: "worker replaced by infra" or "infra added to worker".
	Change string `json:"change"`
	// Profile and Pool before and after; an empty pool is none.
	ProfileBefore string `json:"profileBefore"`
	ProfileAfter  string `json:"profileAfter"`
	PoolBefore    string `json:"poolBefore,omitempty"`
	PoolAfter     string `json:"poolAfter,omitempty"`
	// Problem is what goes wrong; empty for nothing.
	Problem string `json:"problem,omitempty"`
}

// relabels are the ways from worker to infra; there are none for other nodes.
func (g *engine) relabels(s *situation, winner int) []Relabel {
	worker, infra := g.u.key[openshift.LabelWorker], g.u.key[openshift.LabelInfra]
	if s.node[worker] == absent || s.node[infra] != absent {
		return nil
	}
	to := situation{node: slices.Clone(s.node), pods: s.pods}
	to.node[infra] = g.u.stateOf(infra, "")
	with := func(change string) Relabel {
		to.member = g.pools.of(to.node)
		r := Relabel{Change: change, ProfileBefore: g.profileOf(winner), ProfileAfter: g.profileOf(g.next(&to, 0)),
			PoolBefore: s.member.Primary, PoolAfter: to.member.Primary, Problem: to.member.Problem}
		if r.Problem == "" && r.PoolBefore != "" && r.PoolAfter == "" {
			r.Problem = "no pool selects the node: it gets no more MachineConfigs and KubeletConfigs"
		}
		return r
	}
	out := []Relabel{with("infra added to worker")}
	to.node[worker] = absent
	return append(out, with("worker replaced by infra"))
}
