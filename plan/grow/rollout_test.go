package grow

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// P6: the document's three workers, 10 to 15 minutes one at a time (OCP 2.2).
func TestRolloutOfTheDocument(t *testing.T) {
	for _, c := range []struct {
		nodes          int
		maxUnavailable string
		low, high      string
		left           float64
	}{
		{3, "1", "10 min", "15 min", 100 * 2.0 / 3},
		{100, "1", "5 h 33 min", "8 h 20 min", 99},
		{100, "10%", "33 min 20 s", "50 min", 90},
		{100, "7", "50 min", "1 h 15 min", 93}, // 15 groups
		{1, "1", "3 min 20 s", "5 min", 0},
	} {
		in := input(workers("worker", c.nodes, 0))
		in.MaxUnavailable = c.maxUnavailable
		r, _ := plan(t, in)
		got := r.Rollouts[0]
		if got.Min.Text != c.low || got.Max.Text != c.high || math.Abs(got.Left.Number-c.left) > 1e-9 || got.Best != -1 {
			t.Errorf("%d nodes, %s: %s to %s, %s left, best %d", c.nodes, c.maxUnavailable, got.Min, got.Max, got.Left, got.Best)
		}
	}
}

func TestRolloutWithOwnTime(t *testing.T) {
	in := input(workers("worker", 20, 0))
	each := unit.Duration(600)
	in.RolloutPerNode = &each
	r, _ := plan(t, in)
	if got := r.Rollouts[0]; got.Min.Number != 12000 || got.Max.Number != 12000 {
		t.Errorf("%s to %s", got.Min, got.Max)
	}
}

func TestRolloutIsJudged(t *testing.T) {
	for _, c := range []struct {
		name           string
		nodes          int
		used           float64
		maxUnavailable string
		best           int
		want           string
	}{
		{"fits", 10, 0.8, "1", 2, ""},
		{"just fits", 10, 0.9, "1", 1, ""},
		{"just does not", 10, 0.91, "1", 0, "warning grow.rollout.full[worker]"},
		{"too many", 10, 0.8, "3", 2, "warning grow.rollout.overload[worker]"},
		{"percentage", 100, 0.8, "25%", 20, "warning grow.rollout.overload[worker]"},
		{"overcommitted", 10, 1.2, "1", 0, "warning grow.rollout.full[worker]"},
		{"one node", 1, 0.1, "1", 0, "warning grow.rollout.full[worker]"},
		{"all at once", 3, 0.3, "100%", 2, "warning grow.rollout.overload[worker]"},
	} {
		in := input(workers("worker", c.nodes, c.used))
		in.MaxUnavailable = c.maxUnavailable
		r, _ := plan(t, in)
		if got := ids(r); got != c.want || r.Rollouts[0].Best != c.best {
			t.Errorf("%s: %q, best %d, want %q and %d", c.name, got, r.Rollouts[0].Best, c.want, c.best)
		}
	}
}

func TestFasterRolloutIsSuggested(t *testing.T) {
	r, _ := plan(t, input(workers("worker", 100, 0.75)))
	f, ok := find(r, "grow.rollout.faster[worker]")
	want := "updating pool worker takes 5 h 33 min to 8 h 20 min with 1 node at once; " +
		"by placement every pod keeps a place with 25 away, which takes 13 min 20 s to 20 min"
	if !ok || f.Message != want {
		t.Errorf("message %q, want %q", f.Message, want)
	}
	if r, _ = plan(t, input(workers("worker", 8, 0.5))); len(r.Part.Findings) != 2 {
		t.Errorf("8 nodes need no haste: %+v", r.Part.Findings)
	}
}

// The table compares the usual values; the control plane keeps 1 and is not in it.
func TestRolloutTable(t *testing.T) {
	in := input(workers("worker", 40, 0.7), workers("master", 3, 0.9))
	in.MaxUnavailable = "20%"
	r, _ := plan(t, in)
	var got []string
	for _, row := range r.Part.Section.Tables[1].Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, strings.TrimSpace(c.Text+" "+c.Mark))
		}
		got = append(got, strings.Join(cells, "|"))
	}
	want := []string{
		"worker|1|1|40|2 h 13 min to 3 h 20 min|97.5 %|71.79 % good",
		"worker|10%|4|10|33 min 20 s to 50 min|90 %|77.78 % good",
		"worker|5|5|8|26 min 40 s to 40 min|87.5 %|80 % good",
		"worker|20% (planned)|8|5|16 min 40 s to 25 min|80 %|87.5 % good",
		"worker|25%|10|4|13 min 20 s to 20 min|75 %|93.33 % good",
		"worker|12|12|4|13 min 20 s to 20 min|70 %|100 % good",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if m := r.Rollouts[1]; m.AtOnce.Number != 1 || m.Min.Text != "10 min" {
		t.Errorf("control plane: %+v", m)
	}
}

func TestBadMaxUnavailable(t *testing.T) {
	in := input(workers("worker", 10, 0.5))
	in.MaxUnavailable = "a few"
	r, _ := plan(t, in)
	if f, ok := find(r, "grow.maxUnavailable"); !ok || f.Field != "policy.maxUnavailable" {
		t.Errorf("finding %+v", f)
	}
}

func TestPlanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := input(workers("infra", rapid.IntRange(0, 5).Draw(t, "infra"), 0),
			workers("worker", rapid.IntRange(0, 700).Draw(t, "workers"), rapid.Float64Range(0, 1.5).Draw(t, "used")),
			workers("master", 3, 0.4))
		in.MaxUnavailable = rapid.SampledFrom([]string{"0", "1", "3", "7%", "50%", "1000"}).Draw(t, "maxUnavailable")
		in.Platform.Type = rapid.SampledFrom([]string{"openshift", "kubernetes"}).Draw(t, "type")
		in.PodsPerNode = derive.Of(float64(rapid.IntRange(0, 500).Draw(t, "pods")), "pods")
		r, _ := plan(t, in)
		for _, x := range r.Rollouts {
			if x.Min.Number > x.Max.Number || x.Left.Number < 0 || x.AtOnce.Number < 1 {
				t.Fatalf("%+v", x)
			}
		}
	})
}
