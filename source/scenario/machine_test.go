package scenario_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// What follows from the topology need not be written, and isn't an assumption.
func TestTopologyGivesTheNumbers(t *testing.T) {
	doc := readText(t, `platform: {type: kubernetes, release: "1.36"}
hardware:
  nodeTypes:
    - {name: a, memory: 64Gi, topology: 2 sockets x 2 numa x 14 cores x 2 threads, hugePagesPerNUMANode: {1Gi: [8Gi, 0, 0, 1Gi]}}
    - {name: b, cpus: 4, memory: 64Gi}
`)
	a, b := doc.Scenario.Hardware.NodeTypes[0], doc.Scenario.Hardware.NodeTypes[1]
	if a.CPUs != 112 || a.NUMANodes != 4 || a.HugePages["1Gi"] != 9*unit.GiB {
		t.Errorf("%d CPUs, %d NUMA nodes, huge pages %v", a.CPUs, a.NUMANodes, a.HugePages)
	}
	if b.CPUs != 4 || b.NUMANodes != 1 || b.Kubelet != nil {
		t.Errorf("without topology: %+v", b)
	}
	for _, field := range []string{"hardware.nodeTypes[0].cpus", "hardware.nodeTypes[0].numaNodes",
		"hardware.nodeTypes[0].hugePages"} {
		if got := assumed(doc, field); got != "" {
			t.Errorf("%s is an assumption: %s", field, got)
		}
	}
	if got := assumed(doc, "hardware.nodeTypes[1].numaNodes"); got == "" {
		t.Error("the number of NUMA nodes of b is no assumption")
	}
}

// The pod's totals are the sums of its containers; a request that isn't given is
// the limit, and a pod has a limit when each container has one.
func TestContainerSpecsGiveTheTotals(t *testing.T) {
	doc := readText(t, `platform: {type: kubernetes, release: "1.36"}
workload:
  podTypes:
    - name: a
      initContainers: [{name: init, cpu: 64}]
      containerSpecs:
        - {name: main, cpuLimit: 2, memory: 1Gi, memoryLimit: 2Gi, hugePages: {2Mi: 4Mi}, devices: {gpu: 1, nic: 1}, ephemeralStorage: 1Gi}
        - {name: side, cpu: 100m, cpuLimit: 1, memory: 512Mi, hugePages: {2Mi: 2Mi, 1Gi: 1Gi}, devices: {gpu: 2}}
    - {name: b, cpu: 1}
`)
	cpuLimit := unit.CPU(3000)
	want := v1alpha1.PodType{Name: "a", Replicas: 1, CPU: 2100, CPULimit: &cpuLimit, Memory: 1536 * unit.MiB,
		EphemeralStorage: unit.GiB,
		HugePages:        map[string]unit.Bytes{"2Mi": 6 * unit.MiB, "1Gi": unit.GiB},
		Devices:          map[string]int64{"gpu": 3, "nic": 1},
		Containers:       2, Overcommit: "cpuOnly", PreemptionPolicy: "PreemptLowerPriority"}
	got := doc.Scenario.Workload.PodTypes[0]
	got.InitContainers, got.ContainerSpecs = nil, nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if b := doc.Scenario.Workload.PodTypes[1]; b.CPU != 1000 || b.Containers != 1 || b.Devices != nil ||
		b.CPULimit != nil {
		t.Errorf("without containerSpecs: %+v", b)
	}
	for _, a := range doc.Assumptions {
		if a.Field == "workload.podTypes[0].cpu" || a.Field == "workload.podTypes[0].devices" {
			t.Errorf("an assumption: %+v", a)
		}
	}
}

func TestSetMachine(t *testing.T) {
	text := `platform: {type: kubernetes, release: "1.36"}
hardware:
  nodeTypes:
    - {name: a, cpus: 8, memory: 64Gi, topologyFile: a.xml}
    - name: b
      cpus: 16
      numaNodes: 1
      memory: 64Gi
      topologyFile: b.xml
      devices: {gpu: 1}
      deviceNUMANodes: {gpu: [2]}
      kubelet: {reservedSystemCPUs: "0,8", reservedMemory: [{numaNode: 3, limits: {memory: 1Gi}}]}
`
	m, err := topo.Parse("2 sockets x 4 cores")
	if err != nil {
		t.Fatal(err)
	}
	doc := readText(t, text)
	m.SetHugePages("2Mi", []unit.Bytes{4 * unit.GiB, 2 * unit.GiB})
	if err := doc.SetMachine(0, m); err != nil {
		t.Error(err)
	}
	a := doc.Scenario.Hardware.NodeTypes[0]
	if a.CPUs != 8 || a.NUMANodes != 2 {
		t.Errorf("%d CPUs, %d NUMA nodes", a.CPUs, a.NUMANodes)
	}
	// The pages that the machine has are those that the scheduler knows of.
	if a.HugePages["2Mi"] != 6*unit.GiB ||
		!slices.Equal(a.HugePagesPerNUMANode["2Mi"], []unit.Bytes{4 * unit.GiB, 2 * unit.GiB}) {
		t.Errorf("pages %v, %v", a.HugePages, a.HugePagesPerNUMANode)
	}
	want := `scenario.yaml:8:13: hardware.nodeTypes[1].cpus: 16 CPUs here, 8 in the topologyFile (write 8, or remove it)
scenario.yaml:9:18: hardware.nodeTypes[1].numaNodes: 1 NUMA node here, 2 in the topologyFile (write 2, or remove it)
scenario.yaml:13:31: hardware.nodeTypes[1].deviceNUMANodes.gpu[0]: there is no NUMA node 2 (the machine has nodes 0 to 1)
scenario.yaml:14:37: hardware.nodeTypes[1].kubelet.reservedSystemCPUs: there is no CPU 8 (the machine has 0-7)
scenario.yaml:14:72: hardware.nodeTypes[1].kubelet.reservedMemory[0].numaNode: there is no NUMA node 3 (the machine has nodes 0 to 1)`
	if err := doc.SetMachine(1, m); err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
	if b := doc.Scenario.Hardware.NodeTypes[1]; b.CPUs != 16 {
		t.Errorf("%d CPUs in spite of problems", b.CPUs)
	}
}
