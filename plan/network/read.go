package network

import (
	"fmt"
	"net/netip"

	"plimsoll.dev/api/v1alpha1"
)

// parsePrefix reads a CIDR whose address is the first of its network.
func parsePrefix(text string) (netip.Prefix, error) {
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, fmt.Errorf("%q is not a network (write it like 10.0.0.0/16)", text)
	}
	if p != p.Masked() {
		return p, fmt.Errorf("%s is not the first address of its network (did you mean %s?)", text, p.Masked())
	}
	return p, nil
}

// readNetworks reads the networks of the scenario. What can't be read is an
// error and left out.
func (n *planner) readNetworks() {
	for _, m := range n.in.Machines {
		for _, text := range m.Addresses {
			if a, err := netip.ParseAddr(text); err == nil {
				n.nodes = append(n.nodes, network{prefix: netip.PrefixFrom(a, a.BitLen()), use: m.Name})
			}
		}
	}
	n.machines = n.read("machine network", "network.machineNetwork", n.in.Config.MachineNetwork)
	services := n.in.Config.ServiceNetwork
	if n.ipv6Only() && (len(services) == 0 || !n.in.Running && n.Origin.Assumed("network.serviceNetwork")) {
		services = []string{n.Facts.Must("ocp.network.serviceNetworkIPv6").Text}
	}
	n.services = n.read("service network", "network.serviceNetwork", services)
	n.internals = n.plugInNetworks()
	n.res.Decision.MachineNetwork = n.in.Config.MachineNetwork
	n.res.Decision.ServiceNetwork = services
}

func (n *planner) read(use, field string, texts []string) []network {
	var out []network
	for i, text := range texts {
		at := fmt.Sprintf("%s[%d]", field, i)
		p, err := parsePrefix(text)
		if err != nil {
			n.Find(v1alpha1.Error, "network.cidr.invalid", "the "+use+" can't be used: "+err.Error(),
				"correct the network").Field = at
			continue
		}
		out = append(out, network{prefix: p, use: use, field: at})
	}
	return out
}

// ipv6Only says that the machines speak IPv6 and no IPv4 cluster network is given.
func (n *planner) ipv6Only() bool {
	for _, e := range n.in.Config.ClusterNetwork {
		if p, err := netip.ParsePrefix(e.CIDR); err == nil && p.Addr().Is4() {
			return false
		}
	}
	return n.in.Config.IPFamily == "IPv6" || len(n.in.Config.ClusterNetwork) > 0
}

// readEntries reads the cluster network that the scenario gives.
func (n *planner) readEntries() []entry {
	var out []entry
	for i, given := range n.in.Config.ClusterNetwork {
		field := fmt.Sprintf("network.clusterNetwork[%d]", i)
		for _, net := range n.read("cluster network", field+".cidr", []string{given.CIDR}) {
			net.field = field + ".cidr"
			e := entry{network: net, hostPrefix: n.Origin.Value(field+".hostPrefix", float64(given.HostPrefix),
				"bits").WithText(slash(given.HostPrefix))}
			if n.checkHostPrefix(field+".hostPrefix", net.prefix, given.HostPrefix) {
				out = append(out, e)
			}
		}
	}
	return out
}

// checkHostPrefix refuses what the network operator refuses: a node's subnet
// larger than the network, or too small for anything.
func (n *planner) checkHostPrefix(field string, p netip.Prefix, hostPrefix int) bool {
	smallest := p.Addr().BitLen() - int(n.Facts.Must("net.subnet.smallestBits").Number)
	ipv6 := int(n.Facts.Must("ocp.network.hostPrefixIPv6").Number)
	var message, remedy string
	switch {
	case hostPrefix < p.Bits():
		message = fmt.Sprintf("hostPrefix %d is larger than its network %s", hostPrefix, p)
		remedy = fmt.Sprintf("hostPrefix must be between %d and %d", p.Bits(), smallest)
	case hostPrefix > smallest:
		message = fmt.Sprintf("hostPrefix %d leaves a node no addresses for pods", hostPrefix)
		remedy = fmt.Sprintf("hostPrefix must be between %d and %d", p.Bits(), smallest)
	}
	if p.Addr().Is6() && hostPrefix != ipv6 && n.res.Plugin.Name == OVNKubernetes {
		message = fmt.Sprintf("hostPrefix %d does not work with the IPv6 network %s", hostPrefix, p)
		remedy = fmt.Sprintf("set hostPrefix to %d, which OVN-Kubernetes requires for IPv6", ipv6)
	}
	if message != "" {
		n.Find(v1alpha1.Error, "network.hostPrefix.invalid", message, remedy).Field = field
	}
	return message == ""
}

func slash(length int) string { return fmt.Sprintf("/%d", length) }
