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
	v.Patterns = newRows("Patterns", []string{">Nodes", "Type", "Each runs"}, rows)
	if len(p.Peers) > 0 {
		v.Peers = newRows("Other rules", []string{"Rule", "Nodes", ">Cost", ">More", "Note"}, peerRows(p))
	}
	for d, name := range p.Problem.Resources {
		if columns := patternColumns(p, d); len(columns) > 0 && !plainResource(name) {
			v.Charts = append(v.Charts, chartView{name, template.HTML(chart.Packing(columns, int(p.Solution.Bound.Nodes)))}) //nolint:gosec // escaped by chart
		}
	}
	for i, item := range p.Problem.Items[:min(chart.Kinds, len(p.Problem.Items))] {
		name := item.Name
		if i == chart.Kinds-1 && len(p.Problem.Items) > chart.Kinds {
			name = fmt.Sprintf("%d further types", len(p.Problem.Items)-i)
		}
		v.Kinds = append(v.Kinds, kindView{name, template.HTML(chart.KindSwatch(i))}) //nolint:gosec // a number
	}
	return execute("packing-page", v)
}

// patternColumns are the patterns as columns of one dimension; none when nobody
// needs it.
func patternColumns(p Packing, d int) []chart.Column {
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
			c.Blocks = append(c.Blocks, chart.Block{Kind: min(s.Item, chart.Kinds-1), Share: share})
		}
		out = append(out, c)
	}
	if !needed {
		return nil
	}
	return out
}
