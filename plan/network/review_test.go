package network

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
)

// RFC 8200, section 5: IPv6 needs links of 1280; the derived cluster MTU counts
// as well as a given one, in a dual-stack cluster too.
func TestSmallestMTU(t *testing.T) {
	for _, c := range []struct {
		name, typ, family string
		nic, given        int
		dual              bool
		want, remedy      string
	}{
		{"IPv6, derived", OVNKubernetes, "IPv6", 1379, 0, false, "network.mtu.ipv6", "set network.nicMTU to 1380 or more"},
		{"IPv6, derived, just enough", OVNKubernetes, "IPv6", 1380, 0, false, "", ""},
		{"IPv6, given", OVNKubernetes, "IPv6", 1500, 1279, false, "network.mtu.ipv6",
			"set network.clusterMTU to 1280 or more"},
		{"dual stack", OVNKubernetes, "IPv4", 1300, 0, true, "network.mtu.ipv6", "1380"},
		{"IPv4 takes less", OVNKubernetes, "IPv4", 1300, 0, false, "", ""},
		{"IPv4 below 576", OVNKubernetes, "IPv4", 600, 0, false, "network.mtu.tooSmall", "set network.nicMTU to 676 or more"},
		{"IPv4 of 576", OVNKubernetes, "IPv4", 676, 0, false, "", ""},
		{"IPv6, no plug-in", "", "IPv6", 1000, 0, false, "network.mtu.ipv6", "set network.nicMTU to 1280 or more"},
		{"IPv6, no plug-in, given", "", "IPv6", 1500, 1000, false, "network.mtu.ipv6", "set network.clusterMTU to 1280"},
	} {
		in := openshift("4.17", 10, 250)
		if in.Config.Type = c.typ; c.typ == "" {
			in.Platform = v1alpha1.Platform{Type: "kubernetes", Release: "1.36"}
		}
		in.Config.NICMTU, in.Config.IPFamily = c.nic, c.family
		if c.given > 0 {
			in.Config.ClusterMTU = &c.given
		}
		if c.family == "IPv6" {
			in.Config.MachineNetwork, in.Config.ServiceNetwork = []string{"fd00::/64"}, []string{"fd02::/112"}
		}
		if c.dual {
			in.Config.ClusterNetwork = []v1alpha1.ClusterNetwork{{CIDR: "10.128.0.0/14", HostPrefix: 23},
				{CIDR: "fd01::/48", HostPrefix: 64}}
			in.Config.ServiceNetwork = []string{"172.30.0.0/16", "fd02::/112"}
		}
		r, b := plan(t, in)
		if c.want == "" {
			if slices.Contains(findings(r), "error network.mtu.ipv6") ||
				slices.Contains(findings(r), "error network.mtu.tooSmall") {
				t.Errorf("%s: %v", c.name, findings(r))
			}
			continue
		}
		f := finding(t, r, c.want)
		if f.Severity != v1alpha1.Error || !strings.Contains(f.Remedy, c.remedy) {
			t.Errorf("%s: %s %q, want %q", c.name, f.Severity, f.Remedy, c.remedy)
		}
		if _, ok := b.Get(f.Figure); f.Figure != "" && !ok {
			t.Errorf("%s: no figure %s", c.name, f.Figure)
		}
	}
}

func TestMachineNetworkOfTheOtherFamily(t *testing.T) {
	for _, c := range []struct {
		family, machine string
		assumed         bool
		want            string
	}{
		{"IPv6", "10.0.0.0/16", true, "warning network.machineNetwork.family"},
		{"IPv6", "10.0.0.0/16", false, "error network.machineNetwork.family"},
		{"IPv6", "fd00::/64", false, ""},
		{"IPv4", "fd00::/64", false, "error network.machineNetwork.family"},
		{"IPv4", "10.0.0.0/16", true, ""},
	} {
		in := openshift("4.17", 10, 250)
		in.Config.IPFamily, in.Config.MachineNetwork = c.family, []string{c.machine}
		assumed := []v1alpha1.Assumption{{Field: "network.serviceNetwork"}}
		if c.assumed {
			assumed = append(assumed, v1alpha1.Assumption{Field: "network.machineNetwork"})
		}
		in.Origin = part.NewOrigin(assumed, in.Facts)
		r, _ := plan(t, in)
		if got := strings.Join(findings(r), " "); got != c.want {
			t.Errorf("%s with %s: %q, want %q", c.family, c.machine, got, c.want)
		}
		if c.want != "" && finding(t, r, "network.machineNetwork.family").Field != "network.machineNetwork" {
			t.Error("the finding does not name the field")
		}
	}
}

func TestOpenShiftSDNSpeaksIPv4(t *testing.T) {
	for _, c := range []struct {
		typ, family, service string
		want                 bool
	}{
		{OpenShiftSDN, "IPv6", "fd02::/112", true}, {OpenShiftSDN, "IPv4", "fd02::/112", true},
		{OpenShiftSDN, "IPv4", "172.30.0.0/16", false}, {OVNKubernetes, "IPv6", "fd02::/112", false},
	} {
		in := openshift("4.12", 10, 250)
		in.Config.Type, in.Config.IPFamily, in.Config.ServiceNetwork = c.typ, c.family, []string{c.service}
		r, _ := plan(t, in)
		if got := slices.Contains(findings(r), "error network.type.family"); got != c.want {
			t.Errorf("%+v: %v", c, findings(r))
		}
	}
}

// OCP 12.1 says "must", even where the headers would fit.
func TestReserveIsAMust(t *testing.T) {
	for _, c := range []struct {
		ipsec bool
		mtu   int
		want  string
	}{
		{false, 1401, "OCP 12.1 says that it must be less than the NIC MTU by 100 bytes at a minimum, and it is less by 99"},
		{true, 1400, "beside the 100 bytes at a minimum of OCP 12.1, IPsec takes 46"},
	} {
		in := openshift("4.17", 10, 250)
		in.Config.ClusterMTU, in.Config.IPsec = &c.mtu, c.ipsec
		r, _ := plan(t, in)
		if f := finding(t, r, "network.mtu.reserve"); f.Severity != v1alpha1.Warning || !strings.Contains(f.Message, c.want) {
			t.Errorf("%q, want %q", f.Message, c.want)
		}
	}
}

// Without room for a network there is one finding, about no network that the
// user never wrote.
func TestNoRoomIsSaidOnce(t *testing.T) {
	in := openshift("4.4", 2000000, 250)
	in.Config.MachineNetwork = []string{"10.0.0.0/8", "192.168.0.0/16"}
	in.Config.ServiceNetwork = []string{"172.16.0.0/12"}
	in.Services = derive.Of(0, "services")
	r, _ := plan(t, in)
	if got := strings.Join(findings(r), " "); got != "error network.cidr.none" {
		t.Errorf("findings %s", got)
	}
}
