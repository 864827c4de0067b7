package health

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A node that is back by the time that its machine's turn comes saves it, and too many that fall ill meanwhile save
// all.
func TestMeanwhile(t *testing.T) {
	f := workers(10, 2, longAgo)
	f.fails = func(call string) error {
		if call == "delete w0" {
			f.Nodes["w1"].Conditions[0].Status = "True"
		}
		return nil
	}
	k := keeper(f)
	if out := once(t, k); !slices.Equal(f.deleted, []string{"w0"}) || !out.BackOff {
		t.Errorf("%v %+v", f.deleted, out)
	}
	f = workers(10, 3, longAgo)
	f.fails = func(call string) error { // while one is deleted too many fall ill
		if call == "delete w0" {
			for i := range 8 {
				f.Nodes[fmt.Sprint("w", i)].Conditions[0].Status = "Unknown"
			}
			time.Sleep(lookEach + 50*time.Millisecond)
		}
		return nil
	}
	if out := once(t, keeper(f)); !slices.Equal(f.deleted, []string{"w0"}) || !out.AtOnce {
		t.Errorf("%v %+v", f.deleted, out)
	}
}

// A reading that is too old is acted on no more: neither after an act that took long, nor after a node's answer, while
// which another one may have begun to lead; and an act ends with it.
func TestTooOld(t *testing.T) {
	for slow, want := range map[string][]string{"delete w0": {"w0"}, "node": nil, "withdraw w0": nil, "hang": nil} {
		f := workers(10, 3, longAgo)
		if slow == "withdraw w0" {
			f = workers(10, 0, begin)
			f.Check.Spec.RemediationTemplate = map[string]any{"kind": "RebootTemplate"}
			f.Requests = map[string]Ref{"w0": {Name: "w0"}, "w1": {Name: "w1"}, "w2": {Name: "w2"}}
		}
		f.fails = func(call string) error {
			if call == slow {
				time.Sleep(300 * time.Millisecond)
			}
			return nil
		}
		if slow == "hang" {
			f.hangs = "w0"
		}
		k := keeper(f)
		k.actsFor = 200 * time.Millisecond
		if out := once(t, k); !slices.Equal(f.deleted, want) || !out.AtOnce || slow == "withdraw w0" && len(f.Requests) != 2 {
			t.Errorf("%s: %v %+v %v", slow, f.deleted, out, f.Requests)
		}
	}
}

// faults are how each act on w0 goes wrong.
var faults = map[string]func(*fake) func(string) error{
	"the connection breaks": func(f *fake) func(string) error {
		return func(call string) error {
			if strings.HasSuffix(call, " w0") {
				return errDown
			}
			return nil
		}
	},
	"no answer": func(f *fake) func(string) error { f.hangs = "w0"; return nil },
	"refused after a while": func(f *fake) func(string) error {
		f.denies = "w0"
		return func(call string) error {
			if strings.HasSuffix(call, " w0") {
				time.Sleep(300 * time.Millisecond)
			}
			return nil
		}
	},
}

// A machine whose act fails, or is not answered, each time holds up no other one for long, and is told of.
func TestTurns(t *testing.T) {
	for how, fails := range faults {
		f := workers(10, 3, longAgo)
		f.fails = fails(f)
		k := keeper(f)
		k.actsFor = 200 * time.Millisecond
		for i := range 3 {
			out, _ := k.Reconcile(t.Context(), Ref{Namespace: "m", Name: "workers"})
			if s := f.status[i]; (out.Reason == "" || s.Reason == "" || s.Held == "") && i != 1 {
				t.Errorf("%s, pass %d: %+v %+v", how, i, out, s)
			}
			if want := [][]string{nil, {"w1", "w2"}, {"w1", "w2"}}[i]; !slices.Equal(f.deleted, want) {
				t.Errorf("%s, pass %d: %v", how, i, f.deleted)
			}
		}
	}
}

// What goes wrong with a machine that is due, or healthy again itself, holds up no withdrawal of another one's request,
// and is told.
func TestWithdraws(t *testing.T) {
	for how, fails := range faults {
		for due := range 2 {
			synctest.Test(t, func(t *testing.T) {
				f := workers(10, due, longAgo)
				f.Check.Spec.RemediationTemplate = map[string]any{"kind": "RebootTemplate"}
				f.Requests = map[string]Ref{"w5": {Name: "w5"}, "w7": {Name: "w7"}}
				if due == 0 {
					f.Requests["w0"] = Ref{Name: "w0"}
				}
				f.fails = fails(f)
				k := keeper(f)
				k.actsFor = 200 * time.Millisecond
				for range 3 {
					k.Reconcile(t.Context(), Ref{Namespace: "m", Name: "workers"})
				}
				if s := f.status[2]; len(f.Requests) != 1-due || s.Reason == "" || s.Held == "" {
					t.Errorf("%s, %d due: %v %+v", how, due, f.Requests, s)
				}
				if !slices.ContainsFunc(f.events, func(e said) bool { return e.machine == "w0" && e.name == Withheld }) {
					t.Errorf("%s, %d due: %v", how, due, f.events)
				}
			})
		}
	}
}

// A template that is missing holds up no withdrawal, not even one that failed before.
func TestWithdrawsWithoutTemplate(t *testing.T) {
	f := workers(10, 1, longAgo)
	f.Check.Spec.RemediationTemplate = map[string]any{"kind": "RebootTemplate"}
	f.Requests = map[string]Ref{"w5": {Name: "w5"}}
	f.denies = "w5"
	f.fails = func(call string) error {
		if call == "request w0" {
			return fmt.Errorf("%w RebootTemplate soft: not found", errTemplate)
		}
		return nil
	}
	k := keeper(f)
	for range 2 { // the withdrawal is refused before that, and after it
		if out := once(t, k); out.Reason != Template || out.Refused["w5"] == "" {
			t.Errorf("%+v", out)
		}
	}
	f.denies = ""
	if out := once(t, k); len(f.Requests) > 0 || out.Reason != Template {
		t.Errorf("%v %+v", f.Requests, out)
	}
}

// Too many that fall ill meanwhile hold up no withdrawal, not even one that failed before.
func TestWithdrawsWhenTooManyAreIll(t *testing.T) {
	f := workers(10, 2, longAgo)
	for _, n := range f.Nodes {
		n.Conditions[0].Status = "True"
	}
	f.Check.Spec.RemediationTemplate = map[string]any{"kind": "RebootTemplate"}
	f.Requests = map[string]Ref{"w5": {Name: "w5"}}
	f.denies = "w5"
	k := keeper(f)
	once(t, k)
	f.denies = ""
	f.Nodes["w0"].Conditions[0].Status, f.Nodes["w1"].Conditions[0].Status = "Unknown", "Unknown"
	f.fails = func(call string) error {
		if call == "request w0" {
			for _, name := range []string{"w2", "w3", "w4", "w6"} {
				f.Nodes[name].Conditions[0].Status = "Unknown"
			}
			time.Sleep(lookEach + 50*time.Millisecond)
		}
		return nil
	}
	out := once(t, k)
	if got := slices.Collect(maps.Keys(f.Requests)); !slices.Equal(got, []string{"w0"}) || !out.AtOnce {
		t.Errorf("%v %+v", got, out)
	}
}

// Why it is not known what to withdraw is told anew when it is another reason.
func TestBlindAnew(t *testing.T) {
	f := workers(10, 0, longAgo)
	f.Check.Spec.RemediationTemplate = map[string]any{"kind": "RebootTemplate"}
	f.TemplateErr = errors.New("machinereboots is forbidden")
	f.Skew = 10 * time.Second
	k := keeper(f)
	once(t, k)
	f.Skew = 0
	for range 2 {
		once(t, k)
	}
	if len(f.events) != 2 || !strings.Contains(f.events[1].note, "forbidden") {
		t.Errorf("%v", f.events)
	}
}
