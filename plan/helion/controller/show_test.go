package controller_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/unit"
)

func (p planned) table(t *testing.T, section, id string) v1alpha1.Table {
	t.Helper()
	tables := p.parts[section].Section.Tables
	i := slices.IndexFunc(tables, func(table v1alpha1.Table) bool { return table.ID == id })
	if i < 0 {
		t.Fatalf("no table %s", id)
	}
	return tables[i]
}

// lines are the rows of a table with their marks.
func lines(table v1alpha1.Table) []string {
	var out []string
	for _, row := range table.Rows {
		var cells []string
		for _, c := range row {
			text := c.Text
			if c.Mark != "" {
				text += " [" + c.Mark + "]"
			}
			cells = append(cells, text)
		}
		out = append(out, strings.Join(cells, " | "))
	}
	return out
}

func same(t *testing.T, table v1alpha1.Table, want ...string) {
	t.Helper()
	if got := lines(table); !slices.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", table.ID, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The machine stands beside each demand, judged; what is left open is not.
func TestHostTable(t *testing.T) {
	least := plan(t, small(host(disk("system", 500*unit.GB, "ssd"), disk("lvm", 500*unit.GB, "sas10k"))))
	same(t, least.table(t, "controller", "controller.host"), "sockets | 2 sockets | 2 sockets [good]",
		"cores of each socket | 8 cores | 8 cores [good]",
		"memory | 64 GiB | 64 GiB [good]", "primary disk | 500 GB, SSD | 500 GB, ssd [good]",
		"disk for volumes | 500 GB, SAS 10K | 500 GB, sas10k [good]")
	h := host(disk("system", 500*unit.GB, "sas10k"), disk("lvm", 500*unit.GB, "hdd"))
	h.Sockets, h.Cores, h.Memory = 1, derive.Of(7, "cores"), derive.Of(32*gib, unit.ByteUnit)
	same(t, plan(t, small(h)).table(t, "controller", "controller.host"), "sockets | 2 sockets | 1 socket [bad]",
		"cores of each socket | 8 cores | 7 cores [bad]",
		"memory | 64 GiB | 32 GiB [bad]", "primary disk | 500 GB, SSD | 500 GB, sas10k [bad]",
		"disk for volumes | 500 GB, SAS 10K | 500 GB, hdd [bad]")
	open := plan(t, input(controller.Dedicated, 10, 1))
	same(t, open.table(t, "controller", "controller.host"), "sockets | 2 sockets | open",
		"cores of each socket | 8 cores | open", "memory | 64 GiB | open", "primary disk | 500 GB, SSD | open")
}

// The partitions of table 3, with the second disk where the controllers hold volumes.
func TestPartitionTable(t *testing.T) {
	fixed := []string{"rootfs | 19.5 GB | fixed", "boot | 500 MB | fixed", "scratch | 7.5 GB | fixed",
		"log | 7.5 GB | fixed", "platform | 2 GB | fixed", "rabbitmq | 2 GB | fixed"}
	dedicated := plan(t, input(controller.Dedicated, 10, 1)).table(t, "controller", "controller.partitions")
	same(t, dedicated, append(slices.Clone(fixed), "cgcs | 10 GB | fixed with dedicated storage",
		"database | 40 GB | by VMs and computes, twice for upgrades",
		"image conversion | 20 GB | by simultaneous creates", "backup | 70 GB | database, images and overhead",
		"all partitions | 179 GB | ", "to provide | 500 GB | one SSD, at least 500 GB")...)
	controller := lines(plan(t, small(nil)).table(t, "controller", "controller.partitions"))
	if got := controller[len(fixed)]; got != "cgcs | 50 GB | images, by their sizes" {
		t.Error(got)
	}
	if got := strings.Join(controller[len(controller)-2:], "; "); !strings.HasPrefix(got, "Cinder volumes | 250 GB") ||
		!strings.Contains(got, "to provide | 500 GB") {
		t.Error(got)
	}
}

// Disks that the document did not bench are told of below the times.
func TestNotesOnDisksThatWereNotBenched(t *testing.T) {
	for media, told := range map[string]bool{"ssd": false, "sas10k": false, "nvme": true, "sas15k": true, "hdd": true} {
		in := bench(media)
		in.Host.Disks[0].Media = media
		notes := strings.Join(plan(t, in).table(t, "drbd", "drbd.partitions").Notes, " ")
		if got := strings.Contains(notes, "for Cinder is "+media); got != told {
			t.Errorf("%s for Cinder: %s", media, notes)
		}
		if got := strings.Contains(notes, "primary disk is "+media); got != (media != "ssd" && media != "nvme") {
			t.Errorf("%s as primary disk: %s", media, notes)
		}
	}
	if notes := plan(t, input(controller.Controller, 10, 1)).table(t, "drbd", "drbd.partitions").Notes; len(notes) != 3 {
		t.Errorf("open disks: %q", notes)
	}
}

// A cap as high as what the disks reach limits none of them.
func TestCapAsHighAsTheDisks(t *testing.T) {
	in := bench("ssd")
	in.DRBD.Utilisation, in.DRBD.Link = 0.8, 4320e6 // for two at once: 216 MiB/s, the rate of images
	r := plan(t, in)
	near(t, "cap", figure(t, r, "drbd.cap"), 216*mib)
	if slices.Contains(r.findings(), "drbd.capped") || slices.Contains(r.findings(), "drbd.utilisation") {
		t.Errorf("%v", r.findings())
	}
}

// Severities: what is no more than advice never makes a plan fail.
func TestSeverities(t *testing.T) {
	in := bench("ssd")
	in.DRBD.Utilisation, in.Creation.Parallel = 0.9, 6
	r := plan(t, in)
	for section, id := range map[string]string{"drbd": "drbd.utilisation", "launch": "launch.parallel"} {
		if f := r.finding(t, section, id); f.Severity != v1alpha1.Warning {
			t.Errorf("%s is of severity %s", id, f.Severity)
		}
	}
}

// The default partition is told to be too small from 577 VMs on, at 10 to a compute.
func TestDefaultDatabaseTooSmall(t *testing.T) {
	exact := input(controller.Dedicated, 600, 0) // 2 x (5 + 15 GB), the default
	for _, tt := range []struct {
		in    controller.Input
		small bool
	}{{input(controller.Dedicated, 570, 57), false}, {input(controller.Dedicated, 580, 58), true}, {exact, false}} {
		r := plan(t, tt.in)
		if got := slices.Contains(r.findings(), "controller.database.default"); got != tt.small {
			t.Errorf("%s on %s: %v", tt.in.VMs.Text, tt.in.Computes.Text, r.findings())
		}
		if row := r.doubts.Rows()[9]; !row.Met || (len(row.Effects) > 0) != tt.small {
			t.Errorf("doubt 10: %+v", row)
		}
	}
}

// Doubt 11: the 10 GB that the fixed partitions leave out count twice.
func TestDoubt11(t *testing.T) {
	row := plan(t, input(controller.Dedicated, 10, 1)).doubts.Rows()[10]
	if effect := strings.Join(row.Effects, " "); !row.Met || !strings.Contains(effect, "10 GB each") ||
		!strings.Contains(effect, "20 GB short") {
		t.Errorf("%+v", row)
	}
	if row := plan(t, input(controller.Controller, 10, 1)).doubts.Rows()[10]; row.Met {
		t.Error("met with controller storage, where cgcs holds the images")
	}
}

// Only where all images are cached is it said that they may not be yet.
func TestNoteOnCachedImages(t *testing.T) {
	for _, tt := range []struct {
		images []controller.Image
		told   bool
	}{
		{[]controller.Image{image(1, 8*unit.GB, true)}, true},
		{[]controller.Image{image(1, 8*unit.GB, true), image(1, 8*unit.GB, false)}, false},
		{[]controller.Image{image(1, 8*unit.GB, false)}, false},
		{nil, false},
	} {
		in := input(controller.Dedicated, 10, 1)
		in.Images = tt.images
		f, _ := plan(t, in).book.Get("controller.conversionFormula")
		if got := strings.Contains(strings.Join(f.Notes, " "), "before it is cached"); got != tt.told {
			t.Errorf("%d images: %v", len(tt.images), f.Notes)
		}
	}
}

// Nothing is launched without VMs on volumes; the limit holds all the same.
func TestNoVMOnVolumes(t *testing.T) {
	r := plan(t, input(controller.Controller, 10, 1))
	if r.LaunchMost.Text != "" || !strings.Contains(r.parts["launch"].Section.Summary, "no VM") ||
		gauge(t, r.parts["launch"], "parallelCreates").Limit.Number != 5 {
		t.Errorf("%s: %s", r.LaunchMost.Text, r.parts["launch"].Section.Summary)
	}
}

// On SAS disks the times are said to be those of SSDs.
func TestLaunchOnSAS(t *testing.T) {
	in := bench("sas10k")
	in.VolumeVMs = derive.Given("vms", 20, "VMs")
	r := plan(t, in)
	if f, _ := r.book.Get("launch.most"); !strings.Contains(f.Title, "on SSDs") ||
		!strings.Contains(r.parts["launch"].Section.Summary, "SAS disks take longer") {
		t.Errorf("%s; %s", f.Title, r.parts["launch"].Section.Summary)
	}
}
