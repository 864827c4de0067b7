package pool

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

func labelled(app string) *v1alpha1.LabelSelector {
	return &v1alpha1.LabelSelector{MatchLabels: map[string]string{"app": app}}
}

// pod is a ready pod of an application on a node.
func pod(name, app, node string) Running {
	return Running{Namespace: "shop", Name: name, Node: node, Labels: map[string]string{"app": app}, Ready: true}
}

// What the eviction API refuses, and what a drain doesn't ask it for
// (Kubernetes pkg/registry/core/pod/storage/eviction.go).
func TestHold(t *testing.T) {
	budget := func(change func(*Disruption)) []Disruption {
		d := Disruption{Namespace: "shop", Name: "db", Selector: labelled("db")}
		change(&d)
		return []Disruption{d}
	}
	three := []Running{pod("db-0", "db", "worker-1"), pod("db-1", "db", "worker-2"), pod("db-2", "db", "worker-3")}
	with := func(change func(*Running)) []Running {
		list := append([]Running{}, three...)
		change(&list[0])
		return list
	}
	for _, c := range []struct {
		name    string
		budgets []Disruption
		pods    []Running
		want    string // the nodes that are held
	}{
		{"no budget", nil, three, ""},
		{"two of three are enough", budget(func(d *Disruption) { d.MinAvailable = int64(2) }), three, ""},
		{"all three are needed", budget(func(d *Disruption) { d.MinAvailable = int64(3) }), three,
			"worker-1 worker-2 worker-3"},
		{"a percentage is rounded up: 67 % of 3 are 3", budget(func(d *Disruption) { d.MinAvailable = "67%" }), three,
			"worker-1 worker-2 worker-3"},
		{"half of three are 2", budget(func(d *Disruption) { d.MinAvailable = "50%" }), three, ""},
		{"none may be missed", budget(func(d *Disruption) { d.MaxUnavailable = int64(0) }), three,
			"worker-1 worker-2 worker-3"},
		{"one may be missed", budget(func(d *Disruption) { d.MaxUnavailable = int64(1) }), three, ""},
		{"1 % of three is one", budget(func(d *Disruption) { d.MaxUnavailable = "1%" }), three, ""},
		// the unready one may go
		{"one may be missed, and is", budget(func(d *Disruption) { d.MaxUnavailable = int64(1) }),
			with(func(p *Running) { p.Ready = false }), "worker-2 worker-3"},
		{"an unready pod of a budget that isn't met stays", budget(func(d *Disruption) { d.MinAvailable = int64(3) }),
			with(func(p *Running) { p.Ready = false }), "worker-1 worker-2 worker-3"},
		{"unless its policy lets it go", budget(func(d *Disruption) { d.MinAvailable, d.AlwaysAllow = int64(3), true }),
			with(func(p *Running) { p.Ready = false }), "worker-2 worker-3"},
		{"an unready pod, by the status", budget(func(d *Disruption) {
			d.Allowed, d.Healthy, d.Desired = new(int64(0)),
				new(int64(1)), new(int64(1))
		}), with(func(p *Running) { p.Ready = false }), "worker-2 worker-3"},
		{"what the controller counted", budget(func(d *Disruption) { d.MinAvailable, d.Allowed = int64(3), new(int64(1)) }),
			three, ""},
		{"what the controller counted, none",
			budget(func(d *Disruption) { d.MinAvailable, d.Allowed = int64(1), new(int64(0)) }), three,
			"worker-1 worker-2 worker-3"},
		{"another namespace", budget(func(d *Disruption) { d.Namespace, d.MinAvailable = "other", int64(3) }), three, ""},
		{"other pods", budget(func(d *Disruption) { d.Selector, d.MinAvailable = labelled("web"), int64(3) }), three, ""},
		{"no selector selects nothing", budget(func(d *Disruption) { d.Selector, d.MinAvailable = nil, int64(3) }),
			three, ""},
		{"an empty one selects all", budget(func(d *Disruption) {
			d.Selector, d.MinAvailable = &v1alpha1.LabelSelector{},
				int64(3)
		}), three, "worker-1 worker-2 worker-3"},
		{"a pod of a DaemonSet stays", budget(func(d *Disruption) { d.MinAvailable = int64(3) }),
			with(func(p *Running) { p.Stays = true }), "worker-2 worker-3"},
		{"a pod that is done goes", budget(func(d *Disruption) { d.MinAvailable = int64(2) }),
			with(func(p *Running) { p.Idle = true }), "worker-2 worker-3"},
		{"two budgets for one pod", append(budget(func(d *Disruption) { d.MinAvailable = int64(1) }),
			Disruption{Namespace: "shop", Name: "all", Selector: &v1alpha1.LabelSelector{}, MinAvailable: int64(0)}),
			three, "worker-1 worker-2 worker-3"},
	} {
		nodes := Workers(3, Range{}, Range{})
		Hold(nodes, c.budgets, c.pods)
		var held []string
		for _, n := range nodes {
			if n.Held != "" && n.Fails == FailsDrain {
				held = append(held, n.Name)
			}
		}
		if got := strings.Join(held, " "); got != c.want {
			t.Errorf("%s: held are %q, want %q", c.name, got, c.want)
		}
	}
}

// A rollout stops at the node that can't be drained, and says which budget holds it.
func TestRolloutIsHeldByABudget(t *testing.T) {
	nodes := Workers(3, Range{Min: 60, Max: 60}, Range{Min: 240, Max: 240})
	Hold(nodes, []Disruption{{Namespace: "shop", Name: "db", Selector: labelled("db"), MinAvailable: int64(1)}},
		[]Running{pod("db-0", "db", "worker-2")})
	a, err := Explain(Options{Release: release.Current, Nodes: nodes, Pools: Standard(release.Current),
		Roll: []string{Worker}})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, f := range a.Findings {
		said = append(said, f.ID+": "+f.Message)
	}
	text := strings.Join(said, "\n")
	for _, want := range []string{
		"rollout.drainHeld: node worker-2 can't be drained: PodDisruptionBudget shop/db allows no eviction of pod shop/db-0",
		"rollout.neverDone: pool worker stops after 6 min: worker-2 can't be drained",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if a.Verdict.OK {
		t.Error("a rollout that never ends is no good one")
	}
}

// What is allowed, against the definition: as many as may go until healthy pods are
// fewer than desired.
func TestAllowedAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pods, percent := rapid.IntRange(0, 40).Draw(t, "pods"), rapid.IntRange(0, 100).Draw(t, "percent")
		c := &counted{Disruption: &Disruption{}, pods: pods, healthy: rapid.IntRange(0, pods).Draw(t, "healthy")}
		share := 0 // the least whole number that is the percentage, or more
		for share*100 < percent*pods {
			share++
		}
		desired := share
		if rapid.Bool().Draw(t, "min") {
			c.MinAvailable = fmt.Sprint(percent, "%")
		} else {
			c.MaxUnavailable, desired = fmt.Sprint(percent, "%"), pods-share
		}
		may := 0
		for c.healthy-may-1 >= desired {
			may++
		}
		if got := max(0, c.allowed()); got != int64(may) {
			t.Errorf("%d of %d healthy, %+v: %d, want %d", c.healthy, pods, *c.Disruption, got, may)
		}
	})
}
