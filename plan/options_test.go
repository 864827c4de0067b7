package plan

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/node"
	"plimsoll.dev/place"
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

// Where not every type has a price, all are compared by CPUs, in whatever order they are listed: a price beside
// none would make the first dearer than the second, that than the third, and that than the first.
func TestSomePrices(t *testing.T) {
	types := []string{"{name: few, cpus: 16, memory: 64Gi, price: 9}", "{name: none, cpus: 20, memory: 64Gi}",
		"{name: many, cpus: 32, memory: 64Gi, price: 1}"}
	const of = "platform: {type: kubernetes, release: '1.36'}\npolicy: {controlPlaneNodes: 0, spareNodes: 0}\n" +
		"workload: {podTypes: [{name: a, replicas: 13, cpu: 1, memory: 1Gi}]}\nhardware:\n  nodeTypes: ["
	for i := range types {
		list := strings.Join([]string{types[i], types[(i+1)%3], types[(i+2)%3]}, ", ")
		p := plannerOf(t, of+list+"]\n", place.MostTrials)
		if p.choice.opt.Name != "few" {
			t.Errorf("of %s: %s, want few", list, p.choice.opt.Name)
		}
	}
	mix := plannerOf(t, strings.Replace(of, "replicas: 13", "replicas: 30", 1)+types[0]+", "+types[1]+"]\n"+
		"  options: [{name: mix, nodes: [{type: none, count: 1}, {type: few}]}]\n", place.MostTrials)
	if o := mix.option(t, "mix"); o.Price != 0 {
		t.Errorf("a mix of which one part has a price costs %v, want no price", o.Price)
	}
	sure, cheap := &choice{}, &choice{}
	sure.opt.Total, sure.opt.Verified = 2, &v1alpha1.Verification{Status: v1alpha1.Verified}
	cheap.opt.Total, cheap.opt.Verified = 1, &v1alpha1.Verification{Status: v1alpha1.Estimated}
	if mix.better(cheap, sure) || !mix.better(sure, cheap) {
		t.Error("a number that nobody has confirmed goes before one that was")
	}
}
