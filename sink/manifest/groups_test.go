package manifest

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/plan/grow"
)

// deal is the naive twin of group.after: machines come one at a time, to the
// first type that isn't complete, into the first of its emptiest zones.
func deal(g group, total int) [][]int {
	out := make([][]int, len(g.members))
	for i, m := range g.members {
		out[i] = make([]int, len(zones(m.PoolDecision)))
	}
	for range total {
		for i, m := range g.members {
			if sum(out[i]) == m.Count {
				continue
			}
			emptiest := 0
			for z, n := range out[i] {
				if n < out[i][emptiest] {
					emptiest = z
				}
			}
			out[i][emptiest]++
			break
		}
	}
	return out
}

func TestAfterIsDealing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		zoneCount := rapid.IntRange(1, 5).Draw(t, "zones")
		g := group{name: "worker"}
		all := 0
		for i := range rapid.IntRange(2, 4).Draw(t, "types") {
			n := rapid.IntRange(0, 40).Draw(t, "count")
			all += n
			g.members = append(g.members,
				member{PoolDecision: v1alpha1.PoolDecision{Type: fmt.Sprint(i), Count: n, PerZone: grow.Spread(n, zoneCount)}})
		}
		total := rapid.IntRange(0, all).Draw(t, "total")
		want, got := deal(g, total), 0
		for i := range g.members {
			now := g.after(i, v1alpha1.GrowthBatch{Total: total})
			if fmt.Sprint(now) != fmt.Sprint(want[i]) {
				t.Fatalf("type %d: %v, want %v", i, now, want[i])
			}
			got += sum(now)
		}
		if got != total {
			t.Fatalf("%d machines, want %d", got, total)
		}
	})
}

// TestTagsDiffer: the number that keeps m5.x and m5-x apart is not taken by m5-x-3.
func TestTagsDiffer(t *testing.T) {
	g := group{name: "worker"}
	for _, kind := range []string{"m5.x", "m5-x-3", "m5-x", "m5_x"} {
		g.members = append(g.members, member{PoolDecision: v1alpha1.PoolDecision{Type: kind}})
	}
	g.tagMembers(false)
	for i, want := range []string{"worker-m5-x", "worker-m5-x-3", "worker-m5-x-4", "worker-m5-x-5"} {
		if g.members[i].tag != want {
			t.Errorf("%s: %s, want %s", g.members[i].Type, g.members[i].tag, want)
		}
	}
}

func TestTagsAreNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := group{name: rapid.StringMatching(`[a-z][a-z0-9]{0,12}`).Draw(t, "pool")}
		for range rapid.IntRange(1, 12).Draw(t, "types") {
			g.members = append(g.members, member{PoolDecision: v1alpha1.PoolDecision{
				Type: rapid.OneOf(rapid.SampledFrom([]string{"a", "a-2", "a-3", "a-4", "a.", "A"}), rapid.String(),
					rapid.StringMatching(`[a-z][0-9]\.[0-9]?xlarge`), rapid.Just(strings.Repeat("Very long ", 9))).Draw(t, "type")}})
		}
		g.tagMembers(false)
		seen := map[string]bool{}
		for _, m := range g.members {
			if problems := validation.IsDNS1123Label(m.tag); len(problems) > 0 || len(m.tag) > maxPoolName || seen[m.tag] {
				t.Fatalf("%q: %v, seen %v", m.tag, problems, seen)
			}
			seen[m.tag] = true
		}
	})
}

func TestNameOf(t *testing.T) {
	for text, want := range map[string]string{
		"worker-m5.2xlarge":                  "worker-m5-2xlarge",
		"worker-Standard_D4s_v3":             "worker-standard-d4s-v3",
		"worker-r650 (56 cores)":             "worker-r650--56-cores",
		"worker-" + strings.Repeat("ab", 20): "worker-ababababababababab",
	} {
		if got := nameOf(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
