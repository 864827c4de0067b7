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

// What is asked for between the two looks of a reload, at the name and at the texts, is given at the next one: each
// name goes with the texts that it came with, and a refusal of the second is told.
func TestGivenByName(t *testing.T) {
	n := &node{want: asked("a", "1"), refuses: "c"}
	var given []string
	n.between = func(name string, refresh func() string) {
		if name == "b" {
			n.asks(t, asked("c", "3"))
		}
		given = append(given, name+" "+refresh())
	}
	stop := n.agent(t, true)
	n.until(t, "a is there", func() bool { return n.last().Applied })
	n.locked(func() { n.want = asked("b", "2") })
	n.until(t, "the refusal of c is told", func() bool { return strings.Contains(n.last().Problem, "refused") })
	time.Sleep(20 * time.Millisecond)
	last := n.last()
	if stop(); !slices.Equal(given, []string{"b 2", "c 3"}) || last.Profile != "b" ||
		!strings.Contains(last.Problem, "refused") || n.memo != memoOf(new(asked("b", "2"))) {
		t.Errorf("given %v, noted %s, %+v", given, n.memo, last)
	}
}

// A profile that is asked for again while another is being applied is not given to TuneD anew where that is refused.
func TestBackWhileApplying(t *testing.T) {
	for _, refuses := range []string{"b", ""} {
		n := &node{want: asked("a", "1"), refuses: refuses}
		stop := n.agent(t, true)
		n.until(t, "a is there", func() bool { return n.last().Applied })
		taken := memoOf(new(asked("b", "2")))
		n.locked(func() { n.slow, n.want = true, asked("b", "2") })
		n.until(t, "b is being applied", func() bool { return n.asked == taken })
		n.asks(t, asked("a", "1"))
		n.locked(func() { n.slow = false })
		did := []string{"a", "b", "a"}
		if refuses != "" {
			did = did[:1]
		}
		n.until(t, "it is done", func() bool { return len(n.did) >= len(did) })
		time.Sleep(20 * time.Millisecond)
		n.until(t, "a is told", func() bool { return n.last() == Report{Profile: "a", Applied: true} })
		if stop(); !slices.Equal(n.did, did) {
			t.Errorf("refuses %q: did %v", refuses, n.did)
		}
	}
}

// holding is an agent whose run holds what the node asks for, and takes nothing else by itself.
func (n *node) holding(t *testing.T) (*Agent, *run) {
	a := &Agent{API: n, Every: time.Millisecond, Apply: func(ctx context.Context, _ apply.Options, _ apply.Progress) (
		*apply.Result, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	r := a.begin(t.Context(), n.want)
	t.Cleanup(func() { r.stop(nil) })
	a.event(r, event{apply.Event{Result: n.held(n.want.Profile)}, r.want})
	return a, r
}

// refuses has TuneD refuse what was given, for a moment, and the profile stay that is there.
func (a *Agent) refuses(r *run, given *Desired) {
	a.event(r, event{apply.Event{Problem: errors.Join(apply.ErrForNow)}, given})
	a.event(r, event{apply.Event{Result: &apply.Result{Profile: a.now.Profile, Applied: true, Verified: true}}, given})
}

// What was in the way of one profile is none of the next one's once the node has what is asked for: neither the pause
// after refusals for a moment, nor that after a look at who else tunes, which would let the next be told of too late.
func TestNothingStaysInTheWay(t *testing.T) {
	n := &node{want: asked("a", "1"), rival: "operator-0"}
	a, r := n.holding(t)
	a.refuses(r, r.want)
	for _, step := range []struct{ profile, version string }{{"b", "2"}, {"a", "1"}, {"c", "3"}} {
		n.want = asked(step.profile, step.version)
		a.follow(t.Context(), r)
		if a.state().Applied != (step.profile == "a") || step.profile == "a" && r.pause != 0 {
			t.Errorf("%s: pause %v, %+v", step.profile, r.pause, a.state())
		}
	}
}

// What is refused when something else was given by then is not told of that, and has nothing given once more.
func TestRefusedTooLate(t *testing.T) {
	n := &node{want: asked("a", "1")}
	a, r := n.holding(t)
	n.want = asked("b", "2")
	a.follow(t.Context(), r)
	<-r.reload
	b := <-r.texts
	n.want = asked("c", "3")
	a.follow(t.Context(), r)
	a.refuses(r, b)
	if s := a.state(); s.Problem != "" || s.Profile != "a" {
		t.Errorf("%+v", s)
	}
	<-r.reload
	c := <-r.texts
	time.Sleep(5 * time.Millisecond) // longer than the pause after a refusal
	if a.follow(t.Context(), r); len(r.texts) > 0 || c != r.want {
		t.Errorf("given: %+v, and once more %d", c, len(r.texts))
	}
	a.refuses(r, c)
	if s := a.state(); s.Problem == "" || s.Profile != "a" {
		t.Errorf("%+v", s)
	}
}
