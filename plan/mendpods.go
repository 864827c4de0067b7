package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/internal/words"
	"plimsoll.dev/node"
	"plimsoll.dev/part"
	"plimsoll.dev/place"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/plan/fit"
	"plimsoll.dev/unit"
)

// podsNamed are the scenario's pod types of a name.
func (p *planner) podsNamed(name string) []v1alpha1.PodType {
	return slices.DeleteFunc(slices.Clone(p.s.Workload.PodTypes), func(t v1alpha1.PodType) bool { return t.Name != name })
}

// leftChanges might give pods that a packing leaves over a place.
func (p *planner) leftChanges(c *choice, l fit.Left) []part.Change {
	name := c.items[l.Item].Name
	var out []part.Change
	switch {
	case l.Resource == -2:
		for _, t := range p.podsNamed(name) {
			out = append(out, c.letOn(t)...)
			out = append(out, selectorless(t)...)
		}
		return append(out, p.mixes(c, l)...)
	case l.Resource == dimPods:
		for _, r := range c.rooms {
			out = append(out, part.Change{Kind: "maxPods " + r.Type.Name,
				Says: fmt.Sprintf("set maxPods of %s to %d", r.Type.Name, 2*r.Type.MaxPods),
				Do:   part.OnType(r.index, func(t *v1alpha1.NodeType) { t.MaxPods *= 2 })})
		}
	case l.Resource >= 0:
		for _, t := range p.podsNamed(name) {
			out = append(out, p.lackingOn(c, t)...)
		}
		for _, r := range c.rooms {
			out = append(out, p.largerFor(r, l.Resource, c.items[l.Item].Need[l.Resource])...)
		}
		out = append(append(out, p.mixes(c, l)...), p.smallerPod(c, l)...)
	default:
		out = p.moreNodes(c)
	}
	return out
}

// largerFor is a node type with more of a resource, of which a pod needs so much.
func (p *planner) largerFor(r roomOf, resource int, need int64) []part.Change {
	name, on := r.Type.Name, p.dims[resource]
	size, pages := strings.CutPrefix(on, hugePagePrefix)
	switch {
	case resource == dimCPU || resource == dimMemory:
		return resized("larger", r.index, r.Type, 2, 4, 8)
	case on == ephemeralStorage:
		var out []part.Change
		for factor := unit.Bytes(2); factor <= 8 && r.Type.Disk > 0; factor *= 2 {
			disk := r.Type.Disk * factor
			out = append(out, part.Change{Kind: "disk " + name, Says: fmt.Sprintf("give each %s node a disk of %s", name, disk),
				Do: part.OnType(r.index, func(t *v1alpha1.NodeType) { t.Disk = disk })})
		}
		return out
	case pages && r.Type.HugePages == nil:
		return resized("larger", r.index, r.Type, 2, 4)
	case pages:
		return []part.Change{{Kind: on + name,
			Says: fmt.Sprintf("leave hugePages out of %s: the plan then says how many pages of %s it takes", name, size),
			Do:   part.OnType(r.index, func(t *v1alpha1.NodeType) { t.HugePages, t.HugePagesPerNUMANode = nil, nil })}}
	}
	return []part.Change{{Kind: on + name, Says: fmt.Sprintf("give each %s %d %s", name, need, on),
		Do: part.OnType(r.index, func(t *v1alpha1.NodeType) {
			t.Devices = maps.Clone(t.Devices)
			if t.Devices == nil {
				t.Devices = map[string]int64{}
			}
			t.Devices[on] = need
		})}}
}

// resized are node types of so many times the cores and the memory.
func resized(kind string, index int, t v1alpha1.NodeType, factors ...float64) []part.Change {
	if t.Topology != "" || t.TopologyFile != "" || t.NUMANodes > 1 {
		return nil
	}
	var out []part.Change
	for _, f := range factors {
		cpus, memory := int(float64(t.CPUs)*f), unit.Bytes(float64(t.Memory)*f)
		words := fmt.Sprintf("take a %s node type than %s", kind, t.Name)
		if t.Role == "infra" {
			words = fmt.Sprintf("take a %s node type with role: infra", kind)
		}
		out = append(out, part.Change{Kind: kind + t.Name,
			Says: fmt.Sprintf("%s, such as one of %d CPUs and %s", words, cpus, memory),
			Do:   part.OnType(index, func(t *v1alpha1.NodeType) { t.CPUs, t.Memory = cpus, memory })})
	}
	return out
}

// smallerPod asks for what a node gives.
func (p *planner) smallerPod(c *choice, l fit.Left) []part.Change {
	name := c.items[l.Item].Name
	most := int64(0)
	for _, b := range c.bins {
		most = max(most, b.Cap[l.Resource])
	}
	switch {
	case most == 0 || node.OfPolicy(p.s.Policy) != node.NoOvercommit:
		return nil
	case l.Resource == dimCPU:
		return []part.Change{{Kind: "less of " + name, Do: onPods(name, func(t *v1alpha1.PodType) { t.CPU = unit.CPU(most) }),
			Says: fmt.Sprintf("ask for %s for each pod of %s", derive.Of(float64(most), unit.Millicores), name)}}
	case l.Resource == dimMemory:
		most -= most % int64(unit.MiB)
		return []part.Change{{Kind: "less of " + name,
			Do:   onPods(name, func(t *v1alpha1.PodType) { t.Memory = unit.Bytes(most) }),
			Says: fmt.Sprintf("ask for %s for each pod of %s", unit.Bytes(most), name)}}
	}
	return nil
}

// mixes add nodes of another type, for the pods that the chosen nodes don't take.
func (p *planner) mixes(c *choice, l fit.Left) []part.Change {
	if len(c.rooms) != 1 || c.stated[0] != 0 || len(p.s.Hardware.Options) > 0 || c.opt.Name == TodaysNodes {
		return nil
	}
	var out []part.Change
	it := c.items[l.Item]
	for i := range p.options {
		o := &p.options[i]
		if o == c || len(o.rooms) != 1 || len(o.items) <= l.Item || o.items[l.Item].On != nil && !o.items[l.Item].On[0] {
			continue
		}
		least := fit.Best([]fit.Item{o.items[l.Item]}, []fit.Bin{{Cap: o.bins[0].Cap, Count: fit.Unlimited}})
		if len(least.Left) > 0 {
			continue
		}
		n := least.Nodes + *p.s.Policy.SpareNodes
		if p.losesZone() {
			n = max(n, ZoneLossCount(least.Nodes, p.s.Policy.Zones))
		}
		for _, n := range []int{n, 2 * n} {
			nodes := []v1alpha1.OptionNodes{{Type: o.opt.Nodes[0].Type, Count: n}, {Type: c.opt.Nodes[0].Type}}
			out = append(out, part.Change{Kind: "mix",
				Says: fmt.Sprintf("mix types under hardware.options: %d x %s for %s, and %s", n, nodes[0].Type, it.Name,
					nodes[1].Type),
				Do: func(s *v1alpha1.Scenario) {
					s.Hardware.Options = []v1alpha1.HardwareOption{{Name: stockMix, Nodes: nodes}}
				}})
		}
	}
	return out
}

// letOn are the labels and the tolerations with which pods run on the option's nodes.
func (c *choice) letOn(t v1alpha1.PodType) []part.Change {
	var out []part.Change
	for _, r := range c.rooms {
		var says []string
		var do []func(*v1alpha1.Scenario)
		lacks, taints := node.Barred(t, r.Type)
		for _, key := range slices.Sorted(maps.Keys(lacks)) {
			says = append(says, fmt.Sprintf("give %s the label %s", r.Type.Name, pair(key, lacks[key])))
		}
		do = append(do, part.OnType(r.index, func(n *v1alpha1.NodeType) {
			labels := maps.Clone(n.Labels)
			if labels == nil {
				labels = map[string]string{}
			}
			maps.Copy(labels, lacks)
			n.Labels = labels
		}))
		for _, taint := range taints {
			says = append(says, fmt.Sprintf("let %s tolerate %s:%s", t.Name, pair(taint.Key, taint.Value), taint.Effect))
			do = append(do, onPods(t.Name, func(t *v1alpha1.PodType) {
				t.Tolerations = append(slices.Clip(t.Tolerations), v1alpha1.Toleration{Key: taint.Key, Operator: "Equal",
					Value: taint.Value, Effect: taint.Effect})
			}))
		}
		if len(says) > 0 {
			out = append(out, part.Change{Kind: "let " + t.Name + r.Type.Name,
				Says: strings.Join(says, " and "), Do: each(do...)})
		}
	}
	return out
}

func pair(key, value string) string {
	if value == "" {
		return key
	}
	return key + "=" + value
}

// selectorless are pods that any node will do for.
func selectorless(t v1alpha1.PodType) []part.Change {
	if len(t.NodeSelector) == 0 {
		return nil
	}
	return []part.Change{{Kind: "selector " + t.Name, Says: "leave nodeSelector out of " + t.Name,
		Do: onPods(t.Name, func(t *v1alpha1.PodType) { t.NodeSelector = nil })}}
}

// heldChanges might give pods a place that no number of nodes does.
func (p *planner) heldChanges(c *choice) []part.Change {
	var out []part.Change
	if c.holding.open < 0 {
		out = p.moreNodes(c)
	}
	_, h := c.holding.last()
	for _, t := range p.s.Workload.PodTypes {
		if slices.Contains(h.Homeless(), t.Name) {
			out = append(out, p.looser(t)...)
			out = append(out, p.lackingOn(c, t)...)
		}
	}
	for _, t := range p.s.Workload.PodTypes { // whose terms keep others away
		if a := t.Affinity; !slices.Contains(h.Homeless(), t.Name) && a != nil && a.PodAntiAffinity != nil {
			out = append(out, wished(t)...)
		}
	}
	for _, r := range c.rooms {
		out = append(out, resized("larger", r.index, r.Type, 2)...)
	}
	return append(out, p.less(h.Event)...)
}

// lackingOn are the devices and the pages that pods ask for and nodes of the option lack, all of them.
func (p *planner) lackingOn(c *choice, t v1alpha1.PodType) []part.Change {
	var out []part.Change
	need := p.dims.need(node.Effective(t), node.NoOvercommit)
	for _, r := range c.rooms {
		have := p.dims.capacity(r, node.NoOvercommit)
		var says []string
		var do []func(*v1alpha1.Scenario)
		for i := firstExtra; i < len(need); i++ {
			missing := need[i] > have[i] || t.DaemonSet && need[i] > 0 && have[i] == 0
			sized := strings.HasPrefix(p.dims[i], hugePagePrefix) && r.Type.HugePages == nil // by the plan
			if missing && !sized && p.dims[i] != ephemeralStorage {
				more := p.largerFor(r, i, need[i])[0]
				says, do = append(says, more.Says), append(do, more.Do)
			}
		}
		if len(says) > 0 {
			out = append(out, part.Change{Kind: "equip " + r.Type.Name, Says: strings.Join(says, " and "), Do: each(do...)})
		}
	}
	return out
}

// looser are pods with one constraint less.
func (p *planner) looser(t v1alpha1.PodType) []part.Change {
	out := wished(t)
	if slices.ContainsFunc(t.TopologySpreadConstraints, demanded) {
		out = append(out, part.Change{Kind: "spread " + t.Name,
			Says: "set whenUnsatisfiable of " + t.Name + "'s topologySpreadConstraints to ScheduleAnyway",
			Do: onPods(t.Name, func(t *v1alpha1.PodType) {
				t.TopologySpreadConstraints = slices.Clone(t.TopologySpreadConstraints)
				for i := range t.TopologySpreadConstraints {
					t.TopologySpreadConstraints[i].WhenUnsatisfiable = "ScheduleAnyway"
				}
			})})
	}
	if t.MaxPerNode > 0 {
		out = append(out, part.Change{Kind: "apart " + t.Name, Says: "leave maxPerNode out of " + t.Name,
			Do: onPods(t.Name, func(t *v1alpha1.PodType) { t.MaxPerNode = 0 })})
	}
	if len(t.HostPorts) > 0 {
		out = append(out, part.Change{Kind: "ports " + t.Name, Says: "leave hostPorts out of " + t.Name,
			Do: onPods(t.Name, func(t *v1alpha1.PodType) { t.HostPorts = nil })})
	}
	out = append(out, selectorless(t)...)
	if zones := p.zonesApart(t); zones > p.s.Policy.Zones {
		out = append(out, part.Zones(zones))
	}
	return out
}

func demanded(c v1alpha1.TopologySpreadConstraint) bool {
	return c.WhenUnsatisfiable != "ScheduleAnyway"
}

// zonesApart is how many zones pods take that want one each; 0 for others, and where those are many.
func (p *planner) zonesApart(t v1alpha1.PodType) int {
	const most = 6
	a := t.Affinity
	if a == nil || a.PodAntiAffinity == nil || t.Replicas > most ||
		!slices.ContainsFunc(a.PodAntiAffinity.Required, func(x v1alpha1.PodAffinityTerm) bool {
			return x.TopologyKey == scheduler.ZoneLabel
		}) {
		return 0
	}
	if p.losesZone() {
		return t.Replicas + 1
	}
	return t.Replicas
}

// wished are pods that wish for what they demand of the pods beside them.
func wished(t v1alpha1.PodType) []part.Change {
	if t.Affinity == nil {
		return nil
	}
	var out []part.Change
	for _, a := range []struct {
		name string
		of   func(a *v1alpha1.Affinity) **v1alpha1.PodAffinity
	}{
		{"podAffinity", func(a *v1alpha1.Affinity) **v1alpha1.PodAffinity { return &a.PodAffinity }},
		{"podAntiAffinity", func(a *v1alpha1.Affinity) **v1alpha1.PodAffinity { return &a.PodAntiAffinity }},
	} {
		if terms := *a.of(t.Affinity); terms == nil || len(terms.Required) == 0 {
			continue
		}
		out = append(out, part.Change{Kind: a.name + t.Name,
			Says: fmt.Sprintf("make the required %s of %s a preferred one", a.name, t.Name),
			Do: onPods(t.Name, func(t *v1alpha1.PodType) {
				all := *t.Affinity
				soft := **a.of(&all)
				for _, term := range soft.Required {
					soft.Preferred = append(slices.Clip(soft.Preferred),
						v1alpha1.WeightedPodAffinityTerm{Weight: 100, PodAffinityTerm: term})
				}
				soft.Required = nil
				*a.of(&all), t.Affinity = &soft, &all
			})})
	}
	return out
}

// bars names what keeps pods out however many nodes there are; empty where it is not theirs to change.
func (p *planner) bars(h place.Held) string {
	var out []string
	for _, t := range p.s.Workload.PodTypes {
		if slices.Contains(h.Homeless(), t.Name) {
			out = append(out, terms(t)...)
		}
	}
	if len(out) == 0 {
		return ""
	}
	return "more nodes do not help: what keeps the pods out is " + words.Some(out, 3)
}

// terms are the constraints of pods, by the names of their fields.
func terms(t v1alpha1.PodType) []string {
	var out []string
	a := cmp.Or(t.Affinity, &v1alpha1.Affinity{})
	for _, c := range []struct {
		field string
		given bool
	}{
		{"nodeSelector", len(t.NodeSelector) > 0},
		{"nodeAffinity", a.NodeAffinity != nil && a.NodeAffinity.Required != nil},
		{"podAffinity", a.PodAffinity != nil && len(a.PodAffinity.Required) > 0},
		{"podAntiAffinity", a.PodAntiAffinity != nil && len(a.PodAntiAffinity.Required) > 0},
		{"topologySpreadConstraints", slices.ContainsFunc(t.TopologySpreadConstraints, demanded)},
		{"maxPerNode", t.MaxPerNode > 0}, {"hostPorts", len(t.HostPorts) > 0},
	} {
		if c.given {
			out = append(out, "the "+c.field+" of "+t.Name)
		}
	}
	return out
}
