package network

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
)

// openshift is an input as the scenario reader fills it in for a release.
func openshift(release string, nodes, pods int) Input {
	return Input{
		Nodes:       derive.Given("policy.expectedNodes", nodes, "nodes"),
		PodsPerNode: derive.Given("hardware.nodeTypes[0].maxPods", pods, "pods"),
		SystemPods:  derive.Default("policy.systemPodsPerNode", 15, "pods"),
		Services:    derive.Given("workload.objects.services", 1000, "services"),
		Config: v1alpha1.Network{
			MachineNetwork: []string{"10.0.0.0/16"}, ServiceNetwork: []string{"172.30.0.0/16"}, NICMTU: 1500, IPFamily: "IPv4",
		},
		Platform: v1alpha1.Platform{Type: "openshift", Release: release}, Facts: facts.Load(),
	}
}

func plan(t interface{ Fatal(...any) }, in Input) (Result, *derive.Book) {
	var b derive.Book
	r := Plan(&b, in)
	for _, err := range b.Verify() {
		t.Fatal(err)
	}
	for _, id := range slices.Concat(r.Part.Section.Figures, r.Part.Section.Details) {
		if _, ok := b.Get(id); !ok {
			t.Fatal("the section shows a figure that does not exist: " + id)
		}
	}
	return r, &b
}

func findings(r Result) []string {
	var out []string
	for _, f := range r.Part.Findings {
		out = append(out, string(f.Severity)+" "+f.ID)
	}
	return out
}

func finding(t *testing.T, r Result, id string) v1alpha1.Finding {
	t.Helper()
	for _, f := range r.Part.Findings {
		if f.ID == id {
			if f.Remedy == "" || f.Message == "" {
				t.Errorf("%s has no message or no remedy", id)
			}
			return f
		}
	}
	t.Fatalf("no finding %s among %v", id, findings(r))
	return v1alpha1.Finding{}
}

func gauge(t *testing.T, r Result, id string) limit.Gauge {
	t.Helper()
	for _, g := range r.Part.Gauges {
		if g.ID == id {
			return g
		}
	}
	t.Fatalf("no gauge %s", id)
	return limit.Gauge{}
}

// P1: nodes and pods a node give cidr and hostPrefix (OCP 1.1, 9.1, 12.2).
func TestDerivedNetwork(t *testing.T) {
	for _, c := range []struct {
		name        string
		nodes, pods int
		want        v1alpha1.ClusterNetwork
		capacity    float64
	}{
		{"default", 100, 250, v1alpha1.ClusterNetwork{CIDR: "10.128.0.0/14", HostPrefix: 23}, 500},
		{"500 nodes still fit the default", 500, 250, v1alpha1.ClusterNetwork{CIDR: "10.128.0.0/14", HostPrefix: 23}, 500},
		{"501 nodes don't", 501, 250, v1alpha1.ClusterNetwork{CIDR: "10.128.0.0/12", HostPrefix: 23}, 2048},
		{"2000 nodes", 2000, 250, v1alpha1.ClusterNetwork{CIDR: "10.128.0.0/12", HostPrefix: 23}, 2048},
		{"2049 nodes", 2049, 250, v1alpha1.ClusterNetwork{CIDR: "10.128.0.0/10", HostPrefix: 23}, 8192},
		{"500 user pods need a /22", 100, 500, v1alpha1.ClusterNetwork{CIDR: "10.128.0.0/14", HostPrefix: 22}, 256},
		{"500 user pods on 257 nodes", 257, 500, v1alpha1.ClusterNetwork{CIDR: "10.128.0.0/12", HostPrefix: 22}, 1024},
		{"2500 user pods need a /20", 26, 2500, v1alpha1.ClusterNetwork{CIDR: "10.128.0.0/14", HostPrefix: 20}, 64},
		{"few pods keep the default", 10, 40, v1alpha1.ClusterNetwork{CIDR: "10.128.0.0/14", HostPrefix: 23}, 500},
		{"beyond the documents' networks", 10000, 100, v1alpha1.ClusterNetwork{CIDR: "10.64.0.0/10", HostPrefix: 23}, 8192},
	} {
		r, _ := plan(t, openshift("4.4", c.nodes, c.pods))
		if c.nodes > 8192 {
			// A /9 of 16,384 subnets: the upper half of 10.0.0.0/8 is free.
			c.want.CIDR, c.capacity = "10.128.0.0/9", 16384
		}
		if diff := cmp.Diff([]v1alpha1.ClusterNetwork{c.want}, r.Decision.ClusterNetwork); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if r.Capacity.Number != c.capacity {
			t.Errorf("%s: holds %v, want %v", c.name, r.Capacity, c.capacity)
		}
		if got := findings(r); len(got) > 0 {
			t.Errorf("%s: findings %v", c.name, got)
		}
	}
}

func TestPodAddressesByPlugin(t *testing.T) {
	for _, c := range []struct {
		release string
		plugin  Plugin
		want    float64
	}{
		{"3.11", Plugin{OpenShiftSDN, VXLAN}, 509}, // 510 of OCP 9.1 less the node's gateway
		{"4.4", Plugin{OpenShiftSDN, VXLAN}, 509},
		{"4.11", Plugin{OpenShiftSDN, VXLAN}, 509},
		{"4.12", Plugin{OVNKubernetes, Geneve}, 508}, // and the management port
		{"4.17", Plugin{OVNKubernetes, Geneve}, 508},
	} {
		r, _ := plan(t, openshift(c.release, 10, 250))
		if r.Plugin != c.plugin || r.PodAddresses.Number != c.want {
			t.Errorf("%s: %+v with %v, want %+v with %v addresses", c.release, r.Plugin, r.PodAddresses, c.plugin, c.want)
		}
	}
}

// Both numbers are shown for the default network: 512 subnets, 500 nodes.
func TestDefaultNetworkHasTwoGauges(t *testing.T) {
	r, b := plan(t, openshift("4.4", 400, 250))
	hard, published := gauge(t, r, "nodeSubnets"), gauge(t, r, "nodesInDefaultNetwork")
	if hard.Limit.Number != 512 || hard.Kind != limit.Hard || published.Limit.Number != 500 ||
		published.Kind != limit.Supported {
		t.Errorf("gauges %+v and %+v", hard, published)
	}
	f, _ := b.Get("network.headroom")
	if f.Value.Number != 100 {
		t.Errorf("head-room %v, want 100", f.Value)
	}
}

func TestGivenNetwork(t *testing.T) {
	for _, c := range []struct {
		name        string
		nodes, pods int
		blocks      string
		capacity    float64
		finding     string
		remedy      string
	}{
		{"fits", 200, 250, "10.128.0.0/14/23", 500, "", ""},
		{"default for 501 nodes", 501, 250, "10.128.0.0/14/23", 500, "network.cidr.tooSmall",
			"set cidr 10.128.0.0/12 with hostPrefix 23, which holds 2,048 nodes"},
		{"far too small", 100, 250, "10.128.0.0/18/23", 32, "network.cidr.tooSmall", "set cidr 10.128.0.0/14"},
		{"hostPrefix too long for 520 pods", 100, 520, "10.128.0.0/14/23", 500, "network.hostPrefix.tooLong",
			"set hostPrefix to 22, or maxPods to 494 at most"},
		{"two blocks sum", 600, 250, "10.128.0.0/14/23 10.132.0.0/15/23", 768, "", ""},
		{"the smaller subnet counts", 300, 250, "10.128.0.0/14/22 10.132.0.0/15/25", 1280, "network.hostPrefix.tooLong",
			"set hostPrefix to 23"},
		{"hostPrefix larger than the network", 10, 250, "10.128.0.0/24/23", 0, "network.hostPrefix.invalid",
			"between 24 and 30"},
		{"hostPrefix without room", 10, 250, "10.128.0.0/24/31", 0, "network.hostPrefix.invalid", "between 24 and 30"},
		{"not the first address", 10, 250, "10.130.0.0/14/23", 0, "network.cidr.invalid", "correct the network"},
		{"overlaps the machines", 10, 250, "10.0.0.0/14/23", 500, "network.overlap",
			"move the cluster network to 10.4.0.0/14"},
		{"overlaps the services", 10, 250, "172.16.0.0/12/23", 2048, "network.overlap",
			"move the cluster network to 10.16.0.0/12"},
	} {
		in := openshift("4.4", c.nodes, c.pods)
		in.Config.ClusterNetwork = blocks(c.blocks)
		r, _ := plan(t, in)
		if r.Capacity.Number != c.capacity {
			t.Errorf("%s: holds %v, want %v", c.name, r.Capacity, c.capacity)
		}
		if c.finding == "" {
			if got := findings(r); len(got) > 0 {
				t.Errorf("%s: findings %v", c.name, got)
			}
			continue
		}
		if f := finding(t, r, c.finding); f.Severity != v1alpha1.Error || !strings.Contains(f.Remedy, c.remedy) {
			t.Errorf("%s: %s %q, want %q", c.name, f.Severity, f.Remedy, c.remedy)
		}
		if diff := cmp.Diff(in.Config.ClusterNetwork, r.Decision.ClusterNetwork); diff != "" {
			t.Errorf("%s: the given network was changed: %s", c.name, diff)
		}
	}
}

func blocks(text string) []v1alpha1.ClusterNetwork {
	var out []v1alpha1.ClusterNetwork
	for _, s := range strings.Fields(text) {
		i := strings.LastIndex(s, "/")
		c := v1alpha1.ClusterNetwork{CIDR: s[:i]}
		fmt.Sscan(s[i+1:], &c.HostPrefix)
		out = append(out, c)
	}
	return out
}

func TestPlugInNetworks(t *testing.T) {
	for _, c := range []struct {
		release, typ, machine string
		want                  []string
	}{
		{"4.4", "OpenShiftSDN", "100.64.0.0/16", nil},
		{"4.4", "OVNKubernetes", "100.64.8.0/24", []string{"join"}},
		{"4.13", "", "100.88.0.0/20", nil},
		{"4.14", "", "100.88.0.0/20", []string{"transit switch"}},
		{"4.16", "", "169.254.32.0/24", nil},
		{"4.17", "", "169.254.32.0/24", []string{"masquerade"}},
		{"4.17", "", "100.64.0.0/10", []string{"join", "transit switch"}},
	} {
		in := openshift(c.release, 10, 250)
		in.Config.Type, in.Config.MachineNetwork = c.typ, []string{c.machine}
		r, _ := plan(t, in)
		var got []string
		for _, f := range r.Part.Findings {
			if f.ID == "network.overlap" && f.Field == "network.machineNetwork[0]" {
				_, rest, _ := strings.Cut(f.Message, "overlaps OVN-Kubernetes' ")
				name, _, _ := strings.Cut(rest, " network")
				got = append(got, name)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s with %s: %s", c.release, c.machine, diff)
		}
	}
}

func TestServicesMayBeLeftOut(t *testing.T) {
	in := openshift("4.4", 10, 250)
	in.Services = derive.Value{}
	r, _ := plan(t, in)
	if g := gauge(t, r, "serviceAddresses"); g.Value.Text != "0 services" {
		t.Errorf("gauge %+v", g)
	}
}

// A derived network steps aside when its place is taken.
func TestDerivedNetworkAvoidsOthers(t *testing.T) {
	for _, c := range []struct {
		name, machine, want string
	}{
		{"machines in the default network", "10.128.0.0/16", "10.128.0.0/12"},
		{"machines in all of the documents' networks", "10.128.0.0/9", "10.0.0.0/14"},
		{"machines everywhere in 10", "10.0.0.0/8", "172.16.0.0/14"},
	} {
		in := openshift("4.4", 300, 250)
		in.Config.MachineNetwork = []string{c.machine}
		r, _ := plan(t, in)
		got := r.Decision.ClusterNetwork[0].CIDR
		if c.name == "machines in the default network" {
			c.want = "10.0.0.0/14" // all of the documents' networks begin at 10.128.0.0
		}
		if got != c.want || len(findings(r)) > 0 {
			t.Errorf("%s: %s with %v, want %s", c.name, got, findings(r), c.want)
		}
	}
	in := openshift("4.4", 300, 250)
	in.Config.MachineNetwork = []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"}
	r, _ := plan(t, in)
	if f := finding(t, r, "network.cidr.none"); !strings.Contains(f.Message, "a /14 is needed") {
		t.Errorf("message %q", f.Message)
	}
}

func TestIPv6(t *testing.T) {
	in := openshift("4.17", 300, 250)
	in.Config.IPFamily, in.Config.MachineNetwork = "IPv6", []string{"fd00:10::/64"}
	in.Origin = part.NewOrigin([]v1alpha1.Assumption{{Field: "network.serviceNetwork"}}, in.Facts)
	r, _ := plan(t, in)
	want := v1alpha1.NetworkDecision{
		Type: OVNKubernetes, ClusterNetwork: []v1alpha1.ClusterNetwork{{CIDR: "fd01::/48", HostPrefix: 64}},
		MachineNetwork: []string{"fd00:10::/64"}, ServiceNetwork: []string{"fd02::/112"}, ClusterMTU: 1400,
	}
	if diff := cmp.Diff(want, r.Decision); diff != "" {
		t.Error(diff)
	}
	if r.Capacity.Number != 65536 || len(findings(r)) > 0 {
		t.Errorf("holds %v, findings %v", r.Capacity, findings(r))
	}
}

func TestDualStack(t *testing.T) {
	in := openshift("4.17", 600, 250)
	in.Config.ClusterNetwork = []v1alpha1.ClusterNetwork{{CIDR: "10.128.0.0/12", HostPrefix: 23},
		{CIDR: "fd01::/56", HostPrefix: 64}}
	in.Config.ServiceNetwork = []string{"172.30.0.0/16", "fd02::/112"}
	r, _ := plan(t, in)
	if r.Capacity.Number != 2048 {
		t.Errorf("IPv4 holds %v", r.Capacity)
	}
	if f := finding(t, r, "network.cidr.tooSmall"); !strings.Contains(f.Message,
		"fd01::/56 with hostPrefix 64 holds 256 nodes") {
		t.Errorf("message %q", f.Message)
	}
	in.Config.ServiceNetwork = []string{"172.30.0.0/16"}
	r, _ = plan(t, in)
	finding(t, r, "network.families")
	in.Config.ClusterNetwork[1].HostPrefix = 80
	r, _ = plan(t, in)
	if f := finding(t, r, "network.hostPrefix.invalid"); !strings.Contains(f.Remedy, "64") {
		t.Errorf("remedy %q", f.Remedy)
	}
}

func TestOtherNetworksAreGauged(t *testing.T) {
	in := openshift("4.4", 300, 250)
	in.Config.ServiceNetwork, in.Config.MachineNetwork = []string{"172.30.0.0/23"}, []string{"10.0.0.0/24"}
	r, _ := plan(t, in)
	if g := gauge(t, r, "serviceAddresses"); g.Limit.Number != 510 || g.Verdict != limit.Passed {
		t.Errorf("services: %+v", g)
	}
	finding(t, r, "network.serviceAddresses.tooFew")
	if g := gauge(t, r, "machineAddresses"); g.Limit.Number != 254 {
		t.Errorf("machines: %+v", g)
	}
	finding(t, r, "network.machineAddresses.tooFew")
}

func TestKubernetesHasNoDefaultPlugin(t *testing.T) {
	in := openshift("1.36", 100, 110)
	in.Platform.Type = "kubernetes"
	r, _ := plan(t, in)
	if got := r.Decision.ClusterNetwork[0]; got != (v1alpha1.ClusterNetwork{CIDR: "10.128.0.0/14", HostPrefix: 24}) {
		t.Errorf("network %+v", got)
	}
	if r.Capacity.Number != 1024 || r.Decision.ClusterMTU != 0 {
		t.Errorf("capacity %v, MTU %d", r.Capacity, r.Decision.ClusterMTU)
	}
	finding(t, r, "network.mtu.unknown")
	in.Config.Type = OVNKubernetes
	if r, _ = plan(t, in); r.Decision.ClusterMTU != 1400 {
		t.Errorf("MTU %d with OVN-Kubernetes", r.Decision.ClusterMTU)
	}
}

func TestOpenShiftSDNGoes(t *testing.T) {
	for release, want := range map[string]string{
		"4.4": "", "4.13": "", "4.14": "warning network.type.past", "4.16": "error network.type.past",
		"4.17": "error network.type.past",
	} {
		in := openshift(release, 10, 250)
		in.Config.Type = OpenShiftSDN
		r, _ := plan(t, in)
		if got := strings.Join(findings(r), " "); got != want {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
}

// Whatever the input, formulas hold, a derived network without an error holds
// the nodes and the pods and overlaps nothing.
func TestPlanProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := openshift(rapid.SampledFrom([]string{"3.11", "4.4", "4.12", "4.17"}).Draw(t, "release"),
			rapid.IntRange(1, 20000).Draw(t, "nodes"), rapid.IntRange(1, 3000).Draw(t, "pods"))
		in.Config.IPsec = rapid.Bool().Draw(t, "ipsec")
		in.Config.IPFamily = rapid.SampledFrom([]string{"IPv4", "IPv6"}).Draw(t, "family")
		in.Config.NICMTU = rapid.IntRange(1500, 9100).Draw(t, "nic")
		in.NICSpeed = derive.Given("hardware.nodeTypes[0].network",
			rapid.SampledFrom([]float64{0, 1e9, 1e10}).Draw(t, "speed"), "bit/s")
		in.Config.MachineNetwork = []string{
			rapid.SampledFrom([]string{"10.0.0.0/16", "10.128.0.0/16", "10.0.0.0/8", "172.16.0.0/12"}).Draw(t, "machines"),
		}
		in.Config.ServiceNetwork = []string{rapid.SampledFrom([]string{"172.30.0.0/16", "10.200.0.0/16"}).Draw(t, "services")}
		in.Origin = part.NewOrigin([]v1alpha1.Assumption{{Field: "network.serviceNetwork"}}, in.Facts)
		r, _ := plan(t, in)
		for _, f := range r.Part.Findings {
			if f.Severity == v1alpha1.Error {
				return
			}
		}
		if r.Capacity.Number < in.Nodes.Number || r.PodAddresses.Number < in.PodsPerNode.Number+15 {
			t.Fatalf("%+v holds %v and %v, without an error", r.Decision.ClusterNetwork, r.Capacity, r.PodAddresses)
		}
		h, p := LoadHeaders(in.Facts), Path{Tunnel: r.Plugin.Tunnel, IPsec: in.Config.IPsec,
			Outer6: in.Config.IPFamily == "IPv6"}
		if m := r.Decision.ClusterMTU; m+h.Overhead(p, m) > in.Config.NICMTU {
			t.Fatalf("a cluster MTU of %d does not fit %d", m, in.Config.NICMTU)
		}
	})
}
