package health

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/health"
)

// Keeper remediates the machines of checks.
type Keeper struct {
	API     API
	Release release.Release
	// Act says that machines are deleted and annotated; without it the keeper tells what it would do.
	Act bool
	// Storm is the share of all nodes that may become Unknown within a minute and be remediated.
	Storm float64
	// Resync is how often all is read anew though what is watched asks for nothing: a watch may stand still. 0 is
	// never.
	Resync time.Duration

	// policy of a check; tests put their own.
	policy func(*openshift.MachineHealthCheck) *health.Policy
	// actsFor is how long a reading of the world is acted on; 0 is [actsFor].
	actsFor time.Duration
	mu      sync.Mutex
	known   map[Ref]*memory // by the names of checks
}

// memory is what is remembered of a check. No two passes over one run at a time.
type memory struct {
	told   map[telling]bool     // what the last pass said
	read   time.Time            // when all was read last
	failed map[string]time.Time // when the last act on a machine failed, of those that are due
	// doubts says that what was watched was not what the server said, or that the last pass left something to do.
	doubts bool
}

// telling is what was said of a machine, or of the check where it has no name.
type telling struct {
	machine string
	name    health.EventName
	reason  string // why it was left alone
}

// Outcome of a pass.
type Outcome struct {
	Pass *health.Pass
	// Done are the machines that something was done about, in the order of the acts.
	Done []string
	// Deleted is how many of them were deleted.
	Deleted int
	// Refused are the API server's reasons against single machines.
	Refused map[string]string
	// Held and Reason say why due machines were left alone.
	Held, Reason string
	// After is when to look again; 0 is when something changes. BackOff asks for a pause that grows; AtOnce asks for
	// another pass without one, since the reading of this one is too old to go on.
	After           time.Duration
	BackOff, AtOnce bool
}

// Reconcile looks at a check once. What was watched says whether there is anything to do; what is done is decided by
// what the server says now.
func (k *Keeper) Reconcile(ctx context.Context, check Ref) (Outcome, error) {
	cached, err := k.API.Cached(ctx, check)
	if err != nil {
		return Outcome{}, err
	}
	if cached.Check == nil {
		k.forget(check) // one of that name that comes later is another one
		return Outcome{}, nil
	}
	v, known := k.view(&cached), k.remembered(check)
	if !v.acts() && !known.doubts && !k.old(known) {
		return k.settle(ctx, check, v, Outcome{})
	}
	live, err := k.API.Live(ctx, check)
	if err != nil || live.Check == nil {
		return Outcome{}, err // which is not acted on, and tried again
	}
	watched := v.pass
	v, known.read = k.view(&live), time.Now()
	v.ref, v.looked = check, known.read
	known.doubts = !alike(watched, v.pass)
	if !v.acts() {
		return k.settle(ctx, check, v, Outcome{})
	}
	out := Outcome{}
	if out.Reason, out.Held = hold(&live, k.Storm); out.Reason == "" && !k.Act {
		out.Reason, out.Held = DryRun, "a dry run changes nothing"
	}
	if out.Reason == "" {
		known.inTurn(v)
		err = k.remedy(ctx, v, known.read.Add(cmp.Or(k.actsFor, actsFor)), &out)
	}
	known.doubts = known.doubts || err != nil || out.Held != "" || out.BackOff || out.AtOnce
	settled, failed := k.settle(ctx, check, v, out)
	return settled, errors.Join(err, failed)
}

// alike says whether two passes come to the same, but for the times.
func alike(a, b *health.Pass) bool {
	return a.Expected == b.Expected && a.Healthy == b.Healthy && a.Max == b.Max && a.Allowed == b.Allowed &&
		a.Paused == b.Paused && (a.Err == nil) == (b.Err == nil) && slices.Equal(a.Remedies, b.Remedies)
}

// remembered of a check, by its name alone.
func (k *Keeper) remembered(check Ref) *memory {
	k.mu.Lock()
	defer k.mu.Unlock()
	of := Ref{Namespace: check.Namespace, Name: check.Name}
	if k.known[of] == nil {
		if k.known == nil {
			k.known = map[Ref]*memory{}
		}
		k.known[of] = &memory{}
	}
	return k.known[of]
}

func (k *Keeper) forget(check Ref) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.known, Ref{Namespace: check.Namespace, Name: check.Name})
}

// old says whether it is time to read all anew.
func (k *Keeper) old(m *memory) bool { return k.Resync > 0 && time.Since(m.read) >= k.Resync }

// refuse notes that the API server takes no act on a machine. It is the reason of the check where no other one is.
func (o *Outcome) refuse(machine string, err error) {
	if o.Refused == nil {
		o.Refused, o.Reason = map[string]string{}, cmp.Or(o.Reason, Refused)
	}
	o.Refused[machine] = err.Error()
	o.BackOff = true
}

// view is a world with what the operator's rules say of it.
type view struct {
	policy   *health.Policy
	machines []Machine
	targets  []health.Target
	now      time.Time
	pass     *health.Pass
	// todo is what changes something: the requests to withdraw, of machines that are healthy again, then the remedies.
	todo     []health.Remedy
	requests map[string]Ref
	// blind says that it is not known which requests there are.
	blind bool
	check *openshift.MachineHealthCheck
	ref   Ref
	// looked is when what is watched was looked at last.
	looked time.Time
}

func (k *Keeper) view(w *World) *view {
	v := &view{now: w.Now, check: w.Check, requests: w.Requests}
	if k.policy != nil {
		v.policy = k.policy(w.Check)
	} else {
		v.policy = health.NewPolicy(w.Check, k.Release)
	}
	if !v.policy.HasTemplate() { // also where the check has one that the release does not know
		v.requests, w.TemplateErr = nil, nil
	}
	for _, m := range w.Machines {
		if v.policy.Selects(m.Labels) {
			v.machines = append(v.machines, m)
		}
	}
	for i := range v.machines {
		m := &v.machines[i].Machine
		v.targets = append(v.targets, health.Target{Machine: m, Node: w.Nodes[m.NodeName]})
	}
	v.pass = v.policy.Reconcile(v.targets, w.Now)
	v.blind = w.TemplateErr != nil && !v.pass.Paused && v.pass.Err == nil
	for i, verdict := range v.pass.Verdicts {
		if _, requested := v.requests[v.machines[i].Name]; requested && verdict.State == health.Healthy {
			v.todo = append(v.todo, health.Remedy{Target: i, Act: withdraw})
		}
	}
	for _, r := range v.pass.Remedies {
		_, requested := v.requests[v.machines[r.Target].Name]
		if changes(r.Act) && !(r.Act == health.Request && requested) {
			v.todo = append(v.todo, r)
		}
	}
	return v
}

// acts says whether a pass changes something, or may have to.
func (v *view) acts() bool { return len(v.todo) > 0 || v.blind }

// withdraw is the act that takes back a request. The rules have none, since nothing is remedied by it.
const withdraw = health.Act(math.MaxUint8)

func changes(a health.Act) bool {
	return a == health.Delete || a == health.Annotate || a == health.Request
}

// settle tells what the pass found, and when to look again.
func (k *Keeper) settle(ctx context.Context, check Ref, v *view, out Outcome) (Outcome, error) {
	p := v.pass
	out.Pass, out.After, out.BackOff = p, p.Again.After, out.BackOff || p.Again.BackOff || out.Held != ""
	if k.Resync > 0 && (out.After == 0 || out.After > k.Resync) {
		out.After = k.Resync
	}
	if p.Again.AtOnce && p.Again.After == 0 {
		out.BackOff = true
	}
	k.tell(check, v, &out)
	if p.Paused || p.Err != nil {
		return out, nil
	}
	s := Status{Expected: p.Expected, Healthy: p.Healthy, Held: out.Held, Reason: out.Reason}
	for name, why := range out.Refused {
		if out.Held == "" {
			s.Held = max(s.Held, name+": "+why) // one of them, and always the same
		}
	}
	if p.MaxErr == nil && health.TellsAllowed(k.Release) {
		s.Allowed = &p.RemediationsAllowed
	}
	if !p.Allowed {
		s.Held, s.Reason = tooMany, "TooManyUnhealthy"
	}
	if !k.Act {
		return out, nil
	}
	err := k.API.Tell(ctx, check, s)
	if errors.Is(err, cluster.ErrChanged) {
		out.BackOff, err = true, nil
	}
	return out, err
}

// acts are the events that say that something was done.
var acts = []health.EventName{health.MachineDeleted, health.RemediationRequested, health.ExternalAnnotationAdded}

// tell makes events of what the pass before did not say.
func (k *Keeper) tell(check Ref, v *view, out *Outcome) {
	known := k.remembered(check)
	now := map[telling]bool{}
	say := func(name health.EventName, target int) {
		t := telling{name: name}
		note := map[health.EventName]string{health.RemediationRestricted: tooMany, Withheld: out.Held}[name] // of a check
		var machine *Ref
		if target >= 0 {
			m := v.machines[target]
			t.machine, machine = m.Name, &m.Ref
			note = v.policy.Why(v.targets[target], v.pass.Verdicts[target])
			left := "; it is left alone: "
			if name == Withheld {
				left = " any more, but its remediation is still requested: "
			}
			if name == Withheld || slices.Contains(acts, name) && !slices.Contains(out.Done, m.Name) {
				t.name = Withheld
				note += left + cmp.Or(out.Refused[m.Name], out.Held,
					"the pass ended before it, or it has changed; it is looked at again")
			}
		}
		if t.name == Withheld {
			t.reason = out.Reason
		}
		if now[t] = true; !known.told[t] {
			k.API.Event(check, machine, t.name, note)
		}
	}
	for _, e := range v.pass.Events {
		if e.Name != health.MachineDeleted || v.pass.Does(e.Target, health.Delete) { // else it was deleted before, and goes
			say(e.Name, e.Target)
		}
	}
	if v.blind && len(v.todo) == 0 && out.Held != "" {
		say(Withheld, -1)
	}
	for _, r := range v.todo {
		if r.Act == health.Request {
			say(health.RemediationRequested, r.Target)
		} else if r.Act == withdraw && !slices.Contains(out.Done, v.machines[r.Target].Name) {
			say(Withheld, r.Target)
		}
	}
	known.told = now
}

const tooMany = "more machines are unhealthy than maxUnhealthy allows"

// Withheld is the event of a machine that is due and was left alone, or is healthy again and still has a request, and
// of a check of which that is not known.
const Withheld health.EventName = "RemediationWithheld"
