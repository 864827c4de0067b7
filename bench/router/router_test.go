package router

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	"plimsoll.dev/bench/network"
	"plimsoll.dev/facts"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// sample of 100 connections at a rate, with the CPUs that each part used.
func sample(rate, router, generator, backEnd float64) Repetition {
	cpu := func(used float64) *measure.CPU { return &measure.CPU{User: used} }
	r := Repetition{Router: cpu(router), Repetition: measure.Repetition{Seconds: 1, Transactions: rate,
		Client: cpu(generator), Server: cpu(backEnd), Machine: cpu(router + generator + backEnd),
		Histogram: &bench.Histogram{}}}
	for range 100 {
		r.Histogram.Add(time.Duration(100 / rate * 1e9))
	}
	r.Latency = r.Histogram.Summary()
	return r
}

// runOf measured cells, the router on CPU 0 and the others on CPU 1.
func runOf(cells ...Measured) *Run {
	one := unit.CPUSetOf(1)
	return &Run{RunID: "r", Started: "2026-11-28T10:00:00Z", Setup: Default(), HAProxy: "2.6.12",
		Host: network.End{CPUs: 2}, Pins: Pins{unit.CPUSetOf(0), one, one}, Cells: cells}
}

var edge = Cell{"edge", formula.KeepAlive}

func measured(c Cell, reps ...Repetition) Measured { return Measured{c, reps} }

func TestCells(t *testing.T) {
	all := Cells()
	if len(all) != 8 || all[0].Name() != "none/keep-alive" || all[7].Name() != "re-encrypt/close" {
		t.Errorf("%v", all)
	}
	for _, c := range all {
		if back, err := ParseCell(c.Name()); err != nil || back != c {
			t.Errorf("%v %v", back, err)
		}
		for _, threads := range []int{1, 4} {
			if _, ok := document(facts.Load(), threads, c); !ok {
				t.Errorf("no document has %s", c.Name())
			}
		}
	}
	if _, err := ParseCell("edge"); err == nil || !strings.Contains(err.Error(), "edge/close") {
		t.Error(err)
	}
	if CheckCells(nil) == nil || CheckCells([]Cell{edge, edge}) == nil || CheckCells(all) != nil {
		t.Error("cells are checked otherwise")
	}
}

func TestSetup(t *testing.T) {
	if d := Default(); len(d.Check()) > 0 || d.Time(8) != time.Minute {
		t.Errorf("%v %v", d.Check(), d.Time(8))
	}
	bad := Setup{Threads: 65, Routes: -1, MaxConnections: -1, Connections: 10_001, Rate: 0.5, TLS: "1.1", Key: "dsa",
		Duration: time.Millisecond, Warmup: -1}
	if got := bad.Check(); len(got) != 11 {
		t.Errorf("%d: %v", len(got), got)
	}
	s := Default()
	s.MaxConnections, s.HardStop, s.Tunnel = 7, "3s", "2s"
	want := map[string]string{"threadCount": "1", "maxConnections": "7", "hardStopAfter": "3s", "tunnelTimeout": "2s"}
	if got := s.Settings(); !cmp.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if got := (ReloadSetup{}).Check(); len(got) != 6 {
		t.Errorf("%v", got)
	}
	if got := DefaultReload().Check(); got != nil {
		t.Errorf("%v", got)
	}
}

// The router has its threads' CPUs alone; where none would be left, nothing is pinned.
func TestPin(t *testing.T) {
	for _, tt := range []struct {
		all       []int
		threads   int
		want, gen string
		back      string
	}{
		{[]int{0, 1}, 1, "0", "1", "1"},
		{[]int{0, 1}, 2, "", "", ""},
		{[]int{0, 1, 2, 3}, 1, "0", "1-2", "3"},
		{[]int{0, 1, 2, 3, 4, 5, 6, 7}, 4, "0-3", "4-5", "6-7"},
		{[]int{5}, 1, "", "", ""},
	} {
		r, g, b := Pin(tt.all, tt.threads)
		got := []string{unit.CPUSetOf(r...).String(), unit.CPUSetOf(g...).String(), unit.CPUSetOf(b...).String()}
		if !cmp.Equal(got, []string{tt.want, tt.gen, tt.back}) {
			t.Errorf("%v for %d threads: %v", tt.all, tt.threads, got)
		}
	}
}

// Full is the part whose CPUs are, and parts that share theirs are so together.
func TestFull(t *testing.T) {
	for _, tt := range []struct {
		router, generator, backEnd float64
		want                       string
	}{
		{0.97, 0.3, 0.3, "router"}, {0.4, 0.6, 0.35, "generator and back end"}, {0.95, 0.6, 0.35,
			"router, generator and back end"},
		{0.5, 0.3, 0.3, "-"},
	} {
		m := measured(edge, sample(1000, tt.router, tt.generator, tt.backEnd))
		if got := runOf(m).fullText(m); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
	m := measured(edge, sample(1000, 0.5, 0.95, 0.1))
	r := runOf(m)
	r.Pins.BackEnd = unit.CPUSetOf(2)
	if got := r.fullText(m); got != "generator" {
		t.Error(got)
	}
	r.Pins, r.Setup.Threads = Pins{}, 2
	m = measured(edge, sample(1000, 1, 0.5, 0.4))
	if got := r.fullText(m); got != "router and generator and back end" {
		t.Error(got)
	}
}

// Of a router that ran already the generator alone can be told to be full, and nobody else is known.
func TestFullTarget(t *testing.T) {
	for used, want := range map[float64]string{0.3: "-", 1.9: "generator"} {
		x := sample(1000, 0, used, 0)
		x.Router, x.Server, x.Machine = nil, nil, nil
		r := runOf(measured(edge, x))
		r.Target, r.Pins, r.Setup.Threads = "http://h/", Pins{}, 0
		row := r.parts().Rows[0]
		if got := r.fullText(r.Cells[0]); got != want || row[len(row)-1].Text != "-" {
			t.Errorf("%v CPUs: %s, others %s", used, got, row[len(row)-1].Text)
		}
	}
}

func ids(all []v1alpha1.Finding) (out []string) {
	for _, f := range all {
		out = append(out, string(f.Severity)+" "+f.ID)
	}
	return out
}

// What can't be believed is told, and where the router was not the limit.
func TestFindings(t *testing.T) {
	good := sample(1000, 0.97, 0.3, 0.3)
	if got := ids(runOf(measured(edge, good, good, good)).Findings()); got != nil {
		t.Errorf("%v", got)
	}
	off := good
	off.Transactions = 2000
	foreign := good
	foreign.Machine = &measure.CPU{User: 2}
	failed, silent := good, good
	failed.Failed, failed.Failure = 3, "503"
	silent.Silent = 50
	lazy := sample(1000, 0.5, 0.2, 0.2)
	crowded := lazy
	crowded.Machine = &measure.CPU{User: 2}
	if r := runOf(measured(edge, crowded)); r.fullText(r.Cells[0]) != others || !strings.Contains(r.source(r.Cells[0]),
		"others used the CPUs") || !strings.Contains(r.notFull()[0].Message, "others used the CPUs in edge/keep-alive") {
		t.Errorf("%+v", r.notFull())
	}
	for want, x := range map[string]Repetition{"error router.little[edge/keep-alive]": off,
		"warning router.disturbed[edge/keep-alive]": foreign, "error router.failed[edge/keep-alive]": failed,
		"error router.silent[edge/keep-alive]": silent, "info router.notFull": lazy} {
		r := runOf(measured(edge, x, x, x))
		if got := ids(r.Findings()); !cmp.Equal(got, []string{want}) {
			t.Errorf("%v, and not %s", got, want)
		}
		if a := r.Answer(); a.Verdict.OK != !strings.HasPrefix(want, "error") {
			t.Errorf("%s: %+v", want, a.Verdict)
		}
	}
	late := lazy
	late.Waiting = 200
	r := runOf(measured(edge, late, late, late))
	r.Setup.Rate = 1000
	if got := ids(r.Findings()); !cmp.Equal(got, []string{"error router.rate[edge/keep-alive]"}) {
		t.Errorf("%v", got)
	}
}

// The rates take the place of those that a plan would look up, and say what of them is a lower bound.
func TestMeasurements(t *testing.T) {
	full, lazy := sample(20_000, 0.97, 0.3, 0.3), sample(900, 0.5, 0.6, 0.35)
	broken := full
	broken.Failed = 1
	r := runOf(measured(edge, full, full), measured(Cell{"re-encrypt", formula.Close}, lazy),
		measured(Cell{"none", formula.Close}, broken))
	got, err := r.Measurements(formula.Setup{Release: "4.12", Publishing: "LoadBalancerService", Threads: 1})
	want := []v1alpha1.Measurement{{Fact: "ocp.router.requests/edge/keep-alive/LoadBalancerService", Value: 20_000},
		{Fact: "ocp.router.requests/re-encrypt/close/LoadBalancerService", Value: 900}}
	if err != nil || !cmp.Equal(got, want, cmpopts.IgnoreFields(v1alpha1.Measurement{}, "Source")) {
		t.Fatalf("%+v %v", got, err)
	}
	if !strings.Contains(got[0].Source, "HAProxy 2.6.12 with 1 thread, 100 routes") || strings.Contains(got[0].Source,
		"least") ||
		!strings.Contains(got[1].Source, "at least so many: the generator and back end had no CPU left") {
		t.Errorf("%+v", got)
	}
	three, _ := r.Measurements(formula.Setup{Release: "3.11", Threads: 1})
	if three[0].Fact != "rout.router.requests/edge/keep-alive/unset" {
		t.Errorf("%+v", three)
	}
	if _, err := r.Measurements(formula.Setup{Release: "4.12", Threads: 4}); err == nil ||
		!strings.Contains(err.Error(), "had 1 thread, and the plan's have 4") {
		t.Error(err)
	}
	odd := runOf(measured(Cell{"x", formula.Close}, full))
	if _, err := odd.Measurements(formula.Setup{Release: "4.12"}); err == nil ||
		!strings.Contains(err.Error(), `"x/close"`) {
		t.Errorf("a cell that is none: %v", err)
	}
	r.Setup.Rate = 5
	if _, err := r.Measurements(formula.Setup{Release: "4.12"}); err == nil {
		t.Error("a constant rate is no limit")
	}
}

// A run is read back as it was, and is equal to itself; half of the rate is worse.
func TestCompare(t *testing.T) {
	var fast, slow []Repetition
	for i := range 4 {
		fast = append(fast, sample(20_000+100*float64(i), 0.97, 0.3, 0.3))
		slow = append(slow, sample(10_000+100*float64(i), 0.97, 0.3, 0.3))
	}
	a, b := runOf(measured(edge, fast...)), runOf(measured(edge, slow...))
	text, err := json.Marshal(a)
	var back Run
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || back.Pins != a.Pins || back.Cells[0].Repetitions[0].Histogram.N() != 100 {
		t.Fatalf("%v %+v", err, back)
	}
	if c := measure.Compare(a.Sampled(), back.Sampled(), 0.1).Answer(); !c.Verdict.OK || c.Kind != "RouterComparison" {
		t.Errorf("%+v", c.Verdict)
	}
	c := measure.Compare(a.Sampled(), b.Sampled(), 0.1)
	if got := ids(c.Answer().Findings); !slices.Contains(got, "error router.worse[edge/keep-alive.rate]") ||
		!slices.Contains(got, "error router.worse[edge/keep-alive.cpu]") {
		t.Errorf("%v", got)
	}
}

// The document's rate of as many threads stands beside the measured, with the ratio; of other threads none does.
func TestBeside(t *testing.T) {
	for threads, want := range map[int][]string{1: {"15,000", "0.50"}, 2: {"-", "-"}, 4: {"22,800", "0.33"},
		8: {"-", "-"}} {
		m := measured(edge, sample(7490.5, 0.97*float64(threads), 0.3, 0.3))
		r := runOf(m)
		r.Setup.Threads = threads
		row := r.rates().Rows[0]
		if got := []string{row[8].Text, row[9].Text}; !cmp.Equal(got, want) {
			t.Errorf("%d threads: %v", threads, got)
		}
		if r.Setup.Rate = 100; r.rates().Rows[0][9].Text != "-" {
			t.Error("a rate that was asked for is no limit to compare")
		}
	}
}

// The processes that are expected are those of the formula; more are an error.
func TestReloads(t *testing.T) {
	s := DefaultReload()
	r := &Reloads{Setup: s, HAProxy: "2.6"}
	for i, c := range s.Cases() {
		if got, want := s.Expected(c), []int{7, 4, 3, 7}[i]; got != want {
			t.Errorf("%s: %d", c.Name, got)
		}
		for n := range s.Reloads {
			c.Steps = append(c.Steps, Step{Processes: min(n+2, s.Expected(c)+i/3), Memory: 1 << 20, Opened: 10 * (n + 1)})
		}
		r.Cases = append(r.Cases, c)
	}
	if a := r.Answer(); !a.Verdict.OK || !strings.Contains(a.Parts[0].Lead[0], "721 processes") {
		t.Errorf("%+v", a)
	}
	r.Cases[1].Steps[5].Processes = 6
	if got := ids(r.Answer().Findings); !cmp.Equal(got, []string{"error router.pile[hard-stop-after 3s]"}) {
		t.Errorf("%v", got)
	}
}
