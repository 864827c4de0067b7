package node_test

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/node"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

func measure(t *testing.T, in node.Input) (node.Room, *derive.Book) {
	t.Helper()
	var b derive.Book
	if in.SystemPods.Text == "" {
		in.SystemPods = derive.Given("policy.systemPodsPerNode", 0, "pods")
	}
	room := node.Measure(&b, part.NewOrigin(nil, facts.Load()), in)
	for _, err := range b.Verify() {
		t.Error(err)
	}
	return room, &b
}

func reserved(cpu unit.CPU, memory unit.Bytes) *v1alpha1.Reserved {
	return &v1alpha1.Reserved{CPU: cpu, Memory: memory}
}

func bytes(b unit.Bytes) *unit.Bytes { return &b }

// OCP 2.1: podsPerCore 10 on 4 cores is 40 pods; 0 disables the limit; the
// lower of the two counts.
func TestPodLimit(t *testing.T) {
	for _, c := range []struct{ cpus, perCore, most, want int }{
		{4, 10, 250, 40}, {4, 0, 250, 250}, {32, 10, 250, 250}, {1, 1, 1, 1},
	} {
		if got := node.PodLimit(c.cpus, c.perCore, c.most); got != c.want {
			t.Errorf("podsPerCore %d on %d cores, maxPods %d: got %d, want %d", c.perCore, c.cpus, c.most, got, c.want)
		}
	}
}

// OCP 6.1 describes a node with 2 CPUs and 8162900Ki, of which 1500m and
// 7548500Ki are allocatable: 500m and 500Mi are reserved, 100Mi keep eviction off.
func TestDocumentsNode(t *testing.T) {
	room, _ := measure(t, node.Input{Type: v1alpha1.NodeType{Name: "perf-node", CPUs: 2, Memory: 8162900 * unit.KiB,
		MaxPods: 250, SystemReserved: reserved(500, 500*unit.MiB), EvictionHard: bytes(100 * unit.MiB)}})
	if got := room.CPUAllocatable.Number; got != 1500 {
		t.Errorf("CPU: got %vm, want 1500m", got)
	}
	if got := room.MemoryAllocatable.Number; got != float64(7548500*unit.KiB) {
		t.Errorf("memory: got %v Ki, want 7548500Ki", got/1024)
	}
	if got := room.PodsAllocatable.Number; got != 250 {
		t.Errorf("pods: got %v, want 250", got)
	}
}

// Reservations, DaemonSets, huge pages and system pods leave less than the
// label says; the layers say how much each takes.
func TestWhatIsLeft(t *testing.T) {
	room, b := measure(t, node.Input{
		Type: v1alpha1.NodeType{Name: "w", CPUs: 8, Memory: 32 * unit.GiB, MaxPods: 100,
			SystemReserved: reserved(500, unit.GiB),
			KubeReserved:   reserved(100, 512*unit.MiB), EvictionHard: bytes(100 * unit.MiB),
			HugePages: map[string]unit.Bytes{"1Gi": 4 * unit.GiB, "2Mi": unit.GiB}},
		Daemons:    []v1alpha1.PodType{{Name: "a", CPU: 200, Memory: 256 * unit.MiB}, {Name: "b", CPU: 50, Memory: 0}},
		SystemPods: derive.Given("policy.systemPodsPerNode", 15, "pods"),
	})
	for what, c := range map[string][2]float64{
		"CPU": {room.CPU.Number, 8000 - 500 - 100 - 250},
		"memory": {room.Memory.Number,
			float64(32*unit.GiB - unit.GiB - 512*unit.MiB - 100*unit.MiB - 5*unit.GiB - 256*unit.MiB)},
		"pods": {room.Pods.Number, 100 - 15 - 2},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: got %v, want %v", what, c[0], c[1])
		}
	}
	sum := 0.0
	for _, l := range room.MemoryLayers {
		sum += l.Value.Number
	}
	if sum+room.Memory.Number != float64(32*unit.GiB) {
		t.Errorf("the layers and the room make %v, want the machine's memory", sum+room.Memory.Number)
	}
	if _, ok := b.Get("node.daemons.cpu[w]"); !ok {
		t.Error("the DaemonSets' CPU is no figure")
	}
}

// A machine that is smaller than what is reserved has no room; it has not less
// than none.
func TestNeverNegative(t *testing.T) {
	room, _ := measure(t, node.Input{Type: v1alpha1.NodeType{Name: "tiny", CPUs: 1, Memory: 512 * unit.MiB, MaxPods: 5,
		SystemReserved: reserved(2000, unit.GiB)},
		SystemPods: derive.Given("policy.systemPodsPerNode", 15, "pods")})
	if room.CPU.Number != 0 || room.Memory.Number != 0 || room.Pods.Number != 0 {
		t.Errorf("got %v, %v, %v", room.CPU, room.Memory, room.Pods)
	}
}

// An init container takes nothing of the pages and the devices that the pod's containers keep.
func TestEffectiveKeepsPagesAndDevices(t *testing.T) {
	cpu := unit.CPU(1000)
	got := node.Effective(v1alpha1.PodType{CPU: 500, Memory: unit.GiB,
		HugePages: map[string]unit.Bytes{"1Gi": 2 * unit.GiB},
		Devices:   map[string]int64{"nvidia.com/gpu": 1}, InitContainers: []v1alpha1.ContainerSpec{{Name: "i", CPU: &cpu}}})
	if got.CPU != 1000 || got.HugePages["1Gi"] != 2*unit.GiB || got.Devices["nvidia.com/gpu"] != 1 {
		t.Errorf("%+v", got)
	}
}
