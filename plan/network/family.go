package network

import (
	"fmt"
	"slices"

	"plimsoll.dev/part"

	"plimsoll.dev/api/v1alpha1"
)

// checkFamilies wants machine networks of the version of IP that the machines
// speak, and a plug-in that speaks it too.
func (n *planner) checkFamilies() {
	n.checkMachineFamily()
	n.checkPluginFamily()
}

func is6(x network) bool { return x.prefix.Addr().Is6() }

// checkMachineFamily warns of a default that does not suit, and refuses what
// the user wrote.
func (n *planner) checkMachineFamily() {
	want := n.in.Config.IPFamily == "IPv6"
	if len(n.machines) == 0 || slices.ContainsFunc(n.machines, func(x network) bool { return is6(x) == want }) {
		return
	}
	family, example := "IPv4", "10.0.0.0/16"
	if want {
		family, example = "IPv6", "fd00::/64"
	}
	severity, whose := v1alpha1.Error, "given"
	if n.Origin.Assumed("network.machineNetwork") {
		severity, whose = v1alpha1.Warning, "the default"
	}
	n.FindAt(severity, "network.machineNetwork.family", "network.machineNetwork",
		fmt.Sprintf("the machines speak %s (network.ipFamily), the machine network is %s (%s)", family, n.machines[0].prefix,
			whose),
		fmt.Sprintf("set network.machineNetwork to the machines' %s network, such as %s, or correct network.ipFamily", family,
			example), part.OCP("1.1"))
}

// checkPluginFamily refuses IPv6 anywhere under OpenShift SDN.
func (n *planner) checkPluginFamily() {
	if n.res.Plugin.Name != OpenShiftSDN {
		return
	}
	pods := slices.ContainsFunc(n.entries, func(e entry) bool { return is6(e.network) })
	if n.in.Config.IPFamily != "IPv6" && !pods && !slices.ContainsFunc(n.services, is6) {
		return
	}
	speaks := n.Facts.Must("ocp.network.sdnFamilies")
	n.FindAt(v1alpha1.Error, "network.type.family", "network.type",
		fmt.Sprintf("OpenShiftSDN speaks %s, the network is planned with IPv6", speaks.Text),
		"set network.type to OVNKubernetes, or plan machines, pods and services with IPv4", speaks.Source)
}
