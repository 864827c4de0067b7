package profile

import (
	"fmt"

	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

func ptr[T any](v T) *T { return &v }

// Small vocabularies, so that things meet.
var (
	nodeKeys = []string{"a", "b", openshift.LabelWorker, openshift.LabelInfra, openshift.LabelMaster, "rt"}
	podKeys  = []string{"p", "q"}
	values   = []string{"", "1", "2"}
)

func drawLabels(t *rapid.T, keys []string, name string) map[string]string {
	out := map[string]string{}
	for _, key := range keys {
		// "9" is a value that nobody asks for.
		if v := rapid.SampledFrom([]string{"-", "-", "", "1", "2", "9"}).Draw(t, name+" "+key); v != "-" {
			out[key] = v
		}
	}
	return out
}

func drawMatch(t *rapid.T, depth int) []openshift.TunedMatch {
	n := rapid.IntRange(0, 2).Draw(t, "matches")
	if n == 0 {
		return rapid.SampledFrom([][]openshift.TunedMatch{nil, {}}).Draw(t, "empty match")
	}
	out := make([]openshift.TunedMatch, n)
	for i := range out {
		m := &out[i]
		keys := nodeKeys
		switch rapid.IntRange(0, 3).Draw(t, "type") {
		case 0:
			m.Type = ptr("node")
		case 1, 2:
			m.Type, keys = ptr("pod"), podKeys
		}
		if rapid.IntRange(0, 19).Draw(t, "has label") > 0 {
			m.Label = ptr(rapid.SampledFrom(keys).Draw(t, "label"))
		}
		if rapid.Bool().Draw(t, "has value") {
			m.Value = ptr(rapid.SampledFrom(values).Draw(t, "value"))
		}
		if depth > 0 && rapid.IntRange(0, 2).Draw(t, "nest") == 0 {
			m.Match = drawMatch(t, depth-1)
		}
	}
	return out
}

func drawItem(t *rapid.T) openshift.TunedRecommend {
	r := openshift.TunedRecommend{Profile: ptr(rapid.SampledFrom([]string{"p1", "p2", "p3", "p4"}).Draw(t, "profile"))}
	if rapid.IntRange(0, 9).Draw(t, "has priority") > 0 {
		r.Priority = ptr(int64(rapid.IntRange(0, 4).Draw(t, "priority")))
	}
	// Most items ask for something.
	for range 4 {
		if r.Match = drawMatch(t, 2); len(r.Match) > 0 {
			break
		}
	}
	if rapid.IntRange(0, 2).Draw(t, "has labels") == 0 {
		r.MachineConfigLabels = map[string]string{}
		if role := rapid.SampledFrom([]string{"worker", "infra", "master", "rt", "none", "not valid", ""}).Draw(t,
			"role"); role != "" {
			r.MachineConfigLabels[openshift.LabelRole] = role
		}
		if rapid.Bool().Draw(t, "no match") {
			r.Match = nil
		}
	}
	return r
}

func drawPools(t *rapid.T) []openshift.MachineConfigPool {
	exists := func(key string) *openshift.LabelSelector {
		return &openshift.LabelSelector{MatchExpressions: []v1alpha1.Requirement{{Key: key, Operator: "Exists"}}}
	}
	make := func(name string, nodes *openshift.LabelSelector, roles ...string) openshift.MachineConfigPool {
		return openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: name},
			Spec: openshift.MachineConfigPoolSpec{NodeSelector: nodes,
				MachineConfigSelector: &openshift.LabelSelector{
					MatchExpressions: []v1alpha1.Requirement{{Key: openshift.LabelRole, Operator: "In", Values: roles}},
				}}}
	}
	all := []openshift.MachineConfigPool{
		make("worker", exists(openshift.LabelWorker), "worker"),
		make("master", exists(openshift.LabelMaster), "master"),
		make("infra", exists(openshift.LabelInfra), "worker", "infra"),
		make("rt", &openshift.LabelSelector{MatchLabels: map[string]string{"rt": "1"}}, "rt"),
		make("empty", &openshift.LabelSelector{}, "none"),
		make("broken", &openshift.LabelSelector{MatchExpressions: []v1alpha1.Requirement{{Key: "a", Operator: "In"}}},
			"none"),
	}
	all[4].Spec.MachineConfigSelector = nil
	var out []openshift.MachineConfigPool
	for _, p := range all {
		if rapid.IntRange(0, 3).Draw(t, "pool "+p.Metadata.Name) > 0 {
			out = append(out, p)
		}
	}
	return out
}

func drawInput(t *rapid.T) Input {
	in := Input{Release: rapid.SampledFrom(release.Documented()).Draw(t, "release"), Stored: true, Pools: drawPools(t)}
	for range rapid.IntRange(0, 4).Draw(t, "CRs") {
		var cr openshift.Tuned
		cr.Metadata.Name = rapid.SampledFrom([]string{"a", "b", "default", "z", "y"}).Draw(t, "CR")
		if rapid.IntRange(0, 9).Draw(t, "namespace") == 0 {
			cr.Metadata.Namespace = "elsewhere"
		}
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			cr.Spec.Recommend = append(cr.Spec.Recommend, drawItem(t))
		}
		in.Tuneds = append(in.Tuneds, object.Typed[openshift.Tuned]{Value: cr})
	}
	nodes := rapid.IntRange(1, 5).Draw(t, "nodes")
	for i := range nodes {
		n := Node{Name: fmt.Sprint("n", i), Labels: drawLabels(t, nodeKeys, "node")}
		if rapid.IntRange(0, 9).Draw(t, "os") == 0 {
			n.Labels[osLabel] = rapid.SampledFrom([]string{"linux", "windows"}).Draw(t, "os name")
		}
		in.Nodes = append(in.Nodes, n)
	}
	for i := range rapid.IntRange(0, 6).Draw(t, "pods") {
		node := rapid.SampledFrom([]string{"n0", "n1", "n2", "", "gone"}).Draw(t, "pod's node")
		in.Pods = append(in.Pods, Pod{Name: fmt.Sprint("pod", i), Node: node, Labels: drawLabels(t, podKeys, "pod")})
	}
	return in
}
