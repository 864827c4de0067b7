package model

import (
	"fmt"

	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan/helion/controller"
)

// Limits are the figures of the document that the rules compare with.
type Limits struct {
	// Controllers, Computes and VMs of each model (table 1).
	Controllers, Computes, VMs map[string]derive.Value
	// IOPS and Throughput from which SSDs on storage hosts are advised.
	IOPS, Throughput derive.Value
	// Creates that controller storage carries at once, and StackServers of one Heat
	// stack on Cinder volumes of the controllers.
	Creates, StackServers derive.Value
}

// LimitsOf reads the limits from the catalogue.
func LimitsOf(c *facts.Catalogue) Limits {
	l := Limits{
		Controllers: map[string]derive.Value{}, Computes: map[string]derive.Value{}, VMs: map[string]derive.Value{},
		IOPS: c.Must("hcg.osd.ssdIOPS").Value(), Throughput: c.Must("hcg.osd.ssdThroughput").Value(),
		Creates: c.Must("hcg.create.parallel").Value(), StackServers: c.Must("hcg.max.stackCinderVMsController/4.0").Value(),
	}
	for _, name := range []string{controller.CPE, controller.Controller, controller.Dedicated} {
		l.Controllers[name] = c.Must("hcg.model.controllers/" + name).Value()
		l.Computes[name] = c.Must("hcg.model.computes/" + name).Value()
		l.VMs[name] = c.Must("hcg.model.vms/" + name).Value()
	}
	return l
}

// host is the id of reasons that are about the hosts as they are given.
const host = "host"

// reasons collects what speaks against one model.
type reasons []Reason

// over adds a reason when the value passes the limit.
func (r *reasons) over(w Weight, id string, value, limit derive.Value, text string) {
	if value.Number > limit.Number {
		*r = append(*r, Reason{Weight: w, ID: id, Value: value, Limit: limit, Text: fmt.Sprintf(text, value, limit)})
	}
}

// from adds a reason when the value reaches the limit.
func (r *reasons) from(w Weight, id string, value, limit derive.Value, text string) {
	if limit.Number > 0 && value.Number >= limit.Number {
		*r = append(*r, Reason{Weight: w, ID: id, Value: value, Limit: limit, Text: fmt.Sprintf(text, value, limit)})
	}
}

// any adds a reason when there is any of the value.
func (r *reasons) any(w Weight, id string, value derive.Value, text string) {
	if value.Number > 0 {
		*r = append(*r, Reason{Weight: w, ID: id, Value: value, Text: fmt.Sprintf(text, value)})
	}
}

// say adds a reason without figures.
func (r *reasons) say(w Weight, id, text string) {
	*r = append(*r, Reason{Weight: w, ID: id, Text: text})
}

// cpe are the reasons against a pair of hosts that do everything.
func (n Needs) cpe(l Limits) reasons {
	var r reasons
	r.over(Rules, "vms", n.VMs, l.VMs[controller.CPE], "%s: up to %s are tested")
	r.over(Rules, "computes", n.Stated, l.Controllers[controller.CPE],
		"%s are wanted, and it has %s and no computes beside them")
	if !n.Alone && (n.AloneWhy != "" || n.VMs.Number <= l.VMs[controller.CPE].Number) {
		why := "the VMs do not all fit on one host beside the controller, and the other may fail"
		if n.AloneWhy != "" {
			why += ": " + n.AloneWhy
		}
		r.say(Rules, "alone", why)
	}
	r.any(Advises, "controllers", n.Controllers, "the scenario counts %s besides")
	n.controllerDisks(&r, l, n.DiskCPE, n.SolidCPE, n.MostCPE)
	n.common(&r, controller.CPE)
	return r
}

// controller are the reasons against Cinder on the controllers' disks.
func (n Needs) controller(l Limits) reasons {
	var r reasons
	r.over(Rules, "vms", n.VMs, l.VMs[controller.Controller], "%s: up to %s are tested")
	r.over(Rules, "computesMost", n.Computes, l.Computes[controller.Dedicated], "%s: no region has more than %s")
	if n.Computes.Number <= l.Computes[controller.Dedicated].Number {
		r.over(Advises, "computes", n.Computes, l.Computes[controller.Controller],
			"%s: up to %s are typical of it, because of the speed of the controllers' disks; it is no fixed limit")
	}
	n.controllerDisks(&r, l, n.Disk, n.Solid, n.Most)
	n.common(&r, controller.Controller)
	return r
}

// controllerDisks are the reasons against Cinder on one disk of each controller.
func (n Needs) controllerDisks(r *reasons, l Limits, disk derive.Value, solid bool, most Rates) {
	r.any(Rules, "objects", n.Objects, "%s: Swift needs storage hosts")
	r.any(Rules, "remote", n.Remote, "%s with disks that have to be remote: Ceph needs storage hosts")
	const beyond = "%s of all VMs on one disk of each controller: no such disk is sold for more than %s"
	switch iops, flow := n.IOPS.Number, n.Throughput.Number; {
	case most.IOPS.Number > 0 && iops > max(most.IOPS.Number, l.IOPS.Number):
		r.over(Rules, "iops", n.IOPS, most.IOPS, beyond)
	case most.Throughput.Number > 0 && flow > max(most.Throughput.Number, l.Throughput.Number):
		r.over(Rules, "throughput", n.Throughput, most.Throughput, beyond)
	case !solid:
		const consider = "%s of all VMs on one disk of each controller: from %s on SSDs should be considered"
		r.from(Advises, "iops", n.IOPS, l.IOPS, consider)
		r.from(Advises, "throughput", n.Throughput, l.Throughput, consider)
	}
	r.over(Rules, "creates", n.Creates, l.Creates,
		"%s of volumes with VMs at once: no more than %s are advised on the controllers' disks")
	r.over(Rules, "stack", n.StackServers, l.StackServers,
		"%s on volumes in one Heat stack: up to %s are tested on the controllers' disks")
	if disk.Number > 0 {
		r.over(Rules, "lvm", n.LVM, disk, "%s of volumes on one disk of each controller: the largest has %s")
	}
	r.any(Advises, "storage", n.Storage, "the scenario counts %s, which would have no use")
}

// dedicated are the reasons against one region with storage hosts.
func (n Needs) dedicated(l Limits) reasons {
	var r reasons
	r.over(Rules, "vms", n.VMs, l.VMs[controller.Dedicated], "%s: no region has more than %s")
	r.over(Rules, "computes", n.Computes, l.Computes[controller.Dedicated], "%s: no region has more than %s")
	n.common(&r, controller.Dedicated)
	return r
}

// common are the reasons against every model of one region.
func (n Needs) common(r *reasons, name string) {
	if n.Sites.Number > 1 {
		*r = append(*r, Reason{Weight: Rules, ID: "sites", Value: n.Sites, Limit: derive.Of(1, "sites"),
			Text: n.Sites.Text + ": each needs a cloud of its own"})
	}
	for _, text := range n.Lacks[name] {
		r.say(Rules, host, text)
	}
	*r = append(*r, n.absent(name)...)
}

// absent are the machines that a model needs and nobody gives.
func (n Needs) absent(name string) reasons {
	var r reasons
	for _, m := range n.Missing[name] {
		r.say(Absent, m.Role+"Absent", m.Text)
	}
	return r
}
