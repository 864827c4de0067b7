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

// Nodes is the nodes of a zone, or all of them.
type Nodes struct {
	// Label stands below the columns, empty counts them.
	Label   string
	Columns []Column
}

// Heights of a packing of one group of nodes, of each of several, and of the text below, in pixels.
const (
	plotHeight  = 220
	groupHeight = 84
	scaleHeight = 22
)

// Packing draws nodes as columns with stacked blocks, stranded capacity hatched, one group
// below the other to the same scale; noun is what a column is: node, host.
func Packing(groups []Nodes, noun string) string {
	most, high := 1, plotHeight
	for _, g := range groups {
		most = max(most, g.count())
	}
	if len(groups) > 1 {
		high = groupHeight
	}
	var b strings.Builder
	b.WriteString(`<svg class="packing" width="100%" height="` + strconv.Itoa(len(groups)*(high+scaleHeight)) +
		`" aria-hidden="true" focusable="false">`)
	for i, g := range groups {
		y := i * (high + scaleHeight)
		b.WriteString(`<svg y="` + strconv.Itoa(y) + `" width="100%" height="` + strconv.Itoa(high) + `">`)
		b.WriteString(box("track", 0, place(g.count(), most), "0", "100%", ""))
		x := 0
		for _, c := range g.Columns {
			b.WriteString(c.draw(place(x, most), place(x+max(0, c.Nodes), most)))
			x += max(0, c.Nodes)
		}
		b.WriteString(`</svg>` + sideText("0", y+high+14, false, g.says(noun)))
	}
	return b.String() + `</svg>`
}

func (g Nodes) count() int {
	n := 0
	for _, c := range g.Columns {
		n += max(0, c.Nodes)
	}
	return n
}

// says is "zone-1: 16 nodes".
func (g Nodes) says(noun string) string {
	n := g.count()
	if n != 1 {
		noun += "s"
	}
	text := strconv.Itoa(n) + " " + noun
	if g.Label != "" {
		text = g.Label + ": " + text
	}
	return text
}

// place is where a number of nodes stands, in per cent of the width.
func place(nodes, most int) float64 {
	return math.Max(0, math.Min(1, float64(nodes)/float64(most))) * 100
}

// draw is the column from one place to another.
func (c Column) draw(from, to float64) string {
	var b strings.Builder
	b.WriteString("<g><title>" + html.EscapeString(c.Label) + "</title>")
	top := 100.0
	for _, k := range c.Blocks {
		if h := share(k.Share, top); h > 0 {
			top -= h
			b.WriteString(column("kind-"+strconv.Itoa(k.Kind%Kinds), from, to-from, top, h, ""))
		}
	}
	if h := share(c.Stranded, top); h > 0 {
		b.WriteString(column("stranded", from, to-from, top-h, h, "slash-ink"))
	}
	return b.String() + "</g>"
}

// sideText is a text at the right of a place, or at its left.
func sideText(x string, y int, left bool, s string) string {
	side := ` dx="5"`
	if left {
		side = ` dx="-5" text-anchor="end"`
	}
	return `<text x="` + x + `" y="` + strconv.Itoa(y) + `"` + side + `>` + html.EscapeString(s) + `</text>`
}

// share is a share of the height in per cent, at most what is left.
func share(v, left float64) float64 {
	if !(v > 0) { // not a number, too
		return 0
	}
	return math.Min(v*100, left)
}

func column(class string, x, w, y, h float64, pattern string) string {
	return box("block "+class, x, w, percent(y), percent(h), pattern)
}

// KindSwatch draws the key of a kind of pod for a legend.
func KindSwatch(kind int) string {
	return swatch(column("kind-"+strconv.Itoa(kind%Kinds), 0, 100, 0, 100, ""))
}

// StrandedSwatch draws the key of stranded capacity.
func StrandedSwatch() string { return swatch(column("stranded", 0, 100, 0, 100, "slash-ink")) }
