package report

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plimsoll.dev/api/v1alpha1"
)

// readable is what a reader sees of a report: the text of a page, Markdown
// without escapes, blanks squeezed.
func readable(t *testing.T, format, text string) string {
	switch format {
	case HTML:
		root, err := html.Parse(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		text = textOf(root)
	case Markdown:
		text = regexp.MustCompile(`\\([^a-z])`).ReplaceAllString(text, "$1")
		text = html.UnescapeString(strings.ReplaceAll(text, "`", ""))
	}
	return strings.Join(strings.Fields(text), " ")
}

// wanted are the texts that every complete report has.
func wanted(p *v1alpha1.Plan) []string {
	want := []string{p.Metadata.Name, p.Metadata.Description, p.Verdict.Summary, p.Verdict.Tightest, p.Verdict.Problem}
	for _, g := range p.Gauges {
		want = append(want, g.Title, percent(g.Share), limitSource(g.Limit), string(g.Kind))
		want = append(want, g.Notes...)
		for _, d := range g.Doubts {
			want = append(want, d.Limit.Text, limitSource(d.Limit))
		}
	}
	for _, f := range p.Figures {
		want = append(want, f.ID, f.Title, f.Value.Text, f.Formula, f.Method, sources(f.Sources))
		want = append(want, f.Notes...)
		if f.Formula != "" {
			want = append(want, explain(f).Numbers)
		}
	}
	for _, f := range p.Findings {
		want = append(want, string(f.Severity), f.ID, f.Message, f.Remedy, f.Field, f.Figure, sources(f.Sources))
	}
	return append(want, wantedRest(p)...)
}

func wantedRest(p *v1alpha1.Plan) []string {
	var want []string
	for _, s := range p.Sections {
		want = append(want, s.Title, s.Summary)
		for _, t := range s.Tables {
			want = append(append(want, t.Title), t.Notes...)
			for _, row := range t.Rows {
				for _, c := range row {
					want = append(want, c.Text)
				}
			}
		}
	}
	for _, row := range optionGrid(p.Options, true, podWords).Rows {
		want = append(want, each(row, func(c Cell) string { return c.Text })...)
	}
	for _, o := range p.Options {
		want = append(want, o.Name, o.Why)
		if c := o.Comparison; c != nil {
			want = append(want, c.Advice)
			for _, n := range c.Needed {
				want = append(want, n.Rules, neededText(n))
			}
		}
	}
	want = append(append(want, proofsText(p.Proofs)), proofLines(p.Proofs, podWords)...)
	for _, n := range p.Nodes {
		for _, row := range layerRows(n) {
			want = append(want, row...)
		}
	}
	for _, a := range p.Assumptions {
		want = append(want, a.Field, a.Value, a.Why)
	}
	for _, s := range p.Skipped {
		want = append(want, s.Place, counted(s), s.Why)
	}
	return append(want, "m5.8xlarge", "19 + 19 + 19", "172.30.0.0/16", "8,951", "LoadBalancerService", "16 + 17 + 17")
}

// TestEverythingIsInEveryFormat: the formats for people differ in form, not in
// content; only the default text is short.
func TestEverythingIsInEveryFormat(t *testing.T) {
	for _, name := range []string{"plan", "later", "hostile"} {
		p := plans()[name]
		for _, format := range []string{Wide, Markdown, HTML} {
			text := readable(t, format, texts(t, p, format, Options{})["plan"])
			for _, w := range wanted(p) {
				w = strings.Join(strings.Fields(oneLine(w)), " ")
				if format == Wide && w == "error" || format == Wide && w == "warning" || format == Wide && w == "info" {
					continue // marks say it
				}
				if format == Markdown && name == "hostile" {
					w = readable(t, Markdown, md(w))
				}
				if !strings.Contains(text, w) {
					t.Errorf("%s as %s lacks %q", name, format, w)
				}
			}
		}
	}
}

func TestProvenanceIsInEveryReport(t *testing.T) {
	for _, format := range []string{Markdown, HTML} {
		text := readable(t, format, texts(t, samplePlan(), format, Options{})["plan"])
		for _, f := range samplePlan().Figures {
			for _, in := range f.Inputs {
				if r := in.Value.From; r != nil && r.Kind != "figure" && !strings.Contains(text, r.ID) {
					t.Errorf("%s does not say that %s of %s comes from %s", format, in.Name, f.ID, r.ID)
				}
			}
		}
	}
}

// fence is a block whose lines are shown as they are, up to a fence of the same length.
var fence = regexp.MustCompile("(?ms)^(```+)[a-z]*\n.*?^```+$")

// live is markup that was not made harmless.
var live = regexp.MustCompile(`<script|<img|\x1b|\x{202e}|[^\\]\]\(javascript`)

func TestHostileMarkdown(t *testing.T) {
	for what, text := range texts(t, hostilePlan(), Markdown, Options{}) {
		for _, block := range fence.FindAllString(text, -1) {
			if strings.Count(block, "```") != 2 || strings.ContainsAny(block, "\x1b\u202e") {
				t.Errorf("%s has a block that does not hold: %q", what, block)
			}
		}
		if bad := live.FindString(fence.ReplaceAllString(text, "")); bad != "" {
			t.Errorf("%s has %q", what, bad)
		}
		for i, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "| ") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") < 3 {
				t.Errorf("%s, line %d is broken: %q", what, i+1, line)
			}
		}
	}
}

func TestMarkdownEscapes(t *testing.T) {
	for s, want := range map[string]string{
		"plain text": "plain text", "a|b": `a\|b`, "<b>": "&lt;b&gt;", "# no": `\# no`, "---": `\---`, "1. no": `1\. no`,
		"- no": `\- no`, "10.128.0.0/14": "10.128.0.0/14",
		"-5": "-5", "*x*_y_": `\*x\*\_y\_`, "two\nlines": "two lines", "$x$": `\$x\$`,
	} {
		if got := md(s); got != want {
			t.Errorf("md(%q) = %q, want %q", s, got, want)
		}
	}
	for s, want := range map[string]string{"a[0].b": "`a[0].b`", "a`b": "a\\`b", "a|b": `a\|b`, "": ""} {
		if got := code(s); got != want {
			t.Errorf("code(%q) = %q, want %q", s, got, want)
		}
	}
}

// A plan that fits with warnings is not green, on the page and in text.
func TestWarningsAreNotGreen(t *testing.T) {
	p := &v1alpha1.Plan{Verdict: v1alpha1.Verdict{Fits: true}}
	for severity, want := range map[v1alpha1.Severity]string{v1alpha1.Info: "good", v1alpha1.Warning: "warn"} {
		p.Findings = []v1alpha1.Finding{{Severity: severity, ID: "x", Message: "y"}}
		if d := planDocument(newIndex(p, Options{}), HTML); d.Verdict.Mark != want || d.Verdict.Open {
			t.Errorf("%s: %+v", severity, d.Verdict)
		}
	}
}
