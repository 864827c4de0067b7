package whatif_test

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/whatif"
)

// TestTry counts what the cases stand for, and keeps the first of the worst.
func TestTry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "cases")
		homeless := rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(t, "homeless")
		stop := rapid.IntRange(0, n).Draw(t, "stop")
		var cases []whatif.Case
		survived := int64(0)
		for i, h := range homeless {
			cases = append(cases, whatif.Case{Nodes: []int{i}, Of: int64(i + 1)})
			if h == 0 && i < stop {
				survived += int64(i + 1)
			}
		}
		at := 0
		loss := v1alpha1.Loss{How: "all"}
		watch := whatif.Watch{Trying: func(done, _ int) { at = done }, Stop: func() bool { return at >= stop }}
		worst := whatif.Try(&loss, cases, watch, func(nodes []int) int { return homeless[nodes[0]] })
		all := stop == n
		if loss.Tried != stop || loss.Survived != survived || (loss.How == "all") != all || (loss.Of != int64(n)) != all {
			t.Fatalf("%+v", loss)
		}
		most := slices.Max(append([]int{0}, homeless[:stop]...))
		if most == 0 && worst != nil || most > 0 && (len(worst) != 1 || worst[0] != slices.Index(homeless, most)) {
			t.Fatalf("worst is %v", worst)
		}
	})
}

// TestSample takes all cases while they are few, else those of the worst groups first.
func TestSample(t *testing.T) {
	cases, all := whatif.Sample([][]int{{0, 1, 2}, {3}}, 2, nil)
	want := []whatif.Case{{Nodes: []int{0, 1}, Of: 3}, {Nodes: []int{0, 3}, Of: 3}}
	if all != 2 || !reflect.DeepEqual(cases, want) {
		t.Errorf("%d: %v", all, cases)
	}
	var groups [][]int
	for i := range 100 {
		groups = append(groups, []int{i})
	}
	backwards := func(g [][]int) [][]int {
		slices.SortFunc(g, func(a, b []int) int { return cmp.Compare(b[0], a[0]) })
		return g
	}
	cases, all = whatif.Sample(groups, 2, backwards)
	if all != 4950 || len(cases) != whatif.MostCases || !slices.Equal(cases[0].Nodes, []int{98, 99}) {
		t.Errorf("%d cases of %d, %v first", len(cases), all, cases[0])
	}
}

// TestTotals: what is stranded, what for, and sums that do not overflow.
func TestTotals(t *testing.T) {
	total := whatif.NewTotals()
	total.Add("cpu", 8, 6, 2)
	total.Add("cpu", math.MaxInt64/2, 0, 3)
	total.Add("memory", 10, 10, 1)
	total.Strand("cpu", 2, 2, "memory")
	total.Strand("cpu", 2, 1, "pods")
	total.Strand("memory", 0, 1, "cpu")
	want := []v1alpha1.ClusterResource{
		{Resource: "cpu", Allocatable: math.MaxInt64, Requested: 12, Stranded: 6, By: "memory"},
		{Resource: "memory", Allocatable: 10, Requested: 10}}
	got := total.List(cmp.Compare[string])
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	if text := whatif.Tightest(got, "in use"); text != "memory is the fullest resource: 100 % is in use" {
		t.Error(text)
	}
	device := v1alpha1.ClusterResource{Resource: "nic", Allocatable: 1, Requested: 1} // free or taken, and never near
	if text := whatif.Tightest([]v1alpha1.ClusterResource{device, {Resource: "memory", Allocatable: 10, Requested: 6}},
		"in use"); text != "memory is the fullest resource: 60 % is in use" {
		t.Error(text)
	}
}

// TestMost leaves out the empty key and one other, and takes the first of equals.
func TestMost(t *testing.T) {
	if most := whatif.Most(map[string]int{"": 9, "cpu": 8, "pods": 3, "memory": 3}, "cpu"); most != "memory" {
		t.Error(most)
	}
	if whatif.Tightest(nil, "in use") != "" ||
		whatif.CountLarge(1e15) != "countless" || whatif.CountLarge(12345) != "12,345" {
		t.Error("of nothing, or of too much")
	}
}

// TestWorst sums up, and takes the first of equals.
func TestWorst(t *testing.T) {
	types := [][3]int{{5, 5, 0}, {4, 2, 2}, {3, 1, 2}}
	each := func(i int) (int, int, int) { return types[i][0], types[i][1], types[i][2] }
	wanted, placed, worst := whatif.Worst(len(types), each)
	if wanted != 12 || placed != 8 || worst != 1 {
		t.Errorf("%d wanted, %d placed, %d is the worst", wanted, placed, worst)
	}
	if _, _, worst := whatif.Worst(1, func(int) (int, int, int) { return 1, 1, 0 }); worst != -1 {
		t.Errorf("%d is the worst of what all runs", worst)
	}
}
