// Package grow plans how pools of machines change without harm: in which
// batches machine sets are scaled up over the zones, how long draining takes,
// how long a configuration roll-out takes and what capacity is left during it.
//
// It decides no pool's size and writes no manifest.
//
//	grow.Spread(10, 3)                // [4 3 3]
//	r := grow.Plan(&book, grow.Input{Pools: pools, Zones: zones, …})
//	r.Steps[0] // {Step: 1, Pool: "worker", Add: [9 8 8], Total: 25, …}
package grow

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// Input is what is to grow and how.
type Input struct {
	// Pools, the workers first; those of infrastructure are scaled up before them.
	Pools []Pool
	// Zones is the number of availability zones.
	Zones derive.Value
	// BatchSize is the most machines that are added at once, in all zones together.
	BatchSize derive.Value
	// MaxUnavailable is how many nodes of a pool are updated at once: "5" or "10%".
	// The control plane's pool keeps the default of 1.
	MaxUnavailable string
	// RolloutPerNode is the time that one node takes; nil takes the document's range.
	RolloutPerNode *unit.Duration
	// PodsPerNode is the number of pods on a worker that a drain has to move.
	PodsPerNode derive.Value
	// Platform decides what the provider offers and how the release reads limits.
	Platform v1alpha1.Platform
	// Facts is the catalogue.
	Facts *facts.Catalogue
	// Origin tells where the scenario's fields come from; nil takes all of them
	// as written by the user.
	Origin *part.Origin
}

// Pool is a pool of equal machines.
type Pool struct {
	// Name of the machine config pool: worker, infra, master.
	Name string
	// Role is worker, infra or controlPlane.
	Role string
	// Count of machines in the plan.
	Count derive.Value
	// Present is the number of machines that exist already, spread over the zones;
	// 0 in a new cluster.
	Present int
	// MostAtOnce is the most machines that may be away at once while placement keeps every pod
	// running; nil is not known.
	MostAtOnce *int
	// Used are the shares of the pool's allocatable resources that its pods request
	// when all nodes are up, at the peak: 0.7 of cpu.
	Used []Use
}

// Use is the share of a resource that is used.
type Use struct {
	// Resource is cpu, memory or pods.
	Resource string
	// Share of what the pool's nodes can allocate.
	Share derive.Value
}

// Result is the planned growth and the roll-out of each pool.
type Result struct {
	// Steps of scaling up, numbered through all pools.
	Steps []v1alpha1.GrowthBatch
	// Rollouts is one entry a pool, in the pools' order.
	Rollouts []Rollout
	// Part holds figures, tables, findings and gauges for the plan.
	Part *part.Part
}

// Rollout is the update of one pool, node by node.
type Rollout struct {
	// Pool is the pool's name.
	Pool string
	// AtOnce is the number of nodes that are updated at the same time.
	AtOnce derive.Value
	// Min and Max are the time it takes, in seconds.
	Min, Max derive.Value
	// Left is the share of the pool's capacity that is left meanwhile.
	Left derive.Value
	// Best is the largest number of nodes at once at which the pods still fit by
	// their totals; negative when the pool's use is not known.
	Best int
}

// Plan plans growth and roll-outs and records the figures in b.
func Plan(b *derive.Book, in Input) Result {
	g := &planner{Sheet: part.On(b, in.Facts, in.Origin, part.New("grow", "Growth and roll-out"), "policy"), in: in}
	g.steps()
	g.shrink()
	for _, pool := range in.Pools {
		g.rollout(pool)
	}
	g.rolloutTable()
	g.summary()
	g.res.Part = g.Part
	return g.res
}

// planner holds what the steps of one plan share.
type planner struct {
	part.Sheet
	in  Input
	res Result
	// trials are the roll-outs of the table, by pool.
	trials []trial
}

// of tells the figures of the pools apart.
func of(p Pool) string { return "[" + p.Name + "]" }

// summary is the section in a sentence.
func (g *planner) summary() {
	var s []string
	if n := len(g.res.Steps); n > 0 && g.machineSets() {
		s = append(s, fmt.Sprintf("%s of at most %s over %s",
			unit.Format(float64(n), "steps"), g.in.BatchSize, unit.Format(g.in.Zones.Number, "zones")))
	}
	for _, r := range g.res.Rollouts {
		s = append(s, fmt.Sprintf("updating pool %s takes %s", r.Pool, span(r.Min, r.Max)))
	}
	g.Section.Summary = strings.Join(s, "; ")
}

// span writes a range of values: "10 min to 15 min", or one value.
func span(low, high derive.Value) string {
	if low.Text == high.Text {
		return low.Text
	}
	return low.Text + " to " + high.Text
}
