package tuned

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// performance is a profile in the shape of those that the operator makes of a
// PerformanceProfile.
const performance = `[main]
include=base,partition${f:regex_search_ternary:${f:exec:uname:-r}:rt:,perf-rt:};
    perf-${f:lscpu_check:Vendor ID\:\s*GenuineIntel:intel:Vendor ID\:\s*AuthenticAMD:amd}-${f:lscpu_check:Architecture\:\s*x86_64:x86:Architecture\:\s*aarch64:arm}
[variables]
isolated=1
expanded=${f:cpulist_unpack:${isolated}}
others=${f:cpulist_invert:${expanded}}
mask=${f:cpulist2hex:${others}}
online=${f:cpulist_online:${isolated}}
assert=${f:assertion:isolated CPUs are online:${expanded}:${online}}
[sysctl]
kernel.nmi_watchdog=0
[bootloader]
cmdline_cpu=+nohz=on tuned.non_isolcpus=${mask} systemd.cpu_affinity=${others} rcu_nocbs=${isolated}
`

func performanceSet() *Set {
	return oneDirectory("perf", performance, "base", "[main]\n", "partition", "[main]\n", "perf-rt", "[main]\n",
		"perf-intel-x86", "[main]\n", "perf-amd-x86", "[bootloader]\ncmdline_iommu=iommu=pt\n", "perf-other", "[main]\n")
}

// TestUnresolvedArgument: a call with an argument that is not known is itself not
// known; it is never cut at the colons of what stands for it.
func TestUnresolvedArgument(t *testing.T) {
	f, found := performanceSet().Flatten("perf", Machine{})
	if f == nil {
		t.Fatalf("refused: %v", found)
	}
	for _, x := range found {
		if x.Severity == v1alpha1.Error {
			t.Errorf("error %s: %s", x.ID, x.Message)
		}
	}
	if got := layers(f); got != "base partition perf" {
		t.Errorf("layers %s", got)
	}
	wantFinding(t, found, UnknownInclude, "/p/perf/tuned.conf", 2)
	if x := findingOf(found, UnknownInclude); x == nil ||
		!strings.HasSuffix(x.Message, "perhaps perf-amd-x86, perf-intel-x86, perf-rt") {
		t.Errorf("candidates: %+v", x)
	}
	want := []string{"what uname -r prints", "what lscpu prints"}
	if !slices.Equal(f.Unknown, want) {
		t.Errorf("it depends on %q, want %q", f.Unknown, want)
	}
}

// TestOptionalOfTheNode: an optional profile whose name the node decides is passed over
// where none fits, as the operator's own openshift asks for provider-*; else it is left open.
func TestOptionalOfTheNode(t *testing.T) {
	text := "[main]\ninclude=-provider-${f:exec:cat:/var/lib/ocp-tuned/provider}\n[bootloader]\ncmdline=quiet\n"
	f, found := oneDirectory("openshift", text).Flatten("openshift", Machine{})
	if f == nil || len(f.Unknown) > 0 || findingOf(found, NotThere) == nil || len(Kernel(f).Unknown) > 0 {
		t.Errorf("none fits: %+v, %v", f, found)
	}
	f, found = oneDirectory("openshift", text, "provider-aws", "[main]\n").Flatten("openshift", Machine{})
	x := findingOf(found, UnknownInclude)
	if f == nil || len(Kernel(f).Unknown) != 1 || x == nil || !strings.HasSuffix(x.Message, "perhaps provider-aws") {
		t.Errorf("one fits: %+v, %v", f, found)
	}
}

// TestKernelLineUnknown: no argument is made up of what is not known.
func TestKernelLineUnknown(t *testing.T) {
	f, _ := performanceSet().Flatten("perf", Machine{})
	line := Kernel(f)
	if strings.Contains(line.Text, "00000000") || !strings.Contains(line.Text, "rcu_nocbs=1") ||
		!slices.Contains(line.Unknown, "which CPUs are online") {
		t.Errorf("%+v", line)
	}
	o := f.Section("bootloader").Option("cmdline_cpu")
	if !slices.Equal(o.Unknown, []string{"which CPUs are online"}) || !strings.Contains(o.Value,
		"non_isolcpus=${f:cpulist2hex:${f:cpulist_invert:1}} systemd.cpu_affinity=${f:cpulist_invert:1} ") {
		t.Errorf("%+v", o)
	}
	for _, text := range []string{Text(f), answerText(Answer("perf", f, nil))} {
		if !strings.Contains(text, "depends on the node: which CPUs are online") {
			t.Errorf("not marked: %s", text)
		}
	}
	if o := f.Section("sysctl").Option("kernel.nmi_watchdog"); o.Unknown != nil || o.Assumed != "" {
		t.Errorf("%+v", o)
	}
}

// answerText is everything that the tables of an answer say.
func answerText(a v1alpha1.Answer) string {
	var b strings.Builder
	for _, p := range a.Parts {
		for _, t := range p.Tables {
			for _, r := range t.Rows {
				for _, c := range r {
					b.WriteString(c.Text + "\n")
				}
			}
			b.WriteString(strings.Join(t.Notes, "\n"))
		}
	}
	return b.String()
}

// TestAssumeCPUs: with the number of CPUs that a Node tells, the values are those of
// a node whose CPUs are all online, and say so. The real cluster's were 00000001 and 0.
func TestAssumeCPUs(t *testing.T) {
	release, cpu := "5.14.0\n", "Vendor ID: AuthenticAMD\nArchitecture: x86_64\n"
	m := Machine{LSCPU: &cpu, Run: func([]string) (string, bool) { return release, true }}.AssumeCPUs(2)
	f, found := performanceSet().Flatten("perf", m)
	if f == nil {
		t.Fatalf("refused: %v", found)
	}
	line := Kernel(f)
	want := "iommu=pt nohz=on tuned.non_isolcpus=00000001 systemd.cpu_affinity=0 rcu_nocbs=1"
	if line.Text != want || line.Unknown != nil || line.Assumed != "that the node's CPUs are 0-1, all online" {
		t.Errorf("%+v, want %q", line, want)
	}
	if o := f.Section("bootloader").Option("cmdline_iommu"); o.Assumed != "" {
		t.Errorf("%+v follows from nothing assumed", o)
	}
	if f, found = performanceSet().Flatten("perf", Machine{}.AssumeCPUs(1)); f != nil ||
		findingOf(found, Assertion) == nil {
		t.Errorf("CPU 1 of one CPU is isolated: %v", found)
	}
	online := "0-7"
	if m := (Machine{Online: &online}).AssumeCPUs(2); m.Assumed != "" || *m.Online != online {
		t.Errorf("what is known is not kept: %+v", m)
	}
}

// TestReleases: which release of TuneD has a function, and which the nodes of a release have.
func TestReleases(t *testing.T) {
	text := `    apiVersion: tuned.openshift.io/v1
    kind: Tuned
    metadata: {name: a}
    spec:
      profile:
      - name: p
        data: |
          [main]
          summary=x
          [variables]
          a=${f:regex_search_ternary:x:x:1:2}
          b=${f:lscpu_check:x:1}
          c=${f:intel_recommended_pstate}
`
	objects, err := object.Split("a.yaml", []byte(strings.ReplaceAll(text, "\n    ", "\n")[4:]))
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range map[release.Release]int{release.V43: 3, release.V44: 3, release.V45: 2, release.Current: 0} {
		n := 0
		for _, x := range Check(objects, r) {
			if x.ID == UnknownFunction.ID {
				n++
			}
		}
		if n != want {
			t.Errorf("%v: %d functions are unknown, want %d", r, n, want)
		}
	}
	pmu := "skylake\n"
	for _, c := range []struct{ pmu, want string }{{"skylake\n", "disable"}, {"icelake\n", "active"}, {"", "disable"}} {
		pmu = c.pmu
		f, _ := oneDirectory("p", "[sysctl]\nk=${f:intel_recommended_pstate}\n").Flatten("p", Machine{PMU: &pmu})
		if got := valueOf(f, "sysctl", "k"); got != c.want {
			t.Errorf("%q: %s, want %s", c.pmu, got, c.want)
		}
	}
	f, found := oneDirectory("p", "[sysctl]\nk=${f:log:a:b}\n").Flatten("p", Machine{TuneD: Release{Minor: 20}})
	if x := findingOf(found, UnknownFunction); valueOf(f, "sysctl", "k") != "${f:log:a:b}" || x == nil ||
		x.Remedy != "leave it to nodes with TuneD 2.23 or later" {
		t.Errorf("log of 2.20: %+v", x)
	}
}

// TestVariablesElsewhere: --profiles has no files of other directories than /etc/tuned.
func TestVariablesElsewhere(t *testing.T) {
	_, found := oneDirectory("p", "[variables]\ninclude=/opt/site/v.conf\n").Flatten("p", Machine{})
	if x := findingOf(found, UnknownVariables); x == nil || !strings.Contains(x.Remedy, "--root") {
		t.Errorf("%v", found)
	}
}

// TestVariablesNotKnown: what a file of variables that is not known may decide is
// left open; what is defined behind it is not.
func TestVariablesNotKnown(t *testing.T) {
	set := oneDirectory("p", "[variables]\nbefore=1\ninclude=/etc/tuned/p-variables.conf\nown=2\nboth=${cores}${own}\n"+
		"assert=${f:assertion_non_equal:set:${cores}:x}\n[sysctl]\na=${before}\nb=${own}\nc=${both}\nd=${cores}\n")
	for _, m := range []Machine{{}, {Read: func(string) (string, bool) { return "", false }, Incomplete: true}} {
		f, found := set.Flatten("p", m)
		if f == nil {
			t.Fatalf("refused: %v", found)
		}
		if x := findingOf(found, UnknownVariables); len(found) != 1 || x == nil || x.Severity != v1alpha1.Warning ||
			!strings.Contains(x.Remedy, "--profiles") {
			t.Errorf("%v", found)
		}
		for key, want := range map[string]string{"a": "${before}", "b": "2", "c": "${cores}2", "d": "${cores}"} {
			o := f.Section("sysctl").Option(key)
			if o.Value != want || (len(o.Unknown) == 0) != (key == "b") {
				t.Errorf("%s is %+v, want %s", key, o, want)
			}
		}
	}
}

// TestHolesAreBounded: profiles that ask the node without end are no burden.
func TestHolesAreBounded(t *testing.T) {
	var many, deep strings.Builder
	deep.WriteString("x")
	for i := range 5000 {
		many.WriteString("${f:exec:p" + strconv.Itoa(i) + "}")
	}
	for range 2000 {
		inner := deep.String()
		deep.Reset()
		deep.WriteString("${f:strip:${f:virt_check:a:b}" + inner + "}")
	}
	doubled := "[variables]\nv0=${f:exec:date}\n"
	for i := range 40 {
		doubled += fmt.Sprintf("v%d=${f:strip:${v%d}:${v%d}}\n", i+1, i, i)
	}
	for _, text := range []string{"[main]\ninclude=" + many.String() + "\n", "[main]\ninclude=" + deep.String() + "\n",
		"[variables]\nv=${f:strip:" + many.String() + "}\n", doubled} {
		f, found := oneDirectory("p", text).Flatten("p", Machine{})
		if f == nil && findingOf(found, TooLarge) == nil {
			t.Errorf("%.60s: %.3v", text, found)
		}
	}
}
