package pool

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// Section 8, line 20: a pool's nodeSelector is compared with the labels of nodes,
// never with those of the pool itself.
func TestSection8_20_pool_labels_versus_node_labels(t *testing.T) {
	p := poolOf("infra")
	p.Metadata.Labels = roles("worker")
	for _, r := range release.Documented() {
		if got := Of(roles("worker"), append(poolsOf("worker"), p), r); got.Primary != "worker" {
			t.Errorf("%v: %+v", r, got)
		}
	}
}

// Section 8, line 21: one cordoned node stalls the pool at a budget of 1, and says
// so; with a budget of 2 one other node goes at a time.
func TestSection8_21_cordoned_node_eats_the_budget(t *testing.T) {
	for _, of := range release.Documented() {
		o := Options{Release: of, Nodes: Workers(3, Range{60, 60}, Range{60, 60})}
		o.Nodes[2].Cordoned = true
		r, err := Simulate(o)
		if err != nil || len(r.Stalls) != 1 || r.Stalls[0].Reason != "worker-3 is cordoned and eats "+
			"the budget of 1: nothing starts" || r.Stalls[0].To != nil || r.Took != nil {
			t.Errorf("%v: %+v %v", of, r.Stalls, err)
		}
		o.Pools = poolsOf("worker")
		o.Pools[0].Spec.MaxUnavailable = int64(2)
		r, err = Simulate(o)
		if err != nil || r.least().Nodes != 1 || r.Nodes[1].Spans[0].State != "waiting" {
			t.Errorf("%v: %+v %v", of, r.Capacity, err)
		}
	}
}

// Section 8, line 22: maxUnavailable 0 is 1, but a single master is never updated up
// to 4.5.
func TestSection8_22_zero_becomes_one_but_a_single_master_never(t *testing.T) {
	for _, r := range release.Documented() {
		worker, master := poolOf("worker"), poolOf("master")
		worker.Spec.MaxUnavailable, master.Spec.MaxUnavailable = int64(0), int64(0)
		if n, err := Budget(&worker, 3, r); n != 1 || err != nil {
			t.Errorf("%v: %d %v", r, n, err)
		}
		want := 0
		if r == release.Current {
			want = 1
		}
		if n, err := Budget(&master, 1, r); n != want || err != nil {
			t.Errorf("%v: single master: %d %v", r, n, err)
		}
	}
}

func TestBudget(t *testing.T) {
	for _, c := range []struct {
		pool      string
		written   any
		nodes     int
		then, now int
		bad       string // "then" or "now": where it is an error
	}{
		{"worker", nil, 10, 1, 1, ""}, {"worker", int64(5), 3, 5, 5, ""}, {"worker", "10%", 25, 2, 2, ""},
		{"worker", "10%", 9, 1, 1, ""},
		{"worker", "150%", 4, 6, 6, ""}, {"worker", "3", 100, 3, 0, "now"}, {"worker", "3", 10, 1, 0, "now"},
		{"worker", "1%0", 20, 2, 0, "now"},
		{"worker", "x%", 4, 0, 0, "both"}, {"worker", " 10%", 4, 0, 0, "both"}, {"worker", "", 4, 0, 0, "both"},
		{"worker", 1.5, 4, 0, 0, "both"}, {"worker", true, 4, 0, 0, "both"},
		{"worker", int64(-2), 4, -2, -2, ""}, {"worker", "-10%", 3, -1, -1, ""},
		{"master", nil, 1, 0, 1, ""}, {"master", nil, 2, 0, 1, ""}, {"master", nil, 3, 1, 1, ""},
		{"master", int64(3), 3, 1, 3, ""}, {"master", int64(3), 5, 2, 3, ""}, {"master", int64(1), 5, 1, 1, ""},
		{"arbiter", int64(3), 3, 3, 1, ""}, {"arbiter", "x", 3, 0, 1, "then"},
	} {
		p := poolOf(c.pool)
		p.Spec.MaxUnavailable = c.written
		for _, r := range release.Documented() {
			want, when := c.then, "then"
			if r == release.Current {
				want, when = c.now, "now"
			}
			n, err := Budget(&p, c.nodes, r)
			if n != want || (err != nil) != (c.bad == when || c.bad == "both") {
				t.Errorf("%+v in %v: %d %v", c, r, n, err)
			}
		}
	}
}

// The document's figure comes from the document's own times by default.
func TestUsualTimes(t *testing.T) {
	if u := Usual(); u != (Range{200, 300}) {
		t.Error(u)
	}
	a, err := Explain(Options{Release: release.V44, Nodes: Workers(3, Range{}, Usual())})
	if err != nil || !a.Verdict.OK || !strings.Contains(a.Verdict.Summary, "pool worker (3 nodes, 1 at once) takes 10 "+
		"min to 15 min; of the cluster's 3 nodes for applications at the least 2 take pods, with 67 % of the CPUs") ||
		!strings.Contains(a.Parts[0].Lead[0], "Each node is supposed to take "+when(200)+
			" to 5 min from its drain to Ready (drain and reboot are not told apart)") {
		t.Errorf("%+v %v", a.Verdict, err)
	}
}

// Every rule differs between releases, and has a source.
func TestBehaviours(t *testing.T) {
	for _, r := range Behaviours() {
		if r.ID == "" || r.Title == "" || r.Source.Code == "" || !strings.Contains(r.Values(), "4.") {
			t.Errorf("%+v", r)
		}
	}
}

// The summary of a rollout that fails names the reason, and tells needed nodes.
func TestExplainTrouble(t *testing.T) {
	o := Options{Release: release.Current, Nodes: Workers(3, Range{60, 60}, Range{60, 60}), Needed: 4}
	o.Nodes[0].Fails = FailsBoot
	o.Nodes = append(o.Nodes, Node{Name: "stray", Current: old, Desired: old, State: Done})
	a, err := Explain(o)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, f := range a.Findings {
		ids = append(ids, f.ID)
	}
	if want := []string{"rollout.neverDone", "rollout.tooFew", "rollout.unmanaged"}; !slices.Equal(ids, want) ||
		a.Verdict.OK {
		t.Errorf("%v %+v", ids, a.Verdict)
	}
	line := a.Parts[0].Timeline
	if line.End <= 0 || len(line.Rows) != 4 || line.Level.Steps[0].At != 0 || len(line.Level.Limits) != 1 {
		t.Errorf("%+v", line)
	}
	for _, row := range line.Rows {
		at := row.Spans[0].From
		for _, s := range row.Spans {
			if s.From != at || s.To <= s.From {
				t.Errorf("%s: %+v", row.Name, row.Spans)
			}
			at = s.To
		}
		if at != line.End {
			t.Errorf("%s ends at %v, not %v", row.Name, at, line.End)
		}
	}
}

func TestProblems(t *testing.T) {
	o := Options{Nodes: []Node{{Name: "a", Drain: Range{5, 1}, Fails: "no"}, {Name: "a"}, {}}, Roll: []string{"x"},
		Until: -1,
		Events: []Event{{What: "explode", Name: "a"}, {What: Cordon, Name: "b"}, {What: Pause, Name: "a"},
			{At: -1, What: Cordon, Name: "a"}}, Pools: poolsOf("worker", "worker")}
	_, err := Simulate(o)
	if err == nil || len(strings.Split(err.Error(), "\n")) != 11 {
		t.Errorf("%v", err)
	}
}

// A thousand nodes in ten zones, ten at once.
func BenchmarkThousandNodes(b *testing.B) {
	o := Options{Release: release.Current, Nodes: Workers(1000, Range{60, 120}, Range{180, 300}), Pools: poolsOf("worker")}
	o.Pools[0].Spec.MaxUnavailable = "1%"
	for i := range o.Nodes {
		o.Nodes[i].Labels = roles("worker")
		o.Nodes[i].Labels[zoneLabel] = string(rune('a' + i%10))
	}
	for b.Loop() {
		if r, err := Simulate(o); err != nil || r.Took == nil {
			b.Fatal(err)
		}
	}
}

// As many nodes as are played with, one after the other, each in seconds: all are
// updated, in 40,000 steps.
func BenchmarkMostNodes(b *testing.B) {
	o := Options{Release: release.Current, Nodes: Workers(MostNodes, Range{1, 1}, Range{1, 2}), Pools: poolsOf("worker")}
	for b.Loop() {
		if r, err := Simulate(o); err != nil || r.Took == nil || r.Took.Max != 3*MostNodes {
			b.Fatal(err)
		}
	}
}
