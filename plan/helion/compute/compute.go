// Package compute dimensions the compute hosts of a Helion cloud: what each NUMA
// node leaves for VMs, how its memory is best split into pages, the disks, and the
// number of hosts by placing every VM on its NUMA nodes, spare hosts included
// (HCG 4).
//
// It decides no place itself: package place/cloud does; and it neither chooses the
// deployment model nor checks the network.
//
//	f := compute.Count(in, 0)
//	f.Base, f.Floor, f.Total // 8, 7, 9
//	p := compute.Plan(in, []compute.Fleet{f}, 0)
package compute

import (
	"cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/place/machine"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// Input is what the compute hosts are dimensioned from.
type Input struct {
	// Book takes the figures "compute.*".
	Book *derive.Book
	// Facts is the catalogue, with the scenario's measurements in it.
	Facts *facts.Catalogue
	// Doubts takes the doubtful rows that were met: 8, 15, 16, 17, 19, 20, 21 and 23.
	Doubts *doubt.Log
	// Origin tells which fields were assumed.
	Origin *part.Origin
	// Scenario with the VMs as they are to be placed: growth included, on no host yet.
	Scenario *v1alpha1.Scenario
	// Machines that were read from files, by node type name; may be nil.
	Machines map[string]topo.Machine
	// CPE says that the hosts are the two of a CPE.
	CPE bool
	// Spares are the hosts that may be lost together.
	Spares derive.Value
	// Margin is policy.margin, a ratio.
	Margin derive.Value
	// VMs of the cloud.
	VMs derive.Value
	// Images are the numbers of the scenario's images with growth, in its order; without
	// them the scenario's own count.
	Images []derive.Value
	// Choices are the backings of the servers' local disks, in the servers' order.
	Choices []Choice
	// VSwitchCores by NUMA node that the packet rates need, by node type index; a type
	// without an entry keeps the default.
	VSwitchCores map[int][]int
	// Trial leaves remedies out.
	Trial bool
}

// Types are the indices of the node types that may run VMs.
func (in Input) Types() []int {
	var out []int
	for i, t := range in.Scenario.Hardware.NodeTypes {
		if t.Role == "compute" {
			out = append(out, i)
		}
	}
	return out
}

// Rules by which the VMs are placed.
func (in Input) Rules() nova.Rules {
	return nova.Rules(cmp.Or(in.Scenario.Scheduling.Rules, string(nova.HCG40)))
}

func (in Input) fact(name string) derive.Value { return in.Facts.Must("hcg.compute." + name).Value() }

// Machine of the node type with the index.
func (in Input) Machine(index int) topo.Machine {
	t := &in.Scenario.Hardware.NodeTypes[index]
	return machine.Of(t, in.read(index))
}

// read is the machine that was read for the node type; nil without one.
func (in Input) read(index int) *topo.Machine {
	if m, ok := in.Machines[in.Scenario.Hardware.NodeTypes[index].Name]; ok {
		return &m
	}
	return nil
}

// keep is what hosts keep back where the scenario says nothing.
func (in Input) keep() Keep {
	first, each := cloud.PlatformMemory(in.Facts, in.Rules(), in.CPE)
	k := Keep{
		Base:          unit.Bytes(first.Number),
		PerNode:       unit.Bytes(each.Number),
		VSwitch:       unit.Bytes(in.fact("vswitchMemoryPerNode").Number),
		PlatformCores: int(in.fact("platformCores").Number), VSwitchCores: int(in.fact("vswitchCores").Number),
	}
	if in.CPE {
		k.ControllerCPUs = int(in.Facts.Must("hcg.cpe.controllerCPUs").Number)
	}
	return k
}

// Reserve is the compute section that the plan gives hosts of the type, and nil when
// it changes nothing: the vSwitch's cores where the scenario leaves them open, and the
// document's flat 10 GB for the platform where its own reading is asked for.
func (in Input) Reserve(index int) *v1alpha1.Compute {
	var r v1alpha1.Compute
	if c := in.Scenario.Hardware.NodeTypes[index].Compute; c != nil {
		r = *c
	}
	changed := false
	if cores := in.VSwitchCores[index]; cores != nil && r.VSwitchCores == nil {
		r.VSwitchCores, changed = cores, true
	}
	if in.Doubts.AsPrinted() && !in.CPE && r.PlatformMemory == nil {
		n := len(in.Machine(index).Nodes)
		r.PlatformMemory, changed = printedMemory(unit.Bytes(in.fact("platformMemoryPrinted").Number), in.keep(), n), true
	}
	if !changed {
		return nil
	}
	return &r
}

// printedMemory is the flat total of the document by NUMA node: KVM's share on each
// node as far as it goes, the rest on node 0.
func printedMemory(total unit.Bytes, k Keep, nodes int) []unit.Bytes {
	each := min(k.PerNode, total/unit.Bytes(max(1, nodes)))
	out := make([]unit.Bytes, nodes)
	for i := range out {
		out[i] = each
	}
	if nodes > 0 {
		out[0] += total - each*unit.Bytes(nodes)
	}
	return out
}

// Nodes are the NUMA nodes of a host of the type, cut into what is kept and left.
func (in Input) Nodes(index int) []Node {
	r := Reserve{}
	c := in.Reserve(index)
	if c == nil {
		c = in.Scenario.Hardware.NodeTypes[index].Compute
	}
	if c != nil {
		r = Reserve{PlatformMemory: c.PlatformMemory, VSwitchMemory: c.VSwitchMemory, PlatformCores: c.PlatformCores,
			VSwitchCores: c.VSwitchCores, SharedCores: c.SharedCores, FloatingCores: c.FloatingCores}
	}
	return Left(in.Machine(index), in.keep(), r)
}

// pool is a number of hosts of the type as they are planned, but for the pages.
func (in Input) pool(index, count int) cloud.Pool {
	return cloud.Pool{Type: index, Count: count, CPE: in.CPE, Reserve: in.Reserve(index),
		Machine: in.read(index)}
}
