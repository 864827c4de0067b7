package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// WriteAnswer writes an answer of "tune" in a format of Formats. It returns an
// error for an unknown format, for a result that has no JSON, or the writer's.
func WriteAnswer(w io.Writer, a *v1alpha1.Answer, format string, opt Options) error {
	listed := *a
	if listed.Findings == nil {
		listed.Findings = []v1alpha1.Finding{} // an empty list for programs, not null
	}
	return forms{value: &listed, text: func(format string) string { return tunedText(a, format, opt) }, markdown: func() string { return tunedMarkdown(a, opt) },
		html: func() (string, error) { return tunedHTML(a, opt) }, names: func() string { return tunedNames(a) }}.write(w, format)
}

// tunedNames are the answer's own names, else the ids of the findings, each once; of
// an answer without findings the names in the first column of the first table.
func tunedNames(a *v1alpha1.Answer) string {
	var b strings.Builder
	if len(a.Names) > 0 {
		for _, name := range a.Names {
			b.WriteString(oneLine(name) + "\n")
		}
		return b.String()
	}
	seen := map[string]bool{"": true}
	add := func(s string) {
		if s = oneLine(s); !seen[s] {
			b.WriteString(s + "\n")
		}
		seen[s] = true
	}
	for _, f := range a.Findings {
		add(f.ID)
	}
	if t := firstTable(a); len(a.Findings) == 0 && t != nil {
		for _, row := range t.Rows {
			if len(row) > 0 {
				add(row[0].Text)
			}
		}
	}
	return b.String()
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

// tunedIndex is what the parts of a plan's report need to know of an answer.
func tunedIndex(a *v1alpha1.Answer, opt Options) *index {
	return newIndex(&v1alpha1.Plan{Findings: a.Findings}, opt)
}

// tunedTitle is the title with the era whose rules hold.
func tunedTitle(a *v1alpha1.Answer) string {
	out := cmp.Or(oneLine(a.Title), oneLine(a.Kind), "Answer")
	if a.Era != "" {
		out += " (" + eraText(a.Era) + ")"
	}
	return out
}

// eraText is "rules of OpenShift 4.5" or "rules of today's OpenShift".
func eraText(era string) string {
	if era == "current" {
		return "rules of today's OpenShift"
	}
	return "rules of OpenShift " + oneLine(era)
}

// tunedVerdict is the answer in a sentence.
func tunedVerdict(a *v1alpha1.Answer) string {
	return cmp.Or(a.Verdict.Summary, map[bool]string{true: "Nothing to object to", false: "It does not hold"}[a.Verdict.OK])
}

// findingsFirst says whether findings are what was asked for; in any other answer
// they stand below it.
func findingsFirst(a *v1alpha1.Answer) bool { return a.Kind == "Check" }

// tuned writes an answer for terminals.
type tuned struct {
	*text
	a *v1alpha1.Answer
	// left are the parts and tables that only wide output has.
	left []string
}

func tunedText(a *v1alpha1.Answer, format string, opt Options) string {
	t := &tuned{text: newText(tunedIndex(a, opt), format), a: a}
	t.line("", table.Bold, tunedTitle(a))
	t.b.WriteByte('\n')
	mark, style := "+", table.Good
	if !a.Verdict.OK {
		mark, style = "!", table.Bad
	}
	t.mark("", mark, style, style, tunedVerdict(a))
	t.named("Problem", a.Verdict.Problem)
	if findingsFirst(a) {
		t.placedFindings(false)
		t.parts()
	} else {
		t.parts()
		t.placedFindings(!t.wide)
	}
	t.tunedDocuments()
	t.end()
	return t.b.String()
}

// end says what was left out, and where it is.
func (t *tuned) end() {
	if len(t.left) > 0 {
		t.b.WriteByte('\n')
		t.line("", table.Faint, "With -o wide also: "+leftText(t.left)+".")
	}
	if !t.wide && t.opt.File != "" {
		t.b.WriteByte('\n')
		t.command("Everything, to attach:", "plimsoll tune "+oneLine(t.opt.File)+" -o html")
	}
}

// leftNames is the number of parts that are left out by name.
const leftNames = 6

// leftText names what was left out, each once.
func leftText(names []string) string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	if more := len(out) - leftNames; more > 1 {
		out = append(out[:leftNames], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(out, ", ")
}

// tunedDocuments spells out the sources in wide output, and names them in short.
func (t *tuned) tunedDocuments() {
	if t.wide {
		t.documents()
		return
	}
	var codes []string
	for _, d := range t.cited() {
		if t.cites[d.Code] {
			codes = append(codes, oneLine(d.Code))
		}
	}
	if len(codes) > 0 {
		t.b.WriteByte('\n')
		t.line("", table.Faint, "Sources (-o wide): "+strings.Join(codes, ", "))
	}
}

// parts writes the parts of the answer. The default output leaves out the wide
// ones; a part without title belongs to the one before.
func (t *tuned) parts() {
	title := ""
	for _, p := range t.a.Parts {
		title = cmp.Or(p.Title, title)
		if p.Wide && !t.wide {
			if p.Title != "" {
				t.left = append(t.left, strings.ToLower(oneLine(p.Title)))
			}
			continue
		}
		if !t.wide && allWide(p) {
			t.leave(p.Tables)
			continue
		}
		if title != "" {
			t.heading(title)
		} else {
			t.blank()
		}
		title = ""
		t.part(p)
	}
}

// allWide says whether the default output has nothing of a part.
func allWide(p v1alpha1.Part) bool {
	return len(p.Lead)+len(p.Texts) == 0 && p.Timeline == nil && len(p.Tables) > 0 &&
		!slices.ContainsFunc(p.Tables, func(t v1alpha1.Table) bool { return !t.Wide })
}

// leave remembers tables that were left out.
func (t *tuned) leave(list []v1alpha1.Table) {
	for _, tb := range list {
		t.left = append(t.left, strings.ToLower(cmp.Or(oneLine(tb.Title), "a table")))
	}
}

func (t *tuned) part(p v1alpha1.Part) {
	for _, s := range p.Lead {
		t.line("", table.Plain, s)
	}
	if p.Timeline != nil {
		most := shortRows
		if t.wide {
			most = 0
		}
		t.timeline(p.Timeline, most)
	}
	for i, tb := range p.Tables {
		if tb.Wide && !t.wide {
			t.leave([]v1alpha1.Table{tb})
			continue
		}
		if tb.Title == "" && (i > 0 || p.Timeline != nil) {
			t.blank()
		}
		t.tunedTable(tb)
	}
	for _, x := range p.Texts {
		t.listing(x)
	}
}
