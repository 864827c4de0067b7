package cloud

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestHostSet: beside a plain set, also over many pieces.
func TestHostSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h hostSet
		plain := map[int32]bool{}
		for i := range int32(rapid.SampledFrom([]int{0, 10, 3000}).Draw(t, "in order")) {
			h.add(i)
			plain[i] = true
		}
		for _, host := range rapid.SliceOfN(rapid.Int32Range(0, 5000), 0, 300).Draw(t, "hosts") {
			if plain[host] {
				h.remove(host)
				delete(plain, host)
			} else {
				h.add(host)
				plain[host] = true
			}
		}
		want := slices.Sorted(maps.Keys(plain))
		if got := slices.Collect(h.all()); !slices.Equal(got, want) || h.size() != len(want) ||
			h.empty() != (len(want) == 0) {
			t.Fatalf("%v, want %v", got, want)
		}
		if len(want) > 0 && h.first() != want[0] {
			t.Fatal(h.first())
		}
	})
}
