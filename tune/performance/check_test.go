package performance

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// good is a profile that every release takes; tests replace a part of it.
const good = `apiVersion: performance.openshift.io/v2
kind: PerformanceProfile
metadata: {name: p}
spec:
  cpu: {isolated: 2-7, reserved: 0-1}
  hugepages: {defaultHugepagesSize: 1G, pages: [{size: 1G, count: 4, node: 0}, {size: 1G, count: 4, node: 1}]}
  nodeSelector: {node-role.kubernetes.io/worker-cnf: ""}
  numa: {topologyPolicy: single-numa-node}
  realTimeKernel: {enabled: true}
  net: {userLevelNetworking: true, devices: [{interfaceName: ens5*}, {vendorID: "0x8086", deviceID: "0x1"}]}
`

// judge are the findings of a text: "line:column rule field".
func judge(t *testing.T, r release.Release, text string) (out []string) {
	t.Helper()
	objects, problems := object.Split("x.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, f := range Check(objects, r) {
		out = append(out, fmt.Sprintf("%d:%d %s %s", f.Place.Line, f.Place.Col, f.ID, f.Place.Field))
	}
	slices.Sort(out)
	return out
}

// node is a node of the profile.
func node(name, arch, cpus string) string {
	return "---\napiVersion: v1\nkind: Node\nmetadata: {name: " + name +
		`, labels: {node-role.kubernetes.io/worker-cnf: ""}}` +
		"\nstatus: {capacity: {cpu: '" + cpus + "'}, nodeInfo: {architecture: " + arch + "}}\n"
}

// What the operator refuses is told with its place, from the release on that refuses it.
func TestCheck(t *testing.T) {
	const cpus = "isolated: 2-7, reserved: 0-1"
	const pages = "size: 1G, count: 4, node: 1"
	for _, c := range []struct {
		name, old, now, more string
		// since is the first release that refuses it; 0 is all.
		since release.Release
		want  []string
	}{
		{name: "good"},
		{"no list", cpus, "isolated: 2-7, reserved: x", "", 0, []string{"5:34 performance.cpus spec.cpu.reserved"}},
		{"blank", cpus, "isolated: '2, 3', reserved: '0'", "", 0, []string{"5:19 performance.cpus spec.cpu.isolated"}},
		{"empty", cpus, "isolated: '', reserved: 0-1", "", 0, []string{"5:19 performance.cpus spec.cpu.isolated"}},
		{"a number", cpus, "isolated: 2-7, reserved: 0", "", 0, []string{"5:34 object.wrongType spec.cpu.reserved"}},
		{"overlap", cpus, "isolated: 1-7, reserved: 0-1", "", 0, []string{"5:19 performance.overlap spec.cpu.isolated"}},
		{"offlined", cpus, cpus + ", offlined: '7'", "", 0, []string{"5:49 performance.overlap spec.cpu.offlined"}},
		{"shared", cpus, cpus + ", shared: '7'", "", 15, []string{"5:47 performance.overlap spec.cpu.shared"}},
		{"dpdk", cpus, cpus + ", ovsDpdk: '7'", "", 23, []string{"5:48 performance.overlap spec.cpu.ovsDpdk"}},
		{"two labels", `cnf: ""`, `cnf: "", a/b: ""`, "", 0, []string{"7:17 performance.selector spec.nodeSelector"}},
		{"no role", "node-role.kubernetes.io/worker-cnf", "worker", "", 0,
			[]string{"7:17 performance.selector spec.nodeSelector"}},
		{"empty selector", `{node-role.kubernetes.io/worker-cnf: ""}`, "{}", "", 0,
			[]string{"7:17 performance.selector spec.nodeSelector"}},
		{"no role, and told", "node-role.kubernetes.io/worker-cnf",
			"worker: ''}\n  machineConfigLabel: {a: b}\n  machineConfigPoolSelector: {c", "", 0, nil},
		{"size", pages, "size: 1Gi, count: 4", "", 0, []string{"6:87 performance.hugePages spec.hugepages.pages[1].size"}},
		{"twice", pages, "size: 1G, count: 1, node: 0", "", 0,
			[]string{"6:80 performance.hugePages spec.hugepages.pages[1]"}},
		{"no default", "defaultHugepagesSize: 1G, ", "", "", 21, []string{"6:14 performance.hugePages spec.hugepages"}},
		{"policy", "single-numa-node", "single", "", 0, []string{"8:26 performance.topologyPolicy spec.numa.topologyPolicy"}},
		{"id", `"0x8086"`, "'8086'", "", 0, []string{"10:81 performance.device spec.net.devices[1].vendorID"}},
		{"no vendor", `vendorID: "0x8086", `, "", "", 0, []string{"10:70 performance.device spec.net.devices[1]"}},
		{"real time", "  net:", "  workloadHints: {realTime: false}\n  net:", "", 12,
			[]string{"10:29 performance.hints spec.workloadHints.realTime"}},
		{"power", "  net:", "  workloadHints: {highPowerConsumption: true, perPodPowerManagement: true}\n  net:", "", 12,
			[]string{"10:70 performance.hints spec.workloadHints.perPodPowerManagement"}},
		{"mixed", "  net:", "  workloadHints: {mixedCpus: true}\n  net:", "", 15,
			[]string{"10:30 performance.hints spec.workloadHints.mixedCpus"}},
		{"frequency", "  net:", "  hardwareTuning: {isolatedCpuFreq: 1}\n  net:", "", 16,
			[]string{"10:19 performance.frequency spec.hardwareTuning"}},
		{"beyond our limit", cpus, "isolated: 2-2047, reserved: 0-1", "", 0,
			[]string{"5:19 performance.cpusBeyond spec.cpu.isolated"}},
		{"pages below 0", "count: 4, node: 1", "count: -4, node: 1", "", 0,
			[]string{"6:98 performance.pageCount spec.hugepages.pages[1].count"}},
		{"no pattern", "ens5*", "'ens[5'", "", 0,
			[]string{"10:62 performance.interfaceName spec.net.devices[0].interfaceName"}},
		{"a line break", "  net:", "  additionalKernelArgs: [\"a\\nb\"]\n  net:", "", 0,
			[]string{"10:26 performance.kernelArgument spec.additionalKernelArgs[0]"}},
		{"another argument", "  net:", "  additionalKernelArgs: [a=b, nohz_full=5]\n  net:", "", 14,
			[]string{"10:31 performance.twoArguments spec.additionalKernelArgs[1]"}},
		{"the same argument", "  net:", "  additionalKernelArgs: [nohz_full=2-7]\n  net:", "", 0, nil},
		{"a slip", "name: p}", "name: p, annotations: {performance.openshift.io/enable-rp: x, a.b/c: d}}", "", 0,
			[]string{"3:71 performance.annotation metadata.annotations.performance.openshift.io/enable-rp"}},
		{"a slip without our name", "name: p}", "name: p, annotations: {kubeletconfig.experimentl: x}}", "", 0,
			[]string{"3:62 performance.annotation metadata.annotations.kubeletconfig.experimentl"}},
		{"neither", "name: p}", "name: p, annotations: {performance.openshift.io/dra-resource-management: 'yes'}}", "", 22,
			[]string{"3:85 performance.annotation metadata.annotations.performance.openshift.io/dra-resource-management"}},
		{"no spec", good[strings.Index(good, "  cpu:"):], "", "", 0, []string{"4:1 performance.cpus spec"}},
		{"kernel pages", "  net:", "  kernelPageSize: 64k\n  net:", node("a", "amd64", "8"), 18,
			[]string{"10:19 performance.kernelPageSize spec.kernelPageSize"}},
		{"other nodes", "x", "x", node("a", "amd64", "8") + node("b", "arm64", "8"), 18,
			[]string{"7:17 performance.unlikeNodes spec.nodeSelector"}},
		{"same nodes", "x", "x", "---\n" + strings.Replace(good, "name: p", "name: q", 1), 0,
			[]string{"18:17 performance.sameNodes spec.nodeSelector"}},
	} {
		text := good + c.more
		if c.old != "" && c.old != "x" {
			if text = strings.Replace(good, c.old, c.now, 1) + c.more; !strings.Contains(good, c.old) {
				t.Fatalf("%s: %s isn't there", c.name, c.old)
			}
		}
		if d := cmp.Diff(c.want, judge(t, release.Current, text)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if c.since == 0 {
			c.since = 11
			if d := cmp.Diff(c.want, judge(t, 11, text)); d != "" {
				t.Errorf("%s in 4.11: %s", c.name, d)
			}
			continue
		}
		if got := judge(t, c.since, text); !slices.Equal(c.want, got) {
			t.Errorf("%s in %s: %v", c.name, c.since, got)
		}
		if got := judge(t, c.since-1, text); got != nil {
			t.Errorf("%s before %s: %v", c.name, c.since, got)
		}
	}
}

// Sizes of pages are those of the nodes' architecture; without nodes those of any.
func TestSizes(t *testing.T) {
	text := strings.NewReplacer("1G", "512M", "enabled: true", "enabled: false",
		"  net:", "  kernelPageSize: 64k\n  net:").Replace(good)
	for _, c := range []struct {
		nodes   string
		release release.Release
		want    int
	}{{"", release.Current, 0}, {"", 17, 3}, {node("a", "arm64", "8"), release.Current, 0},
		{node("a", "amd64", "8"), release.Current, 4}} {
		if got := judge(t, c.release, text+c.nodes); len(got) != c.want {
			t.Errorf("%q in %s: %v", c.nodes, c.release, got)
		}
	}
	onARM := strings.Replace(text, "enabled: false", "enabled: true", 1) + node("a", "arm64", "8")
	want := []string{"10:19 performance.kernelPageSize spec.kernelPageSize"}
	if d := cmp.Diff(want, judge(t, release.Current, onARM)); d != "" {
		t.Error(d)
	}
}

// Profiles without a selector, to which something adds one, are not for the same nodes.
func TestNoSelectors(t *testing.T) {
	one := strings.Replace(good, "  nodeSelector: {node-role.kubernetes.io/worker-cnf: \"\"}\n", "", 1)
	for _, f := range judge(t, release.Current, one+"---\n"+strings.Replace(one, "name: p", "name: q", 1)) {
		if strings.Contains(f, sameNodes.ID) {
			t.Error(f)
		}
	}
}

// A profile that lacks a field is judged to its end, kernel arguments included, and made of or not.
func TestFieldsMissing(t *testing.T) {
	full := good + "  additionalKernelArgs: [nosmt, a=b]\n  workloadHints: {mixedCpus: true}\n" +
		"  hardwareTuning: {isolatedCpuFreq: 1, reservedCpuFreq: 1}\n"
	for _, field := range []string{"isolated: 2-7, ", ", reserved: 0-1", "isolated: 2-7, reserved: 0-1",
		"  cpu: {isolated: 2-7, reserved: 0-1}\n", "defaultHugepagesSize: 1G, ", "size: 1G, ", "count: 4, ", ", node: 0",
		"  nodeSelector: {node-role.kubernetes.io/worker-cnf: \"\"}\n", "topologyPolicy: single-numa-node", "enabled: true",
		"userLevelNetworking: true, ", "interfaceName: ens5*", "vendorID: \"0x8086\", ", "isolatedCpuFreq: 1, ",
		"metadata: {name: p}\n", "mixedCpus: true"} {
		text := strings.Replace(full, field, "", 1)
		if text == full {
			t.Fatalf("%q isn't there", field)
		}
		for r := Oldest - 3; r <= release.Newest; r++ {
			for _, objects := range [][]*object.Object{read(t, text), read(t, text, node("n", "amd64", "8"))} {
				Check(objects, r)
				if _, err := Made(objects, r); r >= Oldest && err != nil {
					t.Errorf("%q in %v: %v", field, r, err)
				}
			}
		}
	}
}

// Nodes are held against one another by what their status says: manifests have none, and 8 CPUs are 8000m.
func TestAlike(t *testing.T) {
	bare := "---\napiVersion: v1\nkind: Node\nmetadata: {name: b, labels: {node-role.kubernetes.io/worker-cnf: ''}}\n"
	for _, nodes := range []string{bare + node("a", "amd64", "8"), node("a", "amd64", "8") + bare,
		node("a", "amd64", "8") + node("b", "amd64", "8000m")} {
		if got := judge(t, release.Current, good+nodes); got != nil {
			t.Errorf("%s: %v", nodes, got)
		}
		made := Render(read(t, good+nodes), release.Current)
		if len(made) != 1 || made[0].arch != amd64 || made[0].nodes != 8 {
			t.Errorf("%s: %v", nodes, made)
		}
	}
}
