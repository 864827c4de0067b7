package report

import (
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/report/chart"
)

// layerBar is the width of a node's bar of layers.
const layerBar = 30

// layersTitle stands above the layers of nodes or hosts.
func layersTitle(w terms) string { return "What a " + w.Place + " is used for" }

// nodeTitle is "m5.2xlarge, worker, 57 nodes".
func nodeTitle(n v1alpha1.NodeLayers, w terms) string {
	if n.Type == n.Role {
		return n.Type + ", " + words.Count(n.Count, w.Place)
	}
	return n.Type + ", " + n.Role + ", " + words.Count(n.Count, w.Place)
}

func freeOf(r v1alpha1.ResourceLayers) string {
	for _, l := range r.Layers {
		if l.Name == "free" {
			return "free " + layerValue(l.Value, r.Capacity)
		}
	}
	return ""
}

// letter pairs a layer's name with the letter that draws it.
type letter struct {
	name string
	mark string
}

// layerLetters gives each layer its first letter or digit that no other one has;
// free space is a dot.
func layerLetters(nodes []v1alpha1.NodeLayers) []letter {
	var out []letter
	for _, name := range layerNames(nodes) {
		l := letter{name: name, mark: "?"}
		if name == "free" {
			l.mark = "."
		} else {
			for _, r := range strings.ToLower(name) {
				free := !slices.ContainsFunc(out, func(o letter) bool { return o.mark == string(r) })
				if free && (r >= 'a' && r <= 'z' || r >= '0' && r <= '9') {
					l.mark = string(r)
					break
				}
			}
		}
		out = append(out, l)
	}
	return out
}

// bottomUp is the order of the layers that plans have.
var bottomUp = []string{"system", "kubelet", "eviction", "hugepages", "daemonsets", "infrastructure",
	"workload", "free"}

// layerNames are the names of all layers, in the order in which they stand on
// the nodes; unknown ones come before free.
func layerNames(nodes []v1alpha1.NodeLayers) []string {
	var out []string
	for _, n := range nodes {
		for _, r := range n.Resources {
			for _, l := range r.Layers {
				if !slices.Contains(out, l.Name) {
					out = append(out, l.Name)
				}
			}
		}
	}
	rank := func(name string) int {
		if i := slices.Index(bottomUp, name); i >= 0 {
			return 2 * i
		}
		return 2*len(bottomUp) - 3
	}
	slices.SortStableFunc(out, func(a, b string) int { return rank(a) - rank(b) })
	return out
}

// stackBar draws the layers as letters; each boundary is rounded on its own,
// so that the bar is always full.
func stackBar(r v1alpha1.ResourceLayers, legend []letter) string {
	var b strings.Builder
	sum := 0.0
	for _, l := range r.Layers {
		sum += math.Max(0, l.Value.Number)
		i := slices.IndexFunc(legend, func(x letter) bool { return x.name == l.Name })
		until := layerBar
		if r.Capacity.Number > 0 {
			until = min(layerBar, int(math.Round(sum/r.Capacity.Number*layerBar)))
		}
		if n := until - b.Len(); n > 0 {
			b.WriteString(strings.Repeat(legend[i].mark, n))
		}
	}
	return "[" + b.String() + strings.Repeat(" ", max(0, layerBar-b.Len())) + "]"
}

// lettersOn are the letters of a node's own layers.
func lettersOn(n v1alpha1.NodeLayers, legend []letter) []letter {
	own := layerNames([]v1alpha1.NodeLayers{n})
	return slices.DeleteFunc(slices.Clone(legend), func(l letter) bool { return !slices.Contains(own, l.name) })
}

func legendText(legend []letter) string {
	return joined(legend, ", ", func(l letter) string { return l.mark + " " + l.name })
}

// manyResources is the number of columns beyond which shares are left to the drawing.
const manyResources = 3

// layerRows are the layers of a node with their values by resource, bottom first,
// and the capacity at the end.
func layerRows(n v1alpha1.NodeLayers) [][]string {
	var rows [][]string
	names := layerNames([]v1alpha1.NodeLayers{n})
	for _, name := range names {
		row := []string{name}
		for _, r := range n.Resources {
			cell := ""
			for _, l := range r.Layers {
				if l.Name == name && len(n.Resources) > manyResources {
					cell = l.Value.Text
				} else if l.Name == name {
					cell = layerValue(l.Value, r.Capacity)
				}
			}
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	total := []string{"capacity"}
	for _, r := range n.Resources {
		total = append(total, r.Capacity.Text)
	}
	return append(rows, total)
}

// layerGrid is the node's layers in numbers.
func layerGrid(n v1alpha1.NodeLayers, w terms) Grid {
	head := []string{"Layer"}
	for _, r := range n.Resources {
		head = append(head, ">"+r.Resource)
	}
	g := newTable(nodeTitle(n, w), head, layerRows(n))
	g.ID, g.Inner = "layers-"+n.Type, true
	return g
}

// layerStack draws the layers of a resource.
func layerStack(r v1alpha1.ResourceLayers, kinds map[string]int) string {
	var parts []chart.Part
	for _, l := range r.Layers {
		if r.Capacity.Number > 0 {
			parts = append(parts, chart.Part{Name: l.Name, Kind: kinds[l.Name], Share: l.Value.Number / r.Capacity.Number,
				Label: l.Name + ": " + layerValue(l.Value, r.Capacity)})
		}
	}
	return chart.Stack(parts)
}

// layerKinds gives the layers whose names have no look of their own a colour each, from 1.
func layerKinds(nodes []v1alpha1.NodeLayers) map[string]int {
	kinds := map[string]int{}
	for _, name := range layerNames(nodes) {
		if !chart.Known(name) {
			kinds[name] = len(kinds) + 1
		}
	}
	return kinds
}

// layerSwatch is the key of a layer.
func layerSwatch(name string, kinds map[string]int) string {
	if k := kinds[name]; k > 0 {
		return chart.KindSwatch(k - 1)
	}
	return chart.Swatch(name)
}
