package compute

import (
	"fmt"

	"plimsoll.dev/derive"
)

// hosts records the number of hosts of a fleet.
func (p *planner) hosts(f *Fleet, chosen bool) derive.Value {
	name := p.name(f)
	floor := derive.Value{}
	if f.Floor > 0 {
		floor = p.Record(derive.Figure{ID: "compute.floor[" + name + "]",
			Title: "Compute hosts that no placement can do without, on " + name,
			Value: derive.Of(float64(f.Floor), "computes"), Method: "proven by " + f.Method + ", whatever the split into pages",
			Inputs: []derive.Input{derive.In("vms", p.in.VMs)}})
	}
	base := p.Record(derive.Figure{ID: "compute.base[" + name + "]", Title: "Compute hosts that hold all VMs, on " + name,
		Value: derive.Of(float64(f.Base), "computes"), Inputs: []derive.Input{derive.In("vms", p.in.VMs)},
		Sources: []derive.Source{source},
		Method: "every VM placed on NUMA nodes, cores, pages and devices, the largest first, " +
			"each on the fullest host that takes it"})
	needed, total := p.needed(f, base)
	if chosen {
		p.Show(base)
		if f.Given > 0 && !p.in.CPE {
			p.Show(needed)
		}
		p.Show(total)
		p.Detail(floor)
	}
	return total
}

// needed records the number of hosts that the VMs need with the spare ones, and the
// number that is planned: the same, unless the scenario states one.
func (p *planner) needed(f *Fleet, base derive.Value) (needed, planned derive.Value) {
	name := p.name(f)
	id, title := "compute.hosts["+name+"]", "Compute hosts with spare ones, of "+name
	figure := derive.Figure{ID: id, Title: title, Value: derive.Of(float64(f.Total), "computes"),
		Sources: []derive.Source{source}}
	switch {
	case p.in.CPE:
		figure.Method, figure.Inputs = "the pair of a CPE; each host can carry all VMs alone",
			[]derive.Input{derive.In("base", base)}
	case f.Base == 0:
		figure.Method = "no number of such hosts holds the VMs"
		if f.Given > 0 {
			return derive.Value{}, p.given(f)
		}
	case f.Given > 0:
		figure.ID, figure.Title = "compute.needed["+name+"]", "Compute hosts that the VMs need with spare ones, on "+name
		figure.Value = derive.Of(float64(f.Needed()), "computes")
		p.withSpares(f, base, &figure)
		return p.Record(figure), p.given(f)
	default:
		p.withSpares(f, base, &figure)
	}
	v := p.Record(figure)
	return v, v
}

// given records the number of hosts that the scenario states.
func (p *planner) given(f *Fleet) derive.Value {
	given := derive.Given(path(f)+".count", f.Given, "computes")
	return p.Record(derive.Figure{ID: "compute.hosts[" + p.name(f) + "]",
		Title: "Compute hosts as the scenario states them, of " + p.name(f),
		Value: derive.Of(float64(f.Given), "computes"), Formula: "given", Inputs: []derive.Input{derive.In("given", given)},
		Sources: []derive.Source{source}})
}

// withSpares is the formula of the hosts that the VMs need with the spare ones.
func (p *planner) withSpares(f *Fleet, base derive.Value, figure *derive.Figure) {
	figure.Formula, figure.Inputs = "base + spare",
		[]derive.Input{derive.In("base", base), derive.In("spare", p.in.Spares)}
	if f.Least > f.Base {
		figure.Formula = "max(base, ceil(vms / mostOnOne)) + spare"
		figure.Inputs = append(figure.Inputs, derive.In("vms", p.in.VMs), derive.In("mostOnOne", p.in.mostVMs()))
	}
	if f.Beyond > 0 {
		beyond := p.Record(derive.Figure{ID: "compute.beyond[" + p.name(f) + "]",
			Title: "Compute hosts beyond the spare ones, of " + p.name(f),
			Value: derive.Of(float64(f.Beyond), "computes"), Inputs: []derive.Input{derive.In("vms", p.in.VMs)},
			Method: fmt.Sprintf("all VMs placed in the order of arrival on more and more hosts, and hosts lost, "+
				"until all run with no more than %s on one; %s", p.in.mostVMs(), f.tried())})
		figure.Formula += " + beyond"
		figure.Inputs = append(figure.Inputs, derive.In("beyond", beyond))
	}
}

// tried says which numbers of hosts were tried.
func (f *Fleet) tried() string {
	if f.Each {
		return "every smaller number from the floor on was tried"
	}
	return "not every smaller number was tried, for the VMs are many"
}
