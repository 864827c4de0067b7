package controller_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

// logged is a cloud with storage hosts.
func logged(storage, computes int, mode string) controller.Input {
	in := input(controller.Dedicated, 100, computes)
	in.StorageHosts = derive.Given("storage hosts", storage, "storage hosts")
	in.Doubts = doubt.New(mode, in.Facts)
	return in
}

// Table 7 of the document, and a cloud of full size.
func TestLoggingExamples(t *testing.T) {
	r := plan(t, logged(2, 20, doubt.Careful))
	near(t, "logs", r.Logs.Number, 6560000)
	near(t, "bandwidth", r.LogBandwidth.Number, 152000)
	near(t, "storage", r.LogBytes.Number, 1.64*gb)
	near(t, "logs of table 7", r.Logs.Number, number(t, "hcg.log.example.logs"))
	near(t, "bandwidth of table 7", r.LogBandwidth.Number, number(t, "hcg.log.example.bandwidth"))
	near(t, "storage of table 7", r.LogBytes.Number, number(t, "hcg.log.example.bytes"))
	r = plan(t, logged(8, 100, doubt.Careful))
	near(t, "logs", r.Logs.Number, 30.74e6)
	near(t, "bandwidth", r.LogBandwidth.Number, 712200)
	near(t, "storage", r.LogBytes.Number, 7.685*gb)
}

// Table 6: a log has 250 bytes in every row, in storage and on the wire, but for the
// digit that stands twice.
func TestTable6(t *testing.T) {
	for host, row := range map[string][3]float64{"controller": {250000, 5800, 62.5 * mb},
		"storage": {30000, 700, 7.5 * mb}, "compute": {300000, 6950, 75 * mb}} {
		logs, bandwidth, bytes := number(t, "hcg.log."+host+".logs"), number(t, "hcg.log."+host+".bandwidth"),
			number(t, "hcg.log."+host+".bytes")
		if [3]float64{logs, bandwidth, bytes} != row {
			t.Errorf("%s: %v %v %v, want %v", host, logs, bandwidth, bytes, row)
		}
		near(t, host+", bytes of a log", bytes/logs, 250)
		if sent := bandwidth * 86400 / 8; sent < 0.99*bytes || sent > 1.01*bytes {
			t.Errorf("%s: %v bytes a day are sent, %v kept", host, sent, bytes)
		}
	}
	near(t, "as printed", number(t, "hcg.log.storage.bytesPrinted"), 77.5*mb)
}

// Doubt 1 in its three modes.
func TestDoubt1Modes(t *testing.T) {
	for _, tt := range []struct {
		mode, total, other string
	}{{doubt.Careful, "1.64 GB", "1.78 GB"}, {doubt.AsPrinted, "1.78 GB", "1.64 GB"},
		{doubt.Refuse, "1.64 GB", "1.78 GB"}} {
		r := plan(t, logged(2, 20, tt.mode))
		row := r.doubts.Rows()[0]
		if r.LogBytes.Text != tt.total || !row.Met || !row.Contradicts ||
			!strings.Contains(strings.Join(row.Effects, " "), "it would be "+tt.other) {
			t.Errorf("%s: %s, %+v", tt.mode, r.LogBytes.Text, row)
		}
	}
	if row := plan(t, logged(0, 20, doubt.Careful)).doubts.Rows()[0]; row.Met || len(row.Effects) > 0 {
		t.Errorf("without storage hosts the row is met: %+v", row)
	}
}

// The two hosts of a CPE are controllers and computes.
func TestLoggingOfACPE(t *testing.T) {
	in := input(controller.CPE, 20, 0)
	in.Computes = derive.Value{}
	r := plan(t, in)
	near(t, "logs", r.Logs.Number, 2*250000+2*300000)
	near(t, "storage", r.LogBytes.Number, 2*62.5*mb+2*75*mb)
	if notes := r.table(t, "logging", "logging.hosts").Notes; len(notes) != 1 || !strings.Contains(notes[0], "CPE") {
		t.Errorf("notes %q", notes)
	}
	if notes := plan(t, logged(2, 20, doubt.Careful)).table(t, "logging", "logging.hosts").Notes; len(notes) > 0 {
		t.Errorf("notes without a CPE: %q", notes)
	}
}

func TestNoRemoteLogging(t *testing.T) {
	in := logged(2, 20, doubt.Careful)
	in.RemoteLogging = false
	r := plan(t, in)
	if _, ok := r.parts["logging"]; ok || r.LogBytes.Text != "" {
		t.Errorf("logs of %s are planned", r.LogBytes.Text)
	}
	if row := r.doubts.Rows()[0]; row.Met {
		t.Error("table 6 is doubted though nothing is logged")
	}
}

// Five creates at once are advised on SSDs and fewer on SAS: 5 passes there, 6 never.
func TestLaunchLimit(t *testing.T) {
	for _, tt := range []struct {
		model, media string
		parallel     int
		warns        bool
		most         float64
	}{
		{controller.Controller, "ssd", 5, false, 5},
		{controller.Controller, "ssd", 6, true, 5},
		{controller.CPE, "nvme", 6, true, 5},
		{controller.Controller, "sas10k", 4, false, 4},
		{controller.Controller, "sas10k", 5, true, 4},
		{controller.Controller, "", 5, false, 5},
		{controller.Controller, "", 6, true, 5},
	} {
		in := input(tt.model, 20, 2)
		in.Creation.Parallel = tt.parallel
		in.VolumeVMs = derive.Given("vms", 20, "VMs")
		if tt.media != "" {
			in.Host = host(disk("system", 500*unit.GB, "ssd"), disk("lvm", 500*unit.GB, tt.media))
		}
		r := plan(t, in)
		if got := slices.Contains(r.findings(), "launch.parallel"); got != tt.warns {
			t.Errorf("%+v: %v", tt, r.findings())
		}
		g := gauge(t, r.parts["launch"], "parallelCreates")
		if g.Limit.Number != tt.most || (g.Verdict == limit.Passed) != tt.warns || !g.Local ||
			(g.Kind == limit.Assumed) != (tt.most == 4) {
			t.Errorf("%+v: gauge %+v", tt, g)
		}
	}
}

// 20 VMs in batches of five take between 4 and 20 minutes, thick up to ten times as
// long; larger images take longer.
func TestLaunchTimes(t *testing.T) {
	in := input(controller.Controller, 20, 2)
	in.VolumeVMs = derive.Given("vms", 20, "VMs")
	in.Images = []controller.Image{
		{Items: items("image", 3, 2*unit.GB), Disk: derive.Given("disk", 8*unit.GB, unit.ByteUnit)},
	}
	r := plan(t, in)
	texts(t, map[string]derive.Value{"4 min": r.LaunchLeast, "20 min": r.LaunchMost})
	near(t, "a batch", figure(t, r, "launch.batchMost"), 300)
	in.Creation.Thin = false
	r = plan(t, in)
	texts(t, map[string]derive.Value{"4 min": r.LaunchLeast, "3 h 20 min": r.LaunchMost})
	if f := r.finding(t, "launch", "launch.thick"); f.Severity != v1alpha1.Info {
		t.Errorf("%+v", f)
	}
	in.Creation.Thin = true
	in.Images[0].Disk = derive.Given("disk", 40*unit.GB, unit.ByteUnit)
	texts(t, map[string]derive.Value{"1 h 40 min": plan(t, in).LaunchMost})
	// 16 GB on average, which they are as disks
	in.Images = []controller.Image{image(1, 4*unit.GB, false), image(1, 28*unit.GB, false)}
	texts(t, map[string]derive.Value{"40 min": plan(t, in).LaunchMost})
}

// Nothing is invented for storage nodes.
func TestNoLaunchTimesWithStorageNodes(t *testing.T) {
	in := input(controller.Dedicated, 1000, 100)
	in.VolumeVMs = derive.Given("vms", 1000, "VMs")
	in.Creation.Parallel = 20
	r := plan(t, in)
	if r.LaunchMost.Text != "" || len(r.parts["launch"].Gauges) > 0 || slices.Contains(r.findings(), "launch.parallel") {
		t.Errorf("%s, %v", r.LaunchMost.Text, r.findings())
	}
}

// Five at once are no more than a default: where nobody asks for them, no more are
// planned on SAS disks than are advised there.
func TestCreatesByDefault(t *testing.T) {
	for media, want := range map[string]float64{"ssd": 5, "sas10k": 4} {
		in := input(controller.Controller, 20, 2)
		in.Creation.Parallel = 5
		in.VolumeVMs = derive.Given("vms", 20, "VMs")
		in.Host = host(disk("system", 500*unit.GB, "ssd"), disk("lvm", 500*unit.GB, media))
		in.Origin = part.NewOrigin([]v1alpha1.Assumption{{Field: "storage.creation.parallel", Value: "5"}}, in.Facts)
		r := plan(t, in)
		if g := gauge(t, r.parts["launch"], "parallelCreates"); g.Value.Number != want ||
			slices.Contains(r.findings(), "launch.parallel") {
			t.Errorf("%s: %v at once, %v", media, g.Value, r.findings())
		}
		if r.Simultaneous.Number != want {
			t.Errorf("%s: room to convert %v at once, want %v", media, r.Simultaneous, want)
		}
	}
}
