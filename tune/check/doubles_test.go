package check

import (
	"slices"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// One fault is told once, and what the cluster itself writes is none.
func TestOneFaultIsToldOnce(t *testing.T) {
	const tuned = "apiVersion: tuned.openshift.io/v1\nkind: Tuned\nmetadata: {name: x, namespace: default}\n" +
		"spec: {profile: [], recommend: []}\n"
	const health = "apiVersion: machine.openshift.io/v1beta1\nkind: MachineHealthCheck\n" +
		"metadata: {name: x, namespace: default}\n" +
		"spec: {unhealthyConditions: [{type: Ready, status: Unknown, timeout: 8m}], " +
		"selector: {matchLabels: {machine.openshift.io/cluster-api-machine-role: worker}}}\n"
	const config = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\n" +
		"metadata: {name: 99-x, labels: {machineconfiguration.openshift.io/role: worker}}\n" +
		"spec: {config: {storage: {files: [{path: /etc/x, mode: 420, contents: {source: 'data:,x'}}]}}}\n"
	const pool = "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: worker}\n" +
		"spec:\n  configuration: {apiVersion: v1, kind: ObjectReference, namespace: '', name: rendered-worker-0, uid: u, " +
		"resourceVersion: '1', fieldPath: ''}\n" +
		"  machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker}}\n" +
		"  nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ''}}\n"
	for text, want := range map[string][]string{tuned: {"check.wrongNamespace"}, health: {"check.wrongNamespace"},
		config: {"machineConfig.version"}, pool: nil} {
		for _, r := range []release.Release{release.V44, release.Current} {
			var got []string
			for _, f := range one(r, text) {
				if f.Severity != v1alpha1.Info {
					got = append(got, f.ID)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v: %v\n%s", r, got, text)
			}
		}
	}
	found := one(release.Current, tuned, "check.wrongNamespace")
	if len(found) != 1 || found[0].ID != "profile.namespace" {
		t.Errorf("%v", found)
	}
}
