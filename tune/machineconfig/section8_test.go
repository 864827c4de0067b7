package machineconfig

import (
	"strings"
	"testing"

	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
)

// The lines of section 8 of the notes on OpenShift's operators that concern
// MachineConfigs.

// Worker to infra leaves the pool: no MachineConfig of workers reaches the node
// until there is a pool for it.
func TestSection8_23_WorkerBecomesInfra(t *testing.T) {
	const infra = "---\nkind: Node\nmetadata: {name: infra-0, labels: {node-role.kubernetes.io/infra: \"\"}}\n"
	const pools = `---
kind: MachineConfigPool
metadata: {name: worker}
spec: {machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker}}, nodeSelector: {matchLabels: {node-role.kubernetes.io/worker: ""}}}
---
kind: MachineConfigPool
metadata: {name: infra}
spec: {machineConfigSelector: {matchExpressions: [{key: machineconfiguration.openshift.io/role, operator: In, values: [worker, infra]}]}, nodeSelector: {matchLabels: {node-role.kubernetes.io/infra: ""}}}
`
	text := manifest("2.2.0", "path: /etc/x\nmode: 420\nfilesystem: root\ncontents: {source: \"data:,x\"}")
	for _, r := range release.Documented() {
		findings := Check(split(t, text+infra), r)
		if len(findings) != 1 || findings[0].ID != unreachedRule.ID ||
			!strings.Contains(findings[0].Message, "infra-0 is in no pool") {
			t.Errorf("%s: %v", r, findings)
		}
		if findings := Check(split(t, text+infra+pools), r); len(findings) > 0 {
			t.Errorf("%s, with a pool: %v", r, findings)
		}
	}
}

// fff against ff: what is encoded and what the text says.
func TestSection8_24_MaskOfPayloadAndProse(t *testing.T) {
	mc, _ := Generate(settings(Settings{RPS: &RPS{CPUs: []int{12}}, AsDocumented: true}), release.Current)
	mc.Metadata.Annotations = map[string]string{"description": `echo ff > rps_cpus, or ATTR{queues/*/rps_cpus}="ff"`}
	found := ids(Check(split(t, toYAML(t, mc)), release.Current))
	if strings.Join(found, " ") != "allDevices maskDiffers oneQueue" {
		t.Error(found)
	}
	mc, _ = Generate(settings(Settings{RPS: &RPS{CPUs: []int{8}}, AsDocumented: true}), release.Current)
	text := "# the mask is ff, as 00000000,000000ff on the node\n" + toYAML(t, mc)
	if found := ids(Check(split(t, text), release.Current)); strings.Join(found, " ") != "allDevices oneQueue" {
		t.Error(found)
	}
}

// A folded URL holds blanks; "US- ASCII" is where the printed one broke.
func TestSection8_24_FoldedURL(t *testing.T) {
	text := strings.Replace(readFileText(t, "repaired-4.4.yaml"), "charset=US-ASCII,ACTION",
		"charset=US-\n            ASCII,ACTION", 1)
	for _, r := range []release.Release{release.V43, release.V44, release.V45} {
		findings := Check(split(t, text), r)
		if len(findings) != 1 || findings[0].ID != foldedRule.ID ||
			!strings.Contains(findings[0].Message, `;charset=US- ASCII" before the data: a blank stands in it`) {
			t.Errorf("%s: %v", r, findings)
		}
		objects := split(t, text)
		if p := Render(configsOf(objects), pool.Standard(release.Current), r).Pools[1]; !strings.Contains(p.Failure,
			"wrapped over lines") {
			t.Errorf("%s: %+v", r, p)
		}
	}
}

// 644 in decimal: the setuid, setgid or sticky bit; refused today, taken in 4.4.
func TestSection8_24_DecimalMode(t *testing.T) {
	for r, want := range map[release.Release]string{release.V44: "warning", release.V45: "warning",
		release.Current: "error"} {
		findings := Check(split(t, manifest("2.2.0",
			"path: /etc/x\nmode: 644\nfilesystem: root\ncontents: {source: \"data:,x\"}")), r)
		if len(findings) != 1 || string(findings[0].Severity) != want ||
			!strings.Contains(findings[0].Message, "mode 644 is 01204") || findings[0].Remedy != "write 420, which is 0644" {
			t.Errorf("%s: %v", r, findings)
		}
	}
}
