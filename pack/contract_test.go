package pack

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// ocp is the example of the OpenShift 4.4 guide, section 9.4, on nodes with so
// much to give, in millicores and MB.
func ocp(cpu, memory int64) Problem {
	return Problem{
		Resources: []string{"cpu", "memory"},
		Nodes:     []NodeType{{Name: "node", Capacity: []int64{cpu, memory}, Cost: 1, Stock: -1}},
		Items: []Item{
			{Name: "apache", Count: 100, Need: []int64{500, 500}},
			{Name: "node.js", Count: 200, Need: []int64{1000, 1000}},
			{Name: "postgresql", Count: 100, Need: []int64{2000, 1000}},
			{Name: "jboss-eap", Count: 100, Need: []int64{1000, 1000}},
		},
	}
}

func TestOpenShiftExample(t *testing.T) {
	// 550 cores: ceil(550/4) = 138, and so on. With CPU stretched to 1.375 times they are the document's 100, 50
	// and 25. The reserves are 500 mCPU and 25, 20, 10 and 6 % of the first 4, next 4, 8 and more GB.
	for _, c := range []struct {
		cpu, memory, want int64
	}{
		{4000, 16000, 138}, {8000, 32000, 69}, {16000, 64000, 35},
		{5500, 16000, 100}, {11000, 32000, 50}, {22000, 64000, 25},
		{3500, 13400, 167}, {7500, 28440, 74}, {15500, 58520, 36},
	} {
		s := mustSolve(t, ocp(c.cpu, c.memory), Options{})
		if s.Nodes[0] != c.want || s.Bound.Nodes != c.want || !s.Optimal {
			t.Errorf("nodes of %d mCPU: %d, bound %d, optimal %v, want %d", c.cpu, s.Nodes[0], s.Bound.Nodes, s.Optimal, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	_, err := Solve(Problem{
		Resources: []string{"cpu", "memory"},
		Nodes: []NodeType{{Name: "a", Capacity: []int64{1}, Cost: 0, Stock: -2},
			{Name: "b", Capacity: []int64{-1, 1 << 54}, Cost: 1, Stock: -1}},
		Items: []Item{{Name: "x", Count: -1, Need: []int64{1, -2}, MaxPerNode: -1, On: []bool{true}},
			{Name: "y", Count: 1 << 54, Need: nil}},
		Conflicts: [][2]int{{0, 2}, {1, 1}, {-1, 0}},
		Spares:    -1, Zones: 1, SurviveZoneLoss: true,
	}, Options{})
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`nodes[0] "a": has 1 capacities (one for each of 2 resources)`,
		`nodes[0] "a": cost is 0 (1 to 2^53)`,
		`nodes[0] "a": stock is -2 (0 to 2^53, or -1 for no limit)`,
		`nodes[1] "b": capacity[0] is -1 (0 to 2^53)`,
		`nodes[1] "b": capacity[1] is 18014398509481984 (0 to 2^53)`,
		`items[0] "x": need[1] is -2 (0 to 2^53)`,
		`items[0] "x": count is -1 (0 to 2^53)`,
		`items[0] "x": maxPerNode is -1 (0 to 2^53, 0 is no limit)`,
		`items[0] "x": on has 1 entries (one for each of 2 kinds of node, or none)`,
		`items[1] "y": has 0 needs (one for each of 2 resources)`,
		`items[1] "y": count is 18014398509481984 (0 to 2^53)`,
		`conflicts[0]: there is no item 2 (0 to 1)`,
		`conflicts[1]: item 1 excludes itself (maxPerNode 1 says that)`,
		`conflicts[2]: there is no item -1 (0 to 1)`,
		`spares: -1 (0 to 2^53)`,
		`zones: 1 (0, or 2 and more)`,
		`surviveZoneLoss: there are no zones to lose (zones: 2 or more)`,
	}
	if got := strings.Split(err.Error(), "\n"); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", err, strings.Join(want, "\n"))
	}
	if _, err := Solve(Problem{}, Options{}); err == nil ||
		err.Error() != "nodes: there are none (at least one kind is needed)" {
		t.Errorf("no nodes: %v", err)
	}
	scarce := ocp(4000, 16000)
	scarce.Nodes[0].Stock, scarce.Spares = 138, 1
	if _, err := Solve(scarce, Options{}); err == nil || !strings.HasPrefix(err.Error(), "spares: ") {
		t.Errorf("spares without stock: %v", err)
	}
	huge := ocp(4000, 16000)
	huge.Nodes[0].Cost, huge.Items[0].Count = 1<<53, 1<<53
	if _, err := Solve(huge, Options{}); err == nil || !strings.HasPrefix(err.Error(), "cost: ") {
		t.Errorf("huge cost: %v", err)
	}
	for _, zones := range []int{1<<32 + 1, 1 << 53} { // of each zone's node for 2^32
		huge = ocp(4000, 16000)
		huge.Nodes[0].Cost, huge.Zones, huge.SurviveZoneLoss = 1<<32, zones, true
		if _, err := Solve(huge, Options{}); err == nil || !strings.HasPrefix(err.Error(), "cost: ") {
			t.Errorf("huge cost of %d zones: %v", zones, err)
		}
	}
}

func TestLeftOver(t *testing.T) {
	p := ocp(4000, 16000)
	p.Items = append(p.Items, Item{Name: "large", Count: 7, Need: []int64{4001, 1}})
	p.Nodes[0].Stock = 100
	s := mustSolve(t, p, Options{})
	if s.Nodes[0] != 100 || s.Left[4] != 7 {
		t.Errorf("nodes %v, left %v", s.Nodes, s.Left)
	}
	// 400 cores hold the 100 half cores, the 300 whole ones, and 25 of the double ones.
	if left := s.Left[0] + s.Left[1] + s.Left[2] + s.Left[3]; left != 75 {
		t.Errorf("left %v: %d items, want 75", s.Left, left)
	}
}

func TestSameAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		p.Spares = rapid.IntRange(0, 1).Draw(t, "spares")
		o := Options{Effort: 2000}
		a, errA := Solve(p, o)
		b, errB := Solve(p, o)
		if !reflect.DeepEqual(a, b) || (errA == nil) != (errB == nil) {
			t.Fatalf("two answers: %+v, %v and %+v, %v", a, errA, b, errB)
		}
	})
}

func TestStopAndProgress(t *testing.T) {
	p := ocp(3500, 13400)
	calls := 0
	s := mustSolve(t, p, Options{Stop: func() bool { return true }, Progress: func(g Progress) {
		calls++
		if g.Bound > g.Cost || g.Done < 0 || g.Done > 1 {
			t.Errorf("progress %+v", g)
		}
	}})
	if calls == 0 || s.Bound.Cost > 167 || s.Cost < 167 {
		t.Errorf("%d calls, bound %d, cost %d", calls, s.Bound.Cost, s.Cost)
	}
}

// The share that is done rises over all searches and their parts, to the whole of the effort at most.
func TestProgressNeverGoesBack(t *testing.T) {
	for _, times := range []int64{1, 4} {
		last := 0.0
		mustSolve(t, manyTypes(60, 2, 0), Options{Effort: times * DefaultEffort, Progress: func(now Progress) {
			if now.Done < last || now.Done > 1 {
				t.Errorf("effort x%d: %.3f is done after %.3f", times, now.Done, last)
			}
			last = now.Done
		}})
	}
}

// No price can be raised by one without breaking a proof, unless there is none
// of the item to be packed.
func TestCertificateIsTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawProblem(t)
		s := mustSolve(t, p, Options{Effort: 20_000})
		for i, n := range demandOf(&p, &s) {
			if n == 0 {
				continue
			}
			s.Certificate.Prices[i]++
			if brokenProof(&p, &s) == nil {
				t.Fatalf("the price of item %d may be higher: %v", i, s.Certificate.Prices)
			}
			s.Certificate.Prices[i]--
		}
		if err := brokenProof(&p, &s); err != nil {
			t.Fatal(err)
		}
	})
}

func brokenProof(p *Problem, s *Solution) error {
	for k := range p.Nodes {
		v := verifier{p: p, ce: &s.Certificate, kind: k, demand: demandOf(p, s)}
		v.derive()
		if err := v.tree(&s.Certificate.Proofs[k], nil); err != nil {
			return err
		}
	}
	return nil
}
