package network

import (
	"net/netip"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
)

// Input is what the network must carry and what the scenario says about it.
type Input struct {
	// Nodes is the greatest number of nodes that the cluster may ever have, with
	// control plane and infrastructure nodes: each takes a subnet.
	Nodes derive.Value
	// PodsPerNode is the largest limit of pods of any kubelet.
	PodsPerNode derive.Value
	// SystemPods are the platform's own pods on a node, which take addresses too.
	SystemPods derive.Value
	// Services is the number of services that are planned; left out it is 0.
	Services derive.Value
	// NICSpeed is the speed of the machines' interfaces in bit/s; 0 when unknown.
	NICSpeed derive.Value
	// Config is the scenario's network section.
	Config v1alpha1.Network
	// Platform decides the plug-in and what its release can do.
	Platform v1alpha1.Platform
	// Running says that the networks are those of a cluster that runs: what is assumed beside them
	// speaks against none.
	Running bool
	// Machines are the nodes of a cluster that runs: their addresses are known, whatever
	// Config.MachineNetwork is assumed to be.
	Machines []v1alpha1.Node
	// Facts is the catalogue.
	Facts *facts.Catalogue
	// Origin tells where the fields of Config come from; nil takes all of them as
	// written by the user.
	Origin *part.Origin
}

// Result is the planned network.
type Result struct {
	// Decision is the networking part of install-config.yaml.
	Decision v1alpha1.NetworkDecision
	// Plugin is the network plug-in.
	Plugin Plugin
	// HostPrefix is the prefix length of a node's subnet, of the smallest where
	// there are several.
	HostPrefix derive.Value
	// Capacity is the number of nodes that the cluster network holds.
	Capacity derive.Value
	// PodAddresses are the addresses for pods on one node.
	PodAddresses derive.Value
	// ClusterMTU is the MTU of the pods' interfaces; 0 when the plug-in is not known.
	ClusterMTU derive.Value
	// Part holds figures, tables, findings and gauges for the plan.
	Part *part.Part
}

// Plan sizes and checks the cluster network and records its figures in b.
func Plan(b *derive.Book, in Input) Result {
	n := &planner{Sheet: part.On(b, in.Facts, in.Origin, part.New("network", "Cluster network"), "network"), in: in}
	if n.in.Services.Text == "" {
		n.in.Services = derive.Of(0, "services")
	}
	n.plugin()
	n.readNetworks()
	n.podsOfANode()
	n.clusterNetwork()
	n.families()
	n.otherNetworks()
	n.overlaps()
	n.checkFamilies()
	n.mtu()
	n.summary()
	n.res.Part = n.Part
	return n.res
}

// planner holds what the steps of one plan share.
type planner struct {
	part.Sheet
	in  Input
	res Result

	machines, services, internals []network
	// nodes are the addresses of the machines that run.
	nodes   []network
	entries []entry
	// none says that no network of its own was found for the cluster.
	none bool
	// needed are the pod addresses of a node, reserved what is lost of an IPv4
	// subnet, prefix the longest hostPrefix that holds both.
	needed, beside, reserved, prefix derive.Value
}

// network is a range of addresses and what it is used for.
type network struct {
	prefix netip.Prefix
	// use in words: "service network".
	use string
	// field of the scenario that holds it; empty for a plug-in's own.
	field string
}

// entry is a block of the cluster network.
type entry struct {
	network
	hostPrefix derive.Value
}

func (n *planner) openshift() bool { return n.in.Platform.Type != "kubernetes" }

// released is the row of a quantity for the platform's release; on Kubernetes,
// which has no OpenShift release, the newest row.
func (n *planner) released(quantity string) (facts.Fact, bool) {
	if n.openshift() {
		f, _, _, ok := n.Facts.ForRelease(quantity, n.in.Platform.Release)
		return f, ok
	}
	releases := n.Facts.Releases(quantity)
	if len(releases) == 0 {
		return facts.Fact{}, false
	}
	return n.Facts.Get(quantity + "/" + releases[len(releases)-1])
}
