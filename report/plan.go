package report

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
)

// planDocument is a plan for people.
func planDocument(ix *index, format string) *Document {
	p, w := ix.plan, ix.terms()
	d := &Document{Title: "Plan " + p.Metadata.Name, Sub: platform(p.Platform), Description: p.Metadata.Description,
		Findings: p.Findings, Judged: true, Names: ix.names(), Value: p,
		Verdict: &Verdict{Mark: judged(p.Verdict.Fits), Text: ix.verdict(),
			Named: inWords("Needs", p.Verdict.Summary, "Given", given(p), "As placed", asPlaced(p, w),
				"Too many", tooMany(p.Findings), "Costs", p.Verdict.Cost,
				"Assumed", unsaid(p.Assumptions), "Not known", strings.Join(p.Verdict.Open, "; "),
				"Breaks first", p.Verdict.Tightest, "Problem", p.Verdict.Problem)}}
	d.Verdict.Open = p.Verdict.Fits && !p.Verdict.Good()
	if d.Verdict.Open || p.Verdict.Fits && ix.count(v1alpha1.Warning) > 0 {
		d.Verdict.Mark = "warn" // green is what nothing is said against
	}
	if !short(format) {
		d.placed(ix)
	}
	d.add("buy", "What to buy", purchase(p.Decisions, format)...)
	d.addAs("limits", "Limits, the nearest first", "Limits", ix.gaugeBlock(format))
	d.options(ix, format)
	if !short(format) {
		d.growth(ix)
	}
	findings := Findings{List: worstFirst(p.Findings), Full: true}
	if short(format) {
		findings = findings.withoutRemarks()
	}
	d.add("findings", "Findings", findings)
	d.comparison(p, w, !short(format))
	for _, s := range p.Sections {
		d.section(ix, s, format)
	}
	if !short(format) {
		d.add("further", "Further figures", Figures{List: ix.figureViews(ix.unlisted()), How: true})
		d.add("decisions", "Decisions for the manifests", decisions(p.Decisions)...)
	}
	d.addAs("layers", layersTitle(w), title(w.Place)+"s in layers", Layers{p.Nodes, w, !short(format)})
	d.leftOpen(p.Assumptions, p.Skipped, format)
	if !isText(format) {
		d.add("facts", "Facts used", ix.factGrid())
	}
	d.add("sources", "Sources", documentsGrid(ix.named(findings.List, format), !short(format)))
	if id := ix.first(); id != "" {
		d.Why = "plimsoll why " + ix.opt.file() + " " + quoted(id)
	}
	d.Again = "plimsoll plan " + ix.opt.file() + " -o html"
	if short(format) && ix.opt.Section == "" {
		d.brief(ix)
	}
	d.foldAll("placed", "buy", "limits", "options", "growth", "findings")
	return d
}

// first is the id of the nearest limit, else of the first figure.
func (ix *index) first() string {
	if g := ix.gauges(); len(g) > 0 {
		return g[0].ID
	}
	if len(ix.plan.Figures) > 0 {
		return ix.plan.Figures[0].ID
	}
	return ""
}

// named are the documents that a report in a format names.
func (ix *index) named(findings []v1alpha1.Finding, format string) []document {
	if !short(format) {
		return ix.cited()
	}
	codes := codesOf(findings)
	shown, _ := prominent(ix.gauges())
	for _, g := range shown {
		codes = append(codes, sourceOf(g.Limit.From).Code)
		for _, x := range g.Doubts {
			codes = append(codes, sourceOf(x.Limit.From).Code)
		}
	}
	return slices.DeleteFunc(ix.cited(), func(d document) bool { return !slices.Contains(codes, d.Code) })
}

// section adds a section of the plan.
func (d *Document) section(ix *index, s v1alpha1.Section, format string) {
	figures := Figures{List: ix.figureViews(ix.figuresOf(s.Figures)), How: !short(format)}
	if !short(format) {
		figures.Details = ix.figureViews(ix.figuresOf(s.Details))
	}
	blocks := []Block{Para{Text: s.Summary}, figures}
	for _, t := range s.Tables {
		if !t.Wide || !short(format) {
			blocks = append(blocks, gridOf(t, format))
		}
	}
	if s.Timeline != nil && !short(format) {
		blocks = append(blocks, Timeline{Timeline: s.Timeline, Rows: shortRows})
	}
	d.add(s.ID, s.Title, blocks...)
}

// gaugeBlock are the limits: in the default output the nearest.
func (ix *index) gaugeBlock(format string) Gauges {
	gauges := ix.gauges()
	near, rest := prominent(gauges)
	out := Gauges{Local: localTitle(ix.terms()), Full: !short(format)}
	views := func(list []limit.Gauge) []Gauge {
		views := make([]Gauge, len(list))
		for i, g := range list {
			views[i].Gauge = g
			for _, n := range ix.grower().gauge(g) {
				views[i].Steps = append(views[i].Steps, ix.step(n, 1))
			}
		}
		return views
	}
	if format == Wide {
		out.List = views(gauges)
		return out
	}
	out.List = views(near)
	switch {
	case len(rest) == 0:
	case short(format):
		out.Left = fmt.Sprintf("and %d more at %s or less (-o wide)", len(rest), percent(largestShare(rest)))
	default:
		out.Rest, out.Left = views(rest), words.Count(len(rest), "more limit")+" at "+percent(largestShare(rest))+" or less"
	}
	return out
}

// deepestStep bounds the derivation that is repeated below a gauge; what lies
// deeper stands at the figures, one link away.
const deepestStep = 3

// step is a node of a derivation that leads on to figures, facts and fields.
func (ix *index) step(n node, depth int) Item {
	out := ix.input(n.Name, n.Value)
	if n.Problem != "" {
		out.Items = append(out.Items, Item{Mark: "bad", Style: table.Bad, Text: n.Problem})
	}
	if n.Formula != "" {
		out.Items = append(out.Items, Item{Code: true, Text: n.Formula + " = " + numbers(n.Numbers, n.Result)})
	}
	if n.Method != "" {
		out.Items = append(out.Items, Item{Lead: "by ", Text: n.Method})
	}
	if depth == deepestStep && len(n.Inputs) > 0 {
		return out // it goes on at the figure
	}
	for _, in := range n.Inputs {
		out.Items = append(out.Items, ix.step(in, depth+1))
	}
	return out
}

// options adds the options: what each way to count says and costs, why they are apart, and
// what proves it.
func (d *Document) options(ix *index, format string) {
	p, w := ix.plan, ix.terms()
	says := List{}
	for _, o := range p.Options {
		if o.Why != "" && !short(format) { // the findings say why
			says.Items = append(says.Items, Item{Mark: optionVerdict(o).Mark, Text: o.Name + ": " + o.Why})
		}
		if s := gapText(o, w); s != "" && !short(format) {
			says.Items = append(says.Items, Item{Lead: "- ", Text: s})
		}
	}
	side := optionGrid(p.Options, !short(format), w)
	if short(format) {
		d.addAs("options", optionsTitle(w), "Options", side)
	} else if len(p.Options) > 0 {
		side.Title = optionsTitle(w)
		d.addAs("options", title(w.Place)+" options", "Options", ix.optionRows(len(p.Options)), rangeLegend(p.Options), says,
			Fold{"All that is known of them", []Block{side}})
	}
}

// comparison adds how many nodes each method needs, and what proves it.
func (d *Document) comparison(p *v1alpha1.Plan, w terms, all bool) {
	var blocks []Block
	if list := comparisons(p.Options); len(list) > 0 {
		compared := compareGrid(list, w)
		compared.Title = ""
		blocks = append(blocks, compared)
	}
	if s := proofsText(p.Proofs); s != "" {
		item := Item{Lead: "- ", Style: table.Faint, Text: s}
		if all {
			item.Items = faint(items("", proofLines(p.Proofs, w)))
		}
		blocks = append(blocks, List{Items: []Item{item}})
	}
	if len(blocks) > 0 && isGrid(blocks[0]) {
		d.addAs("comparison", comparedTitle(w), "By method", blocks...)
	} else {
		d.add("proofs", "Certificates", blocks...)
	}
}

// faint are items that say more for those who look.
func faint(list []Item) []Item {
	for i := range list {
		list[i].Style = table.Faint
	}
	return list
}

// factGrid are the facts that the plan used.
func (ix *index) factGrid() Grid {
	g := Grid{ID: "facts", Prose: true, Columns: heads("Fact", "What", "Value", "Source", "Kind, grade, conditions")}
	g.Columns[0].Code = true
	for _, v := range ix.usedFacts() {
		n := ix.grower().value("", v)
		g.row(v.From.ID, n.Title, v.Text, sourceOf(v.From).String(), strings.Join(remarks(n), "; "))
		g.Places = append(g.Places, factPlace(v.From.ID))
	}
	return g
}

// worked is the formula with and without numbers, or the method.
func worked(e explanation) string {
	out := e.how()
	switch {
	case e.Formula == "":
	case e.Formula == e.Numbers:
		out = numbers(e.Numbers, e.Result)
	default:
		out += " = " + numbers(e.Numbers, e.Result)
	}
	if e.Problem != "" {
		out += " (! " + e.Problem + ")"
	}
	return out
}

// verdict is "Does not fit: 1 error, 2 warnings".
func (ix *index) verdict() string {
	out := "Fits"
	switch v := ix.plan.Verdict; {
	case !v.Fits:
		out = "Does not fit"
	case !v.Good():
		out = "Not verified"
	}
	var parts []string
	for _, s := range []v1alpha1.Severity{v1alpha1.Error, v1alpha1.Warning} {
		if n := ix.count(s); n > 0 {
			parts = append(parts, words.Count(n, string(s)))
		}
	}
	if len(parts) == 0 {
		return out
	}
	return out + ": " + strings.Join(parts, ", ")
}

// asPlaced says what placement confirms of the chosen option.
func asPlaced(p *v1alpha1.Plan, w terms) string {
	i := slices.IndexFunc(p.Options, func(o v1alpha1.Option) bool { return o.Chosen && o.Verified != nil })
	if i < 0 {
		return ""
	}
	o, v := p.Options[i], p.Options[i].Verified
	switch {
	case v.Status == v1alpha1.Verified || v.Status == v1alpha1.VerifiedBySample:
	case strings.Contains(p.Verdict.Problem, v.Problem):
		return "" // it stands there
	default:
		return v.Problem
	}
	out := "every " + w.Unit + " has a place"
	if len(v.Asked) > 0 {
		out += ", also when " + strings.Join(v.Asked, ", or when ")
	}
	if v.Status == v1alpha1.VerifiedBySample {
		out += " (of the failures a sample was tried)"
	}
	switch {
	case v.Fewer != "":
		out += fmt.Sprintf("; with %s fewer: %s", words.Count(1, w.Place), v.Fewer)
	case o.Floor > 0 && o.Total == o.Floor:
		out += "; fewer can't do, which is proven"
	}
	return out
}

// tooMany says which nodes of a running cluster could go.
func tooMany(findings []v1alpha1.Finding) string {
	for _, f := range findings {
		if f.ID == "nodes.tooMany" {
			return f.Message
		}
	}
	return ""
}

// weight puts first the assumptions that move a plan most: the planner's
// choices, then what nobody publishes.
func weight(a v1alpha1.Assumption) int {
	switch {
	case strings.HasPrefix(a.Field, "policy."):
		return 0
	case a.Fact == "":
		return 1
	}
	return 2
}

// counted is what was skipped, with its number when there are several.
func counted(s v1alpha1.Skipped) string {
	if s.Count > 1 {
		return fmt.Sprintf("%s (%d)", s.What, s.Count)
	}
	return s.What
}

// quoted protects an id from the shell.
func quoted(id string) string {
	if strings.ContainsAny(id, " []()*?'\"$`&;|<>\\!#~") {
		return "'" + strings.ReplaceAll(id, "'", `'\''`) + "'"
	}
	return id
}

// platform is "OpenShift 4.4 on aws".
func platform(p v1alpha1.Platform) string {
	name := map[string]string{"openshift": "OpenShift", "kubernetes": "Kubernetes",
		"helion": "Helion OpenStack Carrier Grade"}[p.Type]
	if name == "" {
		name = p.Type
	}
	out := name + " " + p.Release
	if p.Provider != "" && p.Provider != "none" {
		out += " on " + p.Provider
	}
	if p.Service != "" && p.Service != "self-managed" {
		out += ", " + p.Service
	}
	return out
}
