package agent

import (
	"context"
	"errors"
	"time"

	"plimsoll.dev/engine/apply"
	"plimsoll.dev/tune/tuned"
)

// Desired is what the cluster asks of the node.
type Desired struct {
	// Found says that there is a Profile for the node.
	Found bool
	// UID is the object's: one that was made anew has no status yet.
	UID string
	// Profile is its name, and Profiles the texts of all that there are.
	Profile  string
	Profiles []tuned.Profile
	// SysctlsWin is [apply.Options.SysctlsWin].
	SysctlsWin bool
	// Deferred says what waits for the next start.
	Deferred Deferral
	// Version is another one whenever the name is, or the text of a profile that it may come to.
	Version string
}

// Deferral says what of a change waits for the next start of the node, or of an agent that has its node keep nothing:
// the values of the annotation tuned.openshift.io/deferred.
type Deferral string

// What waits: all, or another text of the same profile.
const (
	Always Deferral = "always"
	Update Deferral = "update"
)

// Report is what the node says of itself.
type Report struct {
	// Profile that the node has; empty where it has none.
	Profile string
	// Applied says that TuneD proved it and every value that can be compared is what it asks for; Problem, why not, or
	// what was refused. Deferred is set where it waits for the next start.
	Applied  bool
	Deferred bool
	Problem  string
	// Note is what else is to be said of a profile that is applied.
	Note string
}

// Unreadable is the error of an object that says nothing that can be read.
type Unreadable struct{ error }

// API is the cluster as the agent needs it.
type API interface {
	// Desired is what is asked for; its error is Unreadable where that is no fault of the API server.
	Desired(ctx context.Context) (Desired, error)
	// Rival is who else tunes the nodes of the cluster; empty where nobody does.
	Rival(ctx context.Context) (string, error)
	Report(ctx context.Context, r Report) error
	// Version is the Desired.Version of a profile and its texts.
	Version(d *Desired) string
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
	// Keep has the node keep its profile when the agent ends; its next start takes over.
	Keep bool
	// Log takes what happens; it may be nil.
	Log func(text string)

	clean   bool     // nothing of a run before is left
	last    Desired  // what TuneD proved last; not found where the node was put back since, or refused
	waits   bool     // what is asked for by now, for the next start
	kept    *Desired // what the node had at the end of the agent before, until it is applied anew
	now     Report   // of the run, or of what went wrong before there was one
	unread  string   // why nobody can say what is asked for
	blocked string   // who else tunes, where that keeps the node from what is asked for
	refused string   // why what is asked for now is not what is there
	stays   bool     // the next result is of the profile that was there before
	said    Report
	told    bool   // that said was reported
	uid     string // of the Profile that was asked for last
}

// slowest is the longest pause after profiles that could not be applied.
const slowest = 5 * time.Minute

// Run looks after the node until the context ends; then the node is what it was, or keeps what it has.
func (a *Agent) Run(ctx context.Context) error {
	a.restore(ctx, a.Keep)
	pause := a.Every
	for ctx.Err() == nil {
		want, ok := a.desired(ctx)
		switch {
		case !ok && a.kept == nil:
			a.wait(ctx, a.Every)
			continue
		case !ok: // who else tunes need not be known for it, either
			want = *a.kept
		case !want.Found:
			a.blocked, a.kept, a.last = "", nil, Desired{}
			a.restore(ctx, false)
			a.report(ctx)
			a.wait(ctx, a.Every)
			continue
		}
		began := time.Now()
		if (a.free(ctx) || !ok && a.blocked == "") && a.hold(ctx, a.first(want)) {
			pause = a.Every
			continue
		}
		if time.Since(began) > slowest {
			pause = a.Every
		}
		if a.rest(ctx, want, pause) {
			pause = a.Every
		} else {
			pause = min(2*pause, slowest)
		}
	}
	return nil
}

// rest waits after a failure; less, and true, where something else than what failed is asked for.
func (a *Agent) rest(ctx context.Context, failed Desired, pause time.Duration) (other bool) {
	for end := time.Now().Add(pause); ctx.Err() == nil && time.Now().Before(end); {
		a.wait(ctx, min(a.Every, time.Until(end)))
		want, ok := a.desired(ctx)
		if ok && (want.Found != failed.Found || want.Version != failed.Version) {
			return true
		}
		a.report(ctx)
	}
	return false
}

// restore puts back what an agent left that was killed: by now nobody may ask for a profile, or be there to say so.
// What one had its node keep is left for who takes over, or put back, too. What waited then waits still.
func (a *Agent) restore(ctx context.Context, leave bool) {
	opt := a.Options
	opt.TakeOver = leave
	for pause := a.Every; ctx.Err() == nil && !a.clean; pause = min(2*pause, slowest) {
		r, err := a.Restore(ctx, opt, nil)
		if err != nil {
			a.now = Report{Problem: err.Error()}
			a.report(ctx)
			a.wait(ctx, pause)
			continue
		}
		if r.Found {
			a.log(r.Text())
		}
		a.now = Report{Problem: r.Refused()}
		if last, ok := remember(r.Memo); ok {
			last.Version = a.API.Version(&last) // that of the program that noted it may be another
			a.last, a.uid, a.kept = last, last.UID, &last
			if !r.Found { // what was told of it stands until there is more to say
				a.now = Report{Profile: last.Profile}
				a.said, a.told = a.now, true
			}
		}
		a.clean = !leave
		return
	}
}

// desired is what is asked for and does not wait; false where nobody can say.
func (a *Agent) desired(ctx context.Context) (Desired, bool) {
	want, err := a.API.Desired(ctx)
	if errors.As(err, new(Unreadable)) {
		a.unread = "what is asked for can't be read: " + err.Error()
		a.report(ctx)
		return want, false
	}
	if err != nil {
		a.log("what the node should have is not known: " + err.Error())
		return want, false
	}
	a.unread = ""
	if want.UID != a.uid {
		a.uid, a.told = want.UID, false
	}
	a.waits = a.last.Found && want.Found && want.Version != a.last.Version &&
		(want.Deferred == Always || want.Deferred == Update && want.Profile == a.last.Profile)
	if a.waits {
		return a.last, true
	}
	return want, true
}

// first is what to begin with: what the node had, so that it stays where TuneD refuses what is asked for by now.
func (a *Agent) first(want Desired) Desired {
	if a.kept != nil {
		return *a.kept
	}
	return want
}

// free says whether nobody else tunes the node's cluster.
func (a *Agent) free(ctx context.Context) bool {
	rival, err := a.API.Rival(ctx)
	if err != nil {
		a.log("who else tunes the nodes is not known: " + err.Error())
		return false
	}
	if a.blocked = ""; rival != "" {
		a.blocked = "nothing is changed: the Node Tuning Operator is alive (" + rival + ")"
		a.report(ctx)
	}
	return rival == ""
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
