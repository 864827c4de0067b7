package network

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll.dev/bench"
	"plimsoll.dev/bench/measure"
	_ "plimsoll.dev/internal/seed"
)

func TestMatrix(t *testing.T) {
	m := Matrix()
	if len(m) != 27 || m[0].Name() != "rr-1x1-1" || m[26].Name() != "crr-200x30000-250" {
		t.Errorf("%d cells, %v to %v", len(m), m[0], m[len(m)-1])
	}
	if d := Default(); len(d.Check()) > 0 || d.Time() >= 6*time.Minute {
		t.Errorf("default: %v, %v", d.Check(), d.Time())
	}
	if q := Quick(); len(q.Check()) > 0 || q.Time() >= 40*time.Second {
		t.Errorf("quick: %v, %v", q.Check(), q.Time())
	}
}

// A cell's name is read back.
func TestNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Cell{rapid.SampledFrom(Patterns()).Draw(t, "p"),
			rapid.IntRange(1, MaxConnections).Draw(t, "n"),
			rapid.IntRange(1, MaxSize).Draw(t, "in"), rapid.IntRange(1, MaxSize).Draw(t, "out")}
		if back, err := ParseCell(c.Name()); err != nil || back != c {
			t.Fatalf("%s is %v, %v", c.Name(), back, err)
		}
	})
	up, err := ParseCell("stream-30000x0-1")
	if err != nil || up.Bytes() != 30000 || (Cell{Stream, 1, 200, 30000}).Bytes() != 30000 {
		t.Errorf("%v, %v", up, err)
	}
	for _, name := range []string{"", "rr", "tcp-1x1-1", "rr-0x1-1", "rr-1x0-1", "stream-0x0-1", "rr-1x1-0",
		"rr-1x1-10001", "rr-1x999999999-1", "rr-1x1-1 ", "RR-1x1-1"} {
		if c, err := ParseCell(name); err == nil || !strings.HasSuffix(err.Error(), ")") {
			t.Errorf("%q is %v, %v", name, c, err)
		}
	}
}

// All that is wrong is told at once.
func TestParametersAll(t *testing.T) {
	cells := []Cell{{"rr", 1, 1, 1}, {"rr", 1, 1, 1}, {"x", 1, 1, 1}, {"crr", 0, 1, 1}}
	bad := Parameters{cells, 0, time.Millisecond, -1}
	if got := bad.Check(); len(got) != 6 {
		t.Errorf("%v", got)
	}
	if got := (Parameters{Repetitions: 3, Duration: time.Second}).Check(); len(got) != 1 {
		t.Errorf("%v", got)
	}
}

// A run is read as it was written.
func TestJSON(t *testing.T) {
	h := &bench.Histogram{}
	h.Add(time.Millisecond)
	r := &Run{Parameters: Default(), Cells: []Measured{{Cell{RequestResponse, 50, 1, 1}, []measure.Repetition{
		{Seconds: 1, Transactions: 50, Histogram: h, Client: &measure.CPU{User: 1}}}}}}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back Run
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, &back, cmp.AllowUnexported(bench.Histogram{}), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}

// Whose CPUs were busy all the time is said: of ends that share one, of both together.
func TestFull(t *testing.T) {
	for want, c := range map[string]struct {
		client, server     float64
		clientOn, serverOn string
	}{
		"":                  {0.94, 0.9, "0", "1"},
		"client":            {0.96, 0.3, "0", "1"},
		"server":            {0.3, 0.96, "0", "1"},
		"client and server": {0.96, 0.97, "0", "1"},
		"both on CPU 0":     {0.5, 0.46, "0", "0"},
	} {
		r := Run{Ends: Environment{End{CPUs: 1, Pinned: c.clientOn}, End{CPUs: 1, Pinned: c.serverOn}, nil}}
		r.Cells = []Measured{{Matrix()[0], []measure.Repetition{{Seconds: 1, Client: &measure.CPU{System: c.client},
			Server: &measure.CPU{User: c.server}}}}}
		if got := r.Sampled().Cells[0].Full; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPlace(t *testing.T) {
	usual := Switches{MTU: 1500, Offloads: true}
	for _, name := range Places() {
		p, err := Place(name, usual)
		if err != nil || p.Switches.String() != "" || len(p.Spaces) < 2 || !p.Address.IsValid() {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	for name, bad := range map[string]Switches{"nowhere": usual, "pair": {MTU: 575}, "pods": {MTU: 70000},
		"workers": {MTU: 1500, StaticRoute: "out"}, "external": {MTU: 1500, StaticRoute: "in"}} {
		if p, err := Place(name, bad); err == nil {
			t.Errorf("%s %+v: %+v", name, bad, p)
		}
	}
	if got := (Switches{MTU: 9000, RPS: "3", StaticRoute: "both"}).String(); got !=
		", MTU 9000, no offloads, RPS 3, static route both" {
		t.Error(got)
	}
}
