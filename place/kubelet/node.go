package kubelet

import (
	"errors"
	"maps"
	"math/bits"
	"slices"

	"plimsoll.dev/place/kubelet/cpu"
	"plimsoll.dev/place/kubelet/device"
	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/place/kubelet/memory"
	"plimsoll.dev/topo"
)

// Node is a kubelet on its machine, with the pods it runs. It is for one
// goroutine at a time; clones may be used at the same time.
type Node struct {
	s       *setup
	cpu     *cpu.Manager
	memory  *memory.Manager // nil with policy None
	devices *device.Manager
	// pods that run, by UID; arrived counts all that were ever admitted.
	pods    map[string]*pod
	arrived int
	// stale pods were refused or removed; the next admission takes back what they held.
	stale []*pod
	// spare pods have gone, and can be used again. epoch counts the clones that were
	// made: pods from before the last one may be shared.
	spare []*pod
	epoch int
	used  used
	// hung is why this kubelet answers no more.
	hung   string
	merger *hint.Merger
	trace  *trace // of an explanation
}

// setup is what nodes of one type share, and nobody changes.
type setup struct {
	machine topo.Machine
	config  Config
	rules   hint.Rules
	// podScope, levels: the topology manager's scope, whether resources of pods as a
	// whole count at all, and whether the managers look at them.
	podScope, levels, levelManagers bool
	capacity                        capacity
	// affinities are the NUMA ids of every set of nodes, where there are few.
	affinities [][]int
}

// New makes the kubelet of an idle machine. The error joins everything for which
// the real one would not start, and what the machine has wrong.
func New(m topo.Machine, c Config) (*Node, error) {
	if problems := m.Check(); problems != nil {
		return nil, errors.Join(problems...)
	}
	s := &setup{machine: m, config: c.withDefaults()}
	k := &checker{m: &s.machine, c: s.config}
	k.gates()
	s.rules = k.rules()
	k.amounts()
	kept := k.reservedMemory()
	n := &Node{s: s, devices: device.New(&s.machine), pods: map[string]*pod{}, merger: new(hint.Merger)}
	var err error
	if n.cpu, err = cpu.New(&s.machine, s.config.cpu()); err != nil {
		k.problems = append(k.problems, err)
	}
	if err := k.err(); err != nil {
		return nil, err
	}
	if s.config.MemoryManagerPolicy == memoryStatic {
		n.memory = memory.New(&s.machine, kept)
	}
	s.podScope = s.config.TopologyManagerScope == scopePod
	s.levels = s.config.gate(gateLevels, true)
	s.levelManagers = s.levels && s.config.gate(gateLevelManagers, false)
	s.capacity = s.measure(n.devices)
	n.used.scalars = make([]int64, len(s.capacity.scalars))
	s.listAffinities()
	return n, nil
}

// cpu is the CPU manager's part of the configuration.
func (c *Config) cpu() cpu.Config {
	return cpu.Config{
		Policy: c.CPUManagerPolicy, Options: c.CPUManagerPolicyOptions, Gates: c.FeatureGates,
		TopologyPolicy: c.TopologyManagerPolicy,
		Reserved:       c.SystemReserved.CPU + c.KubeReserved.CPU, ReservedCPUs: c.ReservedSystemCPUs,
	}
}

// Clone is an independent copy, cheap enough for what-ifs and for nodes of one
// type. Classes of the original are good for it, too.
func (n *Node) Clone() *Node {
	n.epoch++
	c := *n
	c.spare = nil
	c.cpu, c.devices, c.merger, c.trace = n.cpu.Clone(), n.devices.Clone(), new(hint.Merger), nil
	if n.memory != nil {
		c.memory = n.memory.Clone()
	}
	c.used.scalars = slices.Clone(n.used.scalars)
	c.pods = maps.Clone(n.pods)
	c.stale = slices.Clone(n.stale)
	return &c
}

// Remove says that a pod has come to its end. What it held is given out again
// with the next admission. A UID that does not run changes nothing.
func (n *Node) Remove(uid string) {
	p := n.pods[uid]
	if p == nil {
		return
	}
	delete(n.pods, uid)
	n.used.add(p.class, -1)
	n.stale = append(n.stale, p)
}

// sweep takes back what stale pods hold, as each manager does before it gives
// hints or allocates.
func (n *Node) sweep() {
	for _, p := range n.stale {
		n.cpu.Remove(&p.cpu)
		n.devices.Remove(&p.devices)
		if n.memory != nil {
			n.memory.Remove(&p.memory)
		}
		if p.epoch == n.epoch {
			n.spare = append(n.spare, p)
		}
	}
	n.stale = n.stale[:0]
}

// listAffinities writes down the NUMA ids of all sets of nodes, so that verdicts
// can share them.
func (s *setup) listAffinities() {
	if len(s.machine.Nodes) > defaultMaxNodes {
		return
	}
	s.affinities = make([][]int, 1<<len(s.machine.Nodes))
	for nodes := range s.affinities {
		s.affinities[nodes] = s.ids(hint.Mask(nodes))
	}
}

// affinity are the NUMA ids of a set of nodes; nil for none.
func (s *setup) affinity(nodes hint.Mask) []int {
	if s.affinities != nil {
		return s.affinities[nodes]
	}
	return s.ids(nodes)
}

func (s *setup) ids(nodes hint.Mask) []int {
	if nodes == 0 {
		return nil
	}
	out := make([]int, 0, bits.OnesCount64(nodes))
	for ; nodes != 0; nodes &= nodes - 1 {
		out = append(out, s.machine.Nodes[bits.TrailingZeros64(nodes)].ID)
	}
	return out
}
