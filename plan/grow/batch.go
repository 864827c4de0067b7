package grow

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// Spread deals machines to the zones so that no two differ by more than one;
// the first zones get the odd ones.
func Spread(machines, zones int) []int {
	zones = max(1, zones)
	out := make([]int, zones)
	for z := range out {
		out[z] = machines / zones
		if z < machines%zones {
			out[z]++
		}
	}
	return out
}

// Batches is the way from the machines that are present to all of them in steps
// of at most size machines, balanced over the zones after each. The steps are
// numbered from offset + 1.
func Batches(pool string, present, machines, zones, size, offset int) []v1alpha1.GrowthBatch {
	var out []v1alpha1.GrowthBatch
	before := Spread(present, zones)
	for total := present; total < machines; {
		total = min(total+max(1, size), machines)
		after := Spread(total, zones)
		add := make([]int, len(after))
		for z := range after {
			add[z] = after[z] - before[z]
		}
		out = append(out, v1alpha1.GrowthBatch{Step: offset + len(out) + 1, Pool: pool, Add: add, Total: total,
			Replicas: after})
		before = after
	}
	return out
}

// steps plans the batches of all pools that machine sets make; the control
// plane is installed, not scaled. Infrastructure comes first: routers and
// monitoring wait for it.
func (g *planner) steps() {
	pools := slices.Clone(g.in.Pools)
	slices.SortStableFunc(pools, func(a, b Pool) int { return rank(a) - rank(b) })
	for _, pool := range pools {
		if pool.Role == "controlPlane" {
			continue
		}
		size := int(g.in.BatchSize.Int())
		if !g.machineSets() { // whoever installs machines takes no advice of clouds
			size = max(1, int(pool.Count.Int()))
		}
		batches := Batches(pool.Name, pool.Present, int(pool.Count.Int()), int(g.in.Zones.Int()), size, len(g.res.Steps))
		g.res.Steps = append(g.res.Steps, batches...)
		if !g.machineSets() {
			continue
		}
		n := g.Found("grow.steps"+of(pool), "Steps of scaling up "+pool.Name, float64(len(batches)), "steps",
			"ceil(max(0, machines - present) / max(1, batch))", derive.In("machines", pool.Count),
			derive.In("present", derive.Of(float64(pool.Present), "machines")), derive.In("batch", g.in.BatchSize))
		g.Note("grow.steps"+of(pool),
			"Machines are spread over all zones; after each step no two zones differ by more than one.", part.OCP("3.1"))
		g.Show(n)
	}
	g.stepTable()
	g.judgeBatch()
	g.adviseProvider()
}

func (g *planner) stepTable() {
	if len(g.res.Steps) == 0 || !g.machineSets() {
		return
	}
	columns := []v1alpha1.Column{part.Right("Step"), part.Left("Pool"), part.Right("Add")}
	zones := max(1, int(g.in.Zones.Int()))
	for z := range zones {
		columns = append(columns, part.Right(fmt.Sprintf("Zone %d", z+1)))
	}
	t := g.Table("grow.steps", "Scaling up, replicas of each zone's machine set after the step",
		append(columns, part.Right("Total"))...)
	for _, s := range g.res.Steps {
		added := 0
		for _, n := range s.Add {
			added += n
		}
		row := []v1alpha1.Cell{number(s.Step), part.Text(s.Pool), number(added)}
		for z, n := range s.Replicas {
			row = append(row, part.Num(derive.Of(float64(n), "").WithText(fmt.Sprintf("%d (+%d)", n, s.Add[z]))))
		}
		t.Rows = append(t.Rows, append(row, number(s.Total)))
	}
	t.Notes = append(t.Notes, "Wait until all machines of a step are nodes and Ready before the next.")
}

// rank is the order in which pools are scaled up.
func rank(p Pool) int {
	if p.Role == "infra" {
		return 0
	}
	return 1
}

func number(n int) v1alpha1.Cell { return part.Num(derive.Of(float64(n), "")) }

// judgeBatch holds the batch size against the advice of 25 to 50 machines, which is for
// platforms that make machines.
func (g *planner) judgeBatch() {
	if len(g.res.Steps) == 0 || !g.machineSets() {
		return
	}
	low, high := g.Facts.Must("ocp.scale.batchMin"), g.Facts.Must("ocp.scale.batchMax")
	added := g.largest()
	g.Gauge(limit.Measure("batchSize", "Machines added at once", "cluster", added, high.Value(), high.Kind).AsLocal())
	var f *v1alpha1.Finding
	switch {
	case added.Number > high.Number:
		f = g.Find(v1alpha1.Warning, "grow.batch.large",
			fmt.Sprintf("%s at once: the cloud's limit of API requests may make machine creation fail; "+
				"the documents advise %d to %d at most",
				added, int(low.Number), int(high.Number)),
			fmt.Sprintf("set policy.batchSize to %d at most", int(high.Number)))
	case g.in.BatchSize.Number < low.Number && added.Number == g.in.BatchSize.Number:
		f = g.Find(v1alpha1.Info, "grow.batch.small",
			fmt.Sprintf("%s at once are fewer than the %d that the documents call safe; it takes %s",
				added, int(low.Number), unit.Format(float64(len(g.res.Steps)), "steps")),
			fmt.Sprintf("raise policy.batchSize to %d unless the provider allows no more", int(low.Number)))
	default:
		return
	}
	f.Field, f.Figure, f.Sources = "policy.batchSize", "grow.batch", []derive.Source{part.OCP("3.1")}
}

// largest records the largest step of all.
func (g *planner) largest() derive.Value {
	t := derive.Terms{Texts: []string{"0"}, In: []derive.Input{derive.In("batch", g.in.BatchSize)}}
	for i, pool := range g.in.Pools {
		if pool.Role == "controlPlane" {
			continue
		}
		count, present := fmt.Sprintf("machines%d", i), fmt.Sprintf("present%d", i)
		t.Add(count+" - "+present, derive.In(count, pool.Count),
			derive.In(present, derive.Of(float64(pool.Present), "machines")))
	}
	return g.Calc("grow.batch", "Machines that are added at once, at most", "machines",
		"min(batch, "+t.Of("max")+")", t.In...)
}

// machineSets says whether the platform makes machines by itself.
func (g *planner) machineSets() bool {
	p := g.in.Platform.Provider
	return g.in.Platform.Type != "kubernetes" && (part.Cloud(p) || p == "vsphere")
}

// adviseProvider says what else OCP 3.1 advises where machines come from a cloud.
func (g *planner) adviseProvider() {
	if len(g.res.Steps) == 0 {
		return
	}
	provider := g.in.Platform.Provider
	if !g.machineSets() {
		g.manual()
		return
	}
	if part.Cloud(provider) {
		g.FindAt(v1alpha1.Info, "grow.quota", "platform.provider",
			fmt.Sprintf("%s limits API requests and may be short of an instance type", provider),
			"compare the machines, addresses and volumes of the plan with the account's quota, "+
				"and create machine sets in each zone with "+
				g.alternatives(provider)+" to fall back on", part.OCP("3.1"))
	}
	g.Find(v1alpha1.Info, "grow.healthChecks",
		"failed machines are replaced by themselves only where a MachineHealthCheck watches them; "+
			"machines that are still starting count as unhealthy in it",
		"enable machine health checks, with a maxUnhealthy above the machines of a step, "+
			"or healing stops while a step runs").Sources = []derive.Source{part.OCP("3.1"), part.OCP("3.4.1")}
}

// manual says what becomes of OCP 3, which is for clouds only, where machines are installed.
func (g *planner) manual() {
	if g.in.Platform.Type == "kubernetes" {
		return
	}
	g.FindAt(v1alpha1.Info, "grow.manual", "platform.provider",
		"without a cloud provider there are no machine sets to scale in steps (OCP 3 is for those): nodes are installed, "+
			"infrastructure first, and their certificates approved",
		"approve the requests of the nodes, and see them Ready before they carry pods", part.OCP("3"))
}

func (g *planner) alternatives(provider string) string {
	advice := g.Facts.Must("ocp.scale.alternativeTypes").Text
	if provider == "aws" {
		_, example, _ := strings.Cut(advice, ", for example ")
		return "an instance type of similar size (" + strings.TrimSuffix(example, " on AWS") + ")"
	}
	return "an instance type of similar size"
}
