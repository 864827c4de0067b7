package report

import (
	"io"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/limit"
)

// derivation is the answer of Why, and its JSON document.
type derivation struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// ID of the figure or gauge.
	ID string `json:"id"`
	// Gauge is set when the id is that of a gauge.
	Gauge *limit.Gauge `json:"gauge,omitempty"`
	// Steps are the trees: one for a figure; planned, limit and doubts for a gauge.
	Steps []node `json:"steps"`
}

// Why writes how a number came about, down to facts and scenario fields: value,
// formula, formula with numbers, inputs with their origin, and the same for
// each input that is a figure. The id is that of a figure or a gauge, or a part
// of it, or of a title, that only one has; otherwise the error lists the nearest
// ids. opt.Format is one of Formats.
func Why(w io.Writer, p *v1alpha1.Plan, id string, opt Options) error {
	ix := newIndex(p, opt)
	found, err := ix.resolve(id)
	if err != nil {
		return err
	}
	return ix.derivation(found).document(ix).write(w, opt.Format, opt)
}

func (ix *index) derivation(id string) derivation {
	d := derivation{APIVersion: v1alpha1.APIVersion, Kind: "Derivation", ID: id}
	g := ix.grower()
	for _, x := range ix.gauges() {
		if x.ID == id {
			d.Gauge, d.Steps = &x, g.gauge(x)
		}
	}
	if f, ok := ix.figures[id]; ok && !g.seen[id] {
		d.Steps = append(d.Steps, g.figure(f))
	}
	return d
}

// document is the derivation for people.
func (d derivation) document(ix *index) *Document {
	out := &Document{Title: d.title(), Description: "How " + d.ID + " of the plan " + ix.plan.Metadata.Name +
		" came about", Headless: true, Value: d}
	if g := d.Gauge; g != nil {
		value, most := pair(g.Value, g.Limit)
		out.Verdict = &Verdict{Mark: gaugeMark(g.Verdict, g.Kind),
			Text: scoped(*g) + ": " + value + " of " + most + ", " + percent(g.Share) + ", " + string(g.Verdict),
			More: []string{string(g.Kind) + ": " + meaning(g.Kind)}}
		if isText(ix.opt.Format) {
			out.Verdict.More = slices.Insert(out.Verdict.More, 0, asciiBar(g.Share, wideBar))
		} else {
			out.add("limit", "The limit", Gauges{List: []Gauge{{Gauge: *g}}, Full: true})
		}
		for _, x := range g.Doubts {
			out.Verdict.More = append(out.Verdict.More, "~ "+doubtText(x))
		}
		for _, n := range g.Notes {
			out.Verdict.More = append(out.Verdict.More, "- "+n)
		}
	}
	for _, n := range d.Steps {
		out.Names = append(out.Names, n.ids()...)
	}
	shown := d.Steps
	if short(ix.opt.Format) {
		var left bool
		if shown, left = briefSteps(d.Steps); left {
			out.Foot = []string{"Deeper: plimsoll why on what stands in brackets; all with -o wide."}
		}
	}
	var blocks []Block
	for i, n := range shown {
		item := n.item()
		item.Style = table.Bold
		if i > 0 {
			blocks = append(blocks, Gap{})
		}
		blocks = append(blocks, List{Items: []Item{item}, Flush: true})
	}
	title := "Where the number comes from"
	if isText(ix.opt.Format) {
		title = ""
	}
	out.add("steps", title, blocks...)
	return out
}

// wideBar is the width of the bar of a single gauge.
const wideBar = 40

// gaugeMark is the mark of a verdict on a limit.
// What experience advises may be exceeded knowingly, which is no error.
func gaugeMark(v limit.Verdict, k limit.Kind) string {
	switch {
	case v == limit.Within:
		return "good"
	case v == limit.Near || k == limit.Recommended || k == limit.Assumed:
		return "warn"
	}
	return "bad"
}

// item is a node and, below it, what it was found from.
func (n node) item() Item {
	out := Item{Text: headline(n)}
	if n.Problem != "" {
		out.Items = append(out.Items, Item{Mark: "bad", Style: table.Bad, Text: n.Problem})
	}
	if n.Formula != "" {
		out.Items = append(out.Items, Item{Lead: "= ", Code: true, Text: n.Formula},
			Item{Lead: "= ", Code: true, Text: numbers(n.Numbers, n.Result)})
	}
	if n.Method != "" {
		out.Items = append(out.Items, Item{Lead: "by ", Text: n.Method})
	}
	if len(n.Sources) > 0 {
		out.Items = append(out.Items, Item{Style: table.Faint, Text: "stated in " + sources(n.Sources)})
	}
	for _, r := range remarks(n) {
		out.Items = append(out.Items, Item{Lead: "- ", Style: table.Faint, Text: r})
	}
	for _, in := range n.Inputs {
		out.Items = append(out.Items, in.item())
	}
	return out
}

// title is the figure's or gauge's title.
func (d derivation) title() string {
	if d.Gauge != nil {
		return scoped(*d.Gauge)
	}
	return d.Steps[0].Title
}
