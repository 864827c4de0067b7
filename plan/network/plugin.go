package network

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
)

// The network plug-ins that the program knows.
const (
	OpenShiftSDN  = "OpenShiftSDN"
	OVNKubernetes = "OVNKubernetes"
)

// Plugin is a network plug-in and how it carries packets between nodes.
type Plugin struct {
	// Name is OpenShiftSDN, OVNKubernetes, or empty when it is not known.
	Name string
	// Tunnel is VXLAN, Geneve, or NoTunnel when the plug-in is not known.
	Tunnel string
}

// TypeOf is the plug-in of the scenario: the one that it names, else the
// default of the OpenShift release (OpenShiftSDN before 4.12, OVNKubernetes
// since), else none, because Kubernetes has no default.
func TypeOf(cfg v1alpha1.Network, platform v1alpha1.Platform, c *facts.Catalogue) Plugin {
	name := cfg.Type
	if name == "" && platform.Type != "kubernetes" {
		name = c.Must("ocp.network.type/4.4").Text
		if f, _, _, ok := c.ForRelease("ocp.network.type", platform.Release); ok {
			name = f.Text
		}
	}
	return Plugin{Name: name, Tunnel: tunnelOf(name)}
}

func tunnelOf(plugin string) string {
	switch plugin {
	case OpenShiftSDN:
		return VXLAN
	case OVNKubernetes:
		return Geneve
	}
	return NoTunnel
}

// plugin settles the plug-in and says when the release does not have it.
func (n *planner) plugin() {
	n.res.Plugin = TypeOf(n.in.Config, n.in.Platform, n.Facts)
	n.res.Decision.Type = n.res.Plugin.Name
	if !n.openshift() {
		return
	}
	state, ok := n.released("ocp.network.openShiftSDN")
	if n.res.Plugin.Name != OpenShiftSDN || !ok {
		return
	}
	severity := v1alpha1.Error
	switch state.Text {
	case "deprecated":
		severity = v1alpha1.Warning
	case "not for new installations":
		if n.in.Running {
			severity = v1alpha1.Warning
		}
	case "removed":
	default:
		return
	}
	n.FindAt(severity, "network.type.past", "network.type",
		fmt.Sprintf("OpenShiftSDN is %s since OpenShift %s; the plan is for %s", state.Text, state.Dim("release"),
			n.in.Platform.Release),
		"set network.type to OVNKubernetes, or leave it out", state.Source)
}

// nodeAddresses are the addresses of its subnet that the node itself keeps.
func (n *planner) nodeAddresses() derive.Value {
	if f, ok := n.Facts.Get("ocp.network.nodeAddresses/" + n.res.Plugin.Name); ok {
		return f.Value()
	}
	return n.Fact("ocp.network.nodeAddresses/other")
}

// plugInNetworks are the ranges that the plug-in uses inside itself. They are
// defaults that OVN-Kubernetes lets one change; OpenShiftSDN has none.
func (n *planner) plugInNetworks() []network {
	if n.res.Plugin.Name != OVNKubernetes {
		return nil
	}
	var out []network
	for _, x := range []struct{ quantity, use string }{
		{"ovnJoin", "join network"}, {"ovnTransit", "transit switch network"}, {"ovnMasquerade", "masquerade network"},
		{"ovnJoin6", "IPv6 join network"}, {"ovnTransit6", "IPv6 transit switch network"},
		{"ovnMasquerade6", "IPv6 masquerade network"},
	} {
		f, ok := n.released("ocp.network." + x.quantity)
		if !ok {
			continue
		}
		if p, err := parsePrefix(f.Text); err == nil {
			out = append(out, network{prefix: p, use: "OVN-Kubernetes' " + x.use})
		}
	}
	return out
}
