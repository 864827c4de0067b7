package helion

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/plan/helion/compute"
	"plimsoll.dev/plan/helion/model"
)

// mostDivisions bounds the numbers of regions that are tried.
const mostDivisions = 8

// divide counts the hosts of one region where one can't hold the cloud. Every region
// has spare hosts of its own, so that more regions may be needed than the cloud's
// hosts ask for. whole are the hosts of the undivided cloud.
func (p *planner) divide(n *model.Needs, l model.Limits, whole candidates) candidates {
	regions := model.Regions(*n, l)
	if regions <= 1 {
		return whole
	}
	n.VMs = p.b.Record(derive.Figure{ID: "workload.vmsOfAllRegions", Title: "VMs of all regions",
		Value: derive.Of(n.VMs.Number, "VMs"), Method: "the sum of the scenario's servers, with growth"})
	var c candidates
	for range mostDivisions {
		p.regions = regions
		p.count()
		c = p.candidates(false)
		one := model.Needs{VMs: p.load.vms, Computes: c.total()}
		if model.Regions(one, l) <= 1 {
			break
		}
		passed := math.Max(one.VMs.Number/l.VMs["dedicated-storage"].Number,
			one.Computes.Number/l.Computes["dedicated-storage"].Number)
		regions = max(regions+1, int(derive.Ceil(float64(regions)*passed)))
	}
	n.Least = derive.Of(float64(p.regions), "regions")
	for i := range c.fleets { // what no host takes may be in another region than the planned one
		if f := &c.fleets[i]; whole.fleets[i].Base == 0 && f.Base > 0 {
			f.Fits, f.Why = false, whole.fleets[i].Why
		}
	}
	return c
}

// share is the number of VMs of each server in the region that is planned: an even
// share of each, and of those that are left over the largest, so that no region has
// more VMs and none larger ones.
func (p *planner) share(grown []int) []int {
	out := make([]int, len(grown))
	var rest []int
	all, given := 0, 0
	for i, n := range grown {
		out[i] = n / p.regions
		all, given = all+n, given+out[i]
		if n%p.regions > 0 {
			rest = append(rest, i)
		}
	}
	size := func(i int) (vcpus int, ram int64) {
		if f, _ := p.flavorOf(&p.s.Workload.Servers[i]); f != nil {
			vcpus, ram = f.VCPUs, int64(f.RAM)
		}
		return vcpus, ram
	}
	slices.SortStableFunc(rest, func(a, b int) int {
		cpusA, ramA := size(a)
		cpusB, ramB := size(b)
		return cmp.Or(cmp.Compare(cpusB, cpusA), cmp.Compare(ramB, ramA))
	})
	for _, i := range rest[:min(len(rest), (all+p.regions-1)/p.regions-given)] {
		out[i]++
	}
	return out
}

// ofRegion divides the compute hosts that the scenario counts among the regions: the
// one with the most VMs has no fewer than the others.
func (p *planner) ofRegion(types []v1alpha1.NodeType) []v1alpha1.NodeType {
	if p.regions == 1 {
		return types
	}
	types = slices.Clone(types)
	for i := range types {
		if t := &types[i]; t.Role == "compute" {
			if t.Count != nil {
				n := (*t.Count + p.regions - 1) / p.regions
				t.Count = &n
			}
			if t.Available != nil {
				n := *t.Available / p.regions
				t.Available = &n
			}
		}
	}
	return types
}

// ofAllRegions makes prices those of all regions, and hosts that are counted a share.
func (p *planner) ofAllRegions(f *compute.Fleet) {
	if p.regions == 1 {
		return
	}
	for i := range p.plan.Options {
		p.plan.Options[i].Price *= float64(p.regions)
	}
	t := p.s.Hardware.NodeTypes[f.Type]
	figure, ok := p.b.Get("compute.hosts[" + t.Name + "]")
	if t.Count == nil || f.Given == 0 || !ok {
		return
	}
	figure.Formula, figure.Inputs = "ceil(given / regions)", []derive.Input{
		derive.In("given", p.o.Value(fmt.Sprintf("hardware.nodeTypes[%d].count", f.Type), float64(*t.Count), "computes")),
		derive.In("regions", derive.Of(float64(p.regions), "regions"))}
	p.b.Record(figure)
}
