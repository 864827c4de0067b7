package topo

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/unit"
)

// Check returns everything that doesn't add up, as "what is wrong (what would be
// right)", CPUs first. A machine of Parse has no problems.
func (m Machine) Check() []error {
	c := &checker{m: m, nodes: map[int]bool{}}
	for _, n := range m.Nodes {
		c.nodes[n.ID] = true
	}
	c.cpus()
	c.cores()
	for i := range m.Nodes {
		c.node(i)
	}
	c.devices()
	return c.problems
}

// checker collects the problems of one machine.
type checker struct {
	m        Machine
	nodes    map[int]bool // ids that there are
	problems []error
}

func (c *checker) bad(format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf(format, args...))
}

func (c *checker) cpus() {
	switch n := len(c.m.CPUs); {
	case n == 0:
		c.bad("the machine has no CPU (at least 1)")
	case n > unit.MaxCPUs:
		c.bad("%d CPUs are too many (at most %d)", n, unit.MaxCPUs)
	}
	for i, cpu := range c.m.CPUs {
		switch {
		case cpu.ID < 0 || cpu.ID >= unit.MaxCPUs:
			c.bad("CPU %d is out of range (0 to %d)", cpu.ID, unit.MaxCPUs-1)
		case i > 0 && cpu.ID == c.m.CPUs[i-1].ID:
			c.bad("CPU %d stands twice (each once)", cpu.ID)
		case i > 0 && cpu.ID < c.m.CPUs[i-1].ID:
			c.bad("CPU %d stands behind CPU %d (in the order of their numbers)", cpu.ID, c.m.CPUs[i-1].ID)
		}
		if !c.nodes[cpu.Node] {
			c.bad("CPU %d is on NUMA node %d, which there is not (%s)", cpu.ID, cpu.Node, c.knownNodes())
		}
		if cpu.Socket < 0 || cpu.Cache < 0 {
			c.bad("CPU %d has socket %d and cache %d (ids from 0)", cpu.ID, cpu.Socket, cpu.Cache)
		}
	}
}

func (c *checker) knownNodes() string {
	return fmt.Sprintf("there are %v", slices.Sorted(maps.Keys(c.nodes)))
}

// cores demands that a core lies in one place and is named by its lowest CPU.
func (c *checker) cores() {
	first := map[int]CPU{} // the lowest CPU of each core
	for _, cpu := range c.m.CPUs {
		f, seen := first[cpu.Core]
		if !seen {
			f, first[cpu.Core] = cpu, cpu
		}
		switch {
		case !seen && cpu.ID != cpu.Core:
			c.bad("the core of CPU %d is called %d (a core has the number of its lowest CPU)", cpu.ID, cpu.Core)
		case f.Socket != cpu.Socket:
			c.bad("core %d lies on sockets %d and %d (its CPUs are on one)", cpu.Core, f.Socket, cpu.Socket)
		case f.Node != cpu.Node:
			c.bad("core %d lies on NUMA nodes %d and %d (its CPUs are on one)", cpu.Core, f.Node, cpu.Node)
		case f.Cache != cpu.Cache:
			c.bad("core %d has caches %d and %d (its CPUs share one)", cpu.Core, f.Cache, cpu.Cache)
		}
	}
	if len(c.m.Nodes) == 0 {
		c.bad("the machine has no NUMA node (at least 1)")
	} else if len(c.m.Nodes) > MaxNodes {
		c.bad("%d NUMA nodes are too many (at most %d)", len(c.m.Nodes), MaxNodes)
	}
}

func (c *checker) node(i int) {
	n := c.m.Nodes[i]
	switch {
	case n.ID < 0 || n.ID >= MaxNodes:
		c.bad("NUMA node %d is out of range (0 to %d)", n.ID, MaxNodes-1)
	case i > 0 && n.ID == c.m.Nodes[i-1].ID:
		c.bad("NUMA node %d stands twice (each once)", n.ID)
	case i > 0 && n.ID < c.m.Nodes[i-1].ID:
		c.bad("NUMA node %d stands behind NUMA node %d (in the order of their ids)", n.ID, c.m.Nodes[i-1].ID)
	}
	if n.Distances != nil && len(n.Distances) != len(c.m.Nodes) {
		c.bad("NUMA node %d has %d distances (one to each of the %s)", n.ID, len(n.Distances),
			counted(len(c.m.Nodes), "node"))
	} else {
		c.distances(i)
	}
	c.memory(n)
}

// distances follow ACPI: 10 is local, 255 unreachable.
func (c *checker) distances(i int) {
	const unreachable = 255
	for j, d := range c.m.Nodes[i].Distances {
		from, to := c.m.Nodes[i].ID, c.m.Nodes[j].ID
		switch {
		case i == j && d != LocalDistance:
			c.bad("NUMA node %d has a distance of %d to itself (%d)", from, d, LocalDistance)
		case d < LocalDistance || d > unreachable:
			c.bad("the distance of NUMA nodes %d and %d is %d (%d to %d)", from, to, d, LocalDistance, unreachable)
		}
	}
}

func (c *checker) memory(n Node) {
	if n.Memory < 0 {
		c.bad("NUMA node %d has %s of memory (at least 0)", n.ID, n.Memory)
	}
	rest, fits := n.Memory, true
	for _, name := range slices.Sorted(maps.Keys(n.HugePages)) {
		amount := n.HugePages[name]
		size, err := unit.ParseBytes(name)
		switch {
		case err != nil || size <= 0:
			c.bad("NUMA node %d has pages of the size %s (such as 2Mi or 1Gi)", n.ID, quote(name))
		case amount < 0 || amount%size != 0:
			c.bad("NUMA node %d has %s in pages of %s (whole pages)", n.ID, amount, name)
		}
		if fits = fits && amount <= rest; fits {
			rest -= max(0, amount)
		}
	}
	if !fits {
		c.bad("the huge pages of NUMA node %d exceed its memory of %s (they are part of it)", n.ID, n.Memory)
	}
}

func (c *checker) devices() {
	seen := map[[2]string]bool{}
	for _, d := range c.m.Devices {
		key := [2]string{d.Resource, d.ID}
		switch {
		case d.Resource == "" || d.ID == "":
			c.bad("device %s has no id or no resource (such as gpu-0 and nvidia.com/gpu)", quote(d.Resource+d.ID))
		case seen[key]:
			c.bad("device %s of %s stands twice (each id once)", quote(d.ID), quote(d.Resource))
		}
		seen[key] = true
		for _, n := range d.Nodes {
			if !c.nodes[n] {
				c.bad("device %s of %s is on NUMA node %d, which there is not (%s)", quote(d.ID), quote(d.Resource), n,
					c.knownNodes())
			}
		}
	}
}
