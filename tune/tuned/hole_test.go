package tuned

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll.dev/api/v1alpha1"
)

// withheld is a machine of which something is not told.
func withheld(m Machine, draw *rand.Rand) Machine {
	some := func() bool { return draw.IntN(2) == 0 }
	if some() {
		m.Online, m.Present = nil, nil
	}
	if some() {
		m.Virtual = nil
	}
	if some() {
		m.Sockets = nil
	}
	if some() {
		m.CPUInfo = nil
	}
	if some() {
		m.Processors = 0
	}
	if some() {
		m.Run = nil
	}
	if some() {
		m.Read = nil
	}
	return m
}

// TestOracleWithheld loads TuneD's own random trees with less knowledge of their
// machines: what is not marked as unknown must be what TuneD came to, and nothing may
// be complained of that TuneD takes.
func TestOracleWithheld(t *testing.T) {
	draw := rand.New(rand.NewPCG(5, 9))
	known, unknown := 0, 0
	for r := range recorded[recordedTree](t, recordedTrees()) {
		if slices.Contains(r.Answer.Log, "braces") {
			continue // what the node puts in for a hole changes where TuneD stops
		}
		set, m := r.set()
		f, found := set.Flatten(r.Load, withheld(m, draw))
		if f == nil && r.Answer.Refused == "" {
			t.Errorf("tree %s: nothing is loaded, which TuneD loads: %v", r.Name, found)
		}
		if f == nil || r.Answer.Refused != "" || len(f.Unknown) > 0 {
			continue
		}
		k, u := compareKnown(t, &r, f, found)
		known, unknown = known+k, unknown+u
	}
	t.Logf("%d values known, %d not", known, unknown)
	if known < 3000 || unknown < 300 {
		t.Errorf("%d values known and %d not tell nothing", known, unknown)
	}
}

// compareKnown compares what is known with TuneD's answer, and counts it.
func compareKnown(t *testing.T, r *recordedTree, f *Flat, found []v1alpha1.Finding) (known, unknown int) {
	for _, x := range found {
		kind := strings.TrimPrefix(x.ID, "tuned.")
		if (kind == "arguments" || kind == "unknownFunction") && !slices.Contains(r.Answer.Log, kind) {
			t.Errorf("tree %s: %s, which TuneD doesn't log", r.Name, x.Message)
		}
	}
	for _, want := range r.Answer.Variables {
		if got := optionOf(f.Variables, want[0]); got != nil && len(got.Unknown) == 0 && got.Value != want[1] {
			t.Errorf("tree %s: the variable %s is %q, TuneD has %q", r.Name, got.Key, got.Value, want[1])
		}
	}
	for i, s := range r.Answer.Sections {
		for j, want := range s.Options {
			got := f.Sections[i].Options[j]
			switch {
			case len(got.Unknown) > 0:
				unknown++
			case got.Scripts == nil && got.Fault == "" && got.Value != want[2]:
				t.Errorf("tree %s: %s is %q, TuneD has %q", r.Name, got.Key, got.Value, want[2])
			default:
				known++
			}
		}
	}
	if line := Kernel(f); len(line.Unknown) == 0 && r.Answer.CmdLine != nil && line.Text != *r.Answer.CmdLine {
		t.Errorf("tree %s: the kernel gets %q, TuneD gives %q", r.Name, line.Text, *r.Answer.CmdLine)
	}
	return known, unknown
}

// TestOracleAssumed: on machines whose CPUs are all online, their number is enough to come
// to what TuneD comes to; and whatever another number changes is marked as assumed.
func TestOracleAssumed(t *testing.T) {
	number, marked := 0, 0
	for r := range recorded[recordedTree](t, recordedTrees()) {
		m := r.Machine.Machine
		n := m.Processors
		if n < 2 || *m.Online != fmt.Sprintf("0-%d\n", n-1) {
			continue
		}
		number++
		m.Online, m.Present, m.Processors = nil, nil, 0
		r.Machine.Machine = m.AssumeCPUs(n)
		if want, got := theirs(r.Answer), answerOf(&r); textOf(t, want) != textOf(t, got) && !cornered(&r) {
			t.Errorf("tree %s: TuneD -, here +\n%s", r.Name, cmp.Diff(want, got, cmpopts.EquateEmpty()))
		}
		marked += compareAssumed(t, &r, m.AssumeCPUs(n+3))
	}
	if number < 500 || marked < 100 {
		t.Errorf("%d trees with %d values that depend on CPUs tell nothing", number, marked)
	}
}

// compareAssumed compares a tree with itself on another machine, and counts what differs.
func compareAssumed(t *testing.T, r *recordedTree, other Machine) (differ int) {
	set, m := r.set()
	other.Read, other.Run = m.Read, m.Run
	f, _ := set.Flatten(r.Load, m)
	g, _ := set.Flatten(r.Load, other)
	if f == nil || g == nil || len(f.Layers) != len(g.Layers) {
		return 0
	}
	for i := range f.Sections {
		for j, o := range f.Sections[i].Options {
			p := g.Sections[i].Options[j]
			if o.Value == p.Value {
				continue
			}
			if differ++; o.Assumed == "" || p.Assumed == "" {
				t.Errorf("tree %s: %s is %q or %q, and not marked", r.Name, o.Key, o.Value, p.Value)
			}
		}
	}
	if a, b := Kernel(f), Kernel(g); a.Text != b.Text && a.Assumed == "" {
		t.Errorf("tree %s: the kernel gets %q or %q, and it is not marked", r.Name, a.Text, b.Text)
	}
	return differ
}
