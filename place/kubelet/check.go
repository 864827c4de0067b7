package kubelet

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"plimsoll.dev/place/kubelet/cpu"
	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/podres"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// checker collects everything for which a kubelet does not start.
type checker struct {
	m        *topo.Machine
	c        Config
	problems []error
}

func (k *checker) bad(format string, args ...any) {
	k.problems = append(k.problems, fmt.Errorf(format, args...))
}

// rules checks the topology manager's part and reads it.
func (k *checker) rules() hint.Rules {
	r := hint.Rules{Nodes: 1<<len(k.m.Nodes) - 1}
	switch k.c.TopologyManagerPolicy {
	case topologyNone:
	case bestEffort:
		r.Policy = hint.BestEffort
	case restricted:
		r.Policy = hint.Restricted
	case singleNUMANode:
		r.Policy = hint.SingleNUMANode
	default:
		k.bad("topologyManagerPolicy is %q (%s, %s, %s or %s)", k.c.TopologyManagerPolicy, topologyNone, bestEffort,
			restricted, singleNUMANode)
	}
	if s := k.c.TopologyManagerScope; s != scopeContainer && s != scopePod {
		k.bad("topologyManagerScope is %q (%s or %s)", s, scopeContainer, scopePod)
	}
	if r.Policy == hint.None {
		return r // the kubelet reads no options then
	}
	closest, most := k.topologyOptions()
	if len(k.m.Nodes) > most {
		k.bad("the machine has %d NUMA nodes, more than the topology manager takes (at most %d, or a higher %s)",
			len(k.m.Nodes), most, maxAllowable)
	}
	if closest {
		r.Distances = k.distances(r.Policy)
	}
	return r
}

func (k *checker) topologyOptions() (closest bool, most int) {
	most = defaultMaxNodes
	for _, name := range slices.Sorted(maps.Keys(k.c.TopologyManagerPolicyOptions)) {
		value := k.c.TopologyManagerPolicyOptions[name]
		var err error
		switch name {
		case preferClosest:
			if closest, err = strconv.ParseBool(value); err != nil {
				k.bad("the topology manager's option %s is %q (true or false)", name, value)
			}
		case maxAllowable:
			if most, err = strconv.Atoi(value); err != nil || most < defaultMaxNodes {
				k.bad("the topology manager's option %s is %q (a number from %d)", name, value, defaultMaxNodes)
				most = topo.MaxNodes
			}
		default:
			k.bad("the topology manager has no option %s (%s and %s)", name, preferClosest, maxAllowable)
		}
	}
	return closest, most
}

// distances by node index. The kubelet looks them up by node id, where it compares hints:
// with single-numa-node it never does.
func (k *checker) distances(policy hint.Policy) [][]int {
	var rows [][]int
	for i, n := range k.m.Nodes {
		switch {
		case n.Distances == nil:
			k.bad("NUMA node %d has no distances (%s needs them)", n.ID, preferClosest)
		case n.ID != i && policy != hint.SingleNUMANode:
			k.bad("the NUMA nodes' ids have gaps (0 to %d: with %s this kubelet crashes at the first comparison)",
				len(k.m.Nodes)-1, preferClosest)
			return nil
		}
		rows = append(rows, n.Distances)
	}
	return rows
}

// reservedMemory checks what is kept back per NUMA node, for the memory manager;
// the result is by node index.
func (k *checker) reservedMemory() []map[string]int64 {
	kept := make([]map[string]int64, len(k.m.Nodes))
	sums := map[string]unit.Bytes{}
	for i := range kept {
		kept[i] = map[string]int64{}
	}
	for _, r := range k.c.ReservedMemory {
		at := slices.IndexFunc(k.m.Nodes, func(n topo.Node) bool { return n.ID == r.Node })
		for _, name := range slices.Sorted(maps.Keys(r.Limits)) {
			size := r.Limits[name]
			switch {
			case name != podres.Memory && !strings.HasPrefix(name, podres.HugePages):
				k.bad("reservedMemory of NUMA node %d names %q (memory or hugepages-<size>)", r.Node, name)
			case size <= 0:
				k.bad("reservedMemory of NUMA node %d has %s of %s (more than 0)", r.Node, size, name)
			case at >= 0 && kept[at][name] != 0:
				k.bad("reservedMemory has %s of NUMA node %d twice (once)", name, r.Node)
			case at >= 0:
				kept[at][name] = int64(size)
			}
			sums[name] += size
		}
		if at < 0 && k.c.MemoryManagerPolicy == memoryStatic {
			k.bad("reservedMemory names NUMA node %d, which there is not (%s)", r.Node, k.nodeIDs())
		}
	}
	if k.c.MemoryManagerPolicy == memoryStatic {
		k.reservedSums(sums)
	}
	return kept
}

func (k *checker) nodeIDs() string {
	ids := make([]string, len(k.m.Nodes))
	for i := range k.m.Nodes {
		ids[i] = strconv.Itoa(k.m.Nodes[i].ID)
	}
	return "there are " + strings.Join(ids, ", ")
}

// reservedSums demands that the reservations per node add up to Node Allocatable's.
func (k *checker) reservedSums(sums map[string]unit.Bytes) {
	want := k.c.SystemReserved.Memory + k.c.KubeReserved.Memory + k.c.EvictionHard
	if sums[podres.Memory] != want {
		k.bad("reservedMemory keeps %s of memory in all (%s: systemReserved %s, kubeReserved %s and evictionHard %s)",
			sums[podres.Memory], want, k.c.SystemReserved.Memory, k.c.KubeReserved.Memory, k.c.EvictionHard)
	} else if want <= 0 {
		k.bad("no memory is reserved (the memory manager's policy Static needs some)")
	}
	delete(sums, podres.Memory)
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		if sums[name] != 0 {
			k.bad("reservedMemory keeps %s of %s (0: Node Allocatable reserves no huge pages)", sums[name], name)
		}
	}
}

// amounts checks reservations against the machine, and the limits of pods.
func (k *checker) amounts() {
	var total unit.Bytes
	for i := range k.m.Nodes {
		total += k.m.Nodes[i].Memory
	}
	if p := k.c.MemoryManagerPolicy; p != memoryNone && p != memoryStatic {
		k.bad("memoryManagerPolicy is %q (%s or %s)", p, memoryNone, memoryStatic)
	}
	if k.c.SystemReserved.negative() {
		k.bad("systemReserved has a negative amount (0 or more)")
	}
	if k.c.KubeReserved.negative() {
		k.bad("kubeReserved has a negative amount (0 or more)")
	}
	if k.c.EvictionHard < 0 || k.c.EphemeralStorage < 0 {
		k.bad("evictionHard is %s and ephemeralStorage %s (0 or more)", k.c.EvictionHard, k.c.EphemeralStorage)
	}
	if kept := k.c.reservedCPU(); kept > unit.CPU(1000*len(k.m.CPUs)) {
		k.bad("%s CPUs are reserved (at most the machine's %d)", kept, len(k.m.CPUs))
	}
	if kept := k.c.reservedMemory(); kept > total {
		k.bad("%s of memory are reserved (at most the machine's %s)", kept, total)
	}
	if k.c.MaxPods < 0 || k.c.PodsPerCore < 0 {
		k.bad("maxPods is %d and podsPerCore %d (0 or more)", k.c.MaxPods, k.c.PodsPerCore)
	}
	if k.c.CPUManagerPolicy == cpu.Static {
		return // package cpu checks them
	}
	var online unit.CPUSet
	for i := range k.m.CPUs {
		online.Add(k.m.CPUs[i].ID)
	}
	if !k.c.ReservedSystemCPUs.SubsetOf(online) {
		k.bad("reservedSystemCPUs %s are not all online (%s are)", k.c.ReservedSystemCPUs, online)
	}
}

func (a Amounts) negative() bool { return a.CPU < 0 || a.Memory < 0 || a.EphemeralStorage < 0 }

// reservedCPU is what Node Allocatable takes off the CPUs.
func (c *Config) reservedCPU() unit.CPU {
	if n := c.ReservedSystemCPUs.Len(); n > 0 {
		return unit.CPU(1000 * n)
	}
	return c.SystemReserved.CPU + c.KubeReserved.CPU
}

// reservedMemory is what Node Allocatable takes off the memory, huge pages aside.
func (c *Config) reservedMemory() unit.Bytes {
	return c.SystemReserved.Memory + c.KubeReserved.Memory + c.EvictionHard
}

// err joins the problems; nil when there are none.
func (k *checker) err() error { return errors.Join(k.problems...) }
