package plan

import (
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/node"
)

// OCP 9.3: 2200 pods at 500 a node need five nodes; on 20 nodes there are 110
// pods a node.
func TestDocumentsNodeArithmetic(t *testing.T) {
	if got := NodesForPods(2200, 500); got != 5 {
		t.Errorf("2200 pods at 500 a node: got %d nodes, want 5", got)
	}
	if got := PodsPerNode(2200, 20); got != 110 {
		t.Errorf("2200 pods on 20 nodes: got %v a node, want 110", got)
	}
}

// When the fullest of evenly filled zones is lost, enough nodes are left, and
// with one node fewer they would not be.
func TestZoneLossCount(t *testing.T) {
	left := func(n, zones int) int { return n - (n+zones-1)/zones }
	rapid.Check(t, func(t *rapid.T) {
		base, zones := rapid.IntRange(0, 5000).Draw(t, "base"), rapid.IntRange(2, 12).Draw(t, "zones")
		n := ZoneLossCount(base, zones)
		if left(n, zones) < base {
			t.Fatalf("%d nodes in %d zones leave %d, want %d", n, zones, left(n, zones), base)
		}
		if n > 0 && left(n-1, zones) >= base {
			t.Fatalf("%d nodes in %d zones would leave %d already", n-1, zones, left(n-1, zones))
		}
	})
}

func TestGrowRoundsUp(t *testing.T) {
	for _, c := range []struct {
		n      int
		growth float64
		want   int
	}{{100, 0, 100}, {100, 0.1, 110}, {3, 0.3, 4}, {10, 0.3, 13}, {0, 2, 0}, {7, 1, 14}} {
		if got := node.Grown(c.n, unitFactor(c.growth)); got != c.want {
			t.Errorf("%d grown by %v: got %d, want %d", c.n, c.growth, got, c.want)
		}
	}
}

// What was found before the budget ended the search is a lower bound, and is told as one.
func TestTooManyUntilTheBudgetEnds(t *testing.T) {
	for want, c := range map[string]struct {
		n   int
		all bool
	}{
		"21 of 1,047 nodes could go, 1,026 would do: why": {21, true},
		"": {0, true},
		"at least 21 of 1,047 nodes could go: why; whether more could was not tried to the end":     {21, false},
		"whether any of 1,047 nodes could go is not known: to try takes more than a plan waits for": {0, false},
	} {
		if got := tooMany(c.n, 1047, c.all, "why"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
