package loadmodel

import (
	"slices"
	"testing"

	"plimsoll.dev/facts"
)

// Each level adds what is missing to the one before, under names of its own, and the catalogue has the
// goal of each.
func TestMaximums(t *testing.T) {
	for _, m := range Maximums() {
		seen := map[string]bool{}
		perSpace := map[string]int{}
		levels := Climb(64, 0, 2100)
		from := 0
		for _, to := range levels {
			for _, n := range m.Work(from, to).Namespaces {
				for _, b := range n.Batches {
					for i := range b.Count {
						o, err := b.Item(i)
						if err != nil || len(o) != 1 {
							t.Fatal(o, err)
						}
						if seen[n.Name+"/"+o[0].Name] {
							t.Fatalf("%s: %s is made twice", m.Name, o[0].Name)
						}
						seen[n.Name+"/"+o[0].Name] = true
						perSpace[n.Name]++
					}
				}
			}
			if len(seen) != to {
				t.Errorf("%s: %d objects at level %d", m.Name, len(seen), to)
			}
			from = to
		}
		for name, n := range perSpace {
			if m.each > 0 && n > m.each {
				t.Errorf("%s: %d objects in %s", m.Name, n, name)
			}
		}
		if m.each == 0 && len(perSpace) != 1 {
			t.Errorf("%s: %d namespaces", m.Name, len(perSpace))
		}
		if f, _, _, ok := facts.Load().ForRelease("ocp.max."+m.Quantity, "4.17"); !ok || f.Number <= 0 {
			t.Errorf("%s: the catalogue has no ocp.max.%s", m.Name, m.Quantity)
		}
	}
}

func TestClimb(t *testing.T) {
	for _, c := range []struct {
		start, step, goal int
		want              []int
	}{
		{100, 0, 1000, []int{100, 200, 400, 800, 1000}}, {100, 300, 1000, []int{100, 400, 700, 1000}},
		{5000, 0, 1000, []int{1000}}, {100, 0, 800, []int{100, 200, 400, 800}},
	} {
		if got := Climb(c.start, c.step, c.goal); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
