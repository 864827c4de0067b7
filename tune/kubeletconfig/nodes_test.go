package kubeletconfig

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/release"
)

// Reserved CPUs of the KubeletConfig that counts are held against the nodes of its pool.
func TestOnNodes(t *testing.T) {
	node := func(role string) string {
		return "---\napiVersion: v1\nkind: Node\nmetadata: {name: n, labels: {node-role.kubernetes.io/" + role +
			": ''}}\nstatus: {capacity: {cpu: '8'}}\n"
	}
	config := func(role, arg string) string {
		return "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: c, labels: {" +
			"machineconfiguration.openshift.io/role: " + role + "}}\nspec: {kernelArguments: [" + arg + "]}\n"
	}
	profile := func(role, spec string) string {
		return "---\napiVersion: performance.openshift.io/v2\nkind: PerformanceProfile\nmetadata: {name: p}\nspec: {" +
			spec + ", nodeSelector: {node-role.kubernetes.io/" + role + ": ''}}\n"
	}
	reserved := func(cpus string) string {
		return cr("a", standard, "kubeletConfig: {reservedSystemCPUs: '"+cpus+"', cpuManagerPolicy: static}")
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{reserved("0-1") + node("worker"), nil},
		{reserved("30-31"), nil},
		{reserved("30-31") + node("master"), nil},
		{reserved("30-31") + node("worker"), []string{"warning reservedBeyond"}},
		{reserved("30-31") + config("worker", "nosmt") + node("worker"), nil},
		{reserved("30-31") + config("worker", "quiet") + node("worker"), []string{"warning reservedBeyond"}},
		{reserved("30-31") + config("master", "nosmt") + node("worker"), []string{"warning reservedBeyond"}},
		{reserved("30-31") + profile("worker", "additionalKernelArgs: [smt-enabled=off]") + node("worker"), nil},
		{reserved("30-31") + profile("worker", "cpu: {offlined: '1'}") + node("worker"), nil},
		{reserved("30-31") + profile("a", "cpu: {offlined: '1'}") + node("worker"), []string{"warning reservedBeyond"}},
		{reserved("30-31") + profile("a", "cpu: {offlined: '1'}, machineConfigLabel: {"+
			"machineconfiguration.openshift.io/role: worker}") + node("worker"), nil},
		{reserved("20-31") + config("worker", "nosmt") + node("worker"), []string{"error reservedBeyond"}},
	} {
		var got []string
		for _, f := range Check(objectsOf(t, c.text), release.Current) {
			got = append(got, string(f.Severity)+" "+strings.TrimPrefix(f.ID, "kubelet."))
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", c.text, d)
		}
	}
}
