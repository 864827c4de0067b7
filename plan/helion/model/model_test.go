package model

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/plan/helion/controller"
)

func of(n float64, unitName string) derive.Value { return derive.Of(n, unitName) }

// need is a cloud of VMs on computes that asks for nothing special.
func need(vms, computes float64, change ...func(*Needs)) Needs {
	n := Needs{VMs: of(vms, "VMs"), Computes: of(computes, "computes"), Sites: of(1, "sites"), Creates: of(5, "creates")}
	for _, c := range change {
		c(&n)
	}
	return n
}

func limits() Limits { return LimitsOf(facts.Load()) }

func alone(n *Needs) { n.Alone = true }

// The edges that the rules have.
func TestChosen(t *testing.T) {
	for _, c := range []struct {
		name string
		n    Needs
		want string
		// ruled is a model that is ruled out, for the reason of that id.
		ruled, id string
	}{
		{"10 computes", need(100, 10), controller.Controller, controller.CPE, "vms"},
		{"11 computes", need(100, 11), controller.Dedicated, controller.CPE, "vms"},
		{"100 VMs", need(100, 8), controller.Controller, controller.CPE, "vms"},
		{"101 VMs", need(101, 8), controller.Dedicated, controller.Controller, "vms"},
		{"20 VMs on one host", need(20, 2, alone), controller.CPE, "", ""},
		{"21 VMs on one host", need(21, 2, alone), controller.Controller, controller.CPE, "vms"},
		{"CPE that fits on two hosts but not on one", need(20, 2), controller.Controller, controller.CPE, "alone"},
		{"computes of their own are wanted", need(20, 2, alone, func(n *Needs) { n.Stated = of(3, "computes") }),
			controller.Controller, controller.CPE, "computes"},
		{"the pair is counted", need(20, 2, alone, func(n *Needs) { n.Stated = of(2, "computes") }), controller.CPE, "", ""},
		{"controllers are counted", need(20, 2, alone, func(n *Needs) { n.Controllers = of(2, "controllers") }),
			controller.Controller, "", ""},
		{"100 computes", need(1000, 100), controller.Dedicated, controller.Controller, "vms"},
		{"101 computes", need(1000, 101), controller.Regions, controller.Dedicated, "computes"},
		{"1000 VMs", need(1000, 90), controller.Dedicated, "", ""},
		{"1001 VMs", need(1001, 90), controller.Regions, controller.Dedicated, "vms"},
		{"two sites", need(10, 2, alone, func(n *Needs) { n.Sites = of(2, "sites") }), controller.Regions, controller.CPE,
			"sites"},
		{"5 parallel creates", need(50, 5), controller.Controller, "", ""},
		{"6 parallel creates", need(50, 5, func(n *Needs) { n.Creates = of(6, "creates") }), controller.Dedicated,
			controller.Controller, "creates"},
		{"10 VMs in a stack", need(50, 5, func(n *Needs) { n.StackServers = of(10, "VMs") }), controller.Controller, "", ""},
		{"11 VMs in a stack", need(50, 5, func(n *Needs) { n.StackServers = of(11, "VMs") }), controller.Dedicated,
			controller.Controller, "stack"},
		{"1999 IOPS", need(50, 5, func(n *Needs) { n.IOPS = of(1999, "operations/s") }), controller.Controller, "", ""},
		{"2000 IOPS", need(50, 5, func(n *Needs) { n.IOPS = of(2000, "operations/s") }), controller.Dedicated, "", ""},
		{"200 MB/s", need(50, 5, func(n *Needs) { n.Throughput = of(200e6, "bytes/s") }), controller.Dedicated, "", ""},
		{"2000 IOPS on an SSD", need(50, 5, func(n *Needs) { n.IOPS, n.Solid = of(2000, "operations/s"), true }),
			controller.Controller, "", ""},
		{"more operations than any such disk does", need(50, 5, missing("storage"), func(n *Needs) {
			n.IOPS, n.Solid, n.Most.IOPS = of(1e6, "operations/s"), true, of(750e3, "operations/s")
		}), controller.Controller, controller.Controller, "iops"},
		{"more throughput than any such disk does", need(50, 5, func(n *Needs) {
			n.Throughput, n.Solid, n.Most.Throughput = of(5e9, "bytes/s"), true, of(4.5e9, "bytes/s")
		}), controller.Dedicated, controller.Controller, "throughput"},
		{"objects", need(15, 2, alone, func(n *Needs) { n.Objects = of(1, "objects") }), controller.Dedicated, controller.CPE,
			"objects"},
		{"remote disks", need(15, 2, alone, func(n *Needs) { n.Remote = of(1, "VMs") }), controller.Dedicated, controller.CPE,
			"remote"},
		{"volumes as large as the disk", need(50, 5, lvm(1500e9, 1500e9)), controller.Controller, "", ""},
		{"volumes larger than the disk", need(50, 5, lvm(1501e9, 1500e9)), controller.Dedicated, controller.Controller,
			"lvm"},
		{"volumes and no disk known", need(50, 5, lvm(1501e9, 0)), controller.Controller, "", ""},
		{"a CPE whose disk is too small", need(20, 2, alone, func(n *Needs) {
			n.LVM, n.DiskCPE = of(501e9, "bytes"),
				of(500e9, "bytes")
		}), controller.Controller, controller.CPE, "lvm"},
		{"storage hosts are counted", need(50, 5, func(n *Needs) { n.Storage = of(2, "storage hosts") }),
			controller.Dedicated, "", ""},
		{"controllers that lack memory", need(50, 5, lacks(controller.Controller, controller.Dedicated)),
			controller.Controller, controller.Controller, "host"},
		{"controllers whose disk is too small for images", need(50, 5, lacks(controller.Controller)), controller.Dedicated,
			controller.Controller, "host"},
		{"controllers and no storage hosts for 101 VMs", need(101, 8, missing("storage")), controller.Controller,
			controller.Controller, "vms"},
		{"controllers and no storage hosts for 11 computes", need(100, 11, missing("storage")), controller.Controller, "",
			""},
		{"controllers and no storage hosts for 2000 IOPS", need(50, 5, missing("storage"),
			func(n *Needs) { n.IOPS = of(2000, "operations/s") }), controller.Controller, "", ""},
		{"storage hosts beside controllers that lack something", need(20, 4,
			lacks(controller.Controller, controller.Dedicated),
			func(n *Needs) { n.Storage, n.Stated = of(2, "storage hosts"), of(4, "computes") }),
			controller.Dedicated, controller.Dedicated, "host"},
		{"computes alone for 101 VMs", need(101, 8, missing("storage", "controller")), controller.Dedicated, "", ""},
		{"a pair whose VMs need both hosts", need(20, 2, missing("storage", "controller"),
			func(n *Needs) { n.Pair = true }), controller.CPE, controller.CPE, "alone"},
	} {
		d := Decide(c.n, limits())
		if d.Chosen != c.want {
			t.Errorf("%s: %s, want %s", c.name, d.Chosen, c.want)
		}
		if c.ruled != "" && !slices.ContainsFunc(d.Of(c.ruled).Reasons,
			func(r Reason) bool { return r.Weight == Rules && r.ID == c.id }) {
			t.Errorf("%s: %s is ruled out by %+v, want %q", c.name, c.ruled, d.Of(c.ruled).Reasons, c.id)
		}
	}
}

func lvm(need, disk float64) func(*Needs) {
	return func(n *Needs) {
		n.LVM = of(need, "bytes")
		if disk > 0 {
			n.Disk = of(disk, "bytes")
		}
	}
}

func lacks(models ...string) func(*Needs) {
	return func(n *Needs) {
		n.Lacks = map[string][]string{}
		for _, m := range models {
			n.Lacks[m] = []string{"memory: 32 GiB < 64 GiB"}
		}
	}
}

// missing takes the machines of roles away.
func missing(roles ...string) func(*Needs) {
	return func(n *Needs) {
		n.Missing = map[string][]Machines{}
		for _, role := range roles {
			for _, m := range Names()[1:] {
				if role == "controller" || m != controller.Controller {
					n.Missing[m] = append(n.Missing[m], Machines{Role: role, Text: "no " + role})
				}
			}
		}
	}
}

// Machines that are not given are an error with what to list, and beside a model that
// the needs rule out stands the one that further machines would make possible.
func TestMissingMachinesAreTold(t *testing.T) {
	for _, c := range []struct {
		n          Needs
		id, remedy string
	}{
		{need(101, 8, missing("storage", "controller")), "model.storageAbsent", "hardware.nodeTypes"},
		{need(101, 8, missing("storage")), "model.vms", "take dedicated storage"},
	} {
		var b derive.Book
		_, p := Plan(&b, c.n, limits(), "")
		if !slices.ContainsFunc(p.Findings, func(f v1alpha1.Finding) bool {
			return f.Severity == v1alpha1.Error && f.ID == c.id && strings.Contains(f.Remedy, c.remedy)
		}) {
			t.Errorf("no error %s with remedy %q in %+v", c.id, c.remedy, p.Findings)
		}
	}
}

// Above 10 computes controller storage is advised against and not ruled out.
func TestTenComputesIsAdvice(t *testing.T) {
	v := Decide(need(100, 11), limits()).Of(controller.Controller)
	if v.Ruled() || !v.Advised() {
		t.Errorf("11 computes: %+v", v.Reasons)
	}
	if v := Decide(need(100, 10), limits()).Of(controller.Controller); v.Advised() {
		t.Errorf("10 computes: %+v", v.Reasons)
	}
}

func TestRegions(t *testing.T) {
	for _, c := range []struct {
		vms, computes, sites float64
		want                 int
	}{{1000, 100, 1, 1}, {1001, 100, 1, 2}, {1000, 101, 1, 2}, {2500, 101, 1, 3}, {2000, 250, 1, 3}, {10, 1, 4, 4},
		{5000, 10, 4, 5}} {
		n := need(c.vms, c.computes, func(n *Needs) { n.Sites = of(c.sites, "sites") })
		if got := Regions(n, limits()); got != c.want {
			t.Errorf("%v VMs, %v computes, %v sites: %d regions, want %d", c.vms, c.computes, c.sites, got, c.want)
		}
	}
}

// Every model is told about: what is not chosen has a reason.
func TestEveryOtherModelHasAReason(t *testing.T) {
	for _, n := range []Needs{need(15, 2, alone), need(100, 8), need(300, 30), need(3000, 300)} {
		d := Decide(n, limits())
		for _, v := range d.Verdicts {
			if v.Model != d.Chosen && len(v.Reasons) == 0 {
				t.Errorf("%s chosen, and nothing is said of %s", d.Chosen, v.Model)
			}
		}
	}
}

// A wanted model is taken, and what speaks against it is found.
func TestWanted(t *testing.T) {
	for _, c := range []struct {
		name, wanted string
		n            Needs
		want         []string
	}{
		{"soft", controller.Controller, need(100, 11), []string{"warning model.computes"}},
		{"hard", controller.Controller, need(150, 11), []string{"error model.vms", "warning model.computes"}},
		{"more than needed", controller.Dedicated, need(50, 5), []string{"info model.excess"}},
		{"the chosen one", controller.Controller, need(50, 5), nil},
		{"nothing wanted", "", need(50, 5), nil},
		{"regions", "", need(5000, 300), []string{"warning model.regions"}},
		{"regions, not needed", controller.Regions, need(50, 5), []string{"warning model.regions", "info model.excess"}},
		{"lacking hosts are told elsewhere", "", need(50, 5, lacks(controller.Controller, controller.Dedicated)), nil},
	} {
		var b derive.Book
		d, p := Plan(&b, c.n, limits(), c.wanted)
		var got []string
		for _, f := range p.Findings {
			got = append(got, string(f.Severity)+" "+f.ID)
			if f.Severity == v1alpha1.Error && !strings.Contains(f.Remedy, controller.Dedicated) {
				t.Errorf("%s: remedy %q", c.name, f.Remedy)
			}
		}
		if !slices.Equal(got, c.want) || c.wanted != "" && d.Chosen != c.wanted {
			t.Errorf("%s: %s with %v, want %v", c.name, d.Chosen, got, c.want)
		}
		if errs := b.Verify(); len(errs) > 0 {
			t.Error(errs)
		}
		if len(p.Section.Tables[0].Rows) != 4 {
			t.Errorf("%s: %d models in the table", c.name, len(p.Section.Tables[0].Rows))
		}
	}
}

// More of anything never leads to a smaller model.
func TestMoreNeverNeedsLess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string, most int) float64 { return float64(rapid.IntRange(0, most).Draw(t, label)) }
		n := need(draw("vms", 1500), draw("computes", 150), func(n *Needs) {
			n.Alone = rapid.Bool().Draw(t, "alone")
			n.Objects, n.Remote = of(draw("objects", 1), "objects"), of(draw("remote", 1), "VMs")
			n.IOPS, n.Creates = of(draw("iops", 3000), "operations/s"), of(draw("creates", 8), "creates")
			n.Solid, n.SolidCPE = rapid.Bool().Draw(t, "SSD"), true
		})
		more := n
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0:
			more.VMs = of(n.VMs.Number+draw("more", 1000), "VMs")
		case 1:
			more.Computes = of(n.Computes.Number+draw("more", 100), "computes")
		case 2:
			more.IOPS = of(n.IOPS.Number+draw("more", 2000), "operations/s")
		case 3:
			more.Alone = false
		}
		a, b := Decide(n, limits()), Decide(more, limits())
		if slices.Index(Names(), b.Chosen) < slices.Index(Names(), a.Chosen) || b.Regions < a.Regions {
			t.Fatalf("%+v: %s, with more %s", n, a.Chosen, b.Chosen)
		}
		if v := a.Of(a.Chosen); v.Ruled() {
			t.Fatalf("%s is chosen and ruled out: %+v", a.Chosen, v.Reasons)
		}
	})
}
