// Package chart draws the pictures of reports as SVG for embedding in HTML: the
// load line of a gauge, a share, the layers of a node. All lengths are in per
// cent of the box that the page gives, so that a drawing fits any width without
// distortion; all colours are classes of Style; the same input gives the same
// bytes.
//
// It draws no axes, legends or tables: the page writes the numbers beside the
// picture, so pictures are hidden from screen readers.
//
//	svg := chart.LoadLine(0.55, "within", nil)
package chart

import (
	_ "embed" // the style sheet
	"html"
	"math"
	"strconv"
	"strings"
)

// Style is the style sheet of the drawings, for light and dark pages and for
// print. It expects the page's variables --bg, --ink and --soft.
//
//go:embed chart.css
var Style string

// Span is the share of a limit at the right edge of load lines of which none is passed, and
// SpanPassed where some are. The limit itself stands at the same place in load lines of one
// span, so that the limits of gauges below each other make one line.
const Span, SpanPassed = 1.06, 1.25

// Defs defines the patterns that tell the parts of drawings apart without
// colour. It stands once in a page, before the drawings.
func Defs() string {
	var b strings.Builder
	b.WriteString(`<svg class="defs" width="0" height="0" aria-hidden="true" focusable="false"><defs>`)
	for _, p := range patterns {
		b.WriteString(`<pattern id="pat-` + p.name + `" width="` + p.size + `" height="` + p.size +
			`" patternUnits="userSpaceOnUse">` + p.path + `</pattern>`)
	}
	b.WriteString(`</defs></svg>`)
	return b.String()
}

var patterns = []struct{ name, size, path string }{
	{"slash", "7", `<path d="M-1,1 l2,-2 M0,7 l7,-7 M6,8 l2,-2"/>`},
	{"slash-ink", "6", `<path class="ink" d="M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2"/>`},
	{"cross", "7", `<path d="M0,7 l7,-7 M0,0 l7,7"/>`},
	{"back", "6", `<path d="M-1,5 l2,2 M0,0 l6,6 M5,-1 l2,2"/>`},
	{"bars", "5", `<path d="M2.5,0 v5"/>`},
	{"rows", "5", `<path d="M0,2.5 h5"/>`},
	{"dots", "6", `<circle cx="1.5" cy="1.5" r="1.1"/><circle cx="4.5" cy="4.5" r="1.1"/>`},
	{"grid", "6", `<path d="M3,0 v6 M0,3 h6"/>`},
}

// LoadLine draws a share of a limit as a bar towards the line of the limit.
// The verdict is within, near or exceeded. Doubts are the places of other limits
// for the same quantity, as shares of this one. A bar that goes beyond the span is
// drawn broken off, for a doubt beyond it an arrow points the way.
func LoadLine(share float64, verdict string, doubts []float64, span float64) string {
	at := onSpan(span)
	var b strings.Builder
	b.WriteString(`<svg class="load" width="100%" height="100%" aria-hidden="true" focusable="false">`)
	b.WriteString(rect("track", 0, at(1), ""))
	b.WriteString(rect("bar "+html.EscapeString(verdict), 0, at(math.Min(share, 1)), ""))
	if verdict == "near" || verdict == "exceeded" {
		b.WriteString(rect("pattern", 0, at(math.Min(share, 1)), "slash"))
	}
	if share > 1 {
		b.WriteString(rect("bar over", at(1), at(share)-at(1), ""))
		b.WriteString(rect("pattern", at(1), at(share)-at(1), "cross"))
	}
	if share > span {
		b.WriteString(`<line class="torn" x1="96%" y1="75%" x2="97.5%" y2="25%"/>`)
	}
	for _, d := range doubts {
		if d > span {
			b.WriteString(`<svg x="99%" y="50%" overflow="visible"><path class="doubt-off" d="M-9,-6 l6,6 l-6,6"/></svg>`)
			continue
		}
		b.WriteString(line("doubt", at(d), 14, 86))
	}
	b.WriteString(line("near-line", at(0.8), 0, 100) + line("limit-line", at(1), 0, 100) + `</svg>`)
	return b.String()
}

// Scale draws the marks above a column of load lines: the circle of the
// Plimsoll line stands on the limit.
func Scale(span float64) string {
	at := onSpan(span)
	return `<svg class="load scale" width="100%" height="100%" aria-hidden="true" focusable="false">` +
		line("near-line", at(0.8), 60, 100) + line("limit-line", at(1), 50, 100) +
		`<circle class="mark" cx="` + percent(at(1)) + `" cy="36%" r="6"/>` +
		`<svg x="` + percent(at(1)) + `" y="36%" overflow="visible"><line class="mark" x1="-11" x2="11"/></svg></svg>`
}

// onSpan is the place of a share on a load line, in per cent of the width.
func onSpan(span float64) func(share float64) float64 {
	return func(share float64) float64 { return math.Max(0, math.Min(share, span)) / span * 100 }
}

// Share draws a small bar of a share, on a scale to the largest one; a line marks the whole
// where some are more.
func Share(share, most float64) string {
	class := "bar within"
	if share > 1 {
		class = "bar near"
	}
	most = math.Max(most, 1)
	out := `<svg class="share" width="100%" height="10" aria-hidden="true" focusable="false">` + thin("track", 100/most) +
		thin(class, inside(share/most)*100)
	if most > 1 {
		out += line("limit-line", 100/most, 0, 100)
	}
	return out + `</svg>`
}

// Part is one layer of a stack.
type Part struct {
	// Name of the layer; Layers of known names have colours and patterns of their own.
	Name string
	// Share of the whole, from 0 to 1.
	Share float64
	// Label is shown when a pointer rests on the layer.
	Label string
	// Kind, from 1, gives the layer the colour of a kind instead of its name's.
	Kind int
}

// Stack draws layers side by side, the bottom one at the left.
func Stack(parts []Part) string {
	var b strings.Builder
	b.WriteString(`<svg class="stack" width="100%" height="26" aria-hidden="true" focusable="false">`)
	x := 0.0
	for _, p := range parts {
		w := math.Max(0, math.Min(p.Share, 1)) * 100
		if w == 0 {
			continue
		}
		look := looks[p.Name]
		class := "layer " + look.class
		switch {
		case p.Kind > 0:
			look.pattern = ""
			class = "layer kind-" + strconv.Itoa((p.Kind-1)%Kinds)
		case look.class == "":
			class = "layer other"
		}
		title := `<title>` + html.EscapeString(p.Label) + `</title>`
		b.WriteString(`<g>` + title + layered(class, x, w, look.pattern) + `</g>`)
		x += w
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// Swatch draws the key of a layer for a legend.
func Swatch(name string) string {
	look, ok := looks[name]
	if !ok {
		look.class = "other"
	}
	return swatch(layered("layer "+look.class, 0, 100, look.pattern))
}

// swatch is a small square with something in it.
func swatch(inside string) string {
	return `<svg class="swatch" width="14" height="14" aria-hidden="true" focusable="false">` + inside + `</svg>`
}

// layered is a box with a pattern on it, if there is one.
func layered(class string, x, w float64, pattern string) string {
	out := full(class, x, w, "")
	if pattern != "" {
		out += full("pattern", x, w, pattern)
	}
	return out
}

// Known says whether layers of the name have a look of their own.
func Known(name string) bool { return looks[name].class != "" }

// looks are class and pattern of the layers that plans have.
var looks = map[string]struct{ class, pattern string }{
	"system":         {"l-system", "slash"},
	"kubelet":        {"l-kubelet", "grid"},
	"eviction":       {"l-eviction", "cross"},
	"hugepages":      {"l-hugepages", "rows"},
	"daemonsets":     {"l-daemonsets", "dots"},
	"infrastructure": {"l-infrastructure", "back"},
	"workload":       {"l-workload", ""},
	"free":           {"l-free", ""},
}

func rect(class string, x, w float64, pattern string) string {
	return box(class, x, w, "28%", "44%", pattern)
}

func full(class string, x, w float64, pattern string) string {
	return box(class, x, w, "0", "100%", pattern)
}

func thin(class string, w float64) string { return box(class, 0, w, "20%", "60%", "") }

func box(class string, x, w float64, y, h, pattern string) string {
	fill := ""
	if pattern != "" {
		fill = ` fill="url(#pat-` + pattern + `)"`
	}
	return `<rect class="` + class + `" x="` + percent(x) + `" y="` + y + `" width="` + percent(w) + `" height="` +
		h + `"` + fill + `/>`
}

func line(class string, x, from, to float64) string {
	return `<line class="` + class + `" x1="` + percent(x) + `" y1="` + percent(from) + `" x2="` + percent(x) + `" y2="` +
		percent(to) + `"/>`
}

// percent writes a length with two decimals, enough for any screen and equal
// on every machine.
func percent(v float64) string {
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) + "%"
}
