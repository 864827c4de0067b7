package kube

import (
	"fmt"
	"maps"
	"slices"

	"plimsoll.dev/api/v1alpha1"
)

// hashLabel tells the pods of one ReplicaSet from those of others.
const hashLabel = "pod-template-hash"

// selects is what a controller selects: a label selector, or labels.
func selects(o *object) *v1alpha1.LabelSelector {
	v := o.spec.get("selector")
	if v.get("matchLabels").kind() == nothing && v.get("matchExpressions").kind() == nothing {
		return &v1alpha1.LabelSelector{MatchLabels: texts(v)}
	}
	return selectorOf(v)
}

// belong finds the Services and the controller of each group: their selectors
// together are what the scheduler spreads pods by that have no constraints of their
// own (component-helpers has it as helper.DefaultSelector).
func (t *tally) belong(groups []*group) {
	by := map[spot][]service{}
	for _, s := range t.services {
		slices.SortFunc(s.selector, func(a, b label) int { return compare(a.key+"\x00"+a.value, b.key+"\x00"+b.value) })
		at := spot{s.namespace, s.selector[0]}
		by[at] = append(by[at], s)
	}
	for _, g := range groups {
		if g.base.DaemonSet || len(g.base.TopologySpreadConstraints) > 0 {
			continue
		}
		all := g.everyLabel()
		selected := map[string]string{}
		for _, l := range all {
			for _, s := range by[spot{g.namespace, l}] {
				if hasAll(all, s.selector) {
					maps.Copy(selected, asMap(s.selector))
				}
			}
		}
		out := v1alpha1.LabelSelector{MatchLabels: selected}
		if own := t.selector(g); own != nil {
			maps.Copy(out.MatchLabels, own.MatchLabels)
			out.MatchExpressions = own.MatchExpressions
		}
		if len(out.MatchLabels)+len(out.MatchExpressions) > 0 {
			g.spreadBy(&out)
		}
	}
}

// everyLabel are the labels of the group's pods: of pods that have a node those that
// its ReplicaSet gives, of a Deployment's pods to be made with a hash of their own.
func (g *group) everyLabel() []label {
	if len(g.waiting) > 0 {
		return slices.Concat(g.labels, g.own)
	}
	out := slices.Clone(g.labels)
	for _, key := range []string{hashLabel, "rollouts-pod-template-hash", "deployment"} {
		if v, ok := labelOf(g.own, key); ok {
			out = append(out, label{key, v})
		} else if key == hashLabel && g.owner.kind == kindDeployment {
			out = append(out, label{key, g.owner.name})
		}
	}
	return out
}

// selector is what the group's controller selects, as far as the scheduler asks it;
// nil when it does not. A ReplicaSet that is not in the input selects what its Deployment
// does, and its own hash; a StatefulSet is then taken to select all labels.
func (t *tally) selector(g *group) *v1alpha1.LabelSelector {
	owner := g.owner
	if g.isPod {
		owner = g.parent
	}
	known := t.controllers[id{g.namespace, owner}]
	switch owner.kind {
	case "ReplicationController", "ReplicaSet", kindStatefulSet:
		if known != nil {
			return known
		}
	case kindDeployment, "DeploymentConfig":
	default:
		return nil
	}
	if hash, ok := labelOf(g.everyLabel(), hashLabel); ok {
		out := v1alpha1.LabelSelector{MatchLabels: map[string]string{hashLabel: hash}}
		if of := t.controllers[id{g.namespace, g.owner}]; of != nil {
			maps.Copy(out.MatchLabels, of.MatchLabels)
			out.MatchExpressions = of.MatchExpressions
		}
		return &out
	}
	if len(g.waiting) > 0 && len(g.labels) > 0 {
		t.skip(g.place, owner.kind+" "+path(g.namespace, owner.name),
			"it is not in the input; its pods are spread as if it selected all of their labels")
	}
	return &v1alpha1.LabelSelector{MatchLabels: asMap(g.labels)}
}

// spreadBy sets the selector, and the labels that it names.
func (g *group) spreadBy(s *v1alpha1.LabelSelector) {
	g.placing().DefaultSpread = s
	all := g.everyLabel()
	name := func(key string) {
		if v, ok := labelOf(all, key); ok && g.base.Labels[key] != v {
			g.base.Labels = maps.Clone(g.base.Labels)
			if g.base.Labels == nil {
				g.base.Labels = map[string]string{}
			}
			g.base.Labels[key] = v
		}
	}
	for key := range s.MatchLabels {
		name(key)
	}
	for _, e := range s.MatchExpressions {
		name(e.Key)
	}
}

// placing is what placement goes by, of this group alone.
func (g *group) placing() *v1alpha1.PodSpec {
	s := v1alpha1.PodSpec{NodeSelector: g.base.NodeSelector, Tolerations: g.base.Tolerations}
	if g.base.Spec != nil {
		s = *g.base.Spec
	}
	g.base.Spec = &s
	return &s
}

// apart returns a function that is equal for groups of one owner and shape that may
// be one type: their labels matter to nobody, and none of the owner's pods waits, to
// which others of another ReplicaSet, image or volume are not equal.
func apart(groups []*group) func(*group) string {
	type of struct {
		id
		shape string
	}
	waits := map[of]bool{}
	asked := askedBy(groups)
	for _, g := range groups {
		if len(g.waiting) > 0 {
			waits[of{id{g.namespace, g.owner}, g.shape}] = true
		}
	}
	return func(g *group) string {
		key := asked.of(g.base.Labels)
		if waits[of{id{g.namespace, g.owner}, g.shape}] {
			key += g.choice()
		}
		return key
	}
}

// choice is equal for groups between which their Services, controllers, images and
// volumes make no difference.
func (g *group) choice() string {
	s := g.base.Spec
	if s == nil {
		return ""
	}
	key := appendSelector(nil, s.DefaultSpread)
	for _, list := range [][]string{s.Images, s.ImageVolumes} {
		for _, image := range list {
			key = appendText(key, image)
		}
	}
	if s.Volumes != nil {
		key = fmt.Append(key, *s.Volumes)
	}
	return string(key)
}

// appendSelector appends what makes selectors equal.
func appendSelector(key []byte, s *v1alpha1.LabelSelector) []byte {
	if s == nil {
		return append(key, '-')
	}
	for _, k := range slices.Sorted(maps.Keys(s.MatchLabels)) {
		key = appendText(appendText(key, k), s.MatchLabels[k])
	}
	for _, e := range s.MatchExpressions {
		key = appendText(appendText(append(key, '\n'), e.Key), e.Operator)
		for _, v := range e.Values {
			key = appendText(key, v)
		}
	}
	return key
}
