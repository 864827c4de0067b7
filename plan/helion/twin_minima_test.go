package helion_test

import (
	"slices"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// Hosts at the document's minima pass (memory counts in GiB), and each minimum that is missed is an error of its own.
func TestTwinOfMinima(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(head, blade, store *v1alpha1.NodeType)
		want   string // the finding; empty for none
	}{
		{"all at the least", func(_, _, _ *v1alpha1.NodeType) {}, ""},
		{"controller memory", func(h, _, _ *v1alpha1.NodeType) { h.Memory = 59 * gib }, "controller.host.memory"},
		{"controller memory of 10^9", func(h, _, _ *v1alpha1.NodeType) { h.Memory = 64 * gb }, "controller.host.memory"},
		{"controller cores", func(h, _, _ *v1alpha1.NodeType) { h.Topology = "2 sockets x 7 cores x 2 threads" },
			"controller.host.cores"},
		{"controller sockets", func(h, _, _ *v1alpha1.NodeType) { h.Topology = "1 socket x 16 cores" },
			"controller.host.sockets"},
		{"controller disk", func(h, _, _ *v1alpha1.NodeType) { h.Disks[0].Size = 499 * gb }, "controller.disk.belowMinimum"},
		{"controller disk no SSD", func(h, _, _ *v1alpha1.NodeType) { h.Disks[0].Media = "sas15k" }, "controller.disk.media"},
		{"compute memory", func(_, b, _ *v1alpha1.NodeType) { b.Memory = 29 * gib }, "compute.memoryMin"},
		{"compute cores", func(_, b, _ *v1alpha1.NodeType) { b.Topology = "2 sockets x 7 cores x 2 threads" },
			"compute.coresMin"},
		{"compute disk", func(_, b, _ *v1alpha1.NodeType) { b.Disks[0].Size = 119 * gb }, "compute.primarySize"},
		{"storage memory", func(_, _, s *v1alpha1.NodeType) { s.Memory = 59 * gib }, "ceph.memory.short"},
		{"storage memory of 10^9", func(_, _, s *v1alpha1.NodeType) { s.Memory = 64 * gb }, "ceph.memory.short"},
		{"storage disk", func(_, _, s *v1alpha1.NodeType) { s.Disks[0].Size = 119 * gb }, "ceph.primary.small"},
		{"OSD size", func(_, _, s *v1alpha1.NodeType) { s.Disks[1].Size = 299 * gb }, "ceph.disk.small"},
		{"OSD speed", func(_, _, s *v1alpha1.NodeType) { s.Disks[1].Media = "hdd" }, "ceph.disk.slow"},
		{"9 OSDs on a host", func(_, _, s *v1alpha1.NodeType) { s.Disks[1].Count = 9 }, "ceph.osds.perHost"},
		{"1 OSD on a host", func(_, _, s *v1alpha1.NodeType) { s.Disks[1].Count = 1 }, "ceph.osds.perHost"},
		{"odd storage hosts", func(_, _, s *v1alpha1.NodeType) { s.Count = new(3) }, "ceph.pairs[store]"},
		{"cores of 8 OSDs", func(_, _, s *v1alpha1.NodeType) { s.Topology = "2 sockets x 6 cores" }, "ceph.cores.short"},
	} {
		s := least()
		types := s.Hardware.NodeTypes
		c.change(&types[0], &types[1], &types[2])
		var got []string
		for _, f := range planned(s).Findings {
			if f.Severity == v1alpha1.Error {
				got = append(got, f.ID)
			}
		}
		if c.want == "" && len(got) > 0 || c.want != "" && !slices.Contains(got, c.want) {
			t.Errorf("%s: got the errors %q, want %q", c.name, got, c.want)
		}
	}
}

// least is a cloud with dedicated storage whose hosts are the smallest that the document allows.
func least() *v1alpha1.Scenario {
	disk := func(use string, size int, media string, count int) v1alpha1.Disk {
		return v1alpha1.Disk{Use: use, Size: unit.Bytes(size) * gb, Media: media, Count: count}
	}
	host := func(name, role string, memory int, disks ...v1alpha1.Disk) v1alpha1.NodeType {
		return v1alpha1.NodeType{Name: name, Role: role, Memory: unit.Bytes(memory) * gib, Topology: "2 sockets x 8 cores",
			Disks: disks}
	}
	s := choice{vms: 4, computes: -1, creates: 1, sites: 1, volume: 1, boot: "remoteImage"}.scenario()
	s.Hardware.NodeTypes = []v1alpha1.NodeType{
		host("head", "controller", 64, disk("system", 500, "ssd", 1)),
		host("blade", "compute", 32, disk("system", 120, "sas10k", 1), disk("local", 500, "sas10k", 1)),
		host("store", "storage", 64, disk("system", 120, "sas10k", 1), disk("osd", 300, "sas10k", 8)),
	}
	return s
}

// The notes' table of RFC 5180, whole frames a second on a line of 10 Gbit/s.
func TestTwinOfLineRates(t *testing.T) {
	want := []string{"14,880,952", "8,445,945", "4,528,985", "2,349,624", "1,197,318", "961,538", "812,743", "3,343,736"}
	s := plain.scenario()
	s.Hardware.NodeTypes[0].NICs = []v1alpha1.NIC{{Name: "data", Use: "data", Speed: 10e9, NUMANode: new(0)}}
	for _, section := range planned(s).Sections {
		for _, table := range section.Tables {
			if table.ID != "neutron.lineRates" {
				continue
			}
			var got []string
			for _, row := range table.Rows {
				got = append(got, row[len(row)-1].Text)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			return
		}
	}
	t.Error("the plan has no table of line rates")
}
