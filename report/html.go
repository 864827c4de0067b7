package report

import (
	_ "embed" // template and style sheet
	"html/template"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/limit"
	"plimsoll.dev/report/chart"
)

//go:embed page.css
var pageStyle string

//go:embed page.html
var pageTemplate string

// pages are the templates of the plan, a derivation and a comparison.
var pages = template.Must(template.New("page").Funcs(template.FuncMap{
	"clean":    oneLine,
	"sources":  sources,
	"platform": platform,
	"counted":  counted,
	"meaning":  meaning,
	"kinds":    limit.Kinds,
	"join":     strings.Join,
	"sign":     sign,
	"whence":   whence,
	"numbers":  numbers,
	"remarks":  remarks,
	"step":     stepTitle,
	"at":       func(f v1alpha1.Finding) string { return placeText(*f.Place) },
	"scale":    func() template.HTML { return template.HTML(chart.Scale()) },
}).Parse(pageTemplate + placementTemplate + serversTemplate))

// planHTML is the plan as one HTML file.
func planHTML(ix *index) (string, error) { return execute("plan", planPage(ix)) }

func execute(name string, data any) (string, error) {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

// The parts of the plan that the template reads as they are.

func (p *page) Plan() *v1alpha1.Plan         { return p.plan }
func (p *page) Verdict() string              { return p.verdict() }
func (p *page) Findings() []v1alpha1.Finding { return p.findings() }
func (p *page) Problems() []v1alpha1.Finding { return p.findings()[:len(p.plan.Findings)-p.remarks()] }
func (p *page) Remarks() []v1alpha1.Finding  { return p.findings()[len(p.plan.Findings)-p.remarks():] }
func (p *page) RemarksLabel() string         { return plural(p.remarks(), "remark") }
func (p *page) Documents() []document        { return p.cited() }
func (p *page) File() string                 { return p.opt.file() }
func (p *page) ComparedTitle() string        { return comparedTitle(p.terms()) }
func (p *page) LayersTitle() string          { return layersTitle(p.terms()) }
func (p *page) Proofs() string               { return proofsText(p.plan.Proofs) }
func (p *page) ProofLines() []string         { return proofLines(p.plan.Proofs, p.terms()) }
func (p *page) RestLabel() string {
	if len(p.Rest) == 0 {
		return ""
	}
	return plural(len(p.Rest), "more limit") + " at " + p.RestMost + " or less"
}

// remarks is the number of findings that are neither errors nor warnings.
func (p *page) remarks() int {
	return len(p.plan.Findings) - p.count(v1alpha1.Error) - p.count(v1alpha1.Warning)
}

// Finding is a finding with its page, for the template of one.
func (p *page) Finding(f v1alpha1.Finding) findingView { return findingView{p, f} }

type findingView struct {
	*page
	F v1alpha1.Finding
}

// Tightest is the id of the nearest limit, quoted for a shell.
func (p *page) Tightest() string {
	if len(p.Near) == 0 {
		return "ID"
	}
	return quoted(p.Near[0].ID)
}

// FigureLink is the anchor of a finding's figure.
func (p *page) FigureLink(id string) string { return p.figureLink(id) }

// FieldAnchor is the id of an assumption's row; empty when another row of the
// same field has it.
func (p *page) FieldAnchor(path string) string {
	if p.rows[path] {
		return ""
	}
	p.rows[path] = true
	return p.anchors.of("a", path)
}

// FactLink is the anchor of a fact that the page lists, else nothing.
func (p *page) FactLink(id string) string {
	for _, f := range p.Facts {
		if f.ID == id {
			return f.Anchor
		}
	}
	return ""
}

// sign is the ASCII mark of a severity, a verdict or a judged cell.
func sign(of any) string {
	mark := ""
	switch v := of.(type) {
	case v1alpha1.Severity:
		mark, _ = markOfFinding(v)
	case limit.Verdict:
		mark, _ = markOf(v)
	case string:
		mark, _ = markOfCell(v)
	}
	return strings.TrimSpace(mark)
}
