package network

import (
	"fmt"
	"math"
	"strings"

	"plimsoll.dev/part"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

// family is the part of the cluster network that speaks one version of IP. A
// dual-stack cluster gives each node a subnet of both.
type family struct {
	name string
	bits int
	// suffix tells the figures of a second family apart.
	suffix  string
	entries []entry
}

// families sizes the cluster network, each version of IP by itself.
func (n *planner) families() {
	four, six := family{name: "IPv4", bits: 32}, family{name: "IPv6", bits: 128}
	for _, e := range n.entries {
		if e.prefix.Addr().Is4() {
			four.entries = append(four.entries, e)
		} else {
			six.entries = append(six.entries, e)
		}
	}
	if len(four.entries) > 0 || len(six.entries) == 0 {
		n.family(four)
		six.suffix = "[IPv6]"
	}
	if len(six.entries) > 0 {
		n.family(six)
	}
}

func (n *planner) family(f family) {
	subnets := n.subnets(f)
	capacity := n.capacity(f, subnets)
	headroom := n.Calc("network.headroom"+f.suffix, "Nodes that can still be added", "nodes",
		"capacity - nodes", derive.In("capacity", capacity), derive.In("nodes", n.in.Nodes))
	n.Show(capacity, headroom)
	hostPrefix := n.hostPrefixOf(f)
	addresses := n.podAddresses(f, hostPrefix)
	spare := n.Calc("network.podAddresses.headroom"+f.suffix, "Pod addresses of a node that stay free", "addresses",
		"addresses - needed", derive.In("addresses", addresses), derive.In("needed", n.needed))
	n.Show(addresses)
	n.Detail(subnets, n.needed, n.beside, n.reserved, n.prefix, spare)
	if f.suffix == "" {
		n.res.HostPrefix, n.res.Capacity, n.res.PodAddresses = hostPrefix, capacity, addresses
	}
	n.gaugeNodes(f, subnets, capacity)
	n.gaugePods(f, addresses)
}

// subnets is the number of node subnets, summed over the blocks.
func (n *planner) subnets(f family) derive.Value {
	var t derive.Terms
	for i, e := range f.entries {
		h, c := fmt.Sprintf("hostPrefix%d", i), fmt.Sprintf("prefix%d", i)
		t.Add(fmt.Sprintf("2^(%s - %s)", h, c), derive.In(h, e.hostPrefix), derive.In(c, n.prefixLength(e)))
	}
	return n.Calc("network.subnets"+f.suffix, "Node subnets in the cluster network", "subnets", t.Sum(), t.In...)
}

// prefixLength is the length of a block's prefix with the place it comes from.
func (n *planner) prefixLength(e entry) derive.Value {
	if fig, ok := n.Get("network.cidr"); ok && len(n.in.Config.ClusterNetwork) == 0 {
		v := fig.Value
		v.From = &derive.Ref{Kind: derive.FromFigure, ID: fig.ID}
		return v
	}
	return n.Origin.Value(e.field, float64(e.prefix.Bits()), unit.Bits).WithText(e.prefix.String())
}

// capacity is the number of nodes: the subnets, or the fewer that the documents
// allow the default.
func (n *planner) capacity(f family, subnets derive.Value) derive.Value {
	id, title := "network.capacity"+f.suffix, "Nodes that the cluster network holds"
	if len(f.entries) == 1 && f.bits == 32 {
		if published, ok := n.defaultLimit(f.entries[0].prefix.Bits(), int(f.entries[0].hostPrefix.Int())); ok {
			v := n.Calc(id, title, "nodes", "min(subnets, published)",
				derive.In("subnets", subnets), derive.In("published", published.Value()))
			n.Note(id, "The documents allow the default network 500 nodes although it has 512 subnets; both are shown.",
				published.Source)
			return v
		}
	}
	return n.Calc(id, title, "nodes", "subnets", derive.In("subnets", subnets))
}

// hostPrefixOf is the longest hostPrefix of the family: a node may get a subnet
// of any block, so the smallest counts.
func (n *planner) hostPrefixOf(f family) derive.Value {
	if len(f.entries) == 1 {
		return f.entries[0].hostPrefix
	}
	longest := 0.0
	var names []string
	var inputs []derive.Input
	for i, e := range f.entries {
		name := fmt.Sprintf("hostPrefix%d", i)
		names, inputs = append(names, name), append(inputs, derive.In(name, e.hostPrefix))
		longest = math.Max(longest, e.hostPrefix.Number)
	}
	formula := "max(0, " + strings.Join(names, ", ") + ")"
	if len(names) == 0 {
		formula = "0"
	}
	return n.Record(derive.Figure{
		ID: "network.hostPrefix" + f.suffix, Title: "hostPrefix of the smallest node subnet", Formula: formula,
		Inputs: inputs,
		Value:  derive.Of(longest, unit.Bits).WithText(slash(int(longest))),
	})
}

// podAddresses is what a node's subnet leaves for pods.
func (n *planner) podAddresses(f family, hostPrefix derive.Value) derive.Value {
	id, title := "network.podAddresses"+f.suffix, "Addresses for pods on a node"
	reserved := n.reserved
	if f.bits == 128 {
		subnet, node := n.Fact("net.subnet.reservedIPv6"), n.nodeAddresses()
		reserved = n.Calc("network.reservedAddresses[IPv6]", "Addresses of a node's IPv6 subnet that no pod can have",
			"addresses", "subnet + node", derive.In("subnet", subnet), derive.In("node", node))
	}
	if len(f.entries) == 0 {
		return n.Calc(id, title, "addresses", "0")
	}
	v := derive.Of(math.Pow(2, float64(f.bits)-hostPrefix.Number)-reserved.Number, "addresses")
	if f.bits == 128 {
		v.Text = fmt.Sprintf("2^%d addresses", 128-hostPrefix.Int())
	}
	return n.Record(derive.Figure{
		ID: id, Title: title, Value: v, Formula: fmt.Sprintf("2^(%d - hostPrefix) - reserved", f.bits),
		Inputs: []derive.Input{derive.In("hostPrefix", hostPrefix), derive.In("reserved", reserved)},
	})
}

// gaugeNodes holds the nodes against the network, and refuses one that is too small.
func (n *planner) gaugeNodes(f family, subnets, capacity derive.Value) {
	g := limit.Measure("nodeSubnets"+f.suffix, "Nodes in the cluster network", "cluster", n.in.Nodes, asNodes(subnets),
		limit.Hard)
	if n.res.Plugin.Name == OVNKubernetes {
		alert := n.Facts.Must("ocp.network.subnetAlert")
		g.Notes = append(g.Notes, fmt.Sprintf("OVN-Kubernetes raises an alert when more than %g %% of "+
			"the subnets are in use (%s).", alert.Number*100, alert.Source))
	}
	n.Gauge(g)
	if capacity.Number < subnets.Number {
		published := n.Facts.Must("ocp.network.defaultCIDRNodes")
		n.Gauge(limit.Measure("nodesInDefaultNetwork", "Nodes in the default cluster network", "cluster", n.in.Nodes,
			published.Value(), published.Kind))
	}
	if n.in.Nodes.Number <= capacity.Number || len(f.entries) == 0 || n.none {
		return // network.cidr.none has said it already
	}
	message := fmt.Sprintf("the %s cluster network %s holds %s, %s are planned", f.name, list(f.entries), capacity,
		n.in.Nodes)
	if capacity.Number < subnets.Number {
		message = fmt.Sprintf("the default cluster network %s must not be used for more than %s (it has %s), %s are planned",
			list(f.entries), capacity, subnets, n.in.Nodes)
	}
	n.FindAt(v1alpha1.Error, "network.cidr.tooSmall", "network.clusterNetwork", message, n.largerNetwork(f),
		part.OCP("1.1"), part.OCP("12.2")).Figure = "network.capacity" + f.suffix
}

// asNodes counts subnets as nodes, to compare like with like.
func asNodes(subnets derive.Value) derive.Value {
	return subnets.WithText(unit.Format(subnets.Number, "nodes"))
}

func (n *planner) largerNetwork(f family) string {
	if f.bits == 128 {
		return fmt.Sprintf("set a cidr of /%d or larger before the installation",
			ClusterPrefix(n.in.Nodes.Int(), int(f.entries[0].hostPrefix.Int())))
	}
	hostPrefix := int(n.hostPrefixOf(f).Int())
	p, _, ok := n.pick(hostPrefix)
	if !ok {
		return "make room for a larger network, or lower maxPods so that hostPrefix can be longer"
	}
	return fmt.Sprintf("set cidr %s with hostPrefix %d, which holds %s, before the installation; "+
		"it can't be changed later",
		p, hostPrefix, unit.Format(float64(n.holds(p.Bits(), hostPrefix)), "nodes"))
}

// gaugePods holds the kubelets' limit of pods against the addresses of a node.
func (n *planner) gaugePods(f family, addresses derive.Value) {
	n.Gauge(limit.Measure("podAddresses"+f.suffix, "Pod addresses of a node", "node", n.needed, addresses,
		limit.Hard).AsLocal())
	severity, id, what := v1alpha1.Error, "network.hostPrefix.tooLong", "pods would start without an address"
	if n.needed.Number <= addresses.Number {
		severity, id = v1alpha1.Warning, "network.hostPrefix.userPods"
		what = fmt.Sprintf("enough for maxPods, but not for so many user pods with %s beside them", n.systemPods())
	}
	if n.beside.Number <= addresses.Number || len(f.entries) == 0 {
		return
	}
	n.FindAt(severity, id, "network.clusterNetwork",
		fmt.Sprintf("a node may hold %s, its subnet (%s) has %s: %s", n.in.PodsPerNode, n.hostPrefixOf(f), addresses, what),
		fmt.Sprintf("set hostPrefix to %d, or maxPods to %d at most", n.prefix.Int(),
			max(0, addresses.Int()-n.in.SystemPods.Int())), part.OCP("9.1")).Figure = "network.podAddresses" + f.suffix
}

func (n *planner) systemPods() string {
	return strings.Replace(n.in.SystemPods.Text, " pod", " system pod", 1)
}

func list(entries []entry) string {
	var out []string
	for _, e := range entries {
		out = append(out, fmt.Sprintf("%s with hostPrefix %d", e.prefix, e.hostPrefix.Int()))
	}
	return strings.Join(out, " and ")
}
