package controller_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

// anything is an input within what a scenario may hold, and beyond what a cloud has.
func anything(t *rapid.T) controller.Input {
	size := func(name string) unit.Bytes { return unit.Bytes(rapid.Int64Range(1, 8e18).Draw(t, name)) }
	few := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
	in := input(rapid.SampledFrom([]string{controller.CPE, controller.Controller, controller.Dedicated,
		controller.Regions}).Draw(t, "model"), few("vms", 1e6), few("computes", 1e6))
	in.Doubts = doubt.New(rapid.SampledFrom([]string{doubt.Careful, doubt.AsPrinted, doubt.Refuse}).Draw(t, "mode"),
		in.Facts)
	in.StorageHosts = derive.Given("storage", few("storage", 10), "storage hosts")
	in.VolumeVMs = derive.Given("volumeVMs", few("volumeVMs", 1e6), "VMs")
	in.Meters = derive.Given("meters", few("meters", 1)*few("meterCount", 1e9), "meters")
	in.Margin = derive.Given("margin", rapid.Float64Range(0, 10).Draw(t, "margin"), unit.Ratio)
	for range few("images", 4) {
		in.Images = append(in.Images, controller.Image{Items: items("image", few("count", 1e6), size("size")),
			Cached: rapid.Bool().Draw(t, "cached")})
	}
	for range few("volumes", 4) {
		in.Volumes = append(in.Volumes, items("volumes", few("count", 1e8), size("size")))
	}
	in.DRBD = v1alpha1.DRBD{Parallel: 1 + few("parallel", 9), Utilisation: unit.Factor(rapid.Float64Range(0.05,
		1).Draw(t, "utilisation")), Link: unit.BitRate(rapid.Int64Range(1, 1e13).Draw(t, "link"))}
	in.Creation = v1alpha1.Creation{Parallel: 1 + few("creates", 9999), Thin: rapid.Bool().Draw(t, "thin")}
	if rapid.Bool().Draw(t, "host") {
		in.Host = anyHost(t, size)
	}
	return in
}

func anyHost(t *rapid.T, size func(string) unit.Bytes) *controller.Host {
	h := host()
	h.Sockets = rapid.IntRange(0, 8).Draw(t, "sockets")
	h.Cores = derive.Given("cores", rapid.IntRange(1, 512).Draw(t, "cores"), "cores")
	for range rapid.IntRange(0, 4).Draw(t, "disks") {
		h.Disks = append(h.Disks, disk(rapid.SampledFrom([]string{"system", "lvm", "local"}).Draw(t, "use"), size("disk"),
			rapid.SampledFrom([]string{"nvme", "ssd", "sas15k", "sas10k", "hdd"}).Draw(t, "media")))
	}
	return h
}

// Whatever the input: every formula holds, nothing is below the document's minima,
// the partitions add up, and what does not fit is said.
func TestAnyInput(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := anything(rt)
		r := plan(t, in)
		if t.Failed() {
			rt.Fatal("see above")
		}
		sum := 39*gb + r.Database.Number + r.Images.Number + r.Conversion.Number + r.Backup.Number
		switch {
		case r.Database.Number < 40*gb, r.Images.Number < 10*gb, r.Conversion.Number < 20*gb, r.Backup.Number < 70*gb,
			r.DiskNeed.Number < 500*gb:
			rt.Fatalf("below the least: %+v", r.Result)
		case r.Disk.Number < sum*(1-1e-12) || r.Disk.Number > sum*(1+1e-12), r.DiskNeed.Number < r.Disk.Number*(1-1e-11):
			rt.Fatalf("partitions of %v, %v in all, %v to provide", sum, r.Disk.Number, r.DiskNeed.Number)
		case r.LVM.Text != "" && (r.LVMNeed.Number < 500*gb || r.LVMNeed.Number < r.LVM.Number*(1-1e-11)):
			rt.Fatalf("volumes of %v, %v to provide", r.LVM.Number, r.LVMNeed.Number)
		case (r.LVM.Text != "") != (in.Model == controller.CPE || in.Model == controller.Controller):
			rt.Fatalf("%s with volumes of %q", in.Model, r.LVM.Text)
		case r.Simultaneous.Number < 1 || r.Simultaneous.Number > 20:
			rt.Fatalf("%v volumes at once", r.Simultaneous.Number)
		case r.LaunchLeast.Number > r.LaunchMost.Number:
			rt.Fatalf("%v to %v", r.LaunchLeast.Number, r.LaunchMost.Number)
		}
		checkFit(rt, in, r)
		for id, p := range r.parts {
			if p.Section.Summary == "" || strings.Contains(p.Section.Summary, "%!") {
				rt.Fatalf("summary of %s: %q", id, p.Section.Summary)
			}
		}
	})
}

// checkFit compares the verdict on the host with a plain reading of the rules.
func checkFit(t *rapid.T, in controller.Input, r planned) {
	fits := true
	if h := in.Host; h != nil {
		most := map[string]v1alpha1.Disk{}
		for _, d := range h.Disks {
			if d.Size > most[d.Use].Size {
				most[d.Use] = d
			}
		}
		if h.Sockets > 0 && (h.Sockets < 2 || h.Cores.Number < 8*float64(h.Sockets)) {
			fits = false
		}
		if s := most["system"]; len(h.Disks) > 0 &&
			(float64(s.Size) < max(500*gb, r.Disk.Number) || s.Media != "ssd" && s.Media != "nvme") {
			fits = false
		}
		if l := most["lvm"]; len(h.Disks) > 0 && r.LVM.Text != "" &&
			(float64(l.Size) < max(500*gb, r.LVM.Number) || l.Media == "hdd") {
			fits = false
		}
	}
	if r.Fits != fits {
		t.Fatalf("fits %v, want %v: %v", r.Fits, fits, r.findings())
	}
}

// A larger cloud never takes less, nor does a larger margin.
func TestMoreNeverTakesLess(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := anything(rt)
		in.Host, in.RemoteLogging = nil, true
		a := plan(t, in)
		in.Book = &derive.Book{}
		switch rapid.IntRange(0, 4).Draw(rt, "which") {
		case 0:
			in.VMs = derive.Given("vms", in.VMs.Number+1000, "VMs")
		case 1:
			in.Computes = derive.Given("computes", in.Computes.Number+100, "computes")
		case 2:
			in.Margin = derive.Given("margin", in.Margin.Number+1, unit.Ratio)
		case 3:
			in.Volumes = append(in.Volumes, items("more", 10, unit.GB))
		case 4:
			in.DRBD.Utilisation /= 2
		}
		b := plan(t, in)
		if t.Failed() {
			rt.Fatal("see above")
		}
		for name, pair := range map[string][2]derive.Value{"database": {a.Database, b.Database}, "disk": {a.Disk, b.Disk},
			"LVM": {a.LVM, b.LVM}, "logs": {a.LogBytes, b.LogBytes}} {
			if pair[1].Number < pair[0].Number {
				rt.Fatalf("%s falls from %s to %s", name, pair[0].Text, pair[1].Text)
			}
		}
		if b.Sync.Text != "" && b.Sync.Number < a.Sync.Number*(1-1e-12) {
			rt.Fatalf("synchronisation falls from %s to %s", a.Sync.Text, b.Sync.Text)
		}
	})
}
