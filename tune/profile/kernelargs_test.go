package profile

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/tuned"
)

const rt = "node-role.kubernetes.io/rt"

// told has kernel arguments that don't depend on the node's hardware; nil tells none.
func told(args func(node, profile string) (string, bool)) func(*Node, string) (tuned.CommandLine, bool) {
	if args == nil {
		return nil
	}
	return func(n *Node, profile string) (tuned.CommandLine, bool) {
		text, ok := args(n.Name, profile)
		return tuned.CommandLine{Text: text}, ok
	}
}

func TestKernelArguments(t *testing.T) {
	labels := `machineConfigLabels: {machineconfiguration.openshift.io/role: rt}`
	byRT := items("a", "[{profile: realtime, priority: 5, "+labels+"}]")
	nodes := []Node{node("r0", rt, worker), node("r1", rt, worker), node("w0", worker)}
	pools := []openshift.MachineConfigPool{role("worker"), role("rt")}
	same := func(string, string) (string, bool) { return `skew_tick=1 isolcpus="1,2 3"`, true }
	both := role("rt")
	both.Metadata.Name = "second"
	for _, c := range []struct {
		name    string
		text    string
		pools   []openshift.MachineConfigPool
		cmdline func(node, profile string) (string, bool)
		state   [2]string // 4.5, current
		reason  string
	}{
		{"agree", byRT, pools, same, [2]string{"created", "created"}, "AsExpected"},
		{"not told", byRT, pools, nil, [2]string{"unknown", "unknown"}, "AsExpected"},
		{"empty", byRT, pools, func(string, string) (string, bool) { return " ", true }, [2]string{"empty", "empty"},
			"AsExpected"},
		{"disagree", byRT, pools, func(n, _ string) (string, bool) { return "x=" + n, true },
			[2]string{"undecided", "refused"}, "ProfileConflict"},
	} {
		for i, r := range []release.Release{release.V45, release.Current} {
			x := Explain(Input{Tuneds: crs(t, c.text), Release: r, Nodes: nodes, Pools: c.pools, Kernel: told(c.cmdline)})
			if len(x.MachineConfigs) != 1 {
				t.Fatalf("%s, %v: %+v", c.name, r, x.MachineConfigs)
			}
			mc := x.MachineConfigs[0]
			if mc.Name != "50-nto-rt" || mc.State != c.state[i] || strings.Join(mc.Nodes, " ") != "r0 r1" {
				t.Errorf("%s, %v: %+v", c.name, r, mc)
			}
			if mc.State == "created" {
				if d := cmp.Diff([]string{"skew_tick=1", `isolcpus="1,2 3"`}, mc.KernelArguments); d != "" {
					t.Error(d)
				}
			}
			if bad := mc.State == "undecided" || mc.State == "refused"; finds(x.Findings, argsRefused, "50-nto-rt") != bad {
				t.Errorf("%s, %v: %v", c.name, r, x.Findings)
			}
			if r == release.Current && x.Status.Operator.Reason != c.reason {
				t.Errorf("%s: the operator says %+v", c.name, x.Status.Operator)
			}
		}
		x := Explain(Input{Tuneds: crs(t, c.text), Release: release.V44, Nodes: nodes, Pools: c.pools,
			Kernel: told(c.cmdline)})
		if len(x.MachineConfigs) != 0 {
			t.Errorf("4.4 makes %+v", x.MachineConfigs)
		}
	}
}

// Labels that two pools take: 4.5 doesn't mind, today it is refused.
func TestKernelArgumentsOfTwoPools(t *testing.T) {
	infraToo := role("infra")
	infraToo.Spec.MachineConfigSelector = role("worker").Spec.MachineConfigSelector
	in := Input{Tuneds: crs(t, items("a",
		`[{profile: realtime, priority: 5, machineConfigLabels: {machineconfiguration.openshift.io/role: worker}}]`)),
		Nodes:  []Node{node("w0", worker), node("i0", worker, infra)},
		Pools:  []openshift.MachineConfigPool{role("worker"), infraToo},
		Kernel: told(func(string, string) (string, bool) { return "a", true })}
	in.Release = release.V45
	var names []string
	for _, mc := range Explain(in).MachineConfigs {
		names = append(names, mc.Name+" "+mc.State)
	}
	if d := cmp.Diff([]string{"50-nto-infra created", "50-nto-worker created"}, names); d != "" {
		t.Error(d)
	}
	in.Release = release.Current
	x := Explain(in)
	if mc := x.MachineConfigs; len(mc) != 1 || mc[0].State != "refused" || mc[0].Degraded != "MCLabelsAcrossMCPs" {
		t.Errorf("%+v", mc)
	}
	if o := x.Status.Operator; o.Status != "True" || o.Reason != "MCLabelsAcrossMCPs" {
		t.Errorf("%+v", o)
	}
	// The profile itself is chosen all the same.
	gets(t, x, "realtime", "realtime")
}

// A node of the pool that got another profile by a label counts when arguments are compared.
func TestKernelArgumentsOfAllNodesOfThePool(t *testing.T) {
	in := Input{Release: release.Current,
		Tuneds: crs(t, items("a", `[{profile: realtime, priority: 5, machineConfigLabels: `+
			`{machineconfiguration.openshift.io/role: rt}}, {profile: balanced, priority: 1, match: [{label: x}]}]`)),
		Nodes: []Node{node("r0", rt), node("r1", rt, "x=")}, Pools: []openshift.MachineConfigPool{role("rt")},
		Kernel: told(func(_, profile string) (string, bool) { return map[string]string{"realtime": "a"}[profile], true })}
	if mc := Explain(in).MachineConfigs; len(mc) != 1 || mc[0].State != "refused" || len(mc[0].Disagree) != 1 ||
		mc[0].Disagree[0] != "r1" {
		t.Errorf("%+v", mc)
	}
}

// Nodes of a custom pool are members of worker too: labels that hit worker select them,
// and they write the MachineConfig of worker with what their own profile asks for.
func TestKernelArgumentsOfNodesBesideThePool(t *testing.T) {
	in := Input{Release: release.Current, Tuneds: crs(t, items("a",
		`[{profile: realtime, priority: 5, machineConfigLabels: {machineconfiguration.openshift.io/role: worker}}]`)),
		Nodes:  []Node{node("w0", worker), node("r0", worker, rt)},
		Pools:  []openshift.MachineConfigPool{role("worker"), role("rt")},
		Kernel: told(func(n, _ string) (string, bool) { return n, true })}
	x := Explain(in)
	gets(t, x, "realtime", "realtime")
	if mc := x.MachineConfigs; len(mc) != 1 || mc[0].Name != "50-nto-worker" || mc[0].State != "undecided" ||
		mc[0].Disagree[0] != "r0" {
		t.Errorf("%+v", mc)
	}
	in.Kernel = told(func(string, string) (string, bool) { return "a", true })
	if mc := Explain(in).MachineConfigs; mc[0].State != "created" || len(mc[0].Nodes) != 1 {
		t.Errorf("%+v", mc)
	}
}
