package helion

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/compute"
	"plimsoll.dev/unit"
)

// workload is what the cloud (a region of it) has to carry, growth included.
type workload struct {
	// s is the scenario as its VMs are to be placed.
	s *v1alpha1.Scenario
	// choices are the backings of the servers' local disks.
	choices []compute.Choice
	// servers are the numbers of VMs, in the scenario's order; vms their sum.
	servers []derive.Value
	vms     derive.Value
	// images and volumes are their numbers, in the scenario's order, objects Swift's.
	images, volumes []derive.Value
	objects         derive.Value
	// remote are the VMs whose disks lie in Ceph, booting those that boot from a volume.
	remote, booting derive.Value
	// iops in operations/s and throughput in bytes/s of all VMs, with margin.
	iops, throughput derive.Value
}

// mostTerms is how many terms a sum's formula lists.
const mostTerms = 40

// count reads the workload: numbers with growth, for one region.
func (p *planner) count() {
	w := workload{s: p.grown()}
	share := p.share(p.counts())
	for i := range p.s.Workload.Servers {
		n := p.vmsOf(i, share[i])
		w.servers = append(w.servers, n)
		w.s.Workload.Servers[i].Count = int(n.Int())
		w.choices = append(w.choices, p.backing(&w.s.Workload.Servers[i]))
	}
	for i, m := range p.s.Workload.Images {
		w.images = append(w.images, p.number("images", i, m.Name, m.Count, "images", false))
	}
	for i, v := range p.s.Workload.Volumes {
		w.volumes = append(w.volumes, p.number("volumes", i, v.Name, v.Count, "volumes", true))
	}
	p.load = w
	p.totals()
}

// counts are the numbers of VMs of each server with growth, in all regions.
func (p *planner) counts() []int {
	out := make([]int, len(p.s.Workload.Servers))
	for i := range out {
		out[i] = int(derive.Ceil(float64(p.s.Workload.Servers[i].Count) * (1 + float64(p.s.Policy.Growth))))
	}
	return out
}

// vmsOf is the number of VMs of a server in the region that is planned, of which the
// share is so much.
func (p *planner) vmsOf(i, share int) derive.Value {
	sv := &p.s.Workload.Servers[i]
	if p.regions == 1 {
		return p.number("servers", i, sv.Name, sv.Count, "VMs", true)
	}
	v := p.o.Value(fmt.Sprintf("workload.servers[%d].count", i), float64(sv.Count), "VMs")
	growth := float64(p.s.Policy.Growth)
	even := derive.Floor(derive.Ceil(v.Number*(1+growth)) / float64(p.regions))
	id := "workload.servers[" + sv.Name + "]"
	n := p.b.Found(id, "VMs of "+sv.Name, float64(share), "VMs", "floor(ceil(count * (1 + growth)) / regions) + more",
		derive.In("count", v),
		derive.In("growth", p.o.Value("policy.growth", growth, unit.Ratio)),
		derive.In("regions", derive.Of(float64(p.regions), "regions")),
		derive.In("more", derive.Of(float64(share)-even, "VMs")))
	p.b.Note(id, "an even share; of the VMs that are left over the planned region has the largest, "+
		"until it has its share of all")
	return n
}

// grown is a copy of the scenario whose servers may be changed, with the hosts of one
// region; they run on no host yet.
func (p *planner) grown() *v1alpha1.Scenario {
	s := *p.s
	s.Hardware.NodeTypes = p.ofRegion(s.Hardware.NodeTypes)
	s.Workload.Servers = slices.Clone(p.s.Workload.Servers)
	zones := map[string]bool{}
	for i := range s.Workload.Servers {
		if sv := &s.Workload.Servers[i]; sv.Host != "" {
			zones[sv.AvailabilityZone], sv.Host = true, ""
		}
	}
	delete(zones, "")
	s.Policy.Zones = max(s.Policy.Zones, len(zones)) // those in which VMs run
	return &s
}

// backing chooses where a server's local disks lie.
func (p *planner) backing(sv *v1alpha1.Server) compute.Choice {
	f, image := p.flavorOf(sv)
	if f == nil {
		return compute.Choice{}
	}
	c := compute.Choose(sv, compute.LocalDisk(sv, f, image))
	if c.Backing != "" && p.hostsAreRemote() {
		c.Backing, c.Why, c.Against = compute.Remote, "the hosts keep local disks in Ceph", ""
	}
	return c
}

// hostsAreRemote says that all compute hosts are set to keep local disks in Ceph.
func (p *planner) hostsAreRemote() bool {
	return p.given("compute") && !slices.ContainsFunc(p.s.Hardware.NodeTypes, func(t v1alpha1.NodeType) bool {
		return t.Role == "compute" && (t.Compute == nil || t.Compute.LocalBacking != compute.Remote)
	})
}

func (p *planner) flavorOf(sv *v1alpha1.Server) (*v1alpha1.Flavor, *v1alpha1.Image) {
	return compute.FlavorOf(p.s, sv)
}

// number is a count of the scenario with growth, and of one region where it is
// divided over them.
func (p *planner) number(list string, i int, name string, count int, unitName string, divided bool) derive.Value {
	field := fmt.Sprintf("workload.%s[%d].count", list, i)
	v := p.o.Value(field, float64(count), unitName)
	return p.scaled("workload."+list+"["+name+"]", strings.ToUpper(unitName[:1])+unitName[1:]+" of "+name, v,
		unitName, divided)
}

// scaled applies growth and regions to a number.
func (p *planner) scaled(id, title string, v derive.Value, unitName string, divided bool) derive.Value {
	growth, regions := float64(p.s.Policy.Growth), 1.0
	if divided {
		regions = float64(p.regions)
	}
	if growth == 0 && regions == 1 {
		return v
	}
	return p.b.Calc(id, title, unitName, "ceil(count * (1 + growth) / regions)", derive.In("count", v),
		derive.In("growth", p.o.Value("policy.growth", growth, unit.Ratio)),
		derive.In("regions", derive.Of(regions, "regions")))
}

// sum records the sum of values, with a formula where they are few.
func (p *planner) sum(id, title, unitName string, values []derive.Value) derive.Value {
	var t derive.Terms
	for i, v := range values {
		t.Product(derive.In(fmt.Sprintf("n%d", i+1), v))
	}
	if len(values) > mostTerms {
		return p.b.Record(derive.Figure{ID: id, Title: title, Value: derive.Of(derive.Solve(t.Of("sum"), t.In...), unitName),
			Method: fmt.Sprintf("the sum of %d entries of the scenario", len(values))})
	}
	return p.b.Calc(id, title, unitName, t.Of("sum"), t.In...)
}

// weighed records the sum of numbers times what each takes, with the margin.
func (p *planner) weighed(id, title, unitName string, numbers []derive.Value,
	each func(i int) (string, float64)) derive.Value {
	var t derive.Terms
	m := derive.In("margin", p.margin())
	for i, n := range numbers {
		path, x := each(i)
		if x != 0 {
			t.Product(derive.In(fmt.Sprintf("n%d", i+1), n), derive.In(fmt.Sprintf("x%d", i+1), p.o.Value(path, x, unitName)))
		}
	}
	formula, in := t.Of("sum")+" * (1 + margin)", append(t.In, m)
	switch {
	case len(t.Texts) == 0:
		return derive.Value{}
	case len(t.Texts) > mostTerms:
		return p.b.Record(derive.Figure{ID: id, Title: title, Value: derive.Of(derive.Solve(formula, in...), unitName),
			Inputs: []derive.Input{m},
			Method: fmt.Sprintf("the sum over %d servers, with the margin", len(t.Texts))})
	}
	return p.b.Calc(id, title, unitName, formula, in...)
}

// totals sums the workload up and shows it.
func (p *planner) totals() {
	w := &p.load
	w.vms = p.sum("workload.vms", "VMs", "VMs", w.servers)
	servers := w.s.Workload.Servers
	var remote, booting, vcpus, ram []derive.Value
	for i := range servers {
		n := w.servers[i]
		if w.choices[i].Backing == compute.Remote {
			remote = append(remote, n)
		}
		if p.s.Workload.Servers[i].BootFrom == "volume" {
			booting = append(booting, n)
		}
		if f, _ := p.flavorOf(&servers[i]); f != nil {
			vcpus = append(vcpus, derive.Of(n.Number*float64(f.VCPUs), "vCPUs"))
			ram = append(ram, derive.Of(n.Number*float64(f.RAM), unit.ByteUnit))
		}
	}
	w.remote = p.sum("workload.remote", "VMs with disks in Ceph", "VMs", remote)
	w.booting = p.sum("workload.booting", "VMs that boot from a volume", "VMs", booting)
	shared := func(i int, rate float64) float64 {
		if !p.onShared(i) {
			return 0
		}
		return rate
	}
	w.iops = p.weighed("workload.iops", "Disk operations of all VMs on controllers or storage hosts", "operations/s",
		w.servers, func(i int) (string, float64) {
			return fmt.Sprintf("workload.servers[%d].iops", i), shared(i, servers[i].IOPS)
		})
	w.throughput = p.weighed("workload.throughput", "Disk throughput of all VMs on controllers or storage hosts",
		unit.BytesPerS, w.servers, func(i int) (string, float64) {
			return fmt.Sprintf("workload.servers[%d].throughput", i), shared(i, float64(servers[i].Throughput))
		})
	objects := p.o.Value("workload.objectStore.objects", float64(p.s.Workload.ObjectStore.Objects), "objects")
	w.objects = p.scaled("workload.objects", "Objects of Swift", objects, "objects", true)
	p.show(p.plain("workload.vcpus", "vCPUs of all VMs", "vCPUs", vcpus),
		p.plain("workload.ram", "Memory of all VMs", unit.ByteUnit, ram))
}

// onShared says whether disks of a server lie on the controllers or on storage hosts:
// in Cinder, or remote. What VMs do to disks of their own host is no load on those.
func (p *planner) onShared(i int) bool {
	sv := &p.s.Workload.Servers[i]
	return p.load.choices[i].Backing == compute.Remote || sv.BootFrom == "volume" || len(sv.Volumes) > 0
}

// plain records a sum over servers that no formula lists.
func (p *planner) plain(id, title, unitName string, values []derive.Value) derive.Value {
	total := 0.0
	for _, v := range values {
		total += v.Number
	}
	return p.b.Record(derive.Figure{ID: id, Title: title, Value: derive.Of(math.Min(total, math.MaxInt64/2), unitName),
		Method: "the sum over the servers of their flavor's", Inputs: []derive.Input{derive.In("vms", p.load.vms)}})
}

// show makes the section of the workload, anew when it is counted anew.
func (p *planner) show(more ...derive.Value) {
	w := &p.load
	s := part.New("workload", "Workload")
	s.Show(w.vms)
	s.Show(more...)
	s.Show(w.iops, w.throughput)
	s.Detail(w.remote, w.booting, w.objects)
	s.Section.Summary = fmt.Sprintf("%s of %s", w.vms, derive.Of(float64(len(p.s.Workload.Servers)), "kinds"))
	if p.regions > 1 {
		s.Section.Summary += fmt.Sprintf(" in each of %d regions", p.regions)
	}
	p.parts = slices.DeleteFunc(p.parts, func(o *part.Part) bool { return o.Section.ID == "workload" })
	p.put(s)
	if w.vms.Number == 0 {
		s.Find(v1alpha1.Warning, "workload.empty", "the scenario has no VMs",
			"list them under workload.servers").Field = "workload.servers"
	}
}
