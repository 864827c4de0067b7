package ceph

import (
	"plimsoll.dev/derive"
	"plimsoll.dev/unit"
)

// modern is what is advised of a host today.
type modern struct {
	// threads are CPU threads, target, headroom and provisioned bytes of memory.
	threads, target, provisioned derive.Value
}

// host records what each storage host needs, by the document and by today's advice.
func (p *planner) host() {
	osds := p.r.PerHost
	per, platform := p.Fact("hcg.osd.coresPerOSD"), p.Fact("hcg.osd.platformCores")
	sockets, each := p.Fact("hcg.storage.sockets"), p.Fact("hcg.storage.coresPerSocket")
	p.r.Cores = p.Calc("ceph.cores", "Physical cores for the OSDs of a storage host", "cores",
		"ceil(per * osds + platform)", derive.In("per", per), derive.In("osds", osds), derive.In("platform", platform))
	p.Note("ceph.cores", "the machine has at least two sockets of 8 cores in any case", hcg)
	machine := p.Calc("ceph.coresOfMachine", "Cores that a storage host has at least", "cores",
		"max(need, sockets * each)", derive.In("need", p.r.Cores), derive.In("sockets", sockets), derive.In("each", each))
	carries := p.carries(machine)
	p.r.Memory = p.Fact("hcg.storage.memoryMin")
	p.now.threads = p.Calc("ceph.now.threads", "CPU threads for the OSDs by today's advice", "threads",
		"each * osds", derive.In("each", p.Fact("ceph.osd.threadsPerOSD")), derive.In("osds", osds))
	target, head := p.Fact("ceph.osd.memoryTarget"), p.Fact("ceph.osd.memoryHeadroom")
	p.now.target = p.Calc("ceph.now.memoryTarget", "Memory of the OSDs by today's default target", unit.ByteUnit,
		"target * osds * (1 + headroom)", derive.In("target", target), derive.In("osds", osds), derive.In("headroom", head))
	give := p.Fact("ceph.osd.memoryProvisioned")
	p.now.provisioned = p.Calc("ceph.now.memory", "Memory to provide for the OSDs by today's advice", unit.ByteUnit,
		"each * osds", derive.In("each", give), derive.In("osds", osds))
	p.Detail(machine, carries, p.now.threads, p.now.target, p.now.provisioned, p.systemDisk())
}

// carries records how many OSDs the cores of the chosen machine carry.
func (p *planner) carries(machine derive.Value) derive.Value {
	per, platform, most := p.Fact("hcg.osd.coresPerOSD"), p.Fact("hcg.osd.platformCores"), p.Fact("hcg.osd.perHostMax")
	if h := p.chosen.host; h != nil && h.Cores.Number > 0 {
		machine = h.Cores
	}
	v := p.Found("ceph.osdsOfCores", "OSDs that the cores of a storage host carry",
		float64(OSDsOn(machine.Number, per.Number, platform.Number)), "OSDs",
		"max(0, floor((cores - platform) / per))", derive.In("cores", machine), derive.In("platform", platform),
		derive.In("per", per))
	p.Note("ceph.osdsOfCores", "no more than "+most.Text+" are supported on a host", hcg)
	return v
}

// partitions of the primary disk, in the document's order.
var partitions = []string{"rootfs", "boot", "scratch", "log", "platform"}

// systemDisk records the sum of the partitions of the primary disk.
func (p *planner) systemDisk() derive.Value {
	var t derive.Terms
	for _, name := range partitions {
		t.Product(derive.In(name, disk(p.Fact("hcg.storage.disk."+name))))
	}
	return p.bytes("ceph.systemDisk", "Partitions of the primary disk of a storage host", t.Sum(), t.In...)
}
