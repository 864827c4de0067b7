package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report/chart"
)

// chartView is a drawing under its title.
type chartView struct{ Title, Drawing string }

// kindView is an entry of a drawing's legend.
type kindView struct{ Name, Swatch string }

// placementCharts draws how full the nodes are, by zone, a drawing for each resource that
// somebody asks for in earnest.
func placementCharts(p *v1alpha1.Placement) Charts {
	out := Charts{Says: "Each column is a node, or a number of equal ones; each block what the pods of one type request " +
		"of what is allocatable. Hatched is free where no pod of any type fits any more. " +
		"The numbers stand in the table of the nodes."}
	if len(p.Nodes) == 0 || len(p.PodTypes) == 0 {
		return out
	}
	weights := make([]float64, len(p.PodTypes))
	for i, o := range p.PodTypes {
		for _, r := range p.Resources {
			weights[i] = max(weights[i], float64(o.Placed)*ratio(o.Requests[r.Resource], r.Allocatable))
		}
	}
	names := each(p.PodTypes, func(o v1alpha1.PodOutcome) string { return o.Name })
	spaces := each(p.PodTypes, func(o v1alpha1.PodOutcome) string { return o.Namespace })
	colours, legend := coloured(weights, names, spaces, each(names, firstWord))
	for _, r := range p.Resources {
		if r.Requested > 0 && r.Allocatable > 0 && !plainResource(r.Resource) {
			out.List = append(out.List, chartView{r.Resource,
				chart.Packing(byZone(barsOf(p, r.Resource, colours), podWords), podWords.Place)})
		}
	}
	out.Legend = legend
	if slices.ContainsFunc(p.Nodes, func(n v1alpha1.PlacedNode) bool { return n.Full }) {
		out.Legend = append(out.Legend, kindView{"stranded", chart.StrandedSwatch()})
	}
	return out
}

// mostFurther is the share of a drawing that may have the colour of all further types.
const mostFurther = 0.33

// coloured gives the weightiest types colours of their own, and the rest the last one. Where
// that leaves much to the rest, types with the same other name share a colour: those of a
// namespace, of an application. An empty name is none.
func coloured(weights []float64, namings ...[]string) (colours []int, legend []kindView) {
	least := math.Inf(1)
	for _, names := range namings {
		if slices.Contains(names, "") {
			continue
		}
		if c, l, further := colouredBy(weights, names); further < least {
			colours, legend, least = c, l, further
		}
		if least <= mostFurther {
			break
		}
	}
	return colours, legend
}

// colouredBy gives each name a colour, and says which share of the weight has the last one.
func colouredBy(weights []float64, names []string) (colours []int, legend []kindView, further float64) {
	type group struct {
		name   string
		types  int
		weight float64
	}
	all := 0.0
	groups := make([]group, len(names))
	for i, name := range names {
		groups[i] = group{name, 1, weights[i]}
		all += weights[i]
	}
	groups = merged(groups, func(g *group) (string, bool) { return g.name, true },
		func(to *group, g group) { to.types, to.weight = to.types+1, to.weight+g.weight })
	slices.SortStableFunc(groups, func(a, b group) int { return cmp.Compare(b.weight, a.weight) })
	colour := map[string]int{}
	for rank, g := range groups {
		colour[g.name] = min(rank, chart.Kinds-1)
	}
	if last := chart.Kinds - 1; len(groups) > chart.Kinds {
		rest := group{types: sumOf(groups[last:], func(g group) int { return g.types })}
		for _, g := range groups[last:] {
			further += g.weight / max(all, math.SmallestNonzeroFloat64)
		}
		rest.name = words.Count(rest.types, "further type")
		rest.types = 1
		groups = append(groups[:last], rest)
	}
	for i, g := range groups {
		if g.types > 1 {
			g.name += " (" + words.Count(g.types, "type") + ")"
		}
		legend = append(legend, kindView{g.name, chart.KindSwatch(i)})
	}
	return each(names, func(name string) int { return colour[name] }), legend, further
}

// firstWord is what names of an application's parts begin with.
func firstWord(name string) string {
	if i := strings.IndexAny(name, "-._/"); i > 0 {
		return name[:i]
	}
	return name
}

// plainResource says whether a resource is one that every pod takes.
func plainResource(name string) bool { return name == "pods" || name == "ephemeral-storage" }

// pageColumns bounds the columns of a drawing, about.
const pageColumns = 150

// bar is a node or host, or a number of equal ones, of which a drawing shows how
// full it is.
type bar struct {
	name, kind, zone string
	count            int
	blocks           []chart.Block
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
		b := bar{name: n.Name, kind: n.Type, zone: zoneOf(n), count: n.Count, fullness: fullness(n),
			says: podsText(p, n.Pods, typesNamed)}
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

// mostZones is the number of zones beyond which they are not drawn apart.
const mostZones = 8

// zoneOf is the zone of a node, by whatever label says it.
func zoneOf(n v1alpha1.PlacedNode) string {
	for _, key := range slices.Sorted(maps.Keys(n.Domains)) {
		if shortKey(key) == "zone" {
			return n.Domains[key]
		}
	}
	return ""
}

// byZone are the bars of each zone as columns, or all of them where there are no zones or
// too many.
func byZone(bars []bar, w terms) []chart.Nodes {
	zones := map[string][]bar{}
	for _, b := range bars {
		zones[b.zone] = append(zones[b.zone], b)
	}
	if len(zones) < 2 || len(zones) > mostZones {
		return []chart.Nodes{{Columns: columnsOf(bars, w)}}
	}
	return each(slices.Sorted(maps.Keys(zones)), func(zone string) chart.Nodes {
		return chart.Nodes{Label: cmp.Or(oneLine(zone), "no zone"), Columns: columnsOf(zones[zone], w)}
	})
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
