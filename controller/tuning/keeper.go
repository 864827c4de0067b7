package tuning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/release"
)

// Why nothing is written though something differs.
const (
	NotLeading = "NotLeading"
	TwoKeepers = "TwoKeepers"
	ClockSkew  = "ClockSkew"
	DryRun     = "DryRun"
)

// What is told of Profiles.
const (
	ProfileCreated  = "ProfileCreated"
	ProfileUpdated  = "ProfileUpdated"
	ProfileDeleted  = "ProfileDeleted"
	ProfileWithheld = "ProfileWithheld"
)

// Keeper keeps the Profile objects as the Tuned CRs ask for.
type Keeper struct {
	API     API
	Release release.Release
	// Act says that objects are written; without it the keeper tells what it would do.
	Act bool

	mu   sync.Mutex
	told map[telling]bool // what the last pass said
}

// telling is what was said of an object.
type telling struct {
	kind               Kind
	name, reason, note string
}

// Outcome of a pass.
type Outcome struct {
	// Done are the changes that were made, in their order.
	Done []Change
	// Held and Reason say why what differs was left alone.
	Held, Reason string
	// Blocked are the reasons in the cluster for which no Profile is changed.
	Blocked []string
	// BackOff asks for another pass after a pause that grows.
	BackOff bool
}

// Reconcile looks at the cluster once. What was watched says whether there is anything to do; what is done is decided
// by what the server says now.
func (k *Keeper) Reconcile(ctx context.Context) (Outcome, error) {
	w, err := k.API.Cached(ctx)
	if err != nil {
		return Outcome{}, err // what could not be listed changes nothing
	}
	p := newPlan(w, k.Release)
	if len(p.changes) == 0 {
		return k.settle(&p, Outcome{}), nil
	}
	if w, err = k.API.Live(ctx); err != nil {
		return Outcome{}, err
	}
	p = newPlan(w, k.Release)
	out := Outcome{}
	if len(p.changes) > 0 {
		out.Reason, out.Held = hold(&w)
		if out.Reason == "" && !k.Act {
			out.Reason, out.Held = DryRun, "a dry run changes nothing"
		}
		if out.Reason == "" {
			err = k.write(ctx, &p, &out)
		}
	}
	return k.settle(&p, out), err
}

// hold says why nothing may be written in such a world; empty where it may.
func hold(w *World) (reason, why string) {
	switch {
	case w.Skew.Abs() > cluster.MostSkew:
		return ClockSkew, fmt.Sprintf("this machine's clock is %s from the API server's, by which leases are", w.Skew)
	case !w.Leads:
		return NotLeading, "another process holds the lease of the leader"
	case w.Other != "":
		return TwoKeepers, "the Node Tuning Operator is alive (" + w.Other + ")"
	}
	return "", ""
}

// write does what the plan says. An object that is no longer what was read is left for the next pass.
func (k *Keeper) write(ctx context.Context, p *plan, out *Outcome) error {
	var refused []error
	for _, c := range p.changes {
		switch err := k.API.Write(ctx, c); {
		case errors.Is(err, cluster.ErrChanged):
			out.BackOff = true
		case errors.Is(err, cluster.ErrRefused): // which holds up no other object
			refused = append(refused, fmt.Errorf("%s %s %s: %w", c.Do, c.Kind, c.Ref.Name, err))
		case err != nil:
			return fmt.Errorf("%s %s %s: %w", c.Do, c.Kind, c.Ref.Name, err)
		default:
			out.Done = append(out.Done, c)
		}
	}
	return errors.Join(refused...)
}

// settle makes events of what the pass before did not say.
func (k *Keeper) settle(p *plan, out Outcome) Outcome {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := map[telling]bool{}
	tell := func(kind Kind, ref Ref, warning bool, reason, note string) {
		t := telling{kind, ref.Name, reason, note}
		if !now[t] && !k.told[t] {
			k.API.Event(kind, ref, warning, reason, note)
		}
		now[t] = true
	}
	for _, b := range p.blocks {
		tell(b.kind, b.ref, true, b.reason, b.note+"; no Profile is changed")
		out.Blocked = append(out.Blocked, string(b.kind)+" "+b.ref.Name+": "+b.note)
	}
	for _, c := range p.changes {
		if c.Kind == KindProfile && out.Held != "" {
			tell(c.Kind, c.Ref, true, ProfileWithheld, c.Note+"; it is left alone: "+out.Held)
		}
	}
	k.told = now
	reasons := map[Do]string{Create: ProfileCreated, Update: ProfileUpdated, Delete: ProfileDeleted}
	for _, c := range out.Done {
		if c.Kind == KindProfile {
			k.API.Event(c.Kind, c.Ref, false, reasons[c.Do], c.Note)
		}
	}
	out.BackOff = out.BackOff || out.Held != "" && out.Reason != DryRun
	slices.Sort(out.Blocked)
	return out
}
