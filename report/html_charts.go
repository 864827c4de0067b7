package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/report/chart"
)

// charts draws how full the nodes are, a drawing for each resource that somebody
// asks for in earnest.
func (v *placementPage) charts() {
	if len(v.P.Nodes) == 0 || len(v.P.PodTypes) == 0 {
		return
	}
	colours := coloursOf(v.P)
	marks := marksOf(v.P.Comparison)
	for _, r := range v.P.Resources {
		if r.Requested > 0 && r.Allocatable > 0 && !plainResource(r.Resource) {
			drawing := chart.Packing(columnsOf(v.P, r.Resource, colours), marks)
			v.Charts = append(v.Charts, chartView{r.Resource, template.HTML(drawing)}) //nolint:gosec // escaped by chart
		}
	}
	names := make([]string, len(v.P.PodTypes))
	for i, o := range v.P.PodTypes {
		names[i] = o.Name
	}
	v.Kinds = legend(names, colours)
	if slices.ContainsFunc(v.P.Nodes, func(n v1alpha1.PlacedNode) bool { return n.Full }) {
		v.Kinds = append(v.Kinds, kindView{"stranded", template.HTML(chart.StrandedSwatch())}) //nolint:gosec // a constant
	}
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
		own[chart.Kinds-1] = plural(shared, "further type")
	}
	var out []kindView
	for i, name := range own {
		if name != "" {
			out = append(out, kindView{name, template.HTML(chart.KindSwatch(i))}) //nolint:gosec // a number
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
	marks := []chart.Mark{{Nodes: c.Floor, Label: "proven floor " + whole(c.Floor)}}
	if c.Planned == c.Floor {
		marks[0].Label = "proven floor and packing " + whole(c.Floor)
	} else {
		marks = append(marks, chart.Mark{Nodes: c.Planned, Label: "packing " + whole(c.Planned)})
	}
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
		marks = append(marks, chart.Mark{Nodes: most, Label: "scheduler " + whole(most)})
	default:
		marks = append(marks, chart.Mark{Nodes: most, Label: "scheduler " + whole(least) + " to " + whole(most)})
	}
	return marks
}

// plainResource says whether a resource is one that every pod takes.
func plainResource(name string) bool { return name == "pods" || name == "ephemeral-storage" }

// pageColumns bounds the columns of a drawing, about.
const pageColumns = 150

// columnsOf are the nodes as columns of one resource, the weightiest kinds of pod
// at the bottom. Where there are too many groups, neighbours share a column that
// shows their mean.
func columnsOf(p *v1alpha1.Placement, resource string, colours []int) []chart.Column {
	var out []chart.Column
	var sum meanColumn
	least := 1
	if len(p.Nodes) > pageColumns {
		least = (nodeCount(p) + pageColumns - 1) / pageColumns
	}
	for _, n := range byFullness(p.Nodes) {
		if _, ok := resourceOf(n, resource); !ok {
			continue
		}
		sum.add(p, n, resource, colours)
		if sum.nodes >= least {
			out = append(out, sum.column(p))
			sum = meanColumn{}
		}
	}
	if sum.nodes > 0 {
		out = append(out, sum.column(p))
	}
	return out
}

// byFullness orders nodes for a drawing: type by type, the fullest first.
func byFullness(nodes []v1alpha1.PlacedNode) []v1alpha1.PlacedNode {
	types := map[string]int{}
	for _, n := range nodes {
		if _, ok := types[n.Type]; !ok {
			types[n.Type] = len(types)
		}
	}
	out := slices.Clone(nodes)
	slices.SortStableFunc(out, func(a, b v1alpha1.PlacedNode) int {
		return cmp.Or(cmp.Compare(types[a.Type], types[b.Type]), cmp.Compare(fullness(b), fullness(a)))
	})
	return out
}

// meanColumn sums up groups of nodes for one column.
type meanColumn struct {
	shares   [chart.Kinds]float64
	stranded float64
	nodes    int
	groups   []v1alpha1.PlacedNode
}

func (m *meanColumn) add(p *v1alpha1.Placement, n v1alpha1.PlacedNode, resource string, colours []int) {
	r, _ := resourceOf(n, resource)
	count := float64(n.Count)
	for _, x := range n.Pods {
		if x.PodType >= 0 && x.PodType < len(p.PodTypes) {
			m.shares[colours[x.PodType]] += count * float64(x.Count) * ratio(p.PodTypes[x.PodType].Requests[resource], r.Allocatable)
		}
	}
	if n.Full {
		m.stranded += count * ratio(r.Allocatable-r.Requested, r.Allocatable)
	}
	m.nodes += n.Count
	m.groups = append(m.groups, n)
}

func (m *meanColumn) column(p *v1alpha1.Placement) chart.Column {
	c := chart.Column{Nodes: m.nodes, Stranded: m.stranded / float64(m.nodes)}
	for kind, share := range m.shares {
		if share > 0 {
			c.Blocks = append(c.Blocks, chart.Block{Kind: kind, Share: share / float64(m.nodes)})
		}
	}
	first, last := m.groups[0], m.groups[len(m.groups)-1]
	c.Label = fmt.Sprintf("%s: %s", counting(m.nodes, "node"), podsText(p, first.Pods, typesNamed))
	if len(m.groups) == 1 {
		c.Label = first.Name + ", " + c.Label
	} else {
		c.Label = fmt.Sprintf("%s, from %s to %s, their mean", counting(m.nodes, "node"), first.Name, last.Name)
	}
	c.Label = oneLine(c.Label)
	return c
}
