package report

import (
	"cmp"
	"io"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
)

// WriteAnswer writes an answer of "tune" in a format of Formats. It returns an
// error for an unknown format, for a result that has no JSON, or the writer's.
func WriteAnswer(w io.Writer, a *v1alpha1.Answer, format string, opt Options) error {
	return forms{value: a, text: func(format string) string { return tunedText(a, format, opt) }, markdown: func() string { return tunedMarkdown(a, opt) },
		html: func() (string, error) { return tunedHTML(a, opt) }, names: func() string { return tunedNames(a) }}.write(w, format)
}

// tunedNames are the ids of the findings, each once; of an answer without findings
// the names in the first column of the first table.
func tunedNames(a *v1alpha1.Answer) string {
	var b strings.Builder
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
	t.placedFindings()
	t.parts()
	t.documents()
	t.end()
	return t.b.String()
}

// end says what was left out, and where it is.
func (t *tuned) end() {
	if len(t.left) > 0 {
		t.b.WriteByte('\n')
		t.line("", table.Faint, "With -o wide also: "+strings.Join(t.left, ", ")+".")
	}
	if !t.wide && t.opt.File != "" {
		t.b.WriteByte('\n')
		t.line("Everything, to attach: ", table.Plain, "plimsoll tune "+oneLine(t.opt.File)+" -o html")
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
		if title != "" {
			t.heading(title)
		} else {
			t.blank()
		}
		title = ""
		t.part(p)
	}
}

func (t *tuned) part(p v1alpha1.Part) {
	for _, s := range p.Lead {
		t.line("", table.Plain, s)
	}
	if p.Timeline != nil {
		t.timeline(p.Timeline)
	}
	for i, tb := range p.Tables {
		if tb.Wide && !t.wide {
			t.left = append(t.left, strings.ToLower(cmp.Or(oneLine(tb.Title), "a table")))
			continue
		}
		if tb.Title == "" && (i > 0 || p.Timeline != nil) {
			t.blank()
		}
		t.planTable(tb)
	}
	for _, x := range p.Texts {
		t.listing(x)
	}
}
