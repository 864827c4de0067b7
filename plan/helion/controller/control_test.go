package controller_test

import (
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/derive/derivetest"
	"plimsoll.dev/facts"
	"plimsoll.dev/limit"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/helion/controller"
	"plimsoll.dev/plan/helion/doubt"
	"plimsoll.dev/unit"
)

// planned is a plan with all that it made.
type planned struct {
	controller.Result
	book   *derive.Book
	doubts *doubt.Log
	parts  map[string]*part.Part
}

// input is a scenario with the document's defaults: 5 creates at once, a margin of
// 25 %, DRBD over 10 Gbit/s.
func input(model string, vms, computes int) controller.Input {
	c := facts.Load()
	return controller.Input{
		Book: &derive.Book{}, Facts: c, Doubts: doubt.New(doubt.Careful, c), Model: model,
		VMs: derive.Given("vms", vms, "VMs"), Computes: derive.Given("computes", computes, "computes"),
		VMsPerCompute: derive.Given("policy.vmsPerCompute", 10, "VMs"),
		Margin:        derive.Given("policy.margin", 0.25, unit.Ratio),
		DRBD:          v1alpha1.DRBD{Parallel: 2, Utilisation: 0.4, Link: 10e9},
		Creation:      v1alpha1.Creation{Parallel: 5, Thin: true}, RemoteLogging: true,
	}
}

func items(name string, count int, size unit.Bytes) part.Items {
	return part.Items{Name: name, Count: derive.Given("count", count, "images"),
		Size: derive.Given("size", size, unit.ByteUnit)}
}

func image(count int, size unit.Bytes, cached bool) controller.Image {
	return controller.Image{Items: items("image", count, size), Cached: cached}
}

// host is a machine that every demand of the document is met by.
func host(disks ...v1alpha1.Disk) *controller.Host {
	return &controller.Host{Name: "ctl", Path: "hardware.nodeTypes[0]", Sockets: 2,
		Cores: derive.Given("cores", 16, "cores"), Memory: derive.Given("memory", 64*unit.GiB, unit.ByteUnit), Disks: disks,
		NICs: []v1alpha1.NIC{{Use: "management", Count: 2, Speed: 10e9}}}
}

func disk(use string, size unit.Bytes, media string) v1alpha1.Disk {
	return v1alpha1.Disk{Use: use, Count: 1, Size: size, Media: media}
}

// plan runs Plan and verifies all formulas and that all that is shown is a figure.
func plan(t *testing.T, in controller.Input) planned {
	t.Helper()
	r, parts := controller.Plan(in)
	out := planned{Result: r, book: in.Book, doubts: in.Doubts, parts: map[string]*part.Part{}}
	for _, err := range in.Book.Verify() {
		t.Error(err)
	}
	derivetest.Compare(t, in.Book.Figures(), controller.Twins)
	for _, p := range parts {
		shown := map[string]bool{}
		out.parts[p.Section.ID] = p
		for _, id := range slices.Concat(p.Section.Figures, p.Section.Details) {
			if shown[id] {
				t.Errorf("%s is shown twice", id)
			}
			shown[id] = true
			if _, ok := in.Book.Get(id); !ok {
				t.Errorf("section %s shows %s, which is no figure", p.Section.ID, id)
			}
		}
		for _, table := range p.Section.Tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Errorf("table %s: a row of %d cells under %d columns", table.ID, len(row), len(table.Columns))
				}
			}
		}
	}
	return out
}

func (p planned) findings() []string {
	var ids []string
	for _, s := range p.parts {
		for _, f := range s.Findings {
			ids = append(ids, f.ID)
		}
	}
	slices.Sort(ids)
	return ids
}

func (p planned) finding(t *testing.T, section, id string) v1alpha1.Finding {
	t.Helper()
	for _, f := range p.parts[section].Findings {
		if f.ID == id {
			return f
		}
	}
	t.Fatalf("no finding %s in %v", id, p.findings())
	return v1alpha1.Finding{}
}

func gauge(t *testing.T, p *part.Part, id string) limit.Gauge {
	t.Helper()
	i := slices.IndexFunc(p.Gauges, func(g limit.Gauge) bool { return g.ID == id })
	if i < 0 {
		t.Fatalf("no gauge %s", id)
	}
	return p.Gauges[i]
}

func texts(t *testing.T, want map[string]derive.Value) {
	t.Helper()
	for text, v := range want {
		if v.Text != text {
			t.Errorf("got %s, want %s", v.Text, text)
		}
	}
}

// The largest cloud with storage nodes: 1000 VMs on 100 computes.
func TestDedicatedStorageExample(t *testing.T) {
	in := input(controller.Dedicated, 1000, 100)
	in.Images = []controller.Image{image(10, 8*unit.GB, false), image(3, 10*unit.GB, true)}
	in.Host = host(disk("system", 500*unit.GB, "ssd"))
	r := plan(t, in)
	texts(t, map[string]derive.Value{"62 GB": r.Database, "10 GB": r.Images, "125 GB": r.Conversion, "92 GB": r.Backup,
		"328 GB": r.Disk, "500 GB": r.DiskNeed})
	if !r.Fits || r.LVM.Text != "" {
		t.Errorf("fits %v, LVM %q", r.Fits, r.LVM.Text)
	}
	if g := gauge(t, r.parts["controller"], "controllerDisk"); g.Verdict != limit.Within || g.Value.Number != 328*gb ||
		g.Limit.Number != 500*gb {
		t.Errorf("gauge %+v", g)
	}
	if got := r.findings(); !slices.Equal(got, []string{"controller.database.default"}) {
		t.Errorf("findings %v", got)
	}
}

// Without anything to convert the defaults make 179 GB, which is less than the
// document's minimum.
func TestDefaultDisk(t *testing.T) {
	r := plan(t, input(controller.Dedicated, 100, 10))
	texts(t, map[string]derive.Value{"40 GB": r.Database, "20 GB": r.Conversion, "70 GB": r.Backup, "179 GB": r.Disk,
		"500 GB": r.DiskNeed})
	if f, _ := r.book.Get("controller.databaseFormula"); f.Value.Text != "15.2 GB" {
		t.Errorf("the formula gives %s", f.Value.Text)
	}
	if f, _ := r.book.Get("controller.fixed"); f.Value.Text != "39 GB" {
		t.Errorf("fixed partitions are %s", f.Value.Text)
	}
	if f, _ := r.book.Get("controller.databaseVMs"); f.Value.Number != 576 {
		t.Errorf("the default is enough for %s", f.Value.Text)
	}
}

func TestControllerStorageExample(t *testing.T) {
	in := input(controller.Controller, 100, 10)
	in.Images = []controller.Image{image(10, 4*unit.GB, false), image(10, 4*unit.GB, false)}
	in.Volumes = []part.Items{items("volumes", 100, 12*unit.GB)}
	in.Host = host(disk("system", 500*unit.GB, "ssd"), disk("lvm", 1600*unit.GB, "ssd"))
	r := plan(t, in)
	texts(t, map[string]derive.Value{"40 GB": r.Database, "100 GB": r.Images, "25 GB": r.Conversion, "160 GB": r.Backup,
		"364 GB": r.Disk})
	if g := gauge(t, r.parts["controller"], "controllerLVM"); g.Value.Number != 1500*gb || g.Limit.Number != 1600*gb ||
		r.LVMNeed.Number != 1500*gb {
		t.Errorf("gauge %+v, to provide %s", g, r.LVMNeed.Text)
	}
	// The conversion of the notes' example is that of images of 8 GB: 50 GB, 389 GB in all.
	in = input(controller.Controller, 100, 10)
	in.Images = []controller.Image{image(10, 8*unit.GB, false)}
	in.Volumes = []part.Items{items("volumes", 100, 12*unit.GB)}
	r = plan(t, in)
	texts(t, map[string]derive.Value{"50 GB": r.Conversion, "100 GB": r.Images, "389 GB": r.Disk})
}

func TestCPEExample(t *testing.T) {
	in := input(controller.CPE, 20, 0)
	in.Computes = derive.Value{}
	in.Volumes = []part.Items{items("volumes", 20, 20*unit.GB)}
	in.Images = []controller.Image{image(1, 2*unit.GB, false)}
	r := plan(t, in)
	texts(t, map[string]derive.Value{"40 GB": r.Database, "500 GB": r.LVM, "20 GB": r.Conversion, "10 GB": r.Images})
	if f, _ := r.book.Get("controller.databaseFormula"); f.Value.Text != "11 GB" {
		t.Errorf("the formula gives %s", f.Value.Text)
	}
	for _, row := range r.doubts.Rows() {
		if want := slices.Contains([]int{3, 10, 12, 13, 22}, row.Number); row.Met != want {
			t.Errorf("doubt %d met: %v", row.Number, row.Met)
		}
		if row.Met && row.Number != 10 && len(row.Effects) == 0 {
			t.Errorf("doubt %d has no effect told", row.Number)
		}
	}
}

// Meters that are known replace the estimate.
func TestMetersAreKnown(t *testing.T) {
	in := input(controller.Dedicated, 100, 10)
	in.Meters = derive.Given("meters", 250000, "meters")
	r := plan(t, in)
	texts(t, map[string]derive.Value{"100 GB": r.Database})
	if _, ok := r.book.Get("controller.databaseVMs"); ok {
		t.Error("VMs are told though meters decide")
	}
}

// The document recommends the largest image for the mean one: it is told beside it.
func TestConversionWithTheLargestImage(t *testing.T) {
	in := input(controller.Controller, 100, 10)
	in.Images = []controller.Image{image(9, 4*unit.GB, false), image(1, 14*unit.GB, false)}
	in.Images = append(in.Images, image(0, 900*unit.GB, false)) // none of them
	r := plan(t, in)
	texts(t, map[string]derive.Value{"31.25 GB": r.Conversion})
	f, _ := r.book.Get("controller.conversion")
	if largest, _ := r.book.Get("controller.conversionLargest"); largest.Value.Text != "87.5 GB" ||
		!strings.Contains(strings.Join(f.Notes, " "), "87.5 GB") {
		t.Errorf("largest %s, notes %v", largest.Value.Text, f.Notes)
	}
}

// Images that are all cached need room for the largest alone; images that exist in
// no number count for nothing.
func TestConversionOfCachedImages(t *testing.T) {
	in := input(controller.Regions, 1000, 100)
	in.Images = []controller.Image{image(4, 12*unit.GB, true), image(4, 10*unit.GB, true), image(0, 900*unit.GB, true),
		image(0, 900*unit.GB, false)}
	r := plan(t, in)
	texts(t, map[string]derive.Value{"30 GB": r.Conversion})
}

// Thousands of kinds are told in words, with the same numbers.
func TestManyKinds(t *testing.T) {
	in := input(controller.Controller, 100, 10)
	for range 5000 {
		in.Images = append(in.Images, image(1, 4*unit.MB, false))
		in.Volumes = append(in.Volumes, items("volume", 2, 100*unit.MB))
	}
	r := plan(t, in)
	texts(t, map[string]derive.Value{"1.25 TB": r.LVM, "25 GB": r.Images})
	if f, _ := r.book.Get("controller.volumes"); f.Formula != "" ||
		f.Method != "the sum of count times size over 5000 kinds" || f.Value.Number != 1000*gb {
		t.Errorf("%+v", f)
	}
	if f, _ := r.book.Get("controller.imageMean"); f.Value.Number != 4e6 {
		t.Errorf("%+v", f.Value)
	}
}
