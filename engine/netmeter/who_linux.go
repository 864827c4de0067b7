package netmeter

import (
	"net"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/unit"
)

// whoAmI is this end, on the way to the other one.
func whoAmI(other net.Addr) hello {
	h := hello{Version: protocolVersion, Boot: strings.TrimSpace(string(read("/proc/sys/kernel/random/boot_id"))),
		End: network.End{Kernel: kernel(), Versions: versions(), CPUs: cpus, Pinned: pinned(),
			Congestion: strings.TrimSpace(string(read("/proc/sys/net/ipv4/tcp_congestion_control")))}}
	h.Apart = countsApart()
	h.Space, _ = os.Readlink("/proc/self/ns/net")
	if tcp, ok := other.(*net.TCPAddr); ok {
		if routes, err := netlink.RouteGet(tcp.IP); err == nil && len(routes) > 0 {
			if link, err := netlink.LinkByIndex(routes[0].LinkIndex); err == nil {
				h.Hops = []network.Hop{hop(link)}
			}
		}
	}
	return h
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

func versions() map[string]string {
	v := map[string]string{"go": runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		v["plimsoll"] = info.Main.Version
	}
	return v
}

// Allowed are the CPUs that this process may run on.
func Allowed() unit.CPUSet {
	var set unix.CPUSet
	var cpus unit.CPUSet
	if unix.SchedGetaffinity(0, &set) == nil {
		for i := range min(unit.MaxCPUs, len(set)*64) {
			if set.IsSet(i) {
				cpus.Add(i)
			}
		}
	}
	return cpus
}

// pinned are the CPUs that this process may run on, as a list; empty where these are all.
func pinned() string {
	cpus := Allowed()
	if cpus.Len() >= machineCPUs() {
		return ""
	}
	return cpus.String()
}

// machineCPUs that are online.
func machineCPUs() int {
	n := 0
	for line := range strings.Lines(string(read("/proc/stat"))) {
		if len(line) > 3 && strings.HasPrefix(line, "cpu") && line[3] != ' ' {
			n++
		}
	}
	return n
}

// offloads that matter to what a packet costs, by ethtool's names, and how they are told.
var offloads = map[string]string{"tx-tcp-segmentation": "tso", "tx-generic-segmentation": "gso", "rx-gro": "gro",
	"tx-checksum-ip-generic": "tx-checksum", "tx-udp_tnl-segmentation": "tnl"}

// hop is what there is to know of a device.
func hop(link netlink.Link) network.Hop {
	a := link.Attrs()
	h := network.Hop{Name: a.Name, MTU: a.MTU,
		RPS: strings.TrimSpace(string(read("/sys/class/net/" + a.Name + "/queues/rx-0/rps_cpus")))}
	if strings.Trim(h.RPS, "0,") == "" {
		h.RPS = ""
	}
	e, err := ethtool.NewEthtool()
	if err != nil {
		return h
	}
	defer e.Close()
	features, _ := e.Features(a.Name)
	for name, short := range offloads {
		if features[name] {
			h.Offloads = append(h.Offloads, short)
		}
	}
	slices.Sort(h.Offloads)
	return h
}
