package kube

import (
	"cmp"
	"maps"
	"slices"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
)

// tally is what was read so far, in records small enough to keep 50,000 pods.
// Tallies of several goroutines are merged; the order doesn't matter.
type tally struct {
	known    int // objects of whatever kind, and what is passed over for a reason
	groups   []*group
	index    map[string]*group // of a snapshot's pods
	livePods bool
	objects  objects
	spaces   map[string]*space
	nodes    []node
	services []service
	labelled map[string]map[string]string // labels of namespaces
	claims   map[string]claim             // by namespace/name
	disks    storage
	scalers  []scaler
	budgets  []budget
	pools    []v1alpha1.MachinePool
	// configPools are the pools with their selectors, kubelets the KubeletConfigs for them.
	configPools []openshift.MachineConfigPool
	kubelets    []kubeletPolicies
	network     *v1alpha1.Network
	version     string // of OpenShift
	classes     map[string]priorityClass
	runtimes    map[string]runtimeClass
	ranges      []limitRange
	quotas      []quota
	// controllers say which pods they select, by what they are.
	controllers map[id]*v1alpha1.LabelSelector
	skipped     map[skipKey]*v1alpha1.Skipped
	places      map[skipKey]place
	bad         problems
}

type objects = v1alpha1.Objects

// space is what a namespace holds.
type space struct{ pods, services, deployments int }

// scaler is a horizontal pod autoscaler.
type scaler struct {
	title     string
	namespace string
	target    ref
	most      int
	place     place
}

// skipKey groups what is skipped.
type skipKey struct{ what, why string }

func newTally() tally {
	return tally{
		index: map[string]*group{}, spaces: map[string]*space{}, claims: map[string]claim{},
		skipped: map[skipKey]*v1alpha1.Skipped{}, places: map[skipKey]place{}, labelled: map[string]map[string]string{},
		classes: map[string]priorityClass{}, runtimes: map[string]runtimeClass{},
		controllers: map[id]*v1alpha1.LabelSelector{}, disks: newStorage(),
	}
}

// skip lists something that isn't counted; equal ones are listed once, with
// their number and the first place.
func (t *tally) skip(at place, what, why string) { t.skipMany(at, what, why, 1) }

// Bad and Pass take what is told of files.
func (t *tally) Bad(file, what, fix string) { t.bad.file(file, what, fix) }
func (t *tally) Pass(file, what, why string) {
	t.known++
	t.skip(place{file: file}, what, why)
}

func (t *tally) skipMany(at place, what, why string, n int) { t.add(at, what, why, n, false) }

// plan lists what a plan doesn't count but placement honours.
func (t *tally) plan(at place, what, why string, n int) { t.add(at, what, why, n, true) }

// decide lists what can change where pods go, and is not known.
func (t *tally) decide(at place, what, why string, n int) {
	t.add(at, what, why, n, false)
	t.skipped[skipKey{what, why}].Decides = true
}

// lack lists what would be counted if it were complete: no answer without it is good.
func (t *tally) lack(at place, what, why string) {
	t.skip(at, what, why)
	t.skipped[skipKey{what, why}].Needed = true
}

func (t *tally) add(at place, what, why string, n int, planning bool) {
	key := skipKey{what, why}
	s, ok := t.skipped[key]
	if !ok {
		s = &v1alpha1.Skipped{What: what, Why: why, Planning: planning, Needed: why == noHelm || why == noKustomize}
		t.skipped[key] = s
	}
	if first, ok := t.places[key]; !ok || at.before(first) {
		t.places[key] = at
	}
	s.Count += n
}

func (t *tally) space(namespace string) *space {
	s, ok := t.spaces[namespace]
	if !ok {
		s = &space{}
		t.spaces[namespace] = s
	}
	return s
}

// inNamespace remembers that there is such a namespace.
func (t *tally) inNamespace(name string) { t.space(name) }

// labelNamespace remembers a namespace and its labels.
func (r *reader) labelNamespace(o *object) {
	r.inNamespace(o.name())
	if labels := asMap(r.labels(o.meta.get("labels"), nil)); labels != nil {
		r.labelled[o.name()] = labels
	}
}

// countObject adds one to a number of objects.
func (t *tally) countObject(o *object, pick func(*objects) *int) {
	*pick(&t.objects)++
	t.inNamespace(o.namespace())
}

// route counts a route. Those that OpenShift made of an ingress are counted
// with it.
func (r *reader) route(o *object) {
	if r.controller(o.meta.get("ownerReferences")).kind != "Ingress" {
		r.countObject(o, func(o *objects) *int { return &o.Routes })
	}
}

// scaler records an autoscaler.
func (r *reader) scaler(o *object) {
	target := o.spec.get("scaleTargetRef")
	r.scalers = append(r.scalers, scaler{
		title: o.title(), namespace: o.namespace(), place: o.place(),
		target: ref{target.get("kind").text(), target.get("name").text()},
		most:   r.count(o.spec.get("maxReplicas"), 0),
	})
}

// merge adds what another goroutine read.
func (t *tally) merge(u *tally) {
	for key, g := range u.index {
		if have, ok := t.index[key]; ok {
			have.merge(g)
			continue
		}
		t.index[key] = g
		t.groups = append(t.groups, g)
	}
	for _, g := range u.groups {
		if !g.isPod {
			t.groups = append(t.groups, g)
		}
	}
	t.known += u.known
	t.livePods = t.livePods || u.livePods
	t.objects.Add(u.objects)
	for name, s := range u.spaces {
		have := t.space(name)
		have.pods, have.services, have.deployments = have.pods+s.pods, have.services+s.services,
			have.deployments+s.deployments
	}
	t.nodes = append(t.nodes, u.nodes...)
	t.services = append(t.services, u.services...)
	maps.Copy(t.claims, u.claims)
	t.disks.merge(&u.disks)
	maps.Copy(t.labelled, u.labelled)
	maps.Copy(t.classes, u.classes)
	maps.Copy(t.runtimes, u.runtimes)
	maps.Copy(t.controllers, u.controllers)
	t.scalers = append(t.scalers, u.scalers...)
	t.budgets = append(t.budgets, u.budgets...)
	t.pools, t.version = append(t.pools, u.pools...), cmp.Or(t.version, u.version)
	t.configPools, t.kubelets = append(t.configPools, u.configPools...), append(t.kubelets, u.kubelets...)
	t.network = cmp.Or(t.network, u.network)
	t.ranges, t.quotas = append(t.ranges, u.ranges...), append(t.quotas, u.quotas...)
	for key, s := range u.skipped {
		t.add(u.places[key], s.What, s.Why, s.Count, s.Planning)
		t.skipped[key].Decides = t.skipped[key].Decides || s.Decides
		t.skipped[key].Needed = t.skipped[key].Needed || s.Needed
	}
	t.bad.merge(&u.bad)
}

// merge adds the pods of h, which is read from another place.
func (g *group) merge(h *group) {
	if h.place.before(g.place) {
		g.place, g.name = h.place, h.name
	}
	g.count += h.count
	g.nodes = append(g.nodes, h.nodes...)
	g.waiting, g.mounts = append(g.waiting, h.waiting...), append(g.mounts, h.mounts...)
	g.claims = append(g.claims, h.claims...)
	for _, n := range h.notes {
		g.notes = noted(g.notes, n)
	}
}

// list is what was skipped, in the order of the places.
func (t *tally) list() []v1alpha1.Skipped {
	keys := slices.SortedFunc(maps.Keys(t.skipped), func(a, b skipKey) int {
		switch p, q := t.places[a], t.places[b]; {
		case p.before(q):
			return -1
		case q.before(p):
			return 1
		case a.what != b.what:
			return compare(a.what, b.what)
		}
		return compare(a.why, b.why)
	})
	out := make([]v1alpha1.Skipped, 0, len(keys))
	for _, key := range keys {
		s := *t.skipped[key]
		s.Place = t.places[key].String()
		if s.Count == 1 {
			s.Count = 0
		}
		out = append(out, s)
	}
	return out
}
