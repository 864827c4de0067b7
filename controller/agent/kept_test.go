package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/engine/apply"
)

// What is refused for a moment is tried again; what the node kept is tried until it is there, before anything else.
func TestRefusedForAMoment(t *testing.T) {
	n := &node{want: asked("a", "1")}
	stop := n.agent(t, true)
	n.until(t, "a is there", func() bool { return n.last().Applied })
	n.locked(func() { n.want, n.busy = asked("b", "2"), 3 })
	n.until(t, "b is there", func() bool { return n.last() == Report{Profile: "b", Applied: true} })
	n.locked(func() {
		if n.busy > 0 || !slices.ContainsFunc(n.reports, func(r Report) bool {
			return r.Profile == "a" && !r.Applied && strings.Contains(r.Problem, "no room")
		}) {
			t.Errorf("%d %+v", n.busy, n.reports)
		}
	})
	stop()
	n.locked(func() { n.want, n.busy = asked("c", "3"), 3 })
	stop = n.agent(t, true)
	n.until(t, "c is there", func() bool { return n.last() == Report{Profile: "c", Applied: true} })
	stop()
	n.locked(func() {
		if !slices.Equal(n.did, []string{"a", "b", "b", "c"}) || !n.kept {
			t.Errorf("%v", n.did)
		}
		for _, r := range n.reports {
			if r.Profile == "" && r.Problem != "" {
				t.Errorf("the node has b, and not %+v", r)
			}
		}
	})
}

// A profile that the node kept and that can't be read by now is in the way of nothing.
func TestKeptIsOfNoUse(t *testing.T) {
	n := &node{want: asked("a", "1")}
	stop := n.agent(t, true)
	n.until(t, "a is there", func() bool { return n.last().Applied })
	stop()
	n.locked(func() { n.want, n.refuses = asked("b", "2"), "a" })
	stop = n.agent(t, true)
	n.until(t, "b is there", func() bool { return n.last() == Report{Profile: "b", Applied: true} })
	stop()
}

// What a new agent says of a node that keeps its profile is what the one before said, until it knows more.
func TestSaysNothingFalse(t *testing.T) {
	n := &node{want: asked("a", "1")}
	stop := n.agent(t, true)
	n.until(t, "a is there", func() bool { return n.last().Applied })
	stop()
	n.locked(func() {
		n.reports, n.slow = nil, true
		n.want.Deferred = Always // the version of what is kept is that of what is asked for: nothing waits
	})
	stop = n.agent(t, true)
	time.Sleep(20 * time.Millisecond)
	n.locked(func() {
		if n.slow = false; len(n.reports) > 0 {
			t.Errorf("%+v", n.reports)
		}
	})
	n.until(t, "a is told", func() bool { return n.last() == Report{Profile: "a", Applied: true} })
	stop()
}

// A Profile that is made anew between two looks is told what the one before was told.
func TestMadeAnew(t *testing.T) {
	n := &node{want: asked("a", "1")}
	lookedAfter(t, n)
	n.until(t, "a is told", func() bool { return n.last().Applied })
	n.locked(func() { n.reports, n.want.UID = nil, "another" })
	n.until(t, "a is told again", func() bool { return n.last() == Report{Profile: "a", Applied: true} })
}

// What waits hides no problem.
func TestWaitsWithAProblem(t *testing.T) {
	n := &node{want: asked("a", "1"), stuck: "/proc/sys/x"}
	lookedAfter(t, n)
	n.until(t, "a is told", func() bool { return n.last().Applied })
	n.locked(func() { n.want = later("b", "2", Always) })
	n.until(t, "both are told", func() bool {
		return n.last().Deferred && strings.HasPrefix(n.last().Problem, "what is asked for now waits") &&
			strings.HasSuffix(n.last().Problem, `; of an earlier profile 1 value refuses to be put back, such as `+
				`/proc/sys/x to "0": permission denied`)
	})
}

// What waits for the next start of the node does not come with a kill of the agent.
func TestDeferredOverAKill(t *testing.T) {
	n := &node{want: later("b", "2", Always), left: "a", has: "a", memo: memoOf(new(asked("a", "1")))}
	stop := n.agent(t, true)
	n.until(t, "b waits", func() bool { return n.has == "a" && n.last().Deferred && n.last().Profile == "a" })
	n.locked(func() {
		if n.memo != memoOf(new(asked("a", "1"))) {
			t.Errorf("noted: %s", n.memo)
		}
	})
	stop()
	n = &node{left: "a", has: "a", memo: memoOf(new(asked("a", "1")))} // nobody asks for it, so b waits for nothing
	stop = n.agent(t, true)
	n.until(t, "a is put back", func() bool { return n.last() == Report{} && n.left == "" })
	n.locked(func() { n.want = later("b", "2", Always) })
	n.until(t, "b is there", func() bool { return n.last() == Report{Profile: "b", Applied: true} })
	stop()
}

// What TuneD refuses leaves the profile before it, also over a kill, and while that has no room for a moment.
func TestRefusedAfterAKill(t *testing.T) {
	n := &node{want: asked("bad", "2"), left: "a", has: "a", memo: memoOf(new(asked("a", "1"))), refuses: "bad", busy: 2}
	stop := n.agent(t, true)
	n.until(t, "the refusal is told", func() bool { return strings.Contains(n.last().Problem, "does not parse") })
	n.locked(func() {
		if n.has != "a" || n.last().Profile != "a" || n.memo != memoOf(new(asked("a", "1"))) {
			t.Errorf("has %q, noted %s, %+v", n.has, n.memo, n.last())
		}
		for _, r := range n.reports {
			if strings.Contains(r.Problem, "no room") && r.Profile != "" {
				t.Errorf("the node was put back, and has not %+v", r)
			}
		}
	})
	stop()
}

// What is asked for and can't be read is told, and the node has what it had, also over an end of the agent.
func TestUnreadable(t *testing.T) {
	n := &node{garbled: true}
	stop := n.agent(t, true)
	const problem = "what is asked for can't be read: Tuned x can't be read"
	n.until(t, "it is told", func() bool { return n.last() == Report{Problem: problem} })
	n.locked(func() { n.want, n.garbled = asked("a", "1"), false })
	n.until(t, "a is told", func() bool { return n.last() == Report{Profile: "a", Applied: true} })
	for range 2 {
		n.locked(func() { n.garbled = true })
		n.until(t, "it is told of a", func() bool { return n.last() == Report{Profile: "a", Problem: problem} })
		stop()
		stop = n.agent(t, true)
	}
	n.locked(func() {
		if n.garbled = false; n.has != "a" {
			t.Errorf("has %q", n.has)
		}
	})
	n.until(t, "a is told", func() bool { return n.last() == Report{Profile: "a", Applied: true} })
	stop()
}

// A profile that is mended, or gone, ends the pause after the one that was refused, whatever is deferred: there is
// nothing that it could wait for. The same one does not.
func TestMended(t *testing.T) {
	for _, what := range []Deferral{"", Update, Always} {
		want, mended := later("bad", "1", what), later("bad", "2", what)
		n := &node{want: want}
		a := &Agent{API: n, Every: time.Millisecond}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		for _, next := range []Desired{want, mended, {}} {
			n.locked(func() { n.want = next })
			long := time.Hour
			if next.Version == want.Version {
				long = 20 * time.Millisecond
			}
			if other := a.rest(ctx, want, long); other != (next.Version != want.Version) || ctx.Err() != nil {
				t.Errorf("%+v: %t, %v", next, other, ctx.Err())
			}
		}
	}
}

// What was asked for while something was in its way is given to nobody: a node that has no profile gets what is asked
// for by then, and one that has a profile keeps that.
func TestDeferredWhileBlocked(t *testing.T) {
	block := map[string]func(*node){"a rival": func(n *node) { n.rival = "operator-0" },
		"no room": func(n *node) { n.busy = 1 << 30 }}
	for how, block := range block {
		for _, has := range []bool{false, true} {
			n, did := &node{want: asked("a", "1")}, []string{"c"}
			stop := func() {}
			if has {
				stop = n.agent(t, true)
				n.until(t, "a is there", func() bool { return n.last().Applied })
				did = []string{"a"}
			}
			n.locked(func() {
				block(n)
				n.want = asked("b", "2")
			})
			if !has {
				stop = n.agent(t, true)
			}
			n.until(t, "it is told", func() bool { return n.last().Problem != "" })
			n.asks(t, later("c", "3", Always))
			n.locked(func() { n.rival, n.busy = "", 0 })
			n.until(t, "c is there, or waits", func() bool { return n.last().Applied || n.last().Deferred })
			if stop(); slices.Contains(n.did, "b") || n.has != did[0] || n.last().Profile != did[0] {
				t.Errorf("%s: has %q, did %v, %+v", how, n.has, n.did, n.last())
			}
		}
	}
}

// A profile that stays because another was refused is not given to TuneD anew: neither when what is asked for by then
// waits, nor when it is that profile again. The refusal is told no more.
func TestStaysAfterARefusal(t *testing.T) {
	for _, next := range []Desired{later("c", "3", Always), asked("a", "1")} {
		for _, forNow := range []bool{false, true} {
			n := &node{want: asked("a", "1"), refuses: "b"}
			stop := n.agent(t, true)
			n.until(t, "a is there", func() bool { return n.last().Applied })
			n.locked(func() {
				if n.want = asked("b", "2"); forNow {
					n.refuses, n.busy = "", 1<<30
				}
			})
			n.until(t, "the refusal is told", func() bool { return strings.Contains(n.last().Problem, "was refused") })
			n.locked(func() { n.want = next })
			n.until(t, "what is asked for now is told", func() bool {
				r := n.last()
				return r.Profile == "a" && r.Deferred == (next.Deferred != "") && r.Applied == (next.Deferred == "") &&
					!strings.Contains(r.Problem, "refused")
			})
			n.locked(func() { n.busy = 0 })
			time.Sleep(20 * time.Millisecond)
			if stop(); !slices.Equal(n.did, []string{"a"}) {
				t.Errorf("%s, %t: did %v", next.Profile, forNow, n.did)
			}
		}
	}
}

// What comes while another profile is being applied waits for that one, and the two do not take turns.
func TestDeferredWhileApplying(t *testing.T) {
	n := &node{want: asked("a", "1")}
	stop := n.agent(t, true)
	n.until(t, "a is there", func() bool { return n.last().Applied })
	n.locked(func() { n.slow, n.want = true, asked("b", "2") })
	n.until(t, "b is being applied", func() bool { return n.asked == memoOf(new(asked("b", "2"))) })
	n.asks(t, later("c", "3", Always))
	n.locked(func() { n.slow = false })
	n.until(t, "c waits", func() bool { return n.last().Deferred && n.last().Profile == "b" })
	time.Sleep(20 * time.Millisecond)
	if stop(); !slices.Equal(n.did, []string{"a", "b"}) {
		t.Errorf("%v", n.did)
	}
}

// A death of TuneD is no start of the node: what waited waits still.
func TestDeferredOverADeath(t *testing.T) {
	n := &node{want: asked("a", "1")}
	stop := n.agent(t, true)
	n.until(t, "a is there", func() bool { return n.last().Applied })
	n.locked(func() { n.want = later("b", "2", Always) })
	n.until(t, "b waits", func() bool { return n.last().Deferred })
	n.locked(func() { n.dies = true })
	n.until(t, "a is there again", func() bool {
		return slices.Equal(n.did, []string{"a", "-", "a"}) && n.last().Deferred && n.last().Profile == "a"
	})
	stop()
}

// What a kill took from the node comes back also while nobody can say what is asked for, unless somebody else tunes.
func TestKilledWhileNobodySays(t *testing.T) {
	for how, n := range map[string]*node{"unreadable": {garbled: true}, "away": {away: true},
		"a rival": {garbled: true, rival: "operator-0"}} {
		n.left, n.has, n.memo, n.want = "a", "a", memoOf(new(asked("a", "1"))), asked("b", "2")
		stop := n.agent(t, true)
		if n.rival == "" {
			n.until(t, "a is there", func() bool { return n.left == "" && n.has == "a" })
		} else {
			n.until(t, "it is told", func() bool { return strings.Contains(n.last().Problem, "can't be read") })
			time.Sleep(20 * time.Millisecond)
		}
		n.locked(func() {
			if n.rival != "" && n.has != "" {
				t.Errorf("%s: has %q", how, n.has)
			}
			n.garbled, n.away, n.rival = false, false, ""
		})
		n.until(t, "b is there", func() bool { return n.last() == Report{Profile: "b", Applied: true} })
		stop()
	}
}

// What an event is of, and what is noted, is what was given at the last reload, whatever is asked for since.
func TestGivenAndAskedFor(t *testing.T) {
	given, next := asked("b", "2"), asked("c", "3")
	var r *run
	begun, noted := make(chan struct{}), ""
	a := &Agent{Apply: func(_ context.Context, o apply.Options, tell apply.Progress) (*apply.Result, error) {
		<-begun
		r.texts <- &given
		_, err := o.Refresh()
		r.texts <- &next
		noted = o.Memo()
		tell(apply.Event{Result: &apply.Result{Profile: "b"}})
		return nil, err
	}}
	r = a.begin(t.Context(), asked("a", "1"))
	close(begun)
	<-r.done
	if e := <-r.events; e.of != &given || noted != memoOf(&given) {
		t.Errorf("of %+v, noted %s", e.of, noted)
	}
}

// A node that was put back has nothing for which anything waits; what TuneD's death, or a start without room, took from
// it comes back.
func TestEndedWith(t *testing.T) {
	for name, run := range map[string]*run{
		"stopped":       {result: &apply.Result{Profile: "a", Restored: true}, err: context.Canceled},
		"can't be had":  {err: apply.ErrOptions},
		"refused":       {result: &apply.Result{Profile: "a", Refusal: "it does not parse", Restored: true}},
		"TuneD's death": {result: &apply.Result{Profile: "a", Died: true, Restored: true}},
		"no room":       {err: errors.New("there is no room")},
	} {
		a := &Agent{API: &node{}, last: asked("a", "1")}
		a.ended(t.Context(), run)
		if waits := name == "TuneD's death" || name == "no room"; a.last.Found != waits {
			t.Errorf("%s: waits %t", name, a.last.Found)
		}
	}
}
