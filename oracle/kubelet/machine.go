// Package kubelet runs the kubelet's real managers in this process and has them
// admit pods: the topology, CPU, memory and device managers with their state files,
// the predicates, preemption for critical pods, the API server's defaults and QoS
// classes. Around them are stand-ins for the API server, the container runtime, the
// pod workers and the device plug-ins. It is no kubelet: no pod runs.
//
//	n, err := start(session.Machine, session.Config, directory)
//	verdict := n.admit(pod)
package kubelet

import (
	"maps"
	"slices"

	cadvisor "github.com/google/cadvisor/info/v1"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// pageKiB is the size of a huge page in KiB by its name.
var pageKiB = map[string]uint64{"2Mi": 2 << 10, "1Gi": 1 << 20}

// describe puts a machine as cAdvisor would find it.
func describe(m topo.Machine) *cadvisor.MachineInfo {
	info := &cadvisor.MachineInfo{NumCores: len(m.CPUs)}
	sockets, cores := map[int]bool{}, map[int]bool{}
	for _, c := range m.CPUs {
		sockets[c.Socket], cores[c.Core] = true, true
	}
	info.NumSockets, info.NumPhysicalCores = len(sockets), len(cores)
	pages := map[string]unit.Bytes{}
	for _, n := range m.Nodes {
		info.MemoryCapacity += uint64(n.Memory)
		for size, amount := range n.HugePages {
			pages[size] += amount
		}
	}
	for _, n := range m.Nodes {
		node := cadvisor.Node{Id: n.ID, Memory: uint64(n.Memory), Cores: coresOf(m.CPUs, n.ID)}
		for _, d := range n.Distances {
			node.Distances = append(node.Distances, uint64(d))
		}
		for _, size := range slices.Sorted(maps.Keys(pages)) {
			node.HugePages = append(node.HugePages, hugePages(size, n.HugePages[size]))
		}
		info.Topology = append(info.Topology, node)
	}
	for _, size := range slices.Sorted(maps.Keys(pages)) {
		info.HugePages = append(info.HugePages, hugePages(size, pages[size]))
	}
	return info
}

func hugePages(size string, amount unit.Bytes) cadvisor.HugePagesInfo {
	kib := pageKiB[size]
	return cadvisor.HugePagesInfo{PageSize: kib, NumPages: uint64(amount) / (kib << 10)}
}

// coresOf are the cores of a NUMA node with their threads.
func coresOf(cpus []topo.CPU, node int) []cadvisor.Core {
	var cores []cadvisor.Core
	at := map[int]int{}
	for _, c := range cpus {
		if c.Node != node {
			continue
		}
		i, known := at[c.Core]
		if !known {
			i = len(cores)
			at[c.Core] = i
			cores = append(cores, cadvisor.Core{Id: i, SocketID: c.Socket,
				UncoreCaches: []cadvisor.Cache{{Id: c.Cache, Type: "Unified", Level: 3}}})
		}
		cores[i].Threads = append(cores[i].Threads, c.ID)
	}
	return cores
}
