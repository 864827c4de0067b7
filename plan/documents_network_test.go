package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// P14, OCP 12.1: OpenShift SDN takes 50 bytes (1450, 8950), OVN and Geneve 100.
func TestDocumentMTU(t *testing.T) {
	for nic, want := range map[int][2]int{1500: {1450, 1400}, 9000: {8950, 8900}, 8900: {8850, 8800}, 1600: {1550, 1500}} {
		for i, plugIn := range []string{"OpenShiftSDN", "OVNKubernetes"} {
			p := small{Rest: fmt.Sprintf("network: {type: %s, nicMTU: %d}", plugIn, nic)}.plan(t)
			number(t, p, "network.mtu.cluster", float64(want[i]))
			if got := p.Decisions.Network.ClusterMTU; got != want[i] {
				t.Errorf("%s on %d: install-config.yaml would get %d, want %d", plugIn, nic, got, want[i])
			}
		}
	}
}

// P14: "must be less than the NIC MTU by 50 bytes at a minimum".
func TestDocumentMTUGiven(t *testing.T) {
	for _, c := range []struct {
		plugIn       string
		nic, cluster int
		tooLarge     bool
	}{
		{"OpenShiftSDN", 1500, 1450, false}, {"OpenShiftSDN", 1500, 1451, true}, {"OpenShiftSDN", 1500, 1500, true},
		{"OpenShiftSDN", 9000, 8950, false},
		{"OpenShiftSDN", 9000, 8951, true}, {"OVNKubernetes", 1500, 1400, false}, {"OVNKubernetes", 1500, 1500, true},
		{"OVNKubernetes", 9000, 8900, false},
	} {
		p := small{Rest: fmt.Sprintf("network: {type: %s, nicMTU: %d, clusterMTU: %d}", c.plugIn, c.nic, c.cluster)}.plan(t)
		expectFinding(t, p, v1alpha1.Error, "network.mtu.tooLarge", c.tooLarge)
		if p.Verdict.Fits == c.tooLarge {
			t.Errorf("%s, %d on %d: fits is %v", c.plugIn, c.cluster, c.nic, p.Verdict.Fits)
		}
	}
	// Within the headers of Geneve, but beyond what the document allows: never in silence.
	reserve := small{Rest: "network: {type: OVNKubernetes, nicMTU: 1500, clusterMTU: 1401}"}.plan(t)
	if !found(reserve, v1alpha1.Warning, "network.mtu.reserve") &&
		!found(reserve, v1alpha1.Error, "network.mtu.tooLarge") {
		t.Error("1401 on 1500 with Geneve passes without a word")
	}
}

// P14: what the headers take: outer IP 20 or 40, UDP 8, VXLAN 8, inner Ethernet
// 14; the share of the link that TCP gets, by hand.
func TestDocumentMTUOverhead(t *testing.T) {
	for _, c := range []struct {
		network           string
		headers, overhead float64
	}{
		{"type: OpenShiftSDN", 50, 50}, {"type: OpenShiftSDN, ipFamily: IPv6", 70, 70},
	} {
		p := small{Rest: "network: {" + c.network + "}"}.plan(t)
		number(t, p, "network.mtu.headers", c.headers)
		number(t, p, "network.mtu.overhead", c.overhead)
	}
	p := small{Rest: "network: {type: OpenShiftSDN}"}.plan(t)
	// 1450 less IP 20, TCP 20 and time stamps 12; on the wire 1500 and Ethernet's 38.
	number(t, p, "network.mtu.efficiency", 100*1398.0/1538)
	number(t, p, "network.mtu.loss", 100*(1-1398.0/1448))
}

// P14, OCP 12: beyond one Gbit/s VXLAN costs throughput unless the interface
// offloads it, which does not reduce latency.
func TestDocumentOffload(t *testing.T) {
	for speed, warned := range map[string]bool{"1G": false, "10G": true, "40G": true} {
		node := "cpus: 8, memory: 32G, network: " + speed
		expectFinding(t, small{Node: node, Rest: "network: {type: OpenShiftSDN}"}.plan(t), v1alpha1.Warning,
			"network.offload.missing", warned)
		offloading := small{Node: node, Rest: "network: {type: OpenShiftSDN, offload: true}"}.plan(t)
		expectFinding(t, offloading, v1alpha1.Warning, "network.offload.missing", false)
		for _, f := range offloading.Findings {
			if f.ID == "network.offload" && !strings.Contains(f.Message, "latency") {
				t.Errorf("no word of latency: %s", f.Message)
			}
		}
	}
}

// P15, OCP 12.3: IPsec costs throughput and CPU, and some offload is lost.
func TestDocumentIPsec(t *testing.T) {
	for _, plugIn := range []string{"OpenShiftSDN", "OVNKubernetes"} {
		network := "network: {type: " + plugIn + ", ipsec: %v}"
		plain, secret := small{Rest: fmt.Sprintf(network, false)}.plan(t), small{Rest: fmt.Sprintf(network, true)}.plan(t)
		expectFinding(t, plain, v1alpha1.Warning, "network.ipsec.cost", false)
		expectFinding(t, secret, v1alpha1.Warning, "network.ipsec.cost", true)
		for _, id := range []string{"network.mtu.cluster", "network.mtu.efficiency"} {
			if a, b := figure(t, plain, id).Value.Number, figure(t, secret, id).Value.Number; b >= a {
				t.Errorf("%s: %s is %v, with IPsec %v", plugIn, id, a, b)
			}
		}
		for _, f := range secret.Findings {
			if f.ID == "network.ipsec.cost" && !(strings.Contains(f.Message, "CPU") && f.Sources[0].Section == "12.3") {
				t.Errorf("%s: %s", f.Message, f.Sources)
			}
		}
	}
	// OVN with IPsec takes 46 bytes beside the 100.
	number(t, small{Rest: "network: {type: OVNKubernetes, ipsec: true}"}.plan(t), "network.mtu.cluster", 1354)
	number(t, small{Rest: "network: {type: OVNKubernetes, ipsec: true, nicMTU: 9000}"}.plan(t),
		"network.mtu.cluster", 8854)
}

// hugePods are pods on one kind of machine with 64 GiB.
func hugePods(release, node, pods string) small {
	return small{Release: release, Node: "cpus: 16, memory: 64Gi" + node +
		"}, {name: i, role: infra, cpus: 16, memory: 64Gi", Pods: pods, Rest: "policy: {spareNodes: 0}"}
}

// P16, OCP 13.2 and 13.3: 100 MB are 50 pages of 2 MB; vm.nr_hugepages=1024; 1 Mi is 256 pages of 4 Ki.
func TestDocumentHugePages(t *testing.T) {
	for memory, pages := range map[string]float64{"2Mi": 1, "100Mi": 50, "2Gi": 1024, "4Gi": 2048} {
		p := hugePods("4.4", "", "{name: a, cpu: 1, memory: 1Gi, hugePages: {2Mi: "+memory+"}}").plan(t)
		number(t, p, "hugePages.pages[w/2Mi]", pages)
		number(t, p, "hugePages.normalPages[w]", pages*2*256)
		if got := p.Decisions.Pools[0].HugePages["2Mi"]; float64(got) != pages {
			t.Errorf("%s: the pool allocates %d pages, want %v", memory, got, pages)
		}
	}
	two := hugePods("4.4", "", "{name: a, replicas: 3, cpu: 1, memory: 1Gi, hugePages: {2Mi: 100Mi}}").plan(t)
	number(t, two, "hugePages.pages[w/2Mi]", 150)
	gibi := hugePods("4.4", ", numaNodes: 2", "{name: a, replicas: 4, cpu: 1, memory: 1Gi, hugePages: {1Gi: 2Gi}}").plan(t)
	number(t, gibi, "hugePages.pages[w/1Gi]", 8)
	number(t, gibi, "hugePages.perNUMA[w/1Gi]", 4)
}

// P16, OCP 13.2: "A node can only pre-allocate huge pages for a single size."
func TestDocumentOneHugePageSize(t *testing.T) {
	const both = "{name: a, cpu: 1, memory: 1Gi, hugePages: {2Mi: 2Gi, 1Gi: 1Gi}}"
	const apart = "{name: a, cpu: 1, memory: 1Gi, hugePages: {2Mi: 2Gi}}, {name: b, cpu: 1, memory: " +
		"1Gi, hugePages: {1Gi: 1Gi}}"
	for _, pods := range []string{both, apart} {
		expectFinding(t, hugePods("4.4", "", pods).plan(t), v1alpha1.Error, "hugePages.sizes", true)
	}
	given := hugePods("4.4", ", hugePages: {2Mi: 2Gi, 1Gi: 1Gi}", "{name: a, cpu: 1, memory: 1Gi}").plan(t)
	expectFinding(t, given, v1alpha1.Error, "hugePages.sizes", true)
	expectFinding(t, hugePods("4.4", "", "{name: a, cpu: 1, memory: 1Gi, hugePages: {2Mi: 2Gi}}").plan(t), v1alpha1.Error,
		"hugePages.sizes", false)
}

// P16: a pod's pages are a whole number, never more than a node has, never overcommitted.
func TestDocumentHugePagesOfAPod(t *testing.T) {
	if got := refusal(t, hugePods("4.4", "",
		"{name: a, cpu: 1, memory: 1Gi, hugePages: {2Mi: 101Mi}}")); !strings.Contains(got, "hugePages.2Mi") {
		t.Errorf("half a page: %q", got)
	}
	tooMany := hugePods("4.4", ", hugePages: {2Mi: 2Gi}", "{name: a, cpu: 1, memory: 1Gi, hugePages: {2Mi: 3Gi}}").plan(t)
	expectFinding(t, tooMany, v1alpha1.Error, "nodes.option[w]", true)
	for replicas, nodes := range map[int]float64{2: 1, 3: 2, 4: 2} {
		s := hugePods("4.4", ", hugePages: {2Mi: 2Gi}",
			fmt.Sprintf("{name: a, replicas: %d, cpu: 1m, memory: 1Mi, hugePages: {2Mi: 1Gi}}", replicas))
		s.Rest = "policy: {spareNodes: 0, overcommit: {cpu: 4, memory: 4}}"
		number(t, s.plan(t), "nodes.workers[w]", nodes)
	}
}
