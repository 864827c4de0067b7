package kubelettest

import (
	"math/rand/v2"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// RandomShape makes up a machine of at most 8 NUMA nodes and 192 CPUs: caches,
// pages and devices as they come, and sometimes CPUs that are offline.
func RandomShape(seed uint64) Shape {
	d := rand.New(rand.NewPCG(seed, 236))
	g := grid{1 + d.IntN(4), 1 + d.IntN(4), 1 + d.IntN(8), 1 << d.IntN(3)}
	for g.sockets*g.nodes > 8 {
		g.nodes--
	}
	m := g.build(1 + d.IntN(6))
	if d.IntN(2) == 0 {
		m = cached(m, 1+d.IntN(g.cores))
	}
	if d.IntN(3) == 0 {
		m = pages(m, randomPages(d, m))
	}
	if d.IntN(4) == 0 && len(m.CPUs) > 4 {
		m = without(m, d.IntN(len(m.CPUs)), d.IntN(len(m.CPUs)), d.IntN(len(m.CPUs)))
	}
	if d.IntN(4) == 0 {
		m = distances(m, randomDistances(d, len(m.Nodes)))
	}
	if len(m.Nodes) < 7 { // more resources than two make a kubelet slow on more nodes
		m = randomDevices(d, m)
	}
	return Shape{"made-up", m}
}

func randomPages(d *rand.Rand, m topo.Machine) map[string][]unit.Bytes {
	small, large := make([]unit.Bytes, len(m.Nodes)), make([]unit.Bytes, len(m.Nodes))
	for i, n := range m.Nodes {
		quarter := int64(n.Memory / 4 / unit.GiB)
		small[i] = unit.Bytes(d.Int64N(quarter*512+1)) * 2 * unit.MiB
		large[i] = unit.Bytes(d.Int64N(quarter+1)) * unit.GiB
	}
	all := map[string][]unit.Bytes{"2Mi": small, "1Gi": large}
	if d.IntN(2) == 0 {
		delete(all, "1Gi")
	}
	return all
}

// randomDistances need be neither symmetric nor sensible.
func randomDistances(d *rand.Rand, nodes int) [][]int {
	rows := make([][]int, nodes)
	for i := range rows {
		rows[i] = make([]int, nodes)
		for j := range rows[i] {
			rows[i][j] = 11 + d.IntN(22)
		}
		rows[i][i] = 10
	}
	return rows
}

// randomDevices are up to two resources on one node each, on several or on none.
func randomDevices(d *rand.Rand, m topo.Machine) topo.Machine {
	var banks [][]topo.Device
	for _, resource := range []string{"nvidia.com/gpu", "intel.com/nic"}[:d.IntN(3)] {
		for range 1 + d.IntN(3) {
			var nodes []int
			for _, n := range m.Nodes {
				if d.IntN(len(m.Nodes)) == 0 {
					nodes = append(nodes, n.ID)
				}
			}
			banks = append(banks, bank(resource, 1+d.IntN(3), nodes...))
		}
	}
	m = with(m, banks...)
	for i := range m.Devices {
		m.Devices[i].Unhealthy = d.IntN(8) == 0
	}
	return m
}
