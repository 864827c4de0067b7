package profile

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/report"
)

// cr is a whole Tuned CR around a spec.
func whole(spec string) string {
	return "apiVersion: tuned.openshift.io/v1\nkind: Tuned\n" +
		"metadata: {name: a, namespace: openshift-cluster-node-tuning-operator}\nspec: " + spec + "\n"
}

func recommend(list string) string { return whole("{profile: [], recommend: " + list + "}") }

// text is a CR with a profile.
func text1(lines ...string) string {
	return whole("\n  recommend: []\n  profile:\n  - name: p\n    data: |\n      " + strings.Join(lines, "\n      "))
}

// item is a CR with a profile p and an item that chooses it.
func item(match string, lines ...string) string {
	return whole("\n  recommend: [{profile: p, priority: 20, " + match + "}]\n  profile:\n  - name: p\n    data: |\n" +
		"      [main]\n      " + strings.Join(lines, "\n      "))
}

// poolText is a pool beside those that every cluster has.
const poolText = "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\n" +
	"metadata: {name: x}\nspec: {machineConfigSelector: {matchLabels: {a: b}}}\n"

// What seems like a fault and is none has no finding.
func TestCheckFindsNothing(t *testing.T) {
	const labels, labelled = "machineConfigLabels: {machineconfiguration.openshift.io/role: rt}",
		"machineConfigLabels: {machineconfiguration.openshift.io/role: worker}"
	taking := strings.Replace(poolText, "a: b", "machineconfiguration.openshift.io/role: rt", 1)
	for name, c := range map[string]struct {
		rule object.Rule
		text string
	}{
		"an optional include": {includeNowhere, text1("[main]", "include=-nowhere,openshift-node")},
		"separators in a function": {includeNowhere, text1("[main]",
			"include=openshift-node,cpu-partitioning${f:regex_search_ternary:${f:exec:uname:-r}:a,b:,nowhere:}")},
		"an include by function":       {includeNowhere, text1("[main]", "include=${f:virt_check:a:b}")},
		"a profile of another CR":      {includeNowhere, text1("[main]", "include=q") + define("b", "q", "summary=s")},
		"made of a PerformanceProfile": {includeNowhere, text1("[main]", "include=openshift-node-performance-a")},
		"arguments by pool": {argsByMatch, item(labelled, "include=openshift-node", "[bootloader]",
			"cmdline=a")},
		"arguments of a hosted cluster": {argsByMatch, item("match: [{label: hypershift.openshift.io/nodePool, value: a}]",
			"include=openshift-node", "[bootloader]", "cmdline=a")},
		"labels of pool worker": {noPoolTakes, item(labelled, "include=openshift-node")},
		"labels of a pool":      {noPoolTakes, item(labels, "include=openshift-node") + taking},
		"through a parent": {withoutNode, item("match: [{label: x}]", "include=q") +
			define("b", "q", "include=openshift")},
		"through a function":            {withoutNode, item("match: [{label: x}]", "include=${f:virt_check:a:b}")},
		"through a performance profile": {withoutNode, item("match: [{label: x}]", "include=openshift-node-performance-a")},
		"an item that matches":          {everyNode, item("match: [{label: x}]", "include=openshift-node")},
		"an item behind the masters'": {everyNode, strings.Replace(item("operand: {debug: false}", "include=openshift-node"),
			"priority: 20", "priority: 35", 1)},
		"a value that is worked out": {sysctlValue, text1("[sysctl]", "vm.swappiness=${x}")},
		"a value that only grows":    {sysctlValue, text1("[sysctl]", "kernel.pid_max=>4194304")},
		"a value of the other kind":  {sysctlUndone, text1("[sysctl]", "vm.dirty_ratio=10", "vm.dirty_bytes=0")},
		"a dotted interface":         {sysctlDots, text1("[sysctl]", "net.ipv4.conf.eth0/100.rp_filter=1")},
	} {
		for _, f := range Check(objects(t, c.text), release.Current) {
			if f.ID == c.rule.ID {
				t.Errorf("%s: %s", name, f.Message)
			}
		}
	}
}

func TestCheck(t *testing.T) {
	first, last := release.V43, release.Current
	for _, c := range []struct {
		rule     object.Rule
		from, to release.Release
		text     string
		words    string
		line     int
	}{
		{missingField, first, release.V45, whole("{recommend: []}"), "spec has no profile", 4},
		{missingField, first, release.V45, whole("{profile: []}"), "spec has no recommend", 4},
		{missingField, first, last, whole("{recommend: [], profile: [{name: p}]}"), "no data", 4},
		{missingField, first, last, recommend("[{profile: p}]"), "no priority", 4},
		{missingField, first, last, recommend("[{priority: 1}]"), "no profile", 4},
		{missingField, first, last, recommend("[{profile: p, priority: 1, match: [{value: x}]}]"), "no label", 4},
		{negativePriority, first, last, recommend("[{profile: p, priority: -1}]"), "priority -1", 4},
		{matchType, first, last, recommend("[{profile: p, priority: 1, match: [{label: x, type: Pod}]}]"), `"Pod"`, 4},
		{nestedType, first, last,
			recommend("[{profile: p, priority: 1, match: [{label: x, match: [{label: y, type: Pod}]}]}]"), `"Pod"`, 4},
		{nestedLabel, first, last, recommend("[{profile: p, priority: 1, match: [{label: x, match: [{value: y}]}]}]"),
			"always matches", 4},
		{emptyName, last, last, recommend(`[{profile: "", priority: 1}]`), "empty", 4},
		{badState, last, last, whole("{profile: [], recommend: [], managementState: Off}"), "Off", 4},
		{defaultEdited, first, release.V45, whole("{profile: [], recommend: [], managementState: Managed}"), "4.6", 4},
		{object.WrongType, first, last, recommend(`[{profile: p, priority: "1"}]`), "", 4},
		{apiVersion, first, last, strings.Replace(recommend("[]"), "openshift.io/v1", "openshift.io/v2", 1), "v2", 1},
		{elsewhere, first, last, strings.Replace(recommend("[]"), "openshift-cluster-node-tuning-operator", "default", 1),
			"namespace default", 3},
		{sameName, first, last, recommend("[]") + "---\n" + recommend("[]"), "replaces", 3},
		{defaultEdited, first, last, strings.Replace(recommend("[{profile: openshift-node, priority: 1}]"), "name: a",
			"name: default", 1), "puts them back", 4},
		{unmanaged, last, last, strings.Replace(strings.Replace(string(defaultToday), "spec:",
			"spec:\n  managementState: Removed", 1), "# CR", "#", 1), "Removed", 9},
		{podMatch, first, last, recommend("[{profile: balanced, priority: 1, match: [{label: x, type: pod}]}]"),
			"every pod", 4},
		{roleOfPod, first, last, recommend("[{profile: balanced, priority: 1, match: [{label: x, match: [{label: " +
			"node-role.kubernetes.io/infra, type: pod}]}]}]"), "looked for on pods", 4},
		{priorityTie, release.V45, last,
			recommend("[{profile: balanced, priority: 1, match: [{label: x}]}, {profile: " +
				"aws, priority: 1, match: [{label: y}]}]"), "its place in the CR", 4},
		{podMatch, last, last, recommend("[{profile: balanced, priority: 1, match: [{label: x, type: pod}]}]"),
			"Valid=False", 4},
		{neverMatches, first, last, recommend(`[{profile: balanced, priority: 1, match: [{label: x, value: "1", match: ` +
			`[{label: x, value: "2"}]}]}]`), "can't have", 4},
		{labelsInvalid, release.V45, last, recommend(`[{profile: balanced, priority: 1, machineConfigLabels: {"a b": x}}]`),
			"no valid labels", 4},
		{labelsAndMatch, release.V45, last,
			recommend(`[{profile: balanced, priority: 1, match: [], machineConfigLabels: {a: x}}]`), "every node", 4},
		{noDefinition, first, last, recommend("[{profile: nowhere, priority: 1, match: [{label: x}]}]"), "nowhere", 4},
		{priorityTie, first, last, recommend("[{profile: balanced, priority: 30, match: [{label: x}]}]"), "default", 4},
		{neverReached, first, last, recommend("[{profile: balanced, priority: 41, match: [{label: x}]}]"),
			"openshift-node (priority 40)", 4},
		{duplicateSame, first, last, whole("{recommend: [], profile: [{name: p, data: x}, {name: p, data: x}]}"),
			"the same CR", 4},
		{duplicate, first, last, whole("{recommend: [], profile: [{name: p, data: x}, {name: p, data: y}]}"),
			"another text", 4},
		{sysctlGone, last, last, text1("[sysctl]", "kernel.sched_min_granularity_ns=1"),
			"kernel.sched_min_granularity_ns", 10},
		{sysctlHost, first, last, text1("[sysctl]", "vm.a=1"), "/etc/sysctl.d", 9},
		{sysctlGone, first, last, text1("[sysctl]", "net.ipv4.tcp_tw_recycle=1"), "kernels of 4.12", 10},
		{sysctlUnknown, first, last, text1("[sysctl]", "vm.swapiness=1"), "vm.swapiness", 10},
		{sysctlValue, first, last, text1("[sysctl]", `vm.swappiness="900"`), "900", 10},
		{sysctlValue, first, last, text1("[sysctl]", "net.ipv4.neigh.default.gc_thresh3=abc"), "abc", 10},
		{sysctlValue, first, last, text1("[sysctl]", "kernel.pid_max=>9999999"), "9999999", 10},
		{sysctlUndone, first, last, text1("[sysctl]", "vm.dirty_ratio=10", "vm.dirty_bytes=1048576"), "vm.dirty_ratio", 11},
		{sysctlDots, first, last, text1("[sysctl]", "net.ipv4.conf.eth0.100.rp_filter=1"), "of the interface", 10},
		{sysctlDots, last, last, text1("[sysctl]", "net/core/somaxconn=1000"), "for dots", 10},
		{includeNowhere, first, last, text1("[main]", "include=nowhere"), "profile nowhere, which p includes", 10},
		{includeNowhere, first, last, text1("[main]", "include=openshift-node-performance-b") +
			"---\napiVersion: performance.openshift.io/v2\nkind: PerformanceProfile\nmetadata: {name: a}\n", "nce-b", 10},
		{withoutNode, first, last, item("match: [{label: x}]", "summary=s"), "lose", 7},
		{argsByMatch, release.V45, last, item("match: [{label: x}]", "include=openshift-node", "[bootloader]", "cmdline=a"),
			"kernel arguments of profile p", 5},
		{argsByMatch, release.V45, last, item("match: [{label: x}]", "include=parent") +
			define("b", "parent", "include=openshift-node\n      [bootloader]\n      cmdline=a"), "profile parent", 5},
		{noPoolTakes, release.V45, last, item("machineConfigLabels: {machineconfiguration.openshift.io/role: rt}",
			"include=openshift-node"), "neither pool", 5},
		{noPoolTakes, release.V45, last, item("machineConfigLabels: {node-role.kubernetes.io/worker: ''}",
			"include=openshift-node"), "by the label", 5},
		{noPoolTakes, release.V45, last, item("machineConfigLabels: {machineconfiguration.openshift.io/role: rt}",
			"include=openshift-node") + poolText, "neither pool", 5},
		{noPoolTakes, release.V45, last, item("machineConfigLabels: {machineconfiguration.openshift.io/role: rt}",
			"include=openshift-node") + poolText + "---\nkind: MachineConfigPool\nmetadata: {name: worker}\n",
			"no pool takes", 5},
		{everyNode, release.V44, last, item("operand: {debug: false}", "include=openshift-node"), "takes every node", 5},
	} {
		for _, r := range release.Documented() {
			want := r.Minor() >= c.from.Minor() && r.Minor() <= c.to.Minor()
			got := false
			for _, f := range Check(objects(t, c.text), r) {
				if f.ID == c.rule.ID && strings.Contains(f.Message, c.words) {
					got = true
					if f.Place.Line != c.line {
						t.Errorf("%s, %v: at line %d, not %d", c.rule.ID, r, f.Place.Line, c.line)
					}
				}
			}
			if got != want {
				t.Errorf("%s, %v: found is %v, of %v", c.rule.ID, r, got, Check(objects(t, c.text), r))
			}
		}
	}
}

// A good CR has nothing to find, in any release.
func TestCheckFindsNothingInGoodCRs(t *testing.T) {
	good := whole(`
  profile:
  - name: mine
    data: |
      [main]
      summary=Mine; with a semicolon # and more
      include=openshift-node

      [my-vm]
      type=vm
      transparent_hugepages=never
  recommend:
  - profile: mine
    priority: 20
    match:
    - label: example.com/mine
      value: "yes"
      match:
      - label: node-role.kubernetes.io/worker
        value: ""
`)
	for _, r := range release.Documented()[1:] {
		if found := Check(objects(t, good), r); len(found) > 0 {
			t.Errorf("%v: %v", r, found)
		}
		own := Default(r)
		for _, f := range Check([]*object.Object{own.Object}, r) {
			if f.Severity != v1alpha1.Info {
				t.Errorf("%v: CR default: %v", r, f)
			}
		}
	}
}

func TestRefusedCRsDoNotCount(t *testing.T) {
	bad := recommend("[{profile: balanced, priority: -1}]")
	untyped := recommend("[{profile: balanced, priority: 1, match: {label: x}}]")
	for _, text := range []string{bad, untyped} {
		x := Explain(Input{Tuneds: crs(t, text), Release: release.V44, Nodes: []Node{node("n")}})
		gets(t, x, "openshift-node")
		if len(x.Ignored) != 1 || !finds(x.Findings, refusedCR, "a is refused") {
			t.Errorf("%+v", x.Ignored)
		}
	}
	x := Explain(Input{Tuneds: crs(t, bad), Release: release.V44, Nodes: []Node{node("n")}, Stored: true})
	gets(t, x, "balanced")
}

func TestMissingPriorityIsLast(t *testing.T) {
	text := recommend("[{profile: balanced, match: [{label: x}]}, {profile: " +
		"powersave, priority: 39, match: [{label: x}]}]")
	x := Explain(Input{Tuneds: crs(t, text), Release: release.V45, Nodes: []Node{node("n", "x=")}, Stored: true})
	gets(t, x, "powersave")
	if last := x.Items[len(x.Items)-1]; last.Profile != "balanced" || last.Priority != nil {
		t.Errorf("the last item is %+v", last)
	}
}

func TestOtherOperatingSystems(t *testing.T) {
	for _, r := range release.Documented() {
		x := Explain(Input{Release: r, Nodes: []Node{node("w", "kubernetes.io/os=windows"),
			node("l", "kubernetes.io/os=linux")}})
		if skipped := x.Nodes[0].Class == -1; skipped != (r == release.Current) ||
			finds(x.Findings, notLinux, "1 node") != skipped {
			t.Errorf("%v: %+v", r, x.Nodes[0])
		}
		if x.Nodes[1].Profile != "openshift-node" {
			t.Errorf("%v: %+v", r, x.Nodes[1])
		}
	}
}

func TestPodsThatDoNotCount(t *testing.T) {
	text := recommend("[{profile: balanced, priority: 1, match: [{label: x, type: pod}]}]")
	x := Explain(Input{Tuneds: crs(t, text), Release: release.V44, Nodes: []Node{node("n")},
		Pods: []Pod{podOn("", "pending", "x="), podOn("gone", "stray", "x=")}})
	gets(t, x, "openshift-node")
	if !finds(x.Findings, strayPods, "1 pod is") {
		t.Error(x.Findings)
	}
}

func TestStatusOfProfiles(t *testing.T) {
	text := items("a", "[{profile: nowhere, priority: 1, match: [{label: x}]}, {profile: "+
		"child, priority: 2, match: [{label: y}]}, {profile: orphan, priority: 3, match: [{label: o}]}]") +
		define("d", "orphan", "include=gone") +
		define("b", "child", "include=parent") +
		define("c", "parent", "summary=s\n      [sysctl]\n      kernel.sched_wakeup_granularity_ns=1")
	x := Explain(Input{Tuneds: crs(t, text), Release: release.Current,
		Nodes: []Node{node("x", "x="), node("y", "y="), node("z"), node("o", "o=")}})
	want := map[string]string{"nowhere": "Applied=False/Failed Degraded=True/TunedError",
		"child":          "Applied=True/AsExpected Degraded=True/TunedError",
		"orphan":         "Applied=False/Failed Degraded=True/TunedError",
		"openshift-node": "Applied=True/AsExpected Degraded=False/AsExpected"}
	for _, r := range x.Status.Profiles {
		var got []string
		for _, c := range r.Conditions {
			got = append(got, fmt.Sprintf("%s=%s/%s", c.Type, c.Status, c.Reason))
		}
		if strings.Join(got, " ") != want[r.Name] {
			t.Errorf("%s: %v", r.Name, got)
		}
	}
	if len(x.Status.Profiles) != len(want) || !finds(x.Findings, chosenNowhere, "1 node gets profile nowhere") {
		t.Errorf("%+v, %v", x.Status.Profiles, x.Findings)
	}
	if x := Explain(Input{Tuneds: crs(t, text), Release: release.V45}); x.Status != nil {
		t.Error("4.5 reports a status")
	}
}

func TestRulesAndErasAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || r.Title == "" || r.Severity == "" {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
	}
	for _, r := range Behaviours() {
		if seen[r.ID+" release"] || r.Title == "" || r.Source.Code == "" {
			t.Errorf("row %+v", r)
		}
		seen[r.ID+" release"] = true
	}
}

// Every format shows an answer, and every finding has a rule.
func TestAnswer(t *testing.T) {
	rules := map[string]bool{}
	for _, r := range append(Rules(), object.Rules()...) {
		rules[r.ID] = true
	}
	text := file(t, "hugepages.yaml") + "---\n" + file(t, "elasticsearch.yaml")
	for _, of := range release.Documented() {
		x := Explain(Input{Tuneds: crs(t, text), Release: of, Nodes: []Node{node("w0", worker), node("m0", master)},
			Pods: []Pod{podOn("m0", "es", es)}})
		all := x.Answer(Check(objects(t, text), of)...)
		one, err := x.AnswerFor("m0")
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []v1alpha1.Answer{all, one} {
			for _, f := range a.Findings {
				if !rules[f.ID] {
					t.Errorf("%s is no rule", f.ID)
				}
			}
			for _, format := range report.WholeFormats() {
				var b strings.Builder
				if err := report.WriteAnswer(&b, &a, format, report.Options{}); err != nil || b.Len() == 0 {
					t.Errorf("%v, %s: %v", of, format, err)
				} else if !strings.Contains(b.String(), "openshift-control-plane-es") && format != report.Name {
					t.Errorf("%v, %s: has no profile", of, format)
				}
			}
		}
		if want := "2 nodes get 2 profiles, by 2 of "; !strings.HasPrefix(all.Verdict.Summary, want) {
			t.Error(all.Verdict.Summary)
		}
		if len(one.Parts) == 0 || len(one.Parts[0].Lead) != 2 || !strings.Contains(one.Parts[0].Lead[1], "ns/es") {
			t.Errorf("%+v", one.Parts)
		}
		if _, err := x.AnswerFor("nobody"); err == nil {
			t.Error("a node that is not there is explained")
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, text := range []string{whole("{}"),
		recommend("[{profile: p, priority: 1, match: [{label: x, match: [{label: y, type: pod}]}]}]"),
		text1("[sysctl]", "a=1 # b"), string(default43)} {
		f.Add([]byte(text), uint8(1))
	}
	f.Fuzz(func(t *testing.T, text []byte, e uint8) {
		objects, problems := object.Split("fuzz.yaml", text)
		if len(problems) > 0 {
			return
		}
		in := Input{Release: release.Documented()[e%4], Nodes: []Node{node("n", worker, "x=1")},
			Pods: []Pod{podOn("n", "p", "y=")}}
		Check(objects, in.Release)
		Check(objects, release.Release(e%23)+1)
		in.Tuneds, _ = object.All[openshift.Tuned](objects, "Tuned")
		x := Explain(in)
		x.Answer()
		in.Stored = true
		Explain(in)
	})
}
