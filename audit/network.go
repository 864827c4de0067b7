package audit

import (
	"cmp"
	"fmt"
	"math"
	"net/netip"
	"slices"

	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
)

// networkTests are about the cluster's networks.
var networkTests = []test{{nodeSubnetUse, (*look).nodeSubnetUse}, {emptyService, (*look).emptyService}}

// subnetNear is the share of its pod addresses from which a node is told.
const subnetNear = 0.9

// podAddresses is how many pods a node's part of the cluster network has addresses for, by the family of IP that has
// fewest, with its hostPrefix; ok is false where the network can't be read.
func (c *Cloud) podAddresses() (most, hostPrefix int, ok bool) {
	if c.Network == nil {
		return 0, 0, false
	}
	from := c.Network.Status
	if len(from.ClusterNetwork) == 0 {
		from = c.Network.Spec
	}
	catalogue := facts.Load()
	node, known := catalogue.Get("ocp.network.nodeAddresses/" + from.NetworkType)
	if !known {
		node = catalogue.Must("ocp.network.nodeAddresses/other")
	}
	for _, e := range from.ClusterNetwork {
		p, err := netip.ParsePrefix(e.CIDR)
		if err != nil || e.HostPrefix < p.Bits() || e.HostPrefix > p.Addr().BitLen() {
			return 0, 0, false
		}
		if p.Addr().Is6() { // a node's part has more addresses than a kubelet takes pods
			continue
		}
		reserved := catalogue.Must("net.subnet.reservedIPv4").Number + node.Number
		n := int(math.Exp2(float64(p.Addr().BitLen()-e.HostPrefix)) - reserved)
		if !ok || n < most { // which entry a node has is not seen: the smallest is the careful answer
			most, hostPrefix, ok = n, e.HostPrefix, true
		}
	}
	return most, hostPrefix, ok
}

// ofHostPrefix are the network plug-ins that give each node a part of the cluster network by its hostPrefix.
var ofHostPrefix = []string{"OVNKubernetes", "OpenShiftSDN"}

func (l *look) nodeSubnetUse() {
	if l.Network == nil {
		l.notApplicable("the cluster says nothing of its networks")
		return
	}
	t := cmp.Or(l.Network.Status.NetworkType, l.Network.Spec.NetworkType)
	if t != "" && !slices.Contains(ofHostPrefix, t) {
		l.notApplicable("%s gives nodes their addresses in its own way, and not by hostPrefix", t)
		return
	}
	most, prefix, ok := l.podAddresses()
	if !ok {
		l.notApplicable("no IPv4 cluster network with a hostPrefix is configured")
		return
	}
	count := map[string]int{}
	for i := range l.Pods {
		if p := &l.Pods[i]; !p.HostNetwork && !p.ended() {
			count[p.Node]++
		}
	}
	var full []where
	for i := range l.Nodes {
		name, pods := l.Nodes[i].Metadata.Name, l.Nodes[i].allocatable("pods")
		if pods > 0 && pods <= int64(most) { // the kubelet stops first
			continue
		}
		if n := count[name]; float64(n) >= subnetNear*float64(most) {
			full = append(full, at("Node", name, "%d of %s", n, words.Count(most, "address", "addresses")))
		}
	}
	if len(full) > 0 {
		l.find(full, fmt.Sprintf("spread the pods, or lower maxPods to %d; hostPrefix %d is fixed at the installation, and "+
			"%d gives the nodes of a new cluster twice the addresses", most, prefix, prefix-1),
			"%.0f %% or more of the pod addresses of the node's /%d are used, the share by this program's own choice",
			100*subnetNear, prefix)
	}
}
