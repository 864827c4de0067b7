package controller_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/facts"
	"plimsoll.dev/plan/helion/controller"
)

const (
	mb = 1e6
	gb = 1e9
)

// number is a fact's figure in base units.
func number(t *testing.T, id string) float64 {
	t.Helper()
	f, ok := facts.Load().Get(id)
	if !ok || f.Unit == "" {
		t.Fatalf("no number %s", id)
	}
	return f.Number
}

// near compares up to the rounding of float64.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// database is the document's formula: 2 * (5 GB + VMs * 25 MB + computes * 10 MB).
func database(vms, computes float64) float64 {
	return controller.Database(2, 5*gb, vms, 25*mb, computes, 10*mb)
}

func TestDatabaseExamples(t *testing.T) {
	near(t, "1000 VMs, 100 computes", database(1000, 100), 62.0*gb)
	near(t, "100 VMs, 10 computes", database(100, 10), 15.2*gb)
	near(t, "20 VMs of a CPE", database(20, 0), 11.0*gb)
	if binary := controller.Database(2, 5, 1000, 25.0/1024, 100, 10.0/1024); math.Round(10*binary) != 608 {
		t.Errorf("1000 VMs, 100 computes at 1024 MB to the GB: %v, want 60.8", binary)
	}
	near(t, "100,000 meters, a half",
		controller.DatabaseOfMeters(1, 100000, number(t, "hcg.controller.database.perMeter")), 20*gb)
	near(t, "100,000 meters", controller.DatabaseOfMeters(2, 100000, number(t, "hcg.controller.database.perMeter")), 40*gb)
	// 25 MB for each VM are 125 meters, 10 MB for each compute 50.
	near(t, "meters of a VM", number(t, "hcg.controller.database.perVM")/number(t, "hcg.controller.database.perMeter"),
		125)
	near(t, "meters of a compute",
		number(t, "hcg.controller.database.perCompute")/number(t, "hcg.controller.database.perMeter"), 50)
}

// The default of 40 GB lasts up to 576 VMs at 10 to a compute, which the document
// does not say.
func TestDatabaseDefaultLasts(t *testing.T) {
	most := controller.DatabaseVMs(40*gb, 2, 5*gb, 25*mb, 10*mb, 10)
	near(t, "VMs", most, 15/0.026)
	if database(576, 57.6) > 40*gb || database(577, 57.7) <= 40*gb {
		t.Errorf("576 VMs need %v, 577 %v: the default of 40 GB should lie between", database(576, 57.6), database(577, 57.7))
	}
	near(t, "a default that is too small for the base", controller.DatabaseVMs(8*gb, 2, 5*gb, 25*mb, 10*mb, 10), 0)
}

func TestImagesAndConversionExamples(t *testing.T) {
	near(t, "20 images of 4 GB", controller.WithMargin(20*4*gb, 0.25), 100*gb)
	near(t, "dedicated without margin", controller.ConversionDedicated(5, 8*gb, 10*gb, 0), 100*gb)
	near(t, "dedicated", controller.ConversionDedicated(5, 8*gb, 10*gb, 0.25), 125*gb)
	near(t, "controller", controller.ConversionController(5, 8*gb, 0.25), 50*gb)
}

func TestBackupAndDiskExamples(t *testing.T) {
	near(t, "backup, dedicated storage", controller.Backup(62*gb, 10*gb, 20*gb), 92*gb)
	near(t, "backup, controller storage", controller.Backup(40*gb, 100*gb, 20*gb), 160*gb)
	near(t, "disk by the defaults", controller.Primary(39*gb, 40*gb, 10*gb, 20*gb, 70*gb), 179*gb)
	near(t, "disk, dedicated storage", controller.Primary(39*gb, 62*gb, 10*gb, 125*gb, 92*gb), 328*gb)
	near(t, "disk, controller storage", controller.Primary(39*gb, 40*gb, 100*gb, 50*gb, 160*gb), 389*gb)
	near(t, "disk of the DRBD bench",
		controller.Primary(39*gb, 50*gb, 330*gb, 20*gb, controller.Backup(50*gb, 330*gb, 20*gb)), 839*gb)
}

func TestLVMExamples(t *testing.T) {
	near(t, "100 volumes of 12 GB", controller.WithMargin(100*12*gb, 0.25), 1500*gb)
	near(t, "CPE, 20 volumes of 20 GB", controller.WithMargin(20*20*gb, 0.25), 500*gb)
}

// Cinder has as many workers as the controller has cores, at most 20.
func TestSimultaneousIsCapped(t *testing.T) {
	for _, tt := range []struct{ asked, cores, want float64 }{
		{5, 16, 5}, {16, 16, 16}, {18, 16, 16}, {30, 16, 16}, {30, 24, 20}, {20, 20, 20}, {30, 0, 20}, {1, 1, 1},
	} {
		if got := controller.Simultaneous(tt.asked, tt.cores, 20); got != tt.want {
			t.Errorf("%v asked on %v cores: %v, want %v", tt.asked, tt.cores, got, tt.want)
		}
	}
}

// What more of anything needs is never less, and a margin never takes away.
func TestSizesAreMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := func(name string) float64 { return float64(rapid.Int64Range(0, 1e12).Draw(t, name)) }
		few, more := float64(rapid.IntRange(0, 100000).Draw(t, "few")), float64(rapid.IntRange(0, 100000).Draw(t, "more"))
		a, b, margin := amount("a"), amount("b"), rapid.Float64Range(0, 10).Draw(t, "margin")
		for name, f := range map[string]func(n, size float64) float64{
			"database, VMs":      func(n, size float64) float64 { return controller.Database(2, 5*gb, n, size, 3, 10*mb) },
			"database, computes": func(n, size float64) float64 { return controller.Database(2, 5*gb, 3, 25*mb, n, size) },
			"meters":             func(n, size float64) float64 { return controller.DatabaseOfMeters(2, n, size) },
			"margin":             func(n, size float64) float64 { return controller.WithMargin(n*size, margin) },
			"on controllers":     func(n, size float64) float64 { return controller.ConversionController(n, size, margin) },
			"dedicated":          func(n, size float64) float64 { return controller.ConversionDedicated(n, size, size, margin) },
			"backup":             func(n, size float64) float64 { return controller.Backup(n, size, 20*gb) },
			"primary":            func(n, size float64) float64 { return controller.Primary(39*gb, n, size, n, size) },
		} {
			base := f(few, min(a, b))
			if f(few+more, min(a, b)) < base || f(few, max(a, b)) < base {
				t.Fatalf("%s shrinks", name)
			}
		}
		if got := controller.WithMargin(a, margin); got < a {
			t.Fatalf("a margin of %v makes %v of %v", margin, got, a)
		}
		// Twice the copies are twice the partition; a VM more adds the same each time.
		if got, want := controller.Database(4, a, few, b, more, b),
			2*controller.Database(2, a, few, b, more, b); math.Abs(got-want) > 1e-6*want {
			t.Fatalf("four copies take %v, two %v", got, want)
		}
	})
}
