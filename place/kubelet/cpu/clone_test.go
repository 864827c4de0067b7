package cpu_test

import (
	"testing"

	"plimsoll.dev/place/kubelet/cpu"
	"plimsoll.dev/topo"
)

// TestClone changes a copy, and then the original: neither sees the other.
func TestClone(t *testing.T) {
	machine, err := topo.Parse("2 sockets x 4 cores x 2 threads")
	if err != nil {
		t.Fatal(err)
	}
	m, err := cpu.New(&machine, cpu.Config{Policy: cpu.Static, Reserved: 1000})
	if err != nil {
		t.Fatal(err)
	}
	first := cpu.Pod{UID: "first", Containers: []cpu.Container{{CPUs: 2}}}
	if err := m.Allocate(&first, 0, 1); err != nil {
		t.Fatal(err)
	}
	c := m.Clone()
	before := m.Shared()
	second := cpu.Pod{UID: "second", Containers: []cpu.Container{{CPUs: 4}}}
	if err := c.Allocate(&second, 0, 2); err != nil {
		t.Fatal(err)
	}
	c.Remove(&first)
	if m.Shared() != before {
		t.Errorf("the original's shared pool is %v, was %v", m.Shared(), before)
	}
	own, ok := first.Container(0)
	if !ok || own.Len() != 2 {
		t.Errorf("the original's pod has %v", own)
	}
	again := cpu.Pod{UID: "second", Containers: second.Containers}
	if err := m.Allocate(&again, 0, 2); err != nil {
		t.Fatal(err)
	}
	a, _ := again.Container(0)
	b, _ := second.Container(0)
	if a != b {
		t.Errorf("the same request got %v and %v on another NUMA node than the first pod", a, b)
	}
}
