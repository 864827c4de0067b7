package network

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// podsOfANode records how many addresses a node's pods can take and which subnet
// holds them. The documents' case: 500 user pods and 10 to 15 system pods don't
// fit the 510 addresses of a /23 (OCP 9.1, note 2).
func (n *planner) podsOfANode() {
	n.needed = n.Calc("network.podAddresses.needed", "Pod addresses that a node needs at most", "addresses",
		"maxPods", derive.In("maxPods", n.in.PodsPerNode))
	n.Note("network.podAddresses.needed",
		"maxPods counts the system pods as well. Pods on the host network need no address.")
	n.beside = n.Calc("network.podAddresses.beside", "Pod addresses with the system pods beside", "addresses",
		"pods + systemPods", derive.In("pods", n.in.PodsPerNode), derive.In("systemPods", n.in.SystemPods))
	n.Note("network.podAddresses.beside",
		"OCP 9.1 counts the system pods beside the user pods; the plan chooses hostPrefix by it.", part.OCP("9.1"))
	subnet, node := n.Fact("net.subnet.reservedIPv4"), n.nodeAddresses()
	n.reserved = n.Calc("network.reservedAddresses", "Addresses of a node's subnet that no pod can have", "addresses",
		"subnet + node", derive.In("subnet", subnet), derive.In("node", node))
	n.Note("network.reservedAddresses", "Network and broadcast address, and what the plug-in keeps for the node.")
	longest := HostPrefix(n.beside.Int() + n.reserved.Int())
	n.prefix = n.Record(derive.Figure{
		ID: "network.hostPrefix.needed", Title: "Longest hostPrefix that holds a node's pods",
		Value:   derive.Of(float64(longest), unit.Bits).WithText(slash(longest)),
		Formula: "max(0, 32 - ceil(log2(max(1, needed + reserved))))",
		Inputs:  []derive.Input{derive.In("needed", n.beside), derive.In("reserved", n.reserved)},
		Sources: []derive.Source{part.OCP("9.1")},
	})
}

// defaultHostPrefix is the platform's own.
func (n *planner) defaultHostPrefix() derive.Value {
	f := n.Facts.Must("ocp.network.hostPrefix")
	if !n.openshift() {
		f = n.Facts.Must("k8s.network.nodeMask")
	}
	return f.Value().WithText(slash(int(f.Number)))
}

// deriveHostPrefix takes the platform's default unless the pods need more.
func (n *planner) deriveHostPrefix() derive.Value {
	usual := n.defaultHostPrefix()
	chosen := min(usual.Int(), n.prefix.Int())
	return n.Record(derive.Figure{
		ID: "network.hostPrefix", Title: "hostPrefix: prefix length of each node's subnet",
		Value:   derive.Of(float64(chosen), unit.Bits).WithText(slash(int(chosen))),
		Formula: "min(usual, needed)",
		Inputs:  []derive.Input{derive.In("usual", usual), derive.In("needed", n.prefix)},
		Notes:   []string{"The platform's default, unless a node's pods need a larger subnet."},
		Sources: []derive.Source{part.OCP("1.1"), part.OCP("9.1")},
	})
}
