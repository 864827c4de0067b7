package controller_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/plan/helion/controller"
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// clock is minutes and seconds in seconds.
func clock(minutes, seconds float64) float64 { return 60*minutes + seconds }

// Both tables of the document: its times follow from its sizes and rates within the
// rounding of a rate to whole MB/s, doubt 2 aside.
func TestDRBDTablesOfTheDocument(t *testing.T) {
	for _, tt := range []struct {
		name              string
		size, rate        float64
		computed, printed float64
	}{
		{"table 4, postgres", 50, 170, clock(5, 1), clock(5, 1)},
		{"table 4, images", 330, 224, clock(25, 9), clock(25, 10)},
		{"table 4, Cinder with the hour that is lost", 1000, 155, clock(110, 6), clock(110, 5)},
		{"table 5, postgres", 50, 173, clock(4, 56), clock(4, 56)},
		{"table 5, images", 330, 216, clock(26, 4), clock(26, 4)},
		{"table 5, Cinder", 446, 210, clock(36, 15), clock(36, 11)},
	} {
		got := controller.SyncTime(tt.size*gib, tt.rate*mib)
		if math.Round(got) != tt.computed {
			t.Errorf("%s: %v s, want %v", tt.name, got, tt.computed)
		}
		if slow, fast := controller.SyncTime(tt.size*gib, (tt.rate-0.5)*mib),
			controller.SyncTime(tt.size*gib, (tt.rate+0.5)*mib); tt.printed > slow+1 || tt.printed < fast-1 {
			t.Errorf("%s: printed %v s does not follow from the rate (%v to %v)", tt.name, tt.printed, fast, slow)
		}
	}
}

// Doubt 2: the printed 50:05 would be 341 MB/s, 1:50:05 is the printed 155.
func TestDoubt2LostHour(t *testing.T) {
	rate := func(seconds float64) float64 { return math.Round(1000 * 1024 / seconds) }
	if rate(clock(50, 5)) != 341 || rate(clock(110, 5)) != 155 {
		t.Errorf("50:05 is %v MB/s, 110:05 %v", rate(clock(50, 5)), rate(clock(110, 5)))
	}
	near(t, "the printed time", controller.SyncTime(1000*gib, number(t, "hcg.drbd.ratePrinted/sas/cinder")),
		number(t, "hcg.drbd.timePrinted/sas/cinder"))
}

// Doubt 3: 446 GB can't be cut from a SAS disk's benches; it is an SSD of 480 GB.
func TestDoubt3SizeOfAnSSD(t *testing.T) {
	if whole := math.Floor(480 * gb / gib); whole != 447 {
		t.Errorf("an SSD of 480 GB has %v GiB", whole)
	}
	if size := number(t, "hcg.drbd.size/ssd/cinder") / gib; size != 446 {
		t.Errorf("Cinder has %v GiB", size)
	}
}

func TestSyncCapExamples(t *testing.T) {
	for _, tt := range []struct{ utilisation, link, parallel, want float64 }{
		{0.4, 10e9, 2, 250},
		{0.4, 10e9, 1, 500}, // half of parallel doubles it
		{0.8, 10e9, 2, 500}, // twice the utilisation doubles it
		{0.8, 10e9, 1, 1000},
		{0.4, 1e9, 2, 25},
		{0.4, 25e9, 2, 625},
		{0.4, 1e9, 3, 16}, // 16.67, in whole MiB/s
		{0.4, 10e6, 2, 0},
	} {
		if got := controller.SyncCap(tt.utilisation, tt.link, tt.parallel); got != tt.want*mib {
			t.Errorf("%v of %v for %v: %v, want %v MiB/s", tt.utilisation, tt.link, tt.parallel, got, tt.want)
		}
	}
}

// A link of 1 Gbit/s takes 11.4 h for 1000 GiB, whatever the disks reach.
func TestSlowLinkExample(t *testing.T) {
	rate := controller.SyncRate(155*mib, controller.SyncCap(0.4, 1e9, 2))
	if hours := controller.SyncTime(1000*gib, rate) / 3600; math.Round(10*hours) != 114 {
		t.Errorf("1000 GiB take %v h, want 11.4", hours)
	}
}

// All measured rates lie below the cap of the defaults, so that raising it changes
// nothing; the floor is a tenth of it there.
func TestDisksAreTheLimit(t *testing.T) {
	most := controller.SyncCap(number(t, "hcg.drbd.utilisation"), number(t, "hcg.net.infrastructure"),
		number(t, "hcg.drbd.parallel"))
	for _, key := range []string{"sas/postgres", "sas/images", "sas/cinder", "ssd/postgres", "ssd/images", "ssd/cinder"} {
		measured := number(t, "hcg.drbd.rate/"+key)
		if controller.SyncRate(measured, most) != measured || controller.SyncRate(measured, 2*most) != measured {
			t.Errorf("%s: %v is not the disk's limit", key, measured)
		}
	}
	near(t, "floor", controller.SyncFloor(number(t, "starlingx.drbd.floorBase"), most,
		number(t, "starlingx.drbd.floorShare")), 25*mib)
}

// The rules of the document for any link: what one may take falls with parallel and
// grows with utilisation and link; all together never take more than the share.
func TestSyncProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		utilisation := rapid.Float64Range(0.05, 0.5).Draw(t, "utilisation")
		link := float64(rapid.IntRange(1, 400).Draw(t, "link")) * 1e9
		parallel := float64(rapid.IntRange(1, 10).Draw(t, "parallel"))
		most := controller.SyncCap(utilisation, link, parallel)
		if 8*most*parallel > utilisation*link*mib/mb*(1+1e-9) { // Mbit of 10^6 become MiB
			t.Fatalf("%v for %v partitions are more than %v of %v", most, parallel, utilisation, link)
		}
		// Doubling holds up to the rounding to whole MiB/s.
		for _, twice := range []float64{controller.SyncCap(2*utilisation, link, parallel),
			controller.SyncCap(utilisation, link, parallel/2)} {
			if d := twice - 2*most; d < 0 || d > mib {
				t.Fatalf("twice %v is %v", most, twice)
			}
		}
		size, measured := float64(rapid.Int64Range(1, 1e15).Draw(t, "size")),
			float64(rapid.Int64Range(1, 1e10).Draw(t, "rate"))
		rate := controller.SyncRate(measured, max(most, 1))
		if rate > measured || rate > max(most, 1) {
			t.Fatalf("the rate %v passes %v or %v", rate, measured, most)
		}
		if controller.SyncTime(2*size, rate) < controller.SyncTime(size, rate) ||
			controller.SyncTime(size, 2*rate) > controller.SyncTime(size, rate) {
			t.Fatalf("the time falls with the size or grows with the rate")
		}
	})
}

// The bounds of launch times: five at once between 1 and 5 minutes, never the least
// above the most, thick ten times the most.
func TestLaunchBounds(t *testing.T) {
	near(t, "one", controller.LaunchLeast(1, 5, 60, 8*gb, 8*gb), 60)
	near(t, "one, at most", controller.LaunchMost(1, 60, 8*gb, 8*gb, 1), 60)
	near(t, "100 in batches of five, at least", controller.LaunchLeast(100, 5, 60, 8*gb, 8*gb), 20*60)
	near(t, "100, at most", controller.LaunchMost(100, 60, 8*gb, 8*gb, 1), 100*60)
	near(t, "a last batch that is not full", controller.LaunchLeast(101, 5, 60, 8*gb, 8*gb), 21*60)
	near(t, "images of half the size", controller.LaunchLeast(5, 5, 60, 4*gb, 8*gb), 30)
	near(t, "images of twice the size", controller.LaunchMost(5, 60, 16*gb, 8*gb, 1), 600)
	near(t, "thick", controller.LaunchMost(5, 60, 8*gb, 8*gb, 10), 3000)
	rapid.Check(t, func(t *rapid.T) {
		n, parallel := float64(rapid.IntRange(1, 10000).Draw(t, "n")), float64(rapid.IntRange(1, 100).Draw(t, "parallel"))
		raw := float64(rapid.Int64Range(1, 1e13).Draw(t, "raw"))
		least, most := controller.LaunchLeast(n, parallel, 60, raw, 8*gb), controller.LaunchMost(n, 60, raw, 8*gb, 1)
		if least > most || least < controller.LaunchLeast(n, parallel+1, 60, raw, 8*gb) ||
			most > controller.LaunchMost(n, 60, raw*1.5, 8*gb, 1) {
			t.Fatalf("%v to %v for %v", least, most, n)
		}
		// A time that is linear in the size of the image, with a part that is not, and
		// linear in the number with a slope of at most one create, lies between them.
		fixed, slope := rapid.Float64Range(0, 60).Draw(t, "fixed"), rapid.Float64Range(0, 1).Draw(t, "slope")
		alone := fixed + (60-fixed)*raw/(8*gb)
		batches := math.Ceil(n / parallel)
		full, last := alone*(1+slope*(parallel-1)), alone*(1+slope*(n-parallel*(batches-1)-1))
		if real := (batches-1)*full + last; real < least*(1-1e-9) || real > most*(1+1e-9) {
			t.Fatalf("%v is not between %v and %v", real, least, most)
		}
	})
}
