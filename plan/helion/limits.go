package helion

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/plan/helion/model"
)

// limits measures the system against tables 1 and 12.
func (p *planner) limits() {
	s := part.New("limits", "Limits of the release")
	p.put(s)
	name := p.model.Chosen
	p.gauge(s, "vms", "VMs", p.load.vms, "hcg.max.vms")
	if name == controller.Controller || name == controller.CPE {
		p.gauge(s, "vmsOfModel", "VMs of a cloud with "+model.Title(name), p.load.vms, "hcg.model.vms/"+name)
	}
	if name != controller.CPE {
		p.gauge(s, "computes", "Compute hosts", p.computes, "hcg.max.computes")
	}
	if name == controller.Controller {
		p.gauge(s, "computesTypical", "Compute hosts that are typical of controller storage", p.computes,
			"hcg.model.computes/"+name)
	}
	p.gauge(s, "storageHosts", "Storage hosts", p.ceph.Hosts, "hcg.max.storageHostsTheoretical", "hcg.max.storageHosts")
	p.untestedStorage(s)
	p.pairOfControllers(s)
	p.crowded(s)
	p.mix(s)
}

// mix tells of VMs that in the mean are larger than any of those with which the numbers of VMs
// and hosts of table 1 were tested.
func (p *planner) mix(s *part.Part) {
	if p.load.vms.Number == 0 {
		return
	}
	var mean [3]float64
	for i := range p.load.s.Workload.Servers {
		sv := &p.load.s.Workload.Servers[i]
		if f, _ := p.flavorOf(sv); f != nil {
			share := p.load.servers[i].Number / p.load.vms.Number
			for j, v := range [3]float64{float64(f.VCPUs), float64(f.RAM), float64(len(sv.Ports))} {
				mean[j] += v * share
			}
		}
	}
	var larger []string
	for i, name := range []string{"vcpus", "ram", "ports"} {
		if most := p.c.Must("hcg.mix." + name).Value(); mean[i] > most.Number*(1+binary) {
			larger = append(larger, fmt.Sprintf("%s (%s at most)", derive.Of(mean[i], most.Unit), most))
		}
	}
	if len(larger) > 0 {
		s.Find(v1alpha1.Info, "limits.mix", "a VM has "+words.And(larger)+" in the mean: the numbers of VMs and hosts in "+
			"table 1 were tested with smaller ones", "test them with VMs of yours").Sources = []derive.Source{
			p.c.Must("hcg.mix.vcpus").Source}
	}
}

// binary is what 4 GiB, as flavors have it, are more than 4 GB.
const binary = 0.08

// untestedStorage warns of more storage hosts than the document's lab had.
func (p *planner) untestedStorage(s *part.Part) {
	tested, _, ok := p.limitOf("hcg.max.storageHosts")
	if !ok || p.ceph.Hosts.Number <= tested.Number {
		return
	}
	f := s.Find(v1alpha1.Warning, "limits.storageHostsTested",
		fmt.Sprintf("%s: %s are tested; up to %s are a figure of theory", p.ceph.Hosts, tested.Printed(),
			p.c.Must("hcg.max.storageHostsTheoretical/4.0").Printed()),
		"take more or larger disks on fewer hosts, or test so many")
	f.Figure, f.Sources = "ceph.hosts", []derive.Source{tested.Source}
}

// pairOfControllers compares the controllers that the scenario counts, of a region or
// of all, with those of the model.
func (p *planner) pairOfControllers(s *part.Part) {
	counted, needed := p.stated("controller", "controllers"), p.controllerCount()
	if p.model.Chosen == controller.CPE || counted.Number == 0 || counted.Number == needed.Number ||
		counted.Number == needed.Number*float64(p.regions) {
		return
	}
	row, _, _ := p.limitOf("hcg.max.controllers")
	s.FindAt(v1alpha1.Error, "limits.controllers", "hardware.nodeTypes",
		fmt.Sprintf("%s counted; a region has %s, no more and no fewer: two are required for redundancy", counted, needed),
		fmt.Sprintf("set the count to %d", int(needed.Number)*p.regions), row.Source)
}

// gauge measures a quantity against a limit of the release, or a fact; doubts are
// others that are published for the same. Nothing planned has no gauge.
func (p *planner) gauge(s *part.Part, id, title string, v derive.Value, quantity string, doubts ...string) {
	f, remark, ok := p.limitOf(quantity)
	if v.Number == 0 || !ok {
		return
	}
	g := limit.Measure(id, title, "cluster", v, f.Value(), f.Kind)
	g.Notes = append(g.Notes, f.Notes...)
	if remark != "" {
		g.Notes = append([]string{remark}, g.Notes...)
	}
	for _, d := range doubts {
		if other, _, known := p.limitOf(d); known {
			g = g.Doubt(other.Value())
		}
	}
	s.Gauge(g)
}

// limitOf is the row of the release, or the fact of that very id.
func (p *planner) limitOf(quantity string) (f facts.Fact, remark string, ok bool) {
	if f, ok = p.c.Get(quantity); ok {
		return f, "", true
	}
	f, _, remark, ok = p.c.ForRelease(quantity, p.s.Platform.Release)
	return f, remark, ok
}

// crowded measures the VMs on one host: on the fullest of the placement, on a CPE all
// of them, for one host may have to carry them.
func (p *planner) crowded(s *part.Part) {
	most := p.load.vms
	if p.model.Chosen != controller.CPE {
		f, placed := p.b.Get("compute.vmsOnFullest")
		if !placed {
			return
		}
		most = derive.Cite(f)
	}
	p.gauge(s, "vmsPerCompute", "VMs on the fullest compute host", most, "hcg.max.vmsPerCompute")
	tested, _, ok := p.limitOf("hcg.max.vmsPerCompute")
	if !ok || most.Number <= tested.Number || p.model.Chosen == controller.CPE {
		return
	}
	f := &p.fleets[p.chosen]
	remedy := fmt.Sprintf("prove the larger number by a test of your own and give it under measurements as %s", tested.ID)
	if tried := f.Remedy(p.computeInput(false, p.nets)); tried != "" {
		remedy = tried + "; or " + remedy
	}
	found := s.Find(v1alpha1.Error, "limits.vmsPerCompute",
		fmt.Sprintf("%s on the fullest compute host, %s are tested", most, tested.Printed()), remedy)
	found.Figure, found.Sources = most.From.ID, []derive.Source{tested.Source}
}

// What helps against limits of several kinds.
const (
	moreRegions  = "divide the cloud into regions, each with controllers and networks of its own"
	moreStacks   = "divide the Heat stack into several"
	moreComputes = "spread the provider networks over the compute hosts (HCG 8), or take more of them"
	nextModel    = "take the next larger model, with the machines for it (policy.model)"
)

// remedies of limits of a cloud: what helps a cluster, another one, is none for it.
var remedies = map[string]string{
	"limits.vms": moreRegions, "limits.computes": moreRegions, "limits.tenantNetworks": moreRegions,
	"limits.providerNetworks": moreRegions, "limits.subnets": moreRegions, "limits.routers": moreRegions,
	"limits.subnetsPerCompute": moreComputes, "limits.routersPerCompute": moreComputes, "limits.macEntries": moreComputes,
	"limits.segments": moreComputes, "limits.macEntriesTheoretical": moreComputes,
	"limits.macPerSegment": "divide the segment into several",
	"limits.vmsOfModel":    nextModel, "limits.vmsPerCompute": nextModel,
	"limits.computesTypical": "take storage hosts (policy.model: dedicated-storage), " +
		"or measure the controllers' disks under load",
	"limits.stackResources": moreStacks, "limits.stackLocalVMs": moreStacks,
	"limits.stackCinderVMsDedicated": moreStacks, "limits.stackCinderVMsController": moreStacks,
	"limits.storageHosts": "take more or larger disks on fewer hosts",
}

// remedyLimits says what helps against limits that a cloud passes.
func (p *planner) remedyLimits() {
	for i := range p.plan.Findings {
		f := &p.plan.Findings[i]
		if f.ID == "limits.vmsPerCompute" && p.model.Chosen != controller.CPE { // it has one that was tried
			continue
		}
		if remedies[f.ID] != "" {
			f.Remedy = remedies[f.ID]
		}
	}
}
