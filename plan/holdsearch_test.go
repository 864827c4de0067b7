package plan

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/place"
	"plimsoll.dev/source/scenario"
)

// trials are made-up answers of placement by number of nodes.
type trials struct {
	full, glance map[int]bool
	cost         int
	fails        int // the number at which placing fails with an error
}

var errPlacing = errors.New("cannot be placed")

func (a trials) try(n int, d place.Demand, b *place.Budget) (place.Held, error) {
	if b.Pods -= a.cost; b.Pods < 0 {
		return place.Held{}, place.ErrBudget
	}
	if n == a.fails {
		return place.Held{}, errPlacing
	}
	if a.full[n] || d.Glance && a.glance[n] {
		return place.Held{}, nil
	}
	return place.Held{Event: place.Arrival, Broken: "they arrive", Pods: "a x1"}, nil
}

// What the search ends with was tried with all that is asked, and holds, whatever placement answers, whatever
// others cost and wherever the budget ends; from a small floor it is the least of all (of a
// mix of many pods only where the packing is near).
func TestSearchEndsWithWhatHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		floor := rapid.SampledFrom([]int{0, 1, 5, eachNumber, eachNumber + 1, 200}).Draw(t, "floor")
		from := floor + rapid.IntRange(0, 60).Draw(t, "from")
		answers := trials{full: map[int]bool{}, glance: map[int]bool{},
			cost: rapid.SampledFrom([]int{1, 3, 20}).Draw(t, "cost")}
		for n := range 5*floor + 20 {
			odd := rapid.IntRange(0, 9).Draw(t, "odd") == 0 // more nodes don't always hold more
			answers.full[n] = (n >= from) != odd
			answers.glance[n] = rapid.IntRange(0, 3).Draw(t, "glance") == 0
		}
		if rapid.IntRange(0, 4).Draw(t, "fails") == 0 {
			answers.fails = floor + rapid.IntRange(0, 60).Draw(t, "failing")
		}
		budget := place.Budget{Pods: rapid.SampledFrom([]int{0, 30, 100, 1_000_000}).Draw(t, "budget")}
		s := &holding{c: &choice{opt: v1alpha1.Option{Base: floor}}, try: answers.try, budget: &budget, floor: floor,
			spare: &place.Budget{Pods: 1000},
			below: &place.Budget{Pods: 1000}, tried: map[int]place.Held{}, glanced: map[int]bool{}, nodes: -1,
			few:    rapid.Bool().Draw(t, "few"),
			packed: floor + rapid.IntRange(0, 30).Draw(t, "packed"), start: floor + rapid.IntRange(0, 30).Draw(t, "start")}
		dear := rapid.SampledFrom([]int{floor + 10, floor + 30, 1_000_000}).Draw(t, "dear")
		s.dearer = func(n int) bool { return n > dear }
		if rapid.Bool().Draw(t, "dearer at last") {
			s.dearer = func(int) bool { return s.nodes >= 0 }
		}
		s.search()
		h, tried := s.tried[s.nodes]
		switch {
		case s.nodes >= 0 && (!tried || !h.Holds() || !answers.full[s.nodes] || s.dear || s.err != nil):
			t.Fatalf("%d nodes were found (tried %v, dear %v, error %v): %v", s.nodes, tried, s.dear, s.err, answers.full)
		case s.nodes < 0 && !s.dear && !s.ended && s.err == nil && !s.refuted(floor, answers):
			t.Fatalf("nothing was found, nothing ended the search, and some hold: %v", answers.full)
		case s.nodes >= 0 && floor <= eachNumber && s.nodes <= 2*eachNumber && (s.few || s.packed-floor <= below):
			for n := floor; n < s.nodes; n++ {
				if answers.full[n] && n != answers.fails {
					t.Fatalf("%d nodes were found, and %d hold", s.nodes, n)
				}
			}
		}
	})
}

// refuted says that the most nodes that a search looks at don't hold.
func (s *holding) refuted(floor int, a trials) bool { return !a.full[mostOver*floor+4] }

func plannerOf(t *testing.T, text string, trials int) *planner {
	t.Helper()
	doc, err := scenario.Read("test.yaml", []byte("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	p := newPlanner(doc.Scenario, doc.Assumptions, facts.Load(), Read{})
	p.trials.Pods = trials
	p.make()
	return p
}

func (p *planner) option(t *testing.T, name string) v1alpha1.Option {
	t.Helper()
	for _, o := range p.plan.Options {
		if o.Name == name {
			return o
		}
	}
	t.Fatalf("no option %s", name)
	return v1alpha1.Option{}
}

// fragmented are pods of which placement needs more nodes than a packing: the large ones come when every node
// has small ones.
const fragmented = "workload: {podTypes: [{name: a, replicas: 2400, cpu: 1, memory: 1Gi}, " +
	"{name: high, replicas: 200, cpu: 3, memory: 1Gi}]}\n" +
	"policy: {controlPlaneNodes: 0, spareNodes: 0}\nplatform: {type: kubernetes, release: '1.36'}\n"

// A number that placement has refuted is not told when the budget ends the search.
func TestBudgetEndsAboveWhatIsRefuted(t *testing.T) {
	text := fragmented + "hardware: {nodeTypes: [{name: m, cpus: 9, memory: 64Gi}]}\n"
	all := plannerOf(t, text, place.MostTrials)
	packed, least := all.option(t, "m").Base, all.option(t, "m").Total
	if v := all.option(t, "m").Verified; v == nil || v.Status != v1alpha1.Verified || least < packed+3 {
		t.Fatalf("%d nodes by placement, %d by packing, %+v: want some more, verified", least, packed, v)
	}
	estimated := 0
	for trials := 1000; trials < 40_000; trials += 1000 {
		o := plannerOf(t, text, trials).option(t, "m")
		if o.Verified.Status != v1alpha1.Estimated {
			continue
		}
		if few := o.Verified.Problem; o.Total > packed {
			estimated++
			if want := "nodes don't hold all"; !strings.Contains(few, want) {
				t.Errorf("with %d trials: %q, want %q", trials, few, want)
			}
		} else if strings.Contains(few, "don't hold") {
			t.Errorf("with %d trials: %d nodes, of which is said: %s", trials, o.Total, few)
		}
	}
	if estimated == 0 {
		t.Error("no budget ended the search above the packing's number")
	}
}

// What holds at a glance, and not with all that is asked, is not told: an update that takes five at a time
// needs more than the failure of one.
func TestGlanceIsMadeSure(t *testing.T) {
	p := plannerOf(t, "workload: {podTypes: [{name: a, replicas: 4000, cpu: 1, memory: 1Gi}]}\n"+
		"policy: {controlPlaneNodes: 0, spareNodes: 1, maxUnavailable: 5}\nplatform: {type: kubernetes, release: '1.36'}\n"+
		"hardware: {nodeTypes: [{name: m, cpus: 9, memory: 64Gi}]}\n", place.MostTrials)
	o := p.option(t, "m")
	if o.Verified.Status != v1alpha1.Verified || o.Total != o.Floor+5 {
		t.Errorf("%d nodes, %+v; want five more than the floor of %d", o.Total, o.Verified, o.Floor)
	}
}

// An option that was left says why, and others are chosen before it.
func TestOptionsLeft(t *testing.T) {
	for why, types := range map[string]string{
		"another option costs no more": "{name: m, cpus: 9, memory: 64Gi, price: 1}, " +
			"{name: other, cpus: 9, memory: 64Gi, price: 1.06}",
		"there are not so many": "{name: m, cpus: 9, memory: 64Gi, price: 1}, " +
			"{name: other, cpus: 9, memory: 64Gi, price: 1.06, available: 350}",
	} {
		p := plannerOf(t, fragmented+"hardware: {nodeTypes: ["+types+"]}\n", place.MostTrials)
		other := p.option(t, "other")
		if v := other.Verified; v == nil || v.Status != v1alpha1.Estimated || !strings.Contains(v.Problem, why) {
			t.Errorf("%d of the other: %+v, want %q", other.Total, v, why)
		}
		if o := p.option(t, "m"); !o.Chosen || o.Verified.Status != v1alpha1.Verified {
			t.Errorf("chosen %v, %+v", o.Chosen, o.Verified)
		}
	}
}

// Where more nodes might hold, more than four times the floor are tried, up to what Kubernetes is made for; where
// none would, they are not, and where none does, few are.
func TestSearchWidens(t *testing.T) {
	for _, c := range []struct {
		floor, from int
		reason      string
		want        int
	}{
		{10, 203, "", 203},
		{10, 203, place.Refused, -1},
		{320, 2000, "", 2000},
		{300, mostNodes + 1, "", -1},
	} {
		s := &holding{c: &choice{opt: v1alpha1.Option{Base: c.floor}}, budget: &place.Budget{Pods: 1 << 40}, floor: c.floor,
			few: true, spare: &place.Budget{Pods: 1000}, below: &place.Budget{Pods: 1000}, tried: map[int]place.Held{},
			glanced: map[int]bool{}, nodes: -1}
		wide := 0
		s.try = func(n int, _ place.Demand, _ *place.Budget) (place.Held, error) {
			if n > mostOver*c.floor+4 {
				wide++
			}
			if n >= c.from {
				return place.Held{}, nil
			}
			return place.Held{Event: place.Arrival, Reason: c.reason}, nil
		}
		if s.search(); s.nodes != c.want || c.want < 0 && wide > widened {
			t.Errorf("%+v: %d nodes, %d numbers tried above four times the floor", c, s.nodes, wide)
		}
	}
}
