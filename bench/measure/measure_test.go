package measure

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/bench"
	_ "plimsoll.dev/internal/seed"
)

// sample of n connections that each wait for exactly d.
func sample(n int, d time.Duration) Repetition {
	h := &bench.Histogram{}
	for range 1000 {
		h.Add(d)
	}
	return Repetition{Seconds: d.Seconds() * 1000 / float64(n), Transactions: 1000, Bytes: 2000, Histogram: h,
		Latency: h.Summary(), Client: &CPU{User: 0.001, System: 0.002}, Server: &CPU{System: 0.003}}
}

func found(cells []Measured) []string {
	out := []string{}
	for _, f := range run(cells).Findings() {
		out = append(out, f.ID)
	}
	return out
}

// of is a cell in which so many wait; of a stream nobody does.
func of(stream bool, n int, reps ...Repetition) []Measured {
	m := Measured{Name: fmt.Sprintf("rr-1x1-%d", n), Waiter: "connection", Waiting: n, Repetitions: reps}
	if stream {
		m.Name, m.Waiting = fmt.Sprintf("stream-1x1-%d", n), 0
	}
	return []Measured{m}
}

func TestGood(t *testing.T) {
	s := sample(50, time.Millisecond)
	s.Machine = &CPU{User: 0.007}
	s.Before, s.After = &Spin{1000, 1000}, &Spin{1050, 1000}
	r := of(false, 50, s, s, s)
	if got := found(r); len(got) > 0 {
		t.Error(got)
	}
	if l, ok := r[0].Latency(); !ok || l.N != 3000 || l.Mean != time.Millisecond {
		t.Errorf("%+v %v", l, ok)
	}
	if c := s.CPUPerTransaction(); c != 6e-6 {
		t.Errorf("%v s", c)
	}
}

// Quantiles are of all transactions, and no mean or median of quantiles.
func TestMerged(t *testing.T) {
	r := of(false, 50, reps(50, 1000, 3000)...)
	row := run(r).Table().Rows[0]
	var got []string
	for _, c := range row[:6] {
		got = append(got, c.Text)
	}
	if want := []string{"rr-1x1-50", "1.01ms", "3ms", "3ms", "3ms", "2ms"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	for i := range r[0].Repetitions {
		r[0].Repetitions[i].Histogram = nil
	}
	if p50 := run(r).Table().Rows[0][1].Text; p50 != "2ms" {
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
		"a window that is too long":   {[]Repetition{change(func(r *Repetition) { r.Seconds *= 1.12 }), s}, "little"},
		"others": {[]Repetition{s, change(func(r *Repetition) {
			r.Machine = &CPU{User: 0.006 + 0.25*r.Seconds}
		})}, "disturbed"},
		"away":     {[]Repetition{s, spun(Spin{12, 9})}, "disturbed"},
		"slower":   {[]Repetition{s, spun(Spin{12, 12})}, "disturbed"},
		"again":    {[]Repetition{s, change(func(r *Repetition) { r.Retransmits = 3 })}, "lost"},
		"drops":    {[]Repetition{s, change(func(r *Repetition) { r.Drops = 1 })}, "lost"},
		"once":     {[]Repetition{s}, "once"},
		"unsteady": {[]Repetition{s, sample(50, 1300*time.Microsecond)}, "unsteady"},
		"nothing":  {nil, "nothing"},
	} {
		want := []string{"network." + c.want + "[rr-1x1-50]"}
		if got := found(of(false, 50, c.reps...)); !slices.Equal(got, want) {
			t.Errorf("%s: %v", name, got)
		}
	}
	across := change(func(r *Repetition) { r.Seconds *= 1.06 }) // a twentieth of the sample is one transaction
	if got := found(of(false, 50, across, across)); len(got) > 0 {
		t.Errorf("what lies across the end breaks no law: %v", got)
	}
	derived := change(func(r *Repetition) { r.Latency.Mean, r.Derived = r.Latency.Mean/50, true })
	if got := found(of(false, 50, derived, derived)); len(got) > 0 {
		t.Errorf("what is derived proves nothing: %v", got)
	}
	stream := change(func(r *Repetition) { r.Latency.Mean /= 50 })
	if got := found(of(true, 50, stream, stream)); len(got) > 0 {
		t.Errorf("a stream does not wait: %v", got)
	}
}

// Errors stand before warnings, whatever cell they are of.
func TestOrder(t *testing.T) {
	r := of(false, 50, sample(50, time.Millisecond))
	r = append(r, Measured{Name: "crr-1x1-1", Waiting: 1})
	if f := run(r).Findings(); len(f) != 2 || f[0].Severity != v1alpha1.Error {
		t.Errorf("%v", f)
	}
}

// What many cells have is said once.
func TestFolded(t *testing.T) {
	r := of(false, 50, sample(50, time.Millisecond))
	for n := range 3 {
		r = append(r, Measured{Name: fmt.Sprint(n), Waiting: n + 1, Repetitions: []Repetition{sample(n+1, time.Millisecond)}})
	}
	f := run(r).Findings()
	if len(f) != 1 || f[0].ID != "network.once" ||
		f[0].Message != "4 of 4 cells, such as rr-1x1-50: one repetition has no interval" {
		t.Errorf("%+v", f)
	}
}
