package kubeletconfig

import (
	"os"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

// objectsOf reads manifests.
func objectsOf(t testing.TB, text string) []*object.Object {
	t.Helper()
	objects, problems := object.Split("test.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return objects
}

// documents reads the documents' own manifests.
func documents(t testing.TB, names ...string) []*object.Object {
	t.Helper()
	var out []*object.Object
	for _, n := range names {
		text, err := os.ReadFile("testdata/documents/" + n + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		objects, problems := object.Split(n+".yaml", text)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		out = append(out, objects...)
	}
	return out
}

// ids are the ids of findings, shortened.
func ids(list []v1alpha1.Finding) []string {
	var out []string
	for _, f := range list {
		out = append(out, strings.TrimPrefix(f.ID, "kubelet."))
	}
	return out
}

// cr is a KubeletConfig of pool worker with a spec's rest, whose kubeletConfig
// lines are given.
func cr(name, selector string, lines ...string) string {
	return "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: KubeletConfig\nmetadata: {name: " + name +
		"}\nspec:\n  machineConfigPoolSelector: {matchLabels: {" + selector + "}}\n  " +
		strings.Join(lines, "\n  ") + "\n"
}

// onPool is a MachineConfigPool of a role with a label.
func onPool(name, label string) string {
	return "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: " + name +
		", uid: 0a-" + name + ", labels: {" + label + "}}\nspec:\n  nodeSelector: {matchLabels: {node-role.kubernetes.io/" +
		name + ": \"\"}}\n" +
		"  machineConfigSelector: {matchExpressions: [{key: machineconfiguration.openshift.io/role, " +
		"operator: In, values: [worker, " + name + "]}]}\n"
}

// find returns the first finding of an id.
func find(list []v1alpha1.Finding, id string) (v1alpha1.Finding, bool) {
	for _, f := range list {
		if f.ID == "kubelet."+id {
			return f, true
		}
	}
	return v1alpha1.Finding{}, false
}
