package performance

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/release"
)

// CPUs and pages are held against the nodes that the profile selects; a NUMA node of theirs isn't known.
func TestOnNodes(t *testing.T) {
	const cpus, pages = "isolated: 2-7, reserved: 0-1", "count: 4, node: 1"
	of := func(cpus string) string {
		return strings.Replace(node("w1", "amd64", cpus), "cpu: '"+cpus+"'", "cpu: '"+cpus+"', memory: 16Gi", 1)
	}
	for _, c := range []struct {
		name, old, now, nodes string
		want                  []string
	}{
		{"all fits", cpus, cpus, of("8"), nil},
		{"another node's", cpus, "isolated: 0-29, reserved: 30-31",
			strings.Replace(of("8"), "worker-cnf", "worker", 1), nil},
		{"reserved", cpus, "isolated: 0-7, reserved: 20-31", of("8"),
			[]string{"5:34 performance.reservedBeyond spec.cpu.reserved"}},
		{"isolated", cpus, "isolated: 2-31, reserved: 0-1", of("8"),
			[]string{"5:19 performance.beyond spec.cpu.isolated"}},
		{"in none", cpus, "isolated: 2-5, reserved: 0-1", of("8"), []string{"5:8 performance.uncovered spec.cpu"}},
		{"turned off", cpus, "isolated: 2-5, reserved: 0-1, offlined: 6-7", of("8"), nil},
		{"turned off already", cpus, "isolated: 2-5, reserved: 0-1, offlined: 6-7", of("6"), nil},
		{"pages", pages, "count: 400", of("8"), []string{"6:48 performance.pagesBeyond spec.hugepages.pages"}},
		{"other number", cpus, cpus, of("8") + strings.Replace(of("16"), "w1", "w2", 1),
			[]string{"5:8 performance.uncovered spec.cpu", "7:17 performance.unlikeNodes spec.nodeSelector"}},
		{"NUMA node", pages, "count: 4, node: 9", of("8"), nil},
	} {
		if d := cmp.Diff(c.want, judge(t, release.Current, strings.Replace(good, c.old, c.now, 1)+c.nodes)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
	made := Render(read(t, strings.Replace(good, cpus, "isolated: 2-31, reserved: 0-1", 1)+of("8")), release.Current)
	if got := made[0].online().String(); got != "0-7" {
		t.Errorf("TuneD sees CPUs %s", got)
	}
}

// The operator takes one pool, with labels, that takes the MachineConfig.
func TestPools(t *testing.T) {
	pool := func(name, labels, takes string) string {
		return "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: " + name +
			", labels: " + labels + "}\nspec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker-cnf: ''}}" +
			", machineConfigSelector: " + takes + "}\n"
	}
	const takes = "{matchLabels: {machineconfiguration.openshift.io/role: worker-cnf}}"
	bad := []string{"7:17 performance.pool spec.nodeSelector"}
	for _, c := range []struct {
		name, pools string
		want        []string
	}{
		{"none", "", nil},
		{"one", pool("a", "{a: b}", takes), nil},
		{"two", pool("a", "{a: b}", takes) + pool("b", "{a: c}", takes), bad},
		{"no labels", pool("a", "{}", takes), bad},
		{"takes nothing", pool("a", "{a: b}", "{}"), bad},
		{"takes others", pool("a", "{a: b}", "{matchLabels: {x: y}}"), bad},
	} {
		if d := cmp.Diff(c.want, judge(t, release.Current, good+c.pools)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		if made := Render(read(t, good+c.pools), release.Current); len(made) == len(c.want) {
			t.Errorf("%s: %d renderings", c.name, len(made))
		}
	}
}

// Mixed CPUs beside the annotation for drivers are told at that annotation.
func TestMixedAndDRA(t *testing.T) {
	text := strings.NewReplacer("name: p}", "name: p, annotations: {"+draNote+": 'true'}}",
		"reserved: 0-1}", "reserved: 0-1, shared: '8'}\n  workloadHints: {mixedCpus: true}").Replace(good) +
		"---\napiVersion: config.openshift.io/v1\nkind: FeatureGate\nmetadata: {name: cluster}\n" +
		"spec: {featureSet: TechPreviewNoUpgrade}\n"
	found := Check(read(t, text), release.Current)
	if len(found) != 1 || found[0].Place.Field != "metadata.annotations."+draNote ||
		!strings.HasPrefix(found[0].Message, "workloadHints.mixedCpus and the annotation "+draNote) {
		t.Errorf("%v", found)
	}
}

// A node reports how many CPUs it has, not which: what stands above may be there where some are off.
func TestNumbering(t *testing.T) {
	const cpus = "isolated: '2,4,6,10,12,14', reserved: '0,8'"
	config := func(role string) string {
		return "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfig\nmetadata: {name: c, labels: {" +
			"machineconfiguration.openshift.io/role: " + role + "}}\nspec: {kernelArguments: ['mitigations=auto,nosmt']}\n"
	}
	const pool = "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: a, " +
		"labels: {a: b}}\nspec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker-cnf: ''}}, " +
		"machineConfigSelector: {matchLabels: {machineconfiguration.openshift.io/role: worker-cnf}}}\n"
	other := "---\n" + strings.NewReplacer("name: p}", "name: q}", "worker-cnf", "q", "reserved: 0-1}",
		"reserved: 0-1}\n  additionalKernelArgs: [nosmt]").Replace(good)
	maybe := []string{"warning performance.beyond", "warning performance.reservedBeyond"}
	for _, c := range []struct {
		now, args, more string
		want            []string
	}{
		{cpus, "", "", maybe},
		{cpus, "quiet", "", maybe},
		{cpus, "nosmt=force", "", nil},
		{cpus, "maxcpus=8", "", nil},
		{cpus + ", offlined: '1,3'", "", "", nil},
		{cpus, "", other, maybe},
		{cpus, "", pool + other, maybe},
		{cpus, "maxcpus=8", other, nil},
		{cpus, "", config("worker-cnf"), nil},
		{cpus, "", pool + config("worker-cnf"), nil},
		{cpus, "", pool + config("worker"), maybe},
		{"isolated: 2-7, reserved: '0,8,10,12,14,16,18,20,22'", "", "", []string{"error performance.reservedBeyond"}},
		{"isolated: 2-7, reserved: '0,8,10,12,14,16,18,20,22', offlined: '1'", "nosmt", "",
			[]string{"error performance.reservedBeyond"}},
	} {
		text := strings.NewReplacer("isolated: 2-7, reserved: 0-1", c.now,
			"  numa:", "  additionalKernelArgs: ["+c.args+"]\n  numa:").Replace(good)
		var got []string
		for _, f := range Check(read(t, text+c.more+node("n", "amd64", "8")), release.Current) {
			got = append(got, string(f.Severity)+" "+f.ID)
			if f.Severity == "warning" && !strings.Contains(f.Message, "if its CPUs are numbered from 0 without gaps") {
				t.Error(f.Message)
			}
		}
		if slices.Sort(got); !slices.Equal(c.want, got) {
			t.Errorf("%s %s: %v", c.now, c.more, got)
		}
	}
	made := Render(read(t, strings.Replace(good, "isolated: 2-7, reserved: 0-1", cpus, 1)+node("n", "amd64", "8")),
		release.Current)
	if got := made[0].online().String(); got != "0,2,4,6,8,10,12,14" {
		t.Errorf("TuneD sees CPUs %s", got)
	}
}

// Nodes of another pool than the profile's are not its own, whatever labels they have.
func TestOtherPools(t *testing.T) {
	text := strings.ReplaceAll(good+node("m", "amd64", "1"), `worker-cnf: ""`,
		`worker: ""`)
	text = strings.Replace(text, "labels: {", `labels: {node-role.kubernetes.io/master: "", `, 1)
	if got := judge(t, release.Current, text); len(got) > 0 {
		t.Error(got)
	}
	if made := Render(read(t, text), release.Current); made[0].nodes != 0 {
		t.Errorf("%d CPUs", made[0].nodes)
	}
}

// What is said of several labels, or of several fields of the annotation, is said in one order, and once.
func TestSameOrder(t *testing.T) {
	const takes = "---\napiVersion: machineconfiguration.openshift.io/v1\nkind: MachineConfigPool\nmetadata: {name: a, " +
		"labels: {a: b}}\nspec: {nodeSelector: {matchLabels: {node-role.kubernetes.io/worker-cnf: ''}}, " +
		"machineConfigSelector: {matchLabels: {x: y}}}\n"
	for name, c := range map[string]struct {
		old, now string
		want     int
	}{
		"labels": {"  net:", "  machineConfigLabel: {x: z, a: b, c: d}\n  net:", 1},
		"roles":  {`worker-cnf: ""`, `worker-cnf: "", node-role.kubernetes.io/a: "", node-role.kubernetes.io/b: ""`, 1},
		"fields": {"name: p}", "name: p, annotations: {" + draNote + ": 'true', " + snippetNote +
			`: '{"cpuManagerPolicy": "static", "topologyManagerPolicy": "restricted", "memoryManagerPolicy": "Static"}'}}`, 2},
	} {
		objects := read(t, strings.Replace(good, c.old, c.now, 1)+takes)
		first := Check(objects, release.Newest)
		if len(first) != c.want {
			t.Errorf("%s: %v", name, first)
		}
		for range 30 {
			if d := cmp.Diff(first, Check(objects, release.Newest)); d != "" {
				t.Fatalf("%s: %s", name, d)
			}
		}
	}
}
