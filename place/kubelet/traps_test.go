package kubelet_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// The traps of Kubernetes 1.36.3, each as it was seen with the real code.

// want checks a verdict: "" is admitted, else the reason.
func want(t *testing.T, v kubelet.Verdict, reason string) {
	t.Helper()
	if v.Admitted != (reason == "") || v.Reason != reason {
		t.Fatalf("got admitted %v, reason %q (%s), want %q", v.Admitted, v.Reason, v.Message, reason)
	}
}

func cpusOf(v kubelet.Verdict, container int) string { return v.Containers[container].CPUs.String() }

// staticMemory adds the Static memory manager to a configuration, with this much
// reserved on every NUMA node.
func staticMemory(c kubelet.Config, m topo.Machine, perNode unit.Bytes) kubelet.Config {
	c.MemoryManagerPolicy = "Static"
	c.SystemReserved.Memory = perNode * unit.Bytes(len(m.Nodes))
	for _, n := range m.Nodes {
		c.ReservedMemory = append(c.ReservedMemory,
			kubelet.ReservedMemory{Node: n.ID, Limits: map[string]unit.Bytes{"memory": perNode}})
	}
	return c
}

const (
	twoByFour = "2 sockets x 4 cores"
	twoBySMT  = "2 sockets x 8 cores x 2 threads"
)

// An odd reservation leaves the sibling of the reserved CPU, and it is the first
// choice for a pod of one CPU.
func TestSiblingOfTheReservedCPUIsGivenFirst(t *testing.T) {
	n := start(t, machine(t, twoBySMT, 64*unit.GiB), staticCPU(1000, "none"))
	v := n.Admit(single("a", app("c", 1000, unit.GiB)))
	want(t, v, "")
	if got := cpusOf(v, 0); got != "16" {
		t.Errorf("got CPU %s, want 16", got)
	}
}

// A request for a whole NUMA node never lands on the one with the reservation;
// the second such pod is refused by restricted.
func TestWholeNodeIsNeverTheReservedOne(t *testing.T) {
	n := start(t, machine(t, twoByFour, 64*unit.GiB), staticCPU(1000, "restricted"))
	v := n.Admit(single("a", app("c", 4000, unit.GiB)))
	want(t, v, "")
	if got := cpusOf(v, 0); got != "4-7" {
		t.Errorf("got CPUs %s, want 4-7", got)
	}
	want(t, n.Admit(single("b", app("c", 3000, unit.GiB))), "")
	n.Remove("b")
	want(t, n.Admit(single("c", app("c", 4000, unit.GiB))), kubelet.TopologyAffinityError)
}

// restricted refuses what needs two nodes only because both are part-used
// (kubernetes#84597); best-effort admits it.
func TestPartUsedNodesAreNotPreferred(t *testing.T) {
	for policy, reason := range map[string]string{"restricted": kubelet.TopologyAffinityError, "best-effort": ""} {
		n := start(t, machine(t, twoByFour, 64*unit.GiB), staticCPU(1000, policy))
		want(t, n.Admit(single("a", app("c", 2000, unit.GiB))), "") // 1-2: one is left
		want(t, n.Admit(single("b", app("c", 2000, unit.GiB))), "") // 4-5: two are left
		v := n.Admit(single("c", app("c", 3000, unit.GiB)))
		want(t, v, reason)
		if reason == "" && !slices.Equal(v.Containers[0].Affinity, []int{0, 1}) {
			t.Errorf("affinity: got %v, want 0 and 1", v.Containers[0].Affinity)
		}
	}
}

// restricted never admits a pod whose memory needs two nodes and whose CPUs one,
// not even on an idle machine (kubernetes#128669).
func TestMemoryOfTwoNodesAndCPUsOfOne(t *testing.T) {
	m := machine(t, twoByFour, 64*unit.GiB)
	for policy, reason := range map[string]string{"restricted": kubelet.TopologyAffinityError, "best-effort": ""} {
		n := start(t, m, staticMemory(staticCPU(1000, policy), m, unit.GiB))
		want(t, n.Admit(single("a", app("c", 1000, 70*unit.GiB))), reason)
	}
}

// Container scope may split a pod over nodes under single-numa-node; pod scope
// refuses it instead.
func TestContainerScopeSplitsAPod(t *testing.T) {
	pod := &kubelet.Pod{UID: "a", Containers: []kubelet.Container{app("one", 3000, unit.GiB), app("two", 3000, unit.GiB)}}
	c := staticCPU(1000, "single-numa-node")
	v := start(t, machine(t, twoByFour, 64*unit.GiB), c).Admit(pod)
	want(t, v, "")
	if one, two := cpusOf(v, 0), cpusOf(v, 1); one != "1-3" || two != "4-6" {
		t.Errorf("got CPUs %s and %s, want 1-3 and 4-6", one, two)
	}
	c.TopologyManagerScope = "pod"
	want(t, start(t, machine(t, twoByFour, 64*unit.GiB), c).Admit(pod), kubelet.TopologyAffinityError)
}

// In container scope an init container pins the pod to its node
// (kubernetes#123816): without it the app container has room on node 1.
func TestInitContainerPinsThePod(t *testing.T) {
	pod := &kubelet.Pod{UID: "a", Containers: []kubelet.Container{app("app", 4000, unit.GiB)}}
	c := staticCPU(1000, "single-numa-node")
	want(t, start(t, machine(t, twoByFour, 64*unit.GiB), c).Admit(pod), "")
	pod.Init = []kubelet.Container{app("init", 2000, unit.GiB)}
	want(t, start(t, machine(t, twoByFour, 64*unit.GiB), c).Admit(pod), kubelet.TopologyAffinityError)
}

// What an init container has beyond what the others use again stays held for
// the pod's whole life: init 6 and app 2 hold 6 (kubernetes#131966).
func TestInitContainerKeepsItsCPUs(t *testing.T) {
	n := start(t, machine(t, twoBySMT, 64*unit.GiB), staticCPU(2000, "none"))
	pod := single("a", app("app", 2000, unit.GiB))
	pod.Init = []kubelet.Container{app("init", 6000, unit.GiB)}
	before := n.Shared().Len()
	v := n.Admit(pod)
	want(t, v, "")
	if held := before - n.Shared().Len(); held != 6 {
		t.Errorf("held: got %d CPUs, want 6", held)
	}
	if !v.Containers[1].CPUs.SubsetOf(v.Containers[0].CPUs) {
		t.Errorf("the app container has %s, want a part of the init container's %s", v.Containers[1].CPUs,
			v.Containers[0].CPUs)
	}
}

// The memory that an init container leaves is free once the app containers run.
func TestInitContainerLeavesItsMemory(t *testing.T) {
	m := machine(t, "4 cores", 64*unit.GiB)
	n := start(t, m, staticMemory(staticCPU(1000, "none"), m, unit.GiB))
	pod := single("a", app("app", 1000, 2*unit.GiB))
	pod.Init = []kubelet.Container{app("init", 1000, 60*unit.GiB)}
	v := n.Admit(pod)
	want(t, v, "")
	if got := v.Containers[0].Memory[0].Size; got != 58*unit.GiB {
		t.Errorf("the init container's block at admission: got %s, want 58Gi", got)
	}
	if free := n.Map().NUMANodes[0].Memory[0].Used; len(free) != 1 || free[0].Size != int64(2*unit.GiB) {
		t.Errorf("used: got %v, want 2Gi", free)
	}
}

// full-pcpus-only with distribute-cpus-across-numa and one reserved thread on
// every NUMA node: the kubelet of 1.36.3 loops for ever (kubernetes#140730).
func TestKubeletHangs(t *testing.T) {
	c := staticCPU(0, "none")
	c.CPUManagerPolicyOptions = map[string]string{"full-pcpus-only": "true", "distribute-cpus-across-numa": "true"}
	c.ReservedSystemCPUs = unit.CPUSetOf(0, 5, 10, 15)
	n := start(t, machine(t, "2 sockets x 2 numa x 5 cores x 2 threads", 64*unit.GiB), c)
	v := n.Admit(single("a", app("c", 30000, unit.GiB)))
	want(t, v, kubelet.Hangs)
	want(t, n.Admit(single("b", app("c", 500, unit.GiB))), kubelet.Hangs)
}

// Memory that is nowhere to be had is no opinion for the topology manager, and
// then an unexpected error, even under single-numa-node.
func TestImpossibleMemoryIsNoOpinion(t *testing.T) {
	m := machine(t, twoByFour, 64*unit.GiB)
	n := start(t, m, staticMemory(staticCPU(1000, "single-numa-node"), m, unit.GiB))
	v := n.Admit(single("a", app("c", 1000, 200*unit.GiB)))
	want(t, v, kubelet.UnexpectedAdmissionError)
	if !strings.Contains(v.Message, "failed to find NUMA nodes to extend the current topology hint") {
		t.Errorf("message: got %q", v.Message)
	}
}

// Memory that two nodes give out together is not given out by one of them alone.
func TestGroupedNodesServeTheirGroupOnly(t *testing.T) {
	m := machine(t, twoByFour, 64*unit.GiB)
	for policy, reason := range map[string]string{"restricted": kubelet.TopologyAffinityError, "best-effort": ""} {
		n := start(t, m, staticMemory(staticCPU(1000, policy), m, unit.GiB))
		big := app("c", 6000, 70*unit.GiB) // CPUs and memory of two nodes
		want(t, n.Admit(single("a", big)), "")
		v := n.Admit(single("b", app("c", 500, unit.GiB)))
		want(t, v, reason)
		if reason == "" && !slices.Equal(v.Containers[0].Memory[0].Nodes, []int{0, 1}) {
			t.Errorf("memory of nodes %v, want 0 and 1", v.Containers[0].Memory[0].Nodes)
		}
	}
}

// withDevices puts devices onto NUMA nodes, one after the other.
func withDevices(m topo.Machine, resource string, nodes ...int) topo.Machine {
	for i, node := range nodes {
		m.Devices = append(m.Devices, topo.Device{Resource: resource, ID: string(rune('a' + i)), Nodes: []int{node}})
	}
	return m
}

const nic = "example.com/nic"

// Devices give hints for pods of every class: a Burstable pod with devices of
// two nodes is refused by single-numa-node.
func TestDevicesOfABurstablePod(t *testing.T) {
	m := withDevices(machine(t, twoByFour, 64*unit.GiB), nic, 0, 1)
	pod := single("a", kubelet.Container{Name: "c", Limits: map[string]int64{nic: 2},
		Requests: map[string]int64{"cpu": 100}})
	v := start(t, m, staticCPU(1000, "single-numa-node")).Admit(pod)
	want(t, v, kubelet.TopologyAffinityError)
	if v.QOS != "Burstable" {
		t.Errorf("QoS class: got %s, want Burstable", v.QOS)
	}
	v = start(t, m, staticCPU(1000, "restricted")).Admit(pod)
	want(t, v, "")
	if got := v.Containers[0].Devices[nic]; !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("devices: got %v, want a and b", got)
	}
}

// An unhealthy device counts for the least size, and is never given.
func TestUnhealthyDeviceCountsForTheLeastSize(t *testing.T) {
	m := withDevices(machine(t, twoByFour, 64*unit.GiB), nic, 0, 0, 1)
	m.Devices[1].Unhealthy = true
	pod := single("a", app("c", 500, unit.GiB))
	pod.Containers[0].Limits[nic] = 2
	want(t, start(t, m, staticCPU(1000, "restricted")).Admit(pod), kubelet.TopologyAffinityError)
	v := start(t, m, staticCPU(1000, "best-effort")).Admit(pod)
	want(t, v, "")
	if got := v.Containers[0].Devices[nic]; !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("devices: got %v, want a and c", got)
	}
}

// Too few free devices are an empty list: any node, but not preferred.
func TestTooFewDevicesAreAnEmptyList(t *testing.T) {
	m := withDevices(machine(t, twoByFour, 64*unit.GiB), nic, 0)
	pod := single("a", app("c", 500, unit.GiB))
	pod.Containers[0].Limits[nic] = 2
	want(t, start(t, m, staticCPU(1000, "single-numa-node")).Admit(pod), kubelet.TopologyAffinityError)
	v := start(t, m, staticCPU(1000, "best-effort")).Admit(pod)
	want(t, v, kubelet.UnexpectedAdmissionError)
	if got, sure := v.Message, "Allocate failed due to requested number of devices unavailable for example.com/nic. "+
		"Requested: 2, Available: 1, which is unexpected"; got != sure {
		t.Errorf("message: got %q, want %q", got, sure)
	}
}

// Devices that name no NUMA node have no opinion.
func TestDevicesWithoutNodesHaveNoOpinion(t *testing.T) {
	m := machine(t, twoByFour, 64*unit.GiB)
	m.Devices = []topo.Device{{Resource: nic, ID: "a"}, {Resource: nic, ID: "b"}}
	pod := single("a", app("c", 500, unit.GiB))
	pod.Containers[0].Limits[nic] = 2
	v := start(t, m, staticCPU(1000, "single-numa-node")).Admit(pod)
	want(t, v, "")
	if v.Containers[0].Affinity != nil || !v.Containers[0].Preferred {
		t.Errorf("affinity: got %v, want none, preferred", v.Containers[0].Affinity)
	}
}

// Since 1.36 only NUMA nodes that carry the resource take part in its hints: a
// machine of 36 nodes with devices on two is no matter.
func TestDeviceHintsOfAMachineWithManyNodes(t *testing.T) {
	m := withDevices(machine(t, "36 sockets x 2 cores", 4*unit.GiB), nic, 0, 1)
	c := kubelet.Config{TopologyManagerPolicy: "single-numa-node",
		TopologyManagerPolicyOptions: map[string]string{"max-allowable-numa-nodes": "64"}}
	pod := single("a", kubelet.Container{Name: "c", Limits: map[string]int64{nic: 1}})
	v := start(t, m, c).Admit(pod)
	want(t, v, "")
	if !slices.Equal(v.Containers[0].Affinity, []int{0}) {
		t.Errorf("affinity: got %v, want 0", v.Containers[0].Affinity)
	}
	c.CPUManagerPolicy, c.SystemReserved.CPU = "static", 1000
	want(t, start(t, m, c).Admit(single("b", app("c", 1000, unit.GiB))), kubelet.Hangs)
}

// Four resources on eight NUMA nodes: the kubelet weighs 255^4 combinations.
func TestSlowMerge(t *testing.T) {
	m := machine(t, "2 sockets x 4 numa x 8 cores x 2 threads", 64*unit.GiB)
	for i := range m.Nodes {
		m.Nodes[i].HugePages = map[string]unit.Bytes{"2Mi": 8 * unit.GiB, "1Gi": 8 * unit.GiB}
	}
	n := start(t, m, staticMemory(staticCPU(1000, "best-effort"), m, unit.GiB))
	c := app("c", 1000, unit.GiB)
	c.Limits["hugepages-2Mi"], c.Limits["hugepages-1Gi"] = int64(unit.GiB), int64(unit.GiB)
	v := n.Admit(single("a", c))
	want(t, v, "")
	if !strings.Contains(v.Slow, "4228 million combinations") || !strings.Contains(v.Slow, "18 minutes") {
		t.Errorf("slow: got %q, want 4228 million combinations and 18 minutes", v.Slow)
	}
	delete(c.Limits, "hugepages-1Gi") // 255^3: 4 seconds
	if v := n.Admit(single("b", c)); v.Slow != "" {
		t.Errorf("three resources: got %q, want nothing", v.Slow)
	}
}

// A pod takes its CPUs before the predicates refuse it, and keeps them until the
// next admission.
func TestRefusedPodKeepsItsCPUsForAWhile(t *testing.T) {
	n := start(t, machine(t, twoByFour, 4*unit.GiB), staticCPU(1000, "none"))
	v := n.Admit(single("a", app("c", 2000, 20*unit.GiB)))
	want(t, v, kubelet.OutOfMemory)
	if got := cpusOf(v, 0); got != "1-2" {
		t.Errorf("taken: got %q, want 1-2", got)
	}
	if n.Shared().Has(1) {
		t.Errorf("shared: got %s, want it without 1-2", n.Shared())
	}
	v = n.Admit(single("b", app("c", 2000, unit.GiB)))
	want(t, v, "")
	if got := cpusOf(v, 0); got != "1-2" {
		t.Errorf("the next pod: got %q, want 1-2", got)
	}
}

// A NUMA node of which more is reserved than huge pages leave: the kubelet starts,
// counts below zero and takes the node for one of nearly 2^64 bytes. Only the
// predicates then bound the memory.
func TestMoreReservedThanANodeHas(t *testing.T) {
	m := machine(t, twoByFour, 8*unit.GiB)
	m.Nodes[0].HugePages = map[string]unit.Bytes{"1Gi": 7 * unit.GiB}
	c := staticMemory(staticCPU(1000, "single-numa-node"), m, 2*unit.GiB)
	n := start(t, m, c)
	v := n.Admit(single("a", app("c", 500, 4*unit.GiB)))
	want(t, v, "")
	if got := v.Containers[0].Memory[0].Nodes; !slices.Equal(got, []int{0}) {
		t.Errorf("memory of nodes %v, want 0, which has 1 GiB", got)
	}
	want(t, n.Admit(single("b", app("c", 500, 500*unit.GiB))), kubelet.OutOfMemory)
}

// more than eight NUMA nodes need the option.
func TestMoreThanEightNodes(t *testing.T) {
	m := machine(t, "9 sockets x 2 cores", unit.GiB)
	c := kubelet.Config{TopologyManagerPolicy: "best-effort"}
	if _, err := kubelet.New(m, c); err == nil {
		t.Error("9 NUMA nodes: got no error")
	}
	c.TopologyManagerPolicyOptions = map[string]string{"max-allowable-numa-nodes": "9"}
	if _, err := kubelet.New(m, c); err != nil {
		t.Errorf("with the option: got %v", err)
	}
	if _, err := kubelet.New(m, kubelet.Config{}); err != nil {
		t.Errorf("with policy none: got %v", err)
	}
}
