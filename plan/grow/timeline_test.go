package grow

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

func least(l *v1alpha1.Level) float64 {
	out := math.Inf(1)
	for _, s := range l.Steps {
		out = min(out, s.Amount)
	}
	return out
}

// The roll-out that is played takes as long as the groups, one after the other, and
// leaves what the figures say.
func TestTimelineAgreesWithTheFigures(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(2, mostDrawn).Draw(t, "nodes")
		in := input(workers("worker", nodes, rapid.Float64Range(0.01, 0.99).Draw(t, "used")))
		in.MaxUnavailable = rapid.OneOf(rapid.Map(rapid.IntRange(0, 100), func(n int) string { return fmt.Sprint(n, "%") }),
			rapid.Map(rapid.IntRange(0, nodes+5), func(n int) string { return fmt.Sprint(n) })).Draw(t, "at once")
		if rapid.Bool().Draw(t, "own time") {
			in.RolloutPerNode = new(unit.Duration(rapid.IntRange(60, 3600).Draw(t, "seconds")))
		}
		r, _ := plan(t, in)
		own, line := r.Rollouts[0], r.Part.Section.Timeline
		last := unit.Duration(0)
		for _, row := range line.Rows {
			last = max(last, row.Spans[len(row.Spans)-1].From) // from then on it is updated
		}
		if float64(last) != own.Max.Number {
			t.Errorf("the last of %d nodes is updated after %v s, the figure says %v s", len(line.Rows), float64(last), own.Max)
		}
		if left := least(line.Level); math.Abs(100*left/float64(nodes)-own.Left.Number) > 1e-9 {
			t.Errorf("%v of %d nodes take pods at the least, the figure says %v", left, nodes, own.Left)
		}
		if needed := line.Level.Limits[0].Amount; int(needed) != nodes-own.Best {
			t.Errorf("%v nodes are needed, and %d of %d may be away", needed, own.Best, nodes)
		}
	})
}

// Of a pool with more nodes than anybody can look at the capacity is left.
func TestTimelineOfManyNodes(t *testing.T) {
	in := input(workers("worker", mostDrawn+1, 0.5))
	in.MaxUnavailable = "10%"
	r, _ := plan(t, in)
	line := r.Part.Section.Timeline
	if len(line.Rows) != 0 || least(line.Level) != mostDrawn+1-50 {
		t.Errorf("%d rows, at the least %v nodes", len(line.Rows), least(line.Level))
	}
	in = input(workers("worker", 1, 0.5))
	if r, _ := plan(t, in); r.Part.Section.Timeline != nil {
		t.Error("one node alone has no order in which it is updated")
	}
}
