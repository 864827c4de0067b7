package profile

import (
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/release"
)

// lacks is what the first item of a CR a lacks on a node.
func lacks(t *testing.T, item string, n Node, pools []openshift.MachineConfigPool, pods ...Pod) string {
	t.Helper()
	x := Explain(Input{Release: release.V45, Tuneds: crs(t, items("a", "[{profile: balanced, priority: 1, "+item+"}]")),
		Nodes: []Node{n}, Pods: pods, Pools: pools})
	return x.Classes[0].Failed[0].String()
}

func TestFewestChanges(t *testing.T) {
	pools := []openshift.MachineConfigPool{role("worker"), role("infra"), role("rt")}
	labels := "machineConfigLabels: {machineconfiguration.openshift.io/role: infra}"
	const tree = "match: [{label: x, match: [{label: y, value: \"1\"}]}]"
	for _, c := range []struct{ name, item, want string }{
		{"a pool is nearer than the tree", tree + ", " + labels, `add the label node-role.kubernetes.io/infra=""`},
		{"the tree is nearer than a pool", "match: [{label: x}], " + labels, "add the label x (any value)"},
		{"two labels", tree, `add the label x (any value); add the label y=1`},
		{"another value", `match: [{label: zone, value: b}]`, "change the label zone=b"},
		{"one pod has both", `match: [{label: p, type: pod, match: [{label: q, value: "1", type: pod}]}]`,
			"a pod with the labels p and q=1 comes"},
		{"two values need two pods", `match: [{label: p, value: "1", type: pod, match: [{label: p, value: "2", type: pod}]}]`,
			"a pod with the label p=1 comes; a pod with the label p=2 comes"},
		{"the shorter way", `match: [{label: x, match: [{label: y}]}, {label: zone, value: c}]`, "change the label zone=c"},
		{"two values of one label", `match: [{label: x, value: "1", match: [{label: x, value: "2"}]}]`,
			"nothing: it can't match"},
		{"no pool takes the labels", `machineConfigLabels: {a: b}`, "nothing: it can't match"},
	} {
		if got := lacks(t, c.item, node("n", worker, "zone=a"), pools); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
	// A node of another custom pool has to leave it.
	if got, want := lacks(t, labels, node("n", worker, rt), pools),
		`remove the label node-role.kubernetes.io/rt`; !strings.Contains(got, want) || !strings.Contains(got, infra) {
		t.Errorf("%s does not %s", got, want)
	}
}
