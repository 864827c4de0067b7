package profile

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/pool"
)

// What pools and pods decide isn't known where none is given: no node gets its profile in
// green that one of them may turn, and every other node is told as ever.
func TestUnseenPoolsAndPods(t *testing.T) {
	byPool := func(role string) string {
		return "{machineConfigLabels: {" + openshift.LabelRole + ": " + role + "}, priority: 5, profile: virtual-guest}"
	}
	byPods := "{match: [{label: db, type: pod, match: [{label: disk}]}], priority: 5, profile: virtual-guest}"
	cnf := openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: "worker-cnf"}}
	cnf.Spec.NodeSelector = &openshift.LabelSelector{MatchLabels: map[string]string{"cnf": ""}}
	all := []openshift.MachineConfigPool{cnf, {Metadata: openshift.ObjectMeta{Name: pool.Worker}}}
	for _, c := range []struct {
		name, item string
		labels     []string
		pools      []openshift.MachineConfigPool
		pods       []Pod
		want       string
		found      string
	}{
		{"a custom pool may take it", byPool("worker-cnf"), []string{worker}, nil, nil, noMatch, poolsUnseen.ID},
		{"a node without a role", byPool("worker-cnf"), nil, nil, nil, noMatch, poolsUnseen.ID},
		{"no custom pool takes a master", byPool("worker-cnf"), []string{master}, nil, nil, "openshift-control-plane", ""},
		{"every cluster has pool worker", byPool("worker"), []string{worker}, nil, nil, "virtual-guest", ""},
		{"a custom pool takes what is for workers", byPool("worker"), []string{infra}, nil, nil, "openshift-control-plane",
			poolsUnseen.ID},
		{"none takes what is for masters", byPool("master"), []string{worker}, nil, nil, noMatch, ""},
		{"the pools are listed", byPool("worker-cnf"), []string{worker}, all, nil, noMatch, ""},
		{"one of them is", byPool("gpu"), []string{worker}, all[:1], nil, noMatch, poolsUnseen.ID},
		{"that of the node is", byPool("gpu"), []string{worker, "cnf"}, all[:1], nil, noMatch, ""},
		{"a pod may be there", byPods, []string{worker, "disk"}, nil, nil, noMatch, podsUnseen.ID},
		{"the label of the node lacks", byPods, []string{worker}, nil, nil, noMatch, ""},
		{"the pods are known", byPods, []string{worker, "disk"}, nil, []Pod{{Name: "p", Node: "n"}}, noMatch, ""},
	} {
		in := Input{Tuneds: crs(t, items("perf", "["+c.item+"]")), Nodes: []Node{node("n", c.labels...)}, Release: 18,
			Pods: c.pods, Pools: pool.Complete(c.pools, release.Current)}
		in.Unseen.Pods, in.Unseen.Pools = c.pods == nil, !pool.ListedWhole(c.pools)
		x := Explain(in)
		gets(t, x, c.want)
		made := x.Answer()
		one, err := x.AnswerFor("n")
		if err != nil || one.Verdict.OK != (c.found == "") || made.Verdict.OK != one.Verdict.OK {
			t.Errorf("%s: green is %v, of the node %v: %v", c.name, made.Verdict.OK, one.Verdict.OK, err)
		}
		if open := len(x.Classes[0].Unless) > 0; open != (c.found != "") || open && x.Findings[0].ID != c.found {
			t.Errorf("%s: %v", c.name, x.Findings)
		}
		for _, f := range x.Findings {
			if f.ID == noPool.ID && !x.PoolsKnown {
				t.Errorf("%s: of pools that nobody gave: %s", c.name, f.Message)
			}
		}
	}
}

// Without any Tuned nodes seem to get what CR default says, which is no good answer; of a
// cluster that has no other, that one is given.
func TestUnseenTuneds(t *testing.T) {
	in := Input{Nodes: []Node{node("n", worker)}}
	if made := Explain(in).Answer(); !made.Verdict.OK {
		t.Errorf("%+v", made.Verdict)
	}
	in.Unseen.Tuneds = true
	made := Explain(in).Answer()
	one, _ := Explain(in).AnswerFor("n")
	if made.Verdict.OK || one.Verdict.OK || !finds(made.Findings, tunedsUnseen, "no Tuned is given") {
		t.Errorf("%+v %+v", made.Verdict, one.Verdict)
	}
}

// What a custom pool or a pod turns is among what the answer without them names: a node of
// which it names nothing keeps its profile, whatever pool and pods there are.
func TestUnseenNamesAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInput(t)
		if !perNode.In(in.Release) {
			in.Release = release.Current
		}
		key := rapid.SampledFrom([]string{"rt", "a", openshift.LabelInfra}).Draw(t, "pool's label")
		custom := openshift.MachineConfigPool{Metadata: openshift.ObjectMeta{Name: "rt"}}
		custom.Spec.NodeSelector = &openshift.LabelSelector{MatchExpressions: []v1alpha1.Requirement{
			{Key: key, Operator: "Exists"}}}
		custom.Spec.MachineConfigSelector = &openshift.LabelSelector{MatchExpressions: []v1alpha1.Requirement{
			{Key: openshift.LabelRole, Operator: "In", Values: []string{"worker", "rt", "infra"}}}}
		blind := in
		blind.Pods, blind.Pools = nil, pool.Standard(in.Release)
		blind.Unseen.Pods, blind.Unseen.Pools = true, true
		in.Pools = append(pool.Standard(in.Release), custom)
		real, told := Explain(in), Explain(blind)
		for i, n := range real.Nodes {
			if n.Class < 0 || real.Classes[n.Class].PoolProblem != "" {
				continue
			}
			c := &told.Classes[told.Nodes[i].Class]
			may := []string{c.Profile}
			for _, item := range c.Unless {
				may = append(may, told.Items[item].Profile)
			}
			if !slices.Contains(may, n.Profile) {
				t.Fatalf("%s gets %s, and %v was told", n.Name, n.Profile, may)
			}
		}
	})
}
