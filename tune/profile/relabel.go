package profile

import (
	"maps"

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
func (c *cluster) relabels(v *view, winner int) []Relabel {
	worker, infra := c.byKey[openshift.LabelWorker], c.byKey[openshift.LabelInfra]
	if worker.state(v.labels) == absent || infra.state(v.labels) != absent {
		return nil
	}
	to := view{labels: maps.Clone(v.labels), pods: v.pods}
	infra.set(to.labels, "")
	with := func(change string) Relabel {
		to.pools = c.pools.of(to.labels)
		r := Relabel{Change: change, ProfileBefore: c.profileOf(winner), ProfileAfter: c.profileOf(c.next(&to, 0)),
			PoolBefore: v.pools.Primary, PoolAfter: to.pools.Primary, Problem: to.pools.Problem}
		if r.Problem == "" && !c.in.Unseen.Pools && r.PoolBefore != "" && r.PoolAfter == "" {
			r.Problem = "no pool selects the node: it gets no more MachineConfigs and KubeletConfigs"
		}
		return r
	}
	out := []Relabel{with("infra added to worker")}
	worker.set(to.labels, absent)
	return append(out, with("worker replaced by infra"))
}
