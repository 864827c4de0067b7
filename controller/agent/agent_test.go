package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/tune/tuned"
)

// node is a cluster's word, a TuneD and what the node has, all in memory.
type node struct {
	mu      sync.Mutex
	want    Desired
	away    bool   // the API server
	garbled bool   // what is asked for can't be read
	mute    bool   // it takes no reports
	rival   string // who else tunes
	unknown string // an option of which nobody can say what became of it
	stuck   string // a file that can't be put back
	refuses string // a profile that TuneD refuses
	dies    bool   // TuneD, once
	busy    int    // how often there is no room, at a reload or a start
	slow    bool   // TuneD waits before it applies anything
	has     string // the profile that the node has now
	left    string // what a killed agent left
	kept    bool   // what the end of an agent left, by its word
	memo    string // of what the node had last
	tried   bool   // to put that back
	wins    bool   // the profile's sysctls
	did     []string
	read    int    // how often it was asked what is wanted
	asked   string // the memo of what was given last
	reports []Report
	// between the name and the texts of a reload.
	between func(name string, refresh func() string)
}

func (n *node) locked(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

func (n *node) Desired(context.Context) (want Desired, err error) {
	n.locked(func() {
		n.read++
		switch want = n.want; {
		case n.away:
			err = errors.New("no route to host")
		case n.garbled:
			err = Unreadable{errors.New("Tuned x can't be read")}
		}
	})
	return want, err
}

// Version is the text of the profile.
func (n *node) Version(d *Desired) string { return d.Profiles[0].Source.Body }

func (n *node) Rival(context.Context) (rival string, err error) {
	n.locked(func() { rival = n.rival })
	return rival, nil
}

func (n *node) Report(_ context.Context, r Report) (err error) {
	n.locked(func() {
		if n.mute || n.away {
			err = errors.New("no route to host")
			return
		}
		n.reports = append(n.reports, r)
	})
	return err
}

// set gives the node a profile, unless it is refused.
func (n *node) set(profile string) (refused bool) {
	n.locked(func() {
		if refused = profile == n.refuses; !refused {
			n.has = profile
			n.did = append(n.did, profile)
		}
	})
	return refused
}

// held is what is told of a profile that is held.
func (n *node) held(profile string) *apply.Result {
	r := &apply.Result{Profile: profile, Applied: true, Verified: true, Restored: true}
	if n.unknown != "" {
		r.Values = []apply.Value{{Section: "bootloader", Option: n.unknown, State: apply.Unknown}}
	}
	if n.stuck != "" {
		r.Recovered = n.refusing()
	}
	return r
}

func (n *node) refusing() *apply.Recovered {
	was := "0"
	return &apply.Recovered{Found: true, Began: &time.Time{},
		Values: []apply.Change{{Path: n.stuck, Before: &was, Refused: "permission denied"}}}
}

// apply is TuneD: it holds a profile until the context ends, and puts the node back, or has it keep that.
func (n *node) apply(ctx context.Context, o apply.Options, tell apply.Progress) (*apply.Result, error) {
	if n.full() {
		return nil, errors.New("there is no room")
	}
	memo := ""
	n.locked(func() {
		if n.kept && !o.TakeOver {
			n.did = append(n.did, "-")
		}
		if memo = o.Memo(); !n.kept {
			n.memo = memo
		}
		n.kept, n.wins = false, o.SysctlsWin
	})
	n.whileSlow(ctx)
	if n.set(o.Profile) {
		return &apply.Result{Profile: o.Profile, Refusal: "it does not parse", Restored: true}, nil
	}
	now := o.Profile
	n.locked(func() { n.memo = memo })
	defer n.locked(func() {
		if n.kept = errors.Is(context.Cause(ctx), apply.ErrKeep); !n.kept {
			n.has, n.did = "", append(n.did, "-")
		}
	})
	tell(apply.Event{Result: n.held(now)})
	for {
		died := false
		if n.locked(func() { died, n.dies = n.dies, false }); died {
			return &apply.Result{Profile: o.Profile, Died: true, End: "signal: killed", Restored: true}, nil
		}
		select {
		case <-ctx.Done():
			r := n.held(now)
			r.Kept = errors.Is(context.Cause(ctx), apply.ErrKeep)
			return r, nil
		case <-time.After(time.Millisecond):
		case profile := <-o.Reload:
			if err := n.refresh(&o, profile); err != nil {
				return nil, err
			}
			memo := o.Memo()
			n.locked(func() { n.asked = memo })
			n.whileSlow(ctx)
			if n.full() {
				tell(apply.Event{Problem: fmt.Errorf("there is no room: %w", apply.ErrForNow)})
			} else if n.set(profile) { // the one before is told again
				tell(apply.Event{Problem: errors.New("it does not parse")})
			} else {
				now = profile
				n.locked(func() { n.memo = memo })
			}
			tell(apply.Event{Result: n.held(now)})
		}
	}
}

// refresh reads the texts of a reload.
func (n *node) refresh(o *apply.Options, profile string) (err error) {
	read := func() string {
		texts, fault := o.Refresh()
		if err = fault; err != nil {
			return ""
		}
		return texts[0].Source.Body
	}
	if n.between != nil {
		n.between(profile, read)
	} else {
		read()
	}
	return err
}

func (n *node) whileSlow(ctx context.Context) {
	for slow := true; slow && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		n.locked(func() { slow = n.slow })
	}
}

// full says whether there is no room this time.
func (n *node) full() (is bool) {
	n.locked(func() {
		if is = n.busy > 0; is {
			n.busy--
		}
	})
	return is
}

// restore puts back what a killed agent left, at the second try, and what one had the node keep.
func (n *node) restore(_ context.Context, o apply.Options, _ apply.Progress) (*apply.Recovered, error) {
	r, err := &apply.Recovered{Began: &time.Time{}}, error(nil)
	n.locked(func() {
		switch {
		case n.stuck != "":
			r = n.refusing()
		case n.kept && !o.TakeOver:
			n.has, n.kept, n.did = "", false, append(n.did, "-")
		case n.kept:
			r.Kept, r.Memo = true, n.memo
		case n.left == "":
		case n.tried:
			r.Found, r.Profile, n.has, n.left = true, n.left, "", ""
			if o.TakeOver {
				r.Memo = n.memo
			}
		default:
			n.tried, err = true, errors.New("a value can't be put back")
		}
	})
	return r, err
}

// looked after starts an agent; the test's end ends it, and demands that the node is put back.
func lookedAfter(t *testing.T, n *node) {
	t.Helper()
	stop := n.agent(t, false)
	t.Cleanup(func() {
		if stop(); n.has != "" {
			t.Errorf("the node has %q", n.has)
		}
	})
}

// agent starts one, and returns what ends it.
func (n *node) agent(t *testing.T, keep bool) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	a := &Agent{API: n, Apply: n.apply, Restore: n.restore, Every: 2 * time.Millisecond, Keep: keep}
	ended := make(chan error)
	go func() { ended <- a.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

func asked(profile, version string) Desired {
	return Desired{Found: true, Profile: profile, Version: version,
		Profiles: []tuned.Profile{{Name: profile, Source: tuned.Source{Body: version}}}}
}

// later is asked for like that, and may wait.
func later(profile, version string, what Deferral) Desired {
	want := asked(profile, version)
	want.Deferred = what
	return want
}

// asks has something asked for, and waits until it was read and acted on: what was read before is given to nobody any
// more after the next question but one.
func (n *node) asks(t *testing.T, want Desired) {
	t.Helper()
	read := 0
	n.locked(func() { read, n.want = n.read, want })
	n.until(t, want.Profile+" is read", func() bool { return n.read > read+2 })
}

func (n *node) until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for late := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		done := false
		n.locked(func() { done = is() })
		if done {
			return
		}
		if time.Now().After(late) {
			n.locked(func() { t.Fatalf("not %s: has %q, did %v, reports %+v", what, n.has, n.did, n.reports) })
		}
	}
}

func (n *node) last() Report {
	if len(n.reports) == 0 {
		return Report{}
	}
	return n.reports[len(n.reports)-1]
}

// What a killed agent left is put back, also where nobody asks for a profile by now, or can say so.
func TestPutsBack(t *testing.T) {
	for _, away := range []bool{true, false} {
		n := &node{has: "a", left: "a", away: away}
		lookedAfter(t, n)
		n.until(t, "it is put back", func() bool { return n.has == "" && n.tried })
		n.locked(func() {
			if first := (Report{Problem: "a value can't be put back"}); !away && n.reports[0] != first {
				t.Errorf("%+v", n.reports)
			}
		})
	}
}

// A node gets what is asked for, another when that changes, and nothing when nothing is asked for.
func TestFollows(t *testing.T) {
	n := &node{}
	lookedAfter(t, n)
	n.locked(func() { n.want = asked("a", "1") })
	n.until(t, "a is reported", func() bool { return n.last() == Report{Profile: "a", Applied: true} })
	n.locked(func() { n.want = asked("b", "2") })
	n.until(t, "b is reported", func() bool { return n.last() == Report{Profile: "b", Applied: true} })
	n.locked(func() { n.want = asked("b", "3") }) // another text of it
	n.until(t, "b is applied again", func() bool { return slices.Equal(n.did, []string{"a", "b", "b"}) })
	n.locked(func() { n.want = Desired{} })
	n.until(t, "it is put back", func() bool { return n.has == "" && n.last() == Report{} })
	n.locked(func() { n.want = asked("a", "4") })
	n.until(t, "a is back", func() bool { return n.has == "a" })
}

// An API server that is away changes nothing; what was not told is told when it is back.
func TestServerAway(t *testing.T) {
	n := &node{want: asked("a", "1")}
	lookedAfter(t, n)
	n.until(t, "a is there", func() bool { return n.has == "a" && len(n.reports) > 0 })
	n.locked(func() { n.away, n.want = true, Desired{} })
	time.Sleep(20 * time.Millisecond)
	n.until(t, "a stays", func() bool { return n.has == "a" && slices.Equal(n.did, []string{"a"}) })
	n.locked(func() { n.away, n.mute, n.want = false, true, asked("b", "2") })
	n.until(t, "b is there", func() bool { return n.has == "b" })
	n.locked(func() { n.mute = false })
	n.until(t, "b is told", func() bool { return n.last() == Report{Profile: "b", Applied: true} })
}

// A profile that is refused leaves the one before it; one that is refused at the start leaves the node as it is, and is
// tried again.
func TestRefused(t *testing.T) {
	n := &node{want: asked("a", "1"), refuses: "bad"}
	lookedAfter(t, n)
	n.until(t, "a is there", func() bool { return n.has == "a" && len(n.reports) > 0 })
	n.locked(func() { n.want = asked("bad", "2") })
	n.until(t, "the refusal is told", func() bool { return n.last().Problem != "" })
	time.Sleep(20 * time.Millisecond) // that a is held again is no reason to forget it
	n.locked(func() {
		if n.has != "a" || n.last().Profile != "a" || n.last().Applied || !strings.Contains(n.last().Problem, "refused") {
			t.Errorf("%q %+v", n.has, n.last())
		}
		n.want = asked("b", "3")
	})
	n.until(t, "b is there", func() bool { return n.last() == Report{Profile: "b", Applied: true} })
	fresh := &node{want: asked("bad", "1"), refuses: "bad"}
	lookedAfter(t, fresh)
	const refusal = "TuneD did not apply it: it does not parse"
	fresh.until(t, "it is told", func() bool { return fresh.last().Problem == refusal })
	fresh.locked(func() { fresh.refuses = "" })
	fresh.until(t, "it is tried again", func() bool { return fresh.last() == Report{Profile: "bad", Applied: true} })
}

// A TuneD that dies is told of, and started again.
func TestDies(t *testing.T) {
	n := &node{want: asked("a", "1")}
	lookedAfter(t, n)
	n.until(t, "a is there", func() bool { return n.has == "a" && len(n.reports) > 0 })
	n.locked(func() { n.dies = true })
	n.until(t, "a is there again", func() bool { return slices.Equal(n.did, []string{"a", "-", "a"}) && n.last().Applied })
	said := func(r Report) bool {
		return r.Problem == "TuneD ended by itself (signal: killed); the node was put back"
	}
	if !slices.ContainsFunc(n.reports, said) {
		t.Errorf("%+v", n.reports)
	}
}

// A node keeps its profile over the end of an agent; the next one goes on with it, and puts it back when nobody asks
// for one any more.
func TestKeeps(t *testing.T) {
	n := &node{want: asked("a", "1")}
	stop := n.agent(t, true)
	n.until(t, "a is reported", func() bool { return n.last() == Report{Profile: "a", Applied: true} })
	for _, away := range []bool{true, false} {
		if stop(); n.has != "a" {
			t.Fatalf("the node has %q", n.has)
		}
		n.locked(func() { n.away = away })
		stop = n.agent(t, true)
		time.Sleep(10 * time.Millisecond)
		n.locked(func() {
			if n.has != "a" || slices.Contains(n.did, "-") {
				t.Errorf("%q %v", n.has, n.did)
			}
			n.away = false
		})
		n.until(t, "a is taken over", func() bool { return !n.kept && n.last().Applied })
	}
	stop()
	n.locked(func() { n.want = Desired{} })
	stop = n.agent(t, true)
	defer stop()
	n.until(t, "it is put back", func() bool { return n.has == "" && !n.kept })
}

// While the operator is alive nothing is changed.
func TestRival(t *testing.T) {
	n := &node{want: asked("a", "1"), rival: "operator-0"}
	lookedAfter(t, n)
	const told = "nothing is changed: the Node Tuning Operator is alive (operator-0)"
	n.until(t, "it is told", func() bool { return n.last() == Report{Problem: told} && n.has == "" })
	n.locked(func() { n.rival = "" })
	n.until(t, "a is there", func() bool { return n.last() == Report{Profile: "a", Applied: true} })
	n.locked(func() { n.rival, n.want = "operator-1", asked("b", "2") })
	n.until(t, "that is told", func() bool { return strings.Contains(n.last().Problem, "operator-1") })
	n.locked(func() {
		if n.has != "a" || n.last().Profile != "a" || n.last().Applied {
			t.Errorf("%q %+v", n.has, n.last())
		}
		n.want = asked("a", "1") // as it was
	})
	n.until(t, "a is all that is asked for", func() bool { return n.last() == Report{Profile: "a", Applied: true} })
}

// What is deferred waits for the next start, at which all that is asked for is applied.
func TestDeferred(t *testing.T) {
	waiting := func(profile string) Report {
		return Report{Profile: profile, Deferred: true,
			Problem: "what is asked for now waits for the next start of the node, or of the agent"}
	}
	n := &node{}
	lookedAfter(t, n)
	time.Sleep(10 * time.Millisecond)
	for _, step := range []struct {
		want Desired
		said Report
	}{
		{later("a", "1", Always), Report{Profile: "a", Applied: true}}, // the node has none: nothing is to be kept
		{later("a", "2", Update), waiting("a")},
		{later("b", "3", Update), Report{Profile: "b", Applied: true}},
		{later("c", "4", Always), waiting("b")},
		{later("b", "3", Always), Report{Profile: "b", Applied: true}}, // it is what it was again
		{asked("c", "4"), Report{Profile: "c", Applied: true}},
	} {
		n.locked(func() { n.want = step.want })
		n.until(t, fmt.Sprintf("%+v", step.said), func() bool { return n.last() == step.said })
	}
	n.locked(func() { n.want = Desired{} })
	n.until(t, "nothing is asked for", func() bool { return n.has == "" && n.last() == Report{} })
	n.locked(func() { n.want = later("c", "4", Always) }) // deleted and made anew
	n.until(t, "it is applied", func() bool { return n.last() == Report{Profile: "c", Applied: true} })
	for _, what := range []Deferral{Always, Update} {
		fresh := &node{want: later("a", "1", what), refuses: "a"}
		lookedAfter(t, fresh)
		fresh.until(t, "it is refused", func() bool { return fresh.last().Problem != "" })
		fresh.locked(func() { fresh.want = later("a", "2", what) })
		mended := memoOf(new(asked("a", "2")))
		fresh.until(t, "the mended one is tried", func() bool { return fresh.memo == mended })
		fresh.locked(func() { fresh.refuses = "" })
		fresh.until(t, "it is applied", func() bool { return fresh.last() == Report{Profile: "a", Applied: true} })
	}
}

// What nobody can compare, and what can't be put back, is told of a profile that is applied; whose sysctls win needs a
// new start of TuneD.
func TestTells(t *testing.T) {
	n := &node{want: asked("a", "1"), unknown: "cmdline", stuck: "/proc/sys/x"}
	lookedAfter(t, n)
	want := Report{Profile: "a", Applied: true, Note: "what became of a value is not known: bootloader cmdline",
		Problem: `of an earlier profile 1 value refuses to be put back, such as /proc/sys/x to "0": permission denied`}
	n.until(t, "it is told", func() bool { return n.last() == want })
	n.locked(func() { n.want.SysctlsWin, n.want.Version = true, "2" })
	n.until(t, "TuneD is started anew", func() bool { return n.wins && slices.Equal(n.did, []string{"a", "-", "a"}) })
}

// What waits for the next start of the node does not come with the next start of an agent, over whose end the node
// keeps its profile: that has the texts that it had.
func TestDeferredOverAnEnd(t *testing.T) {
	n := &node{want: asked("a", "1")}
	stop := n.agent(t, true)
	n.until(t, "a is there", func() bool { return n.last().Applied })
	stop()
	n.locked(func() { n.want = later("b", "2", Always) })
	stop = n.agent(t, true)
	n.until(t, "b waits", func() bool { return n.has == "a" && n.last().Deferred && n.last().Profile == "a" })
	stop()
	if last, ok := remember(n.memo); !ok || len(last.Profiles) != 1 || n.Version(&last) != "1" {
		t.Errorf("%+v", last)
	}
	n.locked(func() { n.kept, n.has, n.want = false, "", Desired{} }) // the node is started anew
}

// What TuneD refuses leaves the profile that the node kept, also where it was asked for while no agent ran.
func TestRefusedAfterAnEnd(t *testing.T) {
	n := &node{want: asked("a", "1"), refuses: "bad"}
	stop := n.agent(t, true)
	n.until(t, "a is there", func() bool { return n.last().Applied })
	stop()
	n.locked(func() { n.want = asked("bad", "2") })
	stop = n.agent(t, true)
	n.until(t, "the refusal is told", func() bool { return strings.Contains(n.last().Problem, "does not parse") })
	n.locked(func() {
		if n.has != "a" || n.last().Profile != "a" || slices.Contains(n.did, "-") {
			t.Errorf("%q %v %+v", n.has, n.did, n.last())
		}
		n.want = Desired{}
	})
	n.until(t, "it is put back", func() bool { return n.has == "" })
	stop()
}
