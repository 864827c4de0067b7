package kubelet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/kubelet/cpu"
	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/podres"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// retuned is a copy of the node with another policy or scope of the topology
// manager, or another limit of pods: running pods keep what they have.
func (t *trial) retuned(change func(c *Config)) *Node {
	n := t.Clone()
	s := *n.s
	change(&s.config)
	k := &checker{m: &s.machine, c: s.config}
	s.rules = k.rules()
	s.podScope = s.config.TopologyManagerScope == scopePod
	s.capacity = s.measure(n.devices)
	n.s = &s
	return n
}

// restarted is a node with another machine or configuration, on which all running
// pods were admitted again in their order; nil when that does not work.
func (t *trial) restarted(change func(m *topo.Machine, c *Config)) *Node {
	m, c := t.s.machine, t.s.config
	m.CPUs, m.Nodes, m.Devices = slices.Clone(m.CPUs), slices.Clone(m.Nodes), slices.Clone(m.Devices)
	change(&m, &c)
	n, err := New(m, c)
	if err != nil {
		return nil
	}
	for _, p := range t.running() {
		if !n.AdmitClass(p.class, p.cpu.UID).Admitted {
			return nil
		}
	}
	return n
}

func (t *trial) works(n *Node) bool {
	return n != nil && n.hung == "" && admitsAll(n, []*Pod{t.pod})
}

func (t *trial) otherScope() string {
	if t.s.rules.Policy == hint.None {
		return ""
	}
	other := scopePod
	if t.s.podScope {
		other = scopeContainer
	}
	if !t.works(t.retuned(func(c *Config) { c.TopologyManagerScope = other })) {
		return ""
	}
	return fmt.Sprintf("topologyManagerScope %s in place of %s", other, t.s.config.TopologyManagerScope)
}

// otherPolicy is the strictest of the laxer policies that admits.
func (t *trial) otherPolicy() string {
	for _, laxer := range []struct {
		policy hint.Policy
		name   string
	}{{hint.Restricted, restricted}, {hint.BestEffort, bestEffort}, {hint.None, topologyNone}} {
		if laxer.policy >= t.s.rules.Policy {
			continue
		}
		n := t.retuned(func(c *Config) { c.TopologyManagerPolicy = laxer.name })
		if t.works(n) {
			return fmt.Sprintf("topologyManagerPolicy %s in place of %s%s", laxer.name, t.s.config.TopologyManagerPolicy,
				t.aligned(n))
		}
	}
	return ""
}

// aligned says on which NUMA nodes the pod then is.
func (t *trial) aligned(n *Node) string {
	nodes := map[int]bool{}
	for _, p := range n.running() {
		if strings.HasPrefix(p.cpu.UID, "trial ") {
			for _, got := range n.Holds(p.cpu.UID) {
				for _, c := range n.s.machine.CPUs {
					nodes[c.Node] = nodes[c.Node] || got.CPUs.Has(c.ID)
				}
			}
		}
	}
	maps.DeleteFunc(nodes, func(_ int, on bool) bool { return !on })
	if len(nodes) < 2 {
		return ""
	}
	return fmt.Sprintf(" (its CPUs are then on %d NUMA nodes)", len(nodes))
}

func (t *trial) memoryPolicy() string {
	if t.memory == nil || !t.works(t.restarted(func(_ *topo.Machine, c *Config) {
		c.MemoryManagerPolicy, c.ReservedMemory = memoryNone, nil
	})) {
		return ""
	}
	return "memoryManagerPolicy None in place of Static (memory then comes from any NUMA node)"
}

// withoutOption switches one option of the CPU manager off.
func (t *trial) withoutOption() string {
	for _, name := range slices.Sorted(maps.Keys(t.s.config.CPUManagerPolicyOptions)) {
		if t.works(t.restarted(func(_ *topo.Machine, c *Config) {
			c.CPUManagerPolicyOptions = maps.Clone(c.CPUManagerPolicyOptions)
			delete(c.CPUManagerPolicyOptions, name)
		})) {
			return "the CPU manager without the option " + name
		}
	}
	return ""
}

func (t *trial) morePods() string {
	if t.verdict.Reason != OutOfPods {
		return ""
	}
	most := int(t.used.pods) + 1
	if !t.works(t.retuned(func(c *Config) { c.MaxPods, c.PodsPerCore = most, 0 })) {
		return ""
	}
	return fmt.Sprintf("maxPods %d in place of %d", most, t.s.capacity.pods)
}

// moveReservation reserves as many CPUs elsewhere: on each NUMA node in turn, or
// whole cores instead of parts of them.
func (t *trial) moveReservation() string {
	now := t.Reserved()
	if t.s.config.CPUManagerPolicy != cpu.Static {
		return ""
	}
	for _, node := range t.s.machine.Nodes {
		set := t.reservation(node.ID, now.Len())
		if set.IsEmpty() || set == now {
			continue
		}
		if t.works(t.restarted(func(_ *topo.Machine, c *Config) { c.ReservedSystemCPUs = set })) {
			return fmt.Sprintf("reservedSystemCPUs %s (NUMA node %d) in place of %s", set, node.ID, now)
		}
	}
	return ""
}

// reservation is whole cores of a NUMA node, from the lowest, for at least so many
// CPUs; empty when the node has too few.
func (t *trial) reservation(node, cpus int) unit.CPUSet {
	var set unit.CPUSet
	cores := map[int]bool{}
	for _, c := range t.s.machine.CPUs {
		if c.Node == node && c.ID == c.Core && len(cores)*t.s.threads() < cpus {
			cores[c.Core] = true
		}
	}
	for _, c := range t.s.machine.CPUs {
		if cores[c.Core] {
			set.Add(c.ID)
		}
	}
	if set.Len() < cpus {
		return unit.CPUSet{}
	}
	return set
}

// moveDevices attaches the devices of one resource to one NUMA node.
func (t *trial) moveDevices() string {
	for _, name := range t.devices.Resources() {
		if !t.asksFor(name) {
			continue
		}
		for _, node := range t.s.machine.Nodes {
			if t.works(t.restarted(func(m *topo.Machine, _ *Config) {
				for i := range m.Devices {
					if m.Devices[i].Resource == name {
						m.Devices[i].Nodes = []int{node.ID}
					}
				}
			})) {
				return fmt.Sprintf("the devices of %s on NUMA node %d", name, node.ID)
			}
		}
	}
	return ""
}

func (t *trial) asksFor(resource string) (found bool) {
	t.pod.Each(func(c *Container) { found = found || c.Limits[resource] > 0 })
	return found
}

// growMachine adds what is short for the predicates: memory on every NUMA node.
func (t *trial) growMachine() string {
	if t.verdict.Reason != OutOfMemory {
		return ""
	}
	class := t.Compile(t.pod)
	for _, s := range t.shortages(class) {
		if s.resource != podres.Memory {
			continue
		}
		const step = int64(unit.GiB)
		each := (s.missing()/int64(len(t.s.machine.Nodes)) + step) / step * step
		if t.works(t.restarted(func(m *topo.Machine, _ *Config) {
			for i := range m.Nodes {
				m.Nodes[i].Memory += unit.Bytes(each)
			}
		})) {
			return fmt.Sprintf("%s more memory on each NUMA node", unit.Bytes(each))
		}
	}
	return ""
}

// withoutPod is the end of one running pod: the one that holds the fewest CPUs.
func (t *trial) withoutPod() string {
	var best *pod
	bestCPUs := 0
	for _, p := range t.running() {
		cpus := 0
		for _, got := range t.Holds(p.cpu.UID) {
			cpus += got.CPUs.Len()
		}
		if best != nil && cpus >= bestCPUs || t.hung != "" {
			continue
		}
		n := t.Clone()
		n.Remove(p.cpu.UID)
		if t.works(n) {
			best, bestCPUs = p, cpus
		}
	}
	if best == nil {
		return ""
	}
	return fmt.Sprintf("the end of pod %s (%s of its own)", best.name(), words.Count(bestCPUs, "CPU"))
}
