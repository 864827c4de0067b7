package chart

import (
	_ "embed" // the style sheet
	"html"
	"math"
	"strconv"
	"strings"
)

// TimelineStyle is what timelines need besides Style; it expects --rule, too.
//
//go:embed timeline.css
var TimelineStyle string

// Timeline is what happens to things over time. Places on the axis are shares of
// the whole time, from 0 to 1.
type Timeline struct {
	// ID is unique in the page; Title and Description are for those who can't see
	// the drawing.
	ID, Title, Description string
	// Ticks of the time axis, in order.
	Ticks []Tick
	// Rows from the top.
	Rows []Row
	// Moments are lines through all rows, in order of time, with a short label.
	Moments []Tick
	// Levels are drawn below the rows, one below the other.
	Levels []StepCurve
}

// Tick is a labelled place on the time axis.
type Tick struct {
	At    float64
	Label string
}

// Row is a thing with its states.
type Row struct {
	Name  string
	Spans []RowSpan
	// Signs are moments of this thing, each with a character.
	Signs []Sign
}

// RowSpan is a state that lasts.
type RowSpan struct {
	From, To float64
	State
	// Label is shown when a pointer rests on the span.
	Label string
}

// Sign is a moment of a thing.
type Sign struct {
	At float64
	// Char is drawn, Label shown when a pointer rests on it.
	Char, Label string
}

// State is how a state is drawn: with a colour and a pattern of its own, as long as
// there are some left, and a letter.
type State struct {
	Name   string
	Letter string
	// Mark is "good", "warn", "bad" or nothing, and decides the colour.
	Mark  string
	Index int
}

// StepCurve is an amount that changes in steps.
type StepCurve struct {
	// Title stands above, Zero and Most at the scale.
	Title, Zero, Most string
	// Steps hold from their place to the next; Height is a share of Most.
	Steps []Step
	// Limits are lines across.
	Limits []Limit
}

// Step is the height of a curve from a place on.
type Step struct{ At, Height float64 }

// Limit is a labelled height.
type Limit struct {
	Height float64
	Label  string
}

// Heights of a timeline's parts, in pixels, and the widths of the drawing that its labels
// are made for: on a phone, and from which the class broad is shown in place of slim.
const (
	rowHeight   = 34
	nameHeight  = 15
	barHeight   = 16
	axisHeight  = 22
	levelHeight = 96
	levelRoom   = axisHeight + levelHeight + 8
	narrowest   = 330
	usual       = 1100
)

// Draw draws the timeline: rows with their names above the bars, the axis, and the
// level below on the same axis.
func (t Timeline) Draw() string {
	top := 4
	if len(t.Moments) > 0 {
		top = axisHeight
	}
	rows := top + rowHeight*len(t.Rows)
	height := rows + axisHeight + len(t.Levels)*levelRoom
	var b strings.Builder
	b.WriteString(`<svg class="packing timeline" width="100%" height="` + strconv.Itoa(height) +
		`" role="img" aria-labelledby="` + html.EscapeString(t.ID) + `-t" aria-describedby="` + html.EscapeString(t.ID) +
		`-d" focusable="false">`)
	b.WriteString(`<title id="` + html.EscapeString(t.ID) + `-t">` + html.EscapeString(t.Title) + `</title><desc id="` +
		html.EscapeString(t.ID) + `-d">` + html.EscapeString(t.Description) + `</desc>`)
	for _, k := range t.Ticks {
		b.WriteString(upright("tick-line", k.At, top, height))
	}
	for i, r := range t.Rows {
		b.WriteString(r.draw(top + i*rowHeight))
	}
	for _, m := range t.Moments {
		b.WriteString(upright("mark-line", m.At, 2, height))
		b.WriteString(beside(m.At, 13, m.Label))
	}
	for _, k := range t.Ticks {
		b.WriteString(beside(k.At, rows+15, k.Label))
	}
	for i, l := range t.Levels {
		b.WriteString(l.draw(rows + axisHeight + i*levelRoom))
	}
	return b.String() + `</svg>`
}

// draw is the row from y on: its name, its spans, its signs.
func (r Row) draw(y int) string {
	var b strings.Builder
	b.WriteString(`<text x="0" y="` + strconv.Itoa(y+nameHeight-3) + `">` + html.EscapeString(r.Name) + `</text>`)
	b.WriteString(`<svg y="` + strconv.Itoa(y+nameHeight) + `" width="100%" height="` + strconv.Itoa(barHeight) + `">` +
		box("track", 0, 100, "0", "100%", ""))
	for _, s := range r.Spans {
		b.WriteString(s.draw())
	}
	for _, s := range r.Signs {
		b.WriteString(`<g><title>` + html.EscapeString(s.Label) + `</title>` + middle("sign", inside(s.At), s.Char) + `</g>`)
	}
	return b.String() + `</svg>`
}

// draw is the span with the name of its state, or its letter, where there is room.
func (s RowSpan) draw() string {
	from, to := inside(s.From), inside(s.To)
	if !(to > from) {
		return ""
	}
	out := `<g><title>` + html.EscapeString(s.Label) + `</title>` + s.State.box(from, to-from)
	at, room, name := (from+to)/2, to-from, 8+7.5*float64(len(s.Name))
	switch {
	case room*narrowest > name:
		return out + middle("", at, s.Name) + `</g>`
	case room*usual > name:
		out += middle("broad", at, s.Name)
		if room*narrowest > 12 {
			out += middle("slim", at, s.Letter)
		}
	case room*narrowest > 12:
		out += middle("", at, s.Letter)
	}
	return out + `</g>`
}

// statePatterns tell states apart without colour.
var statePatterns = []string{"", "slash", "dots", "cross", "rows", "back", "bars", "grid"}

// box is the state from a place on.
func (s State) box(from, width float64) string {
	class := "kind-" + strconv.Itoa(max(0, s.Index)%Kinds)
	if s.Mark == "good" || s.Mark == "warn" || s.Mark == "bad" {
		class = "state-" + s.Mark
	}
	return layered("block "+class, from*100, width*100, statePatterns[max(0, s.Index)%len(statePatterns)])
}

// Swatch draws the key of a state for a legend, with its letter.
func (s State) Swatch() string {
	return `<svg class="packing swatch" width="24" height="16" aria-hidden="true" focusable="false">` + s.box(0, 1) +
		middle("", 0.5, s.Letter) + `</svg>`
}

// draw is the curve from y on, below its title.
func (c StepCurve) draw(y int) string {
	var b strings.Builder
	b.WriteString(`<text x="0" y="` + strconv.Itoa(y+15) + `">` + html.EscapeString(c.Title) + `</text>`)
	b.WriteString(`<svg y="` + strconv.Itoa(y+axisHeight) + `" width="100%" height="` + strconv.Itoa(levelHeight) + `">`)
	for i, s := range c.Steps {
		to := 1.0
		if i+1 < len(c.Steps) {
			to = c.Steps[i+1].At
		}
		if from, to := inside(s.At), inside(to); to > from {
			h := inside(s.Height)
			b.WriteString(box("level", from*100, (to-from)*100, percent(100-h*100), percent(h*100), ""))
		}
	}
	b.WriteString(c.edges())
	for _, l := range c.Limits {
		at := strconv.Itoa(levelHeight - int(math.Round(inside(l.Height)*levelHeight)))
		b.WriteString(`<line class="limit" x1="0%" y1="` + at + `" x2="100%" y2="` + at + `"/>`)
	}
	b.WriteString(c.labels())
	return b.String() + `</svg>`
}

// edges is the line on top of the steps.
func (c StepCurve) edges() string {
	var b strings.Builder
	edge := func(x1, y1, x2, y2 float64) {
		b.WriteString(`<line class="edge" x1="` + percent(x1*100) + `" y1="` + percent(100-y1*100) + `" x2="` +
			percent(x2*100) + `" y2="` + percent(100-y2*100) + `"/>`)
	}
	for i, s := range c.Steps {
		at, h := inside(s.At), inside(s.Height)
		to := 1.0
		if i+1 < len(c.Steps) {
			to = inside(c.Steps[i+1].At)
			if next := inside(c.Steps[i+1].Height); next != h {
				edge(to, h, to, next)
			}
		}
		if to > at {
			edge(at, h, to, h)
		}
	}
	return b.String()
}

// labels are the ends of the scale at the left, and the limits at the right, moved
// apart.
func (c StepCurve) labels() string {
	var b strings.Builder
	b.WriteString(`<text x="0" y="12" dx="2">` + html.EscapeString(c.Most) + `</text><text x="0" y="` +
		strconv.Itoa(levelHeight-4) + `" dx="2">` + html.EscapeString(c.Zero) + `</text>`)
	below := 0
	for _, l := range c.Limits {
		y := levelHeight - int(math.Round(inside(l.Height)*levelHeight)) - 4
		y = min(max(y, below+13, 12), levelHeight-4)
		below = y
		b.WriteString(`<text x="100%" dx="-4" y="` + strconv.Itoa(y) + `" text-anchor="end">` + html.EscapeString(l.Label) +
			`</text>`)
	}
	return b.String()
}

// inside is a share between 0 and 1; what is not a number is 0.
func inside(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return math.Min(v, 1)
}

// upright is a line at a place, from one height to another.
func upright(class string, at float64, from, to int) string {
	x := percent(math.Max(0.1, math.Min(99.9, inside(at)*100)))
	return `<line class="` + class + `" x1="` + x + `" y1="` + strconv.Itoa(from) + `" x2="` + x + `" y2="` +
		strconv.Itoa(to) + `"/>`
}

// beside is a text at the right of a place, or at its left near the right edge.
func beside(at float64, y int, s string) string {
	return sideText(percent(inside(at)*100), y, inside(at) > 0.8, s)
}

// middle is a text in the middle of a bar, centred at a place.
func middle(class string, at float64, s string) string {
	if class != "" {
		class = ` class="` + class + `"`
	}
	return `<text` + class + ` x="` + percent(at*100) + `" y="` + strconv.Itoa(barHeight-4) + `" text-anchor="middle">` +
		html.EscapeString(s) + `</text>`
}
