package kubelet_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// machine parses the notation and gives every NUMA node the memory.
func machine(t testing.TB, layout string, perNode unit.Bytes) topo.Machine {
	t.Helper()
	m, err := topo.Parse(layout)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Nodes {
		m.Nodes[i].Memory = perNode
	}
	return m
}

func start(t testing.TB, m topo.Machine, c kubelet.Config) *kubelet.Node {
	t.Helper()
	n, err := kubelet.New(m, c)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// app is a Guaranteed container.
func app(name string, milliCPU int64, memory unit.Bytes) kubelet.Container {
	return kubelet.Container{Name: name, Limits: map[string]int64{"cpu": milliCPU, "memory": int64(memory)}}
}

func single(uid string, c kubelet.Container) *kubelet.Pod {
	return &kubelet.Pod{UID: uid, Name: uid, Containers: []kubelet.Container{c}}
}

// staticCPU is the CPU manager with a reservation.
func staticCPU(reserved unit.CPU, policy string) kubelet.Config {
	return kubelet.Config{
		CPUManagerPolicy: "static", TopologyManagerPolicy: policy,
		SystemReserved: kubelet.Amounts{CPU: reserved},
	}
}

// OCP 6.1: a machine of two CPUs and 8162900Ki, of which 500 millicores and
// 600Mi are kept; a pod of one CPU gets CPU 1, all others run on CPU 0, and a
// second pod of one CPU does not fit.
func TestCPUManagerExample(t *testing.T) {
	m := machine(t, "2 cores", 8162900*unit.KiB)
	n := start(t, m, kubelet.Config{
		CPUManagerPolicy: "static", MaxPods: 250,
		KubeReserved: kubelet.Amounts{CPU: 500, Memory: 500 * unit.MiB}, EvictionHard: 100 * unit.MiB,
	})
	allocatable := n.Allocatable()
	if got := allocatable["cpu"]; got != 1500 {
		t.Errorf("allocatable cpu: got %dm, want 1500m", got)
	}
	if got, want := allocatable["memory"], int64(7548500*unit.KiB); got != want {
		t.Errorf("allocatable memory: got %d, want %d", got, want)
	}
	if got := allocatable["pods"]; got != 250 {
		t.Errorf("allocatable pods: got %d, want 250", got)
	}
	first := n.Admit(single("cpumanager-6cqz7", app("cpumanager", 1000, unit.GB)))
	if !first.Admitted || first.QOS != "Guaranteed" || first.Containers[0].CPUs.String() != "1" {
		t.Errorf("first pod: got %+v, want Guaranteed on CPU 1", first)
	}
	second := n.Admit(single("cpumanager-7qc2t", app("cpumanager", 1000, unit.GB)))
	if second.Admitted || second.Reason == "" {
		t.Errorf("second pod: got %+v, want a refusal", second)
	}
}

// OCP 7.2 and 7.3: one machine of two NUMA nodes with a device on node 1, and
// the Guaranteed pod of the chapter. All policies but none give CPUs and device of
// one node; none takes CPUs without regard to the device.
func TestTopologyManagerExample(t *testing.T) {
	m := withDevices(machine(t, twoByFour, 8*unit.GiB), "example.com/device", 1)
	full := app("nginx", 2000, 200*unit.MiB)
	full.Limits["example.com/device"] = 1
	for _, policy := range []string{"none", "best-effort", "restricted", "single-numa-node"} {
		n := start(t, m, staticCPU(500, policy))
		want(t, n.Admit(single("besteffort", kubelet.Container{Name: "nginx"})), "")
		want(t, n.Admit(single("burstable", kubelet.Container{Name: "nginx",
			Limits: map[string]int64{"memory": 200 << 20}, Requests: map[string]int64{"memory": 100 << 20}})), "")
		v := n.Admit(single("guaranteed", full))
		want(t, v, "")
		sure := "4-5"
		if policy == "none" {
			sure = "1-2"
		}
		if got := cpusOf(v, 0); got != sure {
			t.Errorf("%s: got CPUs %s, want %s", policy, got, sure)
		}
		if got := v.Containers[0].Devices["example.com/device"]; !slices.Equal(got, []string{"a"}) {
			t.Errorf("%s: got devices %v, want a", policy, got)
		}
	}
}

// The same pod when node 1 has one free CPU: best-effort admits it, restricted
// and single-numa-node reject it.
func TestTopologyManagerPoliciesDiffer(t *testing.T) {
	m := withDevices(machine(t, twoByFour, 8*unit.GiB), "example.com/device", 1)
	full := app("nginx", 2000, 200*unit.MiB)
	full.Limits["example.com/device"] = 1
	for policy, reason := range map[string]string{"none": "", "best-effort": "",
		"restricted": kubelet.TopologyAffinityError, "single-numa-node": kubelet.TopologyAffinityError} {
		c := staticCPU(0, policy)
		c.ReservedSystemCPUs = unit.CPUSetOf(5, 6, 7)
		want(t, start(t, m, c).Admit(single("guaranteed", full)), reason)
	}
}

// OCP 2.1: min(podsPerCore x cores, maxPods), 0 switches the first off.
func TestPodsPerCore(t *testing.T) {
	for _, c := range []struct {
		perCore, most int
		want          int64
	}{{10, 250, 40}, {0, 250, 250}, {100, 250, 250}, {0, 0, 110}} {
		n := start(t, machine(t, "4 cores", 8*unit.GiB), kubelet.Config{PodsPerCore: c.perCore, MaxPods: c.most})
		if got := n.Allocatable()["pods"]; got != c.want {
			t.Errorf("podsPerCore %d, maxPods %d: got %d, want %d", c.perCore, c.most, got, c.want)
		}
	}
	n := start(t, machine(t, "4 cores", 8*unit.GiB), kubelet.Config{MaxPods: 1})
	want(t, n.Admit(single("a", kubelet.Container{Name: "c"})), "")
	want(t, n.Admit(single("b", kubelet.Container{Name: "c"})), kubelet.OutOfPods)
	n.Remove("a")
	want(t, n.Admit(single("c", kubelet.Container{Name: "c"})), "")
}

// OCP 13.2: huge pages are no memory, and are not overcommitted; the pod of the
// chapter asks for 100Mi in pages of 2 MiB.
func TestHugePagesAreNotOvercommitted(t *testing.T) {
	m := machine(t, "4 cores", 8*unit.GiB)
	m.Nodes[0].HugePages = map[string]unit.Bytes{"2Mi": 256 * unit.MiB}
	n := start(t, m, kubelet.Config{})
	a := n.Allocatable()
	if a["hugepages-2Mi"] != 256<<20 || a["memory"] != 8<<30-256<<20 {
		t.Errorf("allocatable: got %v, want 256Mi of pages, and memory without them", a)
	}
	pod := func(uid string) *kubelet.Pod {
		return single(uid, kubelet.Container{Name: "example",
			Limits: map[string]int64{"hugepages-2Mi": 100 << 20, "memory": 1 << 30, "cpu": 1000}})
	}
	want(t, n.Admit(pod("a")), "")
	want(t, n.Admit(pod("b")), "")
	v := n.Admit(pod("c"))
	want(t, v, "OutOfhugepages-2Mi")
	if sure := "Node didn't have enough resource: hugepages-2Mi, requested: 104857600, used: " +
		"209715200, capacity: 268435456"; v.Message != sure {
		t.Errorf("message: got %q, want %q", v.Message, sure)
	}
	want(t, n.Admit(single("d", kubelet.Container{Name: "c",
		Limits: map[string]int64{"hugepages-1Gi": 1 << 30, "memory": 1 << 30}})), "OutOfhugepages-1Gi")
}

// An extended resource that the node does not have is the cluster's, and does
// not refuse the pod; one that it has and that is used up does.
func TestExtendedResources(t *testing.T) {
	n := start(t, withDevices(machine(t, "4 cores", 8*unit.GiB), nic, 0), kubelet.Config{})
	with := func(uid, resource string) *kubelet.Pod {
		return single(uid, kubelet.Container{Name: "c", Limits: map[string]int64{resource: 1}})
	}
	want(t, n.Admit(with("a", "example.com/licence")), "")
	want(t, n.Admit(with("b", nic)), "")
	want(t, n.Admit(with("c", nic)), kubelet.UnexpectedAdmissionError) // the device manager is first
	want(t, n.Admit(with("d", "attachable-volumes-csi-x")), "OutOfattachable-volumes-csi-x")
}

// A critical pod gets room: the fewest pods go, BestEffort and Burstable ones
// before Guaranteed ones, none that is critical itself.
func TestCriticalPodPreempts(t *testing.T) {
	n := start(t, machine(t, "4 cores", 8*unit.GiB), kubelet.Config{})
	burst := func(uid string, milli int64) *kubelet.Pod {
		return single(uid, kubelet.Container{Name: "c", Requests: map[string]int64{"cpu": milli}})
	}
	want(t, n.Admit(single("guaranteed", app("c", 1000, unit.GiB))), "")
	for uid, milli := range map[string]int64{"small": 300, "large": 1500, "middle": 1000} {
		want(t, n.Admit(burst(uid, milli)), "")
	}
	critical := burst("critical", 1000) // 200m are free: 800m are missing
	critical.Critical = true
	v := n.Admit(critical)
	want(t, v, "")
	if !slices.Equal(v.Preempted, []string{"middle"}) {
		t.Errorf("preempted: got %v, want middle", v.Preempted)
	}
	critical = burst("too large", 4000)
	critical.Critical = true
	v = n.Admit(critical)
	want(t, v, kubelet.UnexpectedAdmissionError)
	if sure := "no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]"; !strings.HasSuffix(v.Message,
		sure) {
		t.Errorf("message: got %q, want it to end with %q", v.Message, sure)
	}
}

// Everything for which the kubelet does not start is told at once.
func TestConfigurationErrors(t *testing.T) {
	m := machine(t, "9 sockets x 2 cores", unit.GiB)
	_, err := kubelet.New(m, kubelet.Config{
		CPUManagerPolicy: "static", MemoryManagerPolicy: "Static",
		TopologyManagerPolicy: "restricted", TopologyManagerScope: "node",
		TopologyManagerPolicyOptions: map[string]string{"prefer-closest-numa-nodes": "perhaps", "closest": "true"},
		ReservedMemory: []kubelet.ReservedMemory{
			{Node: 0, Limits: map[string]unit.Bytes{"memory": 2 * unit.GiB, "hugepages-2Mi": 2 * unit.MiB, "swap": 1}},
			{Node: 77, Limits: map[string]unit.Bytes{"memory": unit.GiB}},
		},
		KubeReserved: kubelet.Amounts{Memory: -1}, EvictionHard: 20 * unit.GiB, MaxPods: -1,
	})
	if err == nil {
		t.Fatal("got no error")
	}
	for _, part := range []string{
		"topologyManagerScope is \"node\"", "has no option closest", "prefer-closest-numa-nodes is \"perhaps\"",
		"9 NUMA nodes, more than", "names \"swap\"", "NUMA node 77", "3Gi of memory in all", "2Mi of hugepages-2Mi",
		"kubeReserved has a negative amount", "are reserved (at most the machine's 9Gi)", "maxPods is -1",
		"no CPU is reserved",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is missing in:\n%v", part, err)
		}
	}
}

// A second request for a running pod changes nothing.
func TestAdmitTwice(t *testing.T) {
	n := start(t, machine(t, twoByFour, 8*unit.GiB), staticCPU(1000, "none"))
	first := n.Admit(single("a", app("c", 2000, unit.GiB)))
	again := n.Admit(single("a", app("c", 2000, unit.GiB)))
	if !again.Admitted || cpusOf(first, 0) != cpusOf(again, 0) || n.Requested()["cpu"] != 2000 {
		t.Errorf("got %+v with %v requested, want the same as %+v", again, n.Requested(), first)
	}
}

// TestClosestOfGaps: policy single-numa-node compares no hints by distance, so that gaps in the ids of NUMA nodes do
// no harm; restricted does.
func TestClosestOfGaps(t *testing.T) {
	m := topo.Shape{Sockets: 2, Nodes: 1, Caches: 1, Cores: 2, Threads: 1}.Machine()
	m.Nodes[1].ID = 2
	for i := range m.CPUs {
		if m.CPUs[i].Node == 1 {
			m.CPUs[i].Node = 2
		}
	}
	m.Nodes[0].Distances, m.Nodes[1].Distances = []int{10, 20}, []int{20, 10}
	for policy, good := range map[string]bool{"single-numa-node": true, "restricted": false} {
		_, err := kubelet.New(m, kubelet.Config{CPUManagerPolicy: "static", TopologyManagerPolicy: policy,
			SystemReserved:               kubelet.Amounts{CPU: 1000},
			TopologyManagerPolicyOptions: map[string]string{"prefer-closest-numa-nodes": "true"}})
		if (err == nil) != good {
			t.Errorf("%s: %v", policy, err)
		}
	}
}

// TestLevelGates: resizes of pods as a whole are on, and need the resources of pods as a whole.
func TestLevelGates(t *testing.T) {
	m := topo.Shape{Sockets: 1, Nodes: 1, Caches: 1, Cores: 2, Threads: 1}.Machine()
	for gates, good := range map[string]bool{"PodLevelResources": false,
		"PodLevelResources InPlacePodLevelResourcesVerticalScaling": true, "AllBeta": true} {
		off := map[string]bool{}
		for _, name := range strings.Fields(gates) {
			off[name] = false
		}
		if _, err := kubelet.New(m, kubelet.Config{FeatureGates: off}); (err == nil) != good {
			t.Errorf("without %s: %v", gates, err)
		}
	}
}
