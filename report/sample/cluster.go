package sample

import (
	"fmt"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// podType is a row of the table in OCP 9.4, in millicores and bytes.
type podType struct {
	name                 string
	count                int
	cpu, memory, storage float64
	overcommit           string
}

var podTypes = []podType{
	{"apache", 100, 500, 500e6, 1e9, "yes"},
	{"node.js", 200, 1000, 1e9, 1e9, "yes"},
	{"postgresql", 100, 2000, 1e9, 10e9, "yes"},
	{"JBoss EAP", 100, 1000, 1e9, 1e9, "no, Java"},
}

func (b *builder) workload() {
	table := v1alpha1.Table{ID: "workload.podTypes", Title: "Pod types", Columns: []v1alpha1.Column{
		left("Pod type"), right("Pods"), right("CPU each"), right("Memory each"), right("Storage each"), left("May be overcommitted"),
	}}
	total := func(id, title, unitName, field string, each func(podType) float64) derive.Value {
		var in []derive.Input
		var terms []string
		sum := 0.0
		for i, p := range podTypes {
			path := fmt.Sprintf("workload.podTypes[%d].", i)
			n, e := fmt.Sprintf("n%d", i+1), fmt.Sprintf("%s%d", field, i+1)
			in = append(in, derive.In(n, derive.Given(path+"count", p.count, "pods")), derive.In(e, derive.Given(path+field, each(p), unitName)))
			terms = append(terms, n+" * "+e)
			sum += float64(p.count) * each(p)
		}
		return b.Found(id, title, sum, unitName, strings.Join(terms, " + "), in...)
	}
	cpu := total("workload.cpu", "CPU requested by all pods", unit.Millicores, "cpu", func(p podType) float64 { return p.cpu })
	memory := total("workload.memory", "Memory requested by all pods", unit.ByteUnit, "memory", func(p podType) float64 { return p.memory })
	storage := total("workload.storage", "Persistent storage", unit.ByteUnit, "storage", func(p podType) float64 { return p.storage })
	pods := b.Found("workload.pods", "Pods of the workload", 500, "pods", "sum(apache, nodejs, postgresql, eap)",
		derive.In("apache", derive.Given("workload.podTypes[0].count", 100, "pods")), derive.In("nodejs", derive.Given("workload.podTypes[1].count", 200, "pods")),
		derive.In("postgresql", derive.Given("workload.podTypes[2].count", 100, "pods")), derive.In("eap", derive.Given("workload.podTypes[3].count", 100, "pods")))
	containers := b.Found("workload.containers", "Containers of the workload", 1000, "containers", "pods * containersPerPod",
		derive.In("pods", pods), b.fact("containersPerPod", "ocp.kubelet.containersPerPod"))
	for _, id := range []string{"workload.cpu", "workload.memory", "workload.storage"} {
		b.Note(id, "", derive.Source{Code: "OCP", Section: "9.4"})
	}
	for _, p := range podTypes {
		table.Rows = append(table.Rows, []v1alpha1.Cell{text(p.name), num(derive.Of(float64(p.count), "")), num(derive.Of(p.cpu, unit.Millicores)),
			num(derive.Of(p.memory, unit.ByteUnit)), num(derive.Of(p.storage, unit.ByteUnit)), text(p.overcommit)})
	}
	table.Rows = append(table.Rows, []v1alpha1.Cell{text("all"), num(pods), num(cpu), num(memory), num(storage), text("")})
	b.section("workload", "Workload", "500 pods of 4 types ask for 550 cores, 450 GB of memory and 1.4 TB of storage.",
		[]derive.Value{pods, cpu, memory, storage}, []derive.Value{containers}, table)
}

func (b *builder) nodes() {
	cpu := derive.Given("hardware.nodeTypes[1].cpus", 8000, unit.Millicores)
	memory := derive.Given("hardware.nodeTypes[1].memory", float64(32*unit.GiB), unit.ByteUnit)
	allocatable := b.Found("node.allocatable.cpu[m5.2xlarge]", "CPU for pods on a node", 7500, unit.Millicores, "cpus - systemReserved",
		derive.In("cpus", cpu), b.fact("systemReserved", "ocp.systemReserved.cpu/4.4"))
	reserve := derive.Default("hardware.nodeTypes[1].systemReserved.memory", float64(unit.GiB), unit.ByteUnit)
	room := b.Found("node.allocatable.memory[m5.2xlarge]", "Memory for pods on a node", float64(31*unit.GiB-100*unit.MiB), unit.ByteUnit,
		"memory - systemReserved - eviction", derive.In("memory", memory), derive.In("systemReserved", reserve), b.fact("eviction", "ocp.evictionHard.memory"))
	all, _ := b.Get("workload.cpu")
	need := all.Value
	need.From = &derive.Ref{Kind: derive.FromFigure, ID: "workload.cpu"}
	floor := b.Found("nodes.floor[m5.2xlarge]", "Least nodes that the totals allow", 74, "nodes", "ceil(cpu / perNode)",
		derive.In("cpu", need), derive.In("perNode", allocatable))
	packed := b.Record(derive.Figure{ID: "nodes.base[m5.2xlarge]", Title: "Nodes under the policy's overcommit", Value: derive.Of(54, "nodes"),
		Method: "every pod packed on nodes of the type, at a CPU factor of 1.375; no packing with fewer exists",
		Inputs: []derive.Input{derive.In("floor", floor), derive.In("cpuFactor", derive.Given("policy.overcommit.cpu", 1.375, unit.Ratio)),
			derive.In("perNode", allocatable), derive.In("memoryPerNode", room)},
		Notes: []string{"JBoss EAP is kept out of the overcommitment: the memory of Java can't be used by others (OCP 9.4)."}})
	workers := b.Found("nodes.workers", "Workers", 57, "nodes", "ceil((base + spares) / zones) * zones", derive.In("base", packed),
		derive.In("spares", derive.Default("policy.spareNodes", 2, "nodes")), derive.In("zones", derive.Default("policy.zones", 3, "zones")))
	total := b.Found("nodes.total", "Nodes of the cluster", 63, "nodes", "workers + infra + controlPlane", derive.In("workers", workers),
		derive.In("infra", derive.Default("policy.infraNodes", 3, "nodes")), derive.In("controlPlane", derive.Default("policy.controlPlane", 3, "nodes")))
	planned := b.Found("nodes.planned", "Nodes to plan for", 150, "nodes", "max(total, growth)", derive.In("total", total),
		derive.In("growth", derive.Given("policy.growth.nodes", 150, "nodes")))
	density := b.Found("nodes.podsPerNode[m5.2xlarge]", "Pods on the fullest worker", float64(b.podsPerNode), "pods", "workload + system",
		derive.In("workload", derive.FromPlace("packing of m5.2xlarge", b.podsPerNode-15, "pods")), b.fact("system", "ocp.systemPods.max"))
	b.section("nodes", "Nodes", "57 workers of m5.2xlarge: 54 by packing, 2 spare, rounded up to 3 zones.",
		[]derive.Value{workers, total, planned, density}, []derive.Value{floor, packed, allocatable, room})
}

func (b *builder) network() {
	hosts := b.Found("network.nodes", "Nodes that the cluster network holds", float64(int(1)<<(23-b.cidrBits)), "nodes", "2 ^ (hostPrefix - prefix)",
		b.fact("hostPrefix", "ocp.network.hostPrefix"), derive.In("prefix", derive.Given("network.clusterNetwork[0].cidr", b.cidrBits, unit.Bits).WithText(fmt.Sprintf("10.128.0.0/%d", b.cidrBits))))
	addresses := b.Found("network.podsPerNode", "Pod addresses on a node", 510, "addresses", "2 ^ (32 - hostPrefix) - 2", b.fact("hostPrefix", "ocp.network.hostPrefix"))
	planned, _ := b.Get("nodes.planned")
	need := planned.Value
	need.From = &derive.Ref{Kind: derive.FromFigure, ID: "nodes.planned"}
	bits := b.Record(derive.Figure{ID: "network.cidr", Title: "Smallest cluster network that would do", Value: derive.Of(15, unit.Bits).WithText("10.128.0.0/15"),
		Formula: "hostPrefix - ceil(log2(nodes))", Inputs: []derive.Input{b.fact("hostPrefix", "ocp.network.hostPrefix"), derive.In("nodes", need)},
		Sources: []derive.Source{{Code: "OCP", Section: "1.1"}, {Code: "OCP", Section: "12.2"}}})
	b.section("network", "Cluster network", "", []derive.Value{hosts, addresses, bits}, nil)
}
