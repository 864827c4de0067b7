package chart

import (
	"html"
	"math"
	"strconv"
	"strings"
)

// Range is how far apart the ways to count nodes are; what is not known is 0.
type Range struct {
	// Floor is proven, Packed what packing needs.
	Floor, Packed float64
	// Least and Most are what the scheduler needs, over the orders of arrival; Placed is
	// what is planned.
	Least, Most, Placed float64
}

// Last is the largest of the numbers.
func (r Range) Last() float64 { return max(r.Floor, r.Packed, r.Most, r.Placed) }

// Draw draws the range on a scale from 0 to end.
func (r Range) Draw(end float64) string {
	end = math.Max(end, 1)
	var b strings.Builder
	b.WriteString(`<svg class="range" width="100%" height="22" aria-hidden="true" focusable="false">` +
		`<line class="axis" x1="0" x2="100%" y1="50%" y2="50%"/>`)
	if r.Floor > 0 && r.Last() > r.Floor {
		b.WriteString(stripe("gap", r.Floor/end, r.Last()/end))
	}
	if r.Most > 0 {
		b.WriteString(stripe("order", r.Least/end, math.Max(r.Most/end, r.Least/end+0.004)))
	}
	if r.Floor > 0 {
		b.WriteString(line("limit-line", inset(r.Floor/end), 5, 95))
	}
	if r.Packed > 0 {
		b.WriteString(dot("packed", r.Packed/end))
	}
	if r.Placed > 0 {
		b.WriteString(dot("placed", r.Placed/end))
	}
	return b.String() + `</svg>`
}

// inset is the place of a share, with room for half a dot at the ends.
func inset(v float64) float64 { return 1 + inside(v)*97.5 }

func stripe(class string, from, to float64) string {
	return box(class, inset(from), inset(to)-inset(from), "35%", "30%", "")
}

func dot(class string, at float64) string {
	return `<circle class="` + class + `" cx="` + percent(inset(at)) + `" cy="50%" r="5"/>`
}

// RangeSwatch draws the key of a part of a Range: floor, packed, order or placed.
func RangeSwatch(part string) string {
	switch part {
	case "floor":
		part = line("limit-line", 50, 0, 100)
	case "order":
		part = box(part, 0, 100, "30%", "40%", "")
	default:
		part = `<circle class="` + part + `" cx="50%" cy="50%" r="5"/>`
	}
	return `<svg class="range swatch" width="14" height="14" aria-hidden="true" focusable="false">` + part + `</svg>`
}

// Amount draws a bar of an amount as a share of the largest; the chosen one stands out.
func Amount(share float64, chosen bool) string {
	class := "bar other"
	if chosen {
		class = "bar within"
	}
	return `<svg class="share" width="100%" height="14" aria-hidden="true" focusable="false">` +
		thin(class, inside(share)*100) + `</svg>`
}

// Growing is a use that grows in proportion with the workload.
type Growing struct {
	// Today is the share of its limit today.
	Today float64
	// Label is shown when a pointer rests on the line.
	Label string
}

// The height of the growth curves, and what the number at a line's end takes of the width, in
// per cent, and of the height.
const (
	growthHeight = 200
	endWidth     = 3.0
	endHeight    = 17
)

// Growth draws uses as lines from today's workload at the left to so many times of it at the
// right, towards the line of their limit. Planned is the growth that the plan has in mind.
// The lines stand in the order in which they reach it; each ends there, with its number.
func Growth(list []Growing, to, planned float64) string {
	at := func(factor float64) float64 { return inside((factor-1)/math.Max(to-1, 1e-9)) * 96 }
	var b strings.Builder
	b.WriteString(`<svg class="packing growth" width="100%" height="` + strconv.Itoa(growthHeight+scaleHeight) +
		`" aria-hidden="true" focusable="false"><svg y="20" width="100%" height="` + strconv.Itoa(growthHeight-20) +
		`" overflow="visible">` + line("axis", 0, 0, 100) + slant("limit-line", 0, 100, 100, 100) +
		slant("axis", 0, 0, 100, 0))
	ends := ""
	last, below := math.Inf(-1), 0
	for i, g := range list {
		today, end := inside(g.Today), to
		if today > 0 {
			end = math.Max(1, math.Min(to, 1/today))
		}
		x, height, kind := at(end), inside(today*end)*100, "kind-"+strconv.Itoa(i%Kinds)
		b.WriteString(`<g><title>` + html.EscapeString(g.Label) + `</title>` +
			slant("line "+kind, 0, today*100, x, height) + `</g>`)
		if below++; x-last > endWidth {
			last, below = x, 0
		}
		ends += endOf(kind, x, height, below*endHeight, i+1)
	}
	b.WriteString(ends)
	if planned > 1 {
		b.WriteString(line("mark-line", at(planned), 0, 100))
	}
	b.WriteString(`</svg>`)
	for _, k := range growthTicks(to) {
		b.WriteString(sideText(percent(at(k)), growthHeight+scaleHeight-6, k > to*0.9, times(k)))
	}
	return b.String() + `</svg>`
}

// slant is a line from one place and height to another, in per cent.
func slant(class string, x1, height1, x2, height2 float64) string {
	return `<line class="` + class + `" x1="` + percent(x1) + `" y1="` + percent(100-height1) + `" x2="` + percent(x2) +
		`" y2="` + percent(100-height2) + `"/>`
}

// endOf is the number at the end of a line, so many pixels below it.
func endOf(kind string, x, height float64, below, number int) string {
	return `<svg x="` + percent(x) + `" y="` + percent(100-height) + `" overflow="visible"><circle class="` + kind +
		`" cy="` + strconv.Itoa(below) + `" r="8"/><text class="number" y="` + strconv.Itoa(below+4) +
		`" text-anchor="middle">` + strconv.Itoa(number) + `</text></svg>`
}

// growthTicks are today's workload, and round factors up to the last one.
func growthTicks(to float64) []float64 {
	step := 1.0
	for i := 0; (to-1)/step > 5; i++ {
		step *= []float64{2, 2.5, 2}[i%3]
	}
	out := []float64{1}
	for k := math.Max(step, 2); k <= to && len(out) < 9; k += step {
		out = append(out, k)
	}
	return out
}

// times is "today", or "3 x".
func times(factor float64) string {
	if factor == 1 {
		return "today"
	}
	return strconv.FormatFloat(factor, 'f', -1, 64) + " x"
}
