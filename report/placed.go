package report

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/place/cluster"
	"plimsoll.dev/plan"
	"plimsoll.dev/plan/helion"
)

// placedTitle stands above the nodes as the plan's placement fills them.
func placedTitle(w terms) string { return "The " + w.Place + "s as placed" }

// placed adds the nodes of the chosen option as they are filled, which a plan holds as the
// scenario and the numbers: they are placed again by the same rules.
func (d *Document) placed(ix *index) {
	if ix.plan.Scenario == nil {
		return
	}
	if ix.terms() == serverWords {
		if p := ix.placedServers(); p != nil {
			grid := func(hosts []v1alpha1.PlacedHost) Grid { return hostGrid(hosts, false) }
			machines := p.Machines[:min(1, len(p.Machines))]
			d.addAs("placed", placedTitle(serverWords), "As placed", serverCharts(p),
				Machines{All: machines, Shown: machines, By: ownedByServers(p), Beside: besideServers(p, ix.plan.Scenario)},
				numbersOf(foldedHosts(p.Hosts), serverWords, grid))
		}
		return
	}
	if p := ix.placedPods(); p != nil {
		grid := func(nodes []v1alpha1.PlacedNode) Grid { return fewNodes(p, nodes, false) }
		d.addAs("placed", placedTitle(podWords), "As placed", placementCharts(p), numbersOf(folded(p.Nodes), podWords, grid))
	}
}

// numbersOf is the table behind a drawing, of so many rows as a page can bear.
func numbersOf[T any](list []T, w terms, grid func([]T) Grid) Block {
	shown := list[:min(placedRows, len(list))]
	g := grid(shown)
	g.ID = "placed"
	if n := len(list) - len(shown); n > 0 {
		g.Notes = append(g.Notes, fmt.Sprintf("and %s more", words.Count(n, w.Place)))
	}
	return Fold{"The drawing in numbers", []Block{g}}
}

// placedRows is the number of nodes that are told in numbers; place tells all.
const placedRows = 60

// placedPods is the placement of the chosen option; nil where the plan does not know it.
func (ix *index) placedPods() *v1alpha1.Placement {
	p := ix.plan
	i := slices.IndexFunc(p.Options, func(o v1alpha1.Option) bool { return o.Chosen })
	if i < 0 || !wasPlaced(p.Options[i]) {
		return nil
	}
	pools, err := cluster.Pools(p.Scenario, p, "", true)
	if err != nil {
		return nil
	}
	in := cluster.Input{Scenario: p.Scenario, Pools: pools, Platform: p.Decisions.WorkerPods, Assumptions: p.Assumptions,
		Facts: plan.Catalogue(ix.facts, p.Scenario), Machines: p.Machines}
	if p.Options[i].Name == plan.TodaysNodes {
		in.Snapshot = p.Snapshot
	}
	order := p.Options[i].Verified.Order
	if order == place.Any {
		order = cluster.Runs
	}
	placed, err := place.Make(cluster.Build(in), p.Scenario,
		place.Options{Order: order, Seed: uint64(p.Scenario.Scheduling.Seed)})
	if err != nil {
		return nil
	}
	return placed
}

// placedServers is the placement of VMs on the plan's computes; nil where it has none.
func (ix *index) placedServers() *v1alpha1.ServerPlacement {
	p := ix.plan
	pools := helion.Pools(p.Scenario, p, p.Machines)
	if len(pools) == 0 {
		return nil
	}
	c, problems := cloud.New(p.Scenario, pools)
	if len(problems) > 0 {
		return nil
	}
	return cloud.Make(c, cloud.Options{})
}
