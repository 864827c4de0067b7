package network

import (
	"fmt"
	"slices"

	"plimsoll.dev/part"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// checkMTU judges a cluster MTU that the scenario gives.
func (n *planner) checkMTU(h Headers, p Path, nic, safe, given derive.Value) {
	size := int(given.Int())
	takes := size + h.Overhead(p, size)
	var f *v1alpha1.Finding
	switch {
	case takes > int(nic.Int()):
		f = n.Find(v1alpha1.Error, "network.mtu.tooLarge",
			fmt.Sprintf("with a cluster MTU of %d a full packet takes %d bytes between the nodes (%s), the NIC MTU is %d: "+
				"full packets are fragmented or vanish, small ones still pass",
				size, takes, p, nic.Int()),
			n.smaller(nic, safe, size, "raise the NIC MTU"))
	case size > int(safe.Int()):
		f = n.Find(v1alpha1.Warning, "network.mtu.reserve",
			fmt.Sprintf("the cluster MTU of %d fits the headers of %s by arithmetic, but is %d more than the platform "+
				"allows under a NIC MTU of %d: %s",
				size, p, size-int(safe.Int()), nic.Int(), n.demand(p, int(nic.Int())-size)),
			n.smaller(nic, safe, size, "leave it out"))
	case size < int(safe.Int()):
		best := 100 * h.Efficiency(p, int(safe.Int()))
		f = n.Find(v1alpha1.Warning, "network.mtu.small",
			fmt.Sprintf("the cluster MTU of %d leaves %d bytes of each packet unused: TCP gets %s of the link, %s with %d",
				size, safe.Int()-int64(size), unit.Format(100*h.Efficiency(p, size), unit.Percent), unit.Format(best, unit.Percent),
				safe.Int()),
			fmt.Sprintf("set network.clusterMTU to %d or leave it out, unless a machine in the cluster has a smaller NIC MTU",
				safe.Int()))
	default:
		return
	}
	f.Field, f.Figure, f.Sources = "network.clusterMTU", "network.mtu.cluster", []derive.Source{part.OCP("12.1")}
}

// smaller advises a cluster MTU that is safe, or a NIC MTU under which the given one is, where
// no packet of IPv4 would fit into a safe one.
func (n *planner) smaller(nic, safe derive.Value, size int, or string) string {
	if safe.Number < n.Facts.Must("net.subnet.ipv4Datagram").Number {
		return fmt.Sprintf("set network.nicMTU to %d or more", int(nic.Int())+size-int(safe.Int()))
	}
	return fmt.Sprintf("set network.clusterMTU to %d or less, or %s", safe.Int(), or)
}

// demand is what the platform says of an MTU that is so many bytes below the
// NIC's: the document's "must", or what encryption takes beside it.
func (n *planner) demand(p Path, below int) string {
	must := n.Facts.Must("ocp.mtu.vxlanOverhead")
	if p.Tunnel == Geneve {
		must = n.Facts.Must("ocp.mtu.geneveOverhead")
	}
	if float64(below) < must.Number {
		return fmt.Sprintf("%s says that it must be less than the NIC MTU by %d bytes at a minimum, and it is less by %d",
			must.Source, int(must.Number), below)
	}
	ipsec := n.Facts.Must("ocp.mtu.ipsecOverhead")
	return fmt.Sprintf("beside the %d bytes at a minimum of %s, IPsec takes %d (%s)", int(must.Number), must.Source,
		int(ipsec.Number), ipsec.Source)
}

// checkSmallest refuses a cluster MTU, given or derived, that is too small for
// the version of IP that the pods speak.
func (n *planner) checkSmallest(nic, chosen derive.Value) {
	least, id, speaks := n.Facts.Must("net.subnet.ipv4Datagram"), "network.mtu.tooSmall", "IPv4"
	six := func(e entry) bool { return is6(e.network) }
	if n.in.Config.IPFamily == "IPv6" || n.ipv6Only() || slices.ContainsFunc(n.entries, six) {
		least, id, speaks = n.Facts.Must("net.subnet.ipv6MinMTU"), "network.mtu.ipv6", "IPv6"
	}
	if chosen.Number >= least.Number {
		return
	}
	field, remedy := "network.clusterMTU", fmt.Sprintf("set network.clusterMTU to %d or more", int(least.Number))
	if n.in.Config.ClusterMTU == nil {
		field, remedy = "network.nicMTU", fmt.Sprintf("set network.nicMTU to %d or more",
			int(least.Number+nic.Number-chosen.Number))
	}
	f := n.Find(v1alpha1.Error, id,
		fmt.Sprintf("%s needs an MTU of %d, the cluster MTU is %d under a NIC MTU of %d", speaks, int(least.Number),
			chosen.Int(), nic.Int()), remedy)
	f.Field, f.Sources = field, []derive.Source{least.Source}
	if n.res.Plugin.Tunnel != NoTunnel {
		f.Figure = "network.mtu.cluster"
	}
}

// advise says what tunnel, encryption and speed mean for the machines (OCP 12).
func (n *planner) advise(p Path, nic derive.Value, own cost) {
	n.adviseTunnel(p)
	n.adviseJumbo(p, nic, own)
	if p.IPsec {
		n.adviseIPsec(own)
	}
}

func (n *planner) adviseTunnel(p Path) {
	limit := n.Facts.Must("ocp.network.comfortableRate")
	if n.in.NICSpeed.Number <= limit.Number {
		return
	}
	var f *v1alpha1.Finding
	switch {
	case n.in.Config.Offload && p.IPsec:
		return // adviseIPsec says that the offload is lost
	case n.in.Config.Offload:
		f = n.Find(v1alpha1.Info, "network.offload",
			fmt.Sprintf("the interfaces compute checksums and segments of %s packets: "+
				"less CPU and the full %s, but no lower latency", p.Tunnel, n.in.NICSpeed),
			"check with ethtool -k that tunnel offload is on")
	default:
		f = n.Find(v1alpha1.Warning, "network.offload.missing",
			fmt.Sprintf("%s on links of %s without offload: checksums of inner and outer packets cost CPU, "+
				"and throughput beyond %s may suffer", p.Tunnel, n.in.NICSpeed, limit.Printed()),
			fmt.Sprintf("take interfaces with %s offload and set network.offload, use jumbo frames, "+
				"or evaluate a plug-in that routes instead (BGP)", p.Tunnel))
	}
	f.Field, f.Sources = "network.offload", []derive.Source{part.OCP("12")}
}

// adviseJumbo compares a small NIC MTU on a fast link with jumbo frames.
func (n *planner) adviseJumbo(p Path, nic derive.Value, own cost) {
	fast, jumbo := n.Facts.Must("ocp.network.slowLink/10G"), n.Facts.Must("ocp.mtu.jumboNIC")
	if n.in.NICSpeed.Number < fast.Number || nic.Number > n.Facts.Must("ocp.mtu.ethernetNIC").Number {
		return
	}
	suffix := rowSuffix(int(jumbo.Number), p)
	larger, better := n.Figure("network.mtu.cluster"+suffix), n.Figure("network.mtu.efficiency"+suffix)
	n.FindAt(v1alpha1.Info, "network.mtu.jumbo", "network.nicMTU",
		fmt.Sprintf("a NIC MTU of %d on %s: with %d TCP gets %s of the link instead of %s, "+
			"and a stream needs %s times fewer packets",
			nic.Int(), n.in.NICSpeed, int(jumbo.Number), better, own.efficiency,
			unit.Format(larger.Number/n.res.ClusterMTU.Number, unit.Ratio)),
		fmt.Sprintf("for throughput set the NIC MTU to %d (and network.nicMTU) before the installation, if every switch "+
			"between the nodes carries it; for the lowest latency keep it small", int(jumbo.Number)), part.OCP("12.1"))
}

// adviseIPsec says what encryption costs, and when the release can't do it.
func (n *planner) adviseIPsec(own cost) {
	message := fmt.Sprintf("IPsec encrypts before the packet reaches the interface: TCP gets %s of the link, "+
		"the nodes' CPU does the encryption, and the interface can no longer check or split the inner packets",
		own.efficiency)
	if n.in.Config.Offload {
		message += "; the offload that network.offload counts on is lost for traffic between nodes"
	}
	n.FindAt(v1alpha1.Warning, "network.ipsec.cost", "network.ipsec", message,
		"measure throughput and CPU with and without IPsec on these machines, and leave CPU for it on every node",
		part.OCP("12.3")).Figure = "network.mtu.efficiency"
	n.checkIPsecSupport()
}

func (n *planner) checkIPsecSupport() {
	name, release := n.res.Plugin.Name, n.in.Platform.Release
	state, ok := n.released("ocp.network.ipsec")
	if name == OVNKubernetes && ok && state.Text == "yes" {
		return
	}
	n.res.Decision.IPsec = false
	message := fmt.Sprintf("%s does not encrypt by itself", name)
	if n.openshift() {
		message = fmt.Sprintf("%s of OpenShift %s does not encrypt by itself", name, release)
	}
	n.FindAt(v1alpha1.Warning, "network.ipsec.unsupported", "network.ipsec",
		message+"; the plan only keeps the MTU small enough for it",
		"encrypt between the hosts with an IPsec service of your own, or use OVNKubernetes from OpenShift 4.7 on",
		n.Facts.Must("ocp.network.ipsec/4.7").Source)
}
