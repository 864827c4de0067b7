package profile

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// eachRelease are the releases that operators and their sources are known of.
func eachRelease(do func(release.Release)) {
	for r := release.Release(3); r <= release.Newest; r++ {
		do(r)
	}
}

// What TuneD brings along, release by release.
func TestVendorProfilesByRelease(t *testing.T) {
	since := map[string]release.Span{"balanced": {Since: 1}, "sap-hana-vmware": {Since: 1, Until: 5},
		"accelerator-performance": {Since: 6}, "intel-sst": {Since: 6},
		"postgresql": {Since: 7}, "openshift-node": {Since: 9}, "aws": {Since: 13}, "cpu-partitioning-powersave": {Since: 13},
		"sap-hana-kvm-guest": {Since: 14}, "balanced-battery": {Since: 18}}
	for name, span := range since {
		text := strings.Replace(items("a", "[{profile: NAME, priority: 5, match: [{label: x}]}]"), "NAME", name, 1)
		eachRelease(func(r release.Release) {
			known := span.Has(r) || strings.HasPrefix(name, "openshift") && r <= 8 // then of the CR default
			if got := finds(Check(objects(t, text), r), noDefinition, "profile "+name); got == known {
				t.Errorf("%v: %s is not known: %v", r, name, got)
			}
		})
	}
	for r, want := range map[release.Release]int{4: 28, 6: 31, 7: 32, 9: 35, 13: 37, 14: 38, 18: 39, release.Newest: 39} {
		if got := len(vendors.In(r)); got != want {
			t.Errorf("%v: %d profiles, want %d", r, got, want)
		}
	}
}

// What the API server refuses, release by release: an operand without debug, a spec
// without lists, an empty name.
func TestRefusalsByRelease(t *testing.T) {
	const head = "apiVersion: tuned.openshift.io/v1\nkind: Tuned\n" +
		"metadata: {name: a, namespace: openshift-cluster-node-tuning-operator}\nspec:\n"
	for _, c := range []struct {
		spec, what string
		bad        release.Span
	}{
		{"  profile: []\n  recommend: [{profile: balanced, priority: 5, match: [{label: x}], operand: {}}]\n",
			"the operand has no debug", release.Span{Since: 7, Until: 10}},
		{"  profile: []\n  recommend: [{profile: balanced, priority: 5, match: [{label: x}], operand: {debug: false}}]\n",
			"the operand has no debug", release.Span{Since: 90}},
		{"  recommend: []\n", "spec has no profile", release.Span{Since: 1, Until: 8}},
		{"  profile: [{name: '', data: x}]\n  recommend: []\n", "the name of the profile is empty", release.Span{Since: 14}},
	} {
		eachRelease(func(r release.Release) {
			found := Check(objects(t, head+c.spec), r)
			if got := finds(found, missingField, c.what) || finds(found, emptyName, c.what); got != c.bad.Has(r) {
				t.Errorf("%v: %s is %v", r, c.what, got)
			}
		})
	}
	text := operandOf("{profile: p, priority: 5, match: [{label: x}], operand: {tunedConfig: {}}}")
	gets(t, Explain(Input{Release: 9, Tuneds: crs(t, text), Nodes: []Node{node("n", "x=")}}), "openshift-node")
	gets(t, Explain(Input{Release: 11, Tuneds: crs(t, text), Nodes: []Node{node("n", "x=")}}), "p")
}

// Kernel arguments on which nodes of a pool disagree, and labels that hit two pools,
// release by release.
func TestKernelArgumentsByRelease(t *testing.T) {
	labels := func(role string) string {
		return items("a", fmt.Sprintf("[{profile: realtime, priority: 5, machineConfigLabels: {%s: %s}}]",
			openshift.LabelRole, role))
	}
	infraToo := role("infra")
	infraToo.Spec.MachineConfigSelector = role("worker").Spec.MachineConfigSelector
	eachRelease(func(r release.Release) {
		disagree := Explain(Input{Release: r, Tuneds: crs(t, labels("rt")), Nodes: []Node{node("r0", rt), node("r1", rt)},
			Pools:  []openshift.MachineConfigPool{role("rt")},
			Kernel: told(func(n, _ string) (string, bool) { return "x=" + n, true })})
		across := Explain(Input{Release: r, Tuneds: crs(t, labels("worker")),
			Nodes:  []Node{node("w0", worker), node("i0", worker, infra)},
			Pools:  []openshift.MachineConfigPool{role("worker"), infraToo},
			Kernel: told(func(string, string) (string, bool) { return "a", true })})
		for _, c := range []struct {
			what      string
			x         *Explanation
			from      release.Release
			state     string
			before    string
			degraded  string
			degradeOn release.Release
		}{
			{"nodes disagree", disagree, 12, "refused", "undecided", "ProfileConflict", 12},
			{"labels hit two pools", across, 14, "refused", "created created", "MCLabelsAcrossMCPs", 21},
		} {
			var states []string
			for _, mc := range c.x.MachineConfigs {
				states = append(states, mc.State)
			}
			want := c.state
			if r < c.from {
				want = c.before
			}
			if r < 5 {
				want = ""
			}
			if got := strings.Join(states, " "); got != want {
				t.Errorf("%v: %s: %q, want %q", r, c.what, got, want)
			}
			if s := c.x.Status; (s != nil) != (r >= 7) || s != nil && (s.Operator.Reason == c.degraded) != (r >= c.degradeOn) {
				t.Errorf("%v: %s: the operator reports %+v", r, c.what, s)
			}
		}
	})
}

// In 4.12 and 4.13 all nodes of a pool are compared, by whatever item they got their profile.
func TestKernelArgumentsOfAllNodesBeforeOnePool(t *testing.T) {
	text := items("a", "[{profile: realtime, priority: 5, machineConfigLabels: {"+openshift.LabelRole+
		": rt}}, {profile: balanced, priority: 1, match: [{label: x}]}]")
	for r, want := range map[release.Release]string{11: "created", 12: "refused", 13: "refused", 14: "refused"} {
		x := Explain(Input{Release: r, Tuneds: crs(t, text), Nodes: []Node{node("r0", rt), node("r1", rt, "x=")},
			Pools:  []openshift.MachineConfigPool{role("rt")},
			Kernel: told(func(_, profile string) (string, bool) { return map[string]string{"realtime": "a"}[profile], true })})
		if mc := x.MachineConfigs; len(mc) != 1 || mc[0].State != want {
			t.Errorf("%v: %+v", r, mc)
		}
	}
}

// An answer says by whose rules it was made: the release's, where it is known.
func TestRulesOfTheAnswer(t *testing.T) {
	for r, want := range map[release.Release]string{0: "current", 11: "4.11, and of today where nothing else is known",
		20: "4.20"} {
		x := Explain(Input{Release: r, Nodes: []Node{node("n")}})
		one, err := x.AnswerFor("n")
		if all := x.Answer(); all.Release != want || one.Release != want || err != nil {
			t.Errorf("%d: %s, %s, %v", r, all.Release, one.Release, err)
		}
	}
}

// From 4.13 on the operator reports sysctls that the host's files win over.
func TestSysctlOverrideIsReported(t *testing.T) {
	eachRelease(func(r release.Release) {
		if got := finds(Check(objects(t, text1("[sysctl]", "vm.swappiness=1")), r), sysctlHost,
			"Degraded with TunedSysctlOverride"); got != (r >= 13) {
			t.Errorf("%v: %v", r, got)
		}
	})
}
