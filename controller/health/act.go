package health

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/tune/health"
)

// actsFor bounds the time between the reading of a world and the last act on it: who leads, how many are ill, and what
// the check says may be otherwise by then, as after a process was stopped for a while.
const actsFor = 5 * time.Second

// errOld says that what was read is too old to act on.
var errOld = errors.New("the API server takes so long that what was read is too old")

// remedy does what the pass decided, in its order, until a time. A machine that is no longer what was read is left for
// the next pass.
func (k *Keeper) remedy(ctx context.Context, v *view, until time.Time, out *Outcome) error {
	// A context with a deadline has the client refuse what it must wait for, though there would be time.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer time.AfterFunc(time.Until(until), cancel).Stop()
	err := k.remediate(ctx, v, until, out)
	late := time.Now().After(until)
	if err != nil && out.Reason == "" && (!late || len(out.Done) == 0) {
		out.Reason, out.Held = Failed, err.Error()
	}
	if err != nil && late {
		out.AtOnce, err = true, nil
	}
	return err
}

// inTurn puts machines whose acts have failed behind all others, the last one at the end: each has its turn, however
// long the answers about others take.
func (m *memory) inTurn(v *view) {
	failed := map[string]time.Time{}
	at := func(r health.Remedy) time.Time { return m.failed[v.machines[r.Target].Name] }
	for _, r := range v.todo {
		if when := at(r); !when.IsZero() {
			failed[v.machines[r.Target].Name] = when
		}
	}
	slices.SortStableFunc(v.todo, func(a, b health.Remedy) int { return at(a).Compare(at(b)) })
	m.failed = failed
}

func (k *Keeper) remediate(ctx context.Context, v *view, until time.Time, out *Outcome) error {
	failed := k.remembered(v.ref).failed
	barred := false // all but what only takes back
	for _, r := range v.todo {
		if r.Act != withdraw && !barred && !k.allowed(ctx, v) {
			out.AtOnce, barred = true, true
		}
		if r.Act != withdraw && barred {
			continue
		}
		m := v.machines[r.Target]
		switch err := k.do(ctx, v, r, until); {
		case err == nil:
			out.Done = append(out.Done, m.Name)
			if r.Act == health.Delete {
				out.Deleted++
			}
		case errors.Is(err, errOld):
			return err
		case errors.Is(err, errTemplate): // which all machines have
			out.Reason, out.Held, barred = Template, err.Error(), true
		case errors.Is(err, cluster.ErrChanged):
			out.BackOff = true
		case errors.Is(err, cluster.ErrRefused): // which holds up no other machine
			failed[m.Name] = time.Now()
			out.refuse(m.Name, err)
		default: // and nothing further: the server is away, and what fails once may have been done
			failed[m.Name] = time.Now()
			return fmt.Errorf("%s: %w", m.Name, err)
		}
	}
	return nil
}

// allowed says whether what is watched still allows remediations: many may fall ill while others are deleted. It is
// asked four times a second at most.
func (k *Keeper) allowed(ctx context.Context, v *view) bool {
	if time.Since(v.looked) < lookEach {
		return true
	}
	v.looked = time.Now()
	now, err := k.API.Cached(ctx, v.ref)
	return err == nil && now.Check != nil && k.view(&now).pass.Allowed
}

const lookEach = 250 * time.Millisecond

// do one remedy, if it is still due and there is still time.
func (k *Keeper) do(ctx context.Context, v *view, r health.Remedy, until time.Time) error {
	m := v.machines[r.Target].Ref
	var err error
	if r.Act != withdraw {
		err = k.still(ctx, v, r.Target)
	}
	if time.Now().After(until) { // also where the answer took long, or this process was stopped
		return errOld
	}
	if err != nil {
		return err
	}
	switch r.Act {
	case health.Delete:
		return k.API.Delete(ctx, m)
	case health.Request:
		return k.API.Request(ctx, v.check, m)
	case withdraw:
		return k.API.Withdraw(ctx, v.check, v.requests[m.Name])
	}
	return k.API.Annotate(ctx, m, health.Mark(k.Release))
}

// still asks whether a target is due by what its node says at this moment; the machine's version goes with the act.
func (k *Keeper) still(ctx context.Context, v *view, i int) error {
	t := v.targets[i]
	if t.Machine.NodeName == "" {
		return nil
	}
	var err error
	if t.Node, err = k.API.Node(ctx, t.Machine.NodeName); err != nil {
		return err
	}
	if v.policy.Reconcile([]health.Target{t}, v.now).Verdicts[0].State != health.Due {
		return cluster.ErrChanged
	}
	return nil
}
