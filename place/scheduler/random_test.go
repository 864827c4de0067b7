package scheduler

import (
	"fmt"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	_ "plimsoll.dev/internal/seed"
)

// Random clusters and classes in which everything is mixed. Labels and values
// are few, so that rules meet each other.

func maybe(t *rapid.T, label string, oneIn int) bool {
	return rapid.IntRange(1, oneIn).Draw(t, label) == oneIn
}

func pick[T any](t *rapid.T, label string, from ...T) T {
	return rapid.SampledFrom(from).Draw(t, label)
}

func drawLabels(t *rapid.T) map[string]string {
	out := map[string]string{}
	for _, key := range []string{"app", "tier"} {
		if !maybe(t, "lacks "+key, 4) {
			out[key] = pick(t, key, "a", "b", "c")
		}
	}
	return out
}

func drawTaints(t *rapid.T) []v1alpha1.Taint {
	var out []v1alpha1.Taint
	for maybe(t, "taint", 4) {
		out = append(out, v1alpha1.Taint{Key: pick(t, "taint key", "x", "y"), Value: pick(t, "taint value", "", "1"),
			Effect: pick(t, "effect", noSchedule, preferNoSchedule, preferNoSchedule, noExecute)})
	}
	if maybe(t, "cordon taint", 12) {
		out = append(out, unschedulableTaint)
	}
	return out
}

func drawNode(t *rapid.T, i int) Node {
	n := Node{Name: fmt.Sprintf("n%d", i), Labels: map[string]string{}, Taints: drawTaints(t),
		Unschedulable: maybe(t, "cordoned", 12)}
	if !maybe(t, "no hostname", 10) {
		n.Labels[HostnameLabel] = n.Name
	}
	if !maybe(t, "no zone", 8) {
		n.Labels[ZoneLabel] = pick(t, "zone", "z1", "z2", "z3")
	}
	if maybe(t, "disk", 2) {
		n.Labels["disk"] = pick(t, "kind", "ssd", "hdd", "7", "12", "")
	}
	n.Allocatable = Resources{CPU: pick[int64](t, "cpu", 0, 2000, 4000, 4000, 7910),
		Memory: pick[int64](t, "memory", 0, 4<<30, 8<<30, 8<<30, 15<<30), Pods: pick[int64](t, "pods", 2, 5, 110)}
	if maybe(t, "storage", 3) {
		n.Allocatable.EphemeralStorage = 100 << 30
	}
	if maybe(t, "gpus", 3) {
		n.Allocatable.Scalar = map[string]int64{"example.com/gpu": pick[int64](t, "gpu", 0, 2, 8)}
	}
	return n
}

func drawRequirement(t *rapid.T, key string, numbers bool, values ...string) v1alpha1.Requirement {
	operators := []string{"In", "NotIn", "Exists", "DoesNotExist"}
	if numbers {
		operators = append(operators, "Gt", "Lt")
	}
	r := v1alpha1.Requirement{Key: key, Operator: rapid.SampledFrom(operators).Draw(t, "operator")}
	switch r.Operator {
	case "In", "NotIn":
		r.Values = rapid.SliceOfNDistinct(rapid.SampledFrom(values), 1, 2, rapid.ID[string]).Draw(t, "values")
	case "Gt", "Lt":
		r.Values = []string{"9"}
	}
	return r
}

func drawSelector(t *rapid.T) *v1alpha1.LabelSelector {
	switch rapid.IntRange(0, 9).Draw(t, "selector") {
	case 0:
		return nil
	case 1:
		return &v1alpha1.LabelSelector{}
	case 2, 3:
		return &v1alpha1.LabelSelector{
			MatchExpressions: []v1alpha1.Requirement{drawRequirement(t, pick(t, "key", "app", "tier"), false, "a", "b", "c")},
		}
	}
	return &v1alpha1.LabelSelector{MatchLabels: map[string]string{"app": pick(t, "app", "a", "b", "c")}}
}

func drawTerm(t *rapid.T) v1alpha1.NodeSelectorTerm {
	out := v1alpha1.NodeSelectorTerm{}
	if !maybe(t, "no expression", 6) {
		out.MatchExpressions = append(out.MatchExpressions,
			drawRequirement(t, pick(t, "key", "disk", ZoneLabel), true, "ssd", "hdd", "z1", "z2"))
	}
	if maybe(t, "field", 8) {
		out.MatchFields = append(out.MatchFields, v1alpha1.Requirement{Key: nameField,
			Operator: pick(t, "field operator", "In", "NotIn"), Values: []string{pick(t, "name", "n0", "n1", "n2")}})
	}
	return out
}

func drawNodeAffinity(t *rapid.T) *v1alpha1.NodeAffinity {
	out := &v1alpha1.NodeAffinity{}
	if maybe(t, "required", 3) {
		out.Required = &v1alpha1.NodeSelector{NodeSelectorTerms: []v1alpha1.NodeSelectorTerm{drawTerm(t)}}
		if maybe(t, "second", 3) {
			out.Required.NodeSelectorTerms = append(out.Required.NodeSelectorTerms, drawTerm(t))
		}
	}
	for maybe(t, "preferred", 2) {
		out.Preferred = append(out.Preferred,
			v1alpha1.PreferredSchedulingTerm{Weight: pick[int32](t, "weight", 1, 7, 100), Preference: drawTerm(t)})
	}
	return out
}

func drawPodTerm(t *rapid.T) v1alpha1.PodAffinityTerm {
	out := v1alpha1.PodAffinityTerm{LabelSelector: drawSelector(t),
		TopologyKey: pick(t, "topology", HostnameLabel, ZoneLabel, ZoneLabel, "disk")}
	switch rapid.IntRange(0, 7).Draw(t, "namespaces") {
	case 0:
		out.Namespaces = []string{"other"}
	case 1:
		out.NamespaceSelector = &v1alpha1.LabelSelector{}
	case 2:
		out.NamespaceSelector = &v1alpha1.LabelSelector{
			MatchExpressions: []v1alpha1.Requirement{drawRequirement(t, "team", false, "red", "blue")},
		}
	}
	if maybe(t, "match keys", 6) {
		out.MatchLabelKeys = []string{"tier"}
	}
	if maybe(t, "mismatch keys", 6) {
		out.MismatchLabelKeys = []string{"app"}
	}
	return out
}

func drawPodAffinity(t *rapid.T) *v1alpha1.PodAffinity {
	out := &v1alpha1.PodAffinity{}
	for maybe(t, "pod required", 4) {
		out.Required = append(out.Required, drawPodTerm(t))
	}
	for maybe(t, "pod preferred", 2) {
		out.Preferred = append(out.Preferred,
			v1alpha1.WeightedPodAffinityTerm{Weight: pick[int32](t, "weight", 1, 50, 100), PodAffinityTerm: drawPodTerm(t)})
	}
	return out
}

func drawSpread(t *rapid.T) v1alpha1.TopologySpreadConstraint {
	out := v1alpha1.TopologySpreadConstraint{
		MaxSkew:           pick[int32](t, "skew", 1, 1, 2, 5),
		TopologyKey:       pick(t, "topology", HostnameLabel, ZoneLabel, ZoneLabel, "disk"),
		WhenUnsatisfiable: pick(t, "unsatisfiable", doNotSchedule, scheduleAnyway), LabelSelector: drawSelector(t),
		NodeAffinityPolicy: pick(t, "affinity policy", "", honor, ignore),
		NodeTaintsPolicy:   pick(t, "taints policy", "", honor, ignore),
	}
	if maybe(t, "min domains", 4) {
		out.MinDomains = new(pick[int32](t, "domains", 1, 2, 3, 5))
	}
	if maybe(t, "match keys", 5) {
		out.MatchLabelKeys = []string{"app"}
	}
	return out
}

func drawClass(t *rapid.T, i int) PodClass {
	c := PodClass{Name: fmt.Sprintf("c%d", i), Namespace: pick(t, "namespace", "", "default", "other", "unknown"),
		Labels: drawLabels(t), Priority: pick[int32](t, "priority", 0, 0, 5, -3, 100)}
	c.Request = Resources{CPU: pick[int64](t, "cpu", 0, 100, 250, 1000),
		Memory: pick[int64](t, "memory", 0, 128<<20, 1<<30, 3<<30)}
	c.NonZeroCPU, c.NonZeroMemory = max(c.Request.CPU, 100), max(c.Request.Memory, 200<<20)
	if maybe(t, "storage", 6) {
		c.Request.EphemeralStorage = 10 << 30
	}
	if maybe(t, "gpu", 6) {
		c.Request.Scalar = map[string]int64{"example.com/gpu": pick[int64](t, "gpus", 0, 1, 3)}
	}
	for maybe(t, "toleration", 3) {
		c.Tolerations = append(c.Tolerations, v1alpha1.Toleration{Key: pick(t, "key", "", "x", "y", unschedulableTaint.Key),
			Operator: pick(t, "operator", "Exists", "Exists", "Equal", ""),
			Effect:   pick(t, "effect", "", noSchedule, preferNoSchedule)})
	}
	if maybe(t, "selector", 8) {
		c.NodeSelector = map[string]string{"disk": pick(t, "disk", "ssd", "hdd", "")}
	}
	if maybe(t, "affinity", 3) {
		c.Affinity = &v1alpha1.Affinity{}
		if maybe(t, "node affinity", 2) {
			c.Affinity.NodeAffinity = drawNodeAffinity(t)
		}
		if maybe(t, "pod affinity", 2) {
			c.Affinity.PodAffinity = drawPodAffinity(t)
		}
		if maybe(t, "pod anti-affinity", 2) {
			c.Affinity.PodAntiAffinity = drawPodAffinity(t)
		}
	}
	for maybe(t, "spread", 4) {
		c.TopologySpreadConstraints = append(c.TopologySpreadConstraints, drawSpread(t))
	}
	if maybe(t, "default spread", 6) {
		c.DefaultSpread = drawSelector(t)
	}
	for maybe(t, "port", 6) {
		c.HostPorts = append(c.HostPorts, v1alpha1.HostPort{Port: pick[int32](t, "port number", 0, 80, 443),
			Protocol: pick(t, "protocol", "", "TCP", "UDP"), HostIP: pick(t, "address", "", "10.0.0.1", anyAddress)})
	}
	if maybe(t, "bound by name", 20) {
		c.NodeName = pick(t, "node name", "n0", "n99")
	}
	return c
}

func drawProfile(t *rapid.T) Profile {
	p := Profile{Release: pick(t, "release", "1.36", "1.36", "1.35", "1.34", "1.30"), Seed: 7,
		Namespaces: map[string]map[string]string{"default": {"team": "red"}, "other": {"team": "blue"}},
		// Small clusters are sampled only when the scheduler does not score at all.
		PercentageOfNodesToScore: pick(t, "percentage", 0, 0, 10, 100),
	}
	switch rapid.IntRange(0, 5).Draw(t, "strategy") {
	case 0:
		p.ScoringStrategy = mostAllocated
	case 1:
		p.ScoringStrategy, p.Shape = capacityRatio,
			[]v1alpha1.ShapePoint{{Utilization: 0, Score: 1}, {Utilization: 33, Score: 10}, {Utilization: 100, Score: 0}}
	case 2:
		p.Resources = []v1alpha1.ResourceWeight{{Name: memory, Weight: 3}, {Name: "example.com/gpu", Weight: 5},
			{Name: ephemeral, Weight: 1}}
	}
	if maybe(t, "weights", 4) {
		p.Weights = map[string]int64{}
		for _, name := range sortedKeys(defaultWeights) {
			if maybe(t, "weight of "+name, 3) {
				p.Weights[name] = pick[int64](t, "weight", 0, 1, 10, 100)
			}
		}
	}
	return p
}
