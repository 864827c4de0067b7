package kube

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

// TestBudgets: a PodDisruptionBudget guards the pods of its namespace that its selector takes: an empty
// one all, none none (policy/v1). Pods that differ only in whether they are guarded stay apart.
func TestBudgets(t *testing.T) {
	budget := func(name, spec string) string {
		return `{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "` + name +
			`", "namespace": "n"}, "spec": {` + spec + `}}`
	}
	pod := func(name, owner, app string) string {
		return livePod(name, "StatefulSet", owner, `"app": "`+app+`"`, `"nodeName": "a", `+oneCPU)
	}
	inv := snapshot(t, asList(worker("a", "", ""), pod("db-0", "db", "db"), pod("db-1", "db", "db"),
		pod("web-0", "web", "x"),
		pod("web-1", "web", "y"),
		budget("db", `"minAvailable": 1, "selector": {"matchLabels": {"app": "db"}}`),
		budget("x", `"maxUnavailable": "25%", "selector": {"matchExpressions": [{"key": "app", "operator": "In", `+
			`"values": ["x"]}]}`),
		budget("all", `"maxUnavailable": 1, "selector": {}`), budget("nothing", `"maxUnavailable": 1`),
		budget("lost", `"maxUnavailable": 1, "selector": {"matchLabels": {"app": "gone"}}`),
		budget("db", `"minAvailable": 2, "selector": {"matchLabels": {"app": "db"}}`)))
	var names []string
	for _, p := range inv.PodTypes {
		names = append(names, p.Name)
	}
	want := []v1alpha1.DisruptionBudget{
		{Name: "n/db", Pods: []string{"n/db"}, MinAvailable: "2"},
		{Name: "n/all", Pods: []string{"n/db", "n/web", "n/web-2"}, MaxUnavailable: "1"},
		{Name: "n/x", Pods: []string{"n/web"}, MaxUnavailable: "25%"},
	}
	if diff := cmp.Diff(want, inv.Budgets); diff != "" {
		t.Errorf("%v (-want +got):\n%s", names, diff)
	}
	said := strings.Join(skips(inv), "\n")
	for _, name := range []string{"n/nothing", "n/lost"} {
		if !strings.Contains(said, "PodDisruptionBudget "+name+": it guards no pod that is counted") {
			t.Errorf("%s is not told of in\n%s", name, said)
		}
	}
}
