package helion_test

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

func text(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// controllers are the document's section 3, table 3 and what follows it.
func (w *twin) controllers() {
	vms, computes := w.vms(), float64(w.computes)
	if w.model == "cpe" {
		computes = 0 // table 1: a CPE has two controllers "with compute function" and no compute nodes
	}
	x, y := w.images(), w.conversion()
	d := 2 * (5*gb + vms*25*mb + computes*10*mb)
	w.want["controller.fixed"] = (19.5 + 0.5 + 7.5 + 7.5 + 2 + 2) * gb
	w.want["controller.databaseFormula"] = d
	d = math.Max(40*gb, d)
	w.want["controller.database"] = d
	// 20 GB = 5 GB + VMs * 25 MB + VMs / perCompute * 10 MB
	w.want["controller.databaseVMs"] = math.Floor(15000/(25+10/float64(w.s.Policy.VMsPerCompute)) + 1e-9)
	b := d + x + 20*gb
	w.want["controller.backup"] = b
	p := 39*gb + d + x + y + b
	w.want["controller.disk"] = p
	w.want["controller.diskNeed"] = wholeGB(math.Max(p, 500*gb))
	if w.lvm() {
		w.want["controller.volumes"] = w.volumes()
		w.want["controller.lvm"] = w.volumes() * w.margin
		w.want["controller.lvmNeed"] = wholeGB(math.Max(w.volumes()*w.margin, 500*gb))
	}
}

func wholeGB(bytes float64) float64 { return math.Ceil(bytes/gb-1e-9) * gb }

// images is X: the partition that other programs of the controller use, too, so never below 10 GB.
func (w *twin) images() float64 {
	x := 10 * gb
	if w.lvm() {
		var size float64
		for _, i := range w.s.Workload.Images {
			size += w.each(i.Count, false) * float64(i.Size)
		}
		if len(w.s.Workload.Images) > 0 {
			w.want["controller.imagesSize"] = size
		}
		x = math.Max(x, size*w.margin)
	}
	w.want["controller.images"] = x
	return x
}

// conversion is Y, of the disks that images become: the worked example has 5 of
// 8 GB for images of 4 GB. With dedicated storage a cached image is converted once, one
// at a time; with controller storage nothing is cached.
func (w *twin) conversion() float64 {
	var number, size, largest, cached float64
	for _, i := range w.s.Workload.Images {
		n := w.each(i.Count, false)
		switch {
		case n == 0:
		case i.Cached && !w.lvm():
			cached = math.Max(cached, float64(cmp.Or(i.DiskSize, i.Size)))
		default:
			raw := float64(cmp.Or(i.DiskSize, i.Size))
			number, size, largest = number+n, size+n*raw, math.Max(largest, raw)
		}
	}
	mean := 0.0
	w.want["controller.imageMeanTotal"] = size
	if number > 0 {
		w.want["controller.imageMeanCount"] = number
		mean = size / number
	}
	w.want["controller.imageMean"] = mean
	cores := shapeOf(w.controller()).cores()
	sim := math.Min(float64(w.s.Storage.Creation.Parallel), math.Min(float64(cores), 20))
	w.want["controller.simultaneous"] = sim
	formula := func(size float64) float64 {
		if w.lvm() {
			return sim * size * w.margin
		}
		return (2*sim*size + 2*cached) * w.margin
	}
	w.want["controller.conversionLargest"] = formula(largest)
	w.want["controller.conversionFormula"] = formula(mean)
	y := math.Max(20*gb, formula(mean))
	w.want["controller.conversion"] = y
	return y
}

// volumes are all Cinder volumes in bytes.
func (w *twin) volumes() (sum float64) {
	for i := range w.s.Workload.Servers {
		s := &w.s.Workload.Servers[i]
		one := 0.0
		for _, v := range s.Volumes {
			one += float64(v)
		}
		if len(s.Volumes) == 0 && s.BootFrom == "volume" {
			one = w.rawSize(s.Image)
		}
		sum += w.vmsOf(s.Name) * one
	}
	for _, v := range w.s.Workload.Volumes {
		sum += w.each(v.Count, true) * float64(v.Size)
	}
	return sum
}

func (w *twin) rawSize(image string) float64 {
	for _, i := range w.s.Workload.Images {
		if i.Name == image {
			return float64(cmp.Or(i.DiskSize, i.Size))
		}
	}
	return 0
}

// diskOf is the first disk of a use.
func diskOf(t *v1alpha1.NodeType, use string) (size float64, media string) {
	if t == nil {
		return 0, ""
	}
	for _, d := range t.Disks {
		if d.Use == use && float64(d.Size) > size {
			size, media = float64(d.Size), d.Media
		}
	}
	return size, media
}

// drbd are tables 4 and 5. Sizes in GB of the partitions count as GiB, rates as
// MiB a second: that is how the tables' times come out.
func (w *twin) drbd() {
	link, parallel := float64(w.s.Storage.DRBD.Link)/mb, float64(w.s.Storage.DRBD.Parallel)
	most := func(parallel, utilisation float64) float64 { // no more than the link carries
		return math.Min(math.Floor(utilisation*link/parallel/8+1e-9)*mib, link*mb/8)
	}
	rate := most(parallel, float64(w.s.Storage.DRBD.Utilisation))
	w.want["drbd.cap"] = rate
	sizes := map[string]float64{
		"postgres": w.want["controller.database"] / gb * gib, "images": w.want["controller.images"] / gb * gib,
		"rabbitmq": 2 * gib, "platform": 2 * gib,
	}
	used, other := "ssd", "sas"
	if w.lvm() {
		size, media := diskOf(w.controller(), "lvm")
		sizes["cinder"] = math.Max(size, w.want["controller.lvmNeed"])
		if media != "ssd" && media != "nvme" {
			used, other = other, used
		}
	}
	var all float64
	for name, size := range sizes {
		w.want["drbd.size["+name+"]"] = size
		all += size
	}
	total := func(media string, most float64, show bool) (sum float64) {
		for name, size := range sizes {
			seconds := math.Max(30, size/most)
			if measured := w.syncRate(media, name, media == used); measured > 0 {
				r := math.Min(measured, most)
				seconds = size / r
				if show {
					w.want["drbd.rate["+media+"/"+name+"]"] = r
				}
			}
			if show {
				w.want["drbd.time["+media+"/"+name+"]"] = seconds
			}
			sum += seconds
		}
		return sum
	}
	w.want["drbd.total"] = total(used, rate, true)
	w.want["drbd.total["+other+"]"] = total(other, rate, true)
	if w.lvm() {
		cinder := w.want["drbd.time["+used+"/cinder]"]
		w.want["drbd.beside"] = math.Max(w.want["drbd.total"]-cinder, cinder)
	}
	floor := 15*mib + rate/25
	w.want["drbd.floor"] = floor
	w.want["drbd.underLoad"] = all / math.Min(floor, rate)
	for id := range w.got { // which other settings are compared is the program's choice
		var p, u float64
		if n, _ := fmt.Sscanf(id, "drbd.cap[%g/%g]", &p, &u); n == 2 {
			at := strings.TrimPrefix(id, "drbd.cap")
			w.want[id], w.want["drbd.total"+at] = most(p, u/100), total(used, most(p, u/100), false)
		}
	}
}

// syncRate is the rate that the bench measured, bytes a second; 0 where the table says N/A.
// As printed, the time of table 4 counts only for a plan that depends on it.
func (w *twin) syncRate(media, partition string, used bool) float64 {
	table := map[string]float64{"sas/postgres": 170, "sas/images": 224, "sas/cinder": 155, "ssd/postgres": 173,
		"ssd/images": 216, "ssd/cinder": 210}
	if media+partition == "sascinder" && used && !w.careful {
		return 1000 * 1024 / (50*60 + 5.0) * mib // the time as printed, 50:05
	}
	return table[media+"/"+partition] * mib
}

// logging is table 6; the storage host's 77.5 MB is printed, 7.5 adds up to table 7.
func (w *twin) logging() {
	controllers, computes, storage := 2.0, float64(w.computes), 0.0
	if !w.lvm() {
		storage = float64(w.storage)
	}
	perStorage := 7.5
	if !w.careful {
		perStorage = 77.5
	}
	w.want["logging.logs"] = controllers*250000 + storage*30000 + computes*300000
	w.want["logging.bandwidth"] = (controllers*5.80 + storage*0.70 + computes*6.95) * kb
	w.want["logging.bytes"] = (controllers*62.5 + storage*perStorage + computes*75.0) * mb
}
