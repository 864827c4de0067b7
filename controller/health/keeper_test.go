package health

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/health"
)

// workers are so many machines with nodes that are ready, of which the first ones are Unknown since a time.
func workers(n, unknown int, since time.Time) *fake {
	f := &fake{World: World{Now: begin, Check: check("40%"), Nodes: map[string]*health.Node{},
		Leases: map[string]time.Time{}, Leads: true}}
	for i := range n {
		name := fmt.Sprint("w", i)
		c := health.Condition{Type: "Ready", Status: "True", Since: begin.Add(-time.Hour)}
		f.Leases[name] = begin.Add(-10 * time.Second)
		if i < unknown {
			// One after the other, so that it is no storm.
			c.Status, c.Since = "Unknown", since.Add(-time.Duration(i)*2*stormWindow)
			f.Leases[name] = c.Since
		}
		f.Nodes[name] = &health.Node{Name: name, Conditions: []health.Condition{c}}
		f.Machines = append(f.Machines, Machine{Ref{Namespace: "m", Name: name, UID: "u" + name, Version: "1"},
			health.Machine{Name: name, NodeName: name, Phase: health.Running, Owners: []openshift.OwnerReference{
				{Kind: "MachineSet", Name: "s", Controller: true}}}})
	}
	return f
}

var newest = release.Current

func keeper(f *fake) *Keeper { return &Keeper{API: f, Release: newest, Act: true, Storm: 0.5} }

func once(t *testing.T, k *Keeper) Outcome {
	t.Helper()
	out, err := k.Reconcile(context.Background(), Ref{Namespace: "m", Name: "workers"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var longAgo = begin.Add(-10 * time.Minute)

// What is due is deleted, once, with an event, and the status says what was counted.
func TestRemediates(t *testing.T) {
	f := workers(10, 2, longAgo)
	k := keeper(f)
	if out := once(t, k); !slices.Equal(f.deleted, []string{"w0", "w1"}) || !slices.Equal(out.Done, f.deleted) {
		t.Errorf("%v %+v", f.deleted, out)
	}
	if s := f.status[0]; s.Expected != 10 || s.Healthy != 8 || *s.Allowed != 2 || s.Held != "" {
		t.Errorf("%+v", s)
	}
	once(t, k)
	if len(f.deleted) != 2 || len(f.events) != 2 || f.events[0].name != health.MachineDeleted {
		t.Errorf("%v %v", f.deleted, f.events)
	}
}

// Nothing is deleted where the keeper can't be sure, and what holds it back is told.
func TestHeld(t *testing.T) {
	storm := workers(10, 0, begin)
	for i := range 6 {
		storm.Nodes[fmt.Sprint("w", i)].Conditions[0] = health.Condition{Type: "Ready", Status: "Unknown", Since: longAgo}
	}
	storm.Check = check("80%")
	gone := workers(10, 0, begin)
	for i := range 6 {
		delete(gone.Nodes, fmt.Sprint("w", i))
	}
	gone.Check = check("80%")
	few := workers(4, 0, begin)
	for i := range 2 {
		few.Nodes[fmt.Sprint("w", i)].Conditions[0] = health.Condition{Type: "Ready", Status: "Unknown", Since: longAgo}
	}
	few.Check = check("80%")
	for name, c := range map[string]struct {
		f      *fake
		change func(*fake, *Keeper)
		reason string
	}{
		"all is well":       {workers(10, 2, longAgo), func(*fake, *Keeper) {}, ""},
		"another leads":     {workers(10, 2, longAgo), func(f *fake, _ *Keeper) { f.Leads = false }, NotLeading},
		"the operator runs": {workers(10, 2, longAgo), func(f *fake, _ *Keeper) { f.Other = "mhc-1" }, TwoKeepers},
		"own clock ahead":   {workers(10, 2, longAgo), func(f *fake, _ *Keeper) { f.Skew = 6 * time.Second }, ClockSkew},
		"own clock behind":  {workers(10, 2, longAgo), func(f *fake, _ *Keeper) { f.Skew = -time.Hour }, ClockSkew},
		"own clock off, by which it leads no more": {workers(10, 2, longAgo), func(f *fake, _ *Keeper) {
			f.Skew, f.Leads = -time.Hour, false
		}, ClockSkew},
		"own clock nearly right": {workers(10, 2, longAgo), func(f *fake, _ *Keeper) { f.Skew = 4 * time.Second }, ""},
		"no leases":              {workers(10, 2, longAgo), func(f *fake, _ *Keeper) { f.Leases = nil }, NoLeases},
		"most kubelets silent": {workers(10, 2, longAgo), func(f *fake, _ *Keeper) {
			for name := range f.Leases {
				f.Leases[name] = begin.Add(-41 * time.Second)
			}
		}, Silence},
		"most Unknown at once": {storm, func(*fake, *Keeper) {}, Storm},
		"most nodes are gone":  {gone, func(*fake, *Keeper) {}, Storm},
		"two of four at once":  {few, func(*fake, *Keeper) {}, ""},
		"an unknown template": {workers(10, 2, longAgo), func(f *fake, _ *Keeper) {
			f.Check.Spec.RemediationTemplate = map[string]any{"kind": "RebootTemplate"}
			f.TemplateErr = errors.New("machinereboots is forbidden")
		}, Template},
		"the same while all are well": {workers(10, 0, begin), func(f *fake, _ *Keeper) {
			f.Check.Spec.RemediationTemplate = map[string]any{"kind": "RebootTemplate"}
			f.TemplateErr = errors.New("machinereboots is forbidden")
		}, Template},
		"a template that is missing": {workers(10, 2, longAgo), func(f *fake, _ *Keeper) {
			f.Check.Spec.RemediationTemplate = map[string]any{"kind": "RebootTemplate"}
			f.fails = func(call string) error {
				if strings.HasPrefix(call, "request") {
					return fmt.Errorf("%w RebootTemplate soft: not found", errTemplate)
				}
				return nil
			}
		}, Template},
		"a dry run": {workers(10, 2, longAgo), func(_ *fake, k *Keeper) { k.Act = false }, DryRun},
		"a dry run that would annotate": {workers(10, 2, longAgo), func(f *fake, k *Keeper) {
			f.Check.Metadata.Annotations = map[string]string{"machine.openshift.io/remediation-strategy": "external-baremetal"}
			k.Act = false
		}, DryRun},
	} {
		k := keeper(c.f)
		c.change(c.f, k)
		out := once(t, k)
		if out.Reason != c.reason || (len(out.Done) > 0) != (c.reason == "") || (out.Held != "") != (c.reason != "") {
			t.Errorf("%s: %+v", name, out)
		}
		if n := len(c.f.deleted) + len(c.f.marked); n != len(out.Done) {
			t.Errorf("%s: %d acts of %v", name, n, out.Done)
		}
		if c.reason != "" && (c.f.events[0].name != Withheld || !out.BackOff) {
			t.Errorf("%s: %v %v", name, c.f.events, out.BackOff)
		}
		if s := c.f.status; (len(s) > 0) != (c.reason != DryRun) || len(s) > 0 && s[0].Reason != c.reason {
			t.Errorf("%s: %v", name, s)
		}
	}
}

// What a release does not know is neither told nor asked for: fields of the status, and a remediationTemplate.
func TestOldReleases(t *testing.T) {
	for _, r := range []release.Release{release.V44, release.V45, release.Newest} {
		f := workers(10, 2, longAgo)
		f.Check.Spec.RemediationTemplate = map[string]any{"kind": "RebootTemplate"}
		f.TemplateErr = errors.New("machinereboots is forbidden")
		k := keeper(f)
		k.Release = r
		out, s := once(t, k), f.status
		if old := r < 6; old != (len(f.deleted) == 2) || old != (out.Held == "") || old != (s[0].Allowed == nil) {
			t.Errorf("%s: deleted %v, held %q, status %+v", r, f.deleted, out.Held, s)
		}
	}
}

// A watch that stands still says what was: what is deleted is what the server calls ill now.
func TestStaleWatch(t *testing.T) {
	f := workers(10, 2, longAgo)
	old := copied(f.World)
	f.cached = &old
	f.Nodes["w0"].Conditions[0].Status = "True" // w0 is back
	if once(t, keeper(f)); !slices.Equal(f.deleted, []string{"w1"}) {
		t.Error(f.deleted)
	}
	f = workers(10, 2, longAgo)
	f.cached, f.Check = &old, check("10%") // somebody allows less
	if out := once(t, keeper(f)); len(f.deleted) > 0 || out.Pass.Allowed {
		t.Errorf("%v %+v", f.deleted, out)
	}
	f = workers(10, 2, longAgo)
	f.cached, f.Check = &old, nil // or has deleted the check
	if once(t, keeper(f)); len(f.deleted) > 0 {
		t.Error(f.deleted)
	}
}

// A node that registers again under its name, or a machine that was made anew, is not the one that was read.
func TestChangedMeanwhile(t *testing.T) {
	f := workers(10, 2, longAgo)
	f.fails = func(call string) error {
		if strings.HasPrefix(call, "delete") && f.Machines[0].Ref.Version == "1" {
			f.Machines[0].Ref.Version = "2"
		}
		return nil
	}
	k := keeper(f)
	out := once(t, k)
	if !slices.Equal(f.deleted, []string{"w1"}) || !out.BackOff {
		t.Errorf("%v %+v", f.deleted, out)
	}
	if once(t, k); !slices.Equal(f.deleted, []string{"w1", "w0"}) {
		t.Error(f.deleted)
	}
}

// A machine that the API server lets nobody delete holds up no other one, and the reason is told.
func TestRefused(t *testing.T) {
	f := workers(10, 3, longAgo)
	f.denies = "w0"
	out := once(t, keeper(f))
	if !slices.Equal(f.deleted, []string{"w1", "w2"}) || out.Reason != Refused || !out.BackOff {
		t.Errorf("%v %+v", f.deleted, out)
	}
	if e := f.events[0]; e.name != Withheld || !strings.Contains(e.note, "a webhook says no") {
		t.Errorf("%+v", e)
	}
	if s := f.status[0]; s.Reason != Refused {
		t.Errorf("%+v", s)
	}
}

// A machine that is due is handed to an external remediation once, and the request withdrawn when it is healthy again.
func TestTemplate(t *testing.T) {
	f := workers(10, 1, longAgo)
	f.Check.Spec.RemediationTemplate = map[string]any{"kind": "RebootTemplate"}
	k := keeper(f)
	k.Act = false
	if once(t, k); len(f.Requests) > 0 || len(f.events) != 1 || f.events[0].name != Withheld {
		t.Errorf("a dry run: %v %v", f.Requests, f.events)
	}
	k.Act = true
	for range 3 {
		once(t, k)
	}
	if len(f.deleted) > 0 || len(f.Requests) != 1 || len(f.events) != 2 ||
		f.events[1].name != health.RemediationRequested {
		t.Errorf("%v %v %v", f.deleted, f.Requests, f.events)
	}
	f.Nodes["w0"].Conditions[0].Status = "True"
	if once(t, k); len(f.Requests) > 0 {
		t.Errorf("%v", f.Requests)
	}
}

// A check that was deleted and made anew is told of anew.
func TestForgets(t *testing.T) {
	f := workers(10, 1, longAgo)
	k := keeper(f)
	k.Act = false
	once(t, k)
	was := f.Check
	f.Check = nil
	once(t, k)
	f.Check = was
	if once(t, k); len(f.events) != 2 {
		t.Errorf("%v", f.events)
	}
}

// A watch that stands still hides what is due until all is read anew.
func TestResync(t *testing.T) {
	f := workers(10, 0, begin)
	old := copied(f.World)
	f.cached = &old
	f.Nodes["w0"].Conditions[0] = health.Condition{Type: "Ready", Status: "False", Since: longAgo}
	k := keeper(f)
	if once(t, k); len(f.deleted) > 0 {
		t.Errorf("%v", f.deleted)
	}
	k.Resync = time.Millisecond
	time.Sleep(2 * time.Millisecond)
	if out := once(t, k); !slices.Equal(f.deleted, []string{"w0"}) || out.After != time.Millisecond {
		t.Errorf("%v %+v", f.deleted, out)
	}
}

// Once the server has said something else than what is watched, it is asked until both say the same: what is told does
// not come and go. So it is after a pass that left something to do.
func TestDoubts(t *testing.T) {
	f := workers(10, 0, begin)
	old := copied(f.World)
	f.cached = &old
	for i := range 6 {
		f.Nodes[fmt.Sprint("w", i)].Conditions[0] = health.Condition{Type: "Ready", Status: "False", Since: longAgo}
	}
	k := keeper(f)
	k.Resync = time.Hour
	for range 3 {
		once(t, k)
		if s := f.status[len(f.status)-1]; s.Healthy != 4 || s.Reason != "TooManyUnhealthy" || len(f.events) != 1 {
			t.Errorf("%+v %v", s, f.events)
		}
	}
	f.cached = nil
	for range 3 {
		once(t, k)
	}
	if f.looks != 4 {
		t.Errorf("the server was asked %d times", f.looks)
	}

	f = workers(10, 1, longAgo)
	f.denies = "w0"
	k = keeper(f)
	once(t, k)
	f.cached, f.denies = &old, "" // of a replica that is not up to date
	if once(t, k); !slices.Equal(f.deleted, []string{"w0"}) {
		t.Error(f.deleted)
	}
}

// A frozen or absent server is no reason to act, and no reason to look at it all the time.
func TestServerAway(t *testing.T) {
	f := workers(10, 2, longAgo)
	f.fails = func(call string) error {
		if call == "live" {
			return errDown
		}
		return nil
	}
	if _, err := keeper(f).Reconcile(context.Background(), Ref{Name: "workers"}); err == nil || len(f.deleted) > 0 {
		t.Errorf("%v %v", err, f.deleted)
	}
	f = workers(10, 0, begin)
	if once(t, keeper(f)); f.looks != 0 {
		t.Error("a healthy cluster was asked anew")
	}
}

// A hundred random faults while a thousand machines fail in turn: never is a machine deleted that the rules protect,
// and all that is due is deleted within two passes after the last fault.
func TestRandomFaults(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 17))
		f := workers(1000, 0, begin)
		k := keeper(f)
		pass := func() {
			before := copied(f.World)
			done := len(f.deleted)
			k.Reconcile(context.Background(), Ref{Namespace: "m", Name: "workers"})
			protected(t, &before, f.deleted[done:])
		}
		for range 100 {
			fault(r, f)
			pass()
		}
		f.fails, f.cached, f.Leads, f.Other, f.Skew = nil, nil, true, "", 0
		for name := range f.Leases {
			f.Leases[name] = f.Now
		}
		pass()
		pass()
		left := keeper(f).view(&f.World)
		if left.pass.Allowed && left.acts() {
			t.Errorf("seed %d: %d are due and there", seed, len(left.pass.Remedies))
		}
		if len(f.deleted) == 0 {
			t.Error("nothing was deleted")
		}
	}
}

// protected demands of what was deleted of a world: that it was due by the check's rules, with no reason to hold.
func protected(t *testing.T, w *World, deleted []string) {
	t.Helper()
	v := (&Keeper{Release: newest}).view(w)
	due := map[string]bool{}
	for _, r := range v.pass.Remedies {
		due[v.machines[r.Target].Name] = r.Act == health.Delete && v.pass.Allowed
	}
	reason, _ := hold(w, 0.5)
	for _, name := range deleted {
		if !due[name] || reason != "" {
			t.Fatalf("%s was deleted: due %v, %s", name, due[name], reason)
		}
	}
}

// fault makes time pass, machines fail or come back, and something go wrong.
func fault(r *rand.Rand, f *fake) {
	f.Now = f.Now.Add(time.Duration(r.IntN(120)) * time.Second)
	for name := range f.Leases {
		f.Leases[name] = f.Now.Add(-time.Duration(r.IntN(30)) * time.Second)
	}
	for range r.IntN(20) {
		if n := f.Nodes[fmt.Sprint("w", r.IntN(1000))]; n != nil {
			status := []string{"True", "Unknown", "Unknown", "False"}[r.IntN(4)]
			n.Conditions[0] = health.Condition{Type: "Ready", Status: status, Since: f.Now.Add(-time.Duration(r.IntN(400)) *
				time.Second)}
		}
	}
	f.fails, f.cached, f.Leads, f.Other, f.Skew = nil, nil, true, "", 0
	switch r.IntN(9) {
	case 0, 1: // some calls fail, with or without an effect
		f.fails = func(string) error {
			if r.IntN(3) == 0 {
				return errDown
			}
			return nil
		}
	case 2:
		f.fails = func(string) error { return cluster.ErrChanged }
	case 3:
		old := copied(f.World)
		f.cached = &old
		for i := range f.Machines {
			if r.IntN(2) == 0 {
				f.Machines[i].Ref.Version += "'"
			}
		}
		for _, n := range f.Nodes {
			if r.IntN(2) == 0 {
				n.Conditions[0] = health.Condition{Type: "Ready", Status: "True", Since: f.Now}
			}
		}
	case 4:
		f.Leads = false
	case 5:
		f.Other = "mhc"
	case 6:
		f.Skew = time.Duration(r.IntN(20)-10) * time.Second
	case 7:
		for name := range f.Leases {
			f.Leases[name] = f.Now.Add(-time.Hour)
		}
	}
}
