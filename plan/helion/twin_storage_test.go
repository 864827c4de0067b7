package helion_test

import "math"

// ceph are the formulas of section 6, with copies and the share that stays free.
func (w *twin) ceph() {
	var glance, ephemeral float64
	for _, i := range w.s.Workload.Images {
		n := w.each(i.Count, false)
		glance += n * float64(i.Size)
		if i.Cached {
			glance += n * w.rawSize(i.Name)
		}
	}
	for i := range w.s.Workload.Servers {
		s := &w.s.Workload.Servers[i]
		if backing, size := w.local(s); backing == "remote" {
			ephemeral += w.vmsOf(s.Name) * size
		}
	}
	swift := w.each(w.s.Workload.ObjectStore.Objects, true) * float64(w.s.Workload.ObjectStore.Size)
	logical := 0.0
	used := map[string]float64{"glance": glance, "cinder": w.volumes(), "ephemeral": ephemeral, "swift": swift}
	for name, plain := range used {
		w.want["ceph."+name+"Plain"], w.want["ceph."+name] = plain, plain*w.margin
		logical += plain * w.margin
	}
	c := w.s.Storage.Ceph
	copies := float64(c.Replicas)
	w.want["ceph.logical"], w.want["ceph.raw"] = logical, logical*copies
	w.want["ceph.provide"] = logical * copies / float64(c.NearFull)
	w.want["ceph.hostsInGroup"] = math.Max(2, copies)
	var iops, rate float64
	for i := range w.s.Workload.Servers {
		s := &w.s.Workload.Servers[i]
		backing, _ := w.local(s)
		n := w.vmsOf(s.Name)
		if s.BootFrom != "volume" && len(s.Volumes) == 0 && backing != "remote" {
			n = 0 // such VMs work on their compute's disk alone
		}
		iops, rate = iops+n*s.IOPS, rate+n*float64(s.Throughput)
	}
	w.want["ceph.iops"], w.want["ceph.throughput"] = iops*w.margin, rate*w.margin
	hosts, per, size := w.osds()
	w.onOSDs(hosts, per, size)
	for name, plain := range used {
		if plain > 0 {
			share := plain * w.margin / logical
			w.want["ceph.poolShare["+name+"]"] = 100 * share
			w.want["ceph.pgs["+name+"]"] = pgs(hosts*per, share, copies)
		}
	}
}

// osds is how many storage hosts there are, with how many OSDs of which size:
// as counted, else in groups until the demand is met, else two hosts of the
// fewest OSDs of 300 GB, else of eight larger ones.
func (w *twin) osds() (hosts, per, size float64) {
	c := w.s.Storage.Ceph
	group := w.want["ceph.hostsInGroup"]
	rates := 4.0 // 2 OSDs on each of 2 hosts
	need := func(id string, demand, each float64) {
		if each > 0 {
			w.want["ceph.osdsFor["+id+"]"] = math.Ceil(demand/each - 1e-9)
			rates = math.Max(rates, w.want["ceph.osdsFor["+id+"]"])
		}
	}
	need("iops", w.want["ceph.iops"], c.OSDRate)
	need("throughput", w.want["ceph.throughput"], float64(c.OSDThroughput))
	provide := w.want["ceph.provide"]
	t := w.typeOf("storage")
	if size, _ = diskOf(t, "osd"); size > 0 {
		for _, d := range t.Disks {
			if d.Use == "osd" {
				per += float64(d.Count)
			}
		}
		need("capacity", provide, size)
		w.want["ceph.osdsNeeded"] = rates
		hosts = math.Max(group, math.Ceil(rates/per/group-1e-9)*group)
		if t.Count != nil {
			hosts = float64(*t.Count)
		}
		return hosts, per, size
	}
	size = 300 * gb
	for hosts = group; hosts*8 < rates && hosts+group <= 8; hosts += group { // 2 to 8 hosts are allowed
	}
	for per = 2; per < 8 && (hosts*per < rates || hosts*per*size < provide); per++ {
	}
	if hosts*per*size < provide {
		size = wholeGB(provide / hosts / per)
	}
	need("capacity", provide, size)
	w.want["ceph.osdsNeeded"] = rates
	return hosts, per, size
}

func (w *twin) onOSDs(hosts, per, size float64) {
	n, c := hosts*per, w.s.Storage.Ceph
	w.want["ceph.hosts"], w.want["ceph.osdsPerHost"], w.want["ceph.osds"] = hosts, per, n
	w.want["ceph.osdSize"], w.want["ceph.osdLargest"] = size, size
	w.want["ceph.capacityPerHost"], w.want["ceph.capacity"] = per*size, n*size
	w.want["ceph.belowNearFull"] = n * size * float64(c.NearFull)
	w.want["ceph.fill"] = 100 * w.want["ceph.raw"] / (n * size)
	w.want["ceph.osdRate"], w.want["ceph.osdThroughput"] = w.want["ceph.iops"]/n, w.want["ceph.throughput"]/n
	if c.OSDRate > 0 {
		w.want["ceph.iopsOfOSDs"] = n * c.OSDRate
	}
	if c.OSDThroughput > 0 {
		w.want["ceph.throughputOfOSDs"] = n * float64(c.OSDThroughput)
	}
	w.want["ceph.cores"] = math.Ceil(1.5*per + 2)
	w.want["ceph.osdsOfCores"] = math.Floor((float64(shapeOf(w.typeOf("storage")).cores()) - 2) / 1.5)
	w.want["ceph.systemDisk"] = (19.5 + 0.5 + 7.5 + 7.5 + 2) * gb
	w.want["ceph.osdsTheoretical"] = 8 * 8
	w.want["ceph.pgs"] = pgs(n, 1, float64(c.Replicas))
	w.want["ceph.pgsPerOSD"] = w.want["ceph.pgs"] * float64(c.Replicas) / n
}

// pgs is the calculator's rule: 100 an OSD by the share of the data and the
// copies, at least OSDs by copies, to the nearest power of two, to the next one
// when that is more than a quarter below.
func pgs(osds, share, copies float64) float64 {
	want := math.Max(100*osds*share/copies, osds/copies)
	best := 1.0
	for p := 1.0; p <= 1<<30; p *= 2 {
		if math.Abs(p-want) <= math.Abs(best-want) {
			best = p
		}
	}
	if best < 0.75*want {
		best *= 2
	}
	return best
}
