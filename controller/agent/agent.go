package agent

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/tune/tuned"
)

// Desired is what the cluster asks of the node.
type Desired struct {
	// Found says that there is a Profile for the node.
	Found bool
	// Profile is its name, and Profiles those of the Tuned objects.
	Profile  string
	Profiles []tuned.Profile
	// Version is another one whenever any of it is.
	Version string
}

// Report is what the node says of itself.
type Report struct {
	// Profile that the node has; empty where it has none.
	Profile string
	// Applied says that TuneD proved it and every value is what it asks for; Problem, why not, or what was refused.
	Applied bool
	Problem string
}

// API is the cluster as the agent needs it.
type API interface {
	Desired(ctx context.Context) (Desired, error)
	Report(ctx context.Context, r Report) error
}

// Applier is [apply.Apply].
type Applier func(context.Context, apply.Options, apply.Progress) (*apply.Result, error)

// Restorer is [apply.Restore].
type Restorer func(context.Context, apply.Options, apply.Progress) (*apply.Recovered, error)

// Agent looks after a node.
type Agent struct {
	API     API
	Apply   Applier
	Restore Restorer
	// Options name the node; what to apply is the cluster's word.
	Options apply.Options
	// Every is how often the agent looks what is asked for, and tries again what failed; from 1 s to 5 min of failures.
	Every time.Duration
	// Log takes what happens; it may be nil.
	Log func(text string)

	said Report
	told bool // that said was reported
}

// slowest is the longest pause after profiles that could not be applied.
const slowest = 5 * time.Minute

// Run looks after the node until the context ends; then the node is what it was.
func (a *Agent) Run(ctx context.Context) error {
	a.restore(ctx)
	pause := a.Every
	for ctx.Err() == nil {
		want, ok := a.desired(ctx)
		if !ok || !want.Found {
			a.wait(ctx, a.Every)
			continue
		}
		began := time.Now()
		if a.hold(ctx, want) {
			pause = a.Every
			continue
		}
		if time.Since(began) > slowest {
			pause = a.Every
		}
		a.wait(ctx, pause)
		pause = min(2*pause, slowest)
	}
	return nil
}

// restore puts back what an agent left that was killed: by now nobody may ask for a profile, or be there to say so.
func (a *Agent) restore(ctx context.Context) {
	for pause := a.Every; ctx.Err() == nil; pause = min(2*pause, slowest) {
		r, err := a.Restore(ctx, a.Options, nil)
		if err == nil {
			if r.Found {
				a.log(r.Text())
			}
			return
		}
		a.say(Report{Problem: err.Error()})
		a.report(ctx)
		a.wait(ctx, pause)
	}
}

// desired is what is asked for; false where nobody can say.
func (a *Agent) desired(ctx context.Context) (Desired, bool) {
	want, err := a.API.Desired(ctx)
	if err != nil {
		a.log("what the node should have is not known: " + err.Error())
	}
	return want, err == nil
}

func (a *Agent) wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (a *Agent) log(text string) {
	if a.Log != nil {
		a.Log(text)
	}
}

// run is a profile that is being applied, or held.
type run struct {
	events chan apply.Event
	reload chan string
	// want is what was asked for last, and profiles what is given at a reload.
	want     Desired
	profiles atomic.Pointer[[]tuned.Profile]
	done     chan struct{}
	// result and err are set when done is closed.
	result *apply.Result
	err    error
	stop   context.CancelFunc
}

// begin applies what is wanted.
func (a *Agent) begin(ctx context.Context, want Desired) *run {
	ctx, stop := context.WithCancel(ctx)
	r := &run{events: make(chan apply.Event, 64), reload: make(chan string, 1), want: want, done: make(chan struct{}),
		stop: stop}
	r.profiles.Store(&want.Profiles)
	opt := a.Options
	opt.Profile, opt.Profiles, opt.Reload = want.Profile, want.Profiles, r.reload
	opt.Refresh = func() ([]tuned.Profile, error) { return *r.profiles.Load(), nil }
	go func() {
		defer close(r.done)
		r.result, r.err = a.Apply(ctx, opt, func(e apply.Event) {
			if e.Result != nil || e.Problem != nil {
				r.events <- e
			}
		})
	}()
	return r
}

// hold has the node in a profile until nobody asks for one, or the agent ends; false where it could not be applied.
func (a *Agent) hold(ctx context.Context, want Desired) (kept bool) {
	r := a.begin(ctx, want)
	defer r.stop()
	tick := time.NewTicker(a.Every)
	defer tick.Stop()
	for {
		select {
		case e := <-r.events:
			a.event(ctx, e)
		case <-r.done:
			for len(r.events) > 0 {
				a.event(ctx, <-r.events)
			}
			return a.ended(ctx, r)
		case <-tick.C:
			a.follow(ctx, r)
		}
		a.report(ctx)
	}
}

// follow has a run do what is asked for now. While nobody can say, it goes on.
func (a *Agent) follow(ctx context.Context, r *run) {
	now, ok := a.desired(ctx)
	switch {
	case !ok || ctx.Err() != nil || now.Found && now.Version == r.want.Version:
	case !now.Found:
		a.log("the Profile is gone: the node is put back")
		r.stop()
	default:
		r.profiles.Store(&now.Profiles)
		select {
		case r.reload <- now.Profile:
			a.log("another profile, or another text of it, is asked for: " + now.Profile)
			r.want = now
		default: // the one before is still being applied
		}
	}
}

// event of a run.
func (a *Agent) event(ctx context.Context, e apply.Event) {
	switch {
	case e.Problem != nil:
		a.say(Report{Profile: a.said.Profile, Problem: "what is asked for now was refused, and the profile before it " +
			"stays: " + e.Problem.Error()})
	case e.Result != nil:
		a.say(Report{Profile: e.Result.Profile, Applied: e.Result.Applied && e.Result.Verified, Problem: problem(e.Result)})
	}
}

// problem of a result; empty where all is what the profile asks for.
func problem(r *apply.Result) string {
	if r.Refusal != "" {
		return "TuneD did not apply it: " + r.Refusal
	}
	var wrong []string
	for _, v := range r.Values {
		if v.State == apply.Missing || v.State == apply.Differs {
			wrong = append(wrong, v.Option)
		}
	}
	switch n := len(wrong); {
	case n == 1:
		return "a value is not what the profile asks for: " + wrong[0]
	case n > 1:
		return fmt.Sprintf("%d values are not what the profile asks for, such as %s", n, wrong[0])
	case !r.Applied:
		return "TuneD did not say that it applied it"
	}
	return ""
}

// ended says how a run ended; false where that was not meant.
func (a *Agent) ended(ctx context.Context, r *run) bool {
	said := Report{}
	switch {
	case r.err != nil:
		said.Problem = r.err.Error()
	case r.result != nil && r.result.Refusal != "":
		said.Problem = problem(r.result)
	case r.result != nil && r.result.Died:
		said.Problem = "TuneD ended by itself (" + r.result.End + "); the node was put back"
	case r.result != nil && !r.result.Restored:
		said.Problem = "not every value could be put back"
	}
	a.say(said)
	a.report(context.WithoutCancel(ctx))
	return said.Problem == "" || errors.Is(r.err, context.Canceled)
}

// say keeps what is to be reported.
func (a *Agent) say(r Report) {
	if r != a.said {
		a.said, a.told = r, false
		a.log(fmt.Sprintf("profile %q, applied %v %s", r.Profile, r.Applied, r.Problem))
	}
}

// report tells the cluster what was not told yet; what fails is told again the next time.
func (a *Agent) report(ctx context.Context) {
	if a.told {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := a.API.Report(ctx, a.said); err != nil {
		a.log("the cluster was not told: " + err.Error())
		return
	}
	a.told = true
}
