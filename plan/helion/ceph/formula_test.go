package ceph

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/derive"
	"plimsoll.dev/derive/derivetest"
	"plimsoll.dev/part"
	"plimsoll.dev/unit"
)

func items(count, size float64) []part.Items {
	return []part.Items{{Name: "x", Count: derive.Of(count, "things"), Size: derive.Of(size, unit.ByteUnit)}}
}

const gb = 1e9

// The need of each service in HCG 6 with the recommended margin of 25 %.
func TestWorkedExampleCapacity(t *testing.T) {
	for _, c := range []struct {
		name  string
		items []part.Items
		want  float64
	}{
		{"20 images of 4 GB and 20 raw ones of 5 GB", append(items(20, 4*gb), items(20, 5*gb)...), 225},
		{"380 volumes of 12 GB", items(380, 12*gb), 5700},
		{"50 ephemeral disks of 20 GB", items(50, 20*gb), 1250},
		{"100,000 objects of 1 MB", items(100_000, 1e6), 125},
		{"nothing", nil, 0},
	} {
		if got := Total(c.items, 0.25); math.Abs(got-c.want*gb) > 1 {
			t.Errorf("%s: %v GB, want %v", c.name, got/gb, c.want)
		}
	}
}

// 7,300 GB logical are 14,600 GB with two copies: 49 disks of 300 GB, or 16 of 913
// GB; below 85 % the 16 have to have 1,074 GB.
func TestWorkedExampleRaw(t *testing.T) {
	if got := Provide(7300*gb, 2, 1); got != 14600*gb {
		t.Errorf("raw %v GB", got/gb)
	}
	if got := OSDsOfNeed(14600*gb, 300*gb); got != 49 {
		t.Errorf("%d disks of 300 GB, want 49", got)
	}
	if got := ceilGB(Provide(7300*gb, 2, 1) / 16); got != 913*gb {
		t.Errorf("16 disks of %v GB, want 913", got/gb)
	}
	if got := ceilGB(Provide(7300*gb, 2, 0.85) / 16); got != 1074*gb {
		t.Errorf("16 disks of %v GB below near-full, want 1,074", got/gb)
	}
}

// HCG 6: 1.5 cores per OSD and 2 for the platform.
func TestWorkedExampleCores(t *testing.T) {
	for osds, want := range map[int]float64{8: 14, 5: 9.5, 2: 5, 9: 15.5} {
		if got := CoresFor(osds, 1.5, 2); got != want {
			t.Errorf("%d OSDs: %v cores, want %v", osds, got, want)
		}
	}
	for cores, want := range map[float64]int{16: 9, 14: 8, 13: 7, 5: 2, 2: 0, 1: 0} {
		if got := OSDsOn(cores, 1.5, 2); got != want {
			t.Errorf("%v cores carry %d OSDs, want %d", cores, got, want)
		}
	}
}

// 2000 operations a second or 200 MB/s advise SSDs, either of them, from the very figure.
func TestWorkedExampleSSD(t *testing.T) {
	for _, c := range []struct {
		iops, flow float64
		want       bool
	}{
		{6250, 0, true}, {0, 375e6, true}, {2000, 0, true}, {0, 200e6, true}, {1999, 199e6, false}, {0, 0, false},
		{6250, 375e6, true},
	} {
		if got := SSD(c.iops, c.flow, 2000, 200e6); got != c.want {
			t.Errorf("%v operations/s, %v bytes/s: %v", c.iops, c.flow, got)
		}
	}
}

// HCG's bench had 512 groups for 10 OSDs; the calculator says the same.
func TestWorkedExamplePGs(t *testing.T) {
	for osds, want := range map[int]int{4: 256, 8: 512, 10: 512, 16: 1024} {
		if got := PGs(100, osds, 1, 2, 0.25); got != want {
			t.Errorf("%d OSDs: %d groups, want %d", osds, got, want)
		}
	}
	// 100 * 13 / 2 = 650: 512 is nearest and 21 % below; 100 * 14 / 2 = 700: 512 is nearest, but 27 % below.
	if a, b := PGs(100, 13, 1, 2, 0.25), PGs(100, 14, 1, 2, 0.25); a != 512 || b != 1024 {
		t.Errorf("13 and 14 OSDs: %d and %d", a, b)
	}
	// A pool with next to no data has one group for each OSD, over the copies: 16 / 2 = 8.
	if got := PGs(100, 16, 0.001, 2, 0.25); got != 8 {
		t.Errorf("an empty pool: %d", got)
	}
}

// A naive twin: try every power of two.
func TestPGsNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		osds := rapid.IntRange(1, 5000).Draw(t, "osds")
		share := rapid.Float64Range(0, 1).Draw(t, "share")
		copies := float64(rapid.IntRange(1, 5).Draw(t, "copies"))
		wanted := max(100*float64(osds)*share, float64(osds)) / copies
		best := 1
		for n := 1; n < 1<<24; n *= 2 {
			if math.Abs(float64(n)-wanted) < math.Abs(float64(best)-wanted) {
				best = n
			}
		}
		if float64(best) < wanted*0.75 {
			best *= 2
		}
		if got := PGs(100, osds, share, copies, 0.25); got != best {
			t.Fatalf("wanted %v: %d, the twin says %d", wanted, got, best)
		}
	})
}

// 8 OSDs of 1 TB on each of two hosts, 6 TB used on each: 6 of the other 7 TB.
func TestFillAfterFailure(t *testing.T) {
	if got := FillAfterOSD(6e12, 8e12, 1e12); math.Abs(got-6.0/7) > 1e-12 {
		t.Errorf("after an OSD %v", got)
	}
	if got := FillAfterOSD(1, 1e12, 1e12); !math.IsInf(got, 1) {
		t.Errorf("a host with one OSD: %v", got)
	}
	if _, ok := FillAfterHost(12e12, 8e12, 2, 2); ok {
		t.Error("two copies can't be made on one host")
	}
	// 4 hosts of 8 TB with 12 TB: 12 of 24 TB are left.
	if got, ok := FillAfterHost(12e12, 8e12, 4, 2); !ok || got != 0.5 {
		t.Errorf("after a host of four: %v %v", got, ok)
	}
}

// What is lost comes back elsewhere: fills only grow by a failure.
func TestFillsGrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "osds")
		size := rapid.Float64Range(1e9, 1e14).Draw(t, "size")
		used := rapid.Float64Range(0, 1).Draw(t, "used") * size * float64(n)
		if after := FillAfterOSD(used, size*float64(n), size); after < used/(size*float64(n)) {
			t.Fatalf("fill %v after the loss", after)
		}
		hosts := rapid.IntRange(2, 12).Draw(t, "hosts")
		all := used * float64(hosts)
		if after, ok := FillAfterHost(all, size*float64(n), hosts, 2); ok && after < all/(size*float64(n*hosts)) {
			t.Fatalf("fill %v after the loss of a host", after)
		}
	})
}

func TestTotalIsLinear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := float64(rapid.IntRange(0, 1_000_000).Draw(t, "n"))
		size := float64(rapid.IntRange(0, 1_000_000).Draw(t, "size"))
		margin := rapid.Float64Range(0, 10).Draw(t, "margin")
		one, two := Total(items(n, size), margin), Total(append(items(n, size), items(n, size)...), margin)
		if math.Abs(two-2*one) > 1e-9*math.Max(1, two) || one < n*size {
			t.Fatalf("%v and %v", one, two)
		}
	})
}

// Total is what items need in bytes with a margin (0.25 for 25 %): the sum of
// count times size, times 1 + margin (HCG 6).
func Total(items []part.Items, margin float64) float64 {
	return part.SizeOf(items) * (1 + margin)
}

// twins are the rules of HCG 6 in Go, with which every plan of the tests is compared.
var twins = derivetest.Twins{
	"ceph.glancePlain": plainTwin, "ceph.cinderPlain": plainTwin, "ceph.ephemeralPlain": plainTwin,
	"ceph.swiftPlain": plainTwin,
	"ceph.provide":    func(in derivetest.Inputs) float64 { return Provide(in["raw"], 1, in["nearFull"]) },
	"ceph.cores": func(in derivetest.Inputs) float64 {
		return math.Ceil(CoresFor(int(in["osds"]), in["per"], in["platform"]))
	},
}

func plainTwin(in derivetest.Inputs) float64 {
	var list []part.Items
	for i := 1; i <= len(in)/2; i++ {
		list = append(list, part.Items{Count: derive.Of(in[fmt.Sprintf("n%d", i)], ""),
			Size: derive.Of(in[fmt.Sprintf("size%d", i)], "")})
	}
	return Total(list, 0)
}
