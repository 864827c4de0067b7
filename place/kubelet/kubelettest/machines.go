package kubelettest

import (
	"fmt"
	"slices"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// Shape is a machine with a name.
type Shape struct {
	Name    string
	Machine topo.Machine
}

// Machines are the shapes that random sessions run on, from one CPU to ten NUMA nodes.
func Machines() []Shape {
	return append(plainMachines(), oddMachines()...)
}

// EightPaged is 8 NUMA nodes with 2 GiB of huge pages each: together with CPUs and
// memory these are three resources that give hints, for which a real kubelet goes
// through 16 million combinations.
func EightPaged() Shape {
	sizes := slices.Repeat([]unit.Bytes{2 * unit.GiB}, 8)
	return Shape{"8-numa-paged", pages(grid{2, 4, 4, 2}.build(4), map[string][]unit.Bytes{"1Gi": sizes})}
}

// plainMachines are such as one can buy.
func plainMachines() []Shape {
	return []Shape{
		{"1-cpu", grid{1, 1, 1, 1}.build(4)},
		{"2-cpu-of-ocp-6", memoryOf(grid{1, 1, 2, 1}.build(4), 8162900<<10)},
		{"4-cpu", grid{1, 1, 4, 1}.build(4)},
		{"1x8-smt", grid{1, 1, 8, 2}.build(4)},
		{"2x8-smt", with(grid{2, 1, 8, 2}.build(4), bank("nvidia.com/gpu", 2, 0), bank("nvidia.com/gpu", 2, 1))},
		{"2x8-no-smt", with(grid{2, 1, 8, 1}.build(8), bank("intel.com/nic", 4, 1))},
		{"2x8-siblings-adjacent", adjacent(2, 8, 2)},
		{"2x2-numa", with(grid{2, 2, 7, 2}.build(4), bank("intel.com/nic", 2, 0, 1), bank("nvidia.com/gpu", 1, 2))},
		{"2x2-numa-5-cores", grid{2, 2, 5, 2}.build(4)},
		{"4-sockets", with(grid{4, 1, 6, 2}.build(4), bank("nvidia.com/gpu", 2, 1), bank("nvidia.com/gpu", 2, 3))},
		{"8-numa", with(cached(grid{2, 4, 4, 2}.build(4), 4), bank("intel.com/nic", 2, 3))},
		{"1-socket-8-caches", cached(grid{1, 1, 32, 2}.build(2), 4)},
		{"1-socket-nps4", cached(grid{1, 4, 8, 2}.build(4), 4)},
		{"128-cpu-2-numa", with(grid{2, 1, 32, 2}.build(4), bank("nvidia.com/gpu", 4, 0), bank("nvidia.com/gpu", 4, 1))},
		{"128-cpu-4-numa", with(cached(grid{2, 2, 16, 2}.build(4), 8), bank("intel.com/nic", 4, 0),
			bank("intel.com/nic", 4, 2))},
		{"smt4", ids(grid{2, 1, 5, 4}.build(2), 0, 8)},
	}
}

// oddMachines are damaged, uneven or badly reported.
func oddMachines() []Shape {
	return []Shape{
		{"3-numa-uneven", uneven(12, 6, 2)},
		{"2-numa-uneven-memory", memoryOf(grid{2, 1, 6, 2}.build(4), 48*unit.GiB, 12*unit.GiB)},
		{"2-numa-interleaved", interleaved(2, 12)},
		{"cpus-offline", without(grid{2, 1, 6, 2}.build(4), 1, 3, 13, 17, 23)},
		{"cpus-gap", without(grid{2, 2, 4, 2}.build(4), 4, 5, 6, 7, 20, 21, 22)},
		{"2-sockets-1-numa", oneNode(grid{2, 1, 6, 2}.build(4))},
		{"memory-only-node", memoryOnly(grid{2, 1, 6, 2}.build(4))},
		{"huge-pages-uneven", pages(grid{2, 1, 8, 2}.build(4), map[string][]unit.Bytes{
			"2Mi": {8 * unit.GiB, 1 * unit.GiB}, "1Gi": {0, 16 * unit.GiB}})},
		{"huge-pages-4-numa", pages(grid{2, 2, 4, 2}.build(4), map[string][]unit.Bytes{
			"1Gi": {8 * unit.GiB, 4 * unit.GiB, 4 * unit.GiB, 0}})},
		{"unhealthy-devices",
			unhealthy(with(grid{2, 1, 8, 2}.build(4), bank("nvidia.com/gpu", 4, 0), bank("nvidia.com/gpu", 4, 1)), 0, 1, 2, 6)},
		{"all-unhealthy",
			unhealthy(with(grid{2, 1, 4, 2}.build(4), bank("nvidia.com/gpu", 1, 0), bank("nvidia.com/gpu", 1, 1)), 0, 1)},
		{"devices-without-node", with(grid{2, 2, 4, 2}.build(4), bank("intel.com/nic", 2), bank("intel.com/nic", 2, 2),
			bank("fpga.io/card", 3))},
		{"devices-on-two-nodes", with(grid{2, 2, 6, 2}.build(4), bank("intel.com/nic", 3, 0, 1),
			bank("intel.com/nic", 3, 2, 3), bank("nvidia.com/gpu", 1, 0), bank("nvidia.com/gpu", 1, 3))},
		{"4-numa-ring", distances(grid{4, 1, 4, 2}.build(4), [][]int{
			{10, 16, 32, 16}, {16, 10, 16, 32}, {32, 16, 10, 16}, {16, 32, 16, 10}})},
		{"4-numa-lopsided", distances(grid{2, 2, 4, 2}.build(4), [][]int{
			{10, 12, 21, 28}, {12, 10, 28, 21}, {20, 28, 10, 11}, {28, 20, 11, 10}})},
		{"9-numa", grid{9, 1, 2, 2}.build(4)},
	}
}

// grid is sockets, NUMA nodes per socket, cores per node, threads per core. The
// CPUs are numbered as Linux does: first thread of every core, then the second.
type grid struct{ sockets, nodes, cores, threads int }

// build makes the machine; gib is the memory per CPU. Real memory is never a round
// number: each node has a little less, in whole KiB.
func (g grid) build(gib int) topo.Machine {
	var m topo.Machine
	nodes := g.sockets * g.nodes
	for id := range nodes * g.cores * g.threads {
		core := id % (nodes * g.cores)
		node := core / g.cores
		m.CPUs = append(m.CPUs, topo.CPU{ID: id, Core: core, Socket: node / g.nodes, Node: node, Cache: node / g.nodes})
	}
	for n := range nodes {
		size := unit.Bytes(g.cores*g.threads*gib)*unit.GiB - unit.Bytes(n*4196+516)<<10
		m.Nodes = append(m.Nodes, topo.Node{ID: n, Memory: size, Distances: g.row(n)})
	}
	return m
}

// row is the distances of a node: 12 within the socket, 21 across.
func (g grid) row(n int) []int {
	row := make([]int, g.sockets*g.nodes)
	for i := range row {
		switch {
		case i == n:
			row[i] = 10
		case i/g.nodes == n/g.nodes:
			row[i] = 12
		default:
			row[i] = 21
		}
	}
	return row
}

// bank is devices of one resource that sit on the same NUMA nodes.
func bank(resource string, count int, nodes ...int) []topo.Device {
	devices := make([]topo.Device, count)
	for i := range devices {
		devices[i] = topo.Device{Resource: resource, Nodes: nodes}
	}
	return devices
}

// with adds banks of devices and numbers them by resource.
func with(m topo.Machine, banks ...[]topo.Device) topo.Machine {
	next := map[string]int{}
	for _, b := range banks {
		for _, d := range b {
			d.ID = fmt.Sprintf("dev-%02d", next[d.Resource])
			next[d.Resource]++
			m.Devices = append(m.Devices, d)
		}
	}
	return m
}

func unhealthy(m topo.Machine, devices ...int) topo.Machine {
	for _, i := range devices {
		m.Devices[i].Unhealthy = true
	}
	return m
}
