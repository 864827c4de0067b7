package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// exported is a cloud as it runs: each server is a type of one VM.
func exported(names ...string) []v1alpha1.ServerOutcome {
	var out []v1alpha1.ServerOutcome
	for _, name := range names {
		flavor, _, _ := strings.Cut(name, "-")
		out = append(out, v1alpha1.ServerOutcome{Name: name, Flavor: flavor, Wanted: 1, Placed: 1, Bound: 1, More: 7})
	}
	return out
}

func TestAlikeServers(t *testing.T) {
	moved := func(list []v1alpha1.ServerOutcome, i int, to func(o *v1alpha1.ServerOutcome)) []v1alpha1.ServerOutcome {
		to(&list[i])
		return list
	}
	for i, c := range []struct {
		list []v1alpha1.ServerOutcome
		want string
	}{
		{nil, ""},
		{exported("a-1", "a-2"), "a-1 1/1, a-2 1/1"},
		{exported("a-1", "b-1", "a-2", "a-3", "b-2"), "a-1 and 2 alike 3/3, b-1 1/1, b-2 1/1"},
		{moved(exported("a-1", "a-2", "a-3", "a-4"), 1, func(o *v1alpha1.ServerOutcome) { o.Placed = 0 }),
			"a-1 and 2 alike 3/3, a-2 0/1"},
		{moved(exported("a-1", "a-2", "a-3", "a-4"), 2, func(o *v1alpha1.ServerOutcome) { o.Wanted, o.Placed = 5, 4 }),
			"a-1 and 2 alike 3/3, a-3 4/5"},
		{moved(exported("a-1", "a-2", "a-3"), 0, func(o *v1alpha1.ServerOutcome) { o.Policy = "shared" }),
			"a-1 1/1, a-2 1/1, a-3 1/1"},
	} {
		before := slices.Clone(c.list)
		var got []string
		for _, o := range alikeServers(c.list) {
			got = append(got, fmt.Sprintf("%s %d/%d", o.Name, o.Placed, o.Wanted))
		}
		if s := strings.Join(got, ", "); s != c.want || !slices.Equal(before, c.list) {
			t.Errorf("%d: %s, want %s", i, s, c.want)
		}
	}
}

func TestRefusedAlike(t *testing.T) {
	p := &v1alpha1.ServerPlacement{ServerTypes: exported("a-1", "a-2", "b-1")}
	for i := range 3 {
		p.Refusals = append(p.Refusals, v1alpha1.ServerRefusal{ServerType: i, Count: 1, Nearest: "h1",
			Nodes: []string{"node 0: full"}})
	}
	p.Refusals = append(p.Refusals, v1alpha1.ServerRefusal{ServerType: 9, Count: 2},
		v1alpha1.ServerRefusal{ServerType: -1, Count: 3})
	var got []string
	for _, r := range refusals(p, Wide)[0].(List).Items {
		got = append(got, r.Text)
	}
	want := []string{"a-1 and 1 alike: no host for 2 VMs", "b-1: no host for 1 VM", "?: no host for 2 VMs",
		"?: no host for 3 VMs"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if p.Refusals[0].Count != 1 {
		t.Error("the placement was changed")
	}
}

func TestNodesAlike(t *testing.T) {
	for want, list := range map[string][]string{
		"":                          nil,
		"node 3: full":              {"node 3: full"},
		"nodes 0-1: full":           {"node 0: full", "node 1: full"},
		"nodes 0,2: full|node 1: x": {"node 0: full", "node 2: full", "node 1: x"},
		"node 0: x|the host: no memory|node 1: x": {"node 0: x", "the host: no memory", "node 1: x"},
	} {
		if got := strings.Join(nodesAlike(list), "|"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
