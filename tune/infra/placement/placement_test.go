package placement

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/openshift"
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
