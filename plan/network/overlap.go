package network

import (
	"fmt"
	"net/netip"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
)

// otherNetworks gauges the service and the machine network.
func (n *planner) otherNetworks() {
	services := n.usable("network.serviceAddresses", "Addresses for services", n.services)
	n.Detail(services)
	n.gaugeAddresses("serviceAddresses", "Service addresses", n.in.Services, services, "network.serviceNetwork",
		"give a larger network.serviceNetwork before the installation; it can't be changed later")
	machines := n.usable("network.machineAddresses", "Addresses for machines", n.machines)
	n.Detail(machines)
	n.gaugeAddresses("machineAddresses", "Machine addresses", n.in.Nodes, machines, "network.machineNetwork",
		"give a larger network.machineNetwork, or several")
	n.matchFamilies()
}

// usable counts the addresses of the networks without those that no host can
// have. Of a dual-stack pair the IPv4 network counts: each service and each
// machine has an address of both, and IPv4 is the scarcer.
func (n *planner) usable(id, title string, nets []network) derive.Value {
	reserved := n.Fact("net.subnet.reservedIPv4")
	t := derive.Terms{In: []derive.Input{derive.In("reserved", reserved)}}
	for i, x := range scarcer(nets) {
		name := fmt.Sprintf("prefix%d", i)
		t.Add(fmt.Sprintf("max(0, 2^(%d - %s) - reserved)", x.prefix.Addr().BitLen(), name),
			derive.In(name, n.Origin.Value(x.field, float64(x.prefix.Bits()), "bits").WithText(x.prefix.String())))
	}
	return n.Calc(id, title, "addresses", t.Sum(), t.In...)
}

func scarcer(nets []network) []network {
	var four, six []network
	for _, x := range nets {
		if x.prefix.Addr().Is4() {
			four = append(four, x)
		} else {
			six = append(six, x)
		}
	}
	if len(four) > 0 {
		return four
	}
	return six
}

func (n *planner) gaugeAddresses(id, title string, value, most derive.Value, field, remedy string) {
	if most.Number == 0 {
		return // the network is missing or could not be read
	}
	g := limit.Measure(id, title, "cluster", value, most, limit.Hard)
	n.Gauge(g)
	if g.Verdict == limit.Passed {
		f := n.Find(v1alpha1.Error, "network."+id+".tooFew", fmt.Sprintf("%s are planned, the network has %s", value, most),
			remedy)
		f.Figure, f.Field = "network."+id, field
	}
}

// matchFamilies wants the same versions of IP in the cluster and the service
// network, as the network operator does.
func (n *planner) matchFamilies() {
	versions := func(four, six bool) string {
		switch {
		case four && six:
			return "IPv4 and IPv6"
		case six:
			return "IPv6"
		}
		return "IPv4"
	}
	var cluster, service [2]bool
	for _, e := range n.entries {
		cluster[family6(e.prefix)] = true
	}
	for _, s := range n.services {
		service[family6(s.prefix)] = true
	}
	if len(n.entries) > 0 && len(n.services) > 0 && cluster != service {
		n.Find(v1alpha1.Error, "network.families",
			fmt.Sprintf("the cluster network is %s, the service network %s", versions(cluster[0], cluster[1]),
				versions(service[0], service[1])),
			"give both the same versions of IP").Field = "network.serviceNetwork"
	}
}

func family6(p netip.Prefix) int {
	if p.Addr().Is6() {
		return 1
	}
	return 0
}

// overlaps finds every pair of networks that share addresses. The plug-in's own
// ranges are not compared with one another.
func (n *planner) overlaps() {
	var all []network
	for _, e := range n.entries {
		if !n.none { // network.cidr.none has said that there is no room
			all = append(all, e.network)
		}
	}
	all = append(append(all, n.machines...), n.services...)
	for i, a := range all {
		for _, b := range append(all[i+1:len(all):len(all)], n.internals...) {
			if a.prefix.Overlaps(b.prefix) && n.stated(a) && n.stated(b) {
				n.overlap(a, b)
			}
		}
		n.holdsMachines(a)
	}
}

// stated says that a network is what it is: of a cluster that runs only what the user wrote, as the rest
// is assumed, or has run beside the others since the installation.
func (n *planner) stated(x network) bool {
	field, _, _ := strings.Cut(x.field, "[")
	runs := n.in.Running || len(n.nodes) > 0 && field == "network.machineNetwork"
	return !runs || field != "" && !n.Origin.Assumed(field)
}

// holdsMachines tells of machines that run with addresses in a network for pods or services that is
// written, or runs as well: any may have come since the installation.
func (n *planner) holdsMachines(x network) {
	field, _, _ := strings.Cut(x.field, "[")
	if field == "network.machineNetwork" || n.Origin.Assumed(field) && !n.Origin.Runs(field) {
		return
	}
	var within []string
	for _, m := range n.nodes {
		if x.prefix.Contains(m.prefix.Addr()) {
			within = append(within, fmt.Sprintf("%s (%s)", m.use, m.prefix.Addr()))
		}
	}
	if len(within) > 0 {
		n.Find(v1alpha1.Error, "network.overlap",
			fmt.Sprintf("the %s %s has addresses of nodes in it: %s: packets for one would go to the other", x.use, x.prefix,
				words.Some(within, 3)), "give the nodes addresses outside of it").Field = x.field
	}
}

func (n *planner) overlap(a, b network) {
	remedy := "move one of them to addresses that nothing else uses"
	if free, ok := FreeBlock(a.prefix.Bits(), n.private(), append(n.taken(), prefixesOf(n.entries)...)); ok &&
		a.prefix.Addr().Is4() {
		remedy = fmt.Sprintf("move the %s to %s, for example", a.use, free)
	}
	if b.field == "" {
		remedy += ", or give OVN-Kubernetes another range of its own"
	}
	n.Find(v1alpha1.Error, "network.overlap",
		fmt.Sprintf("the %s %s overlaps %s: packets for one would go to the other", a.use, a.prefix, named(b)),
		remedy).Field = a.field
}

func named(x network) string {
	if x.field == "" {
		return fmt.Sprintf("%s %s", x.use, x.prefix)
	}
	return fmt.Sprintf("the %s %s", x.use, x.prefix)
}

func prefixesOf(entries []entry) []netip.Prefix {
	var out []netip.Prefix
	for _, e := range entries {
		out = append(out, e.prefix)
	}
	return out
}
