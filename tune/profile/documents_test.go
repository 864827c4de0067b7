package profile

import (
	"os"
	"strings"
	"testing"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// objects reads manifests.
func objects(t *testing.T, text string) []*object.Object {
	t.Helper()
	out, problems := object.Split("test.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems[0].What)
	}
	return out
}

// crs reads the Tuned CRs of a text.
func crs(t *testing.T, text string) []object.Typed[openshift.Tuned] {
	t.Helper()
	out, _ := object.All[openshift.Tuned](objects(t, text), "Tuned")
	return out
}

// items is a CR with these items, in the syntax of a flow list.
func items(name, list string) string {
	return "---\napiVersion: tuned.openshift.io/v1\nkind: Tuned\nmetadata: {name: " + name +
		"}\nspec:\n  profile: []\n  recommend: " + list + "\n"
}

func file(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// with is labels: keys alone have an empty value.
func with(labels ...string) map[string]string {
	out := map[string]string{}
	for _, l := range labels {
		key, value, _ := strings.Cut(l, "=")
		out[key] = value
	}
	return out
}

func node(name string, labels ...string) Node { return Node{Name: name, Labels: with(labels...)} }

func podOn(node, name string, labels ...string) Pod {
	return Pod{Namespace: "ns", Name: name, Node: node, Labels: with(labels...)}
}

// gets compares the profiles of nodes.
func gets(t *testing.T, x *Explanation, want ...string) {
	t.Helper()
	for i, w := range want {
		if x.Nodes[i].Profile != w {
			t.Errorf("release %v: node %s gets %s, not %s", x.Release, x.Nodes[i].Name, x.Nodes[i].Profile, w)
		}
	}
}

// finds says whether a rule found something that holds some words.
func finds(found []v1alpha1.Finding, r object.Rule, words string) bool {
	for _, f := range found {
		if f.ID == r.ID && strings.Contains(f.Message, words) {
			return true
		}
	}
	return false
}

const (
	master = openshift.LabelMaster
	worker = openshift.LabelWorker
	infra  = openshift.LabelInfra
	es     = "tuned.openshift.io/elasticsearch"
)

// Section 4.5: the elasticsearch profile needs the pod and one of the roles.
func TestDocumentElasticsearch(t *testing.T) {
	for _, r := range release.Documented() {
		x := Explain(Input{Tuneds: crs(t, file(t, "elasticsearch.yaml")), Release: r,
			Nodes: []Node{node("m0", master), node("m1", master), node("i0", infra), node("w0", worker), node("w1", worker)},
			Pods:  []Pod{podOn("m1", "es-0", es), podOn("i0", "es-1", es), podOn("w1", "es-2", es)}})
		want := []string{"openshift-control-plane", "openshift-control-plane-es", "openshift-control-plane-es",
			"openshift-node", "openshift-node"}
		if r == release.V43 {
			want[4] = "openshift-node-es" // its CR default has one for workers, at 20
		}
		gets(t, x, want...)
		if w := x.Nodes[1].Witness; len(w) != 2 || w[0].Pod != "ns/es-0" || w[1].Condition.Label != master {
			t.Errorf("%v: m1 has it by %+v", r, w)
		}
		if h := x.Nodes[1].Holding; len(h) != 1 || h[0] != "ns/es-0" {
			t.Errorf("%v: m1 is held by %v", r, h)
		}
	}
}

// Section 4.6: the ingress profile is for nodes with the label, whatever its value.
func TestDocumentIngress(t *testing.T) {
	for _, r := range release.Documented() {
		x := Explain(Input{Tuneds: crs(t, file(t, "ingress.yaml")), Release: r, Nodes: []Node{
			node("w0", worker), node("w1", worker, "tuned.openshift.io/ingress-node-label=yes"),
			node("w2", worker, "tuned.openshift.io/ingress-node-label")}})
		gets(t, x, "openshift-node", "openshift-ingress", "openshift-ingress")
		if x.BuiltIn != "added" {
			t.Errorf("%v: CR default was %q", r, x.BuiltIn)
		}
		if i := x.Items[x.Classes[x.Nodes[1].Class].Item]; i.Name() != "ingress[0]" || i.Place.Line != 18 {
			t.Errorf("%v: %s at line %d", r, i.Name(), i.Place.Line)
		}
		found := false
		for _, m := range x.Classes[x.Nodes[0].Class].Moves {
			found = found || m.Change.String() == "add the label tuned.openshift.io/ingress-node-label (any value)" &&
				m.Profile == "openshift-ingress"
		}
		if !found {
			t.Errorf("%v: no move to the ingress profile", r)
		}
	}
}

// Section 13.3: priority 30 is also that of openshift-control-plane.
func TestDocumentHugepagesTie(t *testing.T) {
	in := Input{Tuneds: crs(t, file(t, "hugepages.yaml")),
		Nodes: []Node{node("w0", worker, "hugepages=true"), node("i0", infra, worker, "hugepages=true")}}
	for _, r := range []release.Release{release.V44, release.V45} {
		in.Release = r
		x := Explain(in)
		// "default" comes before "hugepages".
		gets(t, x, "node-hugepages", "openshift-control-plane")
		if c := x.Classes[x.Nodes[1].Class]; len(c.Ties) != 1 || x.Items[c.Ties[0]].Profile != "node-hugepages" {
			t.Errorf("%v: ties are %v", r, c.Ties)
		}
		if !finds(x.Findings, tieDecides, "node i0") || finds(x.Findings, tieDecides, "w0") {
			t.Errorf("%v: %v", r, x.Findings)
		}
		if chance := finds(x.Findings, tieDecides, "left to chance"); chance != (r == release.V44) {
			t.Errorf("%v: left to chance is %v", r, chance)
		}
		if !finds(Check(objects(t, file(t, "hugepages.yaml")), r), priorityTie,
			"default[0], profile openshift-control-plane") {
			t.Errorf("%v: the tie with CR default is not found", r)
		}
	}
}

// The CR of section 4.3 is the operator's own in 4.4, and not in 4.3.
func TestDocumentDefault(t *testing.T) {
	own := crs(t, string(default44))
	for _, c := range []struct {
		e    release.Release
		want string
	}{{release.V43, "put back"}, {release.V44, ""}, {release.V45, ""}, {release.Current, ""}} {
		if x := Explain(Input{Tuneds: own, Release: c.e}); x.BuiltIn != c.want {
			t.Errorf("%v: CR default of 4.4 is %q, not %q", c.e, x.BuiltIn, c.want)
		}
	}
	gets(t, Explain(Input{Release: release.Current, Nodes: []Node{node("m", openshift.LabelControlPlane),
		node("old", master)}}), "openshift-control-plane", "openshift-node")
	gets(t, Explain(Input{Release: release.V44, Nodes: []Node{node("m", openshift.LabelControlPlane),
		node("old", master)}}), "openshift-node", "openshift-control-plane")
}
