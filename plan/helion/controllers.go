package helion

import (
	"fmt"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/compute"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/plan/helion/model"
	"plimsoll.dev/unit"
)

// controllers sizes the controllers of the chosen model.
func (p *planner) controllers() {
	r, parts := controller.Plan(p.controlInput(p.model.Chosen, &p.b, p.doubts, p.computes))
	p.control = r
	p.put(parts...)
}

// controlInput is what controllers are sized from.
func (p *planner) controlInput(name string, book *derive.Book, log *doubt.Log, computes derive.Value) controller.Input {
	in := controller.Input{Book: book, Facts: p.c, Doubts: log, Origin: p.o, Model: name, VMs: p.load.vms,
		StorageHosts:  p.ceph.Hosts,
		VMsPerCompute: p.perCompute(), Margin: p.margin(), Volumes: p.volumes(), VolumeVMs: p.load.booting,
		DRBD:     p.s.Storage.DRBD,
		Creation: p.s.Storage.Creation, RemoteLogging: p.s.Policy.RemoteLogging, Host: p.controllerHost(name)}
	if name != controller.CPE {
		in.Computes = computes
	}
	if n := p.s.Policy.Meters; n > 0 {
		in.Meters = p.scaled("workload.meters", "Meters of the telemetry service",
			p.o.Value("policy.meters", float64(n), "meters"), "meters", true)
	}
	for i, m := range p.s.Workload.Images {
		at := fmt.Sprintf("workload.images[%d]", i)
		in.Images = append(in.Images, controller.Image{Items: part.Items{Name: "image " + m.Name, Count: p.load.images[i],
			Size: p.o.Value(at+".size", float64(m.Size), unit.ByteUnit)},
			Disk: p.rawSize(i), Cached: m.Cached})
	}
	return in
}

// controllerType is the index of the node type that runs the controllers of a model:
// the first of role controller; on a CPE that of its pair. -1 is none.
func (p *planner) controllerType(name string) int {
	role := "controller"
	if name == controller.CPE {
		if p.pair >= 0 {
			return p.pair
		}
		role = "compute"
	}
	for i := range p.s.Hardware.NodeTypes {
		if p.s.Hardware.NodeTypes[i].Role == role {
			return i
		}
	}
	return -1
}

// controllerHost is that node type for package control; nil without one.
func (p *planner) controllerHost(name string) *controller.Host {
	i := p.controllerType(name)
	if i < 0 {
		return nil
	}
	t, at := &p.s.Hardware.NodeTypes[i], fmt.Sprintf("hardware.nodeTypes[%d]", i)
	sockets, cores := p.machineOf(i)
	return &controller.Host{Name: t.Name, Path: at, Sockets: sockets,
		Cores:  p.o.Value(at+".topology", float64(cores), "cores"),
		Memory: p.o.Value(at+".memory", float64(t.Memory), unit.ByteUnit), Disks: t.Disks, NICs: t.NICs}
}

// needs are what the deployment model is decided by.
func (p *planner) needs(hosts candidates) model.Needs {
	n := model.Needs{VMs: p.load.vms, Sites: p.o.Value("policy.sites", float64(p.s.Policy.Sites), "sites"),
		Remote: p.load.remote, IOPS: p.load.iops, Throughput: p.load.throughput, Lacks: map[string][]string{},
		Creates: p.o.Value("storage.creation.parallel", float64(p.s.Storage.Creation.Parallel), "creates")}
	if p.s.Workload.ObjectStore.Objects > 0 {
		n.Objects = p.load.objects
	}
	if stack := p.s.Network.Neutron.StackServers; p.load.booting.Number > 0 {
		n.StackServers = p.o.Value("network.neutron.stackServers", float64(stack), "VMs")
	}
	if n.Computes = hosts.total(); hosts.chosen >= 0 && n.Computes.Number == 0 { // nothing could be placed: table 1's mean
		n.Computes = derive.Of(derive.Ceil(p.load.vms.Number/float64(max(1, p.s.Policy.VMsPerCompute))), "computes")
	}
	n.Stated, n.Controllers, n.Storage = p.stated("compute", "computes"), p.stated("controller", "controllers"),
		p.stated("storage", "storage hosts")
	var media, mediaCPE string
	n.Disk, media = p.largest(controller.Controller)
	n.DiskCPE, mediaCPE = p.largest(controller.CPE)
	n.Solid, n.SolidCPE = controller.Solid(media), controller.Solid(mediaCPE)
	n.Most, n.MostCPE = p.sold(media), p.sold(mediaCPE)
	p.lacks(&n)
	n.Pair, n.Missing = p.isPair(), p.missing(n)
	return n
}

// isPair says that the machines given are the two hosts of a CPE: computes alone, two of
// them, or with a disk for Cinder volumes where their number is open.
func (p *planner) isPair() bool {
	stated := p.stated("compute", "computes").Number
	disk, _ := p.largest(controller.CPE)
	return !p.given("controller") && !p.given("storage") &&
		(stated == compute.CPEHosts || stated == 0 && disk.Number > 0)
}

// given says that there is a node type of a role, of which not none are counted.
func (p *planner) given(role string) bool {
	return slices.ContainsFunc(p.s.Hardware.NodeTypes, func(t v1alpha1.NodeType) bool {
		return t.Role == role && (t.Count == nil || *t.Count > 0)
	})
}

// missing are the machines that the models need and that are not given.
func (p *planner) missing(n model.Needs) map[string][]model.Machines {
	out := map[string][]model.Machines{}
	add := func(name, role string, need derive.Value, have derive.Value) {
		switch {
		case role != "compute" && !p.given(role):
			out[name] = append(out[name], model.Machines{Role: role,
				Text: need.Text + " (no node type has the role " + role + ")"})
		case have.Number > 0 && have.Number < need.Number && p.counted(role):
			out[name] = append(out[name], model.Machines{Role: role,
				Text: need.Text + " (the scenario counts " + have.Text + ")"})
		}
	}
	pair, stores := p.c.Must("hcg.model.controllers/cpe").Value(), p.c.Must("hcg.storage.hostsInGroup").Value()
	regions := float64(max(2, model.Regions(n, model.LimitsOf(p.c))))
	add(controller.CPE, "compute", derive.Of(compute.CPEHosts, "hosts"), n.Stated)
	for name, times := range map[string]float64{controller.Controller: 1, controller.Dedicated: 1,
		controller.Regions: regions} {
		add(name, "controller", derive.Of(times*pair.Number, "controllers"), n.Controllers)
		if name != controller.Controller {
			add(name, "storage", derive.Of(times*stores.Number, "storage hosts"), n.Storage)
		}
	}
	return out
}

// counted says that all node types of a role are counted.
func (p *planner) counted(role string) bool {
	return !slices.ContainsFunc(p.s.Hardware.NodeTypes, func(t v1alpha1.NodeType) bool {
		return t.Role == role && t.Count == nil
	})
}

// stated sums up the hosts of a role that the scenario counts.
func (p *planner) stated(role, noun string) derive.Value {
	sum := 0
	for _, t := range p.s.Hardware.NodeTypes {
		if t.Role == role && t.Count != nil {
			sum += *t.Count
		}
	}
	return derive.Of(float64(sum), noun)
}

// largest is the largest single lvm disk of the hosts that run the controllers of a
// model, and what it is; empty without one.
func (p *planner) largest(name string) (size derive.Value, media string) {
	most := unit.Bytes(0)
	if i := p.controllerType(name); i >= 0 {
		for _, d := range p.s.Hardware.NodeTypes[i].Disks {
			if d.Use == "lvm" && d.Size > most {
				most, media = d.Size, d.Media
			}
		}
	}
	return derive.Of(float64(most), unit.ByteUnit).WithText(unit.FormatDecimal(most)), media
}

// sold is what no disk of a kind is sold for more of.
func (p *planner) sold(media string) model.Rates {
	if media == "" {
		return model.Rates{}
	}
	return model.Rates{IOPS: p.c.Must("disk.readsMost/" + media).Value(),
		Throughput: p.c.Must("disk.throughputMost/" + media).Value()}
}

// lacks sizes the controllers for each model on the side: what the volumes need of
// one disk, and what the hosts as given lack.
func (p *planner) lacks(n *model.Needs) {
	for _, name := range []string{controller.CPE, controller.Controller, controller.Dedicated} {
		r, parts := controller.Plan(p.controlInput(name, &derive.Book{}, doubt.New(p.doubts.Mode(), p.c), n.Computes))
		if name == controller.Controller && r.LVM.Number > 0 {
			n.LVM = derive.Of(r.LVM.Number, unit.ByteUnit).WithText(r.LVM.Text)
		}
		if r.Fits {
			continue
		}
		for _, s := range parts {
			for _, f := range s.Findings {
				if f.Severity == v1alpha1.Error && s.Section.ID == "controller" {
					n.Lacks[name] = append(n.Lacks[name], f.Message)
				}
			}
		}
	}
}
