package kube

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// split takes the control plane out of a snapshot's pods: static pods there are
// left out, other pods become types of their own that go there only.
func (t *tally) split(groups []*group) []*group {
	nodes := make(map[string]*node, len(t.nodes))
	for i := range t.nodes {
		nodes[t.nodes[i].name] = &t.nodes[i]
	}
	var out []*group
	for _, g := range groups {
		switch {
		case g.static:
			out = append(out, t.splitStatic(g, nodes)...)
		case g.base.DaemonSet:
			out = append(out, g)
		default:
			out = append(out, t.splitControl(g, nodes)...)
		}
	}
	return t.oneShape(out)
}

// splitStatic leaves out the static pods of the control plane. Elsewhere they
// count as pods, one a node, as the kubelet starts them.
func (t *tally) splitStatic(g *group, nodes map[string]*node) []*group {
	rest := slices.DeleteFunc(slices.Clone(g.nodes), func(name string) bool {
		return nodes[name] != nil && nodes[name].role == roleControl
	})
	if n := len(g.nodes) - len(rest); n > 0 {
		t.skipMany(g.place, "static pods of the control plane", "the control plane is sized by a table of its own", n)
	}
	if len(rest) == 0 {
		return nil
	}
	h := *g
	h.nodes, h.count, h.base.MaxPerNode = rest, len(rest), 1
	h.owner.kind = kindPod
	return []*group{&h}
}

// splitControl gives the pods on nodes that only the control plane uses a node
// selector that keeps them there.
func (t *tally) splitControl(g *group, nodes map[string]*node) []*group {
	var there, here []string
	label := ""
	for _, name := range g.nodes {
		if n := nodes[name]; n != nil && n.dedicated() {
			there = append(there, name)
			label = max(label, n.controlLabel())
			continue
		}
		here = append(here, name)
	}
	if len(there) == 0 {
		return []*group{g}
	}
	t.skipMany(g.place, "pods on control plane nodes", "they are no load for workers: they count with a node selector that keeps them there", len(there))
	h := *g
	h.nodes, h.count = there, len(there)
	h.base.NodeSelector = map[string]string{}
	for k, v := range g.base.NodeSelector {
		h.base.NodeSelector[k] = v
	}
	h.base.NodeSelector[label] = ""
	h.shape = g.shape + "\ncontrol plane"
	if len(there) == g.count {
		return []*group{&h}
	}
	h.claims = nil
	g.nodes, g.count = here, g.count-len(there)
	return []*group{g, &h}
}

// oneShape leaves one group of each daemon set, that with the most pods: while
// its pods are replaced they differ, but each node runs one.
func (t *tally) oneShape(groups []*group) []*group {
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
	return slices.DeleteFunc(groups, func(g *group) bool {
		b := best[id{g.namespace, g.owner}]
		if !g.base.DaemonSet || b.shape == g.shape {
			return false
		}
		t.skipMany(g.place, g.ownerTitle(), "some of its pods request something else; they count like most of its pods", g.count)
		return true
	})
}

// podTypes names the groups and puts them in order; the groups are returned in
// the same order.
func (t *tally) podTypes(groups []*group, most int) ([]v1alpha1.PodType, []*group) {
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(compare(a.namespace, b.namespace), compare(a.owner.name, b.owner.name), compare(a.owner.kind, b.owner.kind), compare(a.shape, b.shape))
	})
	for _, within := range []bool{true, false} {
		if len(groups) > most {
			groups = collapse(groups, within)
		}
	}
	taken := map[string]bool{}
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
// for each by itself.
func collapse(groups []*group, within bool) []*group {
	type key struct {
		namespace, shape string
		storage          int64
	}
	at := map[key]*group{}
	more := map[*group]int{}
	var out []*group
	for _, g := range groups {
		k := key{shape: g.shape, storage: int64(g.base.Storage)}
		if within {
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
			first.nodes = append(first.nodes, g.nodes...)
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
