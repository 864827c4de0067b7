package report

import (
	"fmt"
	"html/template"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/report/chart"
)

// packingPage is a packing prepared for its template.
type packingPage struct {
	shell
	Fits      bool
	Mix       string
	Sentences []string
	Charts    []chartView
	Kinds     []kindView
	Bought    *rowsView
	Patterns  *rowsView
	Peers     *rowsView
}

// packingHTML is the packing as one HTML file.
func packingHTML(p Packing, opt Options) (string, error) {
	v := packingPage{shell: shell{page: newPage(newIndex(&v1alpha1.Plan{}, opt)), Title: "Packing", Sub: "The cheapest mix of nodes that was found, and how good it is"},
		Fits: p.left() == 0, Mix: mixText(p), Sentences: p.sentences()}
	v.CSS += template.CSS(placementStyle) //nolint:gosec // a constant
	var rows [][]string
	for _, x := range p.Solution.Patterns {
		rows = append(rows, []string{grouped(float64(x.Copies)), p.Problem.Nodes[x.Node].Name, stacksText(p.Problem, x.Items)})
	}
	v.Bought = newRows("Nodes", boughtHead, boughtRows(p, true))
	v.Patterns = newRows("Patterns", []string{">Nodes", "Type", "Each runs"}, rows)
	if len(p.Peers) > 0 {
		v.Peers = newRows("Other rules", peerHead, peerRows(p))
	}
	v.charts(p)
	return execute("packing-page", v)
}

// charts draws the patterns, once for each resource that somebody needs.
func (v *packingPage) charts(p Packing) {
	colours := p.colours()
	marks := []chart.Mark{{Nodes: int(p.Solution.Bound.Nodes), Label: "no mix has fewer: " + grouped(float64(p.Solution.Bound.Nodes))}}
	for d, name := range p.Problem.Resources {
		if columns := patternColumns(p, d, colours); len(columns) > 0 && !plainResource(name) {
			v.Charts = append(v.Charts, chartView{name, template.HTML(chart.Packing(columns, marks, podWords.Place))}) //nolint:gosec // escaped by chart
		}
	}
	names := make([]string, len(p.Problem.Items))
	for i, item := range p.Problem.Items {
		names[i] = item.Name
	}
	v.Kinds = legend(names, colours)
}

// colours are spread by what all items of a kind need of the largest node.
func (p Packing) colours() []int {
	weights := make([]float64, len(p.Problem.Items))
	for d := range p.Problem.Resources {
		largest := int64(1)
		for _, n := range p.Problem.Nodes {
			largest = max(largest, n.Capacity[d])
		}
		for i, item := range p.Problem.Items {
			weights[i] = max(weights[i], float64(item.Count)*ratio(item.Need[d], largest))
		}
	}
	return spread(weights)
}

// patternColumns are the patterns as columns of one dimension, and a column for
// the spare nodes; none when nobody needs it.
func patternColumns(p Packing, d int, colours []int) []chart.Column {
	var out []chart.Column
	needed := false
	for _, x := range p.Solution.Patterns {
		capacity := p.Problem.Nodes[x.Node].Capacity[d]
		if capacity <= 0 {
			continue
		}
		c := chart.Column{Nodes: int(x.Copies), Label: oneLine(fmt.Sprintf("%d x %s: %s", x.Copies, p.Problem.Nodes[x.Node].Name, stacksText(p.Problem, x.Items)))}
		for _, s := range x.Items {
			share := float64(p.Problem.Items[s.Item].Need[d]*s.Count) / float64(capacity)
			needed = needed || share > 0.005
			c.Blocks = append(c.Blocks, chart.Block{Kind: colours[s.Item], Share: share})
		}
		out = append(out, c)
	}
	if !needed {
		return nil
	}
	if n := total(p.Solution.Spares); n > 0 {
		out = append(out, chart.Column{Nodes: int(n), Label: grouped(float64(n)) + " spare"})
	}
	return out
}
