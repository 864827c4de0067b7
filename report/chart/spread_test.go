package chart

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// TestSpreadIsXML: whatever is drawn is well-formed, stays in its box, and no text becomes markup.
func TestSpreadIsXML(t *testing.T) {
	share := rapid.SampledFrom([]float64{-1, 0, 0.001, 0.3, 0.5, 1, 7, math.Inf(1), math.NaN()})
	text := rapid.SampledFrom([]string{"", "a", `"<b>&'`, strings.Repeat("w", 90)})
	tick := rapid.Custom(func(t *rapid.T) Tick { return Tick{share.Draw(t, "at"), text.Draw(t, "label")} })
	mark := rapid.Custom(func(t *rapid.T) SpreadMark {
		return SpreadMark{share.Draw(t, "at"), share.Draw(t, "low"), share.Draw(t, "high"), text.Draw(t, "char"),
			text.Draw(t, "label")}
	})
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.Custom(func(t *rapid.T) SpreadRow {
			r := SpreadRow{Name: text.Draw(t, "name"), Passed: rapid.Bool().Draw(t, "passed"),
				Marks: rapid.SliceOfN(mark, 0, 5).Draw(t, "marks")}
			if rapid.Bool().Draw(t, "limited") {
				limit := tick.Draw(t, "limit")
				r.Limit = &limit
			}
			return r
		})
		d := Spread{rapid.SliceOfN(tick, 0, 4).Draw(t, "ticks"), rapid.SliceOfN(row, 0, 3).Draw(t, "rows")}.Draw()
		for _, n := range elements(t, d) {
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

// TestSpreadLabels: marks that stand close together have one label, and none stands on the limit's.
func TestSpreadLabels(t *testing.T) {
	row := SpreadRow{Marks: []SpreadMark{{At: 0.2, Char: "50"}, {At: 0.21, Char: "90"}, {At: 0.6, Char: "99"}},
		Limit: &Tick{0.5, "p99 at most 5s"}, Passed: true}
	got := row.draw(0)
	if !strings.Contains(got, ">50<") || strings.Contains(got, ">90<") || strings.Contains(got, ">99<") ||
		!strings.Contains(got, "p99 at most 5s") || !strings.Contains(got, `class="bar over part-2"`) {
		t.Error(got)
	}
}
