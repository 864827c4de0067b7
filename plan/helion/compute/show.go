package compute

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/part"
	"plimsoll.dev/place/whatif"
	"plimsoll.dev/unit"
)

// Section is the id of the section of compute hosts.
const Section = "compute"

// source is the document's chapter on compute hosts.
var source = derive.Source{Code: "HCG", Section: "4"}

// Result is what other parts of the plan need of the compute hosts.
type Result struct {
	// Hosts is the number of compute hosts, those of a CPE included.
	Hosts derive.Value
	// Options are the node types side by side.
	Options []v1alpha1.Option
	// Layers of one host of the chosen type.
	Layers []v1alpha1.ResourceLayers
}

// planner shows the fleets.
type planner struct {
	part.Sheet
	in     Input
	fleets []Fleet
}

// Plan records the figures of all fleets and tells the chosen one; chosen is the
// index in fleets, -1 when there is none.
func Plan(in Input, fleets []Fleet, chosen int) (Result, *part.Part) {
	p := &planner{Sheet: part.On(in.Book, in.Facts, in.Origin, part.New(Section, "Compute hosts"), "compute"), in: in,
		fleets: fleets}
	r := Result{}
	for i := range fleets {
		f := &fleets[i]
		p.nodes(f, i == chosen)
		total := p.hosts(f, i == chosen)
		o := p.option(f, total)
		if o.Chosen = i == chosen; o.Chosen {
			r.Hosts, o.Verified = total, f.verification(in)
		}
		r.Options = append(r.Options, o)
		p.optionFinding(f, i == chosen)
	}
	if chosen >= 0 {
		f := &fleets[chosen]
		r.Layers = p.layers(f)
		p.Section.Summary = p.summary(f)
		p.pagesTable(f)
		p.machine(f)
		p.density(f)
		p.disks(f)
		p.doubts(f)
		p.bios()
	}
	return r, p.Part
}

// name of a fleet's node type, and the scenario path of it.
func (p *planner) name(f *Fleet) string { return p.in.Scenario.Hardware.NodeTypes[f.Type].Name }

func path(f *Fleet) string { return fmt.Sprintf("hardware.nodeTypes[%d]", f.Type) }

// option is the fleet for the comparison of node types.
func (p *planner) option(f *Fleet, total derive.Value) v1alpha1.Option {
	t := p.in.Scenario.Hardware.NodeTypes[f.Type]
	o := v1alpha1.Option{Name: t.Name, Nodes: []v1alpha1.OptionNodes{{Type: t.Name, Count: f.Total}}, Needed: f.Base,
		Base:  f.Base,
		Total: f.Total, Floor: f.Floor, FloorMethod: f.Method, Given: f.Given, Fits: f.Fits, Why: f.Why,
		Figure: total.From.ID,
		Price:  t.Price * float64(f.Total)}
	if f.Given > 0 && f.Fits {
		o.FitsAt = 1
	}
	if f.Base > 0 {
		o.Total = f.Needed()
	}
	for _, r := range f.Resources {
		o.Utilisation = append(o.Utilisation, shareOf(r))
	}
	return o
}

// verification is what the placement of all VMs on the fleet confirms; nil where not all find a host.
func (f *Fleet) verification(in Input) *v1alpha1.Verification {
	if f.Loads == nil {
		return nil
	}
	v := &v1alpha1.Verification{Status: v1alpha1.Verified, Order: cmp.Or(in.Scenario.Scheduling.Order, whatif.Runs)}
	switch {
	case !f.Fits || !f.Evacuates:
		v.Status, v.Problem = v1alpha1.NotVerified, f.Why
	case !f.Every:
		v.Status = v1alpha1.VerifiedBySample
	}
	if f.Spares > 0 {
		v.Asked = append(v.Asked, "any "+hosts(f.Spares)+words.Form(f.Spares, " fails", " fail"))
	}
	if in.Scenario.Policy.SurviveZoneLoss {
		v.Asked = append(v.Asked, "any zone fails")
	}
	return v
}

// shareOf is a resource of the placement as a share.
func shareOf(r v1alpha1.ClusterResource) v1alpha1.ResourceShare {
	name := unit.None
	if r.Resource == "memory" || r.Resource == "ephemeral-storage" || strings.HasPrefix(r.Resource, "hugepages-") {
		name = unit.ByteUnit
	}
	s := v1alpha1.ResourceShare{Resource: r.Resource, Used: derive.Of(float64(r.Requested), name),
		Total: derive.Of(float64(r.Allocatable), name)}
	if r.Allocatable > 0 {
		s.Share = float64(r.Requested) / float64(r.Allocatable)
	}
	return s
}

// optionFinding says why a fleet does not fit, or what its number implies.
func (p *planner) optionFinding(f *Fleet, chosen bool) {
	if chosen {
		p.problems(f)
	}
	if f.Why == "" || len(f.Problems) > 0 {
		return
	}
	severity, remedy := v1alpha1.Info, ""
	switch {
	case !chosen:
	case !f.Fits:
		severity, remedy = v1alpha1.Error, f.Remedy(p.in)
	case !f.Evacuates:
		severity = v1alpha1.Warning
		remedy = cmp.Or(f.Remedy(p.in),
			fmt.Sprintf("%s hold all VMs when they are packed: migrate VMs before", hosts(f.Base)))
	case f.Setting != "":
		severity, remedy = v1alpha1.Warning, "place with "+f.Setting
	}
	found := p.Find(severity, "compute.option["+p.name(f)+"]", p.name(f)+": "+f.Why, remedy)
	found.Figure, found.Field = "compute.hosts["+p.name(f)+"]", path(f)
	found.Sources = []derive.Source{source}
}

// problems tell what is wrong with flavors and hosts; those of one field are told
// once. Cores that the plan chose for the vSwitch are not the scenario's mistake.
func (p *planner) problems(f *Fleet) {
	told := map[string]bool{}
	for i, bad := range f.Problems {
		if told[bad.Field] {
			continue
		}
		told[bad.Field] = true
		message, fix := bad.Error(), bad.Fix
		if bad.Field == path(f)+".compute.vSwitchCores" && p.ownList(f, "vSwitchCores") == nil {
			message = fmt.Sprintf("%s: the packets ask for %v cores of the vSwitch by NUMA node, and there are too few",
				p.name(f), p.in.VSwitchCores[f.Type])
			fix = "spread the traffic over more hosts, use SR-IOV, or take hosts with more cores"
		}
		alike := -1
		for _, other := range f.Problems {
			if other.Field == bad.Field {
				alike++
			}
		}
		if alike > 0 {
			message += fmt.Sprintf(" (and %d more of the kind)", alike)
		}
		p.Find(v1alpha1.Error, fmt.Sprintf("compute.problem[%d]", i), message, fix).Field = bad.Field
	}
}

// summary is the section in a sentence.
func (p *planner) summary(f *Fleet) string {
	if f.Base == 0 {
		return "the VMs do not fit on " + p.name(f)
	}
	s := fmt.Sprintf("%s of %s; the VMs need %d", derive.Of(float64(f.Total), "hosts"), p.name(f), f.Base)
	switch {
	case f.Floor == f.Base:
		s += ", and no placement needs fewer"
	case f.Floor > 0:
		s += fmt.Sprintf(", and no placement needs fewer than %d", f.Floor)
	}
	return s
}

// density judges the number of VMs on one host.
func (p *planner) density(f *Fleet) {
	if f.Total == 0 {
		return
	}
	name := p.name(f)
	mean := p.Calc("compute.vmsPerHost", "VMs on a compute host in the mean", "VMs", "vms / hosts",
		derive.In("vms", p.in.VMs), derive.In("hosts", p.hostsValue(f)))
	p.Show(mean)
	scale := p.Fact("hcg.scale.vmsPerCompute")
	byScale := derive.Ceil(p.in.VMs.Number / scale.Number)
	p.in.Doubts.Met(8)
	p.in.Doubts.Effect(8, fmt.Sprintf("table 1's %s on a host would make %s; the placement needs %d", scale,
		derive.Of(byScale, "hosts"), f.Base))
	if len(f.Loads) == 0 {
		return
	}
	on := []derive.Input{derive.In("vms", p.in.VMs), derive.In("hosts", p.hostsValue(f))}
	p.Detail(p.Record(derive.Figure{ID: "compute.vmsOnFullest", Title: "VMs on the fullest host of " + name,
		Value: derive.Of(float64(f.Most()), "VMs"), Method: "the placement of all VMs on the planned hosts", Inputs: on}))
	if len(f.After) > 0 {
		p.Detail(p.Record(derive.Figure{ID: "compute.vmsAfterLoss",
			Title:  "VMs on the fullest host of " + name + " after a loss",
			Value:  derive.Of(float64(f.MostAfter()), "VMs"),
			Method: "the VMs of lost hosts placed beside those that run, in every case that was tried", Inputs: on}))
	}
}

// hostsValue cites the number of hosts of a fleet.
func (p *planner) hostsValue(f *Fleet) derive.Value {
	return p.Figure("compute.hosts[" + p.name(f) + "]")
}

// pagesIn is a number of pages as memory.
func pagesIn(pages int64, size unit.Bytes) unit.Bytes {
	return unit.Bytes(math.Min(float64(pages)*float64(size), math.MaxInt64/2))
}
