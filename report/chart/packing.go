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

// Mark is a number of nodes worth a line in a packing: a proven bound, a plan.
type Mark struct {
	// Nodes from the left edge.
	Nodes int
	// Label stands above the drawing, at the line.
	Label string
}

// Heights of a packing, its labels and its scale, in pixels.
const (
	plotHeight  = 220
	labelHeight = 17
	scaleHeight = 18
)

// Packing draws nodes as columns with stacked blocks, stranded capacity hatched,
// and a labelled line for each mark, the first one heavy. The marks ascend. The
// scale goes from 0 to the last column or mark; noun is what a column is: node, host.
func Packing(columns []Column, marks []Mark, noun string) string {
	nodes := 0
	for _, c := range columns {
		nodes += max(0, c.Nodes)
	}
	most := max(1, nodes)
	for _, m := range marks {
		most = max(most, m.Nodes)
	}
	top := labelHeight * len(marks)
	var b strings.Builder
	b.WriteString(`<svg class="packing" width="100%" height="` + strconv.Itoa(top+plotHeight+scaleHeight) +
		`" aria-hidden="true" focusable="false">`)
	b.WriteString(`<svg y="` + strconv.Itoa(top) + `" width="100%" height="` + strconv.Itoa(plotHeight) + `">`)
	b.WriteString(box("track", 0, place(nodes, most), "0", "100%", ""))
	x := 0
	for _, c := range columns {
		b.WriteString(c.draw(place(x, most), place(x+max(0, c.Nodes), most)))
		x += max(0, c.Nodes)
	}
	b.WriteString(`</svg>`)
	b.WriteString(drawMarks(marks, most, top))
	return b.String() + scaleText(nodes, most, top+plotHeight+scaleHeight-4, noun) + `</svg>`
}

// drawMarks draws the lines of the marks, which ascend, and then the labels. At the
// right the labels stand left of their lines and the last one is the highest, so
// that no line crosses a label; at the left it is the other way round.
func drawMarks(marks []Mark, most, top int) string {
	lines, labels := "", ""
	right := len(marks) > 0 && place(marks[0].Nodes, most) > 50
	for i, m := range marks {
		row := labelHeight * i
		if right {
			row = labelHeight * (len(marks) - 1 - i)
		}
		class := "mark-line"
		if i == 0 {
			class += " bound"
		}
		at := place(m.Nodes, most)
		lines += upright(class, at/100, row+2, top+plotHeight)
		labels += sideText(percent(math.Max(0.1, math.Min(99.9, at))), row+labelHeight-4, at > 50, m.Label)
	}
	return lines + labels
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

// scaleText writes the number of nodes below the last column.
func scaleText(nodes, most, y int, noun string) string {
	if nodes == 0 {
		return ""
	}
	if nodes != 1 {
		noun += "s"
	}
	at := place(nodes, most)
	return sideText(percent(at), y, at > 15, strconv.Itoa(nodes)+" "+noun)
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
