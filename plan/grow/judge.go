package grow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
)

// usual are the values of maxUnavailable that the table compares.
var usual = []string{"1", "5", "10%", "25%"}

// manyGroups is the number of groups from which a faster roll-out is suggested.
const manyGroups = 10

// compare tries the usual values of maxUnavailable and the largest that the
// pods allow beside the pool's own, for the table. It returns the trial of the
// largest, the pool's own when its use is not known.
func (g *planner) compare(own trial, best int) trial {
	list, fastest := []trial{own}, own
	values := slices.Clone(usual)
	if best > 0 {
		values = append(values, strconv.Itoa(best))
	}
	for _, value := range values {
		t, err := g.try(own.pool, value, "["+own.pool.Name+"/"+value+"]", "")
		if err != nil || t.left.Number <= 0 {
			continue
		}
		if !slices.ContainsFunc(list, func(x trial) bool { return x.atOnce.Number == t.atOnce.Number }) {
			list = append(list, t)
		}
		if t.atOnce.Number == float64(best) {
			fastest = t
		}
	}
	slices.SortStableFunc(list, func(a, b trial) int { return cmp.Compare(a.atOnce.Number, b.atOnce.Number) })
	g.trials = append(g.trials, list...)
	return fastest
}

// judgeRollout says whether the workload fits on what stays up, and how much
// faster it could go.
func (g *planner) judgeRollout(t trial, best int, fastest trial) {
	name := t.pool.Name
	var f *v1alpha1.Finding
	switch {
	case best < 0:
		return
	case best == 0:
		f = g.Find(v1alpha1.Warning, "grow.rollout.full"+of(t.pool),
			fmt.Sprintf("pool %s has no node to spare: while one of %s is updated, its pods find no place on the others", name,
				t.pool.Count),
			"add a spare node, or accept that pods wait during every update")
	case t.atOnce.Number > float64(best):
		f = g.Find(v1alpha1.Warning, "grow.rollout.overload"+of(t.pool),
			fmt.Sprintf("updating %s of pool %s at once leaves %s of it, and not every pod finds a place there", t.atOnce, name,
				t.left),
			fmt.Sprintf("set policy.maxUnavailable to %d at most, or add nodes", best))
	case float64(best) > t.atOnce.Number && t.waves.Number > manyGroups:
		f = g.Find(v1alpha1.Info, "grow.rollout.faster"+of(t.pool),
			fmt.Sprintf("updating pool %s takes %s with %s at once; "+
				"by placement every pod keeps a place with %d away, which takes %s",
				name, span(t.min, t.max), t.atOnce, best, span(fastest.min, fastest.max)),
			fmt.Sprintf("set policy.maxUnavailable to %d at most; mind applications that can't lose so many nodes at once",
				best))
	default:
		return
	}
	f.Figure, f.Field, f.Sources = "grow.rollout.most"+of(t.pool), "policy.maxUnavailable",
		[]derive.Source{part.OCP("2.2")}
}

// rolloutTable compares values of maxUnavailable for each pool.
func (g *planner) rolloutTable() {
	if len(g.trials) == 0 {
		return
	}
	t := g.Table("grow.rollout", "Roll-out of a change that reboots nodes, by maxUnavailable",
		part.Left("Pool"), part.Left("maxUnavail."), part.Right("Nodes"), part.Right("Groups"), part.Right("Time"),
		part.Right("Remaining"), part.Right("Utilisation"))
	t.Wide = true
	for _, x := range g.trials {
		value := x.asWritten
		if x.own {
			value += " (planned)"
		}
		t.Rows = append(t.Rows, []v1alpha1.Cell{
			part.Text(x.pool.Name), part.Text(value), part.Bare(x.atOnce), part.Bare(x.waves), x.timeCell(), part.Num(x.left),
			x.loadCell(),
		})
	}
	t.Notes = append(t.Notes,
		"Groups are a bound: the next node starts as soon as one is back.",
		"Utilisation: what the pods request at the peak, as a share of the nodes that remain, by the totals.")
}

// timeCell is the range of times; it links to the upper one.
func (t trial) timeCell() v1alpha1.Cell {
	c := part.Num(t.max)
	c.Text = t.min.Text + " to " + t.max.Text
	return c
}

func (t trial) loadCell() v1alpha1.Cell {
	if t.load.Text == "" {
		return part.Text("-")
	}
	c := part.Num(t.load)
	c.Mark = "good"
	if t.load.Number > 100+1e-9 {
		c.Mark = "bad"
	}
	return c
}
