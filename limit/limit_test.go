package limit

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/derive"
)

func nodes(n float64) derive.Value { return derive.Of(n, "nodes") }

// A quantity may reach its limit; it passes it only above.
func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		value, limit float64
		share        float64
		verdict      Verdict
	}{
		{0, 250, 0, Within}, {199, 250, 0.796, Within}, {200, 250, 0.8, Near}, {250, 250, 1, Near}, {251, 250, 1.004, Passed},
		{0, 0, 0, Within}, {1, 0, 1e9, Passed},
	} {
		g := Measure("nodes", "Nodes", "cluster", nodes(c.value), nodes(c.limit), Tested)
		if g.Share != c.share || g.Verdict != c.verdict {
			t.Errorf("%v of %v: got %v %s, want %v %s", c.value, c.limit, g.Share, g.Verdict, c.share, c.verdict)
		}
	}
}

func TestDoubtKeepsTheFirstLimit(t *testing.T) {
	g := Measure("nodes", "Nodes", "cluster", nodes(300), nodes(250), Tested)
	d := g.Doubt(nodes(2000))
	if d.Verdict != Passed || len(d.Doubts) != 1 || d.Doubts[0].Verdict != Within || d.Doubts[0].Share != 0.15 {
		t.Errorf("got %+v", d)
	}
	if len(g.Doubts) != 0 {
		t.Error("the gauge itself was changed")
	}
}

func TestSortNearestFirstThenHardest(t *testing.T) {
	list := []Gauge{
		Measure("b", "", "", nodes(1), nodes(2), Recommended),
		Measure("a", "", "", nodes(1), nodes(2), Tested),
		Measure("d", "", "", nodes(1), nodes(2), Hard),
		Measure("c", "", "", nodes(3), nodes(4), Assumed),
		Measure("e", "", "", nodes(1), nodes(2), Hard),
		Measure("f", "", "", nodes(9), nodes(10), Hard).AsLocal(),
		Measure("g", "", "", nodes(6), nodes(5), Recommended).AsLocal(),
	}
	Sort(list)
	var got []string
	for _, g := range list {
		got = append(got, g.ID)
	}
	if d := cmp.Diff([]string{"g", "c", "d", "e", "a", "b", "f"}, got); d != "" {
		t.Errorf("order (-want +got):\n%s", d)
	}
}

// A share that is exceeded never reads 100 %, and one that is not never more than 99.9 %.
func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 0.0005: "<0.1 %", 0.0042: "0.4 %", 0.55: "55 %", 0.7951: "79.5 %", 0.79999: "79.9 %", 0.8: "80 %",
		0.999: "99.9 %", 0.99999: "99.9 %",
		1: "100 %", 1.00001: ">100 %", 10001. / 10000: ">100 %", 2001. / 2000: "100.1 %",
		1.004: "100.4 %", 2.34375: "234 %", 123.456: "12,346 %", 1e9: "over",
	} {
		if got := Percent(share); got != want {
			t.Errorf("%v: %s, want %s", share, got, want)
		}
	}
}
