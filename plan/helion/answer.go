package helion

import (
	"fmt"
	"math"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/place/cloud"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/plan/helion/model"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// summary says what is to be bought.
func (p *planner) summary() string {
	if p.chosen < 0 {
		return "no compute hosts can be planned"
	}
	f := &p.fleets[p.chosen]
	s := model.Title(p.model.Chosen) + ": "
	if p.load.vms.Number == 0 {
		return s + "no VMs"
	}
	if f.Base == 0 {
		return s + fmt.Sprintf("no number of hosts of %s holds all %s", p.s.Hardware.NodeTypes[f.Type].Name, p.load.vms)
	}
	if p.model.Chosen == controller.CPE {
		carries := "carries"
		if !f.Fits {
			carries = "has to carry"
		}
		return s + fmt.Sprintf("%s, each of which %s all %s alone", derive.Of(float64(f.Total), "hosts"), carries, p.load.vms)
	}
	if p.regions > 1 {
		s += fmt.Sprintf("%d regions of ", p.regions)
	}
	s += fmt.Sprintf("%s, %s", p.controllerCount(), p.computes)
	s += p.beyondNeed()
	if p.ceph.Hosts.Number > 0 {
		s += ", " + p.ceph.Hosts.Text
	} else {
		s += ", no storage hosts"
	}
	return s + " for " + p.load.vms.Text
}

// spareHosts are hosts beyond those that the VMs need, as many as policy.spareNodes
// asks for; rest are those beyond both. None is spare where VMs of a lost host find no other.
// The host of a CPE that the VMs do not need is a spare one whatever the policy.
func (p *planner) spareHosts() (spare, rest int) {
	f := &p.fleets[p.chosen]
	if f.Base == 0 {
		return 0, 0
	}
	if p.model.Chosen == controller.CPE {
		return max(0, f.Total-f.Base), 0
	}
	beyond := max(0, f.Total-f.Least)
	if !f.Evacuates {
		return 0, beyond
	}
	spare = min(beyond, int(p.spares().Int()))
	return spare, beyond - spare
}

// beyondNeed tells what the compute hosts beyond the VMs' need are.
func (p *planner) beyondNeed() string {
	spare, rest := p.spareHosts()
	var parts []string
	if f := &p.fleets[p.chosen]; f.Least > f.Base && f.Total >= f.Least {
		parts = append(parts, fmt.Sprintf("%d for the VMs, %d so that no host has more than are tested", f.Base,
			f.Least-f.Base))
	}
	if spare > 0 {
		parts = append(parts, fmt.Sprintf("%d spare", spare))
	}
	switch {
	case rest > 0 && !p.fleets[p.chosen].Evacuates:
		parts = append(parts, fmt.Sprintf("%d more than the VMs need, but a loss is not survived", rest))
	case rest > 0 && p.fleets[p.chosen].Given > 0:
		parts = append(parts, fmt.Sprintf("%d more than that", rest))
	case rest > 0:
		parts = append(parts, fmt.Sprintf("%d so that all hold in the order of arrival and after a loss", rest))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// controllerCount is the number of controllers of the model.
func (p *planner) controllerCount() derive.Value {
	name := p.model.Chosen
	if name == controller.Regions {
		name = controller.Dedicated
	}
	return p.c.Must("hcg.model.controllers/" + name).Value()
}

// decision is the cloud in the form that placement takes.
func (p *planner) decision() *v1alpha1.HelionDecision {
	d := &v1alpha1.HelionDecision{Model: p.model.Chosen, Regions: p.regions}
	disk := func(v derive.Value) unit.Bytes { return unit.Bytes(math.Min(math.Ceil(v.Number), math.MaxInt64/2)) }
	host := v1alpha1.HelionHosts{Role: "controller", Count: int(p.controllerCount().Int()),
		Primary: disk(p.control.DiskNeed), LVM: disk(p.control.LVMNeed)}
	if i := p.controllerType(p.model.Chosen); i >= 0 {
		host.Type = p.s.Hardware.NodeTypes[i].Name
	}
	if p.model.Chosen != controller.CPE {
		d.Hosts = append(d.Hosts, host)
	}
	if p.chosen >= 0 {
		f := &p.fleets[p.chosen]
		spare, _ := p.spareHosts()
		h := v1alpha1.HelionHosts{Role: "compute", Type: p.s.Hardware.NodeTypes[f.Type].Name, Count: f.Total, Spares: spare,
			Compute: f.Pool.Reserve, Pages: f.Pool.Pages}
		if p.model.Chosen == controller.CPE {
			h.Primary, h.LVM = host.Primary, host.LVM
		}
		d.Hosts = append(d.Hosts, h)
	}
	if p.ceph.Hosts.Number > 0 {
		h := v1alpha1.HelionHosts{Role: "storage", Count: int(p.ceph.Hosts.Int()), OSDs: p.ceph.Layout.PerHost,
			OSDSize: unit.Bytes(unit.Whole(math.Ceil(p.ceph.Layout.Size)))}
		if i := p.storageType(); i >= 0 {
			h.Type = p.s.Hardware.NodeTypes[i].Name
		}
		d.Hosts = append(d.Hosts, h)
	}
	return d
}

// Pools are the compute hosts that a plan of the scenario chose, for placement: their
// number, cores and pages. It is nil when the plan is none of platform helion or
// chose none; with several regions they are those of all.
func Pools(s *v1alpha1.Scenario, p *v1alpha1.Plan, machines map[string]topo.Machine) []cloud.Pool {
	if p.Decisions.Helion == nil {
		return nil
	}
	var out []cloud.Pool
	for _, h := range p.Decisions.Helion.Hosts {
		for i, t := range s.Hardware.NodeTypes {
			if h.Role == "compute" && t.Role == "compute" && t.Name == h.Type && h.Count > 0 {
				pool := cloud.Pool{Type: i, Count: h.Count * max(1, p.Decisions.Helion.Regions),
					CPE: p.Decisions.Helion.Model == controller.CPE, Reserve: h.Compute, Pages: h.Pages}
				if m, read := machines[t.Name]; read {
					pool.Machine = &m
				}
				out = append(out, pool)
			}
		}
	}
	return out
}
