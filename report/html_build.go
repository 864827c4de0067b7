package report

import (
	"html/template"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/report/chart"
)

func newPage(ix *index) *page {
	return &page{
		index: ix, anchors: &anchors{map[string]string{}, map[string]bool{}}, rows: map[string]bool{},
		CSS: template.CSS(chart.Style + pageStyle), Defs: template.HTML(chart.Defs()), //nolint:gosec // constants
	}
}

// planPage prepares the whole plan.
func planPage(ix *index) *page {
	p := newPage(ix)
	for _, fixed := range []string{"verdict", "limits", "options", "comparison", "findings", "nodes", "assumptions", "skipped", "facts", "sources", "kinds"} {
		p.anchors.used[fixed] = true
	}
	if s := purchase(ix.plan.Decisions); s != nil {
		p.Purchase = &sectionView{Anchor: p.anchors.of("s", s.ID), Title: s.Title, Summary: s.Summary, Tables: []tableView{p.tableView(s.Tables[0])}}
	}
	gauges := ix.gauges()
	near, rest := prominent(gauges)
	for i, g := range near {
		v := p.gaugeView(g)
		if i > 0 && setApart(g) && !setApart(near[i-1]) {
			v.Above = "Of a " + p.terms().Place + " or a setting, whatever the workload:"
		}
		p.Near = append(p.Near, v)
	}
	for _, g := range rest {
		p.Rest = append(p.Rest, p.gaugeView(g))
	}
	p.RestMost = percent(largestShare(rest))
	p.Options = p.optionsView()
	list := comparisons(ix.plan.Options)
	p.Compared = compareGrid(list, ix.terms()).view()
	p.sections()
	kinds := layerKinds(ix.plan.Nodes)
	for _, n := range ix.plan.Nodes {
		p.Nodes = append(p.Nodes, newNodeView(n, kinds, p.terms()))
	}
	for _, v := range ix.usedFacts() {
		n := ix.grower().value("", v)
		p.Facts = append(p.Facts, factView{p.anchors.of("fact", v.From.ID), v.From.ID, n.Title, v.Text, sourceOf(v.From).String(), remarks(n)})
	}
	p.contents()
	return p
}

func (p *page) contents() {
	add := func(show bool, anchor, text string) {
		if show {
			p.Contents = append(p.Contents, link{anchor, text})
		}
	}
	add(true, "verdict", "Verdict")
	if p.Purchase != nil {
		add(true, p.Purchase.Anchor, p.Purchase.Title)
	}
	add(len(p.Near) > 0, "limits", "Limits")
	add(p.Options != nil, "options", "Options")
	add(p.Compared != nil, "comparison", "By method")
	add(len(p.plan.Findings) > 0, "findings", "Findings")
	for _, s := range p.Sections {
		add(true, s.Anchor, s.Title)
	}
	add(len(p.Nodes) > 0, "nodes", title(p.terms().Place)+"s in layers")
	add(len(p.plan.Assumptions) > 0, "assumptions", "Assumptions")
	add(len(p.plan.Skipped) > 0, "skipped", "Not counted, or otherwise")
	add(len(p.Facts) > 0, "facts", "Facts used")
	add(len(p.cited()) > 0, "sources", "Sources")
}

func (p *page) gaugeView(g limit.Gauge) gaugeView {
	v := gaugeView{Gauge: g, Anchor: p.anchors.of("g", g.ID), Title: scoped(g), Percent: percent(g.Share), Meaning: meaning(g.Kind)}
	v.Planned, v.Most = bare(g.Value, g.Limit)
	var marks []float64
	for _, d := range g.Doubts {
		v.Doubts = append(v.Doubts, doubtText(d))
		if g.Limit.Number > 0 {
			marks = append(marks, d.Limit.Number/g.Limit.Number)
		}
	}
	v.Drawing = template.HTML(chart.LoadLine(g.Share, string(g.Verdict), marks)) //nolint:gosec // chart escapes
	v.Source = shortSource(g.Limit)
	for _, n := range p.grower().gauge(g) {
		v.Steps = append(v.Steps, p.stepView(n, 1))
	}
	return v
}

// deepestStep bounds the derivation that is repeated below a gauge; what lies
// deeper stands at the figures, one link away.
const deepestStep = 3

func (p *page) stepView(n node, depth int) stepView {
	v := stepView{Name: n.Name, Value: n.Value.Text, Exact: exact(n.Value), Problem: n.Problem, Method: n.Method}
	v.Origin, v.From = p.originOf(n.Value.From)
	if n.Formula != "" {
		v.Formula = n.Formula + " = " + numbers(n.Numbers, n.Result)
	}
	for _, in := range n.Inputs {
		if v.More = depth == deepestStep; v.More {
			break
		}
		v.Steps = append(v.Steps, p.stepView(in, depth+1))
	}
	return v
}

func (p *page) figureView(f derive.Figure, done map[string]bool) figureView {
	e := explain(f)
	v := figureView{explanation: e, Ref: p.anchors.of("f", f.ID), Exact: exact(f.Value)}
	if e.Formula != "" {
		v.Worked = numbers(e.Numbers, e.Result)
	}
	if !done[f.ID] {
		v.Anchor, done[f.ID] = v.Ref, true
	}
	for _, in := range f.Inputs {
		s := stepView{Name: in.Name, Value: in.Value.Text, Exact: exact(in.Value)}
		s.Origin, s.From = p.originOf(in.Value.From)
		v.Inputs = append(v.Inputs, s)
	}
	return v
}

// sections prepares the plan's sections, the figures that none lists, and the
// decisions. Each figure is folded out once; where it is listed again, it is
// linked.
func (p *page) sections() {
	done := map[string]bool{}
	views := func(list []derive.Figure) []figureView {
		var out []figureView
		for _, f := range list {
			out = append(out, p.figureView(f, done))
		}
		return out
	}
	add := func(s v1alpha1.Section, extra []derive.Figure) {
		v := sectionView{Anchor: p.anchors.of("s", s.ID), Title: s.Title, Summary: s.Summary}
		if p.anchorTaken(v.Anchor) {
			v.Anchor = p.anchors.of("s", s.ID+"-"+s.Title)
		}
		v.Figures, v.Details = views(slices.Concat(p.figuresOf(s.Figures), extra)), views(p.figuresOf(s.Details))
		for _, t := range s.Tables {
			v.Tables = append(v.Tables, p.tableView(t))
		}
		if s.Timeline != nil {
			v.Timeline = p.timelineView(s.Timeline)
			p.CSS += template.CSS(chart.TimelineStyle) //nolint:gosec // constant
		}
		p.Sections = append(p.Sections, v)
	}
	for _, s := range p.plan.Sections {
		add(s, nil)
	}
	if rest := p.unlisted(); len(rest) > 0 {
		add(v1alpha1.Section{ID: "further", Title: "Further figures"}, rest)
	}
	if d := decisions(p.plan.Decisions); len(d.Tables) > 0 {
		add(d, nil)
	}
}

// anchorTaken reports whether a section has the anchor already: two sections
// with one id.
func (p *page) anchorTaken(anchor string) bool {
	return slices.ContainsFunc(p.Sections, func(s sectionView) bool { return s.Anchor == anchor })
}

func (p *page) tableView(t v1alpha1.Table) tableView {
	v := tableView{Table: t}
	for _, row := range t.Rows {
		cells := make([]cellView, len(t.Columns))
		for i := range cells {
			cells[i].Right = t.Columns[i].Right
			if i < len(row) {
				cells[i].Cell = row[i]
				cells[i].Link = p.figureLink(row[i].Figure)
			}
		}
		v.Rows = append(v.Rows, cells)
	}
	return v
}

// figureLink is the anchor of a figure that the plan has, else nothing.
func (p *page) figureLink(id string) string {
	if _, ok := p.figures[id]; !ok {
		return ""
	}
	return p.anchors.of("f", id)
}

func (p *page) optionsView() *optionsView {
	if len(p.plan.Options) == 0 {
		return nil
	}
	v := &optionsView{Title: optionsTitle(p.terms()), Heads: p.plan.Options, Note: shareNote(p.plan.Options, p.terms())}
	for _, o := range p.plan.Options {
		if o.Why != "" {
			v.Reasons = append(v.Reasons, o)
		}
	}
	for _, r := range optionRows(p.plan.Options, true, p.terms()) {
		row := optionRowView{Title: r.Title}
		for i, c := range r.Cells {
			cell := cellView{Cell: c, Right: true, Chosen: p.plan.Options[i].Chosen, Link: p.figureLink(c.Figure)}
			if r.Shares != nil && c.Text != "" {
				cell.Drawing = template.HTML(chart.Share(r.Shares[i])) //nolint:gosec // chart escapes
			}
			row.Cells = append(row.Cells, cell)
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// layerKinds gives the layers whose names have no look of their own a colour each, from 1.
func layerKinds(nodes []v1alpha1.NodeLayers) map[string]int {
	kinds := map[string]int{}
	for _, name := range layerNames(nodes) {
		if !chart.Known(name) {
			kinds[name] = len(kinds) + 1
		}
	}
	return kinds
}

func newNodeView(n v1alpha1.NodeLayers, kinds map[string]int, w words) nodeView {
	v := nodeView{Title: nodeTitle(n, w)}
	for _, r := range n.Resources {
		var parts []chart.Part
		for _, l := range r.Layers {
			if r.Capacity.Number > 0 {
				parts = append(parts, chart.Part{Name: l.Name, Kind: kinds[l.Name], Share: l.Value.Number / r.Capacity.Number, Label: l.Name + ": " + layerValue(l.Value, r.Capacity)})
			}
		}
		v.Resources = append(v.Resources, resourceView{r.Resource, r.Capacity.Text, template.HTML(chart.Stack(parts))}) //nolint:gosec // chart escapes
	}
	rows := layerRows(n)
	for i, row := range rows {
		r := layerRowView{Name: row[0], Cells: row[1:]}
		if i < len(rows)-1 {
			r.Swatch = template.HTML(layerSwatch(row[0], kinds)) //nolint:gosec // chart escapes
		}
		v.Rows = append(v.Rows, r)
	}
	return v
}

// layerSwatch is the key of a layer.
func layerSwatch(name string, kinds map[string]int) string {
	if k := kinds[name]; k > 0 {
		return chart.KindSwatch(k - 1)
	}
	return chart.Swatch(name)
}
