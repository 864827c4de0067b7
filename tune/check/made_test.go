package check

import (
	"fmt"
	"strings"
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
		"spec: {profile: [{name: mine, data: \"[main]\\ninclude=openshift-node\\n\"}], " +
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
	const standard = "---\napiVersion: tuned.openshift.io/v1\nkind: Tuned\n" +
		"metadata: {name: default, namespace: openshift-cluster-node-tuning-operator}\nspec: {}\n"
	made := strings.NewReplacer("KubeletConfig\nmetadata: {name: mine", "KubeletConfig\nmetadata: {name: performance-p",
		"Tuned\nmetadata: {name: mine", "Tuned\nmetadata: {name: openshift-node-performance-p").Replace(others)
	_, tuned, _ := strings.Cut(made, "---\napiVersion: tuned")
	tuned = "---\napiVersion: tuned" + tuned
	open := []string{"what becomes of 1 PerformanceProfile before 4.14"}
	for text, want := range map[string][]string{profile: nil, profile + others: open, profile + standard: nil,
		profile + standard + made: nil, profile + others + made: nil, profile + others + tuned: open} {
		if d := cmp.Diff(want, lint(performance.Oldest-1, map[string]string{"f.yaml": text}).Verdict.Open); d != "" {
			t.Error(d)
		}
	}
}

// What the annotation of a profile comes to is judged as a KubeletConfig is, and told at the annotation; a node that
// lacks reserved CPUs is told of once.
func TestMadeKubelet(t *testing.T) {
	const profile = "apiVersion: performance.openshift.io/v2\nkind: PerformanceProfile\nmetadata:\n  name: p\n" +
		"  annotations:\n    kubeletconfig.experimental: '{\"maxPods\": -5, \"cpuManagerPolicy\": \"none\"}'\n" +
		"spec: {cpu: {isolated: 2-7, reserved: 0-1}, nodeSelector: {node-role.kubernetes.io/worker: ''}}\n"
	told := func(text string) (out []string) {
		for _, f := range one(release.Current, text) {
			out = append(out, fmt.Sprintf("%d:%d %s %s", f.Place.Line, f.Place.Col, f.Place.Object, f.ID))
		}
		return out
	}
	want := []string{"6:33 PerformanceProfile/p kubelet.kubeletStops", "6:33 PerformanceProfile/p performance.overwritten"}
	if d := cmp.Diff(want, told(profile)); d != "" {
		t.Error(d)
	}
	const node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {node-role.kubernetes.io/worker: ''}}\n" +
		"status: {capacity: {cpu: '8'}}\n"
	want = []string{"7:39 PerformanceProfile/p performance.reservedBeyond"}
	few := strings.NewReplacer("2-7", "0-7", "0-1", "8-16", `"maxPods": -5, "cpuManagerPolicy": "none"`, "").
		Replace(profile)
	if d := cmp.Diff(want, told(few+node)); d != "" {
		t.Error(d)
	}
	// What the annotation keeps back for the kubelet must be what its reservedMemory comes to.
	apart := strings.Replace(profile, `"maxPods": -5, "cpuManagerPolicy": "none"`, `"systemReserved": {"memory": "4Gi"}, `+
		`"memoryManagerPolicy": "Static", "reservedMemory": [{"numaNode": 0, "limits": {"memory": "5Gi"}}]`, 1)
	if d := cmp.Diff([]string{"6:33 PerformanceProfile/p kubelet.kubeletStops"}, told(apart)); d != "" {
		t.Error(d)
	}
	// The nodes of a custom pool get the KubeletConfig of worker, and are not the profile's own.
	const infra = "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\n" +
		"metadata: {name: infra}\nspec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/infra: ''}}, " +
		"machineConfigSelector: {matchExpressions: [{key: machineconfiguration.openshift.io/role, operator: In, " +
		"values: [worker, infra]}]}}\n"
	below := strings.Replace(node, "worker: ''", "worker: '', node-role.kubernetes.io/infra: ''", 1)
	want = []string{"7:39 PerformanceProfile/p kubelet.reservedBeyond"}
	if d := cmp.Diff(want, told(few+infra+below)); d != "" {
		t.Error(d)
	}
}
