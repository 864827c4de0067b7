package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// WriteAnswer writes an answer of "tune" in a format of Formats. It returns an
// error for an unknown format, for a result that has no JSON, or the writer's.
func WriteAnswer(w io.Writer, a *v1alpha1.Answer, format string, opt Options) error {
	listed := *a
	if listed.Findings == nil {
		listed.Findings = []v1alpha1.Finding{} // an empty list for programs, not null
	}
	return answerDocument(&listed, format, opt).write(w, format, opt)
}

// answerDocument is an answer of "tune" for people.
func answerDocument(a *v1alpha1.Answer, format string, opt Options) *Document {
	d := &Document{Title: tunedTitle(a),
		Verdict: &Verdict{Mark: judged(a.Verdict.OK), Open: len(a.Verdict.Open) > 0, Text: tunedVerdict(a),
			Named: inWords("Problem", a.Verdict.Problem, "Not known", strings.Join(a.Verdict.Open, "; "))},
		Findings: a.Findings, Judged: true, Aside: a.Aside, Baseline: a.Baseline, Names: tunedNames(a), Value: a}
	if a.Verdict.OK && (d.Verdict.Open || warned(a)) {
		d.Verdict.Mark = "warn"
	}
	if opt.File != "" {
		d.Again = "plimsoll " + cmp.Or(opt.Verb, "tune") + " " + oneLine(opt.File) + " -o html"
	}
	findings := Findings{List: worstFirst(a.Findings), Full: !short(format), Brief: short(format) && a.Kind != "Check"}
	if findings.Brief {
		findings.Most = shortFindings
	}
	if short(format) {
		findings = findings.withoutRemarks()
	}
	if findingsFirst(a) {
		d.add("findings", "Findings", findings)
	}
	left := d.parts(a.Parts, format, opt.Section != "")
	if !findingsFirst(a) {
		d.add("findings", "Findings", findings)
	}
	ix := newIndex(&v1alpha1.Plan{Findings: a.Findings}, opt)
	if !short(format) {
		d.add("sources", "Sources", documentsGrid(ix.cited(), true))
	} else if codes := codesOf(findings.List); len(codes) > 0 {
		d.Foot = append(d.Foot, "Sources (-o wide): "+strings.Join(codes, ", "))
	}
	if len(left) > 0 {
		d.Foot = append(d.Foot, "With -o wide also: "+leftText(left)+".")
	}
	return d
}

// codesOf are the short names of the documents that findings cite.
func codesOf(list []v1alpha1.Finding) []string {
	var out []string
	for _, f := range list {
		for _, s := range f.Sources {
			if s.Code != "" {
				out = append(out, oneLine(s.Code))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// worstFirst are findings, errors first, otherwise in their order.
func worstFirst(list []v1alpha1.Finding) []v1alpha1.Finding {
	out := slices.Clone(list)
	v1alpha1.SortFindings(out)
	return out
}

// withoutRemarks counts the remarks instead.
func (f Findings) withoutRemarks() Findings {
	problems := slices.DeleteFunc(slices.Clone(f.List), func(x v1alpha1.Finding) bool { return x.Severity.Rank() == 2 })
	f.Remarks, f.List = len(f.List)-len(problems), problems
	return f
}

// parts adds the parts of an answer, and names what the default output leaves out. A
// part without title belongs to the one before. Where sections are asked for, they may be those that it leaves out.
func (d *Document) parts(list []v1alpha1.Part, format string, asked bool) (left []string) {
	title, current := "", -1
	for i, p := range list {
		title = cmp.Or(p.Title, title)
		if p.Wide && short(format) && !asked {
			if p.Title != "" {
				left = append(left, strings.ToLower(oneLine(p.Title)))
			}
			continue
		}
		blocks, more := partBlocks(p, format)
		left = append(left, more...)
		if len(blocks) == 0 && len(more) > 0 {
			continue
		}
		if title == "" && current >= 0 {
			d.Sections[current].Blocks = append(d.Sections[current].Blocks, blocks...)
			continue
		}
		d.Sections = append(d.Sections, Section{ID: cmp.Or(slug(title), fmt.Sprint("part-", i)), Title: title, Nav: title,
			Blocks: blocks})
		title, current = "", len(d.Sections)-1
	}
	return left
}

// partBlocks are what a part shows, and the tables that it leaves out.
func partBlocks(p v1alpha1.Part, format string) (out []Block, left []string) {
	for _, s := range p.Lead {
		out = append(out, Para{Text: s})
	}
	if p.Timeline != nil {
		out = append(out, timelineOf(p.Timeline, format))
	}
	if p.Course != nil {
		c := Course{p.Course, 0}
		if short(format) {
			c.Phases = shortRows
		}
		out = append(out, c)
	}
	if p.Spread != nil && len(p.Spread.Rows) > 0 {
		out = append(out, spreadCharts(p.Spread))
	}
	for _, t := range p.Tables {
		if t.Wide && short(format) {
			left = append(left, strings.ToLower(cmp.Or(oneLine(t.Title), "a table")))
		} else if len(t.Rows) > 0 {
			out = append(out, gridOf(t, format))
		}
	}
	for _, x := range p.Texts {
		l := Listing{Text: x}
		if short(format) {
			l.Most = listingLines
		}
		out = append(out, l)
	}
	return out, left
}

// timelineOf is a timeline, in the default output the essence of it.
func timelineOf(t *v1alpha1.Timeline, format string) Timeline {
	if short(format) {
		return Timeline{t, shortRows, shortEvents}
	}
	return Timeline{Timeline: t}
}

// gridOf is a table of a plan or an answer without columns that say nothing. The
// default output leaves out the wide columns, and cuts long lists.
func gridOf(t v1alpha1.Table, format string) Grid {
	g := tableOf(t).narrow(format).dropped()
	if !short(format) {
		return g
	}
	for _, row := range g.Rows {
		for i, c := range row {
			if n := len(c.List) - entriesShown; n > 0 {
				row[i].List = append(slices.Clone(c.List[:entriesShown]), fmt.Sprintf("and %d more (-o wide)", n))
			} else if names := strings.Split(c.Text, ", "); len(c.List) == 0 && len(names) > 2*entriesShown && areNames(names) {
				row[i].Text = fmt.Sprintf("%s and %d more (-o wide)", strings.Join(names[:entriesShown], ", "),
					len(names)-entriesShown)
			}
		}
	}
	return g
}

// entriesShown is the number of entries of a cell that the default output shows.
const entriesShown = 3

// documentsGrid spells out the short names of sources, with all places that are cited.
func documentsGrid(list []document, all bool) Grid {
	g := Grid{ID: "sources", Bare: true, Columns: heads("Code", "Title", "Places")}
	for _, d := range list {
		places := strings.Join(d.Sections, "; ")
		if d.Title == "" {
			d.Title, places = places, ""
		}
		if !all {
			places = ""
		}
		g.row(d.Code, d.Title, places)
	}
	return g.dropped()
}

// tunedNames are the answer's own names, else the ids of the findings, each once; of
// an answer without findings the names in the first column of the first table.
func tunedNames(a *v1alpha1.Answer) []string {
	if len(a.Names) > 0 {
		return a.Names
	}
	out := each(a.Findings, func(f v1alpha1.Finding) string { return oneLine(f.ID) })
	if t := firstTable(a); len(a.Findings) == 0 && t != nil {
		for _, row := range t.Rows {
			if len(row) > 0 {
				out = append(out, oneLine(row[0].Text))
			}
		}
	}
	return slices.DeleteFunc(once(out, itself), func(s string) bool { return s == "" })
}

// firstTable of an answer; nil when it has none.
func firstTable(a *v1alpha1.Answer) *v1alpha1.Table {
	for _, p := range a.Parts {
		if len(p.Tables) > 0 {
			return &p.Tables[0]
		}
	}
	return nil
}

// tunedTitle is the title with the release whose rules hold.
func tunedTitle(a *v1alpha1.Answer) string {
	out := cmp.Or(oneLine(a.Title), oneLine(a.Kind), "Answer")
	if a.Release != "" {
		out += " (" + releaseText(a.Release) + ")"
	}
	return out
}

// releaseText is "rules of OpenShift 4.5" or "rules of today's OpenShift".
func releaseText(release string) string {
	if release == "current" {
		return "rules of today's OpenShift"
	}
	return "rules of OpenShift " + oneLine(release)
}

// tunedVerdict is the answer in a sentence.
func tunedVerdict(a *v1alpha1.Answer) string {
	if a.Verdict.OK {
		return cmp.Or(a.Verdict.Summary, "Nothing to object to")
	}
	return cmp.Or(a.Verdict.Summary, "It does not hold")
}

// findingsFirst reports whether findings are what was asked for; in any other answer
// they stand below it.
func findingsFirst(a *v1alpha1.Answer) bool { return a.Kind == "Check" || ofAudit(a) }

func ofAudit(a *v1alpha1.Answer) bool { return a.Kind == "Audit" || a.Kind == "AuditHistory" }

// warned says whether the verdict on a cluster has warnings, with which it is not simply good.
func warned(a *v1alpha1.Answer) bool {
	return ofAudit(a) && slices.ContainsFunc(a.Findings, func(f v1alpha1.Finding) bool {
		return f.Severity == v1alpha1.Warning
	})
}

// leftNames is the number of parts that are left out by name.
const leftNames = 6

// leftText names what was left out, each once.
func leftText(names []string) string {
	out := once(names, itself)
	if more := len(out) - leftNames; more > 1 {
		out = append(out[:leftNames], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}
