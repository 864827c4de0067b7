package machineconfig

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// nodeText is a node of role worker as a cluster has it; reason may be empty.
func nodeText(name, current, desired, state, reason string) string {
	const at = "machineconfiguration.openshift.io/"
	return fmt.Sprintf("---\napiVersion: v1\nkind: Node\nmetadata:\n  name: %s\n"+
		"  labels: {node-role.kubernetes.io/worker: \"\"}\n"+
		"  annotations: {%scurrentConfig: %s, %sdesiredConfig: %s, %sstate: %s, %sreason: %q}\n",
		name, at, current, at, desired, at, state, at, reason)
}

func namingPool(paused bool) string {
	return fmt.Sprintf("---\nkind: MachineConfigPool\nmetadata: {name: worker}\nspec:\n  paused: %t\n"+
		"  configuration: {name: new}\n  nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: \"\"}}\n", paused)
}

const anyConfig = "---\nkind: MachineConfig\n" +
	"metadata: {name: 00-worker, labels: {machineconfiguration.openshift.io/role: worker}}\nspec: {kernelArguments: [a]}\n"

// What each node waits for, by its annotations and its pool.
func TestNodesBehind(t *testing.T) {
	for _, c := range []struct {
		current, desired, state string
		paused                  bool
		want                    string
	}{
		{"new", "new", "Done", false, ""}, {"new", "new", "Done", true, ""},
		{"old", "old", "Done", false, "waits for its turn"}, {"old", "old", "Done", true, "waits: the pool is paused"},
		{"old", "new", "Done", false, "has not begun"}, {"old", "new", "Working", false, "is being updated"},
		{"old", "new", "Rebooting", true, "is being updated"}, {"new", "new", "Working", false, "is being updated"},
		{"old", "middle", "Working", false, "is being updated to middle, which the pool no longer names"},
		{"old", "new", "Degraded", false, "gave up on new"}, {"new", "new", "Degraded", false, "gave up on new"},
		{"old", "new", "Unreconcilable", true, "gave up on new"},
	} {
		a := Answer(split(t, anyConfig+namingPool(c.paused)+nodeText("w1", c.current, c.desired, c.state, "full")), nil,
			release.Current)
		n := a.Result.(Result).Nodes
		got, reason := "", ""
		if n == nil || n.Of != 1 {
			t.Fatalf("%+v: %+v", c, n)
		}
		if len(n.Behind) > 0 {
			got, reason = n.Behind[0].Why, n.Behind[0].Reason
		}
		gaveUp := strings.HasPrefix(c.want, "gave up")
		told := slices.Contains(ids(a.Findings), "degraded")
		if got != c.want || (reason == "full") != gaveUp || told != gaveUp {
			t.Errorf("%+v: %q, reason %q, told %v", c, got, reason, told)
		}
	}
}

// Nodes with one fault are told together, in the order of their numbers; nodes that
// tell nothing, and pools that name nothing, are left out.
func TestNodesPart(t *testing.T) {
	text := anyConfig + namingPool(false) + nodeText("w10", "old", "new", "Degraded", "disk\nis full") +
		nodeText("w9", "old", "new", "Degraded", "disk\nis full") + nodeText("w1", "new", "new", "Done", "") +
		"---\napiVersion: v1\nkind: Node\nmetadata: {name: w2, labels: {node-role.kubernetes.io/worker: \"\"}}\n"
	a := Answer(split(t, text), nil, release.Current)
	var told []string
	for _, f := range a.Findings {
		if f.ID == degradedRule.ID {
			told = append(told, f.Message)
		}
	}
	if want := "node w9, node w10 of pool worker are Degraded with new: disk is full"; len(told) != 1 || told[0] != want {
		t.Error(told)
	}
	i := slices.IndexFunc(a.Parts, func(p v1alpha1.Part) bool { return p.Title == "Nodes" })
	if i < 0 {
		t.Fatal("no part")
	}
	p := a.Parts[i]
	if p.Lead[0] != "1 of 3 nodes has what their pool names." || len(p.Tables[0].Rows) != 2 ||
		p.Tables[0].Rows[0][0].Text != "w9" || p.Tables[0].Rows[0][4].Text != "disk is full" {
		t.Errorf("%+v", p)
	}
	if r := Answer(split(t, strings.ReplaceAll(text, "  configuration: {name: new}\n", "")), nil,
		release.Current).Result.(Result); r.Nodes != nil {
		t.Errorf("%+v", r.Nodes)
	}
}
