package controller_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

// bench is a cloud whose images and disk for volumes are those of the document's
// DRBD bench: 330 GB of images, 1000 GiB of Cinder.
func bench(media string) controller.Input {
	in := input(controller.Controller, 100, 10)
	in.Images = []controller.Image{image(66, 4*unit.GB, false)} // 330 GB with margin
	in.Host = host(disk("system", 2000*unit.GB, "ssd"), disk("lvm", 1000*unit.GiB, media))
	return in
}

func figure(t *testing.T, p planned, id string) float64 {
	t.Helper()
	f, ok := p.book.Get(id)
	if !ok {
		t.Fatalf("no figure %s", id)
	}
	return f.Value.Number
}

// The times of the plan are the document's for partitions of its sizes, in both
// configurations.
func TestSyncTimesOfBothConfigurations(t *testing.T) {
	for _, tt := range []struct {
		media, planned string
		total          float64
	}{
		// 40 GiB of database at 170 MB/s 240.9 s, twice 30 s, images 1508.6, Cinder 6606.5.
		{"sas10k", "sas", 240.94 + 60 + 1508.57 + 6606.45},
		// 173, 216 and 210 MB/s.
		{"ssd", "ssd", 236.76 + 60 + 1564.44 + 4876.19},
	} {
		r := plan(t, bench(tt.media))
		for id, want := range map[string]float64{"drbd.time[sas/images]": clock(25, 9), "drbd.time[ssd/images]": clock(26, 4),
			"drbd.time[sas/cinder]": clock(110, 6), "drbd.time[ssd/rabbitmq]": 30, "drbd.time[sas/platform]": 30} {
			if got := figure(t, r, id); math.Round(got) != want {
				t.Errorf("%s, %s: %v, want %v", tt.media, id, got, want)
			}
		}
		if math.Abs(r.Sync.Number-tt.total) > 0.1 || math.Abs(figure(t, r, "drbd.total")-tt.total) > 0.1 {
			t.Errorf("%s: %v in all, want %v", tt.media, r.Sync.Number, tt.total)
		}
		cinder := figure(t, r, "drbd.time["+tt.planned+"/cinder]")
		near(t, "Cinder beside the others", figure(t, r, "drbd.beside"), max(cinder, r.Sync.Number-cinder))
		met := r.doubts.Rows()
		if met[1].Met != (tt.planned == "sas") || met[2].Met != (tt.planned == "ssd") || !met[11].Met {
			t.Errorf("%s: doubts 2 %v, 3 %v, 12 %v", tt.media, met[1].Met, met[2].Met, met[11].Met)
		}
		if !strings.Contains(strings.Join(met[11].Effects, " "), "839 GB") {
			t.Errorf("doubt 12: %v", met[11].Effects)
		}
	}
}

// Doubt 2 in its modes: as printed the SAS disk is taken for one of 341 MB/s, which
// the cap of 250 bounds.
func TestDoubt2Modes(t *testing.T) {
	for mode, want := range map[string]float64{doubt.Careful: 155, doubt.AsPrinted: 250, doubt.Refuse: 155} {
		in := bench("sas10k")
		in.Doubts = doubt.New(mode, in.Facts)
		r := plan(t, in)
		near(t, mode, figure(t, r, "drbd.rate[sas/cinder]"), want*mib)
		if effects := strings.Join(r.doubts.Rows()[1].Effects, "; "); !strings.Contains(effects, "1 h 50 min") ||
			!strings.Contains(effects, "1 h 8 min") {
			t.Errorf("%s: %s", mode, effects)
		}
	}
}

// A user's own measurement of the disk decides, and ends the doubt.
func TestOwnRate(t *testing.T) {
	in := bench("sas10k")
	own := in.Facts.Must("hcg.drbd.rate/sas/cinder")
	own.Number, own.Source = 200*mb, derive.Source{Code: "own measurement", Section: "ours"}
	in.Facts = in.Facts.With(own)
	in.Doubts = doubt.New(doubt.AsPrinted, in.Facts)
	r := plan(t, in)
	near(t, "rate", figure(t, r, "drbd.rate[sas/cinder]"), 200*mb)
	if row := r.doubts.Rows()[1]; row.Met || len(row.Effects) > 0 {
		t.Errorf("%+v", row)
	}
}

// What the settings change: nothing while the disks are the limit, twice the speed
// while the link is.
func TestSettings(t *testing.T) {
	wide := plan(t, bench("ssd"))
	if got := effects(wide); !slices.Equal(got, []string{"as set", "no faster: the disks are the limit",
		"no faster: the disks are the limit", "no faster: the disks are the limit"}) {
		t.Errorf("10 Gbit/s: %q", got)
	}
	in := bench("ssd")
	in.DRBD.Link = 1e9
	slow := plan(t, in)
	// At 25 and 50 MB/s the small partitions of 2 GiB take 82 and 41 s, at 100 the
	// 30 s that they take anyway: 57,917 s to 14,498 in all.
	if got := effects(slow); !slices.Equal(got,
		[]string{"as set", "2 times as fast", "2 times as fast", "3.995 times as fast"}) {
		t.Errorf("1 Gbit/s: %q", got)
	}
	near(t, "platform", figure(t, slow, "drbd.time[ssd/platform]"), 2*1024/25.0)
	if hours := figure(t, slow, "drbd.time[ssd/cinder]") / 3600; math.Round(10*hours) != 114 {
		t.Errorf("1000 GiB take %v h on 1 Gbit/s, want 11.4", hours)
	}
	if f := slow.finding(t, "drbd", "drbd.capped"); f.Severity != v1alpha1.Warning ||
		!strings.Contains(f.Message, "25 MiB/s") || !strings.Contains(f.Message, "postgres, images, cinder") {
		t.Error(f.Message)
	}
}

func effects(r planned) []string {
	var out []string
	for _, table := range r.parts["drbd"].Section.Tables {
		if table.ID == "drbd.settings" {
			for _, row := range table.Rows {
				out = append(out, row[len(row)-1].Text)
			}
		}
	}
	return out
}

// With parallel 1 nothing can be halved; with all of the link nothing doubled.
func TestSettingsAtTheirEnds(t *testing.T) {
	in := bench("ssd")
	in.DRBD.Parallel, in.DRBD.Utilisation = 1, 1
	r := plan(t, in)
	if got := effects(r); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if f := r.finding(t, "drbd", "drbd.utilisation"); !strings.Contains(f.Message, "100 %") ||
		!strings.Contains(f.Remedy, "80 %") {
		t.Errorf("%s (%s)", f.Message, f.Remedy)
	}
	in = bench("ssd")
	in.DRBD.Parallel = 3
	if got := effects(plan(t, in)); len(got) != 2 {
		t.Errorf("three can't be halved: %q", got)
	}
}

// A link without a whole MB/s left is refused, not divided by.
func TestLinkTooSlow(t *testing.T) {
	in := bench("ssd")
	in.DRBD.Link = 10e6
	r := plan(t, in)
	if f := r.finding(t, "drbd", "drbd.link"); f.Severity != v1alpha1.Error || r.Sync.Text != "" {
		t.Errorf("%+v, %q", f, r.Sync.Text)
	}
}

// A link that nobody wrote is that of the host's interface: of infrastructure, or of
// management where there is none.
func TestLinkOfTheHost(t *testing.T) {
	for _, tt := range []struct {
		nics    []v1alpha1.NIC
		written bool
		want    float64
		place   string
	}{
		{nil, false, 250, "storage.drbd.link"},
		{[]v1alpha1.NIC{{Use: "management", Count: 2, Speed: 25e9}}, false, 625, "hardware.nodeTypes[0].nics[0].speed"},
		{[]v1alpha1.NIC{{Use: "management", Count: 2, Speed: 25e9}, {Use: "infrastructure", Count: 2, Speed: 10e9},
			{Use: "data", Count: 2, Speed: 100e9}}, false, 250, "hardware.nodeTypes[0].nics[1].speed"},
		{[]v1alpha1.NIC{{Use: "management", Count: 2, Speed: 25e9}}, true, 250, "storage.drbd.link"},
	} {
		in := bench("ssd")
		in.Host.NICs = tt.nics
		if !tt.written {
			in.Origin = part.NewOrigin([]v1alpha1.Assumption{{Field: "storage.drbd.link", Value: "10G"}}, in.Facts)
		}
		r := plan(t, in)
		f, _ := r.book.Get("drbd.cap")
		if f.Value.Number != tt.want*mib || f.Inputs[1].Value.From.ID != tt.place {
			t.Errorf("%+v: %s of %s", tt.nics, f.Value.Text, f.Inputs[1].Value.From)
		}
	}
}

// Other load: no longer than at the floor, which is 15 MB/s and a 25th of the cap.
func TestUnderLoad(t *testing.T) {
	r := plan(t, bench("ssd"))
	near(t, "floor", figure(t, r, "drbd.floor"), 25*mib)
	near(t, "at most", figure(t, r, "drbd.underLoad"), (40+2+2+330+1000)*1024/25.0)
}

// With storage nodes there is no Cinder to synchronise, and images are 10 GB.
func TestSyncWithStorageNodes(t *testing.T) {
	r := plan(t, input(controller.Dedicated, 100, 10))
	for _, id := range []string{"drbd.size[cinder]", "drbd.beside"} {
		if _, ok := r.book.Get(id); ok {
			t.Errorf("there is a %s", id)
		}
	}
	// 40 GiB at 173 and 10 at 216 MB/s, twice 30 s.
	if want := 40*1024/173.0 + 60 + 10*1024/216.0; math.Abs(r.Sync.Number-want) > 1e-6 {
		t.Errorf("%v, want %v", r.Sync.Number, want)
	}
}

// A primary disk that rotates is synchronised before Cinder, not beside it.
func TestRotatingPrimary(t *testing.T) {
	in := bench("sas10k")
	in.Host.Disks[0].Media = "sas10k"
	if _, ok := plan(t, in).book.Get("drbd.beside"); ok {
		t.Error("Cinder is synchronised beside a primary disk that rotates")
	}
}

// Tables 4 and 5 once more as they are printed.
func TestDRBDFacts(t *testing.T) {
	for id, want := range map[string]float64{
		"size/sas/postgres": 50 * gib, "size/sas/rabbitmq": 2 * gib, "size/sas/platform": 2 * gib,
		"size/sas/images": 330 * gib, "size/sas/cinder": 1000 * gib,
		"size/ssd/postgres": 50 * gib, "size/ssd/rabbitmq": 2 * gib, "size/ssd/platform": 2 * gib,
		"size/ssd/images": 330 * gib, "size/ssd/cinder": 446 * gib,
		"time/sas/postgres": clock(5, 1), "time/sas/images": clock(25, 10), "timePrinted/sas/cinder": clock(50, 5),
		"time/sas/cinder":   clock(110, 5),
		"time/ssd/postgres": clock(4, 56), "time/ssd/images": clock(26, 4), "time/ssd/cinder": clock(36, 11),
		"time/ssd/rabbitmq": 30, "time/sas/platform": 30,
		"rate/sas/postgres": 170 * mib, "rate/sas/images": 224 * mib, "rate/sas/cinder": 155 * mib,
		"rate/ssd/postgres": 173 * mib, "rate/ssd/images": 216 * mib, "rate/ssd/cinder": 210 * mib,
	} {
		near(t, id, number(t, "hcg.drbd."+id), want)
	}
	c := facts.Load()
	for _, id := range []string{"hcg.drbd.time/sas/cinder", "hcg.drbd.timePrinted/sas/cinder", "hcg.log.storage.bytes",
		"hcg.log.storage.bytesPrinted"} {
		if f := c.Must(id); f.Grade != facts.Doubtful || len(f.Contradicts) == 0 {
			t.Errorf("%s: grade %s, contradicts %v", id, f.Grade, f.Contradicts)
		}
	}
}

// A synchronisation takes no more than the link carries: 1 Gbit/s are 125,000,000
// bytes/s, where StarlingX' arithmetic comes to 125 MiB/s.
func TestSyncWithinTheLink(t *testing.T) {
	in := bench("ssd")
	in.DRBD = v1alpha1.DRBD{Parallel: 1, Utilisation: 1, Link: 1e9}
	if got := figure(t, plan(t, in), "drbd.cap"); got != 125e6 {
		t.Errorf("%v bytes/s on a link of 1 Gbit/s", got)
	}
}
