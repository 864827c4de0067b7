package chart

import (
	"html"
	"math"
	"strconv"
	"strings"
)

// Spread is where quantiles lie, row below row on one scale. Places are shares of the scale, from 0
// to 1.
type Spread struct {
	// Ticks of the scale, in order.
	Ticks []Tick
	Rows  []SpreadRow
}

// SpreadRow is what was measured under one name.
type SpreadRow struct {
	Name string
	// Marks in ascending order.
	Marks []SpreadMark
	// Limit is a labelled place; nil for none. Passed says that the row passes it.
	Limit  *Tick
	Passed bool
}

// SpreadMark is a quantile with the interval that it lies in.
type SpreadMark struct {
	At, Low, High float64
	// Char is drawn below the mark, Label shown when a pointer rests on it.
	Char, Label string
}

// Heights of a row, in pixels, and the share of a phone's width between two labels.
const (
	spreadRow  = 46
	spreadBar  = 12
	markLabels = 14
	charRoom   = 0.07
)

// Draw draws the rows with their names above the bars, and the scale below them. A bar reaches from
// the first quantile to the last and is the darker the more values lie there.
func (s Spread) Draw() string {
	height := 4 + spreadRow*len(s.Rows) + axisHeight
	var b strings.Builder
	b.WriteString(`<svg class="packing spread" width="100%" height="` + strconv.Itoa(height) +
		`" aria-hidden="true" focusable="false">`)
	for _, k := range s.Ticks {
		b.WriteString(upright("tick-line", k.At, 4, height))
	}
	for i, r := range s.Rows {
		b.WriteString(r.draw(4 + i*spreadRow))
	}
	for _, k := range s.Ticks {
		b.WriteString(beside(k.At, height-7, k.Label))
	}
	return b.String() + `</svg>`
}

func (r SpreadRow) draw(y int) string {
	var b strings.Builder
	b.WriteString(`<text x="0" y="` + strconv.Itoa(y+nameHeight-3) + `">` + html.EscapeString(r.Name) + `</text>`)
	b.WriteString(`<svg y="` + strconv.Itoa(y+nameHeight) + `" width="100%" height="` +
		strconv.Itoa(spreadBar+markLabels) + `">` + box("track", 0, 100, "0", strconv.Itoa(spreadBar), ""))
	class := "bar within"
	if r.Passed {
		class = "bar over"
	}
	for i := 1; i < len(r.Marks); i++ {
		from, to := inside(r.Marks[i-1].At), inside(r.Marks[i].At)
		if to > from {
			part := class + " part-" + strconv.Itoa(min(i, 4))
			b.WriteString(box(part, from*100, (to-from)*100, "0", strconv.Itoa(spreadBar), ""))
		}
	}
	last := math.Inf(-1)
	if r.Limit != nil {
		at := inside(r.Limit.At)
		b.WriteString(upright("limit-line", at, 0, spreadBar+markLabels) + beside(at, spreadBar+11, r.Limit.Label))
	}
	for _, m := range r.Marks {
		b.WriteString(m.draw())
		if at := inside(m.At); at-last >= charRoom && !r.labelled(at) {
			last = at
			b.WriteString(besideMark(at, m.Char))
		}
	}
	return b.String() + `</svg>`
}

// labelled says that the limit's label stands at a place.
func (r SpreadRow) labelled(at float64) bool {
	if r.Limit == nil {
		return false
	}
	from, width := inside(r.Limit.At), 7*float64(len(r.Limit.Label)+1)/narrowest
	if from > 0.8 { // where it stands at the left
		from -= width
	}
	return at > from-charRoom/2 && at < from+width
}

// besideMark is a mark's label in the middle below it; at the edges beside it.
func besideMark(at float64, s string) string {
	if at < 0.03 || at > 0.97 {
		return beside(at, spreadBar+11, s)
	}
	return `<text x="` + percent(at*100) + `" y="` + strconv.Itoa(spreadBar+11) + `" text-anchor="middle">` +
		html.EscapeString(s) + `</text>`
}

// draw is the mark with its interval.
func (m SpreadMark) draw() string {
	at, low, high := inside(m.At), inside(m.Low), inside(m.High)
	out := `<g><title>` + html.EscapeString(m.Label) + `</title>`
	if high > low {
		out += box("interval", low*100, (high-low)*100, "4", "4", "")
	}
	return out + upright("mark", at, 0, spreadBar) + `</g>`
}
