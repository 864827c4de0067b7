package measure

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func reps(n int, times ...time.Duration) []Repetition {
	var out []Repetition
	for _, d := range times {
		out = append(out, sample(n, d*time.Microsecond))
	}
	return out
}

func run(cells []Measured) Cells { return Cells{Subject: "network", Cells: cells} }

func judged(c *Comparison) []string {
	var out []string
	for _, ch := range c.Changes {
		s := ch.Figure
		if ch.Different {
			s += " different"
		}
		if ch.Worse {
			s += " worse"
		}
		out = append(out, s)
	}
	return out
}

// What is slower beyond chance and tolerance is worse; what is as fast, faster, or slower within the
// tolerance, is not.
func TestCompare(t *testing.T) {
	old := of(false, 50, reps(50, 1000, 1004, 998)...)
	for name, c := range map[string]struct {
		new  []Repetition
		want []string
	}{
		"slower": {reps(50, 1500, 1510, 1495), []string{"p50 different worse", "p99 different worse",
			"rate different worse", "cpu"}},
		"faster":   {reps(50, 500, 502, 499), []string{"p50 different", "p99 different", "rate different", "cpu"}},
		"a little": {reps(50, 1060, 1062, 1058), []string{"p50 different", "p99 different", "rate different", "cpu"}},
		"noise":    {reps(50, 700, 1600, 1900), []string{"p50", "p99", "rate", "cpu"}},
		"once":     {reps(50, 2000), []string{"p50", "p99", "rate", "cpu"}},
	} {
		got := Compare(run(old), run(of(false, 50, c.new...)), 0.1)
		if !slices.Equal(judged(got), c.want) {
			t.Errorf("%s: %v", name, judged(got))
		}
		a := got.Answer()
		if a.Verdict.OK == (name == "slower") || strings.Contains(a.Verdict.Problem, "worse") {
			t.Errorf("%s: %+v", name, a.Verdict)
		}
	}
	slower := Compare(run(old), run(of(false, 50, reps(50, 1500, 1510, 1495)...)), 0.1).Answer()
	if m := slower.Findings[0].Message; m != "rr-1x1-50: the median latency is 1.50x higher than 1ms: 1.5ms" {
		t.Error(m)
	}
}

// A latency that breaks Little's law is not compared; a rate is. Cells of one run alone are named.
func TestCompareLeft(t *testing.T) {
	old, new := of(false, 50, reps(50, 1000, 1004, 998)...), of(false, 50, reps(50, 900, 904, 910)...)
	new[0].Repetitions[1].Latency.Mean /= 50
	new = append(new, Measured{Name: "stream-1x1-1", Repetitions: reps(1, 7)})
	c := Compare(run(old), run(new), 0.1)
	if got := judged(c); !slices.Equal(got, []string{"rate different", "cpu"}) {
		t.Error(got)
	}
	if !slices.Equal(c.Unusable, []string{"rr-1x1-50"}) || !slices.Equal(c.Missing, []string{"stream-1x1-1"}) {
		t.Errorf("%+v", c)
	}
	if a := Compare(run(old), run(of(true, 1)), 0.1).Answer(); a.Verdict.OK {
		t.Error("nothing in common is good")
	}
}

// As documents 001 and 004 count.
func TestSays(t *testing.T) {
	for want, got := range map[string]string{"59 % lower": Says(0.41, true), "1.50x higher": Says(1.5, true),
		"2.70x higher": Says(2.7, false),
		"1.80x lower":  Says(1/1.8, false), "the same": Says(1.001, true), "-": Says(0, true)} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The best of latency is the least, of a rate the most.
func TestExtreme(t *testing.T) {
	c := Compare(run(of(false, 50, reps(50, 1000, 1000)...)), run(of(false, 50, reps(50, 500, 500)...)), 0.1)
	more := Compare(run(of(false, 1, reps(1, 1000)...)), run(of(false, 1, reps(1, 2000)...)), 0.1)
	c.Changes = append(c.Changes, more.Changes...)
	for _, x := range []struct {
		end     string
		latency bool
		want    float64
	}{{"best", true, 0.5}, {"worst", true, 2}, {"best", false, 2}, {"worst", false, 0.5}} {
		if got := c.Extreme(x.end, x.latency); got < x.want*0.99 || got > x.want*1.01 {
			t.Errorf("%s %v: %v", x.end, x.latency, got)
		}
	}
	if got := (&Comparison{}).Extreme("best", true); got != 0 {
		t.Error(got)
	}
}
