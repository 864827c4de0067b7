package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
)

func answerOf(t failer, a *v1alpha1.Answer, format string, opt Options) string {
	t.Helper()
	opt.Facts = sampleFacts
	var b bytes.Buffer
	if err := WriteAnswer(&b, a, format, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAnswerGolden(t *testing.T) {
	for name, a := range answers() {
		for _, format := range WholeFormats() {
			if name == "hostile" && format != Table || name == "many" && format != Table && format != HTML {
				continue // TestAnyAnswer and TestAnswerHostile look at the rest
			}
			t.Run(name+"/"+format, func(t *testing.T) {
				golden(t, "answer-"+name+"."+suffix[format], []byte(answerOf(t, a, format, Options{File: "check ."})))
			})
		}
	}
	if err := WriteAnswer(&bytes.Buffer{}, check(), "xml", Options{}); err == nil {
		t.Error("xml is a format of answers")
	}
	if err := WriteAnswer(&bytes.Buffer{}, &v1alpha1.Answer{Result: func() {}}, JSON, Options{}); err == nil {
		t.Error("a function has become JSON")
	}
}

func TestAnswerLinesFit(t *testing.T) {
	for _, width := range []int{40, 62, 80, 132} {
		for _, format := range []string{Table, Wide} {
			for name, a := range answers() {
				narrowEnough(t, name+" as "+format, answerOf(t, a, format, Options{Width: width, File: "check ."}), width)
			}
		}
	}
}

func TestAnswerColorOnlyPaints(t *testing.T) {
	for name, a := range answers() {
		plain, painted := answerOf(t, a, Wide, Options{}), answerOf(t, a, Wide, Options{Color: true})
		if diff := cmp.Diff(plain, colourCodes.ReplaceAllString(painted, "")); diff != "" || plain == painted {
			t.Errorf("%s: %s", name, diff)
		}
	}
	painted := answerOf(t, check(), Wide, Options{Color: true})
	for _, want := range []string{"\x1b[32m+    priority: 25\x1b[0m", "\x1b[1;31m-    priority: 30\x1b[0m",
		"\x1b[1;31merror:\x1b[0m"} {
		if !strings.Contains(painted, want) {
			t.Errorf("lacks %q", want)
		}
	}
}

// wantedAnswer are the texts that every complete report of an answer has.
func wantedAnswer(a *v1alpha1.Answer) []string {
	want := []string{a.Title, a.Verdict.Summary, a.Verdict.Problem}
	for _, f := range a.Findings {
		want = append(want, f.Message, f.Remedy, f.ID)
		if p := f.Place; p != nil {
			want = append(want, fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col), p.Object, p.Field)
		}
	}
	for _, p := range a.Parts {
		want = append(append(want, p.Title), p.Lead...)
		for _, t := range p.Tables {
			want = append(want, t.Title)
			for _, row := range t.Rows {
				for _, c := range row {
					want = append(want, c.Text)
				}
			}
		}
		for _, x := range p.Texts {
			want = append(append(want, x.Title), strings.Split(x.Body, "\n")...)
		}
		if l := p.Timeline; l != nil {
			want = append(want, l.Title)
			for _, e := range l.Events {
				want = append(want, e.Text)
			}
			for _, r := range l.Rows {
				for _, s := range r.Spans {
					want = append(want, s.State)
				}
			}
		}
	}
	return want
}

// TestAllOfAnAnswerIsInEveryFormat: only the default text is short.
func TestAllOfAnAnswerIsInEveryFormat(t *testing.T) {
	for _, name := range []string{"check", "rollout", "empty"} {
		a := answers()[name]
		for _, format := range []string{Wide, Markdown, HTML} {
			raw := answerOf(t, a, format, Options{})
			text, plain := readable(t, format, raw), strings.Join(strings.Fields(raw), " ")
			for _, w := range wantedAnswer(a) {
				w = strings.Join(strings.Fields(w), " ")
				if !strings.Contains(text, w) && !(format == Markdown && strings.Contains(plain, w)) {
					t.Errorf("%s as %s lacks %q", name, format, w)
				}
			}
		}
	}
}

func TestAnswerLeavesOutWhatIsWide(t *testing.T) {
	short := answerOf(t, check(), Table, Options{})
	for _, not := range []string{"All of them", "object.notRead", "31"} {
		if strings.Contains(short, not) {
			t.Errorf("the default output has %q", not)
		}
	}
	for _, want := range []string{"With -o wide also: rules that were looked for.", "and 1 remark (-o wide)"} {
		if !strings.Contains(short, want) {
			t.Errorf("the default output lacks %q", want)
		}
	}
}

func TestAnswerHostile(t *testing.T) {
	a := answers()["hostile"]
	if s := answerOf(t, a, Wide, Options{}); strings.ContainsAny(s, "\x1b\u202e\t\r") {
		t.Error("wide lets control characters through")
	}
	text := answerOf(t, a, Markdown, Options{})
	if bad := live.FindString(outsideLongFences(t, text)); bad != "" {
		t.Errorf("Markdown has %q", bad)
	}
	if strings.ContainsAny(text, "\x1b\u202e") {
		t.Error("Markdown lets control characters through")
	}
}

// outsideLongFences is Markdown without its fenced texts; a fence ends at a line of
// just as many marks.
func outsideLongFences(t *testing.T, text string) string {
	t.Helper()
	var out []string
	fence := ""
	for line := range strings.Lines(text) {
		marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(marks) >= 3:
			fence = marks
		case fence != "" && len(marks) >= len(fence):
			if line != fence+"\n" {
				t.Fatalf("fence %q ends with %q", fence, line)
			}
			fence = ""
		case fence == "":
			out = append(out, line)
		}
	}
	if fence != "" {
		t.Fatal("a fence stays open")
	}
	return strings.Join(out, "")
}

// TestAnyAnswer writes answers that no program would make.
func TestAnyAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a v1alpha1.Answer
		for i := range reflect.TypeFor[v1alpha1.Answer]().NumField() {
			if reflect.TypeFor[v1alpha1.Answer]().Field(i).Name != "Result" {
				fill(t, reflect.ValueOf(&a).Elem().Field(i), 0)
			}
		}
		width := rapid.SampledFrom([]int{40, 61, 80, 200}).Draw(t, "width")
		for _, format := range WholeFormats() {
			soundIn(t, format, answerOf(t, &a, format, Options{Width: width}), width)
		}
	})
}

func TestAnswerJSONIsTheAnswer(t *testing.T) {
	var got v1alpha1.Answer
	if err := json.Unmarshal([]byte(answerOf(t, check(), JSON, Options{})), &got); err != nil {
		t.Fatal(err)
	}
	if got.Kind != "Check" || len(got.Findings) != 4 || got.Findings[0].Place.Line != 18 || got.Result == nil ||
		got.Parts != nil {
		t.Errorf("%+v", got)
	}
}

func TestAnswerPagesStand(t *testing.T) {
	for name, a := range answers() {
		page := answerOf(t, a, HTML, Options{})
		t.Run(name, func(t *testing.T) {
			wellFormed(t, page)
			for _, n := range parsed(t, page) {
				if n.Data == "svg" && attr(n, "role") == "img" {
					described(t, page, n)
				}
			}
		})
	}
}

// described demands that a drawing has a title and a description by their ids.
func described(t *testing.T, page string, n *html.Node) {
	t.Helper()
	for _, by := range []string{"aria-labelledby", "aria-describedby"} {
		if id := attr(n, by); id == "" || strings.Count(page, ` id="`+id+`"`) != 1 {
			t.Errorf("%s is %q", by, id)
		}
	}
}

// What is not known stands beside the verdict, which is not green.
func TestAnswerOpen(t *testing.T) {
	a := &v1alpha1.Answer{Kind: "LoadRun", Title: "Load", Verdict: v1alpha1.AnswerVerdict{OK: true, Summary: "5 objects",
		Open: []string{"the p99 of five"}}}
	d := answerDocument(a, Wide, Options{})
	if shown := answerOf(t, a, Wide, Options{}); d.Verdict.Mark != "warn" || !d.Verdict.Open ||
		!strings.Contains(shown, "the p99 of five") {
		t.Errorf("%+v", d.Verdict)
	}
}
