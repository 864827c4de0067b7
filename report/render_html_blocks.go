package report

import (
	"fmt"
	"html"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
	"plimsoll.dev/report/chart"
)

const gaugesSay = `<p class="sub">The heavy line is the limit, the dotted one stands at 80 %%, a dashed tick is another limit that is published for the same, an arrow one further right. <span class="screen">Open a row to see where its numbers come from.</span></p>
<div class="gauges">
<div class="scale" aria-hidden="true"><span></span><span class="bar-box">%s</span><span></span><span></span><span></span></div>
`

func (h *webpage) gauges(g Gauges) {
	h.span = chart.Span
	if slices.ContainsFunc(slices.Concat(g.List, g.Rest), func(x Gauge) bool { return x.Share > 1 }) {
		h.span = chart.SpanPassed
	}
	h.f(gaugesSay, raw(chart.Scale(h.span)))
	for i, x := range g.List {
		if i > 0 && setApart(x.Gauge) && !setApart(g.List[i-1].Gauge) {
			h.given("<p class=\"sub\">%s</p>", g.Local)
		}
		h.gauge(x)
	}
	h.f("</div>\n")
	if len(g.Rest) > 0 {
		h.fold(g.Left, func() {
			h.f("<div class=\"gauges\">")
			for _, x := range g.Rest {
				h.gauge(x)
			}
			h.f("</div>")
		})
	}
	h.fold("What the kinds of limit mean", func() {
		h.f("<dl class=\"kinds\">")
		for _, k := range limit.Kinds() {
			h.f("<div><dt>%s</dt><dd>%s</dd></div>", string(k), meaning(k))
		}
		h.f("</dl>")
	})
}

func (h *webpage) gauge(g Gauge) {
	planned, most := bare(g.Value, g.Limit)
	var marks []float64
	for _, d := range g.Doubts {
		if g.Limit.Number > 0 {
			marks = append(marks, d.Limit.Number/g.Limit.Number)
		}
	}
	h.f("<details class=\"gauge %s\"><summary>\n<span class=\"g-title\">%s</span>\n<span class=\"bar-box\">%s</span>\n",
		string(g.Verdict), scoped(g.Gauge), raw(chart.LoadLine(g.Share, string(g.Verdict), marks, h.span)))
	h.f("<span class=\"g-share\"><b>%s</b> <i>%s</i></span>\n<span class=\"g-value\">%s <span class=\"of\">of</span> "+
		"%s</span>\n<span class=\"g-kind\">%s, %s</span>\n</summary>\n",
		percent(g.Share), string(g.Verdict), planned, most, string(g.Kind), shortSource(g.Limit))
	h.f("<div class=\"how\" id=\"%s\">\n<p><code>%s</code>, %s: %s.</p>\n", h.anchors.at("g", g.ID, "g-"+g.ID), g.ID,
		string(g.Kind), meaning(g.Kind))
	for _, d := range g.Doubts {
		h.f("<p class=\"doubted\">%s.</p>", doubtText(d))
	}
	h.notes(g.Notes)
	if len(g.Steps) > 0 {
		h.list(g.Steps, false)
	}
	h.f("</div>\n</details>\n")
}

// figures are folded out once each; where one is listed again, it is linked.
func (h *webpage) figures(f Figures) {
	h.f("<div class=\"ledger\">")
	for _, x := range f.List {
		h.figure(x)
	}
	if len(f.Details) > 0 {
		h.f("<div class=\"details\">")
		for _, x := range f.Details {
			h.figure(x)
		}
		h.f("</div>")
	}
	h.f("</div>\n")
}

func (h *webpage) figure(x Figure) {
	place := figurePlace(x.ID)
	if h.done[place] {
		h.f("<p class=\"again\"><a href=\"#%s\">%s</a> <b>%s</b></p>\n", h.anchorOf(place), x.Title, x.Value.Text)
		return
	}
	h.done[place] = true
	h.f("<details class=\"figure\"><summary><span>%s</span> <b>%s</b></summary>\n<div class=\"how\" id=\"%s\">\n"+
		"<p><code>%s</code>%s</p>", x.Title, x.Value.Text, h.anchorOf(place), x.ID, behind(exact(x.Value)))
	if list := x.items(); len(list) > 0 {
		h.list(list, false)
	}
	h.f("</div></details>\n")
}

// items are how the figure was found.
func (x Figure) items() []Item {
	var out []Item
	if x.Formula != "" {
		out = append(out, Item{Code: true, Text: x.Formula}, Item{Lead: "= ", Code: true, Text: numbers(x.Numbers, x.Result)})
	}
	if x.Method != "" {
		out = append(out, Item{Lead: "by ", Text: x.Method})
	}
	if x.Problem != "" {
		out = append(out, Item{Mark: "bad", Style: table.Bad, Text: x.Problem})
	}
	out = append(append(out, x.Steps...), items("- ", x.Notes)...)
	if len(x.Sources) > 0 {
		out = append(out, Item{Style: table.Faint, Text: "stated in " + sources(x.Sources)})
	}
	return out
}

// layers are drawings with their tables.
func (h *webpage) layers(l Layers) {
	kinds := layerKinds(l.Nodes)
	h.f("<div class=\"cards\">")
	for _, n := range l.Nodes {
		h.f("<div class=\"card\"><h3>%s</h3>\n", nodeTitle(n, l.Words))
		for _, r := range n.Resources {
			h.f("<div class=\"stack-row\"><span>%s</span>%s<span class=\"n\">%s</span></div>\n", r.Resource,
				raw(layerStack(r, kinds)), r.Capacity.Text)
		}
		g := layerGrid(n, l.Words)
		for i, row := range g.Rows[:max(0, len(g.Rows)-1)] {
			g.Rows[i][0].Swatch = layerSwatch(row[0].Text, kinds)
		}
		g.Title = ""
		h.bareGrid(g)
		h.f("</div>")
	}
	h.f("</div>\n")
}

// inTime begins a chart with a drawing on a time axis and its legend.
func (h *webpage) inTime(title, description string, drawing func(id string) string, states []timeState) {
	id := h.anchors.at("t", fmt.Sprint(len(h.anchors.used)), fmt.Sprint("t-", len(h.anchors.used)))
	h.f("<div class=\"chart\">")
	h.given("<p><b>%s</b></p>\n", title)
	h.given("<p class=\"sub\">%s</p>\n", description)
	h.f("%s\n", raw(drawing(id)))
	var legend []kindView
	for i, s := range states {
		legend = append(legend, kindView{s.name, s.drawn(i).Swatch()})
	}
	h.legend(legend)
}

// timeline is drawn, with its legend, and folded as tables.
func (h *webpage) timeline(src *v1alpha1.Timeline) {
	t := newTimeView(src, drawnRows)
	h.inTime(src.Title, src.Description, t.drawing, t.states)
	if src.Level != nil {
		h.given("<p>%s</p>\n", levelText(src.Level))
	}
	h.given("<p class=\"sub\">%s</p>\n", t.note)
	if len(t.moments) > 0 {
		h.f("<p class=\"sub\">Upright lines are events of the whole, numbered as in the table of events; " +
			"marks on bars are events of one thing: ! bad, ~ doubtful, + good, * any other.</p>\n")
	}
	h.asTables(t.tables())
	h.f("</div>\n")
}

// asTables are a drawing as tables.
func (h *webpage) asTables(list []Grid) {
	h.fold("The drawing as tables", func() {
		for _, g := range list {
			h.drawGrid(g)
		}
	})
}

func (h *webpage) course(src *v1alpha1.Course) {
	v := newCourseView(src, drawnRows)
	h.inTime(src.Title, src.Description, v.drawing, v.states)
	for _, s := range v.says() {
		h.f("<p>%s</p>\n", s)
	}
	h.given("<p class=\"sub\">%s</p>\n", v.note())
	h.asTables(v.tables())
	h.f("</div>\n")
}

func (h *webpage) legend(list Legend) {
	if len(list) == 0 {
		return
	}
	h.f("<ul class=\"legend\">")
	for _, k := range list {
		h.f("<li>%s%s</li>", raw(k.Swatch), k.Name)
	}
	h.f("</ul>\n")
}

func (h *webpage) charts(c Charts) {
	h.given("<p class=\"sub\">%s</p>\n", c.Says)
	h.f("<div class=\"charts\">")
	for _, x := range c.List {
		h.f("<div class=\"chart\"><h3>%s</h3>%s</div>\n", x.Title, raw(x.Drawing))
	}
	h.f("</div>\n")
	h.legend(c.Legend)
}

// foldedLines is the number of lines from which a text is folded.
const foldedLines = 120

func (h *webpage) listing(x v1alpha1.Text) {
	h.f("<div class=\"listing\">")
	h.given("<p><b>%s</b></p>\n", x.Title)
	lines := bodyLines(x.Body)
	if len(lines) > foldedLines {
		h.fold("All "+words.Number(len(lines))+" lines", func() { h.pre(x, lines) })
	} else {
		h.pre(x, lines)
	}
	h.f("</div>\n")
}

func (h *webpage) pre(x v1alpha1.Text, lines []string) {
	h.f("<div class=\"scroll\" role=\"region\" aria-label=\"Text %s\" tabindex=\"0\"><pre>\n", x.Title)
	for _, l := range lines {
		text := raw(html.EscapeString(cleanLine(l)))
		class := ""
		if x.Language == "diff" {
			class = classOf(diffStyle(l))
			if diffStyle(l) == table.Bold {
				class = "head"
			}
		}
		if class != "" {
			h.f("<span class=\"%s\">%s</span>\n", class, text)
		} else {
			h.f("%s\n", text)
		}
	}
	h.f("</pre></div>\n")
}
