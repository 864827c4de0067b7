package pool

import (
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

func TestWorkersAtOnce(t *testing.T) {
	for _, c := range []struct {
		text  string
		nodes int
		want  int
		bad   bool
	}{
		{"1", 3, 1, false}, {"5", 100, 5, false}, {"5", 3, 3, false},
		{"0", 10, 1, false},   // 0 becomes 1
		{"10%", 25, 2, false}, // rounded down
		{"10%", 9, 1, false},  // 0.9 is 0 and becomes 1
		{"33%", 100, 33, false},
		{"100%", 7, 7, false},
		{" 10% ", 100, 10, false},
		{"1", 0, 1, false},
		{"101%", 10, 0, true}, {"-1", 10, 0, true}, {"a few", 10, 0, true}, {"", 10, 0, true}, {"10 %", 10, 0, true},
		{"1.5", 10, 0, true},
	} {
		got, err := WorkersAtOnce(c.text, c.nodes)
		if got != c.want || (err != nil) != c.bad {
			t.Errorf("WorkersAtOnce(%q, %d) = %d, %v, want %d", c.text, c.nodes, got, err, c.want)
		}
	}
}

func TestWavesCoverAllNodes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, atOnce := rapid.IntRange(0, 3000).Draw(t, "nodes"), rapid.IntRange(1, 100).Draw(t, "atOnce")
		naive := 0
		for left := nodes; left > 0; left -= atOnce {
			naive++
		}
		if got := Waves(nodes, atOnce); got != naive {
			t.Fatalf("Waves(%d, %d) = %d, counting gives %d", nodes, atOnce, got, naive)
		}
	})
}
