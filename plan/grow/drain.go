package grow

import (
	"fmt"

	"plimsoll.dev/part"

	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// shrink says how long it takes at least to drain a batch of workers, because
// the client that evicts is throttled (OCP 3.1).
func (g *planner) shrink() {
	if g.in.PodsPerNode.Number <= 0 || len(g.in.Pools) == 0 || !g.machineSets() {
		return
	}
	qps, burst := g.clientRate("qps"), g.clientRate("burst")
	pods := g.Calc("grow.drain.pods", "Pods on a batch of workers that is scaled down", "pods",
		"min(batch, workers) * podsPerNode", derive.In("batch", g.in.BatchSize), derive.In("workers", g.in.Pools[0].Count),
		derive.In("podsPerNode", g.in.PodsPerNode))
	least := g.Calc("grow.drain", "Time to evict the pods of one batch of nodes, at least", unit.Seconds,
		"max(0, pods - burst) / qps", derive.In("pods", pods), derive.In("burst", burst), derive.In("qps", qps))
	g.Note("grow.drain", fmt.Sprintf("One request for each pod at %s a second; "+
		"each refusal by a disruption budget costs another, and pods take their time to end.",
		unit.Format(qps.Number, unit.None)), part.OCP("3.1"))
	g.Show(least)
	g.Detail(pods)
}

// clientRate is the limit of the client that drains nodes: 5 a second and a
// burst of 10 in 4.4, more in later releases.
func (g *planner) clientRate(name string) derive.Value {
	if f, _, _, ok := g.Facts.ForRelease("ocp.clientRate."+name, g.in.Platform.Release); ok {
		return f.Value()
	}
	return g.Fact("ocp.client." + name)
}
