package machineconfig

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

// dump is a cluster's: what the operator writes itself, what another operator makes,
// a MachineConfig of people, the pool, and what the operator rendered of them.
const dump = `kind: MachineConfig
metadata: {name: 00-worker, labels: {machineconfiguration.openshift.io/role: worker}, annotations: {machineconfiguration.openshift.io/generated-by-controller-version: abc}, ownerReferences: [{apiVersion: machineconfiguration.openshift.io/v1, kind: ControllerConfig, name: machine-config-controller, controller: true}]}
spec:
  config: {ignition: {version: 2.2.0}, storage: {files: [{path: /etc/kubernetes/kubelet.conf, filesystem: root, mode: 420, contents: {source: "data:,template"}}, {path: /etc/plain, filesystem: root, mode: 420, contents: {source: "data:,a%20b"}}]}}
---
kind: MachineConfig
metadata: {name: 99-worker-generated-kubelet, labels: {machineconfiguration.openshift.io/role: worker}, ownerReferences: [{apiVersion: machineconfiguration.openshift.io/v1, kind: KubeletConfig, name: pods, controller: true}]}
spec:
  config: {ignition: {version: 2.2.0}, storage: {files: [{path: /etc/kubernetes/kubelet.conf, filesystem: root, mode: 420, contents: {source: "data:,made"}}]}}
---
kind: MachineConfig
metadata: {name: 50-args, uid: 1-2, labels: {machineconfiguration.openshift.io/role: worker}}
spec: {kernelArguments: [quiet], config: {ignition: {version: 2.2.0}}}
---
kind: MachineConfig
metadata: {name: rendered-worker-0123456789abcdef0123456789abcdef, annotations: {machineconfiguration.openshift.io/generated-by-controller-version: abc}, ownerReferences: [{apiVersion: machineconfiguration.openshift.io/v1, kind: MachineConfigPool, name: worker, controller: true}]}
spec:
  fips: false
  osImageURL: quay.io/release@sha256:00
  kernelArguments: [quiet]
  config: {ignition: {version: 2.2.0}, storage: {files: [{path: /etc/kubernetes/kubelet.conf, filesystem: root, mode: 420, contents: {source: "data:,made"}}, {path: /etc/plain, filesystem: root, mode: 420, contents: {source: "data:,a%20b"}}]}}
---
kind: MachineConfigPool
metadata: {name: worker}
spec:
  machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker}}
  nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}
  configuration: {name: rendered-worker-0123456789abcdef0123456789abcdef, source: [{kind: MachineConfig, name: 00-worker}, {kind: MachineConfig, name: 50-args}, {kind: MachineConfig, name: 99-worker-generated-kubelet}]}
`

// What operators made is no fault of the user's, in every release.
func TestCheckOfADump(t *testing.T) {
	for _, r := range release.Documented() {
		if found := Check(split(t, dump), r); len(found) > 0 {
			t.Errorf("%s: %v", r, found)
		}
	}
}

// Rendered ones are known by their owner, by the operator's mark, and by name alone
// where people have stripped a dump of both.
func TestRenderedIsRecognised(t *testing.T) {
	const spec = "\nspec: {config: {ignition: {version: 3.2.0}}}\n"
	for _, c := range []struct {
		metadata string
		want     bool
	}{
		{"name: rendered-worker-cnf-0123456789abcdef0123456789abcdef", true},
		{"name: rendered-x, ownerReferences: [{kind: MachineConfigPool, name: x}]", true},
		{"name: rendered-x, annotations: {machineconfiguration.openshift.io/generated-by-controller-version: a}", true},
		{"name: rendered-charts", false},
		{"name: worker-0123456789abcdef0123456789abcdef", false},
	} {
		objects := split(t, "kind: MachineConfig\nmetadata: {"+c.metadata+"}"+spec)
		found, unclaimed := Check(objects, release.Current), Render(configsOf(objects), nil, release.Current).Unclaimed
		if len(found) == 0 != c.want || len(unclaimed) == 0 != c.want {
			t.Errorf("%s: %v %v", c.metadata, found, unclaimed)
		}
	}
}

// A rendered one with a label is rendered again, which is told.
func TestRenderedWithALabel(t *testing.T) {
	text := strings.Replace(dump, "{name: rendered-worker-0123456789abcdef0123456789abcdef,", "{name: "+
		"rendered-worker-0123456789abcdef0123456789abcdef, labels: {machineconfiguration.openshift.io/role: worker},", 1)
	found := Check(split(t, text), release.V44)
	wellSaid(t, found)
	if len(found) != 1 || found[0].ID != renderedRule.ID || found[0].Remedy != "take the labels off" {
		t.Errorf("%v", found)
	}
}

// What is left of an operator's faults: those that keep the pool from being rendered.
func TestMadeButRefused(t *testing.T) {
	text := strings.Replace(dump, "data:,a%20b", "data:,a b", 1)
	found := Check(split(t, text), release.V44)
	if len(found) != 1 || found[0].Severity != v1alpha1.Error || found[0].Place.Object != "MachineConfig/00-worker" {
		t.Errorf("%v", found)
	}
}

// People who write an operator's file again are told at their own.
func TestShadowOfAnOperatorsFile(t *testing.T) {
	mine := "---\nkind: MachineConfig\nmetadata: {name: 99-zz, labels: {machineconfiguration.openshift.io/role: " +
		"worker}}\nspec:\n  config: {ignition: {version: 2.2.0}, storage: {files: [{path: /etc/plain, filesystem: " +
		"root, mode: 420, contents: {source: \"data:,x\"}}]}}\n"
	found := Check(split(t, dump+mine), release.Current)
	wellSaid(t, found)
	if len(found) != 1 || found[0].Severity != v1alpha1.Info || found[0].Place.Object != "MachineConfig/99-zz" ||
		!strings.Contains(found[0].Message, "00-worker") {
		t.Errorf("%v", found)
	}
	lost := strings.Replace(mine, "99-zz", "98-zz", 1)
	lost = strings.Replace(lost, "/etc/plain", "/etc/kubernetes/kubelet.conf", 1)
	for _, f := range Check(split(t, dump+lost), release.Current) {
		if f.Severity == v1alpha1.Warning && f.Place.Object != "MachineConfig/98-zz" {
			t.Errorf("%v", f)
		}
	}
}

// Another operator's mark, and its owner.
func TestMade(t *testing.T) {
	const head = "kind: MachineConfig\nmetadata: {name: 50-nto-x, labels: {machineconfiguration.openshift.io/role: x}"
	const spec = "}\nspec: {kernelArguments: [\"\"]}\n"
	for tail, want := range map[string][]string{
		"": {"kernelArgument", "noPool"},
		", annotations: {tuned.openshift.io/generated-by-controller-version: v4}": nil,
		", annotations: {machineconfiguration.openshift.io/generated-by-controller-version: \"\"}": {"kernelArgument",
			"noPool"},
		", ownerReferences: [{kind: PerformanceProfile, name: p, controller: true}]": nil,
	} {
		if d := cmp.Diff(want, ids(Check(split(t, head+tail+spec), release.Current))); d != "" {
			t.Errorf("%s: %s", tail, d)
		}
	}
}
