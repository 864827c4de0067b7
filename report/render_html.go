package report

import (
	"cmp"
	"fmt"
	"html"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/limit"
	"plimsoll.dev/report/chart"
	"plimsoll.dev/unit"
)

// raw is markup of our own.
type raw string

// webpage writes a document as one HTML file.
type webpage struct {
	b       strings.Builder
	anchors *anchors
	// there are the places that the page has and that can be linked to.
	there map[string]bool
	// done are the figures that were folded out.
	done map[string]bool
}

// f writes markup; the texts in it are made harmless.
func (h *webpage) f(format string, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case raw:
			args[i] = string(a)
		case string:
			args[i] = html.EscapeString(oneLine(a))
		default:
			args[i] = html.EscapeString(oneLine(fmt.Sprint(a)))
		}
	}
	fmt.Fprintf(&h.b, format, args...)
}

// given writes markup around a text, unless that is empty.
func (h *webpage) given(format, text string) {
	if text != "" {
		h.f(format, text)
	}
}

const pageHead = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Plimsoll">
<title>%s</title>
<style>%s</style>
</head>
<body>
<a class="skip" href="#main">Skip to the answer</a>
%s
<header>
<svg class="logo" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" focusable="false"><circle cx="16" cy="16" r="9"/><path d="M2 16h28"/></svg>
<div>
<h1>%s</h1>
`

// documentHTML is a document as a page that needs no network and runs no script.
func documentHTML(d *Document) string {
	h := &webpage{anchors: &anchors{map[string]string{}, map[string]bool{"main": true, "verdict": true, "verdict-h": true, "kinds": true}}, there: map[string]bool{}, done: map[string]bool{}}
	for _, s := range d.Sections {
		h.find(s.Blocks)
	}
	title := d.Title
	if d.Verdict != nil {
		title = titled(title, d.Verdict.Text)
	}
	h.f(pageHead, title, raw(chart.Style+chart.TimelineStyle+pageStyle), raw(chart.Defs()), d.Title)
	h.given("<p class=\"sub\">%s</p>\n", d.Sub)
	h.given("<p class=\"sub\">%s</p>\n", d.Description)
	h.f("</div>\n</header>\n")
	ids := make([]string, len(d.Sections))
	for i, s := range d.Sections {
		ids[i] = h.anchors.at("", strconv.Itoa(i), cmp.Or(slug(s.ID), "s"))
	}
	h.contents(d, ids)
	h.f("<main id=\"main\">\n")
	h.verdict(d.Verdict)
	for i, s := range d.Sections {
		if s.Title == "" {
			h.f("<section id=\"%s\" aria-label=\"Answer\">\n", ids[i])
		} else {
			h.f("<section id=\"%s\" aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">%s</h2>\n", ids[i], ids[i], ids[i], s.Title)
		}
		h.blocks(s.Blocks)
		h.f("</section>\n")
	}
	h.f("</main>\n<footer>")
	h.given("<p>Any number, explained on a terminal: <code>%s</code></p>\n", d.Why)
	h.f("<p>")
	h.given("This page again: <code>%s</code>. ", d.Again)
	h.f("It needs no network and runs no script.</p></footer>\n</body>\n</html>\n")
	return h.b.String()
}

// find notes the places that can be linked to.
func (h *webpage) find(list []Block) {
	for _, b := range list {
		switch b := b.(type) {
		case Figures:
			for _, x := range slices.Concat(b.List, b.Details) {
				h.there[figurePlace(x.ID)] = true
			}
		case Grid:
			for _, p := range b.Places {
				h.there[p] = true
			}
		case Fold:
			h.find(b.Blocks)
		}
	}
}

// link is the anchor of a place that the page has, else nothing.
func (h *webpage) link(to string) string {
	if to == "" || !h.there[to] {
		return ""
	}
	return h.anchorOf(to)
}

func (h *webpage) anchorOf(to string) string {
	kind, id, _ := strings.Cut(to, "\x00")
	return h.anchors.at(kind, id, kind+"-"+id)
}

// linked writes a text as a link to a place, where the page has it.
func (h *webpage) linked(to, format, text string) {
	if at := h.link(to); at != "" {
		h.f(`<a href="#%s">`+format+`</a>`, at, text)
	} else {
		h.f(format, text)
	}
}

func (h *webpage) contents(d *Document, ids []string) {
	named := slices.DeleteFunc(slices.Clone(d.Sections), func(s Section) bool { return s.Title == "" })
	if len(named) < 2 {
		return
	}
	h.f("<nav aria-label=\"Contents\"><ul>")
	if d.Verdict != nil {
		h.f("<li><a href=\"#verdict\">Verdict</a></li>")
	}
	for i, s := range d.Sections {
		if s.Title != "" {
			h.f("<li><a href=\"#%s\">%s</a></li>", ids[i], s.Nav)
		}
	}
	h.f("</ul></nav>\n")
}

func (h *webpage) verdict(v *Verdict) {
	if v == nil {
		return
	}
	class := "fits"
	if v.Mark == "bad" {
		class = "fails"
	}
	sign, _ := signOf(v.Mark)
	h.f("<section id=\"verdict\" class=\"verdict %s\" aria-labelledby=\"verdict-h\">\n<h2 id=\"verdict-h\"><span class=\"m\">%s</span> %s</h2>\n", class, sign, v.Text)
	for _, s := range v.More {
		h.f("<p>%s</p>\n", s)
	}
	open := false
	for i, n := range v.Named {
		switch {
		case n[1] == "":
			continue
		case !open:
			h.f("<dl>\n")
			open = true
		}
		if n[0] != "" {
			h.f("<div><dt>%s</dt><dd>%s", n[0], n[1])
		} else {
			h.f("<br>%s", n[1])
		}
		if i+1 == len(v.Named) || v.Named[i+1][0] != "" || v.Named[i+1][1] == "" {
			h.f("</dd></div>\n")
		}
	}
	if open {
		h.f("</dl>\n")
	}
	h.f("</section>\n")
}

// blocks writes blocks; figures stand beside the tables that follow them.
func (h *webpage) blocks(list []Block) {
	for i := 0; i < len(list); i++ {
		if f, ok := list[i].(Figures); ok {
			h.f("<div class=\"topic\">")
			h.figures(f)
			h.f("<div>")
			for i+1 < len(list) && isGrid(list[i+1]) {
				i++
				h.drawGrid(list[i].(Grid))
			}
			h.f("</div></div>\n")
			continue
		}
		h.block(list[i])
	}
}

func isGrid(b Block) bool {
	_, ok := b.(Grid)
	return ok
}

func (h *webpage) block(b Block) {
	switch b := b.(type) {
	case Para:
		h.para(b)
	case List:
		h.list(b.Items, true)
	case Grid:
		h.drawGrid(b)
	case Findings:
		h.findings(b)
	case Gauges:
		h.gauges(b)
	case Layers:
		h.layers(b)
	case Timeline:
		h.timeline(b.Timeline)
	case Machines:
		h.machines(b)
	case Charts:
		h.charts(b)
	case Listing:
		h.listing(b.Text)
	case Fold:
		h.fold(b.Title, func() { h.blocks(b.Blocks) })
	}
}

func (h *webpage) fold(title string, body func()) {
	h.f("<details class=\"more\"><summary>%s</summary>", title)
	body()
	h.f("</details>\n")
}

// classOf is the class of a style.
func classOf(style table.Style) string {
	switch style {
	case table.Faint:
		return "sub"
	case table.Bad:
		return "bad"
	case table.Warn:
		return "warn"
	case table.Good:
		return "good"
	}
	return ""
}

// marked writes a mark in its colour.
func (h *webpage) mark(mark string) {
	if mark != "" {
		sign, style := signOf(mark)
		h.f("<span class=\"m %s\">%s</span> ", classOf(style), sign)
	}
}

func (h *webpage) para(p Para) {
	name := cmp.Or(classOf(p.Style), "lead")
	h.f("<p%s>", classes(name))
	h.mark(p.Mark)
	h.styled(p.Style, p.Text)
	h.f("</p>\n")
}

// styled writes a text, bold where its style is.
func (h *webpage) styled(style table.Style, s string) {
	if style == table.Bold {
		h.f("<b>%s</b>", s)
	} else {
		h.f("%s", s)
	}
}

// list writes items; those with marks at the top are findings to the eye.
func (h *webpage) list(list []Item, top bool) {
	class := "notes"
	if top && slices.ContainsFunc(list, func(x Item) bool { return x.Mark != "" }) {
		class = "findings"
	} else if slices.ContainsFunc(list, func(x Item) bool { return x.Code || x.Link != "" || strings.Contains(x.Lead, "=") }) {
		class = "steps"
	}
	h.f("<ul class=\"%s\">", class)
	for _, x := range list {
		h.f("<li%s>", classes(itemClass(x)))
		h.mark(x.Mark)
		if x.Lead != "- " {
			h.given("%s", x.Lead)
			if x.Lead != "" {
				h.f(" ")
			}
		}
		if x.Code {
			h.f("<code class=\"formula\">%s</code>", x.Text)
		} else {
			h.styled(x.Style, x.Text)
		}
		if x.Link != "" {
			h.f(", ")
			h.linked(x.To, "%s", x.Link)
		}
		if len(x.Items) > 0 {
			h.list(x.Items, false)
		}
		h.f("</li>")
	}
	h.f("</ul>\n")
}

// itemClass is the class of an item.
func itemClass(x Item) string {
	switch x.Mark {
	case "bad":
		return "error"
	case "warn":
		return "warning"
	}
	return classOf(x.Style)
}

// drawGrid writes a table in a box that scrolls, folded where it is long.
func (h *webpage) drawGrid(g Grid) {
	if len(g.Rows) == 0 {
		return
	}
	if len(g.Rows) >= manyRows {
		h.given("<p><b>%s</b></p>", g.Title)
		h.fold(foldTitle(len(g.Rows)), func() { h.bareGrid(g) })
	} else {
		h.bareGrid(g)
	}
	h.notes(g.Notes)
}

func (h *webpage) notes(list []string) {
	if len(list) == 0 {
		return
	}
	h.f("<ul class=\"notes\">")
	for _, n := range list {
		h.f("<li>%s</li>", n)
	}
	h.f("</ul>\n")
}

// bareGrid writes the rows of a table. Those of sentences become blocks on a phone, and
// say by their roles that they still are a table.
func (h *webpage) bareGrid(g Grid) {
	role := func(name string) raw {
		if !g.Prose {
			return ""
		}
		return raw(` role="` + name + `"`)
	}
	name := ""
	switch {
	case g.Prose:
		name = "list"
	case g.Side:
		name = "options"
	}
	label := cmp.Or(g.Title, g.ID, "of this part")
	h.f("<div class=\"scroll\" role=\"region\" aria-label=\"Table %s\" tabindex=\"0\"><table%s%s>\n", label, classes(name), role("table"))
	h.given("<caption>%s</caption>\n", g.Title)
	h.f("<thead%s><tr%s>", role("rowgroup"), role("row"))
	for _, c := range g.Columns {
		if c.Title == "" {
			h.f("<td%s></td>", role("cell"))
		} else {
			h.f("<th%s scope=\"col\"%s>%s</th>", role("columnheader"), columnClass(c, ""), c.Title)
		}
	}
	h.f("</tr></thead>\n<tbody%s>", role("rowgroup"))
	for i, row := range g.Rows {
		h.f("<tr%s", role("row"))
		if i < len(g.Places) && g.Places[i] != "" && !h.done[g.Places[i]] {
			h.done[g.Places[i]] = true
			h.f(" id=\"%s\"", h.anchorOf(g.Places[i]))
		}
		h.f(">")
		for j := range g.Columns {
			if j == 0 && (g.Prose || g.Side) {
				h.f("<th%s scope=\"row\">", role("rowheader"))
				h.cell(g.Columns[j], row[j])
				h.f("</th>")
			} else {
				h.f("<td%s%s>", role("cell"), columnClass(g.Columns[j], row[j].Text, j == 0))
				h.cell(g.Columns[j], row[j])
				h.f("</td>")
			}
		}
		h.f("</tr>\n")
	}
	h.f("</tbody></table></div>\n")
}

// columnClass is the class of a cell: numbers stand at the right, long texts get some
// width, also on a phone, and the first name stays on one line.
func columnClass(c Column, text string, first ...bool) raw {
	var out []string
	if c.Right {
		out = append(out, "n")
	}
	if c.Chosen {
		out = append(out, "chosen")
	}
	switch {
	case c.Right:
	case len(first) > 0 && first[0] && text != "" && len(text) <= keptName:
		out = append(out, "keep")
	case len(text) >= longText:
		out = append(out, "long")
	}
	return classes(out...)
}

// classes is the attribute of classes; nothing without.
func classes(names ...string) raw {
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	if len(names) == 0 {
		return ""
	}
	return raw(` class="` + strings.Join(names, " ") + `"`)
}

func (h *webpage) cell(col Column, c Cell) {
	h.b.WriteString(c.Swatch)
	if c.Mark != "" {
		h.mark(c.Mark)
	}
	format := "%s"
	switch {
	case col.Code && c.Text != "":
		format = "<code>%s</code>"
	case c.Style == table.Bold:
		format = "<b>%s</b>"
	case classOf(c.Style) != "":
		format = `<span class="` + classOf(c.Style) + `">%s</span>`
	}
	if len(c.List) > 0 {
		h.notes(c.List)
	} else {
		h.linked(c.To, format, c.Text)
	}
	if c.Shared {
		h.b.WriteString(chart.Share(c.Share))
	}
}

// findings are those in files as a table, the others as a list, and remarks folded.
func (h *webpage) findings(f Findings) {
	placed, rest := apart(f.List)
	if len(placed) > 0 {
		g := Findings{List: placed}.table()
		for i := range g.Rows {
			g.Rows[i][0] = Cell{Text: string(placed[i].Severity), Mark: severityMark(placed[i].Severity)}
		}
		g = g.dropped()
		g.Columns[1].Code, g.Columns[0], g.Columns[1] = true, g.Columns[1], g.Columns[0]
		g.Columns[0].Code, g.Columns[1].Code = true, false
		for _, row := range g.Rows {
			row[0], row[1] = row[1], row[0]
		}
		g.Title = "Findings in files"
		h.bareGrid(g)
	}
	split := slices.IndexFunc(rest, func(x v1alpha1.Finding) bool { return severityRank(x.Severity) == 2 })
	if split < 0 {
		split = len(rest)
	}
	h.findingList(rest[:split])
	if n := len(rest) - split; n > 0 {
		h.fold(plural(n, "remark"), func() { h.findingList(rest[split:]) })
	}
}

// severityMark is the mark of a severity.
func severityMark(s v1alpha1.Severity) string {
	switch s {
	case v1alpha1.Error:
		return "bad"
	case v1alpha1.Warning:
		return "warn"
	}
	return ""
}

func (h *webpage) findingList(list []v1alpha1.Finding) {
	if len(list) == 0 {
		return
	}
	h.f("<ul class=\"findings\">")
	for _, x := range list {
		sign, _ := markOfFinding(x.Severity)
		class := "info"
		if severityRank(x.Severity) < 2 {
			class = string(x.Severity)
		}
		h.f("<li class=\"%s\">\n<p class=\"f-head\"><span class=\"m\">%s</span> <b>%s</b> <code>%s</code></p>\n<p>%s</p>\n", class, sign, string(x.Severity), x.ID, x.Message)
		h.given("<p><b>Remedy:</b> %s</p>\n", x.Remedy)
		if x.Field+x.Figure != "" || len(x.Sources) > 0 {
			h.f("<p class=\"sub\">")
			h.given("Field <code>%s</code>. ", x.Field)
			if x.Figure != "" {
				h.f("Figure ")
				h.linked(figurePlace(x.Figure), "<code>%s</code>", x.Figure)
				h.f(". ")
			}
			h.given("%s.", sources(x.Sources))
			h.f("</p>\n")
		}
		h.f("</li>")
	}
	h.f("</ul>\n")
}

const gaugesSay = `<p class="sub">The heavy line is the limit, the dotted one stands at 80 %%, a dashed tick is another limit that is published for the same, an arrow one further right. <span class="screen">Open a row to see where its numbers come from.</span></p>
<div class="gauges">
<div class="scale" aria-hidden="true"><span></span><span class="bar-box">%s</span><span></span><span></span><span></span></div>
`

func (h *webpage) gauges(g Gauges) {
	h.f(gaugesSay, raw(chart.Scale()))
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
	h.f("<details class=\"gauge %s\"><summary>\n<span class=\"g-title\">%s</span>\n<span class=\"bar-box\">%s</span>\n", string(g.Verdict), scoped(g.Gauge), raw(chart.LoadLine(g.Share, string(g.Verdict), marks)))
	h.f("<span class=\"g-share\"><b>%s</b> <i>%s</i></span>\n<span class=\"g-value\">%s <span class=\"of\">of</span> %s</span>\n<span class=\"g-kind\">%s, %s</span>\n</summary>\n",
		percent(g.Share), string(g.Verdict), planned, most, string(g.Kind), shortSource(g.Limit))
	h.f("<div class=\"how\" id=\"%s\">\n<p><code>%s</code>, %s: %s.</p>\n", h.anchors.at("g", g.ID, "g-"+g.ID), g.ID, string(g.Kind), meaning(g.Kind))
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
	h.f("<details class=\"figure\"><summary><span>%s</span> <b>%s</b></summary>\n<div class=\"how\" id=\"%s\">\n<p><code>%s</code>%s</p>", x.Title, x.Value.Text, h.anchorOf(place), x.ID, behind(exact(x.Value)))
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
			h.f("<div class=\"stack-row\"><span>%s</span>%s<span class=\"n\">%s</span></div>\n", r.Resource, raw(layerStack(r, kinds)), r.Capacity.Text)
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

// timeline is drawn, with its legend, and folded as tables.
func (h *webpage) timeline(src *v1alpha1.Timeline) {
	t := newTimeView(src, drawnRows)
	id := h.anchors.at("t", fmt.Sprint(len(h.anchors.used)), fmt.Sprint("t-", len(h.anchors.used)))
	h.f("<div class=\"chart\">")
	h.given("<p><b>%s</b></p>\n", src.Title)
	h.given("<p class=\"sub\">%s</p>\n", src.Description)
	h.f("%s\n", raw(t.drawing(id)))
	var legend []kindView
	for i, s := range t.states {
		name := s.name
		if s.mark == "bad" || s.mark == "warn" {
			name += " (" + s.mark + ")"
		}
		legend = append(legend, kindView{name, template.HTML(t.drawnState(i).Swatch())})
	}
	h.legend(legend)
	if src.Level != nil {
		h.given("<p>%s</p>\n", levelText(src.Level))
	}
	h.given("<p class=\"sub\">%s</p>\n", t.note)
	if len(t.moments) > 0 {
		h.f("<p class=\"sub\">Upright lines are events of the whole, numbered as in the table of events; marks on bars are events of one thing: ! bad, ~ doubtful, + good, * any other.</p>\n")
	}
	h.fold("The drawing as tables", func() {
		for _, g := range t.tables() {
			h.drawGrid(g)
		}
	})
	h.f("</div>\n")
}

func (h *webpage) legend(list []kindView) {
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
	for _, x := range c.List {
		h.f("<div class=\"chart\"><h3>%s</h3>%s</div>\n", x.Title, raw(x.Drawing))
	}
	h.legend(c.Legend)
}

func (h *webpage) listing(x v1alpha1.Text) {
	h.f("<div class=\"listing\">")
	h.given("<p><b>%s</b></p>\n", x.Title)
	lines := bodyLines(x.Body)
	if len(lines) > foldedLines {
		h.fold("All "+whole(len(lines))+" lines", func() { h.pre(x, lines) })
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

func (h *webpage) machines(x Machines) {
	h.f("<p class=\"sub\">%s</p>\n", machineKey(x.All, keptPage))
	for _, m := range x.Shown[:min(pageMachines, len(x.Shown))] {
		h.machine(m, x.By)
	}
	if n := len(x.Shown) - pageMachines; n > 0 {
		h.f("<p class=\"sub\">and %s more, as the JSON has them</p>\n", plural(n, "machine"))
	}
}

func (h *webpage) machine(m v1alpha1.MachineMap, by ownedBy) {
	h.f("<article class=\"machine\" aria-label=\"Machine %s\">\n<h3>%s: %s</h3>\n<p class=\"sub\">%s</p>\n<div class=\"sockets\">", m.Node, m.Node, m.Layout, m.Policies)
	for i, n := range m.NUMANodes {
		if i == 0 || n.Socket != m.NUMANodes[i-1].Socket {
			if i > 0 {
				h.f("</div>")
			}
			h.f("<div class=\"socket\"><p class=\"sub\">Socket %s</p>\n", strconv.Itoa(n.Socket))
		}
		h.numa(m, n)
	}
	if len(m.NUMANodes) > 0 {
		h.f("</div>")
	}
	h.f("</div>\n")
	if ofServers(m) {
		h.servers(ownersOf(m, by))
	} else {
		h.bareGrid(ownerGrid(m, by))
	}
	h.f("</article>\n")
}

// servers is the legend of a compute host.
func (h *webpage) servers(list []owned) {
	if len(list) == 0 {
		return
	}
	h.f("<ul class=\"vms\">")
	for i, o := range list {
		h.f("<li><span class=\"cpu %s\">%s</span><div><p><b>%s</b> %s</p>\n", ownerClass(i+1), o.Mark, o.Name, o.Has)
		h.notes(o.Why)
		h.f("</div></li>")
	}
	h.f("</ul>\n")
}

// ownerGrid is the legend of a machine of pods.
func ownerGrid(m v1alpha1.MachineMap, by ownedBy) Grid {
	list := ownersOf(m, by)
	if len(list) == 0 {
		return newTable("Owners on "+m.Node, []string{"Owners"}, [][]string{{"no container has anything of its own"}})
	}
	g := newTable("Owners on "+m.Node, []string{"Mark", "Container", "QoS", "Owns"}, nil)
	for _, o := range list {
		g.row(o.Mark, o.Name, o.QOSClass, o.Has)
	}
	return g
}

func (h *webpage) numa(m v1alpha1.MachineMap, n v1alpha1.NUMAMap) {
	h.f("<div class=\"numa\"><p><b>NUMA %s</b>", strconv.Itoa(n.ID))
	if cores := n.Cores; len(cores) > 0 {
		line := coreLine{first: cpuNumbers(cores[0]), last: cpuNumbers(cores[len(cores)-1])}
		h.f(" <span class=\"sub\">CPUs %s</span>", line.numbers())
	}
	h.f("</p>\n")
	large := ofServers(m) && cpuCount(m) <= largeCPUs
	class := ""
	if large {
		class = " large"
	}
	h.f("<div class=\"cores%s\" role=\"img\" aria-label=\"%s\">", class, saysOf(m, n))
	for i, c := range n.Cores {
		if i == 0 || c.Cache != n.Cores[i-1].Cache {
			if i > 0 {
				h.f("</span>")
			}
			h.f("<span class=\"cache\">")
		}
		h.f("<span class=\"core\">")
		for _, th := range c.Threads {
			h.thread(m, th, large)
		}
		h.f("</span>")
	}
	if len(n.Cores) > 0 {
		h.f("</span>")
	}
	h.f("</div>\n")
	for _, x := range n.Memory {
		if x.Total > 0 {
			h.f("<div class=\"pages-row\"><span>%s</span>%s<span class=\"sub\">%s</span></div>\n", x.Resource, raw(memoryStack(x, lettersOf(m))), memoryText(x))
		}
	}
	h.devices(m, n)
	h.f("</div>\n")
}

// cpu writes a square with a mark, and what it is for a pointer.
func (h *webpage) cpu(class, name, number, mark string) {
	h.f("<span class=\"cpu %s\"", class)
	h.given(" title=\"%s\"", name)
	h.f(">")
	h.given("<small>%s</small>", number)
	h.f("%s</span>", mark)
}

func (h *webpage) thread(m v1alpha1.MachineMap, th v1alpha1.ThreadMap, large bool) {
	u := useOf(th)
	mark, class, name, number := string(u.Mark), u.Class, "CPU "+strconv.Itoa(th.CPU), ""
	if u.Says != "" {
		name += ": " + u.Says
	}
	if th.Use == "exclusive" {
		mark, class = string(lettersOf(m).of(th.Owner)), ownerClass(th.Owner)
		if th.Owner > 0 && th.Owner <= len(m.Owners) {
			name += ": " + ownerName(m.Owners[th.Owner-1])
		}
	}
	if large {
		number = strconv.Itoa(th.CPU)
	}
	h.cpu(class, name, number, mark)
}

// devices are named each, or drawn as a row where they are many of a kind.
func (h *webpage) devices(m v1alpha1.MachineMap, n v1alpha1.NUMAMap) {
	kinds := deviceKinds(n)
	if len(kinds) == 0 {
		return
	}
	marks := lettersOf(m)
	square := func(d v1alpha1.DeviceMap, name string) {
		class := deviceUse(d).Class
		if d.Owner > 0 {
			class = ownerClass(d.Owner)
		}
		h.cpu(class, name, "", string(deviceMark(d, marks)))
	}
	h.f("<ul class=\"devices\">")
	for _, k := range kinds {
		if k.named() {
			for _, d := range k.Devices {
				h.f("<li>")
				square(d, "")
				h.f(" %s</li>", deviceName(d, marks))
			}
			continue
		}
		h.f("<li>%s ", k.Kind)
		for _, d := range k.Devices {
			square(d, d.ID)
		}
		h.f(" <span class=\"sub\">%s</span></li>", k.taken())
	}
	h.f("</ul>\n")
}

// memoryStack draws reserved, owned and free memory.
func memoryStack(m v1alpha1.NUMAMemory, marks letters) string {
	parts := []chart.Part{{Name: "system", Share: ratio(m.Reserved, m.Total), Label: "reserved " + unit.FormatResource(m.Resource, m.Reserved)}}
	for _, u := range m.Used {
		parts = append(parts, chart.Part{Share: ratio(u.Size, m.Total), Label: string(marks.of(u.Owner)) + " " + unit.FormatResource(m.Resource, u.Size), Kind: max(1, u.Owner)})
	}
	free := max(0, m.Total-m.Reserved-usedMemory(m))
	return chart.Stack(append(parts, chart.Part{Name: "free", Share: ratio(free, m.Total), Label: "free " + unit.FormatResource(m.Resource, free)}))
}
