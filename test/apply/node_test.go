package apply

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// hardware is what a simulated node has.
type hardware struct {
	cpus int
	// disks by name and the bus that they hang on: "sda" on "scsi".
	disks map[string]string
	// nics are physical; bonds and veths are virtual.
	nics, virtual []string
	nvme, selinux bool
	// granularity says whether the kernel still has kernel.sched_*_ns, as before 5.13.
	granularity bool
	cmdline     string
}

// metal and guest are the two kinds of nodes of the examples.
var (
	metal = hardware{cpus: 4, disks: map[string]string{"sda": "scsi", "nvme0n1": "nvme"}, nics: []string{"eno1", "eno2"},
		virtual: []string{"lo", "tun0"},
		nvme:    true, selinux: true, granularity: true, cmdline: "BOOT_IMAGE=/boot/vmlinuz root=/dev/sda1\n"}
	guest = hardware{cpus: 2, disks: map[string]string{"vda": "virtio"}, nics: []string{"eth0"},
		virtual: []string{"lo", "veth12"}, selinux: true, cmdline: "BOOT_IMAGE=/boot/vmlinuz root=/dev/vda1\n"}
)

// sysctls are the kernel's defaults of RHEL 8, as far as profiles of OpenShift set them.
var sysctls = map[string]string{
	"fs/aio-max-nr": "65536", "fs/inotify/max_user_instances": "128", "fs/inotify/max_user_watches": "8192",
	"kernel/pid_max": "32768", "kernel/panic": "10", "kernel/numa_balancing": "0", "kernel/hostname": "node",
	"net/core/somaxconn": "128", "net/core/busy_read": "0", "net/ipv4/conf/all/arp_announce": "0",
	"net/ipv4/ip_forward": "0", "net/ipv4/ip_local_port_range": "32768\t60999", "net/ipv4/tcp_fastopen": "1",
	"net/ipv4/tcp_tw_reuse":             "2",
	"net/ipv4/neigh/default/gc_thresh1": "128", "net/ipv4/neigh/default/gc_thresh2": "512",
	"net/ipv4/neigh/default/gc_thresh3": "1024",
	"net/ipv6/neigh/default/gc_thresh1": "128", "net/ipv6/neigh/default/gc_thresh2": "512",
	"net/ipv6/neigh/default/gc_thresh3": "1024",
	"net/netfilter/nf_conntrack_max":    "262144", "vm/dirty_background_ratio": "10", "vm/dirty_ratio": "20",
	"vm/max_map_count": "65530", "vm/nr_hugepages": "0", "vm/swappiness": "60",
}

// tree is a simulated node in the making.
type tree struct {
	testing.TB
	dir string
}

// newNode writes a node and returns its directory.
func newNode(t testing.TB, h hardware) tree {
	t.Helper()
	n := tree{t, filepath.Join(t.TempDir(), "node")}
	for name, value := range sysctls {
		n.file("proc/sys/"+name, value+"\n")
	}
	if h.granularity {
		n.file("proc/sys/kernel/sched_min_granularity_ns", "3000000\n")
		n.file("proc/sys/kernel/sched_migration_cost_ns", "500000\n")
		n.file("proc/sys/kernel/sched_wakeup_granularity_ns", "4000000\n")
	}
	n.file("proc/cmdline", h.cmdline)
	n.file("sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n")
	n.file("sys/kernel/mm/transparent_hugepage/defrag", "always defer defer+madvise [madvise] never\n")
	n.file("sys/module/nf_conntrack/parameters/hashsize", "65536\n")
	if h.nvme {
		n.file("sys/module/nvme_core/parameters/io_timeout", "30\n")
		n.file("sys/module/nvme_core/parameters/max_retries", "5\n")
	}
	if h.selinux {
		n.file("sys/fs/selinux/avc/cache_threshold", "512\n")
	}
	n.cpus(h.cpus)
	slot := 3
	for _, disk := range sorted(h.disks) {
		n.disk(disk, h.disks[disk], slot)
		slot++
	}
	for i, nic := range h.nics {
		n.nic(nic, fmt.Sprintf("sys/devices/pci0000:00/0000:00:%02x.0/net/%s", slot+i, nic), i+2)
	}
	for i, nic := range h.virtual {
		n.nic(nic, "sys/devices/virtual/net/"+nic, i+1+len(h.nics))
	}
	return n
}

func (n tree) file(name, text string) {
	n.Helper()
	path := filepath.Join(n.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		n.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		n.Fatal(err)
	}
}

// link makes a relative link, as /sys has them, from one path of the node to another.
func (n tree) link(name, to string) {
	n.Helper()
	rel, err := filepath.Rel(path.Dir(name), to)
	if err != nil {
		n.Fatal(err)
	}
	full := filepath.Join(n.dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		n.Fatal(err)
	}
	if err := os.Symlink(rel, full); err != nil {
		n.Fatal(err)
	}
}

// get is a file's text without the line feed.
func (n tree) get(name string) string {
	n.Helper()
	data, err := os.ReadFile(filepath.Join(n.dir, name))
	if err != nil {
		n.Fatal(err)
	}
	return strings.TrimSpace(string(data))
}

func (n tree) cpus(count int) {
	last := fmt.Sprintf("0-%d\n", count-1)
	for _, name := range []string{"online", "present", "possible"} {
		n.file("sys/devices/system/cpu/"+name, last)
	}
	info := ""
	for i := range count {
		cpu := fmt.Sprintf("sys/devices/system/cpu/cpu%d", i)
		n.file(cpu+"/online", "1\n")
		n.file(cpu+"/uevent", "DRIVER=processor\n")
		n.file(cpu+"/topology/physical_package_id", "0\n")
		n.file(cpu+"/cpufreq/scaling_governor", "powersave\n")
		n.file(cpu+"/cpufreq/scaling_available_governors", "performance powersave\n")
		n.link(cpu+"/subsystem", "sys/bus/cpu")
		n.link(fmt.Sprintf("sys/bus/cpu/devices/cpu%d", i), cpu)
		info += fmt.Sprintf("processor\t: %d\nvendor_id\t: GenuineIntel\nmodel name\t: Simulated\nflags\t\t: fpu sse2\n\n", i)
	}
	n.file("sys/devices/system/cpu/intel_pstate/min_perf_pct", "30\n")
	n.file("sys/devices/system/cpu/intel_pstate/max_perf_pct", "100\n")
	n.file("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n")
	n.file("proc/cpuinfo", info)
}

func (n tree) disk(name, bus string, slot int) {
	parent := fmt.Sprintf("sys/devices/pci0000:00/0000:00:%02x.0/%s0", slot, bus)
	n.file(parent+"/uevent", "")
	if bus == "nvme" {
		n.link(parent+"/subsystem", "sys/class/nvme")
		n.file("sys/class/nvme/README", "")
	} else {
		n.link(parent+"/subsystem", "sys/bus/"+bus)
		n.file("sys/bus/"+bus+"/uevent", "")
	}
	device := parent + "/block/" + name
	n.file(device+"/uevent", "MAJOR=8\nMINOR=0\nDEVNAME="+name+"\nDEVTYPE=disk\n")
	n.file(device+"/removable", "0\n")
	n.file(device+"/stat", strings.Repeat("0 ", 11)+"\n")
	n.file(device+"/queue/read_ahead_kb", "128\n")
	n.file(device+"/queue/scheduler", "[mq-deadline] kyber none\n")
	n.link(device+"/subsystem", "sys/class/block")
	n.link(device+"/device", parent)
	n.link("sys/class/block/"+name, device)
	n.link("sys/block/"+name, device)
}

func (n tree) nic(name, device string, index int) {
	n.file(device+"/uevent", fmt.Sprintf("INTERFACE=%s\nIFINDEX=%d\n", name, index))
	n.file(device+"/mtu", "1500\n")
	n.file(device+"/tx_queue_len", "1000\n")
	for _, counter := range []string{"rx_bytes", "rx_packets", "tx_bytes", "tx_packets"} {
		n.file(device+"/statistics/"+counter, "0\n")
	}
	n.link(device+"/subsystem", "sys/class/net")
	n.link("sys/class/net/"+name, device)
}

func (n tree) remove(name string) {
	n.Helper()
	if err := os.RemoveAll(filepath.Join(n.dir, name)); err != nil {
		n.Fatal(err)
	}
}
