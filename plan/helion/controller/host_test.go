package controller_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/unit"
)

// small is a cloud with controller storage that the minimum of everything holds:
// 39 + 40 + 50 + 20 + 110 = 259 GB of partitions, 250 GB of volumes.
func small(h *controller.Host) controller.Input {
	in := input(controller.Controller, 50, 5)
	in.Images = []controller.Image{image(10, 4*unit.GB, false)}
	in.Creation.Parallel = 1
	in.Volumes = []part.Items{items("volumes", 20, 10*unit.GB)}
	in.Host = h
	return in
}

func TestHostIsJudged(t *testing.T) {
	system, lvm := disk("system", 500*unit.GB, "ssd"), disk("lvm", 500*unit.GB, "ssd")
	good := func(change func(h *controller.Host)) *controller.Host {
		h := host(system, lvm)
		change(h)
		return h
	}
	for _, tt := range []struct {
		name string
		host *controller.Host
		want string // the finding; empty when there is none
		fits bool
	}{
		{"the least of everything", good(func(*controller.Host) {}), "", true},
		{"no host", nil, "", true},
		{"disks left open", host(), "", true},
		{"sockets not known", good(func(h *controller.Host) { h.Sockets = 0 }), "", true},
		{"one socket", good(func(h *controller.Host) { h.Sockets = 1 }), "controller.host.sockets", false},
		{"seven cores a socket", good(func(h *controller.Host) { h.Cores = derive.Of(15, "cores") }), "controller.host.cores",
			false},
		{"60 GiB of memory, more than 64 * 10^9 bytes",
			good(func(h *controller.Host) { h.Memory = derive.Of(60*gib, unit.ByteUnit) }), "controller.host.memory", false},
		{"64 GiB of memory", good(func(h *controller.Host) { h.Memory = derive.Of(64*gib, unit.ByteUnit) }), "", true},
		{"no primary disk", host(lvm), "controller.disk.missing", false},
		{"partitions do not fit", host(disk("system", 258*unit.GB, "ssd"), lvm), "controller.disk.tooSmall", false},
		{"partitions fit, below the minimum", host(disk("system", 480*unit.GB, "ssd"), lvm), "controller.disk.belowMinimum",
			false},
		{"a primary disk that rotates", host(disk("system", 500*unit.GB, "sas15k"), lvm), "controller.disk.media", false},
		{"NVMe is an SSD", host(disk("system", 500*unit.GB, "nvme"), lvm), "", true},
		{"no disk for volumes", host(system), "controller.lvm.missing", false},
		{"volumes do not fit", host(system, disk("lvm", 249*unit.GB, "ssd")), "controller.lvm.tooSmall", false},
		{"two disks are no larger one", host(system, v1alpha1.Disk{Use: "lvm", Count: 2, Size: 200 * unit.GB, Media: "ssd"}),
			"controller.lvm.tooSmall", false},
		{"the larger of two kinds counts", host(system, disk("lvm", 200*unit.GB, "ssd"), lvm), "", true},
		{"volumes fit, below the minimum", host(system, disk("lvm", 400*unit.GB, "ssd")), "controller.lvm.belowMinimum",
			false},
		{"an ordinary disk for volumes", host(system, disk("lvm", 500*unit.GB, "hdd")), "controller.lvm.media", false},
		{"SAS for volumes is allowed", host(system, disk("lvm", 500*unit.GB, "sas10k")), "controller.lvm.ssd", true},
		{"management of 1 Gbit/s alone",
			good(func(h *controller.Host) { h.NICs = []v1alpha1.NIC{{Use: "management", Count: 2, Speed: 1e9}} }),
			"controller.interfaces", true},
		{"a single port", good(func(h *controller.Host) { h.NICs[0].Count = 1 }), "controller.aggregation", true},
	} {
		r := plan(t, small(tt.host))
		var want []string
		if tt.want != "" {
			want = []string{tt.want}
		}
		if got := r.findings(); !slices.Equal(got, want) || r.Fits != tt.fits {
			t.Errorf("%s: fits %v, findings %v, want %v, %v", tt.name, r.Fits, got, tt.fits, want)
		}
	}
}

// Images and their backup fill a controller's disk; the finding says so and where
// they may go.
func TestImagesFillTheDisk(t *testing.T) {
	in := small(host(disk("system", 500*unit.GB, "ssd"), disk("lvm", 500*unit.GB, "ssd")))
	in.Images = []controller.Image{image(60, 4*unit.GB, false)} // X = 300, B = 360, P = 759
	r := plan(t, in)
	f := r.finding(t, "controller", "controller.disk.tooSmall")
	if !strings.Contains(f.Message, "759 GB") || !strings.Contains(f.Message, "images take 300 GB") ||
		!strings.Contains(f.Remedy, "759 GB") || !strings.Contains(f.Remedy, controller.Dedicated) {
		t.Errorf("%s (%s)", f.Message, f.Remedy)
	}
	if f.Severity != v1alpha1.Error || f.Field != "hardware.nodeTypes[0].disks[0].size" || f.Figure != "controller.disk" ||
		f.Sources[0].Section != "3" {
		t.Errorf("%+v", f)
	}
	if g := gauge(t, r.parts["controller"], "controllerDisk"); g.Verdict != limit.Passed || g.Kind != limit.Hard ||
		g.Local {
		t.Errorf("%+v", g)
	}
}

// A disk that holds the partitions with 10^9 bytes to the GB and not with 2^30.
func TestPartitionsOfGiB(t *testing.T) {
	in := small(host(disk("system", 520*unit.GB, "ssd"), disk("lvm", 500*unit.GB, "ssd")))
	// X = 175, P = 39 + 40 + 175 + 20 + 235 = 509, 546.5 of GiB
	in.Images = []controller.Image{image(35, 4*unit.GB, false)}
	r := plan(t, in)
	texts(t, map[string]derive.Value{"509 GB": r.Disk})
	if f := r.finding(t, "controller", "controller.disk.tight"); f.Severity != v1alpha1.Warning ||
		!strings.Contains(f.Message, "546.5 GB") || !r.Fits {
		t.Errorf("fits %v: %s", r.Fits, f.Message)
	}
}

// A disk holds what is exactly as large.
func TestDiskThatIsExactlyFull(t *testing.T) {
	for size, want := range map[unit.Bytes][]string{509*unit.GB - 1: {"controller.disk.tooSmall"},
		509 * unit.GB: {"controller.disk.tight"}, 509 * gib: nil, 509*gib - 1: {"controller.disk.tight"}} {
		in := small(host(disk("system", size, "ssd"), disk("lvm", 500*unit.GB, "ssd")))
		in.Images = []controller.Image{image(35, 4*unit.GB, false)}
		if got := plan(t, in).findings(); !slices.Equal(got, want) {
			t.Errorf("%d bytes: %v, want %v", size, got, want)
		}
	}
}

// A volume disk is of no use with storage nodes, and its lack no fault.
func TestNoVolumeDiskWithStorageNodes(t *testing.T) {
	in := small(host(disk("system", 500*unit.GB, "ssd")))
	in.Model = controller.Dedicated
	if r := plan(t, in); !r.Fits || len(r.findings()) > 0 || r.LVM.Text != "" {
		t.Errorf("fits %v, %v, LVM %q", r.Fits, r.findings(), r.LVM.Text)
	}
}

// Cinder has as many workers as the controller has cores: with 16, 16 of 18 are at work.
func TestCinderWorkers(t *testing.T) {
	in := small(host(disk("system", 500*unit.GB, "ssd"), disk("lvm", 500*unit.GB, "ssd")))
	in.Creation.Parallel = 18
	r := plan(t, in)
	if r.Simultaneous.Number != 16 {
		t.Errorf("%s at once", r.Simultaneous.Text)
	}
	texts(t, map[string]derive.Value{"80 GB": r.Conversion})
	if f := r.finding(t, "controller", "controller.conversion.workers"); !strings.Contains(f.Message, "18 creates") ||
		!strings.Contains(f.Message, "16 of them") {
		t.Error(f.Message)
	}
}

// Every combination of HCG 3, and what is none.
func TestInterfaceCombinations(t *testing.T) {
	nic := func(use string, speed unit.BitRate, count int) v1alpha1.NIC {
		return v1alpha1.NIC{Use: use, Speed: speed, Count: count}
	}
	for _, tt := range []struct {
		name        string
		nics        []v1alpha1.NIC
		combination string
		problem     string
		single      bool
	}{
		{name: "none", nics: []v1alpha1.NIC{nic("data", 10e9, 2), nic("oam", 1e9, 1)}},
		{name: "1G and 10G", nics: []v1alpha1.NIC{nic("management", 1e9, 2), nic("infrastructure", 10e9, 2)},
			combination: "separate"},
		{name: "10G alone", nics: []v1alpha1.NIC{nic("management", 10e9, 2)}, combination: "single"},
		{name: "VLANs of 10G", nics: []v1alpha1.NIC{nic("infrastructure", 10e9, 2)}, combination: "vlans"},
		{name: "faster", nics: []v1alpha1.NIC{nic("management", 10e9, 2), nic("infrastructure", 25e9, 2)},
			combination: "separate"},
		{name: "1G alone", nics: []v1alpha1.NIC{nic("management", 1e9, 2)},
			problem: "management without infrastructure on 1 Gbit/s, it needs 10 Gbit/s"},
		{name: "1G of infrastructure", nics: []v1alpha1.NIC{nic("management", 10e9, 2), nic("infrastructure", 1e9, 2)},
			problem: "infrastructure on 1 Gbit/s, it needs 10 Gbit/s"},
		{name: "100M of management", nics: []v1alpha1.NIC{nic("management", 100e6, 2), nic("infrastructure", 10e9, 2)},
			problem: "management on 100 Mbit/s, it needs 1 Gbit/s"},
		{name: "the fastest counts", nics: []v1alpha1.NIC{nic("management", 1e9, 2), nic("management", 10e9, 2)},
			combination: "single"},
		{name: "one port", nics: []v1alpha1.NIC{nic("management", 1e9, 1), nic("infrastructure", 10e9, 2)},
			combination: "separate", single: true},
	} {
		got := controller.JudgeInterfaces(tt.nics, facts.Load())
		if got != (controller.Interfaces{Combination: tt.combination, Problem: tt.problem, Single: tt.single}) {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

// The settings of table 2 and the combinations stand in wide tables with their kind.
func TestSettingsAreListed(t *testing.T) {
	r := plan(t, small(host()))
	tables := map[string]v1alpha1.Table{}
	for _, table := range r.parts["controller"].Section.Tables {
		tables[table.ID] = table
	}
	for id, words := range map[string][]string{
		"controller.settings": {"BIOS or UEFI", "Secure Boot", "IPv6 PXE", "enabled or disabled", "maximum performance",
			"no C-states", "hard disk, PXE, USB"},
		"controller.interfaces": {"10 Gbit/s, no infrastructure", "VLANs", "aggregation", "recommended"},
	} {
		table, all := tables[id], ""
		for _, row := range table.Rows {
			for _, cell := range row {
				all += cell.Text + "\n"
			}
		}
		if !table.Wide {
			t.Errorf("%s is not wide", id)
		}
		for _, w := range words {
			if !strings.Contains(all, w) {
				t.Errorf("%s does not tell of %s", id, w)
			}
		}
	}
}
