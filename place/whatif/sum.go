package whatif

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/words"
)

// Totals are the resources of all nodes, and what is stranded on those that are full.
type Totals struct {
	by map[string]*v1alpha1.ClusterResource
	// lacks counts, by stranded resource, the nodes that lack each other one.
	lacks map[string]map[string]int
}

// NewTotals are those of no node.
func NewTotals() *Totals {
	return &Totals{by: map[string]*v1alpha1.ClusterResource{}, lacks: map[string]map[string]int{}}
}

func (t *Totals) of(name string) *v1alpha1.ClusterResource {
	if t.by[name] == nil {
		t.by[name] = &v1alpha1.ClusterResource{Resource: name}
	}
	return t.by[name]
}

// Add adds what each of a number of equal nodes has of a resource, and what is in use there.
func (t *Totals) Add(name string, has, used int64, nodes int) {
	r := t.of(name)
	r.Allocatable, r.Requested = addTimes(r.Allocatable, has, nodes), addTimes(r.Requested, used, nodes)
}

// Strand adds what is free on each of a number of nodes that are full because they lack something else.
func (t *Totals) Strand(name string, free int64, nodes int, lack string) {
	if free <= 0 {
		return
	}
	r := t.of(name)
	r.Stranded = addTimes(r.Stranded, free, nodes)
	if t.lacks[name] == nil {
		t.lacks[name] = map[string]int{}
	}
	t.lacks[name][lack] += nodes
}

// List is the totals in an order.
func (t *Totals) List(compare func(a, b string) int) []v1alpha1.ClusterResource {
	var out []v1alpha1.ClusterResource
	for _, name := range slices.SortedFunc(maps.Keys(t.by), compare) {
		r := *t.by[name]
		r.By = Most(t.lacks[name], name)
		out = append(out, r)
	}
	return out
}

// addTimes adds an amount of so many nodes; beyond what an int64 holds it is the
// largest one.
func addTimes(sum, amount int64, nodes int) int64 {
	if amount > 0 && int64(nodes) > math.MaxInt64/amount {
		return math.MaxInt64
	}
	return Plus(sum, amount*int64(nodes))
}

// Worst sums up n types of pod or VM: how many are wanted and run, and which type has
// the most left over, -1 for none.
func Worst(n int, outcome func(i int) (wanted, placed, left int)) (wanted, placed, worst int) {
	worst, most := -1, 0
	for i := range n {
		w, p, left := outcome(i)
		wanted, placed = wanted+w, placed+p
		if left > most {
			worst, most = i, left
		}
	}
	return wanted, placed, worst
}

// Most is the key with the highest count, the first in order among equals; the empty
// key and one other don't count.
func Most(counts map[string]int, but string) string {
	best := ""
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		if name != but && name != "" && (best == "" || counts[name] > counts[best]) {
			best = name
		}
	}
	return best
}

// Tightest says which resource is the fullest: how much of it is requested, or in use. A single
// device, which is free or taken, is none.
func Tightest(resources []v1alpha1.ClusterResource, taken string) string {
	best, most := "", -1.0
	for _, r := range resources {
		if r.Allocatable <= 1 {
			continue
		}
		if share := float64(r.Requested) / float64(r.Allocatable); share > most {
			best, most = r.Resource, share
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("%s is the fullest resource: %.0f %% is %s", best, most*100, taken)
}

// CountLarge writes a number of cases, which may be too large to be counted.
func CountLarge(n int64) string {
	if n >= 1e15 {
		return "countless"
	}
	return words.Number(n)
}
