package network

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/unit"
)

// P14: VXLAN, Geneve and IPsec under 1500 and 9000, over IPv4. The cluster MTUs
// of VXLAN and Geneve are those of OCP 12.1.
func TestTableOfMTUs(t *testing.T) {
	r, _ := plan(t, openshift("4.4", 10, 250))
	if len(r.Part.Section.Tables) != 1 {
		t.Fatalf("%d tables", len(r.Part.Section.Tables))
	}
	want := []string{
		//  NIC, tunnel, allowance, headers, cluster MTU, added, share (payload / wire)
		row7(1500, "none", 0, 0, 1500, 0, 1448, 1538),
		row7(1500, "VXLAN", 50, 50, 1450, 50, 1398, 1538),
		row7(1500, "VXLAN + IPsec", 96, 87, 1404, 84, 1352, 1526),
		row7(1500, "Geneve", 100, 58, 1400, 58, 1348, 1496),
		row7(1500, "Geneve + IPsec", 146, 95, 1354, 94, 1302, 1486),
		row7(9000, "none", 0, 0, 9000, 0, 8948, 9038),
		row7(9000, "VXLAN", 50, 50, 8950, 50, 8898, 9038),
		row7(9000, "VXLAN + IPsec", 96, 87, 8904, 84, 8852, 9026),
		row7(9000, "Geneve", 100, 58, 8900, 58, 8848, 8996),
		row7(9000, "Geneve + IPsec", 146, 95, 8854, 94, 8802, 8986),
	}
	if diff := cmp.Diff(want, rows(r.Part.Section.Tables[0])); diff != "" {
		t.Error(diff)
	}
}

func row7(nic int, path string, rule, headers, mtu, added int, payload, wire float64) string {
	return fmt.Sprintf("%d %s %d %d %d %d %s", nic, path, rule, headers, mtu, added,
		unit.Format(100*payload/wire, unit.Percent))
}

func rows(table v1alpha1.Table) []string {
	var out []string
	for _, r := range table.Rows {
		var cells []string
		for _, c := range r[:7] {
			cells = append(cells, c.Text)
		}
		out = append(out, strings.Join(cells, " "))
	}
	return out
}

// Over IPv6 the outer header takes 20 bytes more: VXLAN needs 70, more than the
// documents' 50, while OVN-Kubernetes' 100 still hold.
func TestMTUOverIPv6(t *testing.T) {
	for _, c := range []struct {
		typ   string
		ipsec bool
		want  int
	}{
		{OpenShiftSDN, false, 1430},
		{OpenShiftSDN, true, 1393}, // 1500 - (40 + 8 + 8 + 14) - 37
		{OVNKubernetes, false, 1400},
		{OVNKubernetes, true, 1354},
	} {
		in := openshift("4.12", 10, 250)
		in.Config.Type, in.Config.IPsec, in.Config.IPFamily = c.typ, c.ipsec, "IPv6"
		in.Config.ServiceNetwork = []string{"fd02::/112"}
		if r, _ := plan(t, in); r.Decision.ClusterMTU != c.want {
			t.Errorf("%s, IPsec %v: %d, want %d", c.typ, c.ipsec, r.Decision.ClusterMTU, c.want)
		}
	}
}

func TestOwnMTUHasRowsOfItsOwn(t *testing.T) {
	in := openshift("4.17", 10, 250)
	in.Config.NICMTU = 8500
	r, _ := plan(t, in)
	table := rows(r.Part.Section.Tables[0])
	if len(table) != 15 || !strings.HasPrefix(table[13], "8500 Geneve 100 58 8400") || r.Decision.ClusterMTU != 8400 {
		t.Errorf("cluster MTU %d, rows %q", r.Decision.ClusterMTU, table)
	}
}

func TestGivenMTU(t *testing.T) {
	for _, c := range []struct {
		name, release  string
		ipsec          bool
		nic, mtu       int
		want, contains string
	}{
		{"exact", "4.4", false, 1500, 1450, "", ""},
		{"VXLAN by one", "4.4", false, 1500, 1451, "error network.mtu.tooLarge", "takes 1501 bytes"},
		{"VXLAN with the NIC's own", "4.4", false, 1500, 1500, "error network.mtu.tooLarge", "takes 1550 bytes"},
		{"VXLAN too small", "4.4", false, 9000, 1450, "warning network.mtu.small", "7500 bytes of each packet unused"},
		{"Geneve exact", "4.17", false, 1500, 1400, "", ""},
		{"Geneve in the reserve", "4.17", false, 1500, 1442, "warning network.mtu.reserve",
			"42 more than the platform allows"},
		{"Geneve beyond the headers", "4.17", false, 1500, 1443, "error network.mtu.tooLarge", "takes 1501 bytes"},
		{"Geneve jumbo", "4.17", false, 9000, 8900, "", ""},
		{"IPsec exact", "4.17", true, 1500, 1354, "", ""},
		{"IPsec forgotten", "4.17", true, 1500, 1400, "warning network.mtu.reserve", "46 more than the platform allows"},
		{"IPsec far too large", "4.17", true, 1500, 1420, "error network.mtu.tooLarge", "takes 1512 bytes"},
	} {
		in := openshift(c.release, 10, 250)
		in.Config.NICMTU, in.Config.ClusterMTU, in.Config.IPsec = c.nic, &c.mtu, c.ipsec
		r, _ := plan(t, in)
		var got []string
		var message string
		for _, f := range r.Part.Findings {
			if strings.HasPrefix(f.ID, "network.mtu.") {
				got, message = append(got, string(f.Severity)+" "+f.ID), f.Message
			}
		}
		if strings.Join(got, ", ") != c.want || !strings.Contains(message, c.contains) {
			t.Errorf("%s: %v %q, want %s %q", c.name, got, message, c.want, c.contains)
		}
		if r.Decision.ClusterMTU != c.mtu {
			t.Errorf("%s: the given MTU became %d", c.name, r.Decision.ClusterMTU)
		}
	}
}

func TestIPv6NeedsItsSmallestMTU(t *testing.T) {
	in := openshift("4.17", 10, 250)
	mtu := 1200
	in.Config.IPFamily, in.Config.ClusterMTU = "IPv6", &mtu
	in.Config.ServiceNetwork = []string{"fd02::/112"}
	r, _ := plan(t, in)
	if f := finding(t, r, "network.mtu.ipv6"); !strings.Contains(f.Remedy, "1280") {
		t.Errorf("remedy %q", f.Remedy)
	}
}

// P15 and OCP 12: what speed, offload and IPsec mean.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		name, release  string
		speed          float64
		offload, ipsec bool
		nic            int
		want           string
	}{
		{"unknown speed", "4.4", 0, false, false, 1500, ""},
		{"1 Gbit/s", "4.4", 1e9, false, false, 1500, ""},
		{"2.5 Gbit/s", "4.4", 2.5e9, false, false, 1500, "warning network.offload.missing"},
		{"10 Gbit/s", "4.4", 1e10, false, false, 1500, "warning network.offload.missing, info network.mtu.jumbo"},
		{"10 Gbit/s, jumbo, offload", "4.4", 1e10, true, false, 9000, "info network.offload"},
		{"IPsec", "4.17", 1e9, false, true, 1500, "warning network.ipsec.cost"},
		{"IPsec and offload", "4.17", 1e10, true, true, 9000, "warning network.ipsec.cost"},
		{"IPsec without support", "4.4", 1e9, false, true, 1500,
			"warning network.ipsec.cost, warning network.ipsec.unsupported"},
	} {
		in := openshift(c.release, 10, 250)
		in.NICSpeed = derive.Given("hardware.nodeTypes[0].network", c.speed, unit.BitsPerS)
		in.Config.Offload, in.Config.IPsec, in.Config.NICMTU = c.offload, c.ipsec, c.nic
		r, _ := plan(t, in)
		if got := strings.Join(findings(r), ", "); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestIPsecSaysThatOffloadIsLost(t *testing.T) {
	in := openshift("4.17", 10, 250)
	in.Config.Offload, in.Config.IPsec = true, true
	r, _ := plan(t, in)
	if f := finding(t, r, "network.ipsec.cost"); !strings.Contains(f.Message, "network.offload counts on is lost") {
		t.Errorf("message %q", f.Message)
	}
	if !r.Decision.IPsec {
		t.Error("4.17 with OVN-Kubernetes encrypts, the decision says no")
	}
	in.Platform.Release, in.Config.Type = "4.6", OVNKubernetes
	if r, _ = plan(t, in); r.Decision.IPsec {
		t.Error("4.6 does not encrypt, the decision says yes")
	}
}

func TestGoodput(t *testing.T) {
	in := openshift("4.4", 10, 250)
	in.NICSpeed = derive.Given("hardware.nodeTypes[0].network", 1e10, unit.BitsPerS)
	_, b := plan(t, in)
	for id, want := range map[string]float64{
		"network.goodput": 1e10 * 1398 / 1538, "network.packetRate": 1e10 / 8 / 1538,
		"network.mtu.loss": 100 * (1 - 1398.0/1448.0), // the same frame, 50 bytes less in it
	} {
		f, ok := b.Get(id)
		if !ok || math.Abs(f.Value.Number-want) > 1e-6*want {
			t.Errorf("%s = %v, want %v", id, f.Value.Number, want)
		}
	}
}

// Every fact that the package relies on exists.
func TestFactsExist(t *testing.T) {
	c := facts.Load()
	for _, id := range []string{
		"ocp.mtu.ethernetNIC", "ocp.mtu.jumboNIC", "ocp.network.slowLink/10G", "ocp.network.comfortableRate",
		"ocp.network.subnetAlert",
		"ocp.network.hostPrefixIPv6", "ocp.network.clusterNetworkIPv6", "k8s.network.nodeMask", "net.subnet.reservedIPv6",
		"ocp.network.ipsec/4.7",
	} {
		if _, ok := c.Get(id); !ok {
			t.Errorf("no fact %s", id)
		}
	}
}
