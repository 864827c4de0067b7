package kubelettest

import (
	"fmt"
	"maps"
	"math/rand/v2"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// Random makes a session on some machine, every other one made up, under some policy
// from a seed.
func Random(seed uint64) Session {
	dice := rand.New(rand.NewPCG(seed, 36))
	shape := RandomShape(seed)
	if dice.IntN(2) == 0 {
		shape = pick(dice, Machines())
	}
	return Generate(shape, pick(dice, Policies()), seed)
}

// Generate makes a session on a machine under a policy: reservations, then ten to
// two dozen pods that come and go.
func Generate(shape Shape, policy Policy, seed uint64) Session {
	d := newDice(shape.Machine, seed)
	s := Session{
		Name:    fmt.Sprintf("%s, %s, seed %d", shape.Name, policy.Name, seed),
		Machine: shape.Machine,
		Config:  own(policy.Config),
	}
	if gaps(shape.Machine) {
		// With ids that leave gaps the kubelet panics as soon as it compares two distances.
		delete(s.Config.TopologyManagerPolicyOptions, "prefer-closest-numa-nodes")
	}
	d.reserve(&s.Config)
	if d.oneIn(12) {
		s.Config.FeatureGates = maps.Clone(s.Config.FeatureGates)
		if s.Config.FeatureGates == nil {
			s.Config.FeatureGates = map[string]bool{}
		}
		s.Config.FeatureGates["PodLevelResourceManagers"], d.level = true, true
	}
	d.slow = len(shape.Machine.Nodes) >= 6 && s.Config.TopologyManagerPolicy != "none"
	s.Events = d.events(10 + d.IntN(15))
	return s
}

// Churn makes a long session of Guaranteed pods with whole CPUs, and a huge page
// where there are any, about a dozen at a time, under reservations with which the kubelet starts.
// In the end all are gone.
func Churn(shape Shape, policy Policy, seed uint64, pods int) Session {
	d := newDice(shape.Machine, seed)
	s := Session{Name: shape.Name + ", " + policy.Name + ", churn", Machine: shape.Machine,
		Config: steady(shape.Machine, policy)}
	var here []string
	leave := func() {
		at := d.IntN(len(here))
		s.Events = append(s.Events, Event{Remove: here[at]})
		here = append(here[:at], here[at+1:]...)
	}
	for i := range pods {
		for len(here) > 8+d.IntN(8) {
			leave()
		}
		p := &kubelet.Pod{UID: fmt.Sprintf("p%d", i)}
		p.Name = p.UID
		for c := range 1 + d.IntN(2) {
			limits := map[string]int64{"cpu": int64(2 * (1 + d.IntN(8)) * 1000), "memory": int64(1+d.IntN(24)) << 30}
			for _, size := range d.pages {
				limits[size] = int64(unit.GiB)
			}
			p.Containers = append(p.Containers, kubelet.Container{Name: fmt.Sprintf("c%d", c), Limits: limits})
		}
		here = append(here, p.UID)
		s.Events = append(s.Events, Event{Admit: p})
	}
	for len(here) > 0 {
		leave()
	}
	return s
}

// steady is a policy with reservations under which the kubelet starts: a core and
// 2 GiB on the first NUMA node.
func steady(m topo.Machine, policy Policy) kubelet.Config {
	c := own(policy.Config)
	d := newDice(m, 0)
	c.SystemReserved = kubelet.Amounts{CPU: unit.CPU(1000 * d.threads), Memory: 1948 * unit.MiB}
	c.EvictionHard = 100 * unit.MiB
	if c.MemoryManagerPolicy == "Static" {
		c.ReservedMemory = []kubelet.ReservedMemory{
			{Node: m.Nodes[0].ID, Limits: map[string]unit.Bytes{"memory": 2 * unit.GiB}},
		}
	}
	return c
}

// gaps reports whether the ids of the NUMA nodes are not 0, 1, 2 and so on.
func gaps(m topo.Machine) bool {
	return m.Nodes[len(m.Nodes)-1].ID >= len(m.Nodes)
}

// dice rolls for one machine.
type dice struct {
	*rand.Rand
	machine topo.Machine
	// cpus and threads per core, CPUs and memory of the largest NUMA node.
	cpus, threads, perNode int
	memory, perNodeMemory  unit.Bytes
	// resources that are devices, pages that exist.
	resources, pages []string
	// slow machines take minutes when too many resources give hints at once.
	slow bool
	// level gives every other pod resources of its own.
	level bool
}

func newDice(m topo.Machine, seed uint64) *dice {
	d := &dice{Rand: rand.New(rand.NewPCG(seed, 136)), machine: m, cpus: len(m.CPUs)}
	perCore, perNode, seen := map[int]int{}, map[int]int{}, map[string]bool{}
	for _, c := range m.CPUs {
		perCore[c.Core]++
		perNode[c.Node]++
		d.threads = max(d.threads, perCore[c.Core])
		d.perNode = max(d.perNode, perNode[c.Node])
	}
	for _, n := range m.Nodes {
		d.memory += n.Memory
		d.perNodeMemory = max(d.perNodeMemory, n.Memory)
		for _, size := range []string{"2Mi", "1Gi"} {
			if n.HugePages[size] > 0 && !seen[size] {
				seen[size] = true
				d.pages = append(d.pages, "hugepages-"+size)
			}
		}
	}
	for _, dev := range m.Devices {
		if !seen[dev.Resource] {
			seen[dev.Resource] = true
			d.resources = append(d.resources, dev.Resource)
		}
	}
	return d
}

func pick[T any](d *rand.Rand, from []T) T { return from[d.IntN(len(from))] }

// oneIn is true once in so many times.
func (d *dice) oneIn(n int) bool { return d.IntN(n) == 0 }

// events are pods that come, and now and then one that goes.
func (d *dice) events(n int) []Event {
	var events []Event
	var here []string
	for i := range n {
		if len(here) > 2 && d.IntN(100) < 28 {
			at := d.IntN(len(here))
			events = append(events, Event{Remove: here[at]})
			here = append(here[:at], here[at+1:]...)
			continue
		}
		uid := fmt.Sprintf("p%d", i)
		here = append(here, uid)
		events = append(events, Event{Admit: d.pod(uid)})
	}
	return events
}

// reserve rolls the reservations and the most pods.
func (d *dice) reserve(c *kubelet.Config) {
	small := d.cpus <= 4
	switch d.IntN(7) {
	case 0, 1:
		c.SystemReserved.CPU = 500
	case 2:
		c.SystemReserved.CPU, c.KubeReserved.CPU = 1000, 500
		if small {
			c.KubeReserved.CPU = 0
		}
	case 3:
		c.KubeReserved.CPU = unit.CPU(1000 * (1 + d.IntN(max(1, min(6, d.cpus/4)))))
	case 4:
		c.ReservedSystemCPUs = d.reservedCPUs()
		c.SystemReserved.CPU = 300 // replaced
	case 5:
		c.SystemReserved.CPU, c.KubeReserved.CPU = 2*d.perThread(), 0
	default:
		c.SystemReserved.CPU = 1000
		if d.oneIn(6) {
			c.SystemReserved.CPU = 0 // static does not start
		}
	}
	c.EvictionHard = pick(d.Rand, []unit.Bytes{0, 100 * unit.MiB, 100 * unit.MiB, 256 * unit.MiB})
	c.SystemReserved.Memory = pick(d.Rand, []unit.Bytes{0, 500 * unit.MiB, unit.GiB})
	c.KubeReserved.Memory = pick(d.Rand, []unit.Bytes{0, 0, 412 * unit.MiB})
	d.reserveMemory(c)
	if d.oneIn(10) {
		c.MaxPods = 3 + d.IntN(4)
	} else if d.oneIn(15) {
		c.PodsPerCore = 1
	}
	if len(d.machine.Nodes) > 8 && c.TopologyManagerPolicy != "none" && !d.oneIn(4) {
		if c.TopologyManagerPolicyOptions == nil {
			c.TopologyManagerPolicyOptions = map[string]string{}
		}
		c.TopologyManagerPolicyOptions["max-allowable-numa-nodes"] = "9"
	}
}

// perThread is half a core's threads in millicores.
func (d *dice) perThread() unit.CPU {
	return min(unit.CPU(d.threads*500), unit.CPU(d.cpus*400))
}

// reservedCPUs are the first ones, one of each NUMA node, or any.
func (d *dice) reservedCPUs() unit.CPUSet {
	var set unit.CPUSet
	switch d.IntN(3) {
	case 0:
		for _, c := range d.machine.CPUs[:1+d.IntN(min(4, d.cpus))] {
			set.Add(c.ID)
		}
	case 1:
		had := map[int]bool{}
		for _, c := range d.machine.CPUs {
			if !had[c.Node] {
				set.Add(c.ID)
			}
			had[c.Node] = true
		}
	default:
		for range 1 + d.IntN(max(1, d.cpus/8)) {
			set.Add(pick(d.Rand, d.machine.CPUs).ID)
		}
	}
	return set
}

// reserveMemory splits the reservation over the NUMA nodes; once in twelve times
// it does not add up, and the kubelet does not start.
func (d *dice) reserveMemory(c *kubelet.Config) {
	if c.MemoryManagerPolicy != "Static" {
		return
	}
	left := c.SystemReserved.Memory + c.KubeReserved.Memory + c.EvictionHard
	if left == 0 {
		c.EvictionHard = 100 * unit.MiB
		left = c.EvictionHard
	}
	if d.oneIn(12) {
		left += unit.MiB
	}
	for _, n := range d.machine.Nodes {
		part := left
		if d.oneIn(2) && n.ID != d.machine.Nodes[len(d.machine.Nodes)-1].ID {
			part = left / 4 / unit.MiB * unit.MiB
		}
		if part > 0 {
			c.ReservedMemory = append(c.ReservedMemory, kubelet.ReservedMemory{Node: n.ID,
				Limits: map[string]unit.Bytes{"memory": part}})
		}
		left -= part
	}
}
