package helion

import (
	"fmt"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/ceph"
	"plimsoll.dev/plan/helion/compute"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/unit"
)

// withCeph says that the model has storage hosts.
func (p *planner) withCeph() bool {
	return p.model.Chosen == controller.Dedicated || p.model.Chosen == controller.Regions
}

// storageHosts sizes the storage hosts of the models that have them.
func (p *planner) storageHosts() {
	if !p.withCeph() {
		return
	}
	in := ceph.Input{Book: &p.b, Facts: p.c, Doubts: p.doubts, Origin: p.o, Ceph: p.s.Storage.Ceph, Margin: p.margin()}
	for i, m := range p.s.Workload.Images {
		at := fmt.Sprintf("workload.images[%d]", i)
		in.Images = append(in.Images, part.Items{Name: "image " + m.Name, Count: p.load.images[i],
			Size: p.o.Value(at+".size", float64(m.Size), unit.ByteUnit)})
		if m.Cached {
			in.Cached = append(in.Cached, part.Items{Name: "raw image " + m.Name, Count: p.load.images[i], Size: p.rawSize(i)})
		}
	}
	for _, v := range p.volumes() {
		in.Volumes = append(in.Volumes, part.Items{Name: v.Name, Count: v.Count, Size: v.Size})
	}
	p.cephServers(&in)
	if o := p.s.Workload.ObjectStore; o.Objects > 0 {
		in.Objects = []part.Items{{Name: "objects", Count: p.load.objects,
			Size: p.o.Value("workload.objectStore.size", float64(o.Size), unit.ByteUnit)}}
	}
	for i := range p.s.Hardware.NodeTypes {
		if t := &p.s.Hardware.NodeTypes[i]; t.Role == "storage" {
			in.Hosts = append(in.Hosts, p.storageHost(i, t))
		}
	}
	r, shown := ceph.Plan(in)
	p.ceph = r
	if i := p.storageType(); i >= 0 {
		p.interfaces(shown, "ceph", i)
	}
	p.put(shown)
}

// storageType is the index of the node type of the planned storage hosts; -1 is none.
func (p *planner) storageType() int {
	n := 0
	for i, t := range p.s.Hardware.NodeTypes {
		if t.Role != "storage" {
			continue
		}
		if n == p.ceph.Layout.Type {
			return i
		}
		n++
	}
	return -1
}

// rawSize is the size of the raw disk that image i becomes.
func (p *planner) rawSize(i int) derive.Value {
	m, at := p.s.Workload.Images[i], fmt.Sprintf("workload.images[%d]", i)
	if m.DiskSize > 0 {
		return p.o.Value(at+".diskSize", float64(m.DiskSize), unit.ByteUnit)
	}
	return p.o.Value(at+".size", float64(m.Size), unit.ByteUnit)
}

// cephServers adds the disks of servers that lie in Ceph, and what they do with them.
func (p *planner) cephServers(in *ceph.Input) {
	for i := range p.s.Workload.Servers {
		sv := &p.s.Workload.Servers[i]
		at := fmt.Sprintf("workload.servers[%d]", i)
		remote := p.load.choices[i].Backing == compute.Remote
		if remote {
			f, image := p.flavorOf(sv)
			size := p.b.Record(derive.Figure{ID: "workload.remoteDisk[" + sv.Name + "]",
				Title:  "Disks in Ceph of a VM of " + sv.Name,
				Value:  derive.Of(compute.LocalDisk(sv, f, image), unit.ByteUnit),
				Method: "root disk of its image where it boots from one, ephemeral disk and swap of its flavor"})
			in.Ephemeral = append(in.Ephemeral, part.Items{Name: "disks of " + sv.Name, Count: p.load.servers[i], Size: size})
		}
		if p.onShared(i) && (sv.IOPS > 0 || sv.Throughput > 0) {
			in.Loads = append(in.Loads, ceph.Load{Name: sv.Name, VMs: p.load.servers[i],
				IOPS:       p.o.Value(at+".iops", sv.IOPS, "operations/s"),
				Throughput: p.o.Value(at+".throughput", float64(sv.Throughput), unit.BytesPerS)})
		}
	}
}

// storageHost is a node type of role storage.
func (p *planner) storageHost(i int, t *v1alpha1.NodeType) ceph.Host {
	at := fmt.Sprintf("hardware.nodeTypes[%d]", i)
	sockets, cores := p.machineOf(i)
	return ceph.Host{Name: t.Name, Path: at, Sockets: sockets, Cores: p.o.Value(at+".topology", float64(cores), "cores"),
		Memory: p.o.Value(at+".memory", float64(t.Memory), unit.ByteUnit), Price: t.Price, Count: t.Count,
		Available: t.Available, Disks: t.Disks}
}

// machineOf counts the sockets (0 where the topology is not given) and the physical
// cores of a node type.
func (p *planner) machineOf(i int) (sockets, cores int) {
	m := compute.Input{Scenario: p.s, Machines: p.machines}.Machine(i)
	inSockets, inCores := map[int]bool{}, map[int]bool{}
	for _, c := range m.CPUs {
		inSockets[c.Socket], inCores[c.Core] = true, true
	}
	t := &p.s.Hardware.NodeTypes[i]
	if _, read := p.machines[t.Name]; t.Topology == "" && !read {
		return 0, len(inCores)
	}
	return len(inSockets), len(inCores)
}

// volumes are all Cinder volumes: those of the servers, and others.
func (p *planner) volumes() []part.Items {
	var out []part.Items
	for i := range p.s.Workload.Servers {
		sv := &p.s.Workload.Servers[i]
		at := fmt.Sprintf("workload.servers[%d]", i)
		for k, size := range sv.Volumes {
			out = append(out, part.Items{Name: fmt.Sprintf("volume %d of %s", k+1, sv.Name), Count: p.load.servers[i],
				Size: p.o.Value(fmt.Sprintf("%s.volumes[%d]", at, k), float64(size), unit.ByteUnit)})
		}
		if sv.BootFrom != "volume" || len(sv.Volumes) > 0 {
			continue
		}
		for k := range p.s.Workload.Images {
			if p.s.Workload.Images[k].Name == sv.Image && sv.Image != "" {
				out = append(out, part.Items{Name: "root volume of " + sv.Name, Count: p.load.servers[i], Size: p.rawSize(k)})
			}
		}
	}
	for i, v := range p.s.Workload.Volumes {
		out = append(out, part.Items{Name: "volumes " + v.Name, Count: p.load.volumes[i],
			Size: p.o.Value(fmt.Sprintf("workload.volumes[%d].size", i), float64(v.Size), unit.ByteUnit)})
	}
	return out
}
