package compute

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

// nodeTable lists what each NUMA node has, keeps and leaves: memory, then cores.
func (p *planner) nodeTable(f *Fleet, nodes []Node, memory, cores, cpus []derive.Value) {
	bytes := func(b unit.Bytes) v1alpha1.Cell { return part.Num(derive.Of(float64(b), unit.ByteUnit)) }
	count := func(n int) v1alpha1.Cell { return part.Num(derive.Of(float64(n), unit.None)) }
	t := p.Table("compute.nodes", "Memory of each NUMA node of "+p.name(f), part.Right("Node"), part.Right("In all"),
		part.Right("Platform"), part.Right("vSwitch"), part.Right("For VMs"))
	for i, n := range nodes {
		t.Rows = append(t.Rows, []v1alpha1.Cell{count(i), bytes(n.Memory), bytes(n.Platform), bytes(n.VSwitch),
			part.Num(memory[i])})
	}
	t = p.Table("compute.cores", "Physical cores of each NUMA node of "+p.name(f), part.Right("Node"),
		part.Right("In all"),
		part.Right("Platform"), part.Right("vSwitch"), part.Right("Shared vCPUs"), part.Right("For VMs"),
		part.Right("Logical CPUs for VMs"))
	for i, n := range nodes {
		t.Rows = append(t.Rows, []v1alpha1.Cell{count(i), count(n.Cores), count(n.PlatformCores), count(n.VSwitchCores),
			count(n.SharedCores), part.Bare(cores[i]), part.Bare(cpus[i])})
	}
}
