package report

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
)

func TestResolve(t *testing.T) {
	ix := newIndex(samplePlan(), options(Table))
	tests := []struct{ asked, want, err string }{
		{"nodes.total", "nodes.total", ""},
		{"NODES.TOTAL", "nodes.total", ""},
		{"total", "nodes.total", ""},
		{"nodes", "nodes", ""},
		{"nodes.floor", "nodes.floor[m5.2xlarge]", ""},
		{"control.mem", "control.memory", ""},
		{"volume", "monitoring.volume", ""},
		{"fullest worker", "nodes.podsPerNode[m5.2xlarge]", ""},
		{" secrets ", "secrets", ""},
		{"control.", "", `"control." could be control.cores, control.memory (give more of the id)`},
		{"nodes.totl", "", `no figure or limit "nodes.totl" (nearest: nodes.total, `},
		{"", "", `no figure or limit "" (nearest: `},
	}
	for _, tt := range tests {
		got, err := ix.resolve(tt.asked)
		switch {
		case tt.err == "" && (err != nil || got != tt.want):
			t.Errorf("%q: %q, %v, want %q", tt.asked, got, err, tt.want)
		case tt.err != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.err)):
			t.Errorf("%q: error %v, want %s", tt.asked, err, tt.err)
		}
	}
	empty := newIndex(&v1alpha1.Plan{}, Options{})
	if _, err := empty.resolve("x"); err == nil || err.Error() != `no figure "x": the plan has none` {
		t.Errorf("empty plan: %v", err)
	}
}

// TestWhyReachesTheGround: below each figure stands every input of every
// figure on the way, each figure worked out once.
func TestWhyReachesTheGround(t *testing.T) {
	p := samplePlan()
	ix := newIndex(p, options(JSON))
	for _, f := range p.Figures {
		worked := map[string]int{}
		var walk func(n node)
		walk = func(n node) {
			if r := n.Value.From; r != nil && r.Kind == derive.FromFigure && !n.Above {
				worked[r.ID]++
				if want := ix.figures[r.ID]; len(n.Inputs) != len(want.Inputs) {
					t.Errorf("%s below %s has %d inputs", r.ID, f.ID, len(n.Inputs))
				}
			}
			for _, in := range n.Inputs {
				walk(in)
			}
		}
		for _, n := range []node{ix.grower().figure(f)} {
			walk(n)
		}
		for id, n := range worked {
			if n != 1 {
				t.Errorf("%s is worked out %d times below %s", id, n, f.ID)
			}
		}
	}
}

func TestWhyEndsInACircle(t *testing.T) {
	loop := func(id, needs string) derive.Figure {
		return derive.Figure{ID: id, Title: id, Value: derive.Of(1, ""), Formula: "x", Inputs: []derive.Input{
			derive.In("x", derive.Value{Number: 1, Text: "1", From: &derive.Ref{Kind: derive.FromFigure, ID: needs}})}}
	}
	p := &v1alpha1.Plan{Figures: []derive.Figure{loop("a", "b"), loop("b", "a")}}
	var b bytes.Buffer
	if err := Why(&b, p, "a", Options{}); err != nil {
		t.Fatal(err)
	}
	want := `1 - a [a]
  = x
  = 1
  x = 1 - b [b]
    = x
    = 1
    x = 1 - a [a], see above
`
	if got := b.String(); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestWhySaysWhenAFormulaDisagrees(t *testing.T) {
	p := &v1alpha1.Plan{Figures: []derive.Figure{{ID: "a", Title: "A", Value: derive.Of(3, "nodes"), Formula: "x + 1",
		Inputs: []derive.Input{derive.In("x", derive.Given("f", 1, "nodes"))}}}}
	for _, format := range []string{Table, JSON, Markdown, HTML} {
		var b bytes.Buffer
		if err := Why(&b, p, "a", Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		if want := "a: x + 1 gives 2, the figure says 3"; !strings.Contains(html.UnescapeString(b.String()), want) {
			t.Errorf("%s does not say %q:\n%s", format, want, b.String())
		}
	}
}

func TestWhyJSON(t *testing.T) {
	var b bytes.Buffer
	if err := Why(&b, samplePlan(), "nodes", options(JSON)); err != nil {
		t.Fatal(err)
	}
	var d derivation
	if err := json.Unmarshal(b.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if d.Kind != "Derivation" || d.Gauge == nil || len(d.Steps) != 3 || d.Steps[1].Fact == nil ||
		d.Steps[1].Fact.Source.Section != "9.2" {
		t.Errorf("got %+v", d)
	}
}

// TestFactsOfOtherValue: a catalogue that has another value today is not shown
// as the plan's source.
func TestFactsOfOtherValue(t *testing.T) {
	v := derive.Published("ocp.max.nodes/4.4", 251, "nodes", derive.Source{Code: "own", Section: "measurement"})
	n := newIndex(&v1alpha1.Plan{}, options(Table)).grower().value("", v)
	if n.Fact != nil || headline(n) != "251 nodes - fact ocp.max.nodes/4.4 (own measurement)" {
		t.Errorf("%+v", n)
	}
}

// A derivation is as deep as a reader takes in at once; the rest is a question away, and in the
// wide form. What is not shown is not referred to.
func TestDerivationsAreBrief(t *testing.T) {
	made := planned(example(t, "shop.yaml"))
	why := func(id, format string) string {
		var b bytes.Buffer
		if err := Why(&b, made, id, Options{Format: format}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	most, deep := 0, 0
	for _, f := range made.Figures {
		text, wide := why(f.ID, Table), why(f.ID, Wide)
		most, deep = max(most, strings.Count(text, "\n")), max(deep, strings.Count(wide, "\n"))
		for _, m := range regexp.MustCompile(`\[([^ ]+)\], see\s+above`).FindAllStringSubmatch(text, -1) {
			if at := strings.Index(text, "["+m[1]+"]\n"); at < 0 || at > strings.Index(text, m[0]) {
				t.Errorf("%s refers to %s, which is not above:\n%s", f.ID, m[1], text)
			}
		}
		whole := strings.Join(strings.Fields(wide), " ") == strings.Join(strings.Fields(text), " ")
		if cut := strings.Contains(text, "\nDeeper: "); cut == whole {
			t.Errorf("%s: says that something lies deeper: %t:\n%s", f.ID, cut, text)
		}
	}
	if most > 100 || deep < 150 {
		t.Errorf("the longest has %d lines, the longest wide one %d", most, deep)
	}
}
