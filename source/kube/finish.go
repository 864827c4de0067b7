package kube

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/unit"
)

// compare orders texts.
func compare(a, b string) int { return strings.Compare(a, b) }

// inventory draws the sum. running says that the input is a snapshot; file is
// the place of what is said of the whole input.
func (t *tally) inventory(set Options, running bool, file string) *v1alpha1.Inventory {
	pods := running && t.livePods
	if !pods {
		t.uncounted()
	}
	groups := t.chosen(pods)
	t.adopt(groups)
	scaled, growth := t.scale(groups, pods)
	t.rank(groups)
	t.runIn(groups)
	t.admit(groups)
	t.belong(groups)
	t.guard(groups)
	t.pull(groups)
	t.mount(groups)
	t.mergeNodes()
	most := backends(t.services, groups)
	for _, g := range groups {
		space := t.space(g.namespace) // a namespace of DaemonSets alone is one, too
		if g.isPod || g.owner.kind != kindDaemonSet {
			space.pods += g.count
		}
	}
	var held []*group
	if pods {
		groups, held = t.split(groups)
	}
	groups = t.combine(groups)
	t.sayNotes(groups)
	t.attach(groups)
	taken := map[string]bool{}
	types, groups := t.podTypes(groups, set.MaxPodTypes, taken)
	inv := &v1alpha1.Inventory{PodTypes: types, Objects: t.objects}
	if pods {
		assume(inv, v1alpha1.Autoscaled, v1alpha1.AutoscaledRunning, scaled)
		tellGrowth(inv, growth)
	} else {
		assume(inv, v1alpha1.Autoscaled, v1alpha1.AutoscaledValue, scaled)
	}
	t.addBudgets(inv, groups)
	t.nodeTypes(inv, set)
	t.wholeCluster(inv)
	if running {
		t.left(groups, file)
		types, held = t.podTypes(t.combine(held), set.MaxPodTypes, taken)
		inv.PodTypes = append(inv.PodTypes, types...)
		t.single(inv, append(groups, held...))
		t.openShift(inv)
	}
	t.fillObjects(&inv.Objects, most)
	inv.Skipped = t.list()
	return inv
}

// fillObjects adds the numbers that are known only at the end.
func (t *tally) fillObjects(o *objects, backends int) {
	o.BackendsPerService = backends
	for name, s := range t.spaces {
		if name != "" {
			o.Namespaces++
		}
		o.PodsPerNamespace = max(o.PodsPerNamespace, s.pods)
		o.ServicesPerNamespace = max(o.ServicesPerNamespace, s.services)
		o.DeploymentsPerNamespace = max(o.DeploymentsPerNamespace, s.deployments)
	}
}

// id names an object in the whole input.
type id struct {
	namespace string
	ref
}

// chosen are the groups that count: of a snapshot with pods the pods, else the
// controllers and the pods that none of them owns.
func (t *tally) chosen(pods bool) []*group {
	slices.SortFunc(t.groups, func(a, b *group) int {
		if a.place != b.place {
			return flip(a.place.before(b.place))
		}
		return cmp.Or(compare(a.namespace, b.namespace), compare(a.name, b.name), compare(a.shape, b.shape))
	})
	if pods {
		return slices.DeleteFunc(slices.Clone(t.groups), func(g *group) bool { return !g.isPod })
	}
	last := map[id]*group{}
	replaced := map[*group]bool{}
	for _, g := range t.groups {
		if k := g.id(); k.name != "" {
			if old := last[k]; old != nil {
				replaced[old] = t.replaces(g, old)
			}
			last[k] = g
		}
	}
	return slices.DeleteFunc(slices.Clone(t.groups), func(g *group) bool {
		parent := last[id{g.namespace, g.parent}] != nil || g.isPod &&
			last[id{g.namespace, g.owner}] != nil && g.owner.kind != kindPod
		return parent || replaced[g]
	})
}

// replaces says whether g is the object old, given once more. Files that leave
// the namespace open may be meant for different ones; they all count then.
func (t *tally) replaces(g, old *group) bool {
	if g.namespace == "" && g.place.file != old.place.file {
		t.skip(old.place, g.title(), "it stands again in "+g.place.String()+
			"; both are counted, for no namespace says that they are one")
		return false
	}
	t.skip(old.place, g.title(), "it stands again in "+g.place.String()+", which is counted instead")
	return true
}

func flip(before bool) int {
	if before {
		return -1
	}
	return 1
}

// id is what the group was read from, as far as it has a name of its own.
func (g *group) id() id {
	if g.isPod {
		return id{g.namespace, ref{kindPod, g.name}}
	}
	return id{g.namespace, g.owner}
}

func (g *group) title() string {
	i := g.id()
	return i.kind + " " + path(i.namespace, i.name)
}

// adopt gives pods whose ReplicaSet or Job is in the input to what owns that: the
// names of pods need not tell it.
func (t *tally) adopt(groups []*group) {
	above := map[id]ref{}
	for _, g := range t.groups {
		if !g.isPod && g.parent.kind != "" {
			above[g.id()] = g.parent
		}
	}
	for _, g := range groups {
		if parent, ok := above[id{g.namespace, g.owner}]; ok && g.isPod {
			g.owner = parent
		}
	}
}

// scale applies the autoscalers: what is planned from manifests must stand the
// peak, while a snapshot says what there is. It returns what may grow to its most, and what
// more that would ask for.
func (t *tally) scale(groups []*group, pods bool) (scaled []string, growth amounts) {
	slices.SortFunc(t.scalers, func(a, b scaler) int { return flip(a.place.before(b.place)) })
	by := map[id][]*group{}
	for _, g := range groups {
		k := id{g.namespace, g.owner}
		by[k] = append(by[k], g)
	}
	for _, s := range t.scalers {
		found := by[id{s.namespace, s.target}]
		have := 0
		for _, g := range found {
			have += g.count
		}
		name, more := path(s.namespace, s.target.name), int64(s.most-have)
		target := s.target.kind + " " + s.target.name
		switch {
		case len(found) == 0:
			t.skip(s.place, s.title, "what it scales, "+target+", is not in the input")
		case s.most <= have:
		case pods:
			t.skip(s.place, s.title, fmt.Sprintf("%s has %d pods now, which are counted; it may grow to %d", target,
				have, s.most))
			scaled = append(scaled, fmt.Sprintf("%s %d, up to %d", name, have, s.most))
			of := found[0].base
			growth = growth.plus(amounts{{resPods, more}, {resCPU, more * int64(of.CPU)}, {resMemory, more * int64(of.Memory)}})
		default:
			found[0].count += s.most - have
			t.skip(s.place, s.title, fmt.Sprintf("%s is counted with %d pods, the most it may grow to, instead of %d", target,
				s.most, have))
			scaled = append(scaled, fmt.Sprintf("%s %d, not %d", name, s.most, have))
		}
	}
	return scaled, growth
}

// tellGrowth adds to the last assumption what autoscalers at their most would ask for beside
// what runs.
func tellGrowth(inv *v1alpha1.Inventory, growth amounts) {
	if len(growth) > 0 {
		inv.Assumptions[len(inv.Assumptions)-1].Why += fmt.Sprintf("; all at their most: %s, %s, %s more",
			unit.Format(float64(growth.of(resPods)), resPods), unit.Format(float64(growth.of(resCPU)), unit.Millicores),
			unit.FormatBytes(unit.Bytes(growth.of(resMemory))))
	}
}

// mergeNodes leaves each node once, as it was given last.
func (t *tally) mergeNodes() {
	slices.SortFunc(t.nodes, func(a, b node) int { return flip(a.place.before(b.place)) })
	last := make(map[string]int, len(t.nodes))
	for i, n := range t.nodes {
		last[n.name] = i
	}
	if len(last) == len(t.nodes) {
		return
	}
	var once []node
	for i, n := range t.nodes {
		if k := last[n.name]; k != i {
			t.skip(n.place, kindNode+" "+n.name, "it stands again in "+t.nodes[k].place.String()+", which is counted instead")
			continue
		}
		once = append(once, n)
	}
	t.nodes = once
}

// combine puts together groups that differ by their labels only.
func (t *tally) combine(groups []*group) []*group {
	type key struct {
		id
		shape, apart string
	}
	apart := apart(groups)
	var out []*group
	at := map[key]*group{}
	pods := map[key]int{}
	for _, g := range groups {
		pods[key{id: id{g.namespace, g.owner}, shape: g.shape}] += g.count
	}
	for _, g := range groups {
		k := key{id: id{g.namespace, g.owner}, shape: g.shape}
		// A bare pod without its like keeps its own name.
		if g.owner.kind == kindPod && pods[k] == 1 && g.name != "" {
			g.owner.name = g.name
		}
		k.apart = apart(g) + "\n" + g.guarded()
		if have := at[k]; have != nil {
			have.merge(g)
			continue
		}
		at[k] = g
		out = append(out, g)
	}
	return out
}

// sayNotes lists what of each group could not be counted.
func (t *tally) sayNotes(groups []*group) {
	for _, g := range groups {
		for _, n := range g.notes {
			t.add(g.place, g.ownerTitle(), "not counted: "+n.text, g.count, n.planning)
			if !n.planning && (len(g.waiting) > 0 || len(g.nodes) == 0) {
				t.decide(g.place, g.ownerTitle(), "not counted: "+n.text, 0)
			}
		}
	}
}

// ownerTitle names what the pods belong to.
func (g *group) ownerTitle() string { return g.owner.kind + " " + path(g.namespace, g.owner.name) }

// attach gives the sizes of mounted claims to the groups, each claim once.
func (t *tally) attach(groups []*group) {
	taken := map[string]bool{}
	for _, g := range groups {
		slices.Sort(g.claims)
		total, missing := int64(0), 0
		for _, name := range slices.Compact(slices.Clone(g.claims)) {
			full := path(g.namespace, name)
			c, ok := t.claims[full]
			switch {
			case !ok:
				missing++
			case !taken[full]:
				taken[full] = true
				total += c.size
			}
		}
		switch {
		case missing > 0 && len(g.nodes)+len(g.waiting) == 0:
			t.decide(g.place, "volume claims",
				"they are mounted but not in the input, so their size and their nodes are not known", missing)
		case missing > 0:
			t.skipMany(g.place, "volume claims", "they are mounted but not in the input, so their size is not known", missing)
		}
		t.giveStorage(g, total)
	}
	t.leftClaims(taken)
}

// leftClaims lists what the claims hold that no counted pod mounts.
func (t *tally) leftClaims(taken map[string]bool) {
	var first place
	var total, n int64
	for name, c := range t.claims {
		if taken[name] {
			continue
		}
		if n == 0 || c.place.before(first) {
			first = c.place
		}
		total += c.size
		n++
	}
	if n > 0 {
		t.skipMany(first, "volume claims", "no counted pod mounts them; they hold "+unit.FormatBytes(unit.Bytes(total)),
			int(n))
	}
}

// giveStorage spreads what a group's claims hold over its pods.
func (t *tally) giveStorage(g *group, total int64) {
	switch n := int64(g.count); {
	case total == 0:
	case g.base.DaemonSet && !g.isPod:
		t.skip(g.place, g.ownerTitle(), "not counted: "+unit.FormatBytes(unit.Bytes(total))+" that all its pods share")
	case n > 0:
		g.base.Storage += unit.Bytes((total + n - 1) / n)
	}
}

// nodeTypes adds the node types, with the labels that pods select.
func (t *tally) nodeTypes(inv *v1alpha1.Inventory, set Options) {
	if len(t.nodes) == 0 {
		return
	}
	relevant := map[string]bool{}
	for _, p := range inv.PodTypes {
		for key := range p.NodeSelector {
			relevant[key] = true
		}
	}
	eviction := unit.Bytes(set.Facts.Must("ocp.evictionHard.memory").Number)
	inv.NodeTypes = nodeTypes(t.nodes, relevant, eviction)
}
