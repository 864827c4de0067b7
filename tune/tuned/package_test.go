package tuned

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"plimsoll.dev/facts"
	"plimsoll.dev/internal/need"
)

const vendorPath = "/usr/lib/tuned"

// installed are the profiles of the installed package.
func installed(t testing.TB) Directory {
	need.File(t, vendorPath+"/openshift-node/tuned.conf", "install the Debian package tuned")
	files, err := filepath.Glob(vendorPath + "/*/tuned.conf")
	if err != nil {
		t.Fatal(err)
	}
	dir := Directory{Path: vendorPath}
	for _, name := range files {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		dir.Profiles = append(dir.Profiles,
			Profile{Name: filepath.Base(filepath.Dir(name)), Source: Source{Body: string(body)}})
	}
	return dir
}

// hugePages is the profile of chapter 13.
const hugePages = `[main]
summary=Configuration for hugepages
include=openshift-node
[vm]
transparent_hugepages=never
[sysctl]
vm.nr_hugepages=1024
`

// TestChainOfTheDocuments: node-hugepages -> openshift-node -> openshift ->
// virtual-guest -> throughput-performance on a virtual machine, without
// virtual-guest on metal. The sysctls that chapter 4.3 prints are those of the
// package, where both have them, but for limits written with an operator.
func TestChainOfTheDocuments(t *testing.T) {
	set := NewSet(installed(t), directory("/etc/tuned", "node-hugepages", hugePages))
	yes, no, uname, cpuinfo := true, false, "Linux node 5.14.0 x86_64", "model name : Intel"
	for _, c := range []struct {
		virtual    *bool
		layers     string
		swappiness string
	}{
		{&yes, "throughput-performance virtual-guest openshift openshift-node node-hugepages", "30"},
		{&no, "throughput-performance openshift openshift-node node-hugepages", "10"},
	} {
		f, found := set.Flatten("node-hugepages", Machine{Virtual: c.virtual, Uname: &uname, CPUInfo: &cpuinfo})
		if f == nil || len(found) > 0 {
			t.Fatalf("refused or faulted: %v", found)
		}
		if got := layers(f); got != c.layers {
			t.Errorf("layers %s, want %s", got, c.layers)
		}
		for key, want := range map[string]string{"vm.nr_hugepages": "1024", "vm.swappiness": c.swappiness,
			"net.ipv4.tcp_fastopen": "3", "kernel.pid_max": ">4194304", "net.core.somaxconn": ">2048"} {
			if got := valueOf(f, "sysctl", key); got != want {
				t.Errorf("%s is %s, want %s", key, got, want)
			}
		}
		if valueOf(f, "vm", "transparent_hugepages") != "never" || f.Section("vm.thunderx").Skipped == "" {
			t.Errorf("vm: %+v", f.Sections)
		}
		if got := f.Section("sysctl").Option("vm.swappiness"); *c.virtual &&
			(len(got.Overrides) != 1 || got.From.Profile != "virtual-guest") {
			t.Errorf("swappiness is %+v", got)
		}
		compareWithFacts(t, f)
	}
}

// compareWithFacts compares with the sysctls of chapter 4.3 in the catalogue.
func compareWithFacts(t *testing.T, f *Flat) {
	compared := 0
	for _, o := range f.Section("sysctl").Options {
		for _, profile := range []string{"openshift", "openshift-node"} {
			fact, ok := facts.Load().Get("ocp.tuned." + o.Key + "/" + profile)
			if !ok {
				continue
			}
			compared++
			if want := strconv.FormatFloat(fact.Value().Number, 'f', -1, 64); strings.TrimLeft(o.Value, "<>") != want {
				t.Errorf("%s is %s, the document has %s", o.Key, o.Value, want)
			}
		}
	}
	if compared < 10 {
		t.Errorf("only %d sysctls are in the catalogue", compared)
	}
}

// TestInstalledProfiles: every profile of the package loads, or stops at its own
// assertion that CPUs are isolated; with a list of CPUs those load as well, and
// come to kernel arguments that hold for the machine.
func TestInstalledProfiles(t *testing.T) {
	set := NewSet(installed(t))
	no, online, uname, cpuinfo := false, "0-7\n", "Linux node 5.14.0 x86_64", "model name : Intel"
	m := Machine{Virtual: &no, Online: &online, Present: &online, Uname: &uname, CPUInfo: &cpuinfo, Processors: 8,
		Read: func(string) (string, bool) { return "", false }}
	asserted := 0
	for _, name := range set.Names() {
		if f, found := set.Flatten(name, m); f == nil {
			asserted++
			if findingOf(found, Assertion) == nil {
				t.Errorf("%s is refused: %v", name, found)
			}
		}
	}
	if asserted != 5 {
		t.Errorf("%d profiles stop at an assertion, want the two of CPU partitioning and the three of real time", asserted)
	}
	m.Read = func(string) (string, bool) { return "isolated_cores=2-5,7\nisolate_managed_irq=Y\n", true }
	m.Run = func(args []string) (string, bool) { return "/var/tmp/x\n", args[0] == "mktemp" }
	f := flatten(t, set, "cpu-partitioning", m)
	line := Kernel(f).Text
	for _, want := range []string{"nohz_full=2-5,7", "rcu_nocbs=2-5,7", "tuned.non_isolcpus=00000043", "skew_tick=1"} {
		if !strings.Contains(" "+line+" ", " "+want+" ") {
			t.Errorf("the kernel arguments %q have no %s", line, want)
		}
	}
}
