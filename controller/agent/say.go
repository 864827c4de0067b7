package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll.dev/engine/apply"
)

// event of a run. After a problem the profile that stays is told again, and only after that others.
func (a *Agent) event(r *run, e event) {
	switch {
	case e.Problem != nil:
		if a.stays = true; e.of != r.want { // something else was given since
			return
		}
		a.refused = "what is asked for now was refused, and the profile before it stays: " + e.Problem.Error()
		if errors.Is(e.Problem, apply.ErrForNow) {
			r.later(a.Every)
		}
	case e.Result != nil:
		if a.now = reportOf(e.Result); !a.stays {
			a.refused, r.pause, a.last = "", 0, *e.of
		}
		a.stays, a.kept, r.heard = false, nil, e.of
	}
}

// reportOf what is held.
func reportOf(r *apply.Result) Report {
	out := Report{Profile: r.Profile, Applied: r.Applied && r.Verified, Problem: problem(r)}
	var unknown []string
	for _, v := range r.Values {
		if v.State == apply.Unknown {
			unknown = append(unknown, v.Section+" "+v.Option)
		}
	}
	switch n := len(unknown); {
	case n == 1:
		out.Note = "what became of a value is not known: " + unknown[0]
	case n > 1:
		out.Note = fmt.Sprintf("what became of %d values is not known, such as %s", n, unknown[0])
	}
	return out
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
	if stuck := r.Recovered.Refused(); stuck != "" {
		return "of an earlier profile " + stuck
	}
	return ""
}

// ended says how a run ended; false where that was not meant.
func (a *Agent) ended(ctx context.Context, r *run) bool {
	meant := errors.Is(r.err, context.Canceled) || errors.Is(r.err, apply.ErrKeep)
	if r.err == nil && r.result != nil && r.result.Kept {
		a.log("the node keeps profile " + r.result.Profile)
		return true
	}
	said := Report{}
	none := errors.Is(r.err, apply.ErrOptions) // it can't be had
	if r.result != nil || none {
		a.kept = nil
	} else if a.kept != nil {
		said.Profile = a.now.Profile
	}
	switch {
	case r.err != nil && !meant:
		said.Problem = r.err.Error()
	case r.result != nil && r.result.Refusal != "" && !r.result.Interrupted:
		said.Problem, none = problem(r.result), true
	case r.result != nil && r.result.Died:
		said.Problem = "TuneD ended by itself (" + r.result.End + "); the node was put back"
	case r.result != nil && !r.result.Restored:
		said.Problem = "not every value could be put back"
	}
	if none || r.result != nil && !r.result.Died {
		a.last = Desired{} // for which nothing waits
	}
	if r.result != nil && r.result.NotKept != "" {
		a.log("the node does not keep its profile: " + r.result.NotKept)
	}
	if r.result != nil && r.result.Refused() != "" {
		said.Problem = "after the profile " + r.result.Refused()
	}
	a.now, a.refused, a.stays = said, "", false
	a.clean = r.result != nil && r.result.Restored
	a.report(context.WithoutCancel(ctx))
	return said.Problem == "" || meant
}

// state is what is to be reported: what the node has, and whether what is asked for now is that.
func (a *Agent) state() Report {
	r := a.now
	switch {
	case a.unread+a.blocked+a.refused != "":
		r.Applied, r.Problem, r.Note = false, joined(cmp.Or(a.unread, a.blocked, a.refused), r.Problem), ""
	case a.waits:
		r.Applied, r.Deferred, r.Note = false, true, ""
		waits := "what is asked for now waits for the next start of the node"
		if !a.Keep {
			waits += ", or of the agent"
		}
		r.Problem = joined(waits, r.Problem)
	}
	return r
}

// joined are two problems.
func joined(one, other string) string {
	if other == "" {
		return one
	}
	return one + "; " + other
}

// report tells the cluster what was not told yet; what fails is told again the next time.
func (a *Agent) report(ctx context.Context) {
	if r := a.state(); r != a.said {
		a.said, a.told = r, false
		if r == (Report{}) {
			a.log("the node has no profile")
		} else {
			a.log(fmt.Sprintf("profile %q, applied %v %s%s", r.Profile, r.Applied, r.Problem, r.Note))
		}
	}
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
