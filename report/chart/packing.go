package chart

import (
	"html"
	"math"
	"strconv"
	"strings"
)

// Column is a number of equal nodes in a packing.
type Column struct {
	// Nodes is the number of nodes, and the column's width.
	Nodes int
	// Blocks are stacked from the bottom.
	Blocks []Block
	// Stranded is the free share that no pod can use; it stands above the blocks.
	Stranded float64
	// Label is shown when a pointer rests on the column.
	Label string
}

// Block is what the pods of one kind take on each node of a column.
type Block struct {
	// Kind is the index of the kind of pod; it decides the colour.
	Kind int
	// Share of the node's capacity, from 0 to 1.
	Share float64
}

// Kinds is the number of colours for kinds of pod; more share the colours.
const Kinds = 10

// Packing draws nodes as columns with stacked blocks, stranded capacity hatched.
// bound is the number of nodes that no packing is below, drawn as a line; 0 draws
// none.
func Packing(columns []Column, bound int) string {
	total := 0
	for _, c := range columns {
		total += c.Nodes
	}
	var b strings.Builder
	b.WriteString(`<svg class="packing" width="100%" height="220" aria-hidden="true" focusable="false">`)
	b.WriteString(box("track", 0, 100, "0", "100%", ""))
	x := 0.0
	for _, c := range columns {
		w := 100 * float64(c.Nodes) / float64(max(1, total))
		b.WriteString("<g><title>" + html.EscapeString(c.Label) + "</title>")
		top := 100.0
		for _, k := range c.Blocks {
			h := share(k.Share, top)
			top -= h
			b.WriteString(column("kind-"+strconv.Itoa(k.Kind%Kinds), x, w, top, h, ""))
		}
		if h := share(c.Stranded, top); h > 0 {
			b.WriteString(column("stranded", x, w, top-h, h, "slash-ink"))
		}
		b.WriteString("</g>")
		x += w
	}
	if bound > 0 && bound <= total {
		b.WriteString(line("limit-line", math.Min(99.8, 100*float64(bound)/float64(total)), 0, 100))
	}
	return b.String() + `</svg>`
}

// share is a share of the height in per cent, at most what is left.
func share(v, left float64) float64 { return math.Max(0, math.Min(v*100, left)) }

func column(class string, x, w, y, h float64, pattern string) string {
	fill := ""
	if pattern != "" {
		fill = ` fill="url(#pat-` + pattern + `)"`
	}
	return `<rect class="block ` + class + `" x="` + percent(x) + `" y="` + percent(y) + `" width="` + percent(w) + `" height="` + percent(h) + `"` + fill + `/>`
}

// KindSwatch draws the key of a kind of pod for a legend.
func KindSwatch(kind int) string {
	return `<svg class="swatch" width="14" height="14" aria-hidden="true" focusable="false">` +
		column("kind-"+strconv.Itoa(kind%Kinds), 0, 100, 0, 100, "") + `</svg>`
}

// StrandedSwatch draws the key of stranded capacity.
func StrandedSwatch() string {
	return `<svg class="swatch" width="14" height="14" aria-hidden="true" focusable="false">` + column("stranded", 0, 100, 0, 100, "slash-ink") + `</svg>`
}
