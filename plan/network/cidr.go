package network

import (
	"fmt"
	"net/netip"
	"strings"

	"plimsoll.dev/part"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/unit"
)

// clusterNetwork settles the cluster network: the scenario's, or a derived one.
func (n *planner) clusterNetwork() {
	switch {
	case len(n.in.Config.ClusterNetwork) > 0:
		n.entries = n.readEntries()
		n.res.Decision.ClusterNetwork = n.in.Config.ClusterNetwork
		return
	case n.ipv6Only():
		n.entries = []entry{n.deriveIPv6()}
	default:
		n.entries = []entry{n.deriveIPv4()}
	}
	e := n.entries[0]
	n.res.Decision.ClusterNetwork = []v1alpha1.ClusterNetwork{
		{CIDR: e.prefix.String(), HostPrefix: int(e.hostPrefix.Int())},
	}
}

// deriveIPv6 takes the network of the installer's examples, which has room for
// 65,536 nodes of 2^64 addresses each.
func (n *planner) deriveIPv6() entry {
	hostPrefix := n.Fact("ocp.network.hostPrefixIPv6")
	cidr := n.Facts.Must("ocp.network.clusterNetworkIPv6")
	p := netip.MustParsePrefix(cidr.Text)
	n.Show(n.recordCIDR(p, "the network of the installer's examples", hostPrefix))
	return entry{network: network{prefix: p, use: "cluster network", field: "network.clusterNetwork"},
		hostPrefix: hostPrefix.WithText(slash(int(hostPrefix.Int())))}
}

// deriveIPv4 picks the smallest of the documents' networks that holds the
// nodes, elsewhere in private address space when its place is taken.
func (n *planner) deriveIPv4() entry {
	hostPrefix := n.deriveHostPrefix()
	p, method, ok := n.pick(int(hostPrefix.Int()))
	if n.none = !ok; n.none {
		n.FindAt(v1alpha1.Error, "network.cidr.none", "network.clusterNetwork",
			fmt.Sprintf("no private network is free for %s with hostPrefix %d: a /%d is needed beside the machine, "+
				"service and plug-in networks",
				n.in.Nodes, hostPrefix.Int(), ClusterPrefix(n.in.Nodes.Int(), int(hostPrefix.Int()))),
			"make the machine or service network smaller, lower maxPods so that hostPrefix can be longer, "+
				"or give network.clusterNetwork yourself", part.OCP("1.1"))
	}
	cidr := n.recordCIDR(p, method, hostPrefix)
	n.Show(cidr, hostPrefix)
	return entry{network: network{prefix: p, use: "cluster network", field: "network.clusterNetwork"},
		hostPrefix: hostPrefix}
}

func (n *planner) recordCIDR(p netip.Prefix, method string, hostPrefix derive.Value) derive.Value {
	return n.Record(derive.Figure{
		ID: "network.cidr", Title: "Cluster network (clusterNetwork.cidr)",
		Value:  derive.Of(float64(p.Bits()), unit.Bits).WithText(p.String()),
		Method: method,
		Inputs: []derive.Input{derive.In("nodes", n.in.Nodes), derive.In("hostPrefix", hostPrefix)},
		Notes: []string{
			"Set it before the installation; each node takes one subnet, control plane and infrastructure included.",
		},
		Sources: []derive.Source{part.OCP("1.1"), part.OCP("12.2")},
	})
}

// published are the networks that the documents name, the smallest first.
func (n *planner) published() []facts.Fact {
	return []facts.Fact{n.Facts.Must("ocp.network.clusterNetwork"), n.Facts.Must("ocp.network.largeCIDR/12"),
		n.Facts.Must("ocp.network.largeCIDR/10")}
}

// pick chooses the IPv4 cluster network for the nodes: a published one where it
// overlaps nothing, else a free block of the same size, else of the exact size.
// Without any, it is the largest published one and ok is false.
func (n *planner) pick(hostPrefix int) (p netip.Prefix, method string, ok bool) {
	var lengths []int
	var names []string
	for _, f := range n.published() {
		p = netip.MustParsePrefix(f.Text)
		names = append(names, f.Text)
		if n.holds(p.Bits(), hostPrefix) < n.in.Nodes.Int() {
			continue
		}
		if _, taken := overlapping(p, n.taken()); !taken {
			return p, "the smallest of " + strings.Join(names, ", ") + " that holds the nodes and overlaps nothing", true
		}
		lengths = append(lengths, p.Bits())
	}
	if exact := ClusterPrefix(n.in.Nodes.Int(), hostPrefix); exact >= 0 {
		lengths = append(lengths, exact)
	}
	for _, length := range lengths {
		if free, found := FreeBlock(length, n.private(), n.taken()); found {
			return free, fmt.Sprintf("the documents' networks are taken or too small; the first free private /%d", length), true
		}
	}
	return p, "the largest network of the documents; it does not do", false
}

// holds is the number of nodes that a network of the length holds. The
// documents allow the default, a /14 of 512 subnets of /23, 500 nodes only
// (OCP 1.1); of other sizes they say nothing.
func (n *planner) holds(length, hostPrefix int) int64 {
	nodes := Subnets(length, hostPrefix)
	if f, ok := n.defaultLimit(length, hostPrefix); ok {
		nodes = min(nodes, int64(f.Number))
	}
	return nodes
}

// defaultLimit is the published number of nodes for the default size.
func (n *planner) defaultLimit(length, hostPrefix int) (facts.Fact, bool) {
	usual := netip.MustParsePrefix(n.Facts.Must("ocp.network.clusterNetwork").Text)
	isDefault := n.openshift() && length == usual.Bits() &&
		hostPrefix == int(n.Facts.Must("ocp.network.hostPrefix").Number)
	return n.Facts.Must("ocp.network.defaultCIDRNodes"), isDefault
}

// private is the address space for a network that the documents don't name.
func (n *planner) private() []netip.Prefix {
	var out []netip.Prefix
	for _, f := range n.Facts.Quantity("net.private.ipv4") {
		out = append(out, netip.MustParsePrefix(f.Text))
	}
	return out
}

// taken are the networks that the cluster network must not touch.
func (n *planner) taken() []netip.Prefix {
	var out []netip.Prefix
	for _, list := range [][]network{n.machines, n.nodes, n.services, n.internals} {
		for _, x := range list {
			out = append(out, x.prefix)
		}
	}
	return out
}
