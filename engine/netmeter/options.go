package netmeter

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/unit"
)

// Options of a run.
type Options struct {
	Parameters network.Parameters
	// Place is built for the run; nil for a server that is there, or for the loopback device.
	Place *network.Topology
	// Server is the address of one that was started on another host; empty with a place, and for loopback.
	Server string
	// ClientCPUs and ServerCPUs are those that each end may use; empty for all.
	ClientCPUs, ServerCPUs unit.CPUSet
	// Congestion control of the connections; empty for that of the machine.
	Congestion string
	// Progress is told after each sample: how many there are, and which cell comes next.
	Progress func(done int, next string)
}

// Port of a server where none is named: that of uperf's control connection is 20000, iperf3's 5201.
const Port = 5209

// Spot is where an end runs.
type Spot = ends.Spot

// Address with the port that servers have where none is named.
func Address(host string) (string, error) {
	if _, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return "", fmt.Errorf("%q has no port from 0 to 65535", host)
		}
		return host, nil
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") { // as IPv6 stands before a port
		host = host[1 : len(host)-1]
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return netip.AddrPortFrom(ip, Port).String(), nil
	}
	if at := net.JoinHostPort(host, strconv.Itoa(Port)); host != "" {
		if _, _, err := net.SplitHostPort(at); err == nil {
			return at, nil
		}
	}
	return "", fmt.Errorf("%q is not HOST or HOST:PORT", host)
}
