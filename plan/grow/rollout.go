package grow

import (
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	mcp "plimsoll.dev/tune/pool"
	"plimsoll.dev/unit"
)

// trial is a roll-out with one maxUnavailable.
type trial struct {
	pool      Pool
	asWritten string
	own       bool
	atOnce    derive.Value
	waves     derive.Value
	min, max  derive.Value
	left      derive.Value
	// load is the peak use over what is left; 0 when it is not known.
	load derive.Value
}

// rollout plans the update of one pool.
func (g *planner) rollout(pool Pool) {
	if pool.Count.Number <= 0 {
		return
	}
	own, field := g.in.MaxUnavailable, "policy.maxUnavailable"
	if pool.Role != "worker" || own == "" {
		own, field = strconv.Itoa(int(g.Facts.Must("ocp.rollout.maxUnavailable").Number)), ""
	}
	t, err := g.try(pool, own, of(pool), field)
	if err != nil {
		g.Find(v1alpha1.Error, "grow.maxUnavailable", "maxUnavailable can't be used: "+err.Error(),
			"set it to 1, or to a percentage such as 10%").Field = "policy.maxUnavailable"
		return
	}
	t.own = true
	g.Show(t.min, t.max, t.left)
	g.Detail(t.atOnce, t.waves)
	best := g.best(pool)
	g.res.Rollouts = append(g.res.Rollouts,
		Rollout{Pool: pool.Name, AtOnce: t.atOnce, Min: t.min, Max: t.max, Left: t.left, Best: best})
	if pool.Role == "controlPlane" {
		return
	}
	g.judgeRollout(t, best, g.compare(t, best))
	if g.Section.Timeline == nil && int(pool.Count.Int()) > 1 {
		g.Section.Timeline = g.timeline(pool, own)
	}
}

// try records the figures of a roll-out with one maxUnavailable.
func (g *planner) try(pool Pool, maxUnavailable, suffix, field string) (trial, error) {
	n, err := mcp.WorkersAtOnce(maxUnavailable, int(pool.Count.Int()))
	if err != nil {
		return trial{}, err
	}
	t := trial{pool: pool, asWritten: maxUnavailable}
	t.atOnce = g.atOnce(pool, maxUnavailable, suffix, field, n)
	t.waves = g.Found("grow.rollout.waves"+suffix, "Groups of nodes, one after the other",
		float64(mcp.Waves(int(pool.Count.Int()), n)), "groups",
		"ceil(nodes / atOnce)", derive.In("nodes", pool.Count), derive.In("atOnce", t.atOnce))
	t.min, t.max = g.duration(pool.Name, suffix, t.waves)
	t.left = g.Found("grow.rollout.left"+suffix, "Share of pool "+pool.Name+" that remains",
		100*(pool.Count.Number-float64(n))/pool.Count.Number, unit.Percent,
		"100 * (nodes - atOnce) / nodes", derive.In("nodes", pool.Count), derive.In("atOnce", t.atOnce))
	if peak, ok := g.peak(pool); ok && t.left.Number > 0 {
		t.load = g.Calc("grow.rollout.load"+suffix, "Utilisation of the nodes that remain", unit.Percent,
			"100 * 100 * used / left", derive.In("used", peak), derive.In("left", t.left))
	}
	return t, nil
}

// atOnce records how maxUnavailable is read.
func (g *planner) atOnce(pool Pool, maxUnavailable, suffix, field string, n int) derive.Value {
	text, percent := strings.CutSuffix(strings.TrimSpace(maxUnavailable), "%")
	written, _ := strconv.ParseFloat(text, 64)
	value := derive.Of(written, unit.None).WithText(maxUnavailable)
	switch {
	case field != "":
		value = g.Origin.Value(field, written, unit.None).WithText(maxUnavailable)
	case suffix == of(pool):
		value = g.Fact("ocp.rollout.maxUnavailable")
	}
	formula := "min(max(1, maxUnavailable), nodes)"
	if percent {
		formula = "min(max(1, floor(maxUnavailable * nodes / 100)), nodes)"
	}
	id := "grow.rollout.atOnce" + suffix
	v := g.Found(id, "Nodes of "+pool.Name+" that are updated at once", float64(n), "nodes", formula,
		derive.In("maxUnavailable", value), derive.In("nodes", pool.Count))
	g.Note(id, "A percentage is rounded down and 0 becomes 1. A node that is cordoned or not Ready for another reason "+
		"counts as unavailable: at 1 it stops the roll-out.", part.OCP("2.2"))
	if !percent && g.in.Platform.Type != "kubernetes" {
		g.Note(id, "Write the number without quotes in the MachineConfigPool: "+
			"4.4 reads the text \"3\" as 3 %, later releases refuse it.")
	}
	return v
}

// duration is the time of so many groups: what the scenario says a node takes,
// or the document's 10 to 15 minutes for three workers.
func (g *planner) duration(pool, suffix string, waves derive.Value) (low, high derive.Value) {
	lowID, highID := "grow.rollout.min"+suffix, "grow.rollout.max"+suffix
	lowTitle, highTitle := "Least time to update pool "+pool, "Most time to update pool "+pool
	if each := g.in.RolloutPerNode; each != nil {
		v := g.Field("rolloutPerNode", float64(*each), unit.Seconds)
		low = g.Calc(lowID, lowTitle, unit.Seconds, "groups * perNode", derive.In("groups", waves), derive.In("perNode", v))
		high = g.Calc(highID, highTitle, unit.Seconds, "groups * perNode", derive.In("groups", waves),
			derive.In("perNode", v))
		return low, high
	}
	record := func(id, title, fact string) derive.Value {
		example, nodes := g.Fact(fact), g.Fact("ocp.rollout.nodes")
		v := g.Calc(id, title, unit.Seconds, "groups * example / exampleNodes",
			derive.In("groups", waves), derive.In("example", example), derive.In("exampleNodes", nodes))
		g.Note(id, "From the document's three workers, one at a time; draining many pods or slow machines takes longer.",
			part.OCP("2.2"))
		return v
	}
	return record(lowID, lowTitle, "ocp.rollout.minMin"), record(highID, highTitle, "ocp.rollout.minMax")
}

// peak is the largest share of a resource that the pool's pods use.
func (g *planner) peak(pool Pool) (most derive.Value, ok bool) {
	for _, u := range pool.Used {
		if !ok || u.Share.Number > most.Number {
			most, ok = u.Share, true
		}
	}
	return most, ok && most.Number > 0
}

// best is the most nodes that may be away at once; -1 when it is not known.
func (g *planner) best(pool Pool) int {
	if pool.MostAtOnce == nil {
		return -1
	}
	n := *pool.MostAtOnce
	g.Show(g.Record(derive.Figure{ID: "grow.rollout.most" + of(pool), Value: derive.Of(float64(n), "nodes"),
		Title:  "Most nodes of " + pool.Name + " at once at which every pod keeps a place",
		Method: "found by placement: each batch is drained and its pods placed again",
		Inputs: []derive.Input{derive.In("nodes", pool.Count)}}))
	return n
}
