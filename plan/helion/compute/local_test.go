package compute

import (
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		name    string
		server  v1alpha1.Server
		disk    float64
		want    string
		against bool
	}{
		{"a volume alone", v1alpha1.Server{BootFrom: "volume"}, 0, "", false},
		{"a volume alone, to be live migrated", v1alpha1.Server{BootFrom: "volume", LiveMigration: true}, 0, "", false},
		{"fast launch", v1alpha1.Server{BootFrom: "image"}, 10, CoW, false},
		{"much writing", v1alpha1.Server{BootFrom: "image", IOIntensive: true}, 10, LVM, true},
		{"data to keep", v1alpha1.Server{BootFrom: "image", KeepData: true}, 10, CoW, false},
		{"much writing and data to keep", v1alpha1.Server{BootFrom: "image", KeepData: true, IOIntensive: true}, 10,
			CoW, true},
		{"live migration of a local disk", v1alpha1.Server{BootFrom: "image", LiveMigration: true}, 10, Remote, false},
		{"live migration of an ephemeral disk", v1alpha1.Server{BootFrom: "volume", LiveMigration: true}, 10, Remote, false},
		{"live migration beats writing", v1alpha1.Server{BootFrom: "image", LiveMigration: true, IOIntensive: true}, 10,
			Remote, false},
		{"a remote image", v1alpha1.Server{BootFrom: "remoteImage"}, 10, Remote, false},
	} {
		got := Choose(&c.server, c.disk)
		if got.Backing != c.want || (got.Against != "") != c.against || got.Backing != "" && got.Why == "" {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
}

func TestLocalDisk(t *testing.T) {
	f := v1alpha1.Flavor{Disk: 20 * unit.GB, Ephemeral: 5 * unit.GB, Swap: unit.GB}
	image := v1alpha1.Image{Size: 2 * unit.GB, DiskSize: 8 * unit.GB}
	for _, c := range []struct {
		boot  string
		f     v1alpha1.Flavor
		image *v1alpha1.Image
		want  unit.Bytes
	}{
		{"volume", f, &image, 6 * unit.GB},
		{"image", f, &image, 26 * unit.GB},
		{"remoteImage", f, nil, 26 * unit.GB},
		{"image", v1alpha1.Flavor{}, &image, 8 * unit.GB},
		{"image", v1alpha1.Flavor{}, &v1alpha1.Image{Size: 3 * unit.GB}, 3 * unit.GB},
		{"image", v1alpha1.Flavor{}, nil, 0},
	} {
		if got := LocalDisk(&v1alpha1.Server{BootFrom: c.boot}, &c.f, c.image); got != float64(c.want) {
			t.Errorf("%s, %+v: %v, want %d", c.boot, c.f, got, c.want)
		}
	}
}
