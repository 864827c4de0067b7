package kube

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/unit"
)

// limitRange is what a LimitRange says of one kind of thing in its namespace.
type limitRange struct {
	namespace, name string
	gives, max, min amounts // gives a request to containers that have none
	place           place
}

// limitRange reads a LimitRange (plugin/pkg/admission/limitranger). Where it states no default, its
// maximum or minimum is the default (pkg/apis/core/v1, SetDefaults_LimitRangeItem).
func (r *reader) limitRange(o *object) {
	if r.live {
		r.skip(o.place(), o.kind, "the pods there are have its defaults already, and keep to its bounds")
		return
	}
	for item := range o.spec.get("limits").elems() {
		if !item.get("type").is("Container") || item.get("maxLimitRequestRatio").kind() != nothing {
			r.skip(o.place(), o.title(), "its bounds of pods and claims, and its ratios, are not checked")
		}
		if !item.get("type").is("Container") {
			continue
		}
		l := limitRange{namespace: o.namespace(), name: o.name(), place: o.place(), max: r.amounts(item.get("max"), nil),
			min: r.amounts(item.get("min"), nil)}
		for _, list := range []amounts{r.amounts(item.get("defaultRequest"), nil), r.amounts(item.get("default"), nil),
			l.max, l.min} {
			for _, a := range list {
				if _, set := l.gives.get(a.name); !set {
					l.gives = append(l.gives, a)
				}
			}
		}
		r.ranges = append(r.ranges, l)
	}
}

// lacks are the resources for which some container has no request and gets one.
func (l *limitRange) lacks(containers []container) []string {
	var out []string
	for _, a := range l.gives {
		if slices.ContainsFunc(containers, func(c container) bool { _, set := c.requests.get(a.name); return !set }) {
			out = append(out, a.name+" "+unit.FormatResource(a.name, a.n))
		}
	}
	return out
}

// refuses says whether a container is beyond the bounds.
func (l *limitRange) refuses(c container) bool {
	for _, a := range l.max {
		if max(c.requests.of(a.name), c.limits.of(a.name)) > a.n {
			return true
		}
	}
	return slices.ContainsFunc(l.min, func(a amount) bool { n, set := c.requests.get(a.name); return set && n < a.n })
}

// quota is what a ResourceQuota allows of pods, CPU and memory.
type quota struct {
	namespace, title string
	hard             amounts
	place            place
}

func (r *reader) quota(o *object) {
	q := quota{namespace: o.namespace(), title: o.title(), place: o.place()}
	if r.live {
		r.skip(q.place, o.kind, "the pods there are keep within it")
		return
	}
	if o.spec.get("scopes").kind() != nothing || o.spec.get("scopeSelector").kind() != nothing {
		r.skip(q.place, q.title, "the scopes of a quota are not known here")
		return
	}
	for key, v := range o.spec.get("hard").fields() {
		name := strings.TrimPrefix(r.word(key), "requests.")
		n, err := r.quantity(name, v)
		if name != resCPU && name != resMemory && name != resPods || err != nil {
			r.skip(q.place, q.title, "only pods and requests of CPU and memory are compared with a quota, not "+string(key))
			continue
		}
		q.hard = append(q.hard, amount{name, n})
	}
	r.quotas = append(r.quotas, q)
}

// admit tells what the API server would give or refuse the pods of manifests, and which pods kubelets
// refuse for their system, of which the scheduler knows nothing (pkg/kubelet/lifecycle/predicate.go).
func (t *tally) admit(groups []*group) {
	for _, g := range groups {
		if g.os != "" && g.os != "linux" && g.base.NodeSelector[labelOS] != g.os {
			g.notes = noted(g.notes, note{"that kubelets of another system than " + g.os +
				" refuse it (PodOSNotSupported): it selects no " + labelOS, false})
		}
		for _, l := range t.ranges {
			if l.namespace != g.namespace {
				continue
			}
			if names := l.lacks(g.asks); len(names) > 0 {
				g.notes = noted(g.notes, note{"the requests that LimitRange " + l.name + " gives its containers, " +
					strings.Join(names, ", ") + ": they take more room", false})
			}
			if slices.ContainsFunc(g.asks, l.refuses) {
				g.notes = noted(g.notes, note{"that the API server refuses it: a container is beyond LimitRange " + l.name, false})
			}
		}
	}
	for _, q := range t.quotas {
		t.keep(q, groups)
	}
}

// keep compares the pods of a namespace with its quota.
func (t *tally) keep(q quota, groups []*group) {
	for _, a := range q.hard {
		used, none := int64(0), false
		given := slices.ContainsFunc(t.ranges, func(l limitRange) bool {
			_, set := l.gives.get(a.name)
			return set && l.namespace == q.namespace
		})
		for _, g := range groups {
			if g.namespace == q.namespace {
				each := map[string]int64{resCPU: int64(g.base.CPU), resMemory: int64(g.base.Memory), resPods: 1}[a.name]
				used, none = used+int64(g.count)*each, none || each == 0
			}
		}
		switch {
		case none && !given:
			t.decide(q.place, q.title, "the API server refuses pods that request no "+a.name+", which are placed here", 0)
		case used > a.n:
			t.decide(q.place, q.title, fmt.Sprintf("it allows %s of %s, and the pods take %s: the API server refuses the rest, "+
				"which is placed here", unit.FormatResource(a.name, a.n), a.name, unit.FormatResource(a.name, used)), 0)
		}
	}
}
