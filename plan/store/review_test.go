package store_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/store"
	"plimsoll.dev/unit"
)

// cells are the texts of the table's row that begins with the name.
func cells(r store.Result, table, name string) []v1alpha1.Cell {
	for _, t := range r.Part.Section.Tables {
		for _, row := range t.Rows {
			if t.ID == table && row[0].Text == name {
				return row
			}
		}
	}
	return nil
}

// TestBelowThePlatformsMinimum: 85 GB hold 60 GB of directories, but the
// platform wants 100 GB; amounts that are compared are written alike.
func TestBelowThePlatformsMinimum(t *testing.T) {
	for disk, want := range map[unit.Bytes][2]string{
		59 * unit.GB: {"warning storage.disk.tooSmall", "bad"}, 85 * unit.GB: {"warning storage.disk.belowMinimum", "bad"},
		90 * unit.GiB: {"warning storage.disk.belowMinimum", "bad"}, 100 * unit.GB: {"", "good"},
	} {
		n := store.Node{Type: "w", Role: "worker", Memory: derive.Given("m", 16*unit.GB, unit.ByteUnit),
			Disk: derive.Given("d", disk, unit.ByteUnit)}
		r := plan(t, store.Input{Nodes: []store.Node{n}})
		got := ""
		for _, f := range r.Part.Findings {
			got += string(f.Severity) + " " + f.ID
			if strings.Contains(f.Message, "iB") || !strings.Contains(f.Remedy, "100 GB") || len(f.Sources) == 0 {
				t.Errorf("%s: %q, %q", disk, f.Message, f.Remedy)
			}
		}
		if row := cells(r, "storage.disks", "the machine has"); got != want[0] || row[1].Mark != want[1] ||
			strings.Contains(row[1].Text, "iB") {
			t.Errorf("%s: finding %q, cell %+v, want %v", disk, got, row, want)
		}
		if g := r.Part.Gauges[0]; g.Value.Number != 60e9 || g.Limit.Text != unit.FormatDecimal(disk) && disk%unit.GB == 0 {
			t.Errorf("%s: gauge %+v", disk, g)
		}
	}
}

// TestQuotaOfTheOperator: 7 GiB stand beside 20 GB as 7.52 GB.
func TestQuotaOfTheOperator(t *testing.T) {
	n := store.Node{Type: "m", Role: "controlPlane", Memory: derive.Given("m", 16*unit.GB, unit.ByteUnit)}
	r := plan(t, store.Input{Storage: v1alpha1.Storage{EtcdQuota: 7 * unit.GiB}, Nodes: []store.Node{n}})
	if row := cells(r, "storage.disks", "/var/lib/etcd"); row[1].Text != "7.52 GB to 20 GB" {
		t.Errorf("row %+v", row)
	}
}

// TestRemedyIsAnother: what is advised is what ranks first, and is not what was chosen.
func TestRemedyIsAnother(t *testing.T) {
	for _, c := range []struct {
		use                       v1alpha1.StorageUse
		provider, remedy, message string
	}{
		{v1alpha1.StorageUse{Use: "etcd", AccessMode: "RWO", Product: "hdd"}, "aws",
			"put etcd on block storage (a local NVMe or SSD drive)", "spinning"},
		{v1alpha1.StorageUse{Use: "etcd", AccessMode: "RWO", Technology: "file"}, "none",
			"put etcd on block storage (a local NVMe or SSD drive)", "NFS"},
		{v1alpha1.StorageUse{Use: "apps", AccessMode: "ROX", Product: "loopback-nfs"}, "aws",
			"take other file storage than loopback over NFS (recommended)", "exception"},
		{v1alpha1.StorageUse{Use: "apps", AccessMode: "ROX", Product: "vmdk"}, "baremetal",
			"take other block storage than VMDK (recommended)", "exception"},
		{v1alpha1.StorageUse{Use: "apps", AccessMode: "ROX", Product: "vmdk"}, "openstack",
			"take block storage (RHOSP Cinder) (recommended)", "exception"},
		{v1alpha1.StorageUse{Use: "apps", AccessMode: "RWO", Technology: "object"}, "aws",
			"take block storage (AWS EBS) (recommended)", "REST API (footnote 7 of table 10.2)"},
	} {
		c.use.Name = "u"
		r := plan(t, store.Input{Provider: c.provider, Storage: v1alpha1.Storage{Uses: []v1alpha1.StorageUse{c.use}}})
		if len(r.Part.Findings) != 1 || r.Part.Findings[0].Remedy != c.remedy ||
			!strings.Contains(r.Part.Findings[0].Message, c.message) {
			t.Errorf("%+v: %+v, want %q", c.use, r.Part.Findings, c.remedy)
		}
	}
}

// TestVerdictIsSaidOnce: the reason and the verdict of file storage for logs are one sentence.
func TestVerdictIsSaidOnce(t *testing.T) {
	r := plan(t, store.Input{Provider: "aws", Storage: v1alpha1.Storage{Uses: []v1alpha1.StorageUse{
		{Name: "u", Use: "logging", AccessMode: "RWO", Technology: "file"}}}})
	if m := r.Part.Findings[0].Message; strings.Count(m, "file storage is not recommended") != 1 {
		t.Errorf("%s", m)
	}
}

// TestRankingKeepsTheBetterOne: a bad choice does not push the good one of its
// technology out of the table.
func TestRankingKeepsTheBetterOne(t *testing.T) {
	uses := []v1alpha1.StorageUse{{Name: "u", Use: "etcd", AccessMode: "RWO", Product: "hdd"}}
	r := plan(t, store.Input{Provider: "aws", Storage: v1alpha1.Storage{Uses: uses}})
	var got []string
	for _, row := range r.Part.Section.Tables[0].Rows {
		got = append(got, row[1].Text)
	}
	want := []string{"block storage (a local NVMe or SSD drive)", "file storage",
		"block storage (a spinning disk), as chosen", "object storage (Amazon S3)"}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// TestCNS: the sentence is about 4.4 and stands in plans for 4.4 only.
func TestCNS(t *testing.T) {
	for release, want := range map[string]bool{"4.4": true, "4.4.12": true, "4.14": false, "1.4": false, "3.11": false} {
		var b derive.Book
		c := facts.Load()
		uses := []v1alpha1.StorageUse{{Name: "u", Use: "apps", AccessMode: "RWO"}}
		r := store.Plan(&b, store.Input{Release: release, Facts: c, Origin: part.NewOrigin(nil, c),
			Storage: v1alpha1.Storage{Uses: uses}})
		if got := strings.Contains(strings.Join(r.Part.Section.Tables[0].Notes, " "), "CNS"); got != want {
			t.Errorf("%s: %v, want %v", release, got, want)
		}
	}
}
