package chart

import (
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// elements are the names of a drawing's elements in order; it must be XML.
func elements(t *rapid.T, drawing string) []string {
	t.Helper()
	var out []string
	decoder := xml.NewDecoder(strings.NewReader(drawing))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("%v in %s", err, drawing)
		}
		if e, ok := token.(xml.StartElement); ok {
			out = append(out, e.Name.Local)
		}
	}
}

// TestTimelineIsXML: whatever is drawn is well-formed, begins with title and
// description, stays in its box, and no text becomes markup.
func TestTimelineIsXML(t *testing.T) {
	share := rapid.SampledFrom([]float64{-1, 0, 0.001, 0.3, 0.5, 1, 7, math.Inf(1), math.NaN()})
	text := rapid.SampledFrom([]string{"", "a", "updated", `"<b>&'`, strings.Repeat("w", 90)})
	mark := rapid.SampledFrom([]string{"", "good", "warn", "bad", "<b>"})
	rapid.Check(t, func(t *rapid.T) {
		state := rapid.Custom(func(t *rapid.T) State {
			return State{text.Draw(t, "name"), text.Draw(t, "letter"), mark.Draw(t, "mark"),
				rapid.IntRange(-2, 99).Draw(t, "index")}
		})
		ticks := rapid.SliceOfN(
			rapid.Custom(func(t *rapid.T) Tick { return Tick{share.Draw(t, "at"), text.Draw(t, "label")} }), 0, 4)
		row := rapid.Custom(func(t *rapid.T) Row {
			r := Row{Name: text.Draw(t, "row")}
			for range rapid.IntRange(0, 3).Draw(t, "spans") {
				r.Spans = append(r.Spans, RowSpan{share.Draw(t, "from"), share.Draw(t, "to"), state.Draw(t, "state"),
					text.Draw(t, "says")})
				r.Signs = append(r.Signs, Sign{share.Draw(t, "at"), text.Draw(t, "char"), text.Draw(t, "says")})
			}
			return r
		})
		line := Timeline{ID: text.Draw(t, "id"), Title: text.Draw(t, "title"), Description: text.Draw(t, "description"),
			Ticks: ticks.Draw(t, "ticks"), Moments: ticks.Draw(t, "moments"), Rows: rapid.SliceOfN(row, 0, 3).Draw(t, "rows")}
		for range rapid.IntRange(0, 2).Draw(t, "levels") {
			level := StepCurve{Title: text.Draw(t, "title")}
			for range rapid.IntRange(0, 3).Draw(t, "steps") {
				level.Steps = append(level.Steps, Step{share.Draw(t, "at"), share.Draw(t, "height")})
				level.Limits = append(level.Limits, Limit{share.Draw(t, "height"), text.Draw(t, "label")})
			}
			line.Levels = append(line.Levels, level)
		}
		d := line.Draw()
		names := elements(t, d)
		if len(names) < 3 || names[0] != "svg" || names[1] != "title" || names[2] != "desc" {
			t.Fatalf("begins with %q", names)
		}
		for _, n := range names {
			if n == "b" {
				t.Fatal("text became markup")
			}
		}
		for _, bad := range []string{`width="-`, `height="-`, ` x="-`, "NaN", "Inf", "e+"} {
			if strings.Contains(d, bad) {
				t.Fatalf("%s in %s", bad, d)
			}
		}
	})
}

// TestStatesDiffer: states are told apart without colour, as far as there are
// patterns, and wide spans are named, narrow ones lettered, the narrowest neither.
func TestStatesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for i := range len(statePatterns) {
		look := regexp.MustCompile(`kind-\d`).ReplaceAllString(State{Index: i}.box(0, 1), "")
		if seen[look] {
			t.Errorf("without colour state %d looks like another: %s", i, look)
		}
		seen[look] = true
	}
	for width, want := range map[float64]string{0.5: ">draining<", 0.1: ">d<", 0.01: ""} {
		got := RowSpan{From: 0, To: width, State: State{Name: "draining", Letter: "d"}}.draw()
		if strings.Contains(got, "<text") != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%v: %s", width, got)
		}
	}
}

// TestStepCurveFollowsItsSteps: areas lie side by side from the first step to the
// end, each as high as its step.
func TestStepCurveFollowsItsSteps(t *testing.T) {
	c := StepCurve{Steps: []Step{{0, 1}, {0.25, 0.5}, {0.75, 0.75}}, Limits: []Limit{{0.5, "half"}}}
	got := c.draw(0)
	for _, want := range []string{`x="0%" y="0%" width="25%" height="100%"`, `x="25%" y="50%" width="50%" height="50%"`,
		`x="75%" y="25%" width="25%" height="75%"`,
		`x1="25%" y1="0%" x2="25%" y2="50%"`, `class="limit" x1="0%" y1="48" x2="100%" y2="48"`} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s: %s", want, got)
		}
	}
}
