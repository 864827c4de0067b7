package kube

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// split takes the control plane out of a snapshot's pods: static pods there are
// held, other pods become types of their own that go there only. Held pods have
// room on their nodes but no plan counts them.
func (t *tally) split(groups []*group) (planned, held []*group) {
	nodes := make(map[string]*node, len(t.nodes))
	for i := range t.nodes {
		nodes[t.nodes[i].name] = &t.nodes[i]
	}
	var out []*group
	for _, g := range groups {
		switch {
		case g.static:
			rest, there := t.splitStatic(g, nodes)
			out, held = append(out, rest...), append(held, there...)
		case g.base.Spec != nil && g.base.Spec.Terminating:
			t.plan(g.place, "pods that are being deleted", "they hold their room until they are gone, and no plan counts them",
				g.count)
			held = append(held, g.held(g.nodes))
		case g.base.DaemonSet:
			out = append(out, g)
		default:
			out = append(out, t.splitControl(g, nodes)...)
		}
	}
	planned, old := t.oneShape(out)
	return planned, append(held, old...)
}

// splitStatic takes out the static pods of the control plane. Elsewhere they
// count as pods, one a node, as the kubelet starts them.
func (t *tally) splitStatic(g *group, nodes map[string]*node) (rest, there []*group) {
	var on [2][]string
	for _, name := range g.nodes {
		control := nodes[name] != nil && nodes[name].role == roleControl
		on[flag(control)] = append(on[flag(control)], name)
	}
	if n := len(on[1]); n > 0 {
		t.plan(g.place, "static pods of the control plane", "the control plane is sized by a table of its own", n)
		there = append(there, g.held(on[1]))
	}
	if len(on[0]) > 0 {
		h := g.on(on[0])
		h.base.MaxPerNode, h.owner.kind = 1, kindPod
		rest = append(rest, h)
	}
	return rest, there
}

// on is the pods of the group on these nodes.
func (g *group) on(nodes []string) *group {
	h := *g
	h.nodes, h.count, h.waiting = nodes, len(nodes), nil
	return &h
}

// held is the pods of the group on these nodes, which no plan counts.
func (g *group) held(nodes []string) *group {
	h := g.on(nodes)
	h.base.Held = true
	return h
}

// splitControl gives the pods on nodes that only the control plane uses a node
// selector that keeps them there in a plan.
func (t *tally) splitControl(g *group, nodes map[string]*node) []*group {
	var there, here []string
	var role label
	for _, name := range g.nodes {
		if n := nodes[name]; n != nil && n.dedicated() {
			there = append(there, name)
			if l := n.controlLabel(); l.key > role.key {
				role = l
			}
			continue
		}
		here = append(here, name)
	}
	if len(there) == 0 {
		return []*group{g}
	}
	t.plan(g.place, "pods on control plane nodes",
		"they are no load for workers: they count with a node selector that keeps them there", len(there))
	h := g.on(there)
	h.planOn(role)
	h.shape = g.shape + "\ncontrol plane"
	if len(there) == g.count {
		return []*group{h}
	}
	h.claims = nil
	g.nodes, g.count = here, g.count-len(there)
	return []*group{g, h}
}

// planOn adds a label to what a plan goes by; placement asks the pods' own
// selector.
func (g *group) planOn(l label) {
	if g.base.Spec == nil {
		g.base.Spec = &v1alpha1.PodSpec{NodeSelector: g.base.NodeSelector, Tolerations: g.base.Tolerations}
	}
	selector := map[string]string{l.key: l.value}
	for k, v := range g.base.NodeSelector {
		if k != l.key {
			selector[k] = v
		}
	}
	g.base.NodeSelector = selector
}

// oneShape plans one group of each daemon set, that with the most pods: while
// its pods are replaced they differ, but each node runs one. The others are held.
func (t *tally) oneShape(groups []*group) (planned, held []*group) {
	best := map[id]*group{}
	count := map[id]map[string]int{}
	for _, g := range groups {
		if !g.base.DaemonSet {
			continue
		}
		k := id{g.namespace, g.owner}
		if count[k] == nil {
			count[k] = map[string]int{}
		}
		count[k][g.shape] += g.count
	}
	for _, g := range groups {
		k := id{g.namespace, g.owner}
		if b := best[k]; g.base.DaemonSet && (b == nil || count[k][g.shape] > count[k][b.shape]) {
			best[k] = g
		}
	}
	for _, g := range groups {
		if !g.base.DaemonSet || best[id{g.namespace, g.owner}].shape == g.shape {
			planned = append(planned, g)
			continue
		}
		t.plan(g.place, g.ownerTitle(), "some of its pods request something else; they count like most of its pods", g.count)
		h := g.held(g.nodes)
		h.waiting = g.waiting
		held = append(held, h)
	}
	return planned, held
}

// podTypes names the groups and puts them in order; the groups are returned in
// the same order.
func (t *tally) podTypes(groups []*group, most int, taken map[string]bool) ([]v1alpha1.PodType, []*group) {
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(compare(a.namespace, b.namespace), compare(a.owner.name, b.owner.name),
			compare(a.owner.kind, b.owner.kind), compare(a.shape, b.shape))
	})
	for _, within := range []bool{true, false} {
		if len(groups) > most {
			groups = collapse(groups, within, askedBy(groups))
		}
	}
	var types []v1alpha1.PodType
	for i, g := range groups {
		p := g.base
		p.Replicas, p.Origin = g.count, g.place.String()
		p.Name = path(g.namespace, g.owner.name)
		if p.Name == "" {
			p.Name = strings.ToLower(g.owner.kind)
		}
		if g.more > 0 {
			p.Name += fmt.Sprintf("-and-%d-more", g.more)
		}
		// Controllers of different kinds may have one name.
		if i > 0 && taken[p.Name] && groups[i-1].owner.kind != g.owner.kind {
			p.Name += "-" + strings.ToLower(g.owner.kind)
		}
		p.Name = unused(taken, p.Name)
		types = append(types, p)
	}
	return types, groups
}

// collapse puts together types that differ by their owners only: those within a
// namespace, or all of them, which then have no namespace (the inventory's
// objects keep the largest). Types with a limit per node stay, because it counts
// for each by itself. So do those that affinity and spread can tell apart, and of pods
// that wait those that differ in their choice.
func collapse(groups []*group, within bool, asked *asked) []*group {
	type key struct {
		namespace, shape, labels, choice, budgets string
		storage                                   int64
		bare                                      bool
		priority                                  int32
	}
	at := map[key]*group{}
	more := map[*group]int{}
	var out []*group
	for _, g := range groups {
		labels := asked.of(g.base.Labels)
		k := key{shape: g.shape, storage: int64(g.base.Storage), bare: g.base.Bare, priority: g.base.Priority, labels: labels,
			budgets: g.guarded()}
		if len(g.waiting) > 0 {
			k.choice, k.namespace = "waits"+g.choice(), g.namespace
		}
		if within || asked.any || labels != "" || choosesPods(&g.base) {
			k.namespace = g.namespace
		}
		first := at[k]
		switch {
		case g.base.MaxPerNode != 0 || g.base.DaemonSet:
			out = append(out, g)
		case first == nil:
			at[k] = g
			out = append(out, g)
		default:
			first.count += g.count
			first.base.Labels = asked.kept(first.base.Labels)
			first.nodes, first.waiting = append(first.nodes, g.nodes...), append(first.waiting, g.waiting...)
			more[first] += 1 + g.more
			if first.namespace != g.namespace {
				first.base.Namespace = ""
			}
		}
	}
	for g, n := range more {
		g.more += n
	}
	return out
}
