package network

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Topology is a set of network namespaces with what joins them, and the two that are measured.
type Topology struct {
	// Name of the place, and Title for people.
	Name, Title string
	// Spaces are the network namespaces.
	Spaces  []string
	Bridges []Bridge
	Wires   []Wire
	Tunnels []Tunnel
	Routes  []Route
	// Client and Server are spaces; Address is the server's.
	Client, Server string
	Address        netip.Addr
	Switches       Switches
}

// Port is an end of a wire: a device in a space, with an address or on a bridge.
type Port struct {
	Space, Device string
	Address       netip.Prefix
	Bridge        string
}

// Wire is a veth pair; MTU in bytes.
type Wire struct {
	A, B Port
	MTU  int
}

// Bridge of a space, with an address that is the gateway of what is on it.
type Bridge struct {
	Space, Device string
	Address       netip.Prefix
	MTU           int
}

// Tunnel is a VXLAN device of a space, on a bridge of it.
type Tunnel struct {
	Space, Device, Bridge string
	Local, Remote         netip.Addr
	MTU                   int
}

// Route of a space: to a network by a gateway.
type Route struct {
	Space string
	To    netip.Prefix
	Via   netip.Addr
}

// Switches are what of a topology is varied.
type Switches struct {
	// MTU of the wires between machines, in bytes; pods of a tunnel have TunnelHeader less.
	MTU int `json:"mtu"`
	// Offloads says whether segmentation and checksums are left to the devices.
	Offloads bool `json:"offloads"`
	// RPS is the mask of CPUs that share what is received (net.core.rps_default_mask); empty: none.
	RPS string `json:"rps,omitempty"`
	// StaticRoute past the balancer: "", "out", or "both" for the way back, too. Of external only.
	StaticRoute string `json:"staticRoute,omitempty"`
}

// String is what is other than usual, after a comma each; empty for wires of 1,500 bytes with offloads.
func (s Switches) String() string {
	text := ""
	if s.MTU != 1500 {
		text += fmt.Sprintf(", MTU %d", s.MTU)
	}
	if !s.Offloads {
		text += ", no offloads"
	}
	if s.RPS != "" {
		text += ", RPS " + s.RPS
	}
	if s.StaticRoute != "" {
		text += ", static route " + s.StaticRoute
	}
	return text
}

// TunnelHeader is what VXLAN over IPv4 puts before a frame: 14 + 20 + 8 + 8 bytes (RFC 7348, section 5).
const TunnelHeader = 50

// MaxMTU of a veth device.
const MaxMTU = 65535

// place builds the topologies by name.
type place struct {
	name, title string
	build       func(t *Topology)
}

var places = []place{
	{"pair", "two namespaces on a wire", pair},
	{"pods", "two pods of a worker (scenario 1)", pods},
	{"workers", "pods of two workers over VXLAN (scenario 2)", workers},
	{"external", "a pod and an external host behind a load balancer (scenario 3)", external},
}

// Places are the names of the topologies that can be built, the scenarios of document 001 and a plain pair.
func Places() []string {
	var out []string
	for _, p := range places {
		out = append(out, p.name)
	}
	return out
}

// Place builds the topology of a name.
func Place(name string, s Switches) (*Topology, error) {
	i := slices.IndexFunc(places, func(p place) bool { return p.name == name })
	switch {
	case i < 0:
		return nil, fmt.Errorf("place %q is not known (%s)", name, strings.Join(Places(), ", "))
	case s.MTU < 576 || s.MTU > MaxMTU:
		return nil, fmt.Errorf("an MTU of %d (576 to %d)", s.MTU, MaxMTU)
	case !slices.Contains([]string{"", "out", "both"}, s.StaticRoute):
		return nil, fmt.Errorf("a static route %q (out, or both for the way back, too)", s.StaticRoute)
	case s.StaticRoute != "" && name != "external":
		return nil, fmt.Errorf("place %s has no way past a load balancer (--place external has)", name)
	}
	t := &Topology{Name: name, Title: places[i].title, Switches: s}
	places[i].build(t)
	return t, nil
}

// The networks of the topologies. Each is in namespaces alone, and can't meet one of the machine.
var (
	wireNet = netip.MustParsePrefix("10.99.1.0/24") // between machines
	podNet  = netip.MustParsePrefix("10.99.0.0/24") // of all pods
	hostNet = netip.MustParsePrefix("10.99.2.0/24") // of the external host
	direct  = netip.MustParsePrefix("10.99.3.0/24") // the way past the balancer
)

// nth address of a network, with its length.
func nth(p netip.Prefix, n int) netip.Prefix {
	a := p.Addr()
	for range n {
		a = a.Next()
	}
	return netip.PrefixFrom(a, p.Bits())
}

func (t *Topology) wire(a, b Port, mtu int) {
	for _, p := range []Port{a, b} {
		if !slices.Contains(t.Spaces, p.Space) {
			t.Spaces = append(t.Spaces, p.Space)
		}
	}
	t.Wires = append(t.Wires, Wire{a, b, mtu})
}

// pod of a worker, with the nth address of the pods, on the worker's bridge.
func (t *Topology) pod(name, worker string, n, mtu int) netip.Prefix {
	at := nth(podNet, n)
	t.wire(Port{Space: name, Device: "eth0", Address: at},
		Port{Space: worker, Device: "to-" + name, Bridge: "pods"}, mtu)
	return at
}

func (t *Topology) ends(client, server string, at netip.Prefix) {
	t.Client, t.Server, t.Address = client, server, at.Addr()
}

func pair(t *Topology) {
	a, b := nth(wireNet, 1), nth(wireNet, 2)
	t.wire(Port{Space: "client", Device: "eth0", Address: a}, Port{Space: "server", Device: "eth0", Address: b},
		t.Switches.MTU)
	t.ends("client", "server", b)
}

func pods(t *Topology) {
	t.pod("client", "worker", 2, t.Switches.MTU)
	t.ends("client", "server", t.pod("server", "worker", 3, t.Switches.MTU))
	t.Bridges = []Bridge{{"worker", "pods", nth(podNet, 1), t.Switches.MTU}}
}

func workers(t *Topology) {
	inside := t.Switches.MTU - TunnelHeader
	t.pod("client", "worker1", 2, inside)
	at := t.pod("server", "worker2", 3, inside)
	t.ends("client", "server", at)
	a, b := nth(wireNet, 1), nth(wireNet, 2)
	t.wire(Port{Space: "worker1", Device: "eth0", Address: a}, Port{Space: "worker2", Device: "eth0", Address: b},
		t.Switches.MTU)
	t.Bridges = []Bridge{{"worker1", "pods", netip.Prefix{}, inside}, {"worker2", "pods", netip.Prefix{}, inside}}
	t.Tunnels = []Tunnel{{"worker1", "vxlan0", "pods", a.Addr(), b.Addr(), inside},
		{"worker2", "vxlan0", "pods", b.Addr(), a.Addr(), inside}}
}

// external: the worker reaches the host by the balancer unless a static route leads there directly, and
// the host's answer comes by the balancer unless that has one, too (document 001, "static route").
func external(t *Topology) {
	mtu := t.Switches.MTU
	t.pod("client", "worker", 2, mtu)
	worker, balancer := nth(wireNet, 1), nth(wireNet, 2)
	out, host := nth(hostNet, 1), nth(hostNet, 2)
	past, back := nth(direct, 1), nth(direct, 2)
	t.wire(Port{Space: "worker", Device: "eth0", Address: worker},
		Port{Space: "balancer", Device: "eth0", Address: balancer}, mtu)
	t.wire(Port{Space: "balancer", Device: "eth1", Address: out},
		Port{Space: "server", Device: "eth0", Address: host}, mtu)
	t.wire(Port{Space: "worker", Device: "eth1", Address: past},
		Port{Space: "server", Device: "eth1", Address: back}, mtu)
	t.Bridges = []Bridge{{"worker", "pods", nth(podNet, 1), mtu}}
	t.ends("client", "server", host)
	there, home := balancer, out
	if t.Switches.StaticRoute != "" {
		there = back
	}
	if t.Switches.StaticRoute == "both" {
		home = past
	}
	t.Routes = []Route{{"client", hostNet, nth(podNet, 1).Addr()}, {"worker", hostNet, there.Addr()},
		{"server", podNet, home.Addr()}, {"balancer", podNet, worker.Addr()}}
}

// Devices of the topology, by space and name.
func (t *Topology) Devices() []Port {
	var out []Port
	for _, w := range t.Wires {
		out = append(out, w.A, w.B)
	}
	for _, b := range t.Bridges {
		out = append(out, Port{Space: b.Space, Device: b.Device, Address: b.Address})
	}
	for _, u := range t.Tunnels {
		out = append(out, Port{Space: u.Space, Device: u.Device, Bridge: u.Bridge})
	}
	slices.SortFunc(out, func(a, b Port) int {
		return cmp.Or(cmp.Compare(slices.Index(t.Spaces, a.Space), slices.Index(t.Spaces, b.Space)),
			cmp.Compare(a.Device, b.Device))
	})
	return out
}
