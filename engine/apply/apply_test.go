package apply

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// once applies profile p of a fake TuneD to a new node, and demands that the node
// is what it was, whatever happened.
func once(t *testing.T, f *fake, body string) (*Result, error) {
	t.Helper()
	dir := simulated(t)
	before := listing(t, dir)
	f.t = t
	opt := Options{Profile: "p", Root: dir, Sources: []string{profiles(t, map[string]string{"p": body})}, Once: true,
		Runner: f, again: time.Millisecond}
	switch { // nothing else ends the wait
	case f.silent:
		opt.Timeout = time.Second
	case f.stubborn:
		opt.Timeout = 3 * time.Second
	}
	r, err := Apply(t.Context(), opt, nil)
	if d := cmp.Diff(before, listing(t, dir)); d != "" {
		t.Errorf("the node is not what it was:\n%s", d)
	}
	return r, err
}

func TestApplyVerifyRollBack(t *testing.T) {
	r, err := once(t, &fake{clamps: "net.core.somaxconn"}, "vm.swappiness=10\nnet.core.somaxconn=4096\n")
	if err != nil {
		t.Fatal(err)
	}
	type row struct{ option, want, before, after, rolled string }
	var got []row
	for _, v := range r.Values {
		got = append(got, row{v.Option, v.Want, *v.Before, *v.After, *v.RolledBack})
	}
	want := []row{{"vm.swappiness", "10", "60", "10", "60"}, {"net.core.somaxconn", "4096", "128", "7", "128"}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(row{})); d != "" {
		t.Error(d)
	}
	if r.Values[0].State != Changed || r.Values[1].State != Differs || r.Verified || !r.Applied || !r.RolledBack ||
		!r.Restored || r.OK() {
		t.Errorf("%+v", r)
	}
	if r.Reformatted != 2 || r.Values[0].Place.Line != 2 || !strings.HasSuffix(r.Values[0].Place.File, "/p/tuned.conf") ||
		r.Version != "TuneD 2.20.0, kernel 4.18.0" {
		t.Errorf("reformatted %d, place %+v, version %s", r.Reformatted, r.Values[0].Place, r.Version)
	}
}

// TestSection8_10_ARunningDaemonIsNoProof: each of these daemons runs on, and has
// applied nothing, or doesn't say so.
func TestSection8_10_ARunningDaemonIsNoProof(t *testing.T) {
	for reason, f := range map[string]*fake{
		"Requested profile 'p' doesn't exist.": {fails: []string{"2026-11-22 01:48:20,615 ERROR    tuned.daemon.daemon: " +
			"Cannot set initial profile. No tunings will be enabled: Requested profile 'p' doesn't exist."}},
		"FileNotFoundError: [Errno 2] No such file": {fails: []string{"Exception in thread Thread-1 (_thread_code):",
			"Traceback (most recent call last):",
			`  File "/usr/lib/python3/dist-packages/tuned/daemon/daemon.py", line 193, in _thread_code`,
			"    self._unit_manager.create(self._profile.units)", "FileNotFoundError: [Errno 2] No such file"}},
		"did not say within": {silent: true},
	} {
		r, err := once(t, f, "vm.swappiness=10\n")
		if err != nil {
			t.Errorf("%s: %v", reason, err)
			continue
		}
		if r.Applied || r.OK() || !strings.Contains(r.Refusal, reason) || !r.Restored {
			t.Errorf("%s: applied %t, refusal %q, restored %t", reason, r.Applied, r.Refusal, r.Restored)
		}
		if found := r.Findings(); len(found) != 1 || found[0].ID != "apply.notApplied" {
			t.Errorf("%s: %+v", reason, found)
		}
	}
}

func TestWhatTuneDLeavesIsPutBack(t *testing.T) {
	r, err := once(t, &fake{forgets: []string{"vm/swappiness"}}, "vm.swappiness=10\nnet.core.somaxconn=4096\n")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Leftover) != 1 || r.Leftover[0].Path != "/proc/sys/vm/swappiness" || r.RolledBack || !r.Restored || r.OK() {
		t.Errorf("%+v", r)
	}
	if found := r.Findings(); len(found) != 1 || found[0].ID != "apply.notRolledBack" ||
		found[0].Message != `/proc/sys/vm/swappiness was "60" and is "10" after the roll-back` {
		t.Errorf("%+v", found)
	}
}

func TestAMissingSysctlIsToldOnce(t *testing.T) {
	r, err := once(t, &fake{}, "vm.swappiness=10\nkernel.sched_latency_ns=1\n")
	if err != nil {
		t.Fatal(err)
	}
	found := r.Findings()
	if r.Verified || len(found) != 1 || found[0].ID != "apply.valueMissing" || found[0].Place.Line != 3 ||
		!strings.Contains(found[0].Message, "failed to read the original value") {
		t.Errorf("%+v", found)
	}
}

func TestStopIsRepeatedAndThenForced(t *testing.T) {
	r, err := once(t, &fake{deaf: 1}, "vm.swappiness=10\n")
	if err != nil || !r.OK() {
		t.Errorf("a TuneD that misses an order: %v, %+v", err, r)
	}
	r, err = once(t, &fake{stubborn: true}, "vm.swappiness=10\n")
	if err != nil || r.RolledBack || !r.Restored || !r.Killed || r.End != "signal: killed" {
		t.Errorf("a TuneD that hears nothing: %v, %+v", err, r)
	}
	if found := r.Findings(); len(found) != 2 || found[0].ID != "apply.notEnded" || found[1].ID != "apply.notRolledBack" {
		t.Errorf("%+v", found)
	}
}

func TestATuneDThatDiesLeavesNothing(t *testing.T) {
	dir := simulated(t)
	before := listing(t, dir)
	f := &fake{t: t, dies: true}
	r, err := Apply(t.Context(), Options{Profile: "p", Root: dir,
		Sources: []string{profiles(t, map[string]string{"p": "vm.swappiness=10\n"})}, Runner: f}, nil)
	if err != nil || !r.Died || r.RolledBack || !r.Restored || r.OK() {
		t.Errorf("%v, %+v", err, r)
	}
	if found := r.Findings(); found[0].Message != "TuneD ended by itself and left its values: signal: killed" {
		t.Errorf("%+v", found)
	}
	if d := cmp.Diff(before, listing(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestHoldUntilInterrupted(t *testing.T) {
	dir := simulated(t)
	before := listing(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	held := ""
	r, err := Apply(ctx, Options{Profile: "p", Root: dir,
		Sources: []string{profiles(t, map[string]string{"p": "vm.swappiness=10\n"})}, Runner: &fake{t: t}},
		func(e Event) {
			if e.Result != nil {
				text, _ := os.ReadFile(dir + "/proc/sys/vm/swappiness")
				held = string(text)
				if !e.Result.Verified || !e.Result.Applied {
					t.Error("the result is not there while the values are held")
				}
				stop()
			}
		})
	if err != nil || !r.OK() || held != "10" {
		t.Errorf("%v, %+v, held %q", err, r, held)
	}
	if d := cmp.Diff(before, listing(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestInterruptedBeforeItIsApplied(t *testing.T) {
	ctx, stop := context.WithCancelCause(t.Context())
	dir := simulated(t)
	before := listing(t, dir)
	reason := errors.New("the administrator pressed a key")
	r, err := Apply(ctx, Options{Profile: "p", Root: dir,
		Sources: []string{profiles(t, map[string]string{"p": "vm.swappiness=10\n"})}, Runner: &fake{t: t, silent: true}},
		func(e Event) {
			if e.Line != nil {
				stop(reason)
			}
		})
	if !errors.Is(err, reason) || r == nil || r.Applied || !r.Restored {
		t.Fatalf("%v, %+v", err, r)
	}
	found := r.Findings()
	if want := "profile p is not applied: interrupted before TuneD had applied it, the last that it said is: TuneD: " +
		"2.20.0, kernel: 4.18.0"; found[0].Message != want || found[0].Remedy != "wait until it is applied and verified" {
		t.Errorf("%+v", found)
	}
	if d := cmp.Diff(before, listing(t, dir)); d != "" {
		t.Error(d)
	}
}

func TestReloadSwitchesProfiles(t *testing.T) {
	dir, reload := simulated(t), make(chan string, 1)
	sources := profiles(t, map[string]string{"p": "vm.swappiness=10\n", "q": "net.core.somaxconn=4096\n"})
	ctx, stop := context.WithCancel(t.Context())
	var seen []string
	var refused error
	f := &fake{t: t}
	r, err := Apply(ctx, Options{Profile: "p", Root: dir, Sources: []string{sources}, Runner: f,
		Reload: reload}, func(e Event) {
		if e.Problem != nil {
			refused = e.Problem
		}
		if e.Result == nil {
			return
		}
		a, _ := os.ReadFile(dir + "/proc/sys/vm/swappiness")
		b, _ := os.ReadFile(dir + "/proc/sys/net/core/somaxconn")
		seen = append(seen, strings.TrimSpace(string(a))+" "+strings.TrimSpace(string(b)))
		switch len(seen) {
		case 1:
			reload <- "q"
		case 2:
			reload <- "../evil"
		case 3:
			reload <- "nowhere"
		case 4:
			stop()
		}
	})
	if err != nil || !r.OK() || r.Profile != "q" || f.reloads != 1 {
		t.Errorf("%v, profile %s, %d reloads, %+v", err, r.Profile, f.reloads, r)
	}
	if d := cmp.Diff([]string{"10 128", "60 4096", "60 4096", "60 4096"}, seen); d != "" {
		t.Error(d)
	}
	if refused == nil || !strings.Contains(refused.Error(), "q stays") {
		t.Errorf("refused: %v", refused)
	}
}

// TestAReloadThatTuneDRefuses leaves the profile before it: TuneD, which has taken its values back by then, applies it
// again.
func TestAReloadThatTuneDRefuses(t *testing.T) {
	dir, reload := simulated(t), make(chan string, 1)
	before := listing(t, dir)
	sources := profiles(t, map[string]string{"p": "vm.swappiness=10\n", "q": "net.core.somaxconn=4096\n"})
	f := &fake{t: t, refuses: "q"}
	ctx, stop := context.WithCancel(t.Context())
	var refused error
	var seen []string
	r, err := Apply(ctx, Options{Profile: "p", Root: dir, Sources: []string{sources}, Runner: f, Reload: reload},
		func(e Event) {
			if e.Problem != nil {
				refused = e.Problem
			}
			if e.Result == nil {
				return
			}
			now, _ := os.ReadFile(dir + "/proc/sys/vm/swappiness")
			seen = append(seen, e.Result.Profile+" "+string(now))
			if len(seen) == 1 {
				reload <- "q"
				return
			}
			if !e.Result.Verified || len(e.Result.Values) != 1 {
				t.Errorf("%+v", e.Result)
			}
			stop()
		})
	if err != nil || !r.OK() || r.Profile != "p" || f.reloads != 2 {
		t.Errorf("%v, %d reloads, %+v", err, f.reloads, r)
	}
	if d := cmp.Diff([]string{"p 10", "p 10"}, seen); d != "" {
		t.Error(d)
	}
	if refused == nil || refused.Error() != "profile q is not applied, p stays: no reason" {
		t.Errorf("refused: %v", refused)
	}
	if d := cmp.Diff(before, listing(t, dir)); d != "" {
		t.Error(d)
	}
}

// TestAReloadAfterWhichNothingIsApplied: of the profile before, whose values TuneD took back, nothing is told as if it
// were in effect.
func TestAReloadAfterWhichNothingIsApplied(t *testing.T) {
	dir, reload := simulated(t), make(chan string, 1)
	sources := profiles(t, map[string]string{"p": "vm.swappiness=10\n", "q": "net.core.somaxconn=4096\n"})
	f := &fake{t: t}
	r, err := Apply(t.Context(), Options{Profile: "p", Root: dir, Sources: []string{sources}, Runner: f, Reload: reload},
		func(e Event) {
			if e.Result != nil {
				f.fails = []string{"2026-11-22 01:48:20,615 ERROR    tuned.daemon.daemon: Failed to reload TuneD: no reason"}
				reload <- "q"
			}
		})
	if err != nil || r.Applied || r.Verified || len(r.Values) > 0 || !r.Restored || r.Profile != "q" ||
		r.Refusal != "no reason; p, which was there before it, is not applied again: no reason" {
		t.Errorf("%v, %+v", err, r)
	}
	text, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(text), `"values":[]`) {
		t.Errorf("%v, %s", err, text)
	}
}

// TestALongLogIsCut: who reloads for months keeps what is about the last profiles.
func TestALongLogIsCut(t *testing.T) {
	s := &session{result: Result{Log: []Line{{Text: "first"}}}}
	if s.turnLog(); s.since != 1 || s.result.LogCut {
		t.Errorf("a short log: %d, %t", s.since, s.result.LogCut)
	}
	for len(s.result.Log) < maxLines {
		s.note(Holding, Line{Text: "more"})
	}
	s.result.Log[maxLines-1].Text = "last"
	if s.turnLog(); s.since != maxLines/2 || !s.result.LogCut || s.result.Log[s.since-1].Text != "last" {
		t.Errorf("a full log: %d, %t", s.since, s.result.LogCut)
	}
}
