package place_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/place"
)

// Losses that are taken back one after the other in one copy end as those that each have a
// copy of their own, in whatever order they are tried.
func TestLossesAreTakenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, c, _ := drawCluster(t, `{type: kubernetes, release: "1.36"}`, `{type: kubernetes, release: "1.33"}`)
		takenBack, apart, err := place.Losses(c, d.order)
		if err != nil {
			t.Skip(err)
		}
		for range 8 {
			nodes := []int{below(t, "node", len(c.Nodes))}
			if other := below(t, "other", len(c.Nodes)); rarely(t, "two", 3) && other != nodes[0] {
				nodes = append(nodes, other)
			}
			if got, want := takenBack(nodes), apart(nodes); !slices.Equal(got, want) {
				t.Fatalf("nodes %v: %v, in a copy %v\n%s", nodes, got, want, d.text)
			}
		}
	})
}
