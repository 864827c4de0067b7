package facts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
)

func TestForRelease(t *testing.T) {
	for _, c := range []struct {
		quantity, release, id, others string
		remark                        string
	}{
		{"ocp.max.nodes", "4.4", "ocp.max.nodes/4.4", "ocp.max.nodes/4.x", ""},
		{"ocp.max.nodes", "4.4.12", "ocp.max.nodes/4.4", "ocp.max.nodes/4.x", ""}, // a patch of 4.4
		{"ocp.max.nodes", "4.8.12", "ocp.max.nodes/4.5", "", "has nothing for 4.8.12; this is the figure of 4.5"},
		{"ocp.max.nodes", "4.9", "ocp.max.nodes/4.9", "", ""},
		{"ocp.max.crds", "4.9", "ocp.max.crds/4.9", "", ""},
		{"ocp.network.type", "3.11", "ocp.network.type/3.x", "", ""},
		{"k8s.max.nodes", "1.36.2", "k8s.max.nodes/1.36", "", ""},
		{"ocp.max.pods", "4.4", "ocp.max.pods/4.4", "ocp.max.pods/4.x", ""},
		{"ocp.max.nodes", "4.3", "ocp.max.nodes/4.3", "", ""}, // the same number: no doubt
		{"ocp.max.podsPerNode", "4.1", "ocp.max.podsPerNode/4.1", "ocp.max.podsPerNode/4.x", ""},
		{"ocp.max.nodes", "4.8", "ocp.max.nodes/4.5", "", "figure of 4.5"},
		{"ocp.max.nodes", "4.12", "ocp.max.nodes/4.10", "", "figure of 4.10"},
		{"ocp.max.nodes", "4.20", "ocp.max.nodes/4.17", "", "figure of 4.17"},
		{"ocp.max.nodes", "4.0", "ocp.max.nodes/4.x", "", ""},
		{"ocp.max.nodes", "3.11", "ocp.max.nodes/3.x", "", ""},
		{"ocp.max.podsPerCore", "4.4", "ocp.max.podsPerCore/4.4", "", ""},
		{"rosa.max.nodes", "4.14.13", "rosa.max.nodes/4.9", "", "figure of 4.9"},
		{"rosa.max.nodes", "4.14.14", "rosa.max.nodes/4.14.14", "", ""},
		{"rosa.max.nodes", "4.14.20", "rosa.max.nodes/4.14.14", "", ""},
		{"rosa.max.nodes", "4.9.40", "rosa.max.nodes/4.9", "", ""},
		{"rosa.max.nodesHosted", "4.14.5", "rosa.max.nodesHosted/4.14", "", ""},
		{"rosa.max.nodes", "4.15", "rosa.max.nodes/4.14.14", "", "figure of 4.14.14"},
		{"k8s.max.nodes", "1.36", "k8s.max.nodes/1.36", "", ""},
		{"ocp.network.type", "4.4", "ocp.network.type/4.4", "", ""},
		{"ocp.network.type", "4.13", "ocp.network.type/4.12", "", "figure of 4.12"},
		{"ocp.etcd.quota", "4.8", "ocp.etcd.quota/4.4", "", "figure of 4.4"},
		{"k8s.max.nodes", "1.25", "k8s.max.nodes/1.x", "", ""},
		{"k8s.max.nodes", "1.33", "k8s.max.nodes/1.30", "", "figure of 1.30"},
		{"k8s.max.namespaces", "1.33", "k8s.max.namespaces/1.x", "", ""},
		{"ocp.max.routesPerRouter", "4.4", "", "", ""},
		{"ocp.max.nodes", "5.1", "", "", ""},
		{"ocp.max.unknown", "4.4", "", "", ""},
	} {
		f, others, remark, ok := facts.Load().ForRelease(c.quantity, c.release)
		var ids []string
		for _, o := range others {
			ids = append(ids, o.ID)
		}
		name := c.quantity + " for " + c.release
		if ok != (c.id != "") || f.ID != c.id {
			t.Errorf("%s: got %q, %v, want %q", name, f.ID, ok, c.id)
		}
		if got := strings.Join(ids, " "); got != c.others {
			t.Errorf("%s: others %q, want %q", name, got, c.others)
		}
		if (remark == "") != (c.remark == "") || !strings.Contains(remark, c.remark) {
			t.Errorf("%s: remark %q, want %q in it", name, remark, c.remark)
		}
	}
}

// The contradiction that a user meets first: 250 nodes or 2,000 in 4.4.
func TestDoubtOfNodes(t *testing.T) {
	f, others, _, _ := facts.Load().ForRelease("ocp.max.nodes", "4.4")
	if f.Printed() != "250 nodes" || f.Source.String() != "OCP 9.2" || f.Kind != limit.Tested {
		t.Errorf("4.4 has %s (%s, %s)", f.Printed(), f.Source, f.Kind)
	}
	if len(others) != 1 || others[0].Printed() != "2,000 nodes" || others[0].Grade != facts.Doubtful {
		t.Errorf("others of 4.4: %v", others)
	}
}

func TestReleases(t *testing.T) {
	got := facts.Load().Releases("ocp.max.nodes")
	want := []string{"4.1", "4.2", "4.3", "4.4", "4.5", "4.9", "4.10", "4.17"}
	if !slices.Equal(got, want) {
		t.Errorf("releases %v, want %v", got, want)
	}
}

func TestWithReplaces(t *testing.T) {
	c := facts.Load()
	id := "ocp.router.requests/edge/close/HostNetwork"
	own := c.Must(id)
	own.Number = 1234
	d := c.With(own)
	if d.Must(id).Number != 1234 || c.Must(id).Number != 4069 || len(d.All()) != len(c.All()) {
		t.Error("With changed the catalogue that it was called on, or did not replace the fact")
	}
	if v := d.Must(id).Value(); v.From == nil || v.From.ID != id || v.Text != "1,234 requests/s" {
		t.Errorf("the value is %+v", v)
	}
}

// promised are ids that other packages rely on.
var promised = []string{
	"ocp.max.{nodes,pods,podsPerNode,podsPerCore,namespaces,builds,podsPerNamespace,services,servicesPerNamespace," +
		"backendsPerService,deploymentsPerNamespace}/{3.x,4.x,4.1,4.2,4.3,4.4,4.5,4.9,4.10}",
	"ocp.max.{nodes,pods,podsPerNode,namespaces,builds,podsPerNamespace,services,servicesPerNamespace," +
		"backendsPerService,deploymentsPerNamespace}/4.17",
	"ocp.max.{routesPerRouter,secrets,configMaps,buildConfigs,crds}/{4.9,4.10,4.17}",
	"rosa.max.nodes/{4.8,4.9,4.14.14}", "rosa.max.pods/{4.8,4.14.14}",
	"k8s.max.{nodes,pods,containers,podsPerNode,podsPerCore,namespaces,podsPerNamespace,services,servicesPerNamespace," +
		"backendsPerService,deploymentsPerNamespace,objectsPerType,objectSize,bytesPerType,events}/1.36",
	"ocp.controlPlane.{cores,memory}/{25,100,250}",
	"ocp.systemReserved.{cpu,memory}/{4.4,4.5}", "ocp.systemReserved.{memoryBase,memoryExample}/4.4",
	"ocp.evictionHard.memory",
	"ocp.autoReserved.{memoryFirst4GiB,memoryNext4GiB,memoryNext8GiB,memoryNext112GiB,memoryBeyond,cpuFirstCore," +
		"cpuSecondCore,cpuNext2Cores,cpuBeyond,defaultSince}",
	"ocp.kubelet.{maxPods,podsPerCore,kubeAPIQPS,kubeAPIBurst,containersPerPod}", "ocp.systemPods.{min,max}",
	"ocp.client.{qps,burst}",
	"ocp.network.{clusterNetwork,machineNetwork,serviceNetwork,hostPrefix,defaultCIDRNodes,hostPrefixFor500Pods}",
	"ocp.network.largeCIDR/{12,10}", "ocp.network.type/{3.x,4.1,4.12}", "k8s.etcd.quota",
	"ocp.etcd.{dbMax,dirSize,peerRoundTrip,growthPer8GBMin,growthPer8GBMax,members}",
	"ocp.prometheus.{pods,storagePerDay,storagePer15Days,ram,networkPerChunk}/{50,100,150,200}",
	"ocp.prometheus.{overhead,coresPer50Nodes,coresOf,infraNodes,storageNodes,retention,typicalSize,alertmanagerSize," +
		"labInfraCores,labInfraMemory,labStorageCores,labStorageMemory}",
	"ocp.scale.{batchMin,batchMax}", "ocp.rollout.{nodes,minMin,minMax,maxUnavailable}",
	"ocp.machineHealthCheck.{timeout,maxUnhealthy,nodeStartupTimeout,maxUnhealthyDefault}",
	"ocp.storage.{rox,rwx,registry,scaledRegistry,metrics,logging,apps}/{block,file,object}",
	"ocp.dataDir.{containersBase,containersBaseMemory,containersPer8GBMin,containersPer8GBMax,logMin,logMax," +
		"kubelet,etcd,containers,log}",
	"ocp.router.requests/{none,edge,passthrough,re-encrypt}/{keep-alive,close}/{LoadBalancerService,HostNetwork}",
	"rout.router.requests/{none,edge,passthrough,re-encrypt}/{keep-alive,close}/{unset,4}",
	"{ocp,rout}.router.{threads,vcpus,memory,routes,pageSize,saturatedNIC,saturatingPage,bareMetalFactor,staticAppsMin," +
		"staticAppsMax,dynamicAppsMin,dynamicAppsMax,appsMin,appsMax}",
	"rout.router.maxconnFactor",
	"ocp.router.{maxConnections,replicas,backendMemory,idleMemory.none,idleMemory.passthrough,idleMemory.edge}",
	"ocp.mtu.{vxlanOverhead,geneveOverhead,ipsecOverhead,ethernetNIC,jumboNIC,ethernetCluster,jumboCluster," +
		"vxlanNetworks,vlanNetworks,ipv6ExtraOverhead}",
	"net.header.{ethernet,ipv4,ipv6,udp,vxlan,geneve,tcp,tcpTimestamps,ethernetWire,esp}",
	"ocp.hugePages.{pageSize,pagesPer1Mi,pagesPer1Gi,sizes/2Mi,sizes/1Gi,example100Mi,nrHugepagesExample,sizesPerNode}",
	"ocp.example.{nodesFor2200At500,podsPerNodeFor2200On20,cpu,memory,storage,overcommit}",
	"ocp.example.podType.{quantity,memory,cpu,storage}/{apache,node.js,postgresql,jboss-eap}",
	"ocp.example.nodeOption.{quantity,cpus,memory}/{1,2,3}",
}

// expand writes out the braces of a pattern.
func expand(pattern string) []string {
	head, rest, ok := strings.Cut(pattern, "{")
	if !ok {
		return []string{pattern}
	}
	list, tail, _ := strings.Cut(rest, "}")
	var out []string
	for _, word := range strings.Split(list, ",") {
		for _, t := range expand(tail) {
			out = append(out, head+word+t)
		}
	}
	return out
}

func TestPromisedFactsExist(t *testing.T) {
	for _, pattern := range promised {
		for _, id := range expand(pattern) {
			if _, ok := facts.Load().Get(id); !ok {
				t.Errorf("no fact %s", id)
			}
		}
	}
}

// What is graded arithmetic must follow from other facts.
func TestArithmetic(t *testing.T) {
	n := func(id string) float64 { return facts.Load().Must(id).Number }
	for id, want := range map[string]float64{
		"ocp.example.overcommitArithmetic":    n("ocp.example.cpu")/n("ocp.example.optionCPU") - 1,
		"ocp.example.optionCPU":               n("ocp.example.nodeOption.quantity/3") * n("ocp.example.nodeOption.cpus/3"),
		"ocp.example.optionMemory":            n("ocp.example.nodeOption.quantity/2") * n("ocp.example.nodeOption.memory/2"),
		"ocp.example.memoryUse":               n("ocp.example.memory") / n("ocp.example.optionMemory"),
		"ocp.hugePages.pagesPer1GiArithmetic": n("ocp.hugePages.pagesPer1Mi") * 1024,
		"ocp.hugePages.exampleBytes":          n("ocp.hugePages.nrHugepagesExample") * n("ocp.hugePages.sizes/2Mi"),
		"ocp.cpuManager.exampleMemoryKept":    n("ocp.systemReserved.memoryExample/4.4") + n("ocp.evictionHard.memory"),
		"ocp.cpuManager.exampleCapacityMemory": n("ocp.cpuManager.exampleAllocatableMemory") +
			n("ocp.cpuManager.exampleMemoryKept"),
		"ocp.mtu.ethernetNIC":     n("ocp.mtu.ethernetCluster") + n("ocp.mtu.vxlanOverhead"),
		"ocp.mtu.jumboNIC":        n("ocp.mtu.jumboCluster") + n("ocp.mtu.vxlanOverhead"),
		"ocp.mtu.jumboClusterOVN": n("ocp.mtu.jumboNIC") - n("ocp.mtu.geneveOverhead"),
		"ocp.mtu.vxlanOverhead": n("net.header.ethernet") + n("net.header.vxlan") + n("net.header.udp") +
			n("net.header.ipv4"),
		"ocp.mtu.geneveBase": n("net.header.ethernet") + n("net.header.geneve") + n("net.header.udp") +
			n("net.header.ipv4"),
		"ocp.mtu.vxlanOverheadIPv6":      n("ocp.mtu.vxlanOverhead") + n("ocp.mtu.ipv6ExtraOverhead"),
		"ocp.mtu.geneveBaseIPv6":         n("ocp.mtu.geneveBase") + n("ocp.mtu.ipv6ExtraOverhead"),
		"ocp.mtu.ipv6ExtraOverhead":      n("net.header.ipv6") - n("net.header.ipv4"),
		"ocp.router.saturatingRequests":  n("ocp.router.saturatedNIC") / 8 / n("ocp.router.saturatingPage"),
		"ocp.router.largestHeader":       n("ocp.router.bufferSize") - n("ocp.router.maxRewriteSize"),
		"ocp.podsPerNodeTest.pods":       n("ocp.podsPerNodeTest.workers") * n("ocp.podsPerNodeTest.podsPerWorker"),
		"ocp.max.averagePodsPerNode/4.4": n("ocp.max.pods/4.4") / n("ocp.max.nodes/4.4"),
		"ocp.rollout.perNodeMin":         n("ocp.rollout.minMin") / n("ocp.rollout.nodes"),
		"ocp.rollout.perNodeMax":         n("ocp.rollout.minMax") / n("ocp.rollout.nodes"),
		"ocp.max.routesPerRouter/4.17":   n("ocp.max.routesPerTwoRouters/4.17") / 2,
		"ocp.network.subnets/14":         float64(int(1) << (int(n("ocp.network.hostPrefix")) - 14)),
		"ocp.network.subnetAddresses/22": float64(int(1) << (32 - int(n("ocp.network.hostPrefixFor500Pods")))),
	} {
		if got := n(id); got != want {
			t.Errorf("%s is %v, the arithmetic gives %v", id, got, want)
		}
	}
}

func ExampleCatalogue_ForRelease() {
	f, others, _, _ := facts.Load().ForRelease("ocp.max.nodes", "4.4")
	fmt.Println(f.Printed(), "by", f.Source)
	for _, o := range others {
		fmt.Println("but", o.Printed(), "by", o.Source)
	}
	// Output:
	// 250 nodes by OCP 9.2
	// but 2,000 nodes by OCP 9.1
}
