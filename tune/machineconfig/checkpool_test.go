package machineconfig

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

const oneFile = "path: %s\nmode: 420\ncontents: {source: \"data:,x\"}"

func TestCheckOfLabels(t *testing.T) {
	text := manifest("3.2.0", fmt.Sprintf(oneFile, "/etc/x"))
	for _, c := range []struct {
		labels string
		want   []string
	}{
		{"machineconfiguration.openshift.io/role: worker", nil},
		{"machineconfiguration.openshift.io/role: infra", []string{"noPool"}},
		{"role: worker", []string{"noPool"}},
		{"", []string{"noRole"}},
	} {
		findings := Check(split(t, strings.Replace(text, "machineconfiguration.openshift.io/role: worker", c.labels, 1)),
			release.Current)
		wellSaid(t, findings)
		if d := cmp.Diff(c.want, ids(findings)); d != "" {
			t.Errorf("%s: %s", c.labels, d)
		}
	}
}

// Whether a pool is missing, or in another file: pool worker in full among the objects says
// that they are all there; a custom pool may be one of several.
func TestNoPoolSeverity(t *testing.T) {
	text := strings.Replace(manifest("3.2.0", fmt.Sprintf(oneFile, "/etc/x")), "role: worker", "role: rt", 1)
	const pools = "---\nkind: MachineConfigPool\nmetadata: {name: %s}\nspec: {%s}\n"
	role := func(values string) string {
		return "machineConfigSelector: {matchExpressions: [{key: " +
			"machineconfiguration.openshift.io/role, operator: In, values: [" + values + "]}]}"
	}
	for _, c := range []struct{ name, text, want string }{
		{"no pools", "", "warning noPool"},
		{"a change of a usual pool", fmt.Sprintf(pools, "worker", "maxUnavailable: 2"), "warning noPool"},
		{"a custom pool", fmt.Sprintf(pools, "infra", role("worker, infra")), "warning noPool"},
		{"a usual pool in full", fmt.Sprintf(pools, "worker", role("worker")), "error noPool"},
		{"its pool", fmt.Sprintf(pools, "rt", role("worker, rt")), ""},
	} {
		findings := Check(split(t, text+c.text), release.Current)
		wellSaid(t, findings)
		got := strings.TrimSuffix(strings.Join(saidOf(findings), ""), " 2")
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// Master and worker are there beside a custom pool that is alone in the file, and in
	// a pool of which only a change is given.
	for _, other := range []string{fmt.Sprintf(pools, "infra", role("worker, infra")),
		fmt.Sprintf(pools, "master", "paused: false")} {
		if found := Check(split(t, strings.Replace(text, "role: rt", "role: master", 1)+other),
			release.Current); len(found) > 0 {
			t.Errorf("%s: %v", other, found)
		}
	}
}

// The kubelet's own file: lost by a name that sorts before the operator's.
func TestCheckOfOrder(t *testing.T) {
	kubelet := func(name, role string) string {
		text := manifest("3.2.0", fmt.Sprintf(oneFile, "/etc/kubernetes/kubelet.conf"))
		return strings.NewReplacer("50-x", name, "role: worker", "role: "+role).Replace(text)
	}
	for _, c := range []struct {
		text string
		want int
	}{
		{kubelet("00-mine", "worker"), 1},
		{kubelet("50-mine", "worker"), 0},
		{kubelet("00-mine", "master"), 1},
	} {
		findings := Check(split(t, c.text), release.Current)
		wellSaid(t, findings)
		if len(findings) != c.want || c.want > 0 && findings[0].ID != orderRule.ID {
			t.Errorf("%s: %v", c.text[:60], findings)
		}
	}
	two := kubelet("50-a", "worker") + "---\n" + kubelet("60-b", "worker")
	if d := cmp.Diff([]string{"warning order 8", "info rollouts 1"},
		saidOf(Check(split(t, two), release.Current))); d != "" {
		t.Error(d)
	}
	if found := Check(split(t, two), release.Current); !strings.Contains(found[0].Message, "written again by 60-b") {
		t.Error(found[0].Message)
	}
}

func TestCheckOfRollouts(t *testing.T) {
	a, b := manifest("3.2.0", fmt.Sprintf(oneFile, "/etc/a")),
		strings.Replace(manifest("3.2.0", fmt.Sprintf(oneFile, "/etc/b")), "50-x", "51-y", 1)
	if d := cmp.Diff([]string{"rollouts"}, ids(Check(split(t, a+"---\n"+b), release.Current))); d != "" {
		t.Error(d)
	}
	applied := strings.Replace(b, "name: 51-y", "name: 51-y, creationTimestamp: \"2020-10-20T00:00:00Z\"", 1)
	if found := Check(split(t, a+"---\n"+applied), release.Current); len(found) > 0 {
		t.Errorf("one is there already: %v", found)
	}
}

// Nodes of one pool with different numbers of CPUs.
func TestCheckOfCPUCounts(t *testing.T) {
	mc, _ := Generate(settings(Settings{RPS: &RPS{CPUs: []int{16}}}), release.Current)
	text := toYAML(t, mc)
	for i, cpus := range []string{`"16"`, `"8"`, "7500m"} {
		text += fmt.Sprintf("---\nkind: Node\nmetadata: {name: w%d, labels: {node-role.kubernetes.io/worker: \"\"}}\n"+
			"status: {capacity: {cpu: %s}}\n", i, cpus)
	}
	findings := Check(split(t, text), release.Current)
	wellSaid(t, findings)
	if d := cmp.Diff([]string{"cpuCounts", "mask"}, ids(findings)); d != "" {
		t.Error(d)
	}
	if !strings.Contains(findings[0].Message+findings[1].Message, "7, 8 and 16 CPUs") {
		t.Errorf("%v", findings)
	}
}

func TestCheckOfArguments(t *testing.T) {
	for _, c := range []struct {
		args    string
		release release.Release
		want    []string
	}{
		{"[hugepagesz=1G, hugepages=4]", release.V44, nil},
		{"[hugepagesz=1G hugepages=4]", release.Current, nil},
		{"[hugepagesz=1G hugepages=4]", release.V44, []string{"kernelArgument"}},
		{`[""]`, release.Current, []string{"kernelArgument"}},
		{"[hugepages=4, hugepagesz=1G]", release.Current, []string{"hugePages"}},
		{"[hugepagesz=1G, hugepages=4, hugepagesz=2M, hugepages=4]", release.V45, []string{"hugePages"}},
	} {
		findings := Check(split(t, "kind: MachineConfig\nmetadata: {name: a, labels: "+
			"{machineconfiguration.openshift.io/role: worker}}\nspec:\n  kernelArguments: "+c.args+"\n"), c.release)
		wellSaid(t, findings)
		if d := cmp.Diff(c.want, ids(findings)); d != "" {
			t.Errorf("%s in %s: %s", c.args, c.release, d)
		}
	}
}

// Sections that only installation applies, units, kernel types.
func TestCheckOfTheRest(t *testing.T) {
	const head = "kind: MachineConfig\nmetadata: {name: a, labels: " +
		"{machineconfiguration.openshift.io/role: worker}}\nspec:\n"
	for _, c := range []struct {
		spec    string
		release release.Release
		want    []string
	}{
		{"  kernelType: realtime\n", release.V44, nil},
		{"  kernelType: realtime\n", release.V43, []string{"warning kernelType 4"}},
		{"  kernelType: rt\n", release.Current, []string{"error kernelType 4"}},
		{"  config: {}\n", release.Current, []string{"error version 4"}},
		{"  config: []\n", release.Current, []string{"error object.wrongType 4"}},
		{"  config: {ignition: {version: 3.2.0}, storage: {disks: [{device: /dev/sda}]}}\n", release.Current,
			[]string{"warning refused 4"}},
		{"  config: {ignition: {version: 3.2.0}, kernelArguments: {shouldExist: [a]}}\n", release.Current,
			[]string{"warning refused 4"}},
		{"  config: {ignition: {version: 3.2.0}, passwd: {groups: [{name: g}], users: [{name: joe}, {name: core}]}}\n",
			release.Current, []string{"warning refused 4", "warning refused 4"}},
		{"  config: {ignition: {version: 2.2.0}, networkd: {units: [{name: a.network}]}}\n", release.V44,
			[]string{"warning refused 4"}},
		{"  config: {ignition: {version: 2.2.0}, networkd: {units: [{name: a.network}]}}\n", release.Current,
			[]string{"warning refused 4", "warning refused 4"}},
		{"  config: {ignition: {version: 3.2.0}, systemd: {units: [{name: a.service, enabled: true, contents: " +
			"\"[Service]\\nExecStart=/bin/a\\n\"}]}}\n", release.Current, []string{"warning unit 4"}},
		{"  config: {ignition: {version: 3.2.0}, systemd: {units: [{name: a}, {name: a}]}}\n", release.Current,
			[]string{"error unit 4", "error unit 4", "error duplicate 4"}},
		{"  config: {ignition: {version: 3.2.0}, storage: {files: [{path: /etc/systemd/system/a.service, contents: " +
			"{source: \"data:,\"}}]}, systemd: {units: [{name: a.service, contents: \"[Unit]\\n\"}]}}\n", release.Current,
			[]string{"error path 4"}},
		{"  config: {ignition: {version: 3.2.0}, storage: {files: [{path: /run/machine-config-daemon-force, contents: " +
			"{source: \"data:,\"}}]}}\n", release.Current, []string{"warning refused 4"}},
		{"  config: {ignition: {version: 3.2.0}, storage: x, systemd: {units: {}}, passwd: {users: [x]}}\n", release.Current,
			[]string{"error type 4", "error type 4", "warning refused 4"}},
	} {
		findings := Check(split(t, head+c.spec), c.release)
		got := saidOf(findings)
		if d := cmp.Diff(slices.Sorted(slices.Values(c.want)), slices.Sorted(slices.Values(got))); d != "" {
			t.Errorf("%s%s", c.spec, d)
		}
	}
}

// No text makes Check panic, or say something without a place.
func FuzzCheck(f *testing.F) {
	for _, name := range []string{"document001-rps-printed.yaml", "document001-rps.yaml", "document001-route.yaml",
		"repaired-4.4.yaml", "nodes.yaml"} {
		f.Add([]byte(readFileText(f, name)), uint8(1))
	}
	f.Add([]byte(manifest("3.2.0", "Path: /etc/udev/rules.d/x.rules\nmode: 644\n"+
		"contents: {source: \"data:,SUBSYSTEM=%22\"}\nappend: 3")), uint8(3))
	f.Add([]byte(dump), uint8(1))
	f.Add([]byte(unitsOf("50-a", bare("a@.service"), "")), uint8(3))
	f.Add([]byte("kind: MachineConfig\nspec: {kernelArguments: [hugepages=1, hugepagesz=1G, 'a b'], config: {systemd: "+
		"{units: [{name: x, dropins: [{}]}]}}}"), uint8(2))
	f.Fuzz(func(t *testing.T, text []byte, which uint8) {
		objects, _ := object.Split("fuzz.yaml", text)
		r := release.Release(which % 4)
		for _, finding := range Check(objects, r) {
			if finding.Place == nil || finding.Place.Line < 1 || finding.Message == "" || finding.Remedy == "" {
				t.Fatalf("%+v", finding)
			}
		}
		Answer(objects, objects, r)
	})
}

func BenchmarkCheck(b *testing.B) {
	var text strings.Builder
	for i := range 200 {
		mc, _ := Generate(Settings{Name: fmt.Sprintf("50-%03d", i), Role: "worker", RPS: &RPS{CPUs: []int{64}}},
			release.Current)
		text.WriteString("---\n" + toYAML(b, mc))
	}
	for i := range 500 {
		fmt.Fprintf(&text, "---\nkind: Node\nmetadata: {name: w%d, labels: {node-role.kubernetes.io/worker: \"\"}}\n"+
			"status: {capacity: {cpu: \"64\"}}\n", i)
	}
	objects := split(b, text.String())
	b.ReportAllocs()
	for b.Loop() {
		Check(objects, release.Current)
	}
}

// What a node is that people wrote some labels of is not known; one of a cluster without a role is in no pool.
func TestNodesWithoutRole(t *testing.T) {
	text := manifest("3.2.0", fmt.Sprintf(oneFile, "/etc/x")) + "---\nkind: Node\n" +
		"metadata: {name: n, labels: {disk: fast}}\n"
	if found := Check(split(t, text), release.Current); len(found) > 0 {
		t.Error(found)
	}
	if d := cmp.Diff([]string{"warning unreached 2"},
		saidOf(Check(split(t, text+"status: {nodeInfo: {architecture: amd64}}\n"), release.Current))); d != "" {
		t.Error(d)
	}
}

// The Node Tuning Operator writes its files again itself, and others' files where the cluster has a setting for them.
func TestOrderOfOperators(t *testing.T) {
	file := func(name, path string) string {
		return strings.Replace(manifest("3.2.0", fmt.Sprintf(oneFile, path)), "50-x", name, 1)
	}
	own := file("01-worker-cpu-partitioning", "/etc/kubernetes/openshift-workload-pinning")
	by := strings.Replace(file("50-performance-a", "/etc/kubernetes/openshift-workload-pinning"), "labels: {",
		"labels: {performance.openshift.io/weak-owner-reference-name: a, ", 1)
	for _, f := range Check(split(t, own+"---\n"+by), release.Current) {
		if f.ID == orderRule.ID {
			t.Error(f.Message)
		}
	}
	found := Check(split(t, file("10-a", "/etc/containers/policy.json")), release.Current)
	if len(found) != 1 || !strings.Contains(found[0].Message, "99-worker-generated-registries where the cluster blocks") {
		t.Error(found)
	}
}
