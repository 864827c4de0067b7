package compute

import (
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/unit"
)

// VMs that are asked of small hosts: memory in GiB by page size.
type vm struct {
	large bool
	gib   int64
}

// needed packs VMs first fit on hosts of equal NUMA nodes; a VM takes one node and one
// page size.
func needed(split Split, list []vm) (int, bool) {
	type node struct{ large, medium int64 }
	var hosts [][]node
	for _, v := range list {
		placed := false
		for try := 0; try < 2 && !placed; try++ {
			for h := range hosts {
				for n := range hosts[h] {
					pool, need := &hosts[h][n].medium, v.gib*512
					if v.large {
						pool, need = &hosts[h][n].large, v.gib
					}
					if !placed && *pool >= need {
						*pool -= need
						placed = true
					}
				}
			}
			if !placed {
				var fresh []node
				for i := range split.Large {
					fresh = append(fresh, node{split.Large[i], split.Medium[i]})
				}
				hosts = append(hosts, fresh)
			}
		}
		if !placed {
			return 0, false
		}
	}
	return len(hosts), true
}

// all lists every split into 1 GiB and 2 MiB pages, in steps of 1 GiB.
func all(memory []unit.Bytes) []Split {
	out := []Split{{}}
	for _, m := range memory {
		var next []Split
		for _, s := range out {
			for large := int64(0); large <= int64(m/unit.GiB); large++ {
				next = append(next, Split{Large: append(append([]int64{}, s.Large...), large),
					Medium: append(append([]int64{}, s.Medium...), int64(m-unit.Bytes(large)*Large)/int64(Medium))})
			}
		}
		out = next
	}
	return out
}

// The search is never better than trying every split, hardly ever worse by a host,
// and never worse than the document's default of one size.
func TestBestAgainstAllSplits(t *testing.T) {
	worse, runs := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		memory := []unit.Bytes{unit.Bytes(rapid.Int64Range(3, 9).Draw(t, "node0")) * unit.GiB,
			unit.Bytes(rapid.Int64Range(3, 9).Draw(t, "node1")) * unit.GiB}
		var list []vm
		var d Demand
		for range rapid.IntRange(1, 14).Draw(t, "vms") {
			v := vm{large: rapid.Bool().Draw(t, "large"), gib: rapid.Int64Range(1, 3).Draw(t, "GiB")}
			list = append(list, v)
			if v.large {
				d.Large += v.gib * 1024
			} else {
				d.Medium += v.gib * 1024
			}
		}
		fewest := 0
		for _, s := range all(memory) {
			if n, ok := needed(s, list); ok && (fewest == 0 || n < fewest) {
				fewest = n
			}
		}
		best, tries := Best(memory, d, 0, maxSplits+maxMoves, func(s Split) (int, bool) { return needed(s, list) })
		if !best.OK || best.Hosts < fewest || best.Hosts > fewest+1 || tries > maxSplits+maxMoves {
			t.Fatalf("%v, %+v: %+v after %d tries, the fewest are %d", memory, list, best, tries, fewest)
		}
		for i, m := range memory {
			if unit.Bytes(best.Large[i])*Large+unit.Bytes(best.Medium[i])*Medium > m {
				t.Fatalf("node %d of %s holds %+v", i, unit.FormatBytes(m), best.Split)
			}
		}
		runs++
		if best.Hosts > fewest {
			worse++
		}
	})
	if worse*10 > runs {
		t.Errorf("%d of %d searches need a host more than trying every split", worse, runs)
	}
}

// VMs of 3 GiB of either size want a whole NUMA node of 3 GiB each: no share of the
// demand comes to that.
func TestVMsOfAWholeNode(t *testing.T) {
	list := []vm{{gib: 3}, {gib: 1}, {gib: 1}, {gib: 2}, {gib: 3}, {gib: 3}, {gib: 3}, {large: true, gib: 3}}
	best, _ := Best([]unit.Bytes{3 * unit.GiB, 3 * unit.GiB}, Demand{Medium: 16 * 1024, Large: 3 * 1024}, 0, 8,
		func(s Split) (int, bool) { return needed(s, list) })
	if !best.OK || best.Hosts != 6 {
		t.Errorf("%+v, want 6 hosts for 16 GiB in pages of 2 MiB", best)
	}
}

// One size that is asked for by name has one split; a floor ends the search.
func TestSplitsOfOneSize(t *testing.T) {
	memory := []unit.Bytes{23 * unit.GiB, 29 * unit.GiB}
	for _, c := range []struct {
		name   string
		d      Demand
		splits int
		large  int64
		medium int64
	}{
		{"nobody asks", Demand{}, 1, 0, 26624},
		{"2 MiB", Demand{Medium: 5}, 1, 0, 26624},
		{"large or any", Demand{Any: 5}, 1, 0, 26624},
		{"4 KiB", Demand{Small: 5}, 1, 0, 0},
		{"1 GiB", Demand{Large: 5}, 7, 52, 0},
		{"half and half", Demand{Large: 5, Medium: 5}, 9, 27, 25 * 512},
	} {
		s := Splits(memory, c.d)
		if c.splits == 1 && len(s) != 1 || len(s) == 0 {
			t.Errorf("%s: %d splits", c.name, len(s))
		}
		if got := s[0].Large[0] + s[0].Large[1]; got != c.large {
			t.Errorf("%s: %d pages of 1 GiB first, want %d", c.name, got, c.large)
		}
		if got := s[0].Medium[0] + s[0].Medium[1]; got != c.medium {
			t.Errorf("%s: %d pages of 2 MiB first, want %d", c.name, got, c.medium)
		}
	}
	_, tries := Best(memory, Demand{Large: 5, Medium: 5}, 1, 100, func(Split) (int, bool) { return 1, true })
	if tries != 1 {
		t.Errorf("%d splits tried though the first reaches the floor", tries)
	}
}

// What flavors ask for is counted by page size; without one the document's 2 MiB.
func TestDemand(t *testing.T) {
	s := host(64*unit.GiB, "2 sockets x 8 cores", nil)
	for i, size := range []string{"", "2048", "1048576", "small", "large", "any"} {
		f := v1alpha1.Flavor{Name: string(rune('a' + i)), VCPUs: 1, RAM: unit.GiB, Properties: map[string]string{}}
		if size != "" {
			f.Properties["hw:mem_page_size"] = size
		}
		s.Workload.Flavors = append(s.Workload.Flavors, f)
		s.Workload.Servers = append(s.Workload.Servers, v1alpha1.Server{Name: f.Name, Flavor: f.Name, Count: i + 1})
	}
	want := Demand{Medium: 1024 + 2*1024, Large: 3 * 1024, Small: 4 * 1024, Any: (5 + 6) * 1024}
	if got := DemandOf(s); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	s.Scheduling.Rules = "nova"
	want.Medium, want.Small = 2*1024, 4*1024+1024 // no topology: memory without huge pages
	if got := DemandOf(s); got != want {
		t.Errorf("nova: %+v, want %+v", got, want)
	}
}
