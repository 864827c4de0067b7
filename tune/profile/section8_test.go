package profile

import (
	"slices"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

func since44() []release.Release { return []release.Release{release.V44, release.V45, release.Current} }

func TestSection8_01_value_empty_versus_absent(t *testing.T) {
	text := items("a", `[{profile: latency-performance, priority: 5, match: [{label: x, value: ""}]}, {profile: `+
		`virtual-host, priority: 6, match: [{label: x}]}]`)
	for _, r := range release.Documented() {
		x := Explain(Input{Tuneds: crs(t, text), Release: r,
			Nodes: []Node{node("empty", "x="), node("set", "x=1"), node("none", "y=")}})
		gets(t, x, "latency-performance", "virtual-host", "openshift-node")
		if !finds(Check(objects(t, text), r), emptyValue, "not for any") {
			t.Errorf(`%v: value "" is not found`, r)
		}
	}
}

func TestSection8_01_nested_type_is_not_inherited(t *testing.T) {
	text := items("a", `[{profile: latency-performance, priority: 5, match: [{label: x, type: `+
		`pod, match: [{label: y}]}]}]`)
	for _, r := range release.Documented() {
		x := Explain(Input{Tuneds: crs(t, text), Release: r, Nodes: []Node{node("label", "y="), node("pods")},
			Pods: []Pod{podOn("label", "p0", "x="), podOn("pods", "p1", "x=", "y=")}})
		gets(t, x, "latency-performance", "openshift-node")
		if !finds(Check(objects(t, text), r), nestedUnderPod, "labels of the node") {
			t.Errorf("%v: the missing type is not found", r)
		}
	}
}

func TestSection8_01_two_pods_satisfy_one_and(t *testing.T) {
	text := items("a", `[{profile: latency-performance, priority: 5, match: [{label: x, type: pod, match: `+
		`[{label: y, type: pod}]}]}]`)
	for _, r := range since44() {
		x := Explain(Input{Tuneds: crs(t, text), Release: r, Nodes: []Node{node("two"), node("half")},
			Pods: []Pod{podOn("two", "p0", "x="), podOn("two", "p1", "y="), podOn("half", "p2", "x=")}})
		gets(t, x, "latency-performance", "openshift-node")
		if w := x.Nodes[0].Witness; len(w) != 2 || w[0].Pod != "ns/p0" || w[1].Pod != "ns/p1" {
			t.Errorf("%v: %+v", r, w)
		}
		if h := x.Nodes[0].Holding; !slices.Equal(h, []string{"ns/p0", "ns/p1"}) {
			t.Errorf("%v: held by %v", r, h)
		}
		if !finds(Check(objects(t, text), r), twoPods, "two different pods") {
			t.Errorf("%v: not found", r)
		}
	}
}

func TestSection8_02_tie_goes_by_name_of_the_CR_not_by_creation(t *testing.T) {
	// b stands first and was created first.
	text := items("b, creationTimestamp: \"2020-01-01T00:00:00Z\"",
		`[{profile: virtual-host, priority: 5, match: [{label: x}]}]`) +
		items("a, creationTimestamp: \"2021-01-01T00:00:00Z\"", `[{profile: latency-performance, priority: 5, match: `+
			`[{label: x}]}, {profile: balanced, priority: 5, match: [{label: x}]}]`)
	for _, r := range since44() {
		x := Explain(Input{Tuneds: crs(t, text), Release: r, Nodes: []Node{node("n", "x=")}})
		gets(t, x, "latency-performance")
		var ties []string
		for _, i := range x.Classes[0].Ties {
			ties = append(ties, x.Items[i].Name())
		}
		if !slices.Equal(ties, []string{"a[1]", "b[0]"}) {
			t.Errorf("%v: ties %v", r, ties)
		}
		if chance := finds(x.Findings, tieDecides, "left to chance"); chance != (r == release.V44) {
			t.Errorf("%v: left to chance is %v", r, chance)
		}
	}
}

func role(name string) openshift.MachineConfigPool {
	return openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: name}, Spec: openshift.MachineConfigPoolSpec{
		NodeSelector:          &openshift.LabelSelector{MatchLabels: with("node-role.kubernetes.io/" + name)},
		MachineConfigSelector: &openshift.LabelSelector{MatchLabels: with(openshift.LabelRole + "=" + name)}}}
}

func TestSection8_03_match_and_machineConfigLabels_are_alternatives(t *testing.T) {
	text := items("a", `[{profile: realtime, priority: 5, match: [{label: x}], machineConfigLabels: `+
		`{machineconfiguration.openshift.io/role: worker}}]`) +
		items("b", `[{profile: balanced, priority: 6, machineConfigLabels: {machineconfiguration.openshift.io/role: infra}}]`)
	nodes := []Node{node("label", "x="), node("pool", worker), node("both", worker, "x="), node("neither"),
		node("infra", infra)}
	pools := []openshift.MachineConfigPool{role("worker"), role("infra")}
	for _, r := range []release.Release{release.V45, release.Current} {
		x := Explain(Input{Tuneds: crs(t, text), Release: r, Nodes: nodes, Pools: pools})
		// b has no match, but is no catch-all.
		gets(t, x, "realtime", "realtime", "realtime", "openshift-node", "balanced")
		for i, by := range []string{"match", "machineConfigLabels", "match"} {
			if got := x.Classes[x.Nodes[i].Class].By; got != by {
				t.Errorf("%v: %s got it by %s, not %s", r, x.Nodes[i].Name, got, by)
			}
		}
		if !finds(Check(objects(t, text), r), labelsAndMatch, "either is enough") {
			t.Errorf("%v: not found", r)
		}
	}
	// Before 4.5 the field is dropped: without match, b matches everything.
	x := Explain(Input{Tuneds: crs(t, text), Release: release.V44, Nodes: nodes, Pools: pools})
	gets(t, x, "realtime", "balanced", "realtime", "balanced", "balanced")
	if !finds(Check(objects(t, text), release.V44), labelsDropped, "the item matches every node") {
		t.Error("the dropped field is not found")
	}
}

func TestSection8_03_empty_match_beside_machineConfigLabels_matches_every_node(t *testing.T) {
	text := items("a", `[{profile: realtime, priority: 5, match: [], machineConfigLabels: `+
		`{machineconfiguration.openshift.io/role: none}}]`)
	for _, r := range since44() {
		gets(t, Explain(Input{Tuneds: crs(t, text), Release: r, Nodes: []Node{node("n")}}), "realtime")
	}
}

func define(name, profile, text string) string {
	return "---\napiVersion: tuned.openshift.io/v1\nkind: Tuned\nmetadata: {name: " + name +
		"}\nspec:\n  profile:\n  - name: " + profile +
		"\n    data: |\n      [main]\n      " + text + "\n  recommend: []\n"
}

func TestSection8_04_conflicting_duplicate_freezes_everything_today(t *testing.T) {
	equal := define("a", "p", "include=balanced") + define("b", "p", "include=balanced")
	conflict := equal + define("c", "q", "include=balanced") + define("d", "q", "include=powersave")
	nodes := []Node{{Name: "n", Labels: with(worker)}}
	old := []openshift.Profile{asked("n", "old")}
	for _, of := range release.Documented() {
		if x := Explain(Input{Tuneds: crs(t, equal), Release: of, Nodes: nodes}); x.Frozen != "" ||
			finds(Check(objects(t, equal), of), duplicate, "") {
			t.Errorf("%v: equal texts conflict", of)
		}
		x := Explain(Input{Tuneds: crs(t, conflict), Release: of, Nodes: nodes, Profiles: old})
		if (x.Frozen != "") != (of == release.Current) || (x.Nodes[0].Kept == "old") != (of == release.Current) {
			t.Errorf("%v: frozen %q, node keeps %q", of, x.Frozen, x.Nodes[0].Kept)
		}
		found := Check(objects(t, conflict), of)
		if chance := finds(found, duplicate, "left to chance"); chance == (of == release.Current) {
			t.Errorf("%v: %v", of, found)
		}
	}
	// With one conflict, the CRs with equal texts are blamed as well.
	for _, r := range Explain(Input{Tuneds: crs(t, conflict), Release: release.Current}).Status.Tuneds {
		if want := map[bool]string{true: "True", false: "False"}[r.Name == "default"]; r.Conditions[0].Status != want {
			t.Errorf("Tuned %s is Valid=%s", r.Name, r.Conditions[0].Status)
		}
	}
}

func TestSection8_05_parent_only_change_must_reload(t *testing.T) {
	own := define("a", "child", "include=throughput-performance, parent") + define("b", "parent", "summary=x")
	for r := release.Release(3); r <= release.Newest; r++ {
		if got := finds(Check(objects(t, own), r), staleParent, "parent, which it includes"); got != (r >= 4 && r <= 7) {
			t.Errorf("%v: a change of the parent alone is missed: %v", r, got)
		}
	}
	// The operator's own profiles, and TuneD's, change with an update alone, which starts TuneD anew.
	if found := Check(objects(t, define("a", "child", "include=openshift-node, balanced")), release.V44); finds(found,
		staleParent, "") {
		t.Error(found)
	}
}

func TestSection8_20_machineConfigLabels_select_by_the_pools_selector_not_by_labels_of_nodes(t *testing.T) {
	text := items("a", `[{profile: realtime, priority: 5, machineConfigLabels: `+
		`{machineconfiguration.openshift.io/role: rt}}]`)
	pool := role("rt")
	pool.Metadata.Labels = with(openshift.LabelRole + "=rt")
	other := role("other")
	other.Metadata.Labels = with(openshift.LabelRole + "=rt") // the pool's own labels don't matter
	for _, r := range []release.Release{release.V45, release.Current} {
		x := Explain(Input{Tuneds: crs(t, text), Release: r,
			Pools: []openshift.MachineConfigPool{pool, other, role("worker")},
			Nodes: []Node{node("in", "node-role.kubernetes.io/rt", worker), node("label", worker, openshift.LabelRole+"=rt"),
				node("other", "node-role.kubernetes.io/other")}})
		gets(t, x, "realtime", "openshift-node", "openshift-node")
	}
}

func TestSection8_23_worker_to_infra_leaves_the_pool(t *testing.T) {
	for _, c := range []struct {
		name  string
		pools []openshift.MachineConfigPool
		after [2]string // infra added, worker replaced
	}{
		{"no infra pool", []openshift.MachineConfigPool{role("worker"), role("master")}, [2]string{"worker", ""}},
		{"infra pool", []openshift.MachineConfigPool{role("worker"), role("infra")}, [2]string{"infra", "infra"}},
	} {
		for _, of := range release.Documented() {
			x := Explain(Input{Release: of, Nodes: []Node{node("w", worker), node("i", infra)}, Pools: c.pools})
			for i, r := range x.Classes[0].Relabel {
				if r.PoolBefore != "worker" || r.PoolAfter != c.after[i] || (r.Problem != "") != (c.after[i] == "") {
					t.Errorf("%s, %v: %+v", c.name, of, r)
				}
				if r.ProfileBefore != "openshift-node" || r.ProfileAfter != "openshift-control-plane" {
					t.Errorf("%s, %v: the profile goes from %s to %s", c.name, of, r.ProfileBefore, r.ProfileAfter)
				}
			}
			if finds(x.Findings, noPool, "node i") != (c.after[1] == "") {
				t.Errorf("%s, %v: %v", c.name, of, x.Findings)
			}
		}
	}
}
