package agent

import (
	"context"
	"time"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/tune/tuned"
)

// run is a profile that is being applied, or held.
type run struct {
	events chan event
	reload chan string
	// texts go with the name that a reload has: it looks at them later than at that.
	texts chan *Desired
	// want is what was given last.
	want *Desired
	// heard is what the last result came after: not want while that is being applied.
	heard *Desired
	done  chan struct{}
	// result and err are set when done is closed.
	result *apply.Result
	err    error
	stop   context.CancelCauseFunc
	// next is not before when who else tunes the nodes is asked again.
	next time.Time
	// again is when what was refused for a moment is asked for again, after a pause that grows; zero where nothing was.
	again time.Time
	pause time.Duration
}

// event is what a run tells, and what was given to it last by then.
type event struct {
	apply.Event
	of *Desired
}

// later has what was refused for a moment be asked for again.
func (r *run) later(least time.Duration) {
	r.pause = min(max(2*r.pause, least), slowest)
	r.again = time.Now().Add(r.pause)
}

// due says whether it is time for that.
func (r *run) due() bool { return !r.again.IsZero() && time.Now().After(r.again) }

// begin applies what is wanted.
func (a *Agent) begin(ctx context.Context, want Desired) *run {
	inner, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	r := &run{events: make(chan event, 64), reload: make(chan string, 1), texts: make(chan *Desired, 1), want: &want,
		done: make(chan struct{}), stop: stop}
	given := &want
	opt := a.Options
	opt.Profile, opt.Profiles, opt.Reload = want.Profile, want.Profiles, r.reload
	opt.SysctlsWin, opt.TakeOver = want.SysctlsWin, a.Keep
	opt.Refresh = func() ([]tuned.Profile, error) {
		given = <-r.texts
		return given.Profiles, nil
	}
	opt.Memo = func() string { return memoOf(given) }
	go func() {
		defer close(r.done)
		r.result, r.err = a.Apply(inner, opt, func(e apply.Event) {
			if e.Result != nil || e.Problem != nil {
				r.events <- event{e, given}
			}
		})
	}()
	return r
}

// hold has the node in a profile until nobody asks for one, or the agent ends; false where it could not be applied.
func (a *Agent) hold(ctx context.Context, want Desired) (kept bool) {
	r := a.begin(ctx, want)
	a.refused = ""
	defer r.stop(nil)
	defer context.AfterFunc(ctx, func() { r.stop(a.end()) })()
	tick := time.NewTicker(a.Every)
	defer tick.Stop()
	for {
		select {
		case e := <-r.events:
			a.event(r, e)
		case <-r.done:
			for len(r.events) > 0 {
				a.event(r, <-r.events)
			}
			return a.ended(ctx, r)
		case <-tick.C:
			a.follow(ctx, r)
		}
		a.report(ctx)
	}
}

// end is the cause of a run's end with the agent.
func (a *Agent) end() error {
	if a.Keep {
		return apply.ErrKeep
	}
	return context.Canceled
}

// patience is how long it is not asked again who else tunes the nodes.
const patience = 30 * time.Second

// follow has a run do what is asked for now. While nobody can say, it goes on.
func (a *Agent) follow(ctx context.Context, r *run) {
	now, ok := a.desired(ctx)
	switch {
	case !ok || ctx.Err() != nil:
		return
	case now.Found && now.Version == a.last.Version: // it is there; or stays, where what is still being applied is refused
		if a.blocked, r.next = "", (time.Time{}); r.heard == r.want {
			r.want, r.heard, r.again, r.pause, a.refused = &now, &now, time.Time{}, 0, ""
		}
		return
	case now.Found && now.Version == r.want.Version && !r.due():
		a.blocked, r.next = "", time.Time{}
		return
	case now.Found && time.Now().Before(r.next):
		return
	case !now.Found:
		a.log("the Profile is gone: the node is put back")
		r.stop(nil)
		return
	}
	if !a.free(ctx) {
		r.next = time.Now().Add(patience)
		return
	}
	if now.SysctlsWin != r.want.SysctlsWin { // TuneD reads it at its start alone
		a.log("whose sysctls win is asked for otherwise: the profile is applied anew")
		r.stop(nil)
		return
	}
	select {
	case r.texts <- &now:
		r.reload <- now.Profile // it has room: a reload takes the name before the texts
		if r.again = (time.Time{}); now.Version != r.want.Version {
			a.log("another profile, or another text of it, is asked for: " + now.Profile)
			a.refused = ""
		}
		r.want = &now
	default: // the one before is still being applied
	}
}
