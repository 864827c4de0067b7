package agent

import (
	"context"
	"errors"
	"slices"
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
	mute    bool   // it takes no reports
	refuses string // a profile that TuneD refuses
	dies    bool   // TuneD, once
	has     string // the profile that the node has now
	left    string // what a killed agent left
	tried   bool   // to put that back
	did     []string
	reports []Report
}

func (n *node) locked(f func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f()
}

func (n *node) Desired(context.Context) (want Desired, err error) {
	n.locked(func() {
		if want = n.want; n.away {
			err = errors.New("no route to host")
		}
	})
	return want, err
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

// apply is TuneD: it holds a profile until the context ends, and puts the node back.
func (n *node) apply(ctx context.Context, o apply.Options, tell apply.Progress) (*apply.Result, error) {
	result := &apply.Result{Profile: o.Profile, Restored: true}
	if n.set(o.Profile) {
		result.Refusal = "it does not parse"
		return result, nil
	}
	defer n.locked(func() { n.has = ""; n.did = append(n.did, "-") })
	result.Applied, result.Verified = true, true
	tell(apply.Event{Result: result})
	for {
		died := false
		if n.locked(func() { died, n.dies = n.dies, false }); died {
			return &apply.Result{Profile: o.Profile, Died: true, End: "signal: killed", Restored: true}, nil
		}
		select {
		case <-ctx.Done():
			return result, nil
		case <-time.After(time.Millisecond):
		case profile := <-o.Reload:
			if _, err := o.Refresh(); err != nil {
				return nil, err
			}
			if n.set(profile) {
				tell(apply.Event{Problem: errors.New("it does not parse")})
				continue
			}
			tell(apply.Event{Result: &apply.Result{Profile: profile, Applied: true, Verified: true}})
		}
	}
}

// restore puts back what a killed agent left, at the second try.
func (n *node) restore(context.Context, apply.Options, apply.Progress) (*apply.Recovered, error) {
	r, err := &apply.Recovered{}, error(nil)
	n.locked(func() {
		switch {
		case n.left == "":
		case n.tried:
			r.Profile, n.has, n.left = n.left, "", ""
		default:
			n.tried, err = true, errors.New("a value can't be put back")
		}
	})
	return r, err
}

// looked after starts an agent; the test's end ends it, and demands that the node is put back.
func lookedAfter(t *testing.T, n *node) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	a := &Agent{API: n, Apply: n.apply, Restore: n.restore, Every: 2 * time.Millisecond}
	ended := make(chan error)
	go func() { ended <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil || n.has != "" {
			t.Errorf("%v, the node has %q", err, n.has)
		}
	})
}

func asked(profile, version string) Desired {
	return Desired{Found: true, Profile: profile, Version: version, Profiles: []tuned.Profile{{Name: profile}}}
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
	if n.has != "a" || n.last().Profile != "a" || n.last().Applied {
		t.Errorf("%q %+v", n.has, n.last())
	}
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
