package performance

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/machineconfig"
)

var update = flag.Bool("update", false, "record the facts anew, after tools/performancesuites says that all are equal")

func read(t *testing.T, texts ...string) (out []*object.Object) {
	t.Helper()
	for _, text := range texts {
		objects, problems := object.Split("x.yaml", []byte(text))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		out = append(out, objects...)
	}
	return out
}

func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is made of the profiles of testdata is what was recorded, when the operator's own code, built from its
// repository, made the same of them (of 4.15 and later; for 4.14 its suite alone was compared), but for the texts that
// are not reproduced, and those in words of ours.
func TestFacts(t *testing.T) {
	var got strings.Builder
	for r := Oldest; r <= release.Newest; r++ {
		for name, objects := range map[string][]*object.Object{"alone": read(t, file(t, "profiles.yaml")),
			"cluster": read(t, file(t, "profiles.yaml"), file(t, "cluster.yaml"))} {
			for _, p := range Render(objects, r) {
				for _, o := range p.Objects() {
					raw, err := json.Marshal(o)
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprintf(&got, "%v %s %s %s %.6x\n", r, name, p.Profile, o["kind"], sha256.Sum256(raw))
				}
			}
		}
	}
	lines := strings.SplitAfter(got.String(), "\n")
	slices.Sort(lines)
	now := strings.Join(lines, "")
	if *update {
		if err := os.WriteFile("testdata/facts.txt", []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff(file(t, "facts.txt"), now); d != "" {
		t.Error(d)
	}
}

// rendered is what becomes of a profile that is made of good by replacing texts.
func rendered(t *testing.T, r release.Release, pairs ...string) Rendering {
	t.Helper()
	text := strings.NewReplacer(pairs...).Replace(good)
	if len(pairs) > 0 && text == good {
		t.Fatalf("%q isn't there", pairs[0])
	}
	made := Render(read(t, text), r)
	if len(made) != 1 {
		t.Fatalf("%v: %d renderings", pairs, len(made))
	}
	return made[0]
}

// has says whether a line stands in the profiles, or in a file or unit.
func has(r Rendering, text string) bool {
	return slices.ContainsFunc(slices.Concat(r.profiles, r.pieces), func(w written) bool {
		return w.name == text || slices.ContainsFunc(w.lines, func(l line) bool { return strings.Contains(l.text, text) })
	})
}

// Each line that depends on the profile or on the release.
func TestLines(t *testing.T) {
	const notes, hints = "metadata: {name: p", "  net:"
	mark := func(a string) string { return notes + ", annotations: {performance.openshift.io/" + a + "}" }
	rps := "net.core.rps_default_mask = 00000003"
	for _, c := range []struct {
		old, now, line string
		with, without  []release.Release
	}{
		{"", "", "isolated_cores=2-7", []release.Release{16, 23}, nil},
		{"", "", "kernel.timer_migration=1", []release.Release{16, 19, 20, 23}, nil},
		{"", "", "service.fwupd-refresh.timer=stop,disable", []release.Release{23}, []release.Release{22}},
		{"", "", "nf_conntrack_hashsize=131072", []release.Release{16, 21}, []release.Release{22}},
		{"", "", "intel_pstate=disable", []release.Release{14, 15}, []release.Release{16}},
		{"isolated: 2-7", "isolated: '2,3,4'", "isolated_cores=2,3,4", []release.Release{15}, []release.Release{16}},
		{"", "", "iommu.passthrough=1", []release.Release{18}, []release.Release{19}},
		{"", "", `exec_cpu_affinity = "first"`, []release.Release{21}, []release.Release{20}},
		{notes, mark("exec-cpu-affinity: disable"), `exec_cpu_affinity = "first"`, nil, []release.Release{23}},
		{"", "", rps, []release.Release{16, 19}, []release.Release{20}},
		{notes, mark("enable-rps: 'false'"), rps, []release.Release{18}, []release.Release{19, 23}},
		{notes, mark("enable-rps: enable"), rps, []release.Release{20}, nil},
		{hints, "  workloadHints: {realTime: true}\n  net:", "nosoftlockup", []release.Release{16}, nil},
		{"reserved: 0-1", "reserved: 0-1, balanceIsolated: false", "isolcpus=domain,managed_irq,", []release.Release{23},
			nil},
		{"reserved: 0-1", "reserved: 0-1, offlined: '8,9'", "OFFLINE_CPUS=8,9", []release.Release{16}, nil},
		{"", "", "set-cpus-offline.service", nil, []release.Release{16}},
		{"", "", "devices_udev_regex=^ID_MODEL_ID=0x1[\\s\\S]*^ID_VENDOR_ID=0x8086", []release.Release{16}, nil},
		{"", "", "hugepages-allocation-1048576kB-NUMA1.service", []release.Release{16}, nil},
		{"node: 1", "node: 2", "hugepages-allocation-1048576kB-NUMA2.service", []release.Release{16}, nil},
	} {
		for _, on := range []struct {
			releases []release.Release
			want     bool
		}{{c.with, true}, {c.without, false}} {
			for _, r := range on.releases {
				pairs := []string{c.old, c.now}
				if c.old == "" {
					pairs = nil
				}
				if got := has(rendered(t, r, pairs...), c.line); got != on.want {
					t.Errorf("%v, %q: %q is there: %v", r, c.now, c.line, got)
				}
			}
		}
	}
}

// Kernel arguments depend on the maker of the CPUs, and say where they come from.
func TestKernel(t *testing.T) {
	r := rendered(t, release.Current)
	r.tell()
	var on []string
	for _, l := range r.CommandLines {
		on = append(on, l.On)
	}
	if d := cmp.Diff([]string{"Intel", "AMD", "Arm"}, on); d != "" {
		t.Error(d)
	}
	intel := "skew_tick=1 tsc=reliable rcupdate.rcu_normal_after_boot=1 nohz=on rcu_nocbs=2-7 " +
		"tuned.non_isolcpus=00000003 systemd.cpu_affinity=0,1 intel_iommu=on iommu=pt tsc=reliable nmi_watchdog=0 mce=off " +
		"intel_pstate=${f:intel_recommended_pstate} nohz_full=2-7 skew_tick=1 isolcpus=managed_irq,2-7 nosoftlockup " +
		"rcutree.kthread_prio=11 default_hugepagesz=1G"
	if line := strings.Join(r.CommandLines[0].Arguments, " "); line != intel {
		t.Errorf("%s\nexpected %s", line, intel)
	}
	const counts = "17 kernel arguments on CPUs of Intel, 16 on those of AMD and 12 on those of Arm"
	if got := r.arguments(); got != counts {
		t.Errorf("%s, expected %s", got, counts)
	}
	var got []string
	for _, k := range r.Kernel {
		if k.Argument == "mce=off" || k.Argument == "nohz_full=2-7" || strings.Contains(k.Argument, "pstate") {
			got = append(got, fmt.Sprint(k))
		}
	}
	want := []string{"{amd_pstate=guided [AMD] []}", "{mce=off [Intel AMD] [spec.workloadHints.realTime]}",
		"{intel_pstate=${f:intel_recommended_pstate} [Intel] [the node's CPU]}",
		"{nohz_full=2-7 [Intel AMD Arm] [spec.cpu.isolated]}"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	arm := Render(read(t, good, node("a", "arm64", "16")), release.Current)[0]
	arm.tell()
	if l := arm.CommandLines; len(l) != 1 || !slices.Contains(l[0].Arguments, "tuned.non_isolcpus=0000ff03") {
		t.Errorf("%v", l)
	}
	var cpus []string
	for _, row := range arm.cpuTable().Rows {
		cpus = append(cpus, row[0].Text+" "+row[3].Text)
	}
	if d := cmp.Diff([]string{"0-1 spec.cpu.reserved", "2-7 spec.cpu.isolated", "8-15 in no set"}, cpus); d != "" {
		t.Error(d)
	}
}

// What the annotation says of the kubelet is merged below what the operator sets, and judged.
func TestSnippet(t *testing.T) {
	note := func(text string) []string {
		return []string{"metadata: {name: p", "metadata: {name: p, annotations: {kubeletconfig.experimental: '" + text + "'}"}
	}
	for _, c := range []struct{ snippet, want string }{
		{"{", "it is no JSON object: unexpected end of JSON input"},
		{"[]", "it is no JSON object"},
		{`{"maxPods": "many"}`, `maxPods is "many", not a whole number`},
		{`{"syncFrequency": "5"}`, `syncFrequency is "5", not a duration`},
		{`{"systemReserved": {"memory": "10%"}}`, `"10%" is no quantity`},
	} {
		text := strings.NewReplacer(note(c.snippet)...).Replace(good)
		found := Check(read(t, text), release.Current)
		if len(found) != 1 || found[0].ID != badSnippet.ID || !strings.Contains(found[0].Message, c.want) ||
			found[0].Place.Line != 3 {
			t.Errorf("%s: %+v", c.snippet, found)
		}
		if made := Render(read(t, text), release.Current); len(made) > 0 {
			t.Errorf("%s: it is rendered", c.snippet)
		}
	}
	flush := strings.NewReplacer(note(`{"logging": {"flushFrequency": "5s"}}`)...).Replace(good)
	for r, want := range map[release.Release]int{15: 1, 16: 0} {
		if found := Check(read(t, flush), r); len(found) != want {
			t.Errorf("%v: %+v", r, found)
		}
	}
	r := rendered(t, release.Current,
		note(`{"maxPods": 9, "cpuManagerPolicy": "none", "systemReserved": {"memory": "1Gi"}}`)...)
	k := r.KubeletConfig["spec"].(map[string]any)["kubeletConfig"].(map[string]any)
	got := fmt.Sprintln(k["maxPods"], k["cpuManagerPolicy"], k["systemReserved"], k["reservedMemory"])
	if want := "9 static map[memory:1Gi] [map[limits:map[memory:1624Mi] numaNode:0]]\n"; got != want {
		t.Errorf("%s, expected %s", got, want)
	}
}

// What is not whole is told, and no pool would take it.
func TestNotWhole(t *testing.T) {
	objects := read(t, file(t, "profiles.yaml"))
	a := Answer(objects, release.Current, nil)
	told := map[string]int{}
	for _, f := range a.Findings {
		told[f.ID]++
	}
	want := map[string]int{keptTexts.ID: 4, noPool.ID: 3, mixedOff.ID: 1}
	if d := cmp.Diff(want, told); d != "" {
		t.Error(d)
	}
	r := rendered(t, release.Current)
	raw, err := json.Marshal(r.MachineConfig)
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, f := range machineconfig.Check(read(t, string(raw)), release.Current) {
		if f.Severity == v1alpha1.Error {
			refused++
		}
	}
	if refused != len(r.Kept)-1 { // the unit has no source to refuse
		t.Errorf("%d of %d are refused", refused, len(r.Kept))
	}
}

// A profile that is paused is told to be without effect; what another file already has is not made again.
func TestMade(t *testing.T) {
	p := strings.Replace(good, "name: p", "name: p, annotations: {performance.openshift.io/pause-reconcile: 'true'}", 1)
	if found := Answer(read(t, p), release.Current, nil).Findings; found[0].ID != paused.ID {
		t.Errorf("%+v", found)
	}
	made, err := Made(read(t, good, "---\nkind: Tuned\nmetadata: {name: openshift-node-performance-p}\n"), release.Current)
	if err != nil || len(made) != 1 || made[0].String() != "KubeletConfig/performance-p" {
		t.Errorf("%v, %v", made, err)
	}
}

// What is made stands in the profile's own file, where the profile does, and a field of the kubelet's where that of the
// profile does which it comes from.
func TestPlaces(t *testing.T) {
	text := strings.Replace(good, "metadata: {name: p}", "metadata: {name: p, annotations: {kubeletconfig.experimental: "+
		`'{"maxPods": 100}'}}`, 1)
	made, err := Made(read(t, text), release.Current)
	if err != nil || len(made) != 2 {
		t.Fatal(len(made), err)
	}
	for _, c := range []struct {
		object int
		path   string
		want   [2]int
	}{
		{0, "spec.recommend[0].machineConfigLabels", [2]int{1, 1}},
		{1, "spec.kubeletConfig.cpuManagerPolicy", [2]int{1, 1}},
		{1, "spec.kubeletConfig.maxPods", [2]int{3, 63}},
		{1, "spec.kubeletConfig.reservedSystemCPUs", [2]int{5, 34}},
	} {
		if line, col := made[c.object].Tree.At(c.path); [2]int{line, col} != c.want || made[c.object].Tree.Name != "x.yaml" {
			t.Errorf("%s: %s:%d:%d", c.path, made[c.object].Tree.Name, line, col)
		}
	}
	for _, o := range made {
		if p := ProfileOf(read(t, text), o.String()); p == nil || p.Name != "p" {
			t.Errorf("%s: %v", o, p)
		}
	}
}
