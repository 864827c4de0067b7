package tuning

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/profile"
)

// Profiles are made, follow a label, go with their nodes, and rest when nothing changes.
func TestFollows(t *testing.T) {
	f, k := began(t), acting(release.Current)
	expect := func(what string, want map[string]string) {
		t.Helper()
		f.pass(k)
		if got := f.chosen(); !maps.Equal(got, want) {
			t.Errorf("%s: %v, want %v", what, got, want)
		}
		looks, written := f.looks, len(f.written)
		if out := f.pass(k); f.looks != looks || len(f.written) != written || out.BackOff {
			t.Errorf("%s: a second pass looked %d times and wrote %v", what, f.looks-looks, f.written[written:])
		}
	}
	expect("at first", map[string]string{"a": "quick", "b": "openshift-node"})
	f.Nodes[0].Labels, f.Nodes[1].Labels = nil, map[string]string{"fast": ""}
	expect("labels change", map[string]string{"a": "openshift-node", "b": "quick"})
	f.Nodes = f.Nodes[:1]
	expect("a node goes", map[string]string{"a": "openshift-node"})
	f.Tuneds = nil
	expect("the CR goes", map[string]string{"a": "openshift-node"})
	if got := f.Profiles[0].Spec.Profile; slices.ContainsFunc(got, func(p Text) bool { return p.Name == "quick" }) {
		t.Error("a profile that no CR has any more is handed on")
	}
	want := []string{"Profile a ProfileCreated: the node gets profile quick",
		"Profile b ProfileUpdated: the node gets profile quick instead of openshift-node",
		"Profile b ProfileDeleted: the node is gone",
		"Profile a ProfileUpdated: profile openshift-node stays, but what belongs to it has changed"}
	for _, w := range want {
		if !slices.Contains(f.events, w) {
			t.Errorf("not told: %s; but\n%s", w, strings.Join(f.events, "\n"))
		}
	}
}

// What a Profile has beside the name is what the release has.
func TestFields(t *testing.T) {
	for _, c := range []struct {
		release          release.Release
		debug, daemon    bool
		level            int64
		texts, sum, wait bool
	}{
		{4, false, false, 0, false, true, false}, {7, true, false, 0, false, true, false},
		{11, true, true, 0, false, true, false}, {14, true, true, 0, true, false, false},
		{17, true, true, 0, true, false, true}, {18, true, true, 3, true, false, true},
		{release.Current, true, true, 3, true, false, true},
	} {
		f := began(t)
		f.Tuneds = []Tuned{tunedCR("fast", fastSpec, deferred, "update")}
		f.pass(acting(c.release))
		var p Profile
		for _, p = range f.Profiles {
			if p.Ref.Name == "a" {
				break
			}
		}
		g := p.Spec.Config
		provider := map[bool]string{true: "aws"}[c.daemon]
		if g.TunedProfile != "quick" || g.Debug != c.debug || (g.TunedConfig.ReapplySysctl != nil) != c.daemon ||
			g.Verbosity != c.level || g.ProviderName != provider {
			t.Errorf("%s: %+v", c.release, g)
		}
		if has := slices.ContainsFunc(p.Spec.Profile, func(t Text) bool {
			return t.Name == "quick" && strings.HasSuffix(t.Data, "vm.swappiness=1\n")
		}); has != c.texts {
			t.Errorf("%s: the texts are handed on: %v", c.release, has)
		}
		if sum := slices.ContainsFunc(f.Tuneds, func(t Tuned) bool { return t.Ref.Name == sumName }); sum != c.sum {
			t.Errorf("%s: there is a sum: %v", c.release, sum)
		}
		if (p.Annotations[deferred] == "update") != c.wait {
			t.Errorf("%s: %v", c.release, p.Annotations)
		}
		if n := len(f.written); f.pass(acting(c.release)).Done != nil || len(f.written) != n {
			t.Errorf("%s: %v is written again", c.release, f.written[n:])
		}
	}
}

// An annotation that others made stays; one that the CR has no more goes.
func TestDeferredGoes(t *testing.T) {
	f, k := began(t), acting(release.Current)
	f.Tuneds = []Tuned{tunedCR("fast", fastSpec, deferred, "always")}
	f.pass(k)
	f.Profiles[0].Annotations["mine"] = "yes"
	f.Tuneds = []Tuned{tunedCR("fast", fastSpec)}
	f.pass(k)
	if got := f.Profiles[0].Annotations; !maps.Equal(got, map[string]string{"mine": "yes"}) {
		t.Errorf("%v", got)
	}
}

// What is made goes with the CR default, where there is one.
func TestOwner(t *testing.T) {
	f := began(t)
	f.pass(acting(release.Current))
	if f.written[0].Owner != (Ref{}) {
		t.Errorf("owner %v", f.written[0].Owner)
	}
	f.Profiles, f.Tuneds, f.written = nil, append(f.Tuneds, tunedCR(profile.DefaultName, `{"recommend": []}`)), nil
	f.pass(acting(release.Current))
	if f.written[0].Owner.UID != "u-default" {
		t.Errorf("owner %v", f.written[0].Owner)
	}
}

// Each guard, and a dry run, leave everything as it is and say why, once.
func TestHeld(t *testing.T) {
	for reason, change := range map[string]func(*fake, *Keeper){
		NotLeading: func(f *fake, _ *Keeper) { f.Leads = false },
		TwoKeepers: func(f *fake, _ *Keeper) { f.Other = "operator-0" },
		ClockSkew:  func(f *fake, _ *Keeper) { f.Skew, f.Leads = -6*time.Second, false },
		DryRun:     func(_ *fake, k *Keeper) { k.Act = false },
	} {
		f, k := began(t), acting(release.Current)
		change(f, k)
		out := f.pass(k)
		told := len(f.events)
		f.pass(k)
		if out.Reason != reason || len(f.written) > 0 || out.BackOff != (reason != DryRun) {
			t.Errorf("%s: %+v, written %v", reason, out, f.written)
		}
		if told != 2 || len(f.events) != told || !strings.Contains(f.events[0], ProfileWithheld) {
			t.Errorf("%s: told %q", reason, f.events)
		}
	}
}

// What is wrong in the cluster changes no Profile, not even those that it does not concern, and is told.
func TestBlocked(t *testing.T) {
	const other = `{"profile": [{"name": "quick", "data": "[main]\nsummary=another\n"}], "recommend": []}`
	for reason, change := range map[string]func(*fake){
		Unreadable: func(f *fake) { f.Tuneds[0].Text = []byte(`{"kind": "Tuned", "spec": {"recommend": 7}}`) },
		Invalid: func(f *fake) {
			f.Tuneds[0] = tunedCR("fast", `{"recommend": [{"profile": "quick", "priority": -1, "match": [{"label": "fast"}]}]}`)
		},
		Conflict: func(f *fake) { f.Tuneds = append(f.Tuneds, tunedCR("other", other)) },
		PoolsUnknown: func(f *fake) {
			f.Tuneds[0] = tunedCR("fast", strings.Replace(fastSpec, `"match": [{"label": "fast"}]`,
				`"machineConfigLabels": {"machineconfiguration.openshift.io/role": "worker"}`, 1))
		},
		Unmanaged: func(f *fake) {
			f.Tuneds = append(f.Tuneds, tunedCR(profile.DefaultName, `{"managementState": "Unmanaged"}`))
		},
		NoNodes: func(f *fake) { f.Nodes = nil },
	} {
		f, k := began(t), acting(release.Current)
		f.pass(k)
		before := f.chosen()
		f.events, f.written = nil, nil
		change(f)
		if len(f.Nodes) > 0 {
			f.Nodes = append(f.Nodes[:1:1], profile.Node{Name: "new"})
		}
		out := f.pass(k)
		f.pass(k)
		if !maps.Equal(f.chosen(), before) || len(out.Blocked) == 0 {
			t.Errorf("%s: %+v, %v", reason, out, f.chosen())
		}
		if strings.Count(strings.Join(f.events, "\n"), " "+reason+": ") != 1 {
			t.Errorf("%s: told %q", reason, f.events)
		}
	}
}

// Whatever can't be listed ends the pass; nothing that was only watched is acted on.
func TestNotSeen(t *testing.T) {
	f, k := began(t), acting(release.Current)
	k.API = f
	for _, call := range []string{"cached", "live", "write a"} {
		f.fails = func(c string) error {
			if c == call {
				return errDown
			}
			return nil
		}
		if _, err := k.Reconcile(t.Context()); err == nil || len(f.Profiles) > 0 {
			t.Errorf("%s fails: %v, %v", call, err, f.chosen())
		}
	}
	f.fails = nil
	f.pass(k)
	old := f.now()
	old.Nodes = old.Nodes[:1]
	f.cached, f.written = &old, nil // the watch says that node b is gone, which it isn't
	if f.pass(k); len(f.written) > 0 {
		t.Errorf("written by what was watched: %v", f.written)
	}
	f.cached = nil
	f.Nodes[0].Labels = nil
	f.fails = func(c string) error {
		if c == "write a" {
			return cluster.ErrChanged
		}
		return nil
	}
	if out := f.pass(k); !out.BackOff {
		t.Error("a conflict is not tried again")
	}
}

// A CR is told to be valid, or why not; the time of a status that stays is kept.
func TestValid(t *testing.T) {
	f, k := began(t), acting(release.Current)
	f.pass(k)
	status := func() string {
		_, s, _ := strings.Cut(string(f.Tuneds[0].Text), `"status":`)
		return s
	}
	if s := status(); !strings.Contains(s, `"status":"True","reason":"AsExpected"`) {
		t.Errorf("status %s", s)
	}
	f.Tuneds[0] = tunedCR("fast", `{"recommend": [{"profile": "quick", "priority": -1}]}`)
	f.pass(k)
	if s := status(); !strings.Contains(s, `"reason":"InvalidConfiguration","message":"spec.recommend[0].priority: `) {
		t.Errorf("status %s", s)
	}
	f = began(t)
	f.pass(acting(18))
	if s := status(); s != "" {
		t.Errorf("4.18 has a status %s", s)
	}
}

// Texts come through as they are, whatever is in them.
func TestTexts(t *testing.T) {
	f := began(t)
	data := "[main]\nsummary=<a> & \"b\" \\ é \u2028 \t#x\n\n[sysctl]\nnet.x = 1 2\n"
	f.Tuneds = []Tuned{tunedCR("fast", fmt.Sprintf(`{"profile": [{"name": "quick", "data": %q}], "recommend": []}`, data))}
	f.pass(acting(release.Current))
	for _, p := range f.Profiles[0].Spec.Profile {
		if p.Name == "quick" && p.Data != data {
			t.Errorf("%q, want %q", p.Data, data)
		}
	}
}
