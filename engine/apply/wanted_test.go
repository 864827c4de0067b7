package apply

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	language "plimsoll.dev/tune/tuned"
)

// TestWhereValuesEnd follows TuneD's plug-ins: what their sources open.
func TestWhereValuesEnd(t *testing.T) {
	files := fstest.MapFS{}
	for _, name := range []string{"sys/block/sda/queue/read_ahead_kb", "sys/block/sda/queue/scheduler",
		"sys/class/net/eth0/mtu", "sys/class/net/eth0/tx_queue_len",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "sys/devices/system/cpu/cpu2/cpufreq/scaling_governor",
		"sys/devices/system/cpu/cpu10/cpufreq/scaling_governor",
		"sys/devices/system/cpu/intel_pstate/no_turbo", "sys/fs/selinux/enforce",
		"sys/kernel/mm/transparent_hugepage/enabled",
		"proc/sys/kernel/sched_latency_ns", "sys/a/x1", "sys/a/x2", "sys/a/.x3", "sys/a/b[1]", "proc/cmdline"} {
		files[name] = &fstest.MapFile{}
	}
	r := resolver{files: files, resolve: func(name string) string { return name }}
	for _, c := range []struct {
		plugin, key, value string
		want               string // paths, "!" before those that TuneD leaves alone
	}{
		{"sysctl", "net.ipv4.ip_forward", "1", "/proc/sys/net/ipv4/ip_forward"},
		{"sysctl", "net/ipv4/conf/eth0/arp", "1", "/proc/sys/net/ipv4/conf/eth0/arp"},
		{"sysctl", "..", "1", "/proc/sys"},
		{"sysfs", "/sys/a/x*", "1", "/sys/a/x1 /sys/a/x2"},
		{"sysfs", "/sys/a/.x*", "1", "/sys/a/.x3"},
		{"sysfs", "/sys//a/../a/x[!1]", "1", "/sys/a/x2"},
		{"sysfs", "/sys/a/b[[]1]", "1", "/sys/a/b[1]"},
		{"sysfs", "/sys/none/*", "1", "!/sys/none/*"},
		{"sysfs", "/sys/../etc/passwd", "1", "!/etc/passwd"},
		{"sysfs", "/system", "1", "!/system"},
		{"vm", "transparent_hugepages", "never", "/sys/kernel/mm/transparent_hugepage/enabled"},
		{"vm", "transparent_hugepages", "sometimes", "!/sys/kernel/mm/transparent_hugepage/enabled"},
		{"vm", "transparent_hugepage.defrag", "never", "!/sys/kernel/mm/transparent_hugepage/defrag"},
		{"net", "nf_conntrack_hashsize", "1", "/sys/module/nf_conntrack/parameters/hashsize"},
		{"net", "mtu", "9000", "/sys/class/net/eth0/mtu"},
		{"net", "features", "gro on", ""},
		{"cpu", "governor", "performance", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor " +
			"/sys/devices/system/cpu/cpu2/cpufreq/scaling_governor /sys/devices/system/cpu/cpu10/cpufreq/scaling_governor"},
		{"cpu", "no_turbo", "1", "/sys/devices/system/cpu/intel_pstate/no_turbo"},
		{"cpu", "pm_qos_resume_latency_us", "1", "!"},
		{"disk", "readahead", "4096", "/sys/block/sda/queue/read_ahead_kb"},
		{"disk", "elevator", "none", "/sys/block/sda/queue/scheduler"},
		{"selinux", "avc_cache_threshold", "8192", "/sys/fs/selinux/avc/cache_threshold"},
		{"scheduler", "sched_latency_ns", "1", "/proc/sys/kernel/sched_latency_ns"},
		{"scheduler", "sched_min_granularity_ns", "1", "/sys/kernel/debug/sched/min_granularity_ns"},
		{"scheduler", "numa_balancing_scan_size_mb", "1", "/sys/kernel/debug/sched/numa_balancing/scan_size_mb"},
		{"scheduler", "runtime", "0", ""},
	} {
		var got []string
		for _, w := range r.ends(c.plugin, option{key: c.key, value: c.value}) {
			mark := map[bool]string{true: "!"}[w.ignored != ""]
			got = append(got, mark+w.path)
		}
		if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
			t.Errorf("[%s] %s=%s: %s", c.plugin, c.key, c.value, d)
		}
	}
}

// TestDevicesAreInNaturalOrder: network devices have letters behind their numbers.
func TestDevicesAreInNaturalOrder(t *testing.T) {
	files := fstest.MapFS{}
	for _, nic := range []string{"eno10", "eno1np0", "eno2", "eno2np1", "eno1"} {
		files["sys/class/net/"+nic+"/mtu"] = &fstest.MapFile{}
	}
	r := resolver{files: files}
	var got []string
	for _, w := range r.ends("net", option{key: "mtu"}) {
		got = append(got, w.device)
	}
	if d := cmp.Diff([]string{"eno1", "eno1np0", "eno2", "eno2np1", "eno10"}, got); d != "" {
		t.Error(d)
	}
}

// TestWhatIsLost when TuneD ends: what ends in no file, but for what is no value or goes with it.
func TestWhatIsLost(t *testing.T) {
	r := resolver{files: fstest.MapFS{"proc/cpuinfo": {Data: []byte("flags : fpu epb pln\n")},
		"sys/devices/system/cpu/cpu0/cpufreq/energy_performance_preference": {}}}
	for option, want := range map[string]bool{"net features": true, "net dynamic": false, "cpu force_latency": false,
		"scheduler isolated_cores": true, "scheduler runtime": false, "bootloader cmdline": false, "script script": true,
		"sysctl vm.swappiness": false, "cpu energy_performance_preference": false, "cpu energy_perf_bias": true,
		"disk apm": true, "disk readahead_multiply": false} {
		plugin, key, _ := strings.Cut(option, " ")
		if got := r.ends(plugin, optionOf(key))[0].lost; got != want {
			t.Errorf("%s: %v", option, got)
		}
	}
}

func optionOf(key string) option { return option{key: key, value: "1"} }

// part is a node of which not all is TuneD's, as of a machine.
type part struct{ *node }

func (part) whole() bool { return false }

// TestWhatIsMultiplied is put back before TuneD starts again: it multiplies what is there.
func TestWhatIsMultiplied(t *testing.T) {
	const file = "sys/block/sda/queue/read_ahead_kb"
	n := reached(t, plant(t, map[string]string{file: "512\n", "proc/sys/x": ""}))
	s := &session{target: part{n}, known: map[string]bool{}, config: newCollection(),
		kept: &journal{Profile: "p", was: snapshot{file: {mode: 0o644, data: "128\n"}}}}
	s.config.text(language.Profile{Name: "p", Source: language.Source{Body: "[disk]\nreadahead_multiply=4\n"}})
	s.result.Profile = "p"
	if err := s.flatten(); err != nil || !s.known[file] {
		t.Fatal(err, s.known)
	}
	var err error
	if s.before, err = s.target.read(nil); err != nil {
		t.Fatal(err)
	}
	if err := s.takeOver(); err != nil {
		t.Fatal(err)
	}
	now, err := s.target.read(nil)
	if got := now[file].data; err != nil || got != "128\n" {
		t.Errorf("%v, %q", err, got)
	}
}

// TestReadAheadInSectors: 8192 sectors of 512 bytes are 4096 KiB.
func TestReadAheadInSectors(t *testing.T) {
	r := resolver{files: fstest.MapFS{"sys/block/sda/queue/read_ahead_kb": {}}}
	for value, want := range map[string]string{"8192 s": "4096", ">8192 s": ">4096", "8192 sectors": "4096", "8192": "",
		"8192s": "", "x s": ""} {
		if got := r.ends("disk", option{key: "readahead", value: value})[0].want; got != want {
			t.Errorf("%q is %q, not %q", value, got, want)
		}
	}
}

// TestDevicesAreThoseThatTuneDTook, whatever the node has.
func TestDevicesAreThoseThatTuneDTook(t *testing.T) {
	log := tell([]Line{{Text: "instance net: assigning devices eth0, eth1"},
		{Text: "instance fast (disk): assigning devices sda"},
		{Text: "instance idle: no matching devices available"},
		{Text: "skipping plugin 'selinux', not supported on your system"}, {Text: "failed to initialize plugin warp"}})
	for section, want := range map[string]string{"net": "eth0 eth1", "fast": "sda", "idle": "sda sdb eth0 eth1",
		"unheard": "sda sdb eth0 eth1"} {
		var got []string
		for _, device := range []string{"sda", "sdb", "eth0", "eth1"} {
			if log.tuned(wanted{section: section, device: device}) {
				got = append(got, device)
			}
		}
		if d := cmp.Diff(want, strings.Join(got, " ")); d != "" {
			t.Errorf("%s: %s", section, d)
		}
	}
	if !log.idle("idle") || log.idle("net") || log.idle("unheard") || log.lacking["selinux"] == "" ||
		log.lacking["warp"] == "" {
		t.Errorf("%+v", log)
	}
}

// TestNothingOutsideIsWatched: a file that is no setting of the kernel is neither
// compared nor put back, however its path leads there.
func TestNothingOutsideIsWatched(t *testing.T) {
	r := resolver{files: fstest.MapFS{"sys/link": {}, "etc/passwd": {}}, resolve: func(name string) string {
		if name == "sys/link" {
			return "etc/passwd"
		}
		return name
	}}
	list := r.values([]section{{plugin: "sysfs", options: []option{{key: "/etc/passwd", value: "x"},
		{key: "/sys/link", value: "x"}, {key: "/sys/../etc/passwd", value: "x"}}}})
	if len(list) != 3 {
		t.Fatalf("%+v", list)
	}
	for _, w := range list {
		if w.name != "" || w.ignored == "" {
			t.Errorf("%s is watched as %q, ignored: %q", w.path, w.name, w.ignored)
		}
	}
}

// TestVariablesAreReadInsideTheNode: no path leads out of a simulated node, and
// nothing without an end is read.
func TestVariablesAreReadInsideTheNode(t *testing.T) {
	s := &session{opt: Options{Root: "node"}, config: newCollection()}
	for _, name := range []string{"/usr/../etc/hostname", "/etc/hostname", "/usr/../dev/zero"} {
		if text, ok := s.readVariables(name); ok {
			t.Errorf("%s is read: %q", name, text)
		}
	}
	s.opt.Root = ""
	if _, ok := s.readVariables("/dev/zero"); ok {
		t.Error("/dev/zero is read")
	}
}
