package ceph

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

// Four hosts in pairs: a lost host has no substitute in its pair, though Ceph's own
// rule would find room on the others.
func TestFailureOfAHost(t *testing.T) {
	four := 4
	in := input()
	in.Hosts = []Host{host(4, 1920*unit.GB, "ssd")}
	in.Hosts[0].Count = &four
	_, p := run(t, in)
	// 14,600 GB on 3 hosts of 7,680 GB.
	if got, want := value(t, in.Book, "ceph.fillAfter[host]"), 100*14600/(3*7680.0); math.Abs(got-want) > 1e-9 {
		t.Errorf("fill %v, want %v", got, want)
	}
	var failures []string
	for _, table := range p.Section.Tables {
		if table.ID == "ceph.failures" {
			for _, row := range table.Rows {
				failures = append(failures, row[0].Text+": "+row[2].Text+", "+row[4].Mark)
			}
		}
	}
	want := []string{"one OSD: the other OSDs of its host, good", "one host of a group: nowhere, warn",
		"one host, Ceph's own rule: all other hosts, good"}
	if !slices.Equal(failures, want) {
		t.Errorf("%q", failures)
	}
}

// Three copies take groups of three hosts and half as much again.
func TestThreeCopies(t *testing.T) {
	in := input()
	in.Ceph.Replicas = 3
	in.Hosts = []Host{host(8, 1920*unit.GB, "ssd")}
	r, p := run(t, in)
	if r.Hosts.Number != 3 || r.Raw.Number != 21900*gb || slices.Contains(ids(p, v1alpha1.Info), "copies.two") {
		t.Errorf("%v hosts, %v", r.Hosts, r.Raw)
	}
	// 100 * 24 / 3 = 800: 1024 is nearer than 512.
	if r.PGs.Number != 1024 || value(t, in.Book, "ceph.pgsPerOSD") != 128 {
		t.Errorf("%v", r.PGs)
	}
}

// Remarks that need no change.
func TestRemarks(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Host)
		want   string
	}{
		{"different disks", func(h *Host) {
			h.Disks = append(h.Disks, v1alpha1.Disk{Use: "osd", Count: 1, Size: 3840 * unit.GB, Media: "ssd"})
		}, "disk.mixed"},
		{"a journal that SSDs do not need", func(h *Host) {
			h.Disks = append(h.Disks,
				v1alpha1.Disk{Use: "journal", Size: unit.TB, Media: "nvme"})
		}, "journal.spare"},
		{"a cache without a tier", func(h *Host) {
			h.Disks = append(h.Disks,
				v1alpha1.Disk{Use: "cache", Size: unit.TB, Media: "nvme"})
		}, "cacheTier.unused"},
		{"memory below today's target", func(h *Host) { h.Disks[1].Count = 16 }, "memory.now"},
	} {
		in := input()
		h := host(7, 1920*unit.GB, "ssd")
		c.change(&h)
		in.Hosts = []Host{h}
		if _, p := run(t, in); !slices.Contains(ids(p, v1alpha1.Info), c.want) {
			t.Errorf("%s: %v", c.name, ids(p, v1alpha1.Info))
		}
	}
}

// More kinds than a formula can show are summed in words, to the same figure.
func TestManyKinds(t *testing.T) {
	in := input()
	in.Volumes, in.Loads = nil, nil
	for i := range 380 {
		path := fmt.Sprintf("workload.servers[%d]", i)
		in.Volumes = append(in.Volumes, part.Items{Name: path, Count: derive.Given(path+".count", 1, "volumes"),
			Size: derive.Given(path+".volumes[0]", 12*gb, unit.ByteUnit)})
		in.Loads = append(in.Loads, Load{Name: path, VMs: derive.Given(path+".count", 1, "VMs"),
			IOPS: derive.Given(path+".iops", 10, ops)})
	}
	r, _ := run(t, in)
	if r.Logical.Number != 7300*gb || r.IOPS.Number != 4750 {
		t.Errorf("%v, %v", r.Logical, r.IOPS)
	}
	if f, _ := in.Book.Get("ceph.cinderPlain"); f.Formula != "" || !strings.Contains(f.Method, "380 kinds") {
		t.Errorf("%q %q", f.Formula, f.Method)
	}
}

// Rows 7 and 14 are met by every plan of storage hosts, rows 4, 5 and 18 feed no figure.
func TestDoubtsMet(t *testing.T) {
	in := input()
	in.Doubts = doubt.New(doubt.Careful, in.Facts)
	run(t, in)
	var met []int
	for _, row := range in.Doubts.Rows() {
		if row.Met {
			met = append(met, row.Number)
		}
		if row.Number == 14 && (len(row.Effects) != 1 || !strings.Contains(row.Effects[0], "7.3 TB") ||
			!strings.Contains(row.Effects[0], "17.18 TB")) {
			t.Errorf("row 14: %v", row.Effects)
		}
	}
	if !slices.Equal(met, []int{7, 14}) {
		t.Errorf("met %v", met)
	}
}

// Nothing to store takes the least that is supported.
func TestNothing(t *testing.T) {
	in := Input{Book: &derive.Book{}, Facts: input().Facts}
	r, p := run(t, in)
	if r.OSDs.Number != 4 || r.Layout.Limiting != byMinimum || !r.Feasible || r.Raw.Number != 0 ||
		len(ids(p, v1alpha1.Error)) != 0 {
		t.Errorf("%+v, %v", r.Layout, ids(p, v1alpha1.Error))
	}
}

func BenchmarkPlan(b *testing.B) {
	for b.Loop() {
		in := input()
		in.Hosts = []Host{host(8, 1920*unit.GB, "ssd")}
		Plan(in)
	}
}

// Proposed disks end at 16 TB; before that there are more pairs, and beyond 8 hosts
// of 8 nothing is proposed.
func TestProposedDisksEnd(t *testing.T) {
	for _, size := range []float64{100, 200, 300, 700, 900, 1200} { // of 380 volumes
		in := input()
		in.Volumes[0].Size = derive.Given("workload.volumes[0].size", size*gb, unit.ByteUnit)
		r, p := run(t, in)
		need := r.Provide.Number
		hosts := 2
		for ; hosts < 8 && need > float64(hosts)*8*16e12; hosts += 2 {
		}
		fits := need <= float64(hosts)*8*16e12
		if r.Layout.Hosts != hosts || r.Feasible != fits || slices.Contains(ids(p, v1alpha1.Error), "disks.most") == fits {
			t.Errorf("%v bytes: %+v, feasible %v, want %d hosts, %v (%v)", need, r.Layout, r.Feasible, hosts, fits,
				ids(p, v1alpha1.Error))
		}
	}
}

// The remedy of more OSDs than were tested is one that holds: never disks below the
// least of 300 GB or smaller than those that are there, and faster ones where the rate
// asks for more than 16 of any size.
func TestRemedyOfManyOSDs(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*Input)
		want   string
	}{
		"little to keep": {func(in *Input) { in.Volumes = nil }, "16 OSDs of 1.92 TB would do"},
		"much to keep":   {func(in *Input) { in.Volumes[0].Count.Number = 1600 }, "larger disks: 16 OSDs of 3."},
		"much to do":     {func(in *Input) { in.Ceph.OSDRate = 100 }, "faster disks: 63 OSDs of any size are needed"},
	} {
		in, four := input(), 4
		in.Hosts = []Host{host(8, 1920*unit.GB, "ssd")}
		in.Hosts[0].Count = &four
		c.change(&in)
		_, p := run(t, in)
		i := slices.IndexFunc(p.Findings,
			func(f v1alpha1.Finding) bool { return f.ID == "ceph.osds.beyondTested" })
		if i < 0 || !strings.HasPrefix(p.Findings[i].Remedy, c.want) {
			t.Errorf("%s: %+v, want %q", name, p.Findings, c.want)
		}
	}
}
