package netmeter

import (
	"net"
	"os"
	"slices"
	"strings"

	"github.com/safchain/ethtool"
	"github.com/vishvananda/netlink"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
)

// whoAmI is this end, on the way to the other one.
func whoAmI(other net.Addr) hello {
	h := hello{Version: protocolVersion, Boot: strings.TrimSpace(string(read("/proc/sys/kernel/random/boot_id"))),
		End: network.End{Kernel: ends.Kernel(), Versions: ends.Versions(), CPUs: cpus, Pinned: ends.Pinned(),
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
