package sample

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// NUMA is two machines of 2 sockets x 2 NUMA nodes x 14 cores x 2 threads with
// huge pages and network cards, on which some pods are refused, one for ever.
func NUMA() *v1alpha1.Placement {
	cnf := func(cpu int64, memory, pages unit.Bytes, nics int64) map[string]int64 {
		return map[string]int64{"cpu": cpu, "memory": int64(memory), "hugepages-1Gi": int64(pages), "example.com/nic": nics}
	}
	kinds := []kind{
		{"upf", "Guaranteed", cnf(16000, 8*unit.GiB, 16*unit.GiB, 2), 4},
		{"cuup", "Guaranteed", cnf(8000, 4*unit.GiB, 8*unit.GiB, 0), 6},
		{"du-wide", "Guaranteed", cnf(32000, 16*unit.GiB, 0, 2), 2},
		{"oam", "Burstable", requests(500, unit.GiB), 6},
	}
	has := map[string]int64{"cpu": 104000, "memory": int64(180 * unit.GiB), "pods": 250, "hugepages-1Gi": int64(128 * unit.GiB), "example.com/nic": 4}
	zone := map[string]string{"topology.kubernetes.io/zone": "edge"}
	p := placement("edge", "Network functions on two machines of four NUMA nodes", "4.17", kinds, []group{
		{name: "edge-1", kind: "edge", count: 1, has: has, domains: zone, pods: pods(0, 2, 1, 4, 3, 3), machine: 1},
		{name: "edge-2", kind: "edge", count: 1, has: has, domains: zone, pods: pods(0, 2, 1, 2, 3, 3), machine: 2}})
	p.Verdict.Problem = "2 pods of du-wide: kubelets refuse them again and again"
	p.Rules = []string{"kube-scheduler by the rules of 1.30: LeastAllocated, all nodes scored, ties at random (seed 0)",
		"pods arrive type by type, as they are listed", "kubelets admit by the rules of Kubernetes 1.36"}
	aware := 0
	wide, cuup := &p.PodTypes[2], &p.PodTypes[1]
	wide.Refused, wide.Runaway, wide.NUMAAware = 32, true, &aware
	six := 6
	cuup.Refused, cuup.NUMAAware, cuup.More, cuup.MoreMixed = 1, &six, 5, 2
	p.PodTypes[3].More = 60
	p.Machines = []v1alpha1.MachineMap{edge("edge-1", 4), edge("edge-2", 2)}
	p.Admissions = []v1alpha1.Admission{refused("edge-1"), admitted("edge-2")}
	p.Findings = []v1alpha1.Finding{
		{Severity: v1alpha1.Error, ID: "place.runaway[du-wide]", Message: "du-wide: kubelets refuse every new pod, and its controller makes another one for ever",
			Remedy: "let a NUMA-aware scheduler place it, or see under admission what would let it in"},
		{Severity: v1alpha1.Warning, ID: "place.refused[cuup]", Message: "cuup: kubelets refused 1 pod before all found a node"},
	}
	p.Assumptions = []v1alpha1.Assumption{{Field: "policy.zones", Value: "1", Why: "the nodes name one"}, {Field: "hardware.nodeTypes[0].maxPods", Value: "250", Fact: "ocp.kubelet.maxPods"}}
	p.Skipped = []v1alpha1.Skipped{{Place: "workload.podTypes[3].affinity", What: "preferred affinity to a pod type that is not there", Why: "it is no wish of any pod", Count: 6}}
	return p
}

// edge is one of the machines: two upf on NUMA nodes 0 and 1 with the cards, and
// some cuup on the others.
func edge(node string, cuup int) v1alpha1.MachineMap {
	m := newMachine(node, "edge", shape{2, 2, 14, 2, 1}, "CPU manager static (full-pcpus-only), memory manager Static, topology manager single-numa-node per pod")
	m.reserve("0-1,56-57,28-29,84-85")
	m.pages("memory", 48*unit.GiB, 2*unit.GiB)
	m.pages("hugepages-1Gi", 32*unit.GiB, 0)
	m.device(0, "example.com/nic", "0000:3b:00.2", "0000:3b:00.3")
	m.device(1, "example.com/nic", "0000:5e:00.2", "0000:5e:00.3")
	for i, cpus := range []string{"2-9,58-65", "14-21,70-77"} {
		m.own(fmt.Sprintf("ran/upf-%d", i+1), "fast-path", cpus, []int{i}, m.memory("memory", i, 8*unit.GiB), m.memory("hugepages-1Gi", i, 16*unit.GiB),
			m.takes("example.com/nic", []string{"0000:3b:00.2", "0000:5e:00.2"}[i], []string{"0000:3b:00.3", "0000:5e:00.3"}[i]))
	}
	for i, cpus := range []string{"30-33,86-89", "42-45,98-101", "34-37,90-93", "46-49,102-105"}[:cuup] {
		numa := 2 + i%2
		m.own(fmt.Sprintf("ran/cuup-%d", i+1), "cuup", cpus, []int{numa}, m.memory("memory", numa, 4*unit.GiB), m.memory("hugepages-1Gi", numa, 8*unit.GiB))
	}
	return m.MachineMap
}

func refused(node string) v1alpha1.Admission {
	return v1alpha1.Admission{Node: node, Pod: "du-wide", Count: 32, QOSClass: "Guaranteed", Reason: "TopologyAffinityError",
		Message: "Resources cannot be allocated with Topology locality",
		Steps: []v1alpha1.AdmissionStep{
			{Title: "hints of example.com/nic", Lines: []string{"NUMA node 0: 0 free: too little", "NUMA node 1: 0 free: too little"}},
			{Container: "layer-1", Title: "hints of cpu", Lines: []string{"32 CPUs of its own: an idle machine needs 2 NUMA nodes, so a set of 2 is preferred",
				"NUMA node 0: 8 free: too little", "NUMA nodes 2 and 3 together: 32 free: enough, preferred"}},
			{Container: "layer-1", Title: "merge", Lines: []string{"no NUMA node is preferred by all"}},
			{Container: "layer-1", Title: "policy single-numa-node", Lines: []string{"admits one NUMA node that all providers prefer: not met"}, Failed: true},
		},
		Remedies: []string{"ask for 24 CPUs in place of 32 CPUs in container layer-1", "run it as 2 pods, each with 16 CPUs, 8Gi of memory",
			"topologyManagerPolicy restricted in place of single-numa-node (its CPUs are then on 2 NUMA nodes)"}}
}

func admitted(node string) v1alpha1.Admission {
	return v1alpha1.Admission{Node: node, Pod: "cuup", Count: 1, QOSClass: "Guaranteed", Admitted: true,
		Steps: []v1alpha1.AdmissionStep{{Title: "policy single-numa-node", Lines: []string{"NUMA node 2 is preferred by all"}}},
		Slow:  "with 12 NUMA nodes the kubelet would merge 4,095 hints of each provider, which takes minutes"}
}

// Large is a machine of 8 NUMA nodes and 256 CPUs with two uncore caches on each
// node, and with more owners than there are letters.
func Large() *v1alpha1.Placement {
	const owners = 70
	kinds := []kind{{"encoder", "Guaranteed", requests(2000, 4*unit.GiB), owners}}
	has := map[string]int64{"cpu": 248000, "memory": int64(1000 * unit.GiB), "pods": 500}
	p := placement("encoders", "Seventy encoders on a machine of 256 CPUs", "4.17", kinds,
		[]group{{name: "epyc-1", kind: "epyc", count: 1, has: has, pods: pods(0, owners), machine: 1}})
	p.PodTypes[0].More, p.PodTypes[0].MoreMixed = 54, 54
	m := newMachine("epyc-1", "epyc", shape{2, 4, 16, 2, 2}, "CPU manager static (prefer-align-cpus-by-uncorecache), memory manager None, topology manager none")
	m.reserve("0-3,128-131")
	for i := range owners {
		m.own(fmt.Sprintf("encoder-%d", i+1), "encoder", fmt.Sprintf("%d,%d", 4+i, 132+i), nil)
	}
	p.Machines = []v1alpha1.MachineMap{m.MachineMap}
	return p
}
