package cloud

import (
	"cmp"
	"errors"
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/place/machine"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// hostType is a type of host: as package nova sees it, and what is told of it.
type hostType struct {
	pool Pool
	node *v1alpha1.NodeType
	// machine with its memory; uses by CPU of those that are kept back or float.
	machine topo.Machine
	uses    map[int]string
	// empty is the host without a VM.
	empty *nova.Host
	// kept is the memory of each NUMA node that is kept back.
	kept []unit.Bytes
	// disk is the room for VMs on local disks; unstated when the node type names no disks.
	disk         int64
	diskUnstated bool
	// rest says that the memory beside the pools that are given is in pages of the default size.
	rest bool
	// backing of the local disks; empty is not decided.
	backing string
}

// How CPUs of a host are used that no VM owns.
const (
	usePlatform   = "platform"
	useVSwitch    = "vswitch"
	useSharedVCPU = "sharedVCPU"
	useFloating   = "floating"
	useExclusive  = "exclusive"
	useIdle       = "idle"
)

// Host is one host of the pool, empty, as package nova sees it: what is left for
// VMs. The errors are Problems.
func Host(s *v1alpha1.Scenario, p Pool) (*nova.Host, error) {
	w, problems := build(s, p)
	if len(problems) > 0 {
		var list []error
		for _, p := range problems {
			list = append(list, p)
		}
		return nil, errors.Join(list...)
	}
	return w.empty, nil
}

// builder makes one type of host.
type builder struct {
	hostType
	s       *v1alpha1.Scenario
	rules   nova.Rules
	facts   *facts.Catalogue
	compute v1alpha1.Compute
	at      string
	cores   [][][]int // by NUMA node, cores in order, their CPUs
	wrong   []Problem
}

func (b *builder) bad(field, fix, format string, args ...any) {
	b.wrong = append(b.wrong, Problem{Field: b.at + field, Text: fmt.Sprintf(format, args...), Fix: fix})
}

// build makes a type of host.
func build(s *v1alpha1.Scenario, p Pool) (hostType, []Problem) {
	if p.Type < 0 || p.Type >= len(s.Hardware.NodeTypes) {
		return hostType{}, []Problem{{Field: "hardware.nodeTypes", Text: fmt.Sprintf("there is no node type %d", p.Type),
			Fix: "name one that is listed"}}
	}
	b := &builder{s: s, rules: rulesOf(s), facts: facts.Load(), at: fmt.Sprintf("hardware.nodeTypes[%d]", p.Type)}
	b.pool, b.node = p, &s.Hardware.NodeTypes[p.Type]
	switch {
	case p.Reserve != nil:
		b.compute = *p.Reserve
	case b.node.Compute != nil:
		b.compute = *b.node.Compute
	}
	if n := b.node.CPUs; b.node.Topology == "" && p.Machine == nil && (n < 1 || n > unit.MaxCPUs) {
		b.bad(".cpus", fmt.Sprintf("1 to %d, or a topology", unit.MaxCPUs),
			"VMs can't be placed on the cores of a host of %d CPUs", n)
		return b.hostType, b.wrong
	}
	b.machine = machine.Of(b.node, p.Machine)
	b.uses = map[int]string{}
	b.backing = b.compute.LocalBacking
	b.empty = &nova.Host{PackNodes: s.Scheduling.NUMAStrategy == "pack", CPUAllocationRatio: b.cpuRatio(),
		RAMAllocationRatio: cmp.Or(float64(b.compute.RAMAllocationRatio), 1)}
	for _, e := range b.machine.Check() {
		b.bad(".topology", "describe a machine with CPUs on every NUMA node", "%v", e)
	}
	if len(b.wrong) > 0 {
		return b.hostType, b.wrong
	}
	b.cells()
	b.memory()
	b.devices()
	b.localDisks()
	b.empty.Prepare()
	return b.hostType, b.wrong
}

// rulesOf are the rules by which the scenario's VMs are placed.
func rulesOf(s *v1alpha1.Scenario) nova.Rules {
	return nova.Rules(cmp.Or(s.Scheduling.Rules, string(nova.HCG40)))
}

// cpuRatio is the number of floating vCPUs for each CPU. Before Nova's own rules
// it can't be configured.
func (b *builder) cpuRatio() float64 {
	if b.rules != nova.Nova {
		return b.fact("hcg.cpu.overcommit")
	}
	return cmp.Or(float64(b.compute.CPUAllocationRatio), b.fact("nova.cpu.allocationRatio"))
}

func (b *builder) fact(id string) float64 { return b.facts.Must(id).Value().Number }

// cells make the NUMA nodes with their cores.
func (b *builder) cells() {
	for _, n := range b.machine.Nodes {
		c := nova.HostCell{ID: n.ID}
		var cores [][]int
		for _, core := range b.machine.Cores(n.ID) {
			var cpus []int
			for _, cpu := range core {
				cpus = append(cpus, cpu.ID)
				c.Socket = cpu.Socket
			}
			cores = append(cores, cpus)
			c.Siblings = append(c.Siblings, unit.CPUSetOf(cpus...))
		}
		b.cores = append(b.cores, cores)
		b.empty.Cells = append(b.empty.Cells, c)
	}
	b.shareOut()
}

// shareOut gives the lowest cores of each NUMA node to the platform, the next to
// the vSwitch, to shared vCPUs and to floating VMs; the rest is for VMs.
func (b *builder) shareOut() {
	parts := []struct {
		field, use string
		cores      []int
	}{
		{"platformCores", usePlatform, b.platformCores()},
		{"vSwitchCores", useVSwitch, b.vSwitchCores()},
		{"sharedCores", useSharedVCPU, b.compute.SharedCores},
		{"floatingCores", useFloating, b.floatingCores()},
	}
	for i := range b.empty.Cells {
		cell, left := &b.empty.Cells[i], b.cores[i]
		for _, p := range parts {
			k := entry(p.cores, i)
			if k > len(left) {
				b.bad(".compute."+p.field, "keep back fewer cores there", "NUMA node %d has %s, and %s in all are kept back",
					cell.ID, words.Count(len(b.cores[i]), "core"), words.Count(len(b.cores[i])-len(left)+k, "core"))
				break
			}
			b.give(cell, left[:k], p.use)
			left = left[k:]
		}
		b.give(cell, left, "")
		if b.rules != nova.Nova {
			cell.Shared = cell.Dedicated // whatever is not pinned is shared
		}
	}
	for _, p := range parts {
		if len(p.cores) > len(b.empty.Cells) {
			b.bad(".compute."+p.field, "one entry for each NUMA node", "%d entries for %s", len(p.cores),
				words.Count(len(b.empty.Cells), "NUMA node"))
		}
	}
}

// give lets cores of a NUMA node be used for something; empty is for pinned VMs.
func (b *builder) give(cell *nova.HostCell, cores [][]int, use string) {
	for _, core := range cores {
		for _, cpu := range core {
			if use != "" {
				b.uses[cpu] = use
			}
			switch use {
			case useSharedVCPU:
				cell.SharedVCPU.Add(cpu)
			case useFloating:
				cell.Shared.Add(cpu)
			case "":
				cell.Dedicated.Add(cpu)
			}
		}
	}
	cell.VSwitch = cell.VSwitch || use == useVSwitch && len(cores) > 0
}

// platformCores are those of the platform; on hosts of a CPE, with those of the
// controller.
func (b *builder) platformCores() []int {
	if b.compute.PlatformCores != nil {
		return b.compute.PlatformCores
	}
	n := int(b.fact("hcg.compute.platformCores"))
	if b.pool.CPE {
		threads := 1
		if len(b.cores) > 0 && len(b.cores[0]) > 0 {
			threads = len(b.cores[0][0])
		}
		n += (int(b.fact("hcg.cpe.controllerCPUs")) + threads - 1) / threads
	}
	return []int{n}
}

func (b *builder) vSwitchCores() []int {
	if b.compute.VSwitchCores != nil {
		return b.compute.VSwitchCores
	}
	return []int{int(b.fact("hcg.compute.vswitchCores"))}
}

// floatingCores are those that only floating VMs run on. With the rules of nova
// and none given, all cores are theirs when no VM pins CPUs, as Nova has it when
// neither set is configured; else they have none.
func (b *builder) floatingCores() []int {
	switch {
	case b.rules != nova.Nova:
		return nil
	case b.compute.FloatingCores != nil:
		return b.compute.FloatingCores
	case pinsCPUs(b.s):
		return nil
	}
	all := make([]int, len(b.cores))
	for i := range all {
		all[i] = max(0, len(b.cores[i])-entry(b.platformCores(), i)-entry(b.vSwitchCores(), i)-
			entry(b.compute.SharedCores, i))
	}
	return all
}

// entry is the i-th of a list, 0 beyond its end.
func entry[T int | int64 | unit.Bytes](list []T, i int) T {
	if i < len(list) {
		return list[i]
	}
	return 0
}
