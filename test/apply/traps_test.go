package apply

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/engine/apply"
)

// TestSection8_06_ChildNetResetsDevices: a child's [net] without devices hits all
// physical interfaces, though its parent named one.
func TestSection8_06_ChildNetResetsDevices(t *testing.T) {
	profiles := set(t, map[string]string{
		"parent": "[net]\ndevices=eno1\nmtu=9000\n",
		"child":  "[main]\ninclude=parent\n[net]\ntxqueuelen=5000\n",
	})
	mtu := func(profile string) map[string]string {
		out := map[string]string{}
		for _, v := range applied(t, newNode(t, metal), apply.Options{Profile: profile, Sources: []string{profiles}}).Values {
			if v.Option == "mtu" {
				out[v.Device] = *v.Before + " " + *v.After + " " + *v.RolledBack
			}
		}
		return out
	}
	if d := cmp.Diff(map[string]string{"eno1": "1500 9000 1500"}, mtu("parent")); d != "" {
		t.Error("parent: " + d)
	}
	if d := cmp.Diff(map[string]string{"eno1": "1500 9000 1500", "eno2": "1500 9000 1500"}, mtu("child")); d != "" {
		t.Error("child: " + d)
	}
}

// TestSection8_07_OperatorInChildReplacesTheParentsValue: parent 3, child >1,
// current 1 is not raised to 3, and not to 1 either.
func TestSection8_07_OperatorInChildReplacesTheParentsValue(t *testing.T) {
	profiles := set(t, map[string]string{
		"parent": "[sysctl]\nnet.ipv4.tcp_fastopen=3\nnet.core.somaxconn=4096\nvm.swappiness=<10\n",
		"child":  "[main]\ninclude=parent\n[sysctl]\nnet.ipv4.tcp_fastopen=>1\nnet.core.somaxconn=>1024\n",
	})
	r := applied(t, newNode(t, metal), apply.Options{Profile: "child", Sources: []string{profiles}})
	for option, want := range map[string]string{"net.ipv4.tcp_fastopen": "kept 1", "net.core.somaxconn": "changed 1024",
		"vm.swappiness": "changed 10"} {
		v := value(t, r, option, "")
		if got := string(v.State) + " " + *v.After; got != want {
			t.Errorf("%s is %s, not %s", option, got, want)
		}
	}
	if !r.OK() {
		t.Errorf("%+v", r.Findings())
	}
}

// TestSection8_10_ARunningDaemonIsNoProof: the daemon lives on after each of these,
// with nothing applied.
func TestSection8_10_ARunningDaemonIsNoProof(t *testing.T) {
	profiles := set(t, map[string]string{
		"crash":   "[sysctl]\nvm.swappiness=10\n[net]\nmtu=9000\n",
		"assert":  "[variables]\na=${f:assertion:cores are isolated:1:2}\n[sysctl]\nvm.swappiness=10\n",
		"orphan":  "[main]\ninclude=nowhere\n[sysctl]\nvm.swappiness=10\n",
		"garbled": "no section\n",
	})
	for profile, want := range map[string]string{
		"crash":   "FileNotFoundError: [Errno 2] No such file or directory: '/sys/class/net/eno1/statistics/rx_bytes'",
		"assert":  "Cannot load profile(s) 'assert': Assertion 'cores are isolated' failed.",
		"orphan":  "Cannot load profile(s) 'orphan': Cannot find profile 'nowhere' in",
		"garbled": "Cannot load profile(s) 'garbled': (\"Cannot parse '/etc/tuned/garbled/tuned.conf'.\"",
		"unknown": "Requested profile 'unknown' doesn't exist.",
	} {
		n := newNode(t, hardware{cpus: 1, nics: []string{"eno1"}})
		n.remove("sys/class/net/eno1/statistics/rx_bytes")
		r := applied(t, n, apply.Options{Profile: profile, Sources: []string{profiles}})
		if r.Applied || r.OK() || !strings.HasPrefix(r.Refusal, want) || r.Died {
			t.Errorf("%s: applied %t, %q, died %t", profile, r.Applied, r.Refusal, r.Died)
		}
		if !slices.Contains(ids(r), "apply.notApplied") {
			t.Errorf("%s: %v", profile, ids(r))
		}
		for _, v := range r.Values {
			if v.State == apply.Changed {
				t.Errorf("%s: %s changed", profile, v.Option)
			}
		}
	}
}

// TestAnUnknownSectionLeavesTheRestApplied: TuneD says that the profile is applied.
func TestAnUnknownSectionLeavesTheRestApplied(t *testing.T) {
	profiles := set(t, map[string]string{
		"p": "[warp]\nspeed=9\n[sysctl]\nvm.swappiness=10\n[vm]\ntransparent_hugepage=never\n",
	})
	r := applied(t, newNode(t, guest), apply.Options{Profile: "p", Sources: []string{profiles}})
	if v := value(t, r, "speed", ""); v.State != apply.Skipped || v.Note != "failed to initialize plugin warp" ||
		v.Place.Line != 2 {
		t.Errorf("%+v", v)
	}
	if v := value(t, r, "vm.swappiness", ""); v.State != apply.Changed || !r.Applied || !r.RolledBack {
		t.Errorf("%+v", v)
	}
}

// TestASysctlThatTheKernelLacks: the rest is applied, and TuneD's verification fails.
func TestASysctlThatTheKernelLacks(t *testing.T) {
	r := applied(t, newNode(t, guest),
		apply.Options{Profile: "openshift-control-plane", Profiles: texts(), Virtual: "kvm"})
	for _, option := range []string{"kernel.sched_min_granularity_ns", "kernel.sched_migration_cost_ns",
		"kernel.sched_wakeup_granularity_ns"} {
		if v := value(t, r, option, ""); v.State != apply.Missing || !strings.Contains(v.Note, option) {
			t.Errorf("%+v", v)
		}
	}
	if !r.Applied || r.Verified || !r.RolledBack || value(t, r, "vm.max_map_count", "").State != apply.Changed {
		t.Errorf("%+v", r.Answer().Verdict)
	}
	if d := cmp.Diff([]string{"apply.valueMissing", "apply.valueSkipped"}, ids(r)); d != "" {
		t.Error(d)
	}
}

// TestWhatTuneDPassesOverInSilence: nothing in its log tells of these.
func TestWhatTuneDPassesOverInSilence(t *testing.T) {
	profiles := set(t, map[string]string{"p": "[net]\nnf_conntrack_hashsize=1048576\n[sysfs]\n" +
		"/sys/module/nvme_core/parameters/io_timeout=1\n/proc/sys/vm/swappiness=10\n" +
		"[vm]\ntransparent_hugepages=never\n[cpu]\nmin_perf_pct=50\n"})
	h := hardware{cpus: 1, virtual: []string{"lo"}, cmdline: "quiet transparent_hugepage=always\n"}
	r := applied(t, newNode(t, h), apply.Options{Profile: "p", Sources: []string{profiles}})
	for option, note := range map[string]string{"nf_conntrack_hashsize": "no device",
		"/sys/module/nvme_core/parameters/io_timeout": "nothing on the node matches",
		"transparent_hugepages":                       "command line", "/proc/sys/vm/swappiness": "below /sys alone"} {
		if v := value(t, r, option, ""); v.State != apply.Skipped || !strings.Contains(v.Note, note) {
			t.Errorf("%+v", v)
		}
	}
	if v := value(t, r, "min_perf_pct", ""); v.State != apply.Changed || !r.OK() {
		t.Errorf("%+v, %+v", v, r.Answer().Verdict)
	}
}

// TestSysctlFilesOfTheNodeWin: reapply_sysctl sets them again after the profile.
func TestSysctlFilesOfTheNodeWin(t *testing.T) {
	n := newNode(t, guest)
	n.file("etc/sysctl.d/99-local.conf", "vm.swappiness = 5\n")
	r := applied(t, n, apply.Options{Profile: "p",
		Sources: []string{set(t, map[string]string{"p": "[sysctl]\nvm.swappiness=10\n"})}})
	if v := value(t, r, "vm.swappiness", ""); v.State != apply.Differs || *v.After != "5" ||
		v.Note != "Overriding sysctl parameter 'vm.swappiness' from '10' to '5'" {
		t.Errorf("%+v", v)
	}
	if !slices.Contains(ids(r), "apply.valueDiffers") {
		t.Errorf("%v", ids(r))
	}
}

// TestWhatTheNodesFilesSetBesideTheProfileStays: TuneD takes back its own values
// alone, so it is told, and put back here.
func TestWhatTheNodesFilesSetBesideTheProfileStays(t *testing.T) {
	n := newNode(t, guest)
	n.file("etc/sysctl.conf", "kernel.panic = 1\n")
	r := applied(t, n, apply.Options{Profile: "p",
		Sources: []string{set(t, map[string]string{"p": "[sysctl]\nvm.swappiness=10\n"})}})
	if len(r.Leftover) != 1 || r.Leftover[0].Path != "/proc/sys/kernel/panic" || r.RolledBack || !r.Restored {
		t.Errorf("%+v", r)
	}
	if len(r.Others) != 1 || *r.Others[0].Before != "10" || *r.Others[0].After != "1" {
		t.Errorf("%+v", r.Others)
	}
}

// TestADiskIsTunedInSectorsAndByPattern: units and devices as TuneD takes them.
func TestADiskIsTunedInSectorsAndByPattern(t *testing.T) {
	profiles := set(t, map[string]string{"p": "[disk]\ndevices=sd*\nreadahead=8192 s\nelevator=kyber\n[sysfs]\n" +
		"/sys/devices/system/cpu/cpu[!0]/cpufreq/scaling_governor=performance\n"})
	n := newNode(t, metal)
	r := applied(t, n, apply.Options{Profile: "p", Sources: []string{profiles}})
	got := map[string]string{}
	for _, v := range r.Values {
		got[v.Path] = *v.Before + " " + *v.After + " " + *v.RolledBack
	}
	want := map[string]string{"/sys/block/sda/queue/read_ahead_kb": "128 4096 128",
		"/sys/block/sda/queue/scheduler": "mq-deadline kyber mq-deadline"}
	for _, cpu := range []string{"1", "2", "3"} {
		want["/sys/devices/system/cpu/cpu"+cpu+"/cpufreq/scaling_governor"] = "powersave performance powersave"
	}
	if d := cmp.Diff(want, got); d != "" || !r.OK() {
		t.Errorf("%s\n%+v", d, r.Findings())
	}
}

// TestAPlugInThatFailsHalfway: TuneD reports the profile as applied, and forgets
// what the plug-in had set.
func TestAPlugInThatFailsHalfway(t *testing.T) {
	profiles := set(t, map[string]string{
		"p": "[cpu]\ngovernor=performance\nforce_latency=cstate.name:C1|10\nmin_perf_pct=100\n[sysctl]\nvm.swappiness=10\n",
	})
	r := applied(t, newNode(t, hardware{cpus: 1}), apply.Options{Profile: "p", Sources: []string{profiles}})
	if !r.Applied || r.Verified || r.RolledBack || !r.Restored ||
		value(t, r, "vm.swappiness", "").State != apply.Changed ||
		value(t, r, "min_perf_pct", "").State != apply.Differs || len(r.Leftover) != 1 ||
		!strings.HasSuffix(r.Leftover[0].Path, "/scaling_governor") {
		t.Errorf("%+v", r)
	}
	if d := cmp.Diff([]string{"apply.notRolledBack", "apply.plugInFailed", "apply.valueDiffers"}, ids(r)); d != "" {
		t.Error(d)
	}
}

// TestShippedProfiles are ones of the package with plug-ins, scripts, functions and
// variables of all kinds: no file changes that no option names.
func TestShippedProfiles(t *testing.T) {
	for _, profile := range []string{"accelerator-performance", "balanced", "network-latency", "postgresql", "powersave",
		"realtime", "cpu-partitioning"} {
		n := newNode(t, metal)
		n.file("proc/irq/default_smp_affinity", "f\n")
		r := applied(t, n, apply.Options{Profile: profile})
		if !r.Applied || len(r.Leftover) > 0 {
			t.Errorf("%s: %q, left %+v", profile, r.Refusal, r.Leftover)
		}
		for _, c := range r.Others {
			if c.Path == "/proc/irq/default_smp_affinity" {
				continue // isolated cores get no interrupts
			}
			t.Errorf("%s: nothing names %s, which was %s and is %s", profile, c.Path, shown(c.Before), shown(c.After))
		}
	}
}
