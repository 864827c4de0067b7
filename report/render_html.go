package report

import (
	"cmp"
	_ "embed" // the style sheet
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/report/chart"
)

//go:embed page.css
var pageStyle string

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
	// widest is the scale of the shares in the table that is written.
	widest float64
	// span is that of the load lines that are written.
	span float64
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
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Plimsoll">
<title>%s</title>
<style>%s</style>
</head>
<body>
<a class="skip" href="#%s">Skip to the %s</a>
%s
<header>
<svg class="logo" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true" focusable="false"><circle cx="16" cy="16" r="9"/><path d="M2 16h28"/></svg>
<div>
<h1>%s</h1>
`

// documentHTML is a document as a page that needs no network and runs no script.
func documentHTML(d *Document, by v1alpha1.Build) string {
	h := &webpage{anchors: &anchors{map[string]string{}, map[string]bool{"main": true, "verdict": true, "verdict-h": true,
		"kinds": true}}, there: map[string]bool{}, done: map[string]bool{}}
	for _, s := range d.Sections {
		h.find(s.Blocks)
	}
	title := d.Title
	if d.Verdict != nil {
		title = titled(title, d.Verdict.Text)
	}
	to, name := "main", "answer"
	if d.Verdict != nil {
		to, name = "verdict", "verdict"
	}
	h.f(pageHead, title, raw(chart.Style+chart.TimelineStyle+pageStyle), to, name, raw(chart.Defs()), d.Title)
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
		h.section(s, ids[i])
	}
	h.f("</main>\n<footer>")
	h.given("<p>Any number, explained on a terminal: <code>%s</code></p>\n", d.Why)
	h.f("<p>")
	h.given("This page again: <code>%s</code>. ", d.Again)
	h.f("It needs no network and runs no script.</p>")
	if by.Version != "" {
		h.f("<p>Made by Plimsoll %s.</p>", by)
	}
	h.f("</footer>\n</body>\n</html>\n")
	return h.b.String()
}

// section writes a section, a folded one with what it says first beside its heading.
func (h *webpage) section(s Section, id string) {
	switch {
	case s.Title == "":
		h.f("<section id=\"%s\" aria-label=\"Answer\">\n", id)
		h.blocks(s.Blocks)
	case s.Folded:
		says, rest := s.summary()
		h.f("<section class=\"part\" aria-labelledby=\"%s-h\">\n<details><summary><h2 id=\"%s-h\">%s</h2>", id, id, s.Title)
		h.given("<span class=\"sub\">%s</span>", says)
		h.f("</summary>\n<div id=\"%s\">\n", id)
		h.blocks(rest)
		h.f("</div></details>\n")
	default:
		h.f("<section id=\"%s\" aria-labelledby=\"%s-h\">\n<h2 id=\"%s-h\">%s</h2>\n", id, id, id, s.Title)
		h.blocks(s.Blocks)
	}
	h.f("</section>\n")
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
	switch v.Mark {
	case "bad":
		class = "fails"
	case "warn":
		class = "doubts"
	}
	sign, _ := signOf(v.Mark)
	h.f("<section id=\"verdict\" class=\"verdict %s\" aria-labelledby=\"verdict-h\">\n"+
		"<h2 id=\"verdict-h\"><span class=\"m\">%s</span> %s</h2>\n", class, sign, v.Text)
	for _, s := range v.More {
		h.f("<p>%s</p>\n", s)
	}
	if len(v.Named) > 0 {
		h.f("<dl>\n")
	}
	for _, n := range v.Named {
		h.f("<div><dt>%s</dt><dd>", n.Name)
		for i, s := range n.Says {
			if i > 0 {
				h.f("<br>")
			}
			h.f("%s", s)
		}
		h.f("</dd></div>\n")
	}
	if len(v.Named) > 0 {
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
	case Course:
		h.course(b.Course)
	case Machines:
		h.machines(b)
	case Charts:
		h.charts(b)
	case Legend:
		h.legend(b)
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
	} else if slices.ContainsFunc(list,
		func(x Item) bool { return x.Code || x.Link != "" || strings.Contains(x.Lead, "=") }) {
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
