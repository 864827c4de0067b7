package apply

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNodeFacts: what files say is known, the rest is not, and no link leads out.
func TestNodeFacts(t *testing.T) {
	out := outside(t)
	dir := plant(t, map[string]string{"sys/devices/system/cpu/online": "0-2\n",
		"sys/devices/system/cpu/present":                           "-> " + out,
		"sys/devices/system/cpu/cpu0/topology/physical_package_id": "0\n",
		"sys/devices/system/cpu/cpu2/topology/physical_package_id": "1\n",
		"sys/devices/system/cpu/cpu10/online":                      "0\n", "sys/devices/system/cpu/cpufreq/x": "",
		"sys/devices/system/cpu/cpu01/x": "",
		"proc/cpuinfo":                   "processor\t: 0\n"})
	m, err := NodeFacts(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(map[int]string{0: "0\n", 2: "1\n", 10: "-1"}, m.Sockets); d != "" {
		t.Error(d)
	}
	if *m.Online != "0-2\n" || *m.CPUInfo != "processor\t: 0\n" || m.Present != nil || m.PMU != nil || m.Virtual != nil {
		t.Errorf("%+v", m)
	}
	if m, err := NodeFacts(t.TempDir()); err != nil || m.Online != nil || m.Sockets != nil || m.CPUInfo != nil {
		t.Errorf("an empty directory: %+v, %v", m, err)
	}
	if _, err := NodeFacts(filepath.Join(dir, "none")); err == nil {
		t.Error("a node that is not there has facts")
	}
}

// TestFactsOfManyCPUs: what the kernel says of 768 CPUs is longer than a profile may be.
func TestFactsOfManyCPUs(t *testing.T) {
	var info strings.Builder
	for cpu := range 768 {
		fmt.Fprintf(&info, "processor\t: %d\nflags\t\t: %s\n\n", cpu, strings.Repeat("x", 1500))
	}
	dir := plant(t, map[string]string{"proc/cpuinfo": info.String(),
		"sys/devices/cpu/caps/pmu_name": strings.Repeat("x", maxFacts+1)})
	m, err := NodeFacts(dir)
	if err != nil || info.Len() <= maxFile || m.CPUInfo == nil || *m.CPUInfo != info.String() {
		t.Errorf("%d bytes are known: %t, %v", info.Len(), m.CPUInfo != nil, err)
	}
	if m.PMU != nil {
		t.Error("a file without a bound is read")
	}
}

// TestReadPrinted: files alone, of a bounded size.
func TestReadPrinted(t *testing.T) {
	dir := plant(t, map[string]string{"lscpu": "CPU(s): 4\n", "big": strings.Repeat("x", maxFile+1)})
	if text, err := ReadPrinted(filepath.Join(dir, "lscpu")); err != nil || text != "CPU(s): 4\n" {
		t.Errorf("%q, %v", text, err)
	}
	for name, want := range map[string]string{"none": "no such file", "big": "more than", ".": "is no file"} {
		if _, err := ReadPrinted(filepath.Join(dir, name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestUname is of the kernel that the tests run on.
func TestUname(t *testing.T) {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	all, ok := uname()
	if fields := strings.Fields(all); !ok || len(fields) < 6 || fields[0] != "Linux" ||
		fields[2] != strings.TrimSpace(string(release)) {
		t.Errorf("%q", all)
	}
}

// TestValuesThatDependOnTheKernel are judged: TuneD in a simulated node sees this one.
func TestValuesThatDependOnTheKernel(t *testing.T) {
	r, err := once(t, &fake{}, "vm.swappiness=${f:regex_search_ternary:${f:exec:uname:-s}:Linux:10:20}\n")
	if err != nil || len(r.Values) != 1 || r.Values[0].Want != "10" || r.Values[0].State == Unknown {
		t.Errorf("%v, %+v", err, r)
	}
}
