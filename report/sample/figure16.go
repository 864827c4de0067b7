package sample

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// ServerPlacements are placements of VMs made by hand, by name: figure-16 is the
// reference figure of the Helion document, cloud are twelve hosts with threads,
// refusals and losses, empty is nothing at all, and hostile has markup in every text.
func ServerPlacements() map[string]*v1alpha1.ServerPlacement {
	return map[string]*v1alpha1.ServerPlacement{"figure-16": Figure16(), "cloud": Cloud(),
		"empty": {PlacementHead: v1alpha1.PlacementHead{APIVersion: v1alpha1.APIVersion, Kind: v1alpha1.KindServerPlacement}}, "hostile": HostileServers()}
}

// Figure16 is figure 16 of the Helion OpenStack Carrier Grade 4.0 guidelines: a
// host of two sockets with 8 cores each and without hyperthreading, the platform on
// core 0, AVS on cores 1 and 2 of socket 0, one shared core on socket 1, and VNF 1
// to 6 on it.
func Figure16() *v1alpha1.ServerPlacement {
	m := newMachine("compute-0", "dual-socket", shape{2, 1, 8, 1, 1}, "platform on core 0, vSwitch on cores 1 and 2 of socket 0, shared vCPUs on core 8")
	m.use("free", "0-15")
	m.use("platform", "0")
	m.use("vswitch", "1-2")
	m.use("sharedVCPU", "8")
	m.use("floating", "12-15")
	for node, free := range []unit.Bytes{23 * unit.GiB, 29 * unit.GiB} {
		m.pool(node, "hugepages-2Mi", free, 0)
		m.pool(node, "hugepages-1Gi", unit.GiB, unit.GiB)
	}
	m.port(0, "eth0")
	m.port(0, "eth1")
	for i := range 8 {
		m.device(0, "sriov-a", fmt.Sprintf("0000:05:10.%d", i))
	}
	m.device(1, "pt-10g", "0000:84:00.0")
	servers := figureServers()
	for _, s := range servers {
		m.run(s)
	}
	h := m.host("", 1)
	h.Nodes[1].VCPUs, h.Machine = 4, 1
	p := serverPlacement("figure-16", "NUMA architecture with VMs: VNF 1 to 6 on a dual-socket host", "hcg-4.0: Helion OpenStack Carrier Grade 4.0, chapter 7",
		figureTypes(), servers, []v1alpha1.PlacedHost{h})
	p.Rules = append(p.Rules, "hosts: spread, most free memory first")
	p.Verdict.Tightest = "NUMA node 0 of compute-0 has no CPU left for pinned vCPUs; node 1 has 4"
	p.Machines = []v1alpha1.MachineMap{m.MachineMap}
	p.Comparison = &v1alpha1.HostComparison{Floor: 1, Method: "volume", Packed: 1, Nova: 1, Given: 1}
	p.Findings = []v1alpha1.Finding{{Severity: v1alpha1.Warning, ID: "place.vswitch[vnf6]", Message: "vnf6 is on node 1 and the vSwitch on node 0: its frames cross the interconnect, which may halve its rate",
		Remedy: "set hw:wrs:vswitch_numa_affinity to strict, which asks for its device on node 0, or give the vSwitch cores on node 1, too"}}
	p.Assumptions = []v1alpha1.Assumption{{Field: "hardware.nodeTypes[0].compute.platformCores", Value: "[1, 0]", Why: "the default of the document", Fact: "hcg.compute.platformCores"},
		{Field: "scheduling.nova.rules", Value: "hcg-4.0", Why: "the release is 4.0"}}
	return p
}

func figureTypes() []v1alpha1.ServerOutcome {
	return []v1alpha1.ServerOutcome{
		{Name: "vnf1", Flavor: "dataplane.avs", VCPUs: 2, RAM: 4 * unit.GiB, Policy: "dedicated, 2Mi pages, vswitch strict", Wanted: 1},
		{Name: "vnf2", Flavor: "dataplane.sriov", VCPUs: 2, RAM: 4 * unit.GiB, Policy: "dedicated, 2Mi pages, pci strict", Wanted: 1},
		{Name: "vnf3", Flavor: "two-nodes", VCPUs: 2, RAM: 4 * unit.GiB, Policy: "dedicated, 2 NUMA nodes on nodes 0 and 1, 2Mi pages", Wanted: 1},
		{Name: "vnf4", Flavor: "management", VCPUs: 2, RAM: 2 * unit.GiB, Policy: "shared, 2Mi pages", Wanted: 1, More: 7},
		{Name: "vnf5", Flavor: "management", VCPUs: 2, RAM: 2 * unit.GiB, Policy: "shared, 2Mi pages", Wanted: 1, More: 7},
		{Name: "vnf6", Flavor: "mixed.pt", VCPUs: 3, RAM: 8 * unit.GiB, Policy: "dedicated, vCPU 0 shared, 2Mi pages, pci strict", Wanted: 1},
	}
}

func figureServers() []v1alpha1.PlacedServer {
	shared := cell(0, 1, 0, 2*unit.GiB)
	shared.VCPUs = cpusOf("0-1")
	mixed := cell(0, 1, 1, 8*unit.GiB, 10, 11)
	mixed.Pins = append([]v1alpha1.PinnedCPU{{VCPU: 0, CPU: 8, Shared: true}}, mixed.Pins...)
	at := func(kind int, name string, why []string, cells ...v1alpha1.PlacedCell) v1alpha1.PlacedServer {
		return v1alpha1.PlacedServer{Name: name, ServerType: kind, Host: "compute-0", Cells: cells, Why: why}
	}
	floats := []string{"its vCPUs float over CPUs 12-15, which no VM has for itself, with up to 16 vCPUs on each", "its memory is on node 1, so that it floats there"}
	out := []v1alpha1.PlacedServer{
		at(0, "vnf1", []string{"vswitch affinity strict: the vSwitch has its cores on node 0 only", "vCPUs, memory, vSwitch and ports are on one NUMA node"}, cell(0, 0, 0, 4*unit.GiB, 3, 4)),
		at(1, "vnf2", []string{"pci affinity strict: sriov-a is on node 0 only", "vCPUs, memory and devices are on one NUMA node"}, cell(0, 0, 0, 4*unit.GiB, 5, 6)),
		at(2, "vnf3", []string{"hw:numa_node.0 and hw:numa_node.1 pin its cells to nodes 0 and 1", "each cell reaches what is on its node; between the cells it crosses the interconnect"},
			cell(0, 0, 0, 2*unit.GiB, 7), cell(1, 1, 1, 2*unit.GiB, 9)),
		at(3, "vnf4", floats, shared),
		at(4, "vnf5", floats, shared),
		at(5, "vnf6", []string{"pci affinity strict: pt-10g is on node 1 only", "vCPU 0 runs on the shared core of node 1, beside other VMs' shared vCPUs",
			"the vSwitch is on node 0: its frames cross the interconnect"}, mixed),
	}
	out[1].Devices = []v1alpha1.PlacedDevice{{Kind: "sriov-a", Node: 0, Count: 2}}
	out[5].Devices = []v1alpha1.PlacedDevice{{Kind: "pt-10g", Node: 1, Count: 1}}
	return out
}
