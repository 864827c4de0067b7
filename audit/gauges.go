package audit

import (
	"cmp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
	"plimsoll.dev/plan"
)

// grows are gauges of a plan whose quantity is the number of nodes, and of workers.
var grows = map[string]func(*Cloud) int{
	"nodesInDefaultNetwork": func(c *Cloud) int { return len(c.Nodes) },
	"nodeSubnets":           func(c *Cloud) int { return len(c.Nodes) },
	"controlPlaneWorkers": func(c *Cloud) (n int) {
		for i := range c.Nodes {
			if !c.Nodes[i].control() {
				n++
			}
		}
		return n
	},
}

// gauges are the limits that a plan knows, with what the cluster has now: not what a plan would make of it, and not
// what it estimates. The nearest come first.
func (in Input) gauges() []limit.Gauge {
	c, pods := in.Cloud, 0
	for i := range c.Pods {
		if !c.Pods[i].ended() {
			pods++
		}
	}
	var out []limit.Gauge
	if c.Stack != nil {
		out = c.stackGauges()
	}
	if in.Plan != nil && in.Inventory != nil {
		out = plan.Counted(facts.Load(), in.Plan.Scenario.Platform, len(c.Nodes), pods, in.Inventory.Objects)
		for _, g := range in.Plan.Gauges {
			if count := grows[g.ID]; count != nil {
				n := limit.Measure(g.ID, g.Title, g.Scope, derive.Of(float64(count(c)), g.Value.Unit), g.Limit, g.Kind)
				n.Notes = g.Notes
				out = append(out, n)
			}
		}
	}
	if g, ok := c.fullest(); ok {
		out = append(out, g)
	}
	slices.SortStableFunc(out, func(a, b limit.Gauge) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// fullest is the node with the largest share of the pods that it takes.
func (c *Cloud) fullest() (most limit.Gauge, ok bool) {
	if seen, _ := c.state("pods"); seen != OK {
		return most, false
	}
	on := c.podsOn()
	for i := range c.Nodes {
		n := &c.Nodes[i]
		takes := n.allocatable("pods")
		if takes == 0 {
			continue
		}
		g := limit.Measure("podsOnNode["+n.Metadata.Name+"]", "Pods on "+n.Metadata.Name, "node "+n.Metadata.Name,
			derive.Of(float64(on[n.Metadata.Name]), "pods"), derive.Of(float64(takes), "pods"), limit.Hard).AsLocal()
		if !ok || g.Share > most.Share {
			most, ok = g, true
		}
	}
	return most, ok
}

// podsOn counts the pods of each node that have not ended.
func (c *Cloud) podsOn() map[string]int {
	out := map[string]int{}
	for i := range c.Pods {
		if p := &c.Pods[i]; !p.ended() {
			out[p.Node]++
		}
	}
	return out
}

// passed are findings of the limits that are passed, or as good as that.
func passed(c *Cloud, gauges []limit.Gauge) []v1alpha1.Finding {
	var out []v1alpha1.Finding
	for _, g := range gauges {
		severity := v1alpha1.Warning
		switch {
		case g.Local || g.Share < near:
			continue // which rules judge; what is far
		case g.Verdict == limit.Passed && (g.Kind == limit.Hard || g.Kind == limit.Supported || g.Kind == limit.Tested):
			severity = v1alpha1.Error
		case g.Verdict != limit.Passed && g.Share < nearer:
			severity = v1alpha1.Info
		}
		f := v1alpha1.Finding{Severity: severity, ID: "limit." + g.ID, Message: g.Title + ": " + g.Value.Text + " of " +
			g.Limit.Text + " (" + string(g.Kind) + "), " + limit.Percent(g.Share) + " used", Remedy: "take some away, or plan " +
			"another cluster before it grows", Place: &v1alpha1.Place{File: c.Name, Cluster: true, Object: g.ID}}
		if g.Limit.From != nil && g.Limit.From.Source != nil {
			f.Sources = []derive.Source{*g.Limit.From.Source}
		}
		out = append(out, f)
	}
	return append(out, combined(c, gauges)...)
}

// stretched is the share, and several the number of limits, from which on they are beyond what tests had, by this
// program's own choice: published maximums were each tested with the others far (OCP 9.3).
const (
	stretched = 0.7
	several   = 3
)

// combined warns of several limits that are near at once.
func combined(c *Cloud, gauges []limit.Gauge) []v1alpha1.Finding {
	var near []string
	for _, g := range gauges {
		if !g.Local && g.Share >= stretched {
			near = append(near, g.Title)
		}
	}
	if len(near) < several {
		return nil
	}
	return []v1alpha1.Finding{{Severity: v1alpha1.Warning, ID: "limit.combined",
		Message: words.And(near) + " are all above " + limit.Percent(stretched) +
			" of their limits: those were tested one at a time, and hold less together",
		Remedy:  "test such a load, or divide it over several clusters",
		Sources: []derive.Source{{Code: "OCP", Section: "9.3"}, {Code: "Plimsoll", Section: "three limits above 70 %"}},
		Place:   &v1alpha1.Place{File: c.Name, Cluster: true, Object: "combined"}}}
}

// Shares from which a limit is told, and warned of.
const near, nearer = limit.NearShare, 0.9
