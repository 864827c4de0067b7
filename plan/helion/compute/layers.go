package compute

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/unit"
)

// nodes records what each NUMA node of a fleet's hosts leaves for VMs.
func (p *planner) nodes(f *Fleet, chosen bool) {
	var memory, cores, cpus []derive.Value
	nodes := p.in.Nodes(f.Type)
	for i := range nodes {
		memory = append(memory, p.nodeMemory(f, i, nodes[i], len(nodes)))
		c := p.nodeCores(f, i, nodes[i])
		cores = append(cores, c)
		cpus = append(cpus, p.Found(p.id("cpus", f, i), fmt.Sprintf("Logical CPUs for VMs on node %d of %s", i, p.name(f)),
			float64(nodes[i].VMCPUs()), "CPUs",
			"cores * threads", derive.In("cores", c),
			derive.In("threads", p.Origin.Value(path(f)+".topology", float64(nodes[i].Threads), "threads"))))
	}
	if len(nodes) == 0 {
		return
	}
	sums := []derive.Value{p.sum("memory", "Memory for VMs on a host of ", unit.ByteUnit, f, memory),
		p.sum("cores", "Physical cores for VMs on a host of ", "cores", f, cores),
		p.sum("cpus", "Logical CPUs for VMs on a host of ", "CPUs", f, cpus)}
	if chosen {
		p.Show(sums...)
		p.Detail(slices.Concat(memory, cores, cpus)...)
		p.nodeTable(f, nodes, memory, cores, cpus)
	}
}

// id is that of a figure of NUMA node i.
func (p *planner) id(name string, f *Fleet, i int) string {
	return fmt.Sprintf("compute.%s[%s/%d]", name, p.name(f), i)
}

// sum records the sum over the NUMA nodes.
func (p *planner) sum(name, title, unitName string, f *Fleet, parts []derive.Value) derive.Value {
	var t derive.Terms
	for i, v := range parts {
		t.Product(derive.In(fmt.Sprintf("node%d", i), v))
	}
	id := "compute." + name + "[" + p.name(f) + "]"
	v := p.Calc(id, title+p.name(f), unitName, t.Of("sum"), t.In...)
	p.Note(id, "the sum misleads: a virtual NUMA node has to fit on one NUMA node", source)
	return v
}

// nodeMemory records the memory that NUMA node i leaves for VMs.
func (p *planner) nodeMemory(f *Fleet, i int, n Node, of int) derive.Value {
	c, at := p.stated(f), path(f)
	whole := p.Origin.Value(at+".memory", float64(p.in.Scenario.Hardware.NodeTypes[f.Type].Memory), unit.ByteUnit)
	formula, in := "memory / nodes", []derive.Input{derive.In("memory", whole),
		derive.In("nodes", p.Origin.Value(at+".topology", float64(of), "NUMA nodes"))}
	if whole.Number/float64(of) != float64(n.Memory) {
		formula, in = "node", []derive.Input{
			derive.In("node", p.Origin.Value(at+".memory", float64(n.Memory), unit.ByteUnit)),
		}
	}
	subtract := func(name string, v derive.Value) {
		formula += " - " + name
		in = append(in, derive.In(name, v))
	}
	if c != nil && c.PlatformMemory != nil {
		subtract("platform", p.ofList(f, "platformMemory", float64(n.Platform), unit.ByteUnit))
	} else {
		first, each := cloud.PlatformMemory(p.in.Facts, p.in.Rules(), p.in.CPE)
		if i == 0 {
			subtract("base", first.Value())
		}
		subtract("perNode", each.Value())
	}
	if c != nil && c.VSwitchMemory != nil {
		subtract("vswitch", p.ofList(f, "vSwitchMemory", float64(n.VSwitch), unit.ByteUnit))
	} else {
		subtract("vswitch", p.in.fact("vswitchMemoryPerNode"))
	}
	v := p.Found(p.id("memory", f, i), fmt.Sprintf("Memory for VMs on node %d of %s", i, p.name(f)), float64(n.VMMemory()),
		unit.ByteUnit, "max(0, "+formula+")", in...)
	note := ""
	if i == 0 {
		note = "the document does not say where the platform's share lies; StarlingX keeps it on node 0"
	}
	p.Note(p.id("memory", f, i), note, source)
	return v
}

// nodeCores records the physical cores that NUMA node i leaves for VMs.
func (p *planner) nodeCores(f *Fleet, i int, n Node) derive.Value {
	in := []derive.Input{derive.In("cores", p.Origin.Value(path(f)+".topology", float64(n.Cores), "cores")),
		derive.In("platform", p.kept(f, "platformCores", n.PlatformCores, i)),
		derive.In("vswitch", p.kept(f, "vSwitchCores", n.VSwitchCores, i)),
		derive.In("shared", p.kept(f, "sharedCores", n.SharedCores, i))}
	v := p.Found(p.id("cores", f, i), fmt.Sprintf("Physical cores for VMs on node %d of %s", i, p.name(f)),
		float64(n.VMCores()), "cores", "max(0, cores - platform - vswitch - shared)", in...)
	p.Note(p.id("cores", f, i), "", source)
	return v
}

// stated is the compute section that holds for the fleet's hosts; nil is none.
func (p *planner) stated(f *Fleet) *v1alpha1.Compute {
	if f.Pool.Reserve != nil {
		return f.Pool.Reserve
	}
	return p.in.Scenario.Hardware.NodeTypes[f.Type].Compute
}

// kept is a number of cores with the place it comes from: the scenario's list, a fact,
// or the vSwitch's need.
func (p *planner) kept(f *Fleet, field string, n, i int) derive.Value {
	if i == 0 && n > 0 {
		for _, name := range []string{"platformCores", "vswitchCores"} {
			if v := p.in.fact(name); strings.EqualFold(name, field) && v.Number == float64(n) && p.ownList(f, field) == nil {
				return v
			}
		}
	}
	if need, ok := p.Get("neutron.cores[" + p.name(f) + "]"); ok && field == "vSwitchCores" &&
		int(need.Value.Number) == n && p.ownList(f, field) == nil {
		return derive.Cite(need)
	}
	return p.ofList(f, field, float64(n), "cores")
}

// ownList is the scenario's list of cores of the field; nil when it has none.
func (p *planner) ownList(f *Fleet, field string) []int {
	c := p.in.Scenario.Hardware.NodeTypes[f.Type].Compute
	if c == nil {
		return nil
	}
	return map[string][]int{"platformCores": c.PlatformCores, "vSwitchCores": c.VSwitchCores,
		"sharedCores": c.SharedCores}[field]
}

// ofList is an entry of a list of the compute section.
func (p *planner) ofList(f *Fleet, field string, number float64, unitName string) derive.Value {
	at := path(f) + ".compute." + field
	if p.ownList(f, field) == nil {
		return derive.Default(at, number, unitName)
	}
	return p.Origin.Value(at, number, unitName)
}

// pagesTable records the split into pages and lists it.
func (p *planner) pagesTable(f *Fleet) {
	if f.Fixed || len(f.Split.Medium) == 0 {
		return
	}
	nodes := p.in.Nodes(f.Type)
	t := p.Table("compute.pages", "Pages for VMs on each NUMA node of "+p.name(f), part.Right("Node"),
		part.Right("1 GiB pages"), part.Right("2 MiB pages"), part.Right("Memory of 4 KiB pages"))
	how := "the document's default: all pages of 2 MiB, for no VM names another size"
	switch {
	case f.Tried <= 1 && !slices.ContainsFunc(f.Split.Medium, func(n int64) bool { return n > 0 }):
		how = "all memory in pages of 4 KiB, which all VMs take by the rules of " + string(p.in.Rules())
	case f.Tried > 1:
		which := "all VMs"
		if f.Sampled > 0 {
			which = derive.Of(float64(f.Sampled), "VMs").Text + " in the proportion of all"
		}
		how = fmt.Sprintf("the best of %d splits, by placing %s with each: as the sizes that the VMs name ask for",
			f.Tried, which)
	}
	for i := range nodes {
		row := []v1alpha1.Cell{part.Num(derive.Of(float64(i), unit.None))}
		for _, x := range []struct {
			size  string
			pages int64
		}{{"1Gi", f.Split.Large[i]}, {"2Mi", f.Split.Medium[i]}} {
			v := p.Record(derive.Figure{ID: p.id("pages"+x.size, f, i),
				Title: fmt.Sprintf("Pages of %s on node %d of %s", x.size, i, p.name(f)),
				Value: derive.Of(float64(x.pages), "pages"), Method: how,
				Inputs: []derive.Input{derive.In("memory", p.Figure(p.id("memory", f, i)))}, Sources: []derive.Source{source}})
			p.Detail(v)
			row = append(row, part.Bare(v))
		}
		left := nodes[i].VMMemory() - pagesIn(f.Split.Large[i], Large) - pagesIn(f.Split.Medium[i], Medium)
		t.Rows = append(t.Rows, append(row, part.Num(derive.Of(float64(left), unit.ByteUnit))))
	}
	t.Notes = []string{how}
}
