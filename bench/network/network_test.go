package network

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
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

// sample of n connections that each wait for exactly d.
func sample(n int, d time.Duration) Repetition {
	h := &bench.Histogram{}
	for range 1000 {
		h.Add(d)
	}
	return Repetition{Seconds: d.Seconds() * 1000 / float64(n), Transactions: 1000, Bytes: 2000, Histogram: h,
		Latency: h.Summary(), Client: &CPU{User: 0.001, System: 0.002}, Server: &CPU{System: 0.003}}
}

func found(r *Run) []string {
	out := []string{}
	for _, f := range r.Findings() {
		out = append(out, f.ID)
	}
	return out
}

func of(pattern Pattern, n int, reps ...Repetition) *Run {
	return &Run{Cells: []Measured{{Cell: Cell{pattern, n, 1, 1}, Repetitions: reps}}}
}

func TestGood(t *testing.T) {
	s := sample(50, time.Millisecond)
	s.Machine = &CPU{User: 0.007}
	s.Before, s.After = &Spin{1000, 1000}, &Spin{1050, 1000}
	r := of(RequestResponse, 50, s, s, s)
	if got := found(r); len(got) > 0 {
		t.Error(got)
	}
	if l, ok := r.Cells[0].Latency(); !ok || l.N != 3000 || l.Mean != time.Millisecond {
		t.Errorf("%+v %v", l, ok)
	}
	if c := s.CPUPerTransaction(); c != 6e-6 {
		t.Errorf("%v s", c)
	}
}

// Quantiles are of all transactions, and no mean or median of quantiles.
func TestMerged(t *testing.T) {
	r := of(RequestResponse, 50, reps(50, 1000, 3000)...)
	row := r.Answer().Parts[0].Tables[0].Rows[0]
	var got []string
	for _, c := range row[:6] {
		got = append(got, c.Text)
	}
	if want := []string{"rr-1x1-50", "1.01ms", "3ms", "3ms", "3ms", "2ms"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for i := range r.Cells[0].Repetitions {
		r.Cells[0].Repetitions[i].Histogram = nil
	}
	if p50 := r.Answer().Parts[0].Tables[0].Rows[0][1].Text; p50 != "2ms" {
		t.Error(p50)
	}
}

// Each doubt, alone.
func TestDoubts(t *testing.T) {
	s := sample(50, time.Millisecond)
	change := func(f func(*Repetition)) Repetition { x := s; f(&x); return x }
	spun := func(after Spin) Repetition {
		return change(func(r *Repetition) { r.Before, r.After = &Spin{9, 9}, &after })
	}
	for name, c := range map[string]struct {
		reps []Repetition
		want string
	}{
		"latency of one thread of 50": {[]Repetition{change(func(r *Repetition) { r.Latency.Mean /= 50 }), s}, "little"},
		"a window that is too long":   {[]Repetition{change(func(r *Repetition) { r.Seconds *= 1.06 }), s}, "little"},
		"others": {[]Repetition{s, change(func(r *Repetition) {
			r.Machine = &CPU{User: 0.006 + 0.25*r.Seconds}
		})}, "disturbed"},
		"away":     {[]Repetition{s, spun(Spin{12, 9})}, "disturbed"},
		"slower":   {[]Repetition{s, spun(Spin{12, 12})}, "disturbed"},
		"once":     {[]Repetition{s}, "once"},
		"unsteady": {[]Repetition{s, sample(50, 1300*time.Microsecond)}, "unsteady"},
		"nothing":  {nil, "nothing"},
	} {
		want := []string{"network." + c.want + "[rr-1x1-50]"}
		if got := found(of(RequestResponse, 50, c.reps...)); !slices.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	derived := change(func(r *Repetition) { r.Latency.Mean, r.Derived = r.Latency.Mean/50, true })
	if got := found(of(RequestResponse, 50, derived, derived)); len(got) > 0 {
		t.Errorf("what is derived proves nothing: %v", got)
	}
	stream := change(func(r *Repetition) { r.Latency.Mean /= 50 })
	if got := found(of(Stream, 50, stream, stream)); len(got) > 0 {
		t.Errorf("a stream does not wait: %v", got)
	}
}

// Errors stand before warnings, whatever cell they are of.
func TestOrder(t *testing.T) {
	r := of(RequestResponse, 50, sample(50, time.Millisecond))
	r.Cells = append(r.Cells, Measured{Cell: Cell{Connect, 1, 1, 1}})
	if f := r.Findings(); len(f) != 2 || f[0].Severity != v1alpha1.Error {
		t.Errorf("%v", f)
	}
}

// What many cells have is said once.
func TestFolded(t *testing.T) {
	r := of(RequestResponse, 50, sample(50, time.Millisecond))
	for n := range 3 {
		r.Cells = append(r.Cells, Measured{Cell: Cell{Connect, n + 1, 1, 1},
			Repetitions: []Repetition{sample(n+1, time.Millisecond)}})
	}
	f := r.Findings()
	if len(f) != 1 || f[0].ID != "network.once" ||
		f[0].Message != "4 of 4 cells, such as rr-1x1-50: one repetition has no interval" {
		t.Errorf("%+v", f)
	}
}

// A run is read as it was written.
func TestJSON(t *testing.T) {
	r := of(RequestResponse, 50, sample(50, time.Millisecond))
	r.Parameters = Default()
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
