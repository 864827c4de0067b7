package placement

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/object"
)

const nodes = `
kind: Node
metadata: {name: m, labels: {node-role.kubernetes.io/master: ""}}
---
kind: Node
metadata: {name: i1, labels: {node-role.kubernetes.io/infra: ""}}
---
kind: Node
metadata: {name: i2, labels: {node-role.kubernetes.io/infra: ""}}
spec: {taints: [{key: infra, effect: NoSchedule}, {key: soft, effect: PreferNoSchedule}]}
---
kind: Node
metadata: {name: i3, labels: {node-role.kubernetes.io/infra: ""}}
spec: {unschedulable: true}
`

func TestFit(t *testing.T) {
	objects, problems := object.Split("n.yaml", []byte(nodes))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	c := ClusterOf(objects)
	if !c.Whole || ClusterOf(objects[1:]).Whole {
		t.Error("a set with a control plane node is the whole cluster")
	}
	infra := map[string]string{openshift.LabelInfra: ""}
	got := c.Fit(infra, nil)
	if d := cmp.Diff(Fit{Nodes: []string{"i1"}, Tainted: []string{"i2"}, Cordoned: []string{"i3"}}, got); d != "" {
		t.Error(d)
	}
	if m := got.Missing(); m != "kept off: i2 by a taint that is not tolerated, i3 by being cordoned" {
		t.Error(m)
	}
	got = c.Fit(infra, []openshift.Toleration{{Key: "infra", Operator: "Exists"}})
	if !slices.Equal(got.Nodes, []string{"i1", "i2"}) {
		t.Error(got)
	}
	if all := c.Fit(nil, []openshift.Toleration{{Operator: "Exists"}}); len(all.Nodes) != 3 {
		t.Error(all)
	}
}

func TestListed(t *testing.T) {
	if s := listed(strings.Split("a b c d e", " ")); s != "a, b, c and 2 more" {
		t.Error(s)
	}
}

// Tolerates answers as Kubernetes' own types do.
func TestToleratesAsKubernetes(t *testing.T) {
	pick := func(t *rapid.T, name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }
	rapid.Check(t, func(t *rapid.T) {
		taint := v1alpha1.Taint{Key: pick(t, "key", "a", "b"), Value: pick(t, "value", "", "x"), Effect: pick(t, "effect", Effects...)}
		ours := openshift.Toleration{Key: pick(t, "tkey", "", "a", "b"), Operator: pick(t, "op", "", "Equal", "Exists"),
			Value: pick(t, "tvalue", "", "x"), Effect: pick(t, "teffect", append(Effects, "")...)}
		if field, _, _ := Wrong(ours); field != "" {
			return
		}
		theirs := corev1.Toleration{Key: ours.Key, Operator: corev1.TolerationOperator(ours.Operator), Value: ours.Value, Effect: corev1.TaintEffect(ours.Effect)}
		kube := corev1.Taint{Key: taint.Key, Value: taint.Value, Effect: corev1.TaintEffect(taint.Effect)}
		if got, want := Tolerates([]openshift.Toleration{ours}, taint), silently(theirs.ToleratesTaint, &kube); got != want {
			t.Fatalf("%+v and %+v: %v", ours, taint, got)
		}
		if made := Tolerating([]v1alpha1.Taint{taint}); len(made) > 0 {
			if field, what, _ := Wrong(made[0]); field != "" || !Tolerates(made, taint) {
				t.Fatalf("%+v for %+v: %s", made, taint, what)
			}
		}
	})
}

// silently asks Kubernetes without a logger, whatever type that has.
func silently[L any](tolerates func(L, *corev1.Taint, bool) bool, taint *corev1.Taint) bool {
	var none L
	return tolerates(none, taint, false)
}

func TestWrong(t *testing.T) {
	seconds := int64(5)
	for want, tol := range map[string]openshift.Toleration{
		"":                  {Key: "a", Operator: "Exists", Effect: NoSchedule},
		"operator":          {Key: "a", Operator: "exists"},
		"effect":            {Key: "a", Effect: "Noschedule"},
		"value":             {Key: "a", Operator: "Exists", Value: "x"},
		"key":               {Value: "x"},
		"tolerationSeconds": {Key: "a", Effect: NoSchedule, TolerationSeconds: &seconds},
	} {
		if field, what, fix := Wrong(tol); field != want || (what == "") != (want == "") || (fix == "") != (want == "") {
			t.Errorf("%+v: %q, %q, %q", tol, field, what, fix)
		}
	}
}
