package machine_test

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/machine"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

func TestOf(t *testing.T) {
	n := &v1alpha1.NodeType{Topology: "2 sockets x 4 cores x 2 threads", Memory: 64 * unit.GiB}
	if m := machine.Of(n, nil); len(m.CPUs) != 16 || len(m.Nodes) != 2 || m.Nodes[1].Memory != 32*unit.GiB {
		t.Errorf("by topology: %s, %v", m, m.Nodes)
	}
	read, err := topo.Parse("1 socket x 3 cores")
	if err != nil {
		t.Fatal(err)
	}
	if m := machine.Of(n, &read); len(m.CPUs) != 3 || m.Memory() != 64*unit.GiB {
		t.Errorf("as read, with the memory of the type: %s, %s", m, m.Memory())
	}
	if read.Memory() != 0 {
		t.Error("what was read is changed")
	}
	n = &v1alpha1.NodeType{CPUs: 5, NUMANodes: 2, Memory: unit.GiB}
	if m := machine.Of(n, nil); len(m.CPUs) != 5 || len(m.Nodes) != 2 {
		t.Errorf("without a topology: %s", m)
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{"m5.xlarge": "m5.xlarge", "Big Host_1": "big-host-1", "--": "node"} {
		if got := machine.Prefix(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if machine.Name("a", 0) != "a-1" || machine.DomainValue("topology.kubernetes.io/zone", 1) != "zone-2" {
		t.Error("numbers begin with 1")
	}
}

func TestAddDevices(t *testing.T) {
	n := &v1alpha1.NodeType{CPUs: 4, NUMANodes: 2, Memory: unit.GiB, Devices: map[string]int64{"gpu": 2},
		DeviceNUMANodes: map[string][]int{"gpu": {1}}}
	m := machine.Of(n, nil)
	machine.AddDevices(&m, n)
	if len(m.Devices) != 2 || len(m.Devices[0].Nodes) != 1 || m.Devices[0].Nodes[0] != 1 || m.Devices[1].Nodes != nil {
		t.Errorf("%+v", m.Devices)
	}
}
