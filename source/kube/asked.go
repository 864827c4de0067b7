package kube

import (
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// asked are the labels of pods that the affinity and spread of some pod ask for, of pods
// that wait also the spread by default:
// others make no difference to where pods go.
type asked struct {
	keys  map[string]bool
	pairs map[label]bool
	any   bool // some selector takes pods that have no label of these, too
}

// askedBy collects what the groups' pods ask for.
func askedBy(groups []*group) *asked {
	a := &asked{keys: map[string]bool{}, pairs: map[label]bool{}}
	for _, g := range groups {
		eachSelector(&g.base, a.add)
		if s := g.base.Spec; s != nil && len(g.waiting) > 0 {
			a.add(s.DefaultSpread)
		}
	}
	return a
}

// eachSelector calls f with each label selector of a pod type and the keys whose
// values it takes from the pod itself.
func eachSelector(t *v1alpha1.PodType, f func(s *v1alpha1.LabelSelector, keys ...string)) {
	for _, c := range t.TopologySpreadConstraints {
		f(c.LabelSelector, c.MatchLabelKeys...)
	}
	if t.Affinity == nil {
		return
	}
	for _, a := range []*v1alpha1.PodAffinity{t.Affinity.PodAffinity, t.Affinity.PodAntiAffinity} {
		if a == nil {
			continue
		}
		for i := range a.Required {
			f(a.Required[i].LabelSelector, slices.Concat(a.Required[i].MatchLabelKeys, a.Required[i].MismatchLabelKeys)...)
		}
		for i := range a.Preferred {
			term := &a.Preferred[i].PodAffinityTerm
			f(term.LabelSelector, slices.Concat(term.MatchLabelKeys, term.MismatchLabelKeys)...)
		}
	}
}

// choosesPods says whether a pod looks at pods around it: then its namespace
// counts.
func choosesPods(t *v1alpha1.PodType) (chooses bool) {
	eachSelector(t, func(*v1alpha1.LabelSelector, ...string) { chooses = true })
	return chooses
}

func (a *asked) add(s *v1alpha1.LabelSelector, keys ...string) {
	for _, k := range keys {
		a.keys[k] = true
	}
	if s == nil {
		return
	}
	for k, v := range s.MatchLabels {
		a.pairs[label{k, v}] = true
	}
	positive := len(s.MatchLabels) > 0
	for _, e := range s.MatchExpressions {
		positive = positive || e.Operator == "In" || e.Operator == "Exists"
		if e.Operator != "In" {
			a.keys[e.Key] = true
			continue
		}
		for _, v := range e.Values {
			a.pairs[label{e.Key, v}] = true
		}
	}
	a.any = a.any || !positive
}

// kept are the labels that somebody asks for, nil when there are none.
func (a *asked) kept(labels map[string]string) map[string]string {
	var out map[string]string
	for k, v := range labels {
		if !a.keys[k] && !a.pairs[label{k, v}] {
			continue
		}
		if out == nil {
			out = map[string]string{}
		}
		out[k] = v
	}
	return out
}

// of is equal for equal kept labels, and empty when there are none.
func (a *asked) of(labels map[string]string) string {
	kept := a.kept(labels)
	var key []byte
	for _, k := range slices.Sorted(maps.Keys(kept)) {
		key = appendText(appendText(key, k), kept[k])
	}
	return string(key)
}
