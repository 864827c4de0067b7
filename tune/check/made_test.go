package check

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/performance"
)

// A KubeletConfig and a Tuned are held against those that the operator makes of a PerformanceProfile; what is wrong
// with one of these is told at the profile. Alone it has no fault, and before 4.14 it isn't known what becomes of it.
func TestBesideMade(t *testing.T) {
	const profile = "apiVersion: performance.openshift.io/v2\nkind: PerformanceProfile\nmetadata: {name: p}\n" +
		"spec: {cpu: {isolated: 2-7, reserved: 0-1}, nodeSelector: {node-role.kubernetes.io/worker: ''}}\n"
	const others = "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: mine}\n" +
		"spec: {machineConfigPoolSelector: {matchLabels: {pools.operator.machineconfiguration.openshift.io/worker: ''}}, " +
		"kubeletConfig: {maxPods: 500}}\n" +
		"---\napiVersion: tuned.openshift.io/v1\nkind: Tuned\n" +
		"metadata: {name: mine, namespace: openshift-cluster-node-tuning-operator}\n" +
		"spec: {profile: [{name: mine, data: \"[main]\\ninclude=openshift-node\\nsummary=x\\n\"}], " +
		"recommend: [{profile: mine, priority: 20, machineConfigLabels: {machineconfiguration.openshift.io/role: worker}}]}\n"
	told := func(r release.Release, text string) (out []string) {
		for _, f := range one(r, text) {
			if f.Severity != v1alpha1.Info {
				out = append(out, fmt.Sprintf("%d %s %s", f.Place.Line, f.Place.Object, f.ID))
			}
		}
		return out
	}
	if got := told(release.Current, profile); got != nil {
		t.Error(got)
	}
	want := []string{"1 PerformanceProfile/p profile.priorityTie", "8 KubeletConfig/mine kubelet.severalOnPool"}
	for r := performance.Oldest; r <= release.Newest; r++ {
		if d := cmp.Diff(want, told(r, profile+others)); d != "" {
			t.Errorf("%v: %s", r, d)
		}
	}
	if got := told(performance.Oldest-1, profile+others); got != nil {
		t.Error(got)
	}
}
