package pool

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// explained are the findings of a rollout as "id: message (remedy)".
func explained(t *testing.T, o Options) (out []string) {
	t.Helper()
	a, err := Explain(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Findings {
		out = append(out, f.ID+": "+f.Message+" ("+f.Remedy+")")
	}
	return out
}

// Nodes that are not updated for one reason are one finding.
func TestUnpooledOnce(t *testing.T) {
	o := Options{Release: release.V44, Nodes: Workers(2, Range{}, Range{60, 60}), Pools: poolsOf("infra", "rt")}
	for i := range 8 {
		o.Nodes = append(o.Nodes, Node{Name: fmt.Sprintf("stray-%d", i), Labels: map[string]string{}, Current: old,
			Desired: old, State: Done})
	}
	o.Nodes = append(o.Nodes, Node{Name: "both", Labels: roles("infra", "rt"), Current: old, Desired: old, State: Done})
	want := []string{
		"rollout.unmanaged: node both is not updated: the custom pools infra and rt both select the node: " +
			"it gets no configuration (leave the node one role beside worker)",
		"rollout.unmanaged: nodes stray-0, stray-1, stray-2, stray-3, stray-4 and 3 more are in no pool: " +
			"they are not updated (give them the role of a pool)"}
	got := explained(t, o)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Error(strings.Join(got, "\n"))
	}
}

// What would help fits what stops the rollout: nodes are mended only where some are named.
func TestRemedyOfStall(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Options)
		want   string
	}{
		"text":     {func(o *Options) { o.Pools[0].Spec.MaxUnavailable = "abc" }, "write maxUnavailable as it is told there"},
		"paused":   {func(o *Options) { o.Pools[0].Spec.Paused = true }, "resume the pool"},
		"negative": {func(o *Options) { o.Pools[0].Spec.MaxUnavailable = int64(-1) }, "write a maxUnavailable of 1 or more"},
		"selector": {func(o *Options) { o.Pools[0].Spec.NodeSelector = &openshift.LabelSelector{} }, ""},
		"node":     {func(o *Options) { o.Nodes[0].NotReady = true }, "mend the nodes that are named"},
	} {
		o := Options{Release: release.Current, Nodes: Workers(3, Range{}, Range{60, 60}), Pools: poolsOf("worker")}
		c.change(&o)
		got := strings.Join(explained(t, o), "\n")
		if !strings.Contains(got, c.want) || c.want != "" && strings.Count(got, "rollout.neverDone") != 1 {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Many nodes in the way are counted, not listed.
func TestManyInTheWay(t *testing.T) {
	o := Options{Release: release.Current, Nodes: Workers(100, Range{}, Range{60, 60}), Pools: poolsOf("worker")}
	for i := range 50 {
		o.Nodes[i].NotReady = true
	}
	if got := explained(t, o); len(got) != 1 || len(got[0]) > 400 ||
		!strings.Contains(got[0], "and 45 more eat the budget") {
		t.Error(got)
	}
}

// A rollout that leaves no node for pods is not silently well; one node can't be spared
// by anything.
func TestNoneLeft(t *testing.T) {
	for n, want := range map[int]bool{1: false, 3: true} {
		o := Options{Release: release.Current, Nodes: Workers(n, Range{}, Range{60, 60}), Pools: poolsOf("worker")}
		o.Pools[0].Spec.MaxUnavailable = "110%"
		if got := strings.Join(explained(t, o), ""); strings.Contains(got,
			"rollout.noneLeft: none of the 3 nodes for applications takes pods at 0 s") != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

// What doesn't change is counted, and not drawn.
func TestUnchangedIsNotDrawn(t *testing.T) {
	a, err := Explain(Options{Release: release.Current, Nodes: append(Nodes(Master, 3, Range{}, Range{60, 60}),
		Workers(2, Range{}, Range{60, 60})...), Roll: []string{Worker}})
	if line := a.Parts[0].Timeline; err != nil || len(line.Rows) != 2 ||
		!strings.HasSuffix(line.Description, "; 3 nodes are unchanged and not drawn") {
		t.Errorf("%+v %v", line, err)
	}
}

func TestMostNodes(t *testing.T) {
	_, err := Simulate(Options{Nodes: Workers(10_000_000, Range{}, Range{60, 60})})
	if err == nil || err.Error() != "there are more than 20000 nodes (play it with fewer)" ||
		len(Workers(-1, Range{}, Range{})) != 0 {
		t.Error(err)
	}
}

// What nobody showed is named, and the answer is not good; of made-up workers nothing lacks.
func TestUnseen(t *testing.T) {
	lacking := Options{Nodes: Workers(2, Range{60, 60}, Range{60, 60}), PoolsUnseen: true, DrainsUnseen: true,
		Continue: true}
	for want, o := range map[string]Options{
		"": {Nodes: lacking.Nodes}, "rollout.drainsUnseen rollout.poolsUnseen rollout.stateUnseen": lacking} {
		a, err := Explain(o)
		var ids []string
		for _, f := range a.Findings {
			ids = append(ids, f.ID)
		}
		slices.Sort(ids)
		if got := strings.Join(ids, " "); err != nil || got != want || a.Verdict.OK != (want == "") {
			t.Errorf("%q, green is %v: %v", got, a.Verdict.OK, err)
		}
	}
}
