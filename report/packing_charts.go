package report

import (
	"fmt"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/pack"
	"plimsoll.dev/report/chart"
)

// charts draws the patterns, once for each resource that somebody needs.
func (p Packing) charts() Charts {
	colours, legend := p.colours()
	out := Charts{Says: "Each column is a number of equally filled nodes, the last one the spare nodes, " +
		"if there are any; each block what the pods of one type take. The numbers stand in the table below."}
	for d, name := range p.Problem.Resources {
		if columns := patternColumns(p, d, colours); len(columns) > 0 && !plainResource(name) {
			out.List = append(out.List, chartView{name,
				chart.Packing([]chart.Nodes{{Columns: columns}}, podWords.Place)})
		}
	}
	out.Legend = legend
	if p.Solution.Together {
		out.Says += " Drawn are all zones but one, as they are when that is lost."
	}
	return out
}

// colours are spread by what all items of a kind need of the largest node.
func (p Packing) colours() ([]int, []kindView) {
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
	names := each(p.Problem.Items, func(x pack.Item) string { return x.Name })
	return coloured(weights, names, each(names, firstWord))
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
		c := chart.Column{Nodes: int(x.Copies),
			Label: oneLine(fmt.Sprintf("%d x %s: %s", x.Copies, p.Problem.Nodes[x.Node].Name, stacksText(p.Problem, x.Items)))}
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
		out = append(out, chart.Column{Nodes: int(n), Label: words.Number(n) + " spare"})
	}
	return out
}
