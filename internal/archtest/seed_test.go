package archtest

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"testing"
)

func TestSeeds(t *testing.T)        { demand(t, unseeded(t, repo)) }
func TestSeedsCanFail(t *testing.T) { planted(t, "seeds", unseeded) }

// unseeded finds packages whose tests draw at random and begin anywhere (decision 009).
func unseeded(t *testing.T, root fs.FS) []string {
	var out []string
	packages := load(t, root).packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		draws, seeded := "", dir == "internal/seed"
		for _, f := range packages[dir] {
			imports := f.imports()
			if _, ok := imports["pgregory.net/rapid"]; ok && f.isTest() {
				draws = f.path
			}
			if _, ok := imports[module+"/internal/seed"]; ok {
				seeded = true
			}
		}
		if draws != "" && !seeded {
			out = append(out, fmt.Sprintf("%s: draws at random; import _ %q, so that it draws the same in every run", draws,
				module+"/internal/seed"))
		}
	}
	return out
}
