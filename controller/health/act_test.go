package health

import (
	"fmt"
	"slices"
	"testing"
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
	for slow, want := range map[string][]string{"delete w0": {"w0"}, "node": nil, "withdraw": nil, "hang": nil} {
		f := workers(10, 3, longAgo)
		if slow == "withdraw" {
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
		if out := once(t, k); !slices.Equal(f.deleted, want) || !out.AtOnce || slow == "withdraw" && len(f.Requests) != 2 {
			t.Errorf("%s: %v %+v %v", slow, f.deleted, out, f.Requests)
		}
	}
}

// A machine whose act fails, or is not answered, each time holds up no other one for long, and is told of.
func TestTurns(t *testing.T) {
	for how, fails := range map[string]func(*fake) func(string) error{
		"the connection breaks": func(f *fake) func(string) error {
			return func(call string) error {
				if call == "delete w0" {
					return errDown
				}
				return nil
			}
		},
		"no answer": func(f *fake) func(string) error { f.hangs = "w0"; return nil },
		"refused after a while": func(f *fake) func(string) error {
			f.denies = "w0"
			return func(call string) error {
				if call == "delete w0" {
					time.Sleep(300 * time.Millisecond)
				}
				return nil
			}
		},
	} {
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
