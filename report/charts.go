package report

import (
	"cmp"
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report/chart"
)

// chartView is a drawing under its title.
type chartView struct{ Title, Drawing string }

// kindView is an entry of a drawing's legend.
type kindView struct{ Name, Swatch string }

// placementCharts draws how full the nodes are, a drawing for each resource that
// somebody asks for in earnest.
func placementCharts(p *v1alpha1.Placement) Charts {
	out := Charts{Says: "Each column is a node, or a number of equal ones; each block what the pods of one type request " +
		"of what is allocatable. Hatched is free where no pod of any type fits any more. " +
		"The numbers stand in the table of the nodes."}
	if len(p.Nodes) == 0 || len(p.PodTypes) == 0 {
		return out
	}
	colours := coloursOf(p)
	marks := marksOf(p.Comparison)
	for _, r := range p.Resources {
		if r.Requested > 0 && r.Allocatable > 0 && !plainResource(r.Resource) {
			out.List = append(out.List, chartView{r.Resource,
				chart.Packing(columnsOf(barsOf(p, r.Resource, colours), podWords), marks, podWords.Place)})
		}
	}
	out.Legend = legend(each(p.PodTypes, func(o v1alpha1.PodOutcome) string { return o.Name }), colours)
	if slices.ContainsFunc(p.Nodes, func(n v1alpha1.PlacedNode) bool { return n.Full }) {
		out.Legend = append(out.Legend, kindView{"stranded", chart.StrandedSwatch()})
	}
	return out
}

// legend names the kinds that have a colour of their own, in its order, and
// counts those that share the last one.
func legend(names []string, colours []int) []kindView {
	own := make([]string, chart.Kinds)
	shared := 0
	for i, colour := range colours {
		if colour == chart.Kinds-1 {
			shared++
		}
		own[colour] = names[i]
	}
	if shared > 1 {
		own[chart.Kinds-1] = words.Count(shared, "further type")
	}
	var out []kindView
	for i, name := range own {
		if name != "" {
			out = append(out, kindView{name, chart.KindSwatch(i)})
		}
	}
	return out
}

// spread gives the weightiest kinds colours of their own, and the rest the last
// colour. Kinds without weight share it, too.
func spread(weights []float64) []int {
	at := make([]int, len(weights))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	colours := make([]int, len(weights))
	for rank, i := range at {
		colours[i] = min(rank, chart.Kinds-1)
	}
	return colours
}

// coloursOf spreads the colours by what the pods of a type take of the cluster.
func coloursOf(p *v1alpha1.Placement) []int {
	weights := make([]float64, len(p.PodTypes))
	for i, o := range p.PodTypes {
		for _, r := range p.Resources {
			weights[i] = max(weights[i], float64(o.Placed)*ratio(o.Requests[r.Resource], r.Allocatable))
		}
	}
	return spread(weights)
}

// marksOf are the floor, the packing and what the scheduler needs.
func marksOf(c *v1alpha1.NodeComparison) []chart.Mark {
	if c == nil {
		return nil
	}
	marks := floorMarks(c.Floor, c.Planned, "packing ")
	least, most := 0, 0
	for _, n := range c.Needed {
		low := cmp.Or(n.Least, n.Nodes)
		if least == 0 || low < least {
			least = low
		}
		most = max(most, n.Nodes, n.Most)
	}
	switch {
	case most == 0:
	case least == most:
		marks = append(marks, chart.Mark{Nodes: most, Label: "scheduler " + words.Number(most)})
	default:
		marks = append(marks, chart.Mark{Nodes: most,
			Label: "scheduler " + words.Number(least) + " to " + words.Number(most)})
	}
	return marks
}

// floorMarks are the proven floor and the packing, one mark where they are the same.
func floorMarks(floor, packed int, packing string) []chart.Mark {
	if packed == floor {
		return []chart.Mark{{Nodes: floor, Label: "proven floor and " + packing + words.Number(floor)}}
	}
	return []chart.Mark{{Nodes: floor, Label: "proven floor " + words.Number(floor)},
		{Nodes: packed, Label: packing + words.Number(packed)}}
}

// plainResource says whether a resource is one that every pod takes.
func plainResource(name string) bool { return name == "pods" || name == "ephemeral-storage" }

// pageColumns bounds the columns of a drawing, about.
const pageColumns = 150

// bar is a node or host, or a number of equal ones, of which a drawing shows how
// full it is.
type bar struct {
	name, kind string
	count      int
	blocks     []chart.Block
	// stranded is the free share that is of no use; fullness that of its fullest
	// resource.
	stranded, fullness float64
	// says what runs there.
	says string
}

// barsOf are the nodes that have a resource.
func barsOf(p *v1alpha1.Placement, resource string, colours []int) []bar {
	var out []bar
	for _, n := range p.Nodes {
		r, ok := resourceOf(n, resource)
		if !ok {
			continue
		}
		b := bar{name: n.Name, kind: n.Type, count: n.Count, fullness: fullness(n), says: podsText(p, n.Pods, typesNamed)}
		for _, x := range n.Pods {
			if x.PodType >= 0 && x.PodType < len(p.PodTypes) {
				b.blocks = append(b.blocks, chart.Block{Kind: colours[x.PodType],
					Share: float64(x.Count) * ratio(p.PodTypes[x.PodType].Requests[resource], r.Allocatable)})
			}
		}
		if n.Full {
			b.stranded = ratio(r.Allocatable-r.Requested, r.Allocatable)
		}
		out = append(out, b)
	}
	return out
}

// columnsOf are the bars as columns, the weightiest kinds at the bottom, type by
// type, the fullest first. Where there are too many, neighbours share a column that
// shows their mean.
func columnsOf(bars []bar, w terms) []chart.Column {
	kinds, count := map[string]int{}, 0
	for _, b := range bars {
		if _, ok := kinds[b.kind]; !ok {
			kinds[b.kind] = len(kinds)
		}
		count += b.count
	}
	least := 1
	if len(bars) > pageColumns {
		least = (count + pageColumns - 1) / pageColumns
	}
	bars = slices.Clone(bars)
	slices.SortStableFunc(bars, func(a, b bar) int {
		return cmp.Or(cmp.Compare(kinds[a.kind], kinds[b.kind]), cmp.Compare(b.fullness, a.fullness))
	})
	var out []chart.Column
	var sum meanColumn
	for _, b := range bars {
		sum.add(b)
		if sum.nodes >= least {
			out = append(out, sum.column(w))
			sum = meanColumn{}
		}
	}
	if sum.nodes > 0 {
		out = append(out, sum.column(w))
	}
	return out
}

// meanColumn sums up bars for one column.
type meanColumn struct {
	shares   [chart.Kinds]float64
	stranded float64
	nodes    int
	bars     []bar
}

func (m *meanColumn) add(b bar) {
	for _, k := range b.blocks {
		m.shares[k.Kind%chart.Kinds] += float64(b.count) * k.Share
	}
	m.stranded += float64(b.count) * b.stranded
	m.nodes += b.count
	m.bars = append(m.bars, b)
}

func (m *meanColumn) column(w terms) chart.Column {
	c := chart.Column{Nodes: m.nodes, Stranded: m.stranded / float64(m.nodes)}
	for kind, share := range m.shares {
		if share > 0 {
			c.Blocks = append(c.Blocks, chart.Block{Kind: kind, Share: share / float64(m.nodes)})
		}
	}
	first, last := m.bars[0], m.bars[len(m.bars)-1]
	if len(m.bars) == 1 {
		c.Label = fmt.Sprintf("%s, %s: %s", first.name, words.Count(m.nodes, w.Place), first.says)
	} else {
		c.Label = fmt.Sprintf("%s, from %s to %s, their mean", words.Count(m.nodes, w.Place), first.name, last.name)
	}
	c.Label = oneLine(c.Label)
	return c
}
