package tuning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/controller/cluster"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/profile"
)

// fake is a cluster in memory. What is cached is the world as it was when it was watched last.
type fake struct {
	t *testing.T
	World
	cached  *World
	events  []string
	written []Change
	// fails is asked before each call; looks counts those of the live world.
	fails   func(call string) error
	looks   int
	version int
}

var errDown = errors.New("the server is away")

func (f *fake) failing(call string) error {
	if f.fails == nil {
		return nil
	}
	return f.fails(call)
}

// now is a world that later writes leave alone.
func (f *fake) now() World {
	w := f.World
	w.Profiles, w.Tuneds = slices.Clone(w.Profiles), slices.Clone(w.Tuneds)
	return w
}

func (f *fake) Cached(context.Context) (World, error) {
	if f.cached != nil {
		return *f.cached, f.failing("cached")
	}
	w := f.now()
	w.Leads, w.Other, w.Skew = false, "", 0
	return w, f.failing("cached")
}

func (f *fake) Live(context.Context) (World, error) {
	f.looks++
	return f.now(), f.failing("live")
}

func (f *fake) Write(_ context.Context, c Change) error {
	if err := f.failing("write " + c.Ref.Name); err != nil {
		return err
	}
	f.version++
	f.written = append(f.written, c)
	if c.Kind == KindTuned {
		return f.writeTuned(c)
	}
	i := slices.IndexFunc(f.Profiles, func(p Profile) bool { return p.Ref.Name == c.Ref.Name })
	switch {
	case c.Do == Create && i >= 0, c.Do != Create && (i < 0 || f.Profiles[i].Ref != c.Ref):
		return cluster.ErrChanged
	case c.Do == Delete:
		f.Profiles = slices.Delete(f.Profiles, i, i+1)
		return nil
	}
	p := Profile{Ref: Ref{Name: c.Ref.Name, UID: "u" + c.Ref.Name, Version: fmt.Sprint(f.version)},
		Annotations: maps.Clone(c.Annotations), Spec: c.Spec.(Spec)}
	if i < 0 {
		f.Profiles = append(f.Profiles, p)
	} else {
		f.Profiles[i] = p
	}
	return nil
}

func (f *fake) writeTuned(c Change) error {
	i := slices.IndexFunc(f.Tuneds, func(t Tuned) bool { return t.Ref.Name == c.Ref.Name })
	o := map[string]any{"apiVersion": "tuned.openshift.io/v1", "kind": "Tuned",
		"metadata": map[string]any{"name": c.Ref.Name}}
	if i >= 0 {
		if err := json.Unmarshal(f.Tuneds[i].Text, &o); err != nil {
			f.t.Fatal(err)
		}
	}
	if c.Do == Judge {
		c.Valid.LastTransitionTime = "2026-11-28T12:00:00Z"
		o["status"] = map[string]any{"conditions": []openshift.Condition{c.Valid}}
	} else {
		o["spec"] = c.Spec
	}
	text, _ := json.Marshal(o)
	t := Tuned{Ref: Ref{Name: c.Ref.Name, Version: fmt.Sprint(f.version)}, Text: text}
	if i < 0 {
		f.Tuneds = append(f.Tuneds, t)
	} else {
		f.Tuneds[i] = t
	}
	return nil
}

func (f *fake) Event(of Kind, ref Ref, _ bool, reason, note string) {
	f.events = append(f.events, fmt.Sprint(of, " ", ref.Name, " ", reason, ": ", note))
}

// chosen are the profiles that the nodes are asked for.
func (f *fake) chosen() map[string]string {
	out := map[string]string{}
	for _, p := range f.Profiles {
		out[p.Ref.Name] = p.Spec.Config.TunedProfile
	}
	return out
}

// pass looks once, and expects no error.
func (f *fake) pass(k *Keeper) Outcome {
	f.t.Helper()
	k.API = f
	out, err := k.Reconcile(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return out
}

// began is a cluster of two nodes and a CR for those that have the label fast.
func began(t *testing.T) *fake {
	return &fake{t: t, World: World{Leads: true, Tuneds: []Tuned{tunedCR("fast", fastSpec)},
		Nodes:     []profile.Node{{Name: "a", Labels: map[string]string{"fast": ""}}, {Name: "b"}},
		Providers: map[string]string{"a": "aws", "b": "aws"}}}
}

const fastSpec = `{"profile": [{"name": "quick", "data": "[main]\ninclude=openshift-node\n[sysctl]\nvm.swappiness=1\n"}],
	"recommend": [{"profile": "quick", "priority": 10, "match": [{"label": "fast"}],
	"operand": {"debug": true, "verbosity": 3, "tunedConfig": {"reapply_sysctl": false}}}]}`

func tunedCR(name, spec string, annotations ...string) Tuned {
	more := ""
	if len(annotations) == 2 {
		more = fmt.Sprintf(`, "annotations": {%q: %q}`, annotations[0], annotations[1])
	}
	return Tuned{Ref: Ref{Namespace: "n", Name: name, UID: "u-" + name, Version: "1"}, Text: fmt.Appendf(nil,
		`{"apiVersion": "tuned.openshift.io/v1", "kind": "Tuned", "metadata": {"name": %q%s}, "spec": %s}`, name, more, spec)}
}

func acting(r release.Release) *Keeper { return &Keeper{Release: r, Act: true} }
