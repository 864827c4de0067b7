package ceph

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/derive/derivetest"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

// input is the example of the document's formulas: 7,300 GB, 6,250 operations/s, 375 MB/s.
func input() Input {
	one := func(path, name string, count, size float64) []part.Items {
		return []part.Items{{Name: name, Count: derive.Given(path+".count", count, "things"),
			Size: derive.Given(path+".size", size, unit.ByteUnit)}}
	}
	return Input{
		Book: &derive.Book{}, Facts: facts.Load(), Ceph: v1alpha1.Ceph{Replicas: 2, NearFull: 0.85},
		Margin: derive.Given("policy.margin", 0.25, unit.Ratio),
		Images: one("workload.images[0]", "rhel", 20, 4*gb), Cached: one("workload.images[0]", "rhel raw", 20, 5*gb),
		Volumes: one("workload.volumes[0]", "data", 380, 12*gb), Ephemeral: one("workload.servers[0]", "vnf", 50, 20*gb),
		Objects: one("workload.objectStore", "objects", 100_000, 1e6),
		Loads: []Load{{Name: "vnf", VMs: derive.Given("workload.servers[0].count", 100, "VMs"),
			IOPS:       derive.Given("workload.servers[0].iops", 50, ops),
			Throughput: derive.Given("workload.servers[0].throughput", 3e6, unit.BytesPerS)}},
	}
}

// host is a storage host as HCG 6 wants it, with so many OSDs.
func host(osds int, size unit.Bytes, media string) Host {
	return Host{Name: "storage", Path: "hardware.nodeTypes[1]", Sockets: 2,
		Cores:  derive.Given("hardware.nodeTypes[1].topology", 16, "cores"),
		Memory: derive.Given("hardware.nodeTypes[1].memory", float64(64*unit.GiB), unit.ByteUnit),
		Disks: []v1alpha1.Disk{{Use: "system", Count: 1, Size: 240 * unit.GB, Media: "ssd"},
			{Use: "osd", Count: osds, Size: size, Media: media}}}
}

func run(t testing.TB, in Input) (Result, *part.Part) {
	r, p := Plan(in)
	derivetest.Compare(t, in.Book.Figures(), twins)
	for _, err := range in.Book.Verify() {
		t.Error(err)
	}
	return r, p
}

func ids(p *part.Part, severity v1alpha1.Severity) []string {
	var list []string
	for _, f := range p.Findings {
		if f.Severity == severity {
			list = append(list, strings.TrimPrefix(f.ID, "ceph."))
		}
	}
	return list
}

func demandFindings(t *testing.T, what string, p *part.Part, severity v1alpha1.Severity, want ...string) {
	t.Helper()
	if got := ids(p, severity); !slices.Equal(got, want) {
		t.Errorf("%s: %s findings %v, want %v", what, severity, got, want)
	}
}

func value(t *testing.T, b *derive.Book, id string) float64 {
	t.Helper()
	f, ok := b.Get(id)
	if !ok {
		t.Errorf("no figure %s", id)
	}
	return f.Value.Number
}

// The example without hosts: 225 + 5700 + 1250 + 125 = 7300 GB, twice that, and 16
// proposed OSDs of 1,074 GB; SSDs are advised.
func TestWorkedExample(t *testing.T) {
	in := input()
	r, p := run(t, in)
	for id, want := range map[string]float64{
		"ceph.glance": 225 * gb, "ceph.cinder": 5700 * gb, "ceph.ephemeral": 1250 * gb, "ceph.swift": 125 * gb,
		"ceph.logical": 7300 * gb, "ceph.raw": 14600 * gb,
		"ceph.iops": 6250, "ceph.throughput": 375e6, "ceph.osds": 16, "ceph.hosts": 2, "ceph.osdsPerHost": 8,
		"ceph.osdSize": 1074 * gb, "ceph.cores": 14,
		"ceph.pgs": 1024, "ceph.pgsPerOSD": 128, "ceph.starlingxPGsPerOSD": 200, "ceph.systemDisk": 37 * gb,
		"ceph.osdsOfSmallest": 58, "ceph.osdRate": 390.625,
	} {
		if got := value(t, in.Book, id); got != want {
			t.Errorf("%s = %v, want %v", id, got, want)
		}
	}
	if !r.SSD || !r.Feasible || r.Layout.Limiting != byCapacity || r.Logical.Text != "7.3 TB" {
		t.Errorf("%+v", r)
	}
	demandFindings(t, "example", p, v1alpha1.Error)
	demandFindings(t, "example", p, v1alpha1.Warning)
	demandFindings(t, "example", p, v1alpha1.Info, "copies.two", "gap", "rate.unknown", "disks.larger", "ssd.advised",
		"failure.osd", "failure.host")
}

// 16 SSDs of 1.92 TB on a pair carry the example, and the loss of one of them.
func TestGoodHosts(t *testing.T) {
	in := input()
	in.Hosts = []Host{host(8, 1920*unit.GB, "ssd")}
	in.Ceph.OSDRate, in.Ceph.OSDThroughput = 10_000, 300*unit.MB
	r, p := run(t, in)
	if !r.Feasible || r.OSDs.Number != 16 || r.Layout.Type != 0 {
		t.Errorf("%+v", r.Layout)
	}
	// 14,600 GB over 2 hosts on 7 disks each of 1,920 GB.
	if got, want := value(t, in.Book, "ceph.fillAfter[osd]"), 100*7300.0/(7*1920); got < want-1e-9 || got > want+1e-9 {
		t.Errorf("fill %v, want %v", got, want)
	}
	demandFindings(t, "good", p, v1alpha1.Error)
	demandFindings(t, "good", p, v1alpha1.Warning)
	var names []string
	for _, g := range p.Gauges {
		names = append(names, g.ID)
		if g.Verdict == limit.Passed {
			t.Errorf("gauge %s is passed: %v of %v", g.ID, g.Value, g.Limit)
		}
	}
	if want := []string{"osds", "osdsTheoretical", "osdsPerHost", "storageCapacity", "storageIOPS", "storageThroughput",
		"storageCores", "pgsPerOSD"}; !slices.Equal(names, want) {
		t.Errorf("gauges %v, want %v", names, want)
	}
}

// advice says whether an error leaves the layout itself sound.
func advice(id string) bool {
	return slices.Contains([]string{"copies.one", "disk.slow", "machine.small", "primary.small", "osds.disks"}, id)
}

// Each rule that a storage host can break.
func TestFindings(t *testing.T) {
	three, four, ten, zero := 3, 4, 10, 0
	for _, c := range []struct {
		name           string
		change         func(*Input)
		errors, warned []string
	}{
		{"an odd number of hosts", func(in *Input) { in.Hosts[0].Count = &three }, []string{"pairs[storage]"},
			[]string{"osds.beyondTested"}},
		{"no host", func(in *Input) { in.Hosts[0].Count = &zero }, []string{"pairs[storage]"}, nil},
		{"four hosts", func(in *Input) { in.Hosts[0].Count = &four }, nil, []string{"osds.beyondTested"}},
		{"ten hosts", func(in *Input) { in.Hosts[0].Count = &ten }, []string{"hosts.beyond"}, []string{"osds.beyondTested"}},
		{"three copies come in threes", func(in *Input) { in.Ceph.Replicas = 3; in.Hosts[0].Count = &four },
			[]string{"pairs[storage]"}, []string{"osds.beyondTested"}},
		{"one copy", func(in *Input) { in.Ceph.Replicas = 1 }, []string{"copies.one"},
			[]string{"failure.osd", "failure.host"}},
		{"disks too small for the need",
			func(in *Input) { in.Hosts[0] = host(8, 900*unit.GB, "ssd"); two := 2; in.Hosts[0].Count = &two },
			[]string{"short.capacity"}, []string{"failure.osd"}},
		{"small disks", func(in *Input) { in.Hosts[0] = host(8, 299*unit.GB, "ssd"); in.Volumes = nil },
			[]string{"disk.small"}, nil},
		{"slow disks", func(in *Input) { in.Hosts[0] = host(8, 2*unit.TB, "hdd") }, []string{"disk.slow"},
			[]string{"rate.unknown", "ssd.advised", "journal.missing"}},
		{"SAS with little work", func(in *Input) { in.Hosts[0] = host(8, 2*unit.TB, "sas10k"); in.Loads = nil }, nil,
			[]string{"journal.missing"}},
		{"a journal on SAS", func(in *Input) {
			in.Loads, in.Hosts[0] = nil, host(8, 2*unit.TB, "sas15k")
			in.Hosts[0].Disks = append(in.Hosts[0].Disks,
				v1alpha1.Disk{Use: "journal", Count: 1, Size: unit.TB, Media: "sas10k"})
		}, nil, []string{"journal.slow"}},
		{"nine OSDs", func(in *Input) { in.Hosts[0] = host(9, 2*unit.TB, "ssd") }, []string{"osds.perHost"},
			[]string{"osds.beyondTested"}},
		{"one OSD", func(in *Input) { in.Hosts[0] = host(1, 20*unit.TB, "ssd") }, []string{"osds.perHost"},
			[]string{"failure.osd"}},
		{"8 OSDs want 14 cores", func(in *Input) { in.Hosts[0].Cores = derive.Given("x", 13, "cores") },
			[]string{"cores.short", "machine.small"}, nil},
		{"one socket", func(in *Input) { in.Hosts[0].Sockets = 1 }, []string{"machine.small"}, nil},
		{"too little memory", func(in *Input) { in.Hosts[0].Memory = derive.Given("x", float64(32*unit.GiB), unit.ByteUnit) },
			[]string{"memory.short"}, nil},
		{"a small primary disk", func(in *Input) { in.Hosts[0].Disks[0].Size = 119 * unit.GB },
			[]string{"primary.small"}, nil},
		{"no primary disk", func(in *Input) { in.Hosts[0].Disks = in.Hosts[0].Disks[1:] }, nil, []string{"primary.missing"}},
		{"a cache tier", func(in *Input) { in.Ceph.CacheTiering = true }, nil, []string{"cacheTier"}},
		{"more OSDs than disks", func(in *Input) { in.Ceph.OSDsPerNode = &ten }, []string{"osds.disks"}, nil},
		{"OSDs of 200 operations", func(in *Input) { two := 2; in.Hosts[0].Count = &two; in.Ceph.OSDRate = 200 },
			[]string{"short.iops"}, nil},
		{"OSDs of 10 MB/s", func(in *Input) { two := 2; in.Hosts[0].Count = &two; in.Ceph.OSDThroughput = 10 * unit.MB },
			[]string{"short.throughput"}, nil},
		{"not in stock", func(in *Input) { one := 1; in.Hosts[0].Available = &one }, []string{"stock[storage]"}, nil},
	} {
		in := input()
		in.Hosts = []Host{host(8, 1920*unit.GB, "ssd")}
		c.change(&in)
		r, p := run(t, in)
		demandFindings(t, c.name, p, v1alpha1.Error, c.errors...)
		demandFindings(t, c.name, p, v1alpha1.Warning, c.warned...)
		if bad := len(slices.DeleteFunc(slices.Clone(c.errors), advice)) > 0; r.Feasible == bad {
			t.Errorf("%s: feasible %v", c.name, r.Feasible)
		}
		for _, f := range p.Findings {
			if f.Remedy == "" || len(f.Sources) == 0 {
				t.Errorf("%s: %s has no remedy or source", c.name, f.ID)
			}
		}
	}
}

// What nobody measured is within what every device does, beyond what is sold, or open.
func TestUnmeasuredRates(t *testing.T) {
	for _, c := range []struct {
		name, media string
		iops, flow  float64 // of each of the 100 VMs; 125 % of it over 16 OSDs
		severity    v1alpha1.Severity
		open        bool
		remedy      string
	}{
		{"what every SSD does", "ssd", 600, 0, v1alpha1.Info, false, "measure"},
		{"of SSDs, some do", "ssd", 1e4, 0, v1alpha1.Warning, true, "measure"},
		{"no SSD does, an NVMe drive may", "ssd", 4e5, 0, v1alpha1.Error, false, "OSDs on nvme"},
		{"no device does", "nvme", 2e6, 0, v1alpha1.Error, false, "46 OSDs at least"},
		{"nothing does", "nvme", 2e7, 0, v1alpha1.Error, false, "no layout of the release does"},
		{"of SAS disks, some do", "sas10k", 50, 0, v1alpha1.Warning, true, "measure"},
		{"no SAS disk does", "sas10k", 1000, 0, v1alpha1.Error, false, "OSDs on ssd"},
		{"no SAS disk streams so much", "sas10k", 0, 100e6, v1alpha1.Error, false, "OSDs on ssd"},
		{"no disk that could be proposed", "", 2e7, 0, v1alpha1.Error, false, "no layout of the release does"},
	} {
		in, two := input(), 2
		if c.media != "" {
			in.Hosts = []Host{host(8, 1920*unit.GB, c.media)}
			in.Hosts[0].Count = &two
		}
		in.Loads[0].IOPS = derive.Given("workload.servers[0].iops", c.iops, ops)
		in.Loads[0].Throughput = derive.Given("workload.servers[0].throughput", c.flow, unit.BytesPerS)
		r, p := run(t, in)
		at := slices.IndexFunc(p.Findings, func(f v1alpha1.Finding) bool { return strings.HasPrefix(f.ID, "ceph.rate.") })
		if at < 0 {
			t.Errorf("%s: nothing is told", c.name)
			continue
		}
		if f := p.Findings[at]; f.Severity != c.severity || !strings.Contains(f.Remedy, c.remedy) {
			t.Errorf("%s: %+v", c.name, f)
		}
		if (len(r.Open) > 0) != c.open || r.Feasible == (c.severity == v1alpha1.Error) {
			t.Errorf("%s: open %q, feasible %v", c.name, r.Open, r.Feasible)
		}
	}
}

// More than 16 OSDs are beyond what was tested; as printed they are an error.
func TestDoubtOfOSDs(t *testing.T) {
	four := 4
	in := input()
	in.Hosts = []Host{host(8, 1920*unit.GB, "ssd")}
	in.Hosts[0].Count = &four
	in.Doubts = doubt.New(doubt.AsPrinted, in.Facts)
	_, p := run(t, in)
	demandFindings(t, "as printed", p, v1alpha1.Error, "osds.beyondTested")
	if g := p.Gauges[0]; g.ID != "osds" || g.Value.Number != 32 || g.Limit.Number != 16 || p.Gauges[1].Limit.Number != 64 {
		t.Errorf("%+v", g)
	}
}

// The cheapest of the types that fit is taken, whatever their order.
func TestCheapestFits(t *testing.T) {
	in := input()
	small, large, dear := host(8, 600*unit.GB, "ssd"), host(8, 1920*unit.GB, "ssd"), host(8, 4*unit.TB, "ssd")
	small.Name, large.Name, dear.Name = "small", "large", "dear"
	small.Price, large.Price, dear.Price = 3, 7, 9
	for _, order := range [][]Host{{small, large, dear}, {dear, large, small}} {
		in.Book, in.Hosts = &derive.Book{}, order
		r, _ := run(t, in)
		// 4 small hosts for 12, 2 large ones for 14, 2 dear ones for 18.
		if got := order[r.Layout.Type].Name; got != "small" || r.Layout.Hosts != 4 {
			t.Errorf("took %s, %d hosts", got, r.Layout.Hosts)
		}
	}
	dear.Price = 0 // without all prices the fewest hosts
	in.Book, in.Hosts = &derive.Book{}, []Host{small, dear, large}
	if r, _ := run(t, in); r.Layout.Hosts != 2 {
		t.Errorf("%+v", r.Layout)
	}
}

// Random clouds: every formula holds, ids are unique, and tables are square.
func TestPlanHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := input()
		in.Ceph.Replicas = rapid.IntRange(1, 4).Draw(t, "copies")
		in.Ceph.OSDRate = float64(rapid.IntRange(0, 1000).Draw(t, "rate"))
		in.Margin = derive.Given("policy.margin", rapid.Float64Range(0, 10).Draw(t, "margin"), unit.Ratio)
		in.Volumes[0].Count = derive.Given("c", rapid.IntRange(0, 1e8).Draw(t, "volumes"), "volumes")
		for range rapid.IntRange(0, 3).Draw(t, "types") {
			h := host(rapid.IntRange(0, 12).Draw(t, "osds"), unit.Bytes(rapid.Int64Range(1, 1<<50).Draw(t, "size")),
				rapid.SampledFrom([]string{"ssd", "hdd", "sas10k", "nvme"}).Draw(t, "media"))
			if rapid.Bool().Draw(t, "fixed") {
				n := rapid.IntRange(0, 20).Draw(t, "count")
				h.Count = &n
			}
			h.Cores = derive.Given("x", rapid.IntRange(0, 64).Draw(t, "cores"), "cores")
			if rapid.Bool().Draw(t, "no disks") {
				h.Disks = nil
			}
			in.Hosts = append(in.Hosts, h)
		}
		_, p := Plan(in)
		for _, err := range in.Book.Verify() {
			t.Fatal(err)
		}
		for _, table := range p.Section.Tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Fatalf("%s: %d cells under %d headings", table.ID, len(row), len(table.Columns))
				}
			}
		}
		for _, id := range append(p.Section.Figures, p.Section.Details...) {
			if _, ok := in.Book.Get(id); !ok {
				t.Fatalf("no figure %s", id)
			}
		}
	})
}

// Every input of a figure comes from somewhere.
func TestProvenance(t *testing.T) {
	in := input()
	in.Hosts = []Host{host(8, 1920*unit.GB, "ssd")}
	run(t, in)
	for _, f := range in.Book.Figures() {
		for _, i := range f.Inputs {
			if i.Value.From == nil {
				t.Errorf("%s: the input %s comes from nowhere", f.ID, i.Name)
			}
		}
		if f.Title == "" || f.Formula == "" && f.Method == "" {
			t.Errorf("%s has no title, or neither formula nor method", f.ID)
		}
	}
}

// 100 TB of volumes are 100 * 1.25 * 2 / 0.85 = 294.1 TB of OSDs: on the 8 hosts of 8 OSDs that are
// the most, 4.596 TB each.
func TestMoreHostsThanThereMayBe(t *testing.T) {
	in := input()
	in.Hosts, in.Loads = []Host{host(8, 1200*unit.GB, "ssd")}, nil
	in.Images, in.Cached, in.Ephemeral, in.Objects = nil, nil, nil, nil
	in.Volumes[0].Count, in.Volumes[0].Size = derive.Given("workload.volumes[0].count", 10_000, "volumes"),
		derive.Given("workload.volumes[0].size", 10*gb, unit.ByteUnit)
	_, p := run(t, in)
	at := slices.IndexFunc(p.Findings, func(f v1alpha1.Finding) bool { return f.ID == "ceph.hosts.beyond" })
	if at < 0 || !strings.Contains(p.Findings[at].Remedy, "64 OSDs of 4.596 TB would do") {
		t.Errorf("%+v", p.Findings)
	}
}
