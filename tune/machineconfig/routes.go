package machineconfig

import (
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// Routes are the static routes of one device.
type Routes struct {
	// Device is the interface: "enc9000".
	Device string
	Routes []Route
	// Machine, Pods and Services are the networks of the cluster, as CIDR; routes
	// are compared with those that are given.
	Machine, Pods, Services []string
	// OVN says that OVN-Kubernetes is the network plug-in and pods are meant to use
	// the routes.
	OVN bool
}

// Route is one static route.
type Route struct {
	// To is the network, as CIDR.
	To string
	// Via is the gateway's address; empty for a network on the same layer-2 segment.
	Via string
	// Metric is 0 for the default.
	Metric int64
}

// field is how a finding names the routes of a device, or what is written for one.
func (r Routes) field() string { return "--route " + cut(r.Device) }

// words are the route as it is asked for.
func (r Route) words() string {
	if r.Via == "" {
		return cut(r.To)
	}
	return cut(r.To) + " via " + cut(r.Via)
}

// parsedRoute is a route that can be written.
type parsedRoute struct {
	to     netip.Prefix
	via    netip.Addr
	metric int64
}

// deviceName is what the kernel takes for an interface.
var deviceName = regexp.MustCompile(`^[^\s/:;\[\]=\x00-\x1f]{1,15}$`)

func (m *maker) routes(r Routes, documented bool) piece {
	field := r.field()
	switch {
	case !deviceName.MatchString(r.Device) || r.Device == "." || r.Device == "..":
		m.add(impossibleRule, field, short(r.Device)+" is no name of an interface",
			"write one of at most 15 letters, such as enc9000")
		return piece{}
	case r.Device == "br-ex":
		m.add(routeRule, field, "br-ex is set up by OVN-Kubernetes: neither a route file nor a "+
			"key file may be written for it", "use an NMState policy (NodeNetworkConfigurationPolicy)")
		return piece{}
	}
	networks := m.networks(r)
	var good []parsedRoute
	for _, one := range r.Routes {
		at := field + " " + one.words()
		if p, ok := m.route(one, at); ok && m.overlaps(p, networks, at) {
			good = append(good, p)
			m.reach(p, networks, at)
		}
	}
	if len(good) == 0 {
		m.add(impossibleRule, field, "no route is left for "+r.Device, "write at least one")
		return piece{}
	}
	m.note(returnPathRule, v1alpha1.Info, field, "answers to what leaves by these routes still come back as before: "+
		"where a load balancer keeps state, it sees half of each connection",
		"let the other side have a route back, or make sure that nothing on the way keeps state")
	if r.OVN {
		m.add(podRoutesRule, field, "pods of OVN-Kubernetes pass the host's routes by",
			"set gatewayConfig.routingViaHost: true in the cluster's network configuration")
	}
	if keyfiles.In(m.release) && !documented {
		return m.keyfile(r.Device, field, good)
	}
	return m.scripts(r.Device, field, good)
}

// route reads one route.
func (m *maker) route(r Route, at string) (parsedRoute, bool) {
	out := parsedRoute{metric: r.Metric}
	to, err := netip.ParsePrefix(r.To)
	switch {
	case err != nil:
		m.add(routeRule, at, short(r.To)+" is no network", "write an address and a length, such as 192.0.2.0/24")
		return out, false
	case to != to.Masked():
		m.add(routeRule, at, r.To+" is an address within a network", "write "+to.Masked().String())
		return out, false
	case to.Bits() == 0:
		m.add(routeRule, at, r.To+" is a default route: it replaces the way to everything, the API server included",
			"write the network of the external system")
		return out, false
	case r.Metric < 0 || r.Metric > 1<<32-1:
		m.add(routeRule, at, fmt.Sprintf("%d is no metric", r.Metric), "write a number from 0 to 4294967295")
		return out, false
	}
	out.to = to
	if r.Via == "" {
		return out, true
	}
	via, err := netip.ParseAddr(r.Via)
	switch {
	case err != nil || via.Zone() != "":
		m.add(routeRule, at, short(r.Via)+" is no address of a gateway", "write an address, such as 198.51.100.1")
		return out, false
	case via.Is4() != to.Addr().Is4():
		m.add(routeRule, at, r.Via+" and "+r.To+" are of different families", "write both as IPv4 or both as IPv6")
		return out, false
	case to.Contains(via):
		m.add(routeRule, at, "the gateway "+r.Via+" is within "+r.To+", which it is to lead to",
			"write a gateway on the node's own network")
		return out, false
	}
	out.via = via
	return out, true
}

// network is one of the cluster's.
type network struct {
	name string
	net  netip.Prefix
}

func (m *maker) networks(r Routes) []network {
	var out []network
	for _, kind := range []struct {
		name  string
		texts []string
	}{{"machine", r.Machine}, {"pods", r.Pods}, {"services", r.Services}} {
		for _, text := range kind.texts {
			p, err := netip.ParsePrefix(text)
			if err != nil {
				m.add(impossibleRule, "--networks", short(text)+" is no network",
					"write an address and a length, such as 10.0.0.0/16")
				continue
			}
			out = append(out, network{kind.name, p.Masked()})
		}
	}
	return out
}

// overlaps refuses routes that take the cluster's own traffic away.
func (m *maker) overlaps(r parsedRoute, networks []network, at string) bool {
	ok := true
	for _, n := range networks {
		if !n.net.Overlaps(r.to) {
			continue
		}
		m.add(routeRule, at, fmt.Sprintf("%s overlaps %s, %s", r.to, n.net, n.of()), "write a network outside the cluster's")
		ok = false
	}
	return ok
}

// of says what the network is.
func (n network) of() string {
	if n.name == "machine" {
		return "the network of the cluster's nodes, which reach it already"
	}
	return "a network of the cluster"
}

// reach looks at how the network is reached.
func (m *maker) reach(r parsedRoute, networks []network, at string) {
	if !r.via.IsValid() {
		m.add(onLinkRule, at, "the route to "+r.to.String()+" has no gateway: it is taken for a network on the same "+
			"layer-2 segment, and is a black hole where it is not", "check that the segment is shared, or write the gateway")
		return
	}
	known, within := false, false
	for _, n := range networks {
		if n.name == "machine" && n.net.Addr().Is4() == r.via.Is4() {
			known, within = true, within || n.net.Contains(r.via)
		}
	}
	if known && !within {
		m.note(routeRule, v1alpha1.Warning, at, "the gateway "+r.via.String()+
			" is on none of the machine networks: the nodes may not reach it", "write a gateway on the node's own network")
	}
}

// scripts writes route files for NetworkManager's ifcfg plug-in, IPv6 in a file of
// its own.
func (m *maker) scripts(device, field string, routes []parsedRoute) piece {
	m.note(routeFileRule, v1alpha1.Warning, field,
		"the route file is read by NetworkManager's ifcfg plug-in only, and only beside an ifcfg-"+device,
		m.scriptFix(device))
	var p piece
	for _, four := range []bool{true, false} {
		var b strings.Builder
		for _, r := range routes {
			if r.to.Addr().Is4() == four {
				b.WriteString(r.script(device))
			}
		}
		name := "route-"
		if !four {
			name = "route6-"
		}
		if b.Len() > 0 {
			p.files = append(p.files, newFile{scriptsDir + name + device, b.String(), readable})
		}
	}
	return p
}

func (m *maker) scriptFix(device string) string {
	if keyfiles.In(m.release) {
		return "leave out --as-documented: a key file is written then"
	}
	return "check on a node that ifcfg-" + device + " exists"
}

// script is the route as "ip route" takes it.
func (r parsedRoute) script(device string) string {
	out := r.to.String()
	if r.via.IsValid() {
		out += " via " + r.via.String()
	}
	out += " dev " + device
	if r.metric > 0 {
		out += fmt.Sprintf(" metric %d", r.metric)
	}
	return out + "\n"
}

// Where NetworkManager's files stand.
const (
	scriptsDir  = "/etc/sysconfig/network-scripts/"
	keyfilesDir = "/etc/NetworkManager/system-connections/"
)

// keyfile writes a profile of the device with the routes. It takes the place of
// the one that the system made.
func (m *maker) keyfile(device, field string, routes []parsedRoute) piece {
	m.add(keyfileRule, field, "the key file is the whole profile of "+device+
		", with addresses by DHCP and router advertisement: nodes with static addresses lose them",
		"where addresses are static, use an NMState policy for each node")
	var four, six strings.Builder
	for _, r := range routes {
		b := &six
		if r.to.Addr().Is4() {
			b = &four
		}
		fmt.Fprintf(b, "route%d=%s\n", strings.Count(b.String(), "\n")+1, r.key())
	}
	text := fmt.Sprintf("[connection]\nid=%[1]s\ntype=ethernet\ninterface-name=%[1]s\nautoconnect-priority=10\n\n"+
		"[ipv4]\nmethod=auto\n%[2]s\n[ipv6]\nmethod=auto\n%[3]s",
		device, four.String(), six.String())
	return piece{files: []newFile{{keyfilesDir + device + ".nmconnection", text, secret}}}
}

// key is the route as a key file has it: network, gateway, metric.
func (r parsedRoute) key() string {
	out := r.to.String()
	via := r.via
	if !via.IsValid() && r.metric > 0 {
		via = netip.IPv6Unspecified()
		if r.to.Addr().Is4() {
			via = netip.IPv4Unspecified()
		}
	}
	if via.IsValid() {
		out += "," + via.String()
	}
	if r.metric > 0 {
		out += fmt.Sprintf(",%d", r.metric)
	}
	return out
}
