package profile

import (
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/tuned"
)

// The CR default asks for masters up to 4.19, and for the control plane from 4.20 on.
func TestDefaultByRelease(t *testing.T) {
	old, both := node("old", master), node("both", master, "node-role.kubernetes.io/control-plane")
	for r, want := range map[release.Release]string{3: "openshift-control-plane", 4: "openshift-control-plane",
		7: "openshift-control-plane", 11: "openshift-control-plane",
		18: "openshift-control-plane", 19: "openshift-control-plane", 20: "openshift-node", release.Newest: "openshift-node",
		0: "openshift-node"} {
		gets(t, Explain(Input{Release: r, Nodes: []Node{old, both}}), want, "openshift-control-plane")
	}
}

// Where the release is known, the CR default of another one is put back; where it
// isn't, that of 4.6 to 4.19 is as good as that of today.
func TestDefaultOfAnotherRelease(t *testing.T) {
	masters, today := string(default414), string(defaultToday)
	for _, c := range []struct {
		text    string
		release release.Release
		edited  bool
	}{{masters, 19, false}, {masters, 20, true}, {today, 19, true}, {today, 20, false}, {masters, 0, false},
		{today, 0, false}} {
		found := Check(objects(t, c.text), c.release)
		if got := finds(found, defaultEdited, "not the operator's own"); got != c.edited {
			t.Errorf("%v: edited is %v\n%s", c.release, got, c.text)
		}
	}
}

// What the profiles of the CR default are, release by release: of 4.9 and 4.10 there are
// none, later ones add the provider's.
func TestDefaultProfilesByRelease(t *testing.T) {
	for r, want := range map[release.Release]string{3: "openshift openshift-control-plane openshift-control-plane-es " +
		"openshift-node openshift-node-es",
		4: "openshift openshift-control-plane openshift-node", 8: "openshift openshift-control-plane openshift-node", 9: "",
		10: "", 11: "openshift", release.Newest: "openshift"} {
		var names []string
		for _, p := range DirectoryOf(&Input{Release: r}).Profiles {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%v: %q", r, got)
		}
	}
	for r, want := range map[release.Release]bool{7: false, 8: true} {
		if got := strings.Contains(string(defaults.In(r).text), `cgroup_ps_blacklist=/kubepods\.slice/`); got != want {
			t.Errorf("%v: the scheduler leaves containers out is %v", r, got)
		}
	}
	for r, want := range map[release.Release]string{11: "/var/lib/tuned/provider", 13: "/var/lib/tuned/provider",
		14: "/var/lib/ocp-tuned/provider", 20: "/var/lib/ocp-tuned/provider"} {
		if !strings.Contains(string(defaults.In(r).text), want) {
			t.Errorf("%v: %s", r, defaults.In(r).text)
		}
	}
}

// The operator of 4.4 to 4.13 makes the CR rendered of all others and skips it; later
// ones remove it. In 4.3 it is a CR like any other.
func TestRendered(t *testing.T) {
	const text = `apiVersion: tuned.openshift.io/v1
kind: Tuned
metadata: {name: rendered, namespace: openshift-cluster-node-tuning-operator}
spec:
  profile: [{name: openshift-node, data: "[sysctl]\nvm.swappiness=1\n"}, {name: balanced, data: x}]
  recommend: [{profile: balanced, priority: 1}]
`
	for _, r := range release.Documented() {
		counts := r == release.V43
		x := Explain(Input{Release: r, Tuneds: crs(t, text), Nodes: []Node{node("n", worker)}})
		gets(t, x, map[bool]string{true: "balanced", false: "openshift-node"}[counts])
		found := Check(objects(t, text), r)
		if finds(found, renderedCR, "the operator's own") == counts {
			t.Errorf("%v: %v", r, found)
		}
		told := 0
		for _, f := range x.Answer(found...).Findings {
			if f.ID == renderedCR.ID {
				told++
			}
		}
		if told > 1 {
			t.Errorf("%v: it is told %d times", r, told)
		}
		if !counts && len(found) != 1 {
			t.Errorf("%v: the operator's own text is judged: %v", r, found)
		}
		if IsSum(objects(t, text)[0], r) == counts {
			t.Errorf("%v: the CR is the operator's own is %v", r, counts)
		}
		for _, p := range DirectoryOf(&Input{Tuneds: crs(t, text), Release: r}).Profiles {
			if p.Name == "openshift-node" && strings.Contains(p.Source.Body, "swappiness") != counts {
				t.Errorf("%v: %s", r, p.Source.Body)
			}
		}
	}
}

// operandOf is a CR with a profile that sets a sysctl, chosen by items.
func operandOf(recommend string) string {
	return "apiVersion: tuned.openshift.io/v1\nkind: Tuned\n" +
		"metadata: {name: a, namespace: openshift-cluster-node-tuning-operator}\nspec:\n" +
		"  profile:\n  - {name: p, data: \"[sysctl]\\nvm.a=1\\n\"}\n" +
		"  - {name: q, data: \"[main]\\ninclude=p\\n\"}\n  recommend: [" + recommend + "]\n"
}

// The host's sysctl files win, unless all items by which nodes get the profile, or one
// that includes it, turn that off.
func TestReapplySysctl(t *testing.T) {
	const off, on, silent = "operand: {tunedConfig: {reapply_sysctl: false}}",
		"operand: {tunedConfig: {reapply_sysctl: true}}", "operand: {debug: true}"
	item := func(profile, n, operand string) string {
		return "{profile: " + profile + ", priority: " + n + ", match: [{label: x" + n + "}], " + operand + "}"
	}
	for _, c := range []struct {
		recommend string
		release   release.Release
		wins      bool
	}{
		{item("p", "1", off), 0, false}, {item("p", "1", on), 0, true}, {item("p", "1", silent), 0, true},
		{item("q", "1", off), 0, false},
		{item("p", "1", off) + ", " + item("q", "2", off), 0, false},
		{item("p", "1", off) + ", " + item("q", "2", silent), 0, true},
		{item("balanced", "1", off), 0, true}, {item("p", "1", off), 11, false}, {item("p", "1", off), 10, true},
		{item("p", "1", off), 5, true},
	} {
		found := Check(objects(t, operandOf(c.recommend)), release.Current)
		if c.release != 0 {
			found = Check(objects(t, operandOf(c.recommend)), c.release)
		}
		if got := finds(found, sysctlHost, "/etc/sysctl.d"); got != c.wins {
			t.Errorf("%s, %v: the host wins is %v", c.recommend, c.release, got)
		}
	}
}

// What the API server drops of operand, release by release.
func TestOperandDropped(t *testing.T) {
	text := operandOf("{profile: p, priority: 1, match: [{label: x}], operand: {debug: false, verbosity: " +
		"1, tunedConfig: {reapply_sysctl: false}}}")
	for r, want := range map[release.Release]string{3: "operand", 4: "operand", 5: "operand", 6: "operand",
		7: "operand.verbosity operand.tunedConfig", 10: "operand.verbosity operand.tunedConfig",
		11: "operand.verbosity", 17: "operand.verbosity", 18: "", release.Newest: ""} {
		var fields []string
		for _, f := range Check(objects(t, text), r) {
			if f.ID == operandDropped.ID {
				fields = append(fields, strings.TrimPrefix(f.Place.Field, "spec.recommend[0]."))
			}
		}
		if got := strings.Join(fields, " "); got != want {
			t.Errorf("%v: dropped is %q, not %q", r, got, want)
		}
	}
	for _, of := range release.Documented() {
		if got := finds(Check(objects(t, text), of), operandDropped, "operand came with 4.7"); got == operandKnown.In(of) {
			t.Errorf("%v: operand is dropped is %v", of, got)
		}
	}
}

// Items that no node can match both don't tie.
func TestPriorityTieNeedsANode(t *testing.T) {
	role := func(name string) string {
		return "machineConfigLabels: {" + openshift.LabelRole + ": " + name + "}"
	}
	const masters, workers = "match: [{label: " + master + "}]", "match: [{label: " + worker + "}]"
	for _, c := range []struct {
		a, b string
		tie  bool
	}{
		{role("master"), role("worker"), false}, {role("worker"), role("rt"), true}, {role("rt"), role("cnf"), false},
		{role("rt"), role("rt"), true},
		// a node of a small cluster has both labels
		{masters, role("worker"), false}, {masters, role("master"), true}, {masters, workers, true},
		{"match: [{label: node-role.kubernetes.io/control-plane}]", role("rt"), false},
		{workers, role("master"), true}, {"match: [{label: x}]", role("rt"), true},
		{"match: [{label: x, value: a}]", "match: [{label: x, value: b}]", false},
		{"match: [{label: x, value: a}]", "match: [{label: x}]", true},
		{"match: [{label: x, value: a}]", "match: [{label: x, value: b}, {label: y}]", true},
		{"match: [{label: x, type: pod, value: a}]", "match: [{label: x, type: pod, value: b}]", true},
		{"machineConfigLabels: {a: b}", role("master"), true},
	} {
		text := items("a", "[{profile: balanced, priority: 5, "+c.a+"}, {profile: aws, priority: 5, "+c.b+"}]")
		for _, r := range []release.Release{release.V45, release.Current} {
			if got := finds(Check(objects(t, text), r), priorityTie, "priority 5"); got != c.tie {
				t.Errorf("%s and %s, %v: tie is %v", c.a, c.b, r, got)
			}
		}
	}
}

// Kernel arguments that depend on the node are told for its number of CPUs, with what
// is assumed, or not at all.
func TestKernelArgumentsOfTheNodesCPUs(t *testing.T) {
	set := tuned.NewSet(tuned.Directory{Path: "/usr/lib/tuned", Profiles: []tuned.Profile{
		{Name: "counted", Source: tuned.Source{Body: "[bootloader]\ncmdline=free=${f:cpulist_invert:1}\n"}},
		{Name: "plain", Source: tuned.Source{Body: "[bootloader]\ncmdline=skew_tick=1\n"}}}})
	kernel := func(n *Node, profile string) (tuned.CommandLine, bool) {
		flat, _ := set.Flatten(profile, tuned.Machine{}.AssumeCPUs(n.CPUs))
		if flat == nil {
			return tuned.CommandLine{}, false
		}
		return tuned.Kernel(flat), true
	}
	machines := func(cpus ...string) []Node {
		list := make([]openshift.Node, len(cpus))
		for i, n := range cpus {
			list[i].Metadata = openshift.ObjectMeta{Name: "r" + string(rune('0'+i)), Labels: with(rt)}
			if n != "" {
				list[i].Status.Capacity = map[string]string{"cpu": n}
			}
		}
		return Nodes(list)
	}
	for _, c := range []struct {
		profile       string
		nodes         []Node
		state, assume string
		args          string
	}{
		{"counted", machines("4", "4000m"), "created", "0-3", "free=0,2,3"},
		{"counted", machines("4", ""), "unknown", "", ""},
		{"counted", machines("4", "8"), "refused", "0-3", ""},
		{"plain", machines("4", ""), "created", "", "skew_tick=1"},
		{"missing", machines("4"), "unknown", "", ""},
	} {
		x := Explain(Input{Release: release.Current, Nodes: c.nodes, Pools: []openshift.MachineConfigPool{role("rt")},
			Kernel: kernel,
			Tuneds: crs(t, items("a", "[{profile: "+c.profile+", priority: 5, machineConfigLabels: {"+openshift.LabelRole+
				": rt}}]"))})
		mc := x.MachineConfigs[0]
		if mc.State != c.state || strings.Join(mc.KernelArguments, " ") != c.args || (mc.Assumed == "") != (c.assume == "") ||
			!strings.Contains(mc.Assumed, c.assume) {
			t.Errorf("%s: %+v", c.profile, mc)
		}
		if finds(x.Findings, argsUnknown, "50-nto-rt") != (c.state == "unknown") {
			t.Errorf("%s: %v", c.profile, x.Findings)
		}
	}
}

// What changed between 4.5 and today: from 4.10 on Windows nodes are passed over, from
// 4.13 on the kernel lacks sysctls of the scheduler, from 4.19 on CRs are judged.
func TestWhatChangedByRelease(t *testing.T) {
	text := text1("[sysctl]", "kernel.sched_min_granularity_ns=1") + "---\n" +
		strings.Replace(text1("[sysctl]", "vm.a=1"), "name: a,", "name: b,", 1)
	pods := items("c", "[{profile: p, priority: 1, match: [{label: x, type: pod}]}]")
	for _, r := range []release.Release{6, 9, 10, 12, 13, 18, 19, release.Newest} {
		found := Check(objects(t, text+pods), r)
		x := Explain(Input{Release: r, Tuneds: crs(t, text+pods),
			Nodes: []Node{node("linux"), node("windows", "kubernetes.io/os=windows")}, Pods: []Pod{podOn("linux", "p", "x=")}})
		for _, c := range []struct {
			what      string
			got, want bool
		}{
			{"the sysctl is gone", finds(found, sysctlGone, "sched_min"), r >= 13},
			{"profiles are frozen", x.Frozen != "", r >= 19},
			{"two texts freeze", finds(found, duplicate, "no node's profile is updated"), r >= 19},
			{"one text is taken", finds(found, duplicate, "left to chance"), r < 19},
			{"pods make it invalid", finds(found, podMatch, "Valid=False"), r >= 19},
			{"the operator reports", x.Status != nil, r >= 7},
			{"CRs are reported", x.Status != nil && len(x.Status.Tuneds) > 0, r >= 19},
			{"the node of Windows counts", x.Nodes[1].Class >= 0, r < 10},
		} {
			if c.got != c.want {
				t.Errorf("%v: %s is %v", r, c.what, c.got)
			}
		}
	}
}
