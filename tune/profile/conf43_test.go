package profile

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// The file that the operator of 4.3 makes of its CR default and the example of
// section 4.6.
func TestConf43Text(t *testing.T) {
	x := Explain(Input{Tuneds: crs(t, file(t, "ingress.yaml")), Release: release.V43})
	want := `[openshift-control-plane-es,0]
/var/lib/tuned/ocp-pod-labels.cfg=.*\btuned.openshift.io/elasticsearch=
/var/lib/tuned/ocp-node-labels.cfg=.*\bnode-role.kubernetes.io/master=

[openshift-control-plane-es,1]
/var/lib/tuned/ocp-pod-labels.cfg=.*\btuned.openshift.io/elasticsearch=
/var/lib/tuned/ocp-node-labels.cfg=.*\bnode-role.kubernetes.io/infra=

[openshift-ingress,2]
/var/lib/tuned/ocp-node-labels.cfg=.*\btuned.openshift.io/ingress-node-label=

[openshift-node-es,3]
/var/lib/tuned/ocp-pod-labels.cfg=.*\btuned.openshift.io/elasticsearch=

[openshift-control-plane,4]
/var/lib/tuned/ocp-node-labels.cfg=.*\bnode-role.kubernetes.io/master=

[openshift-control-plane,5]
/var/lib/tuned/ocp-node-labels.cfg=.*\bnode-role.kubernetes.io/infra=

[openshift-node,6]
/var/lib/tuned/ocp-node-labels.cfg=.*

`
	if got := x.RecommendConf.Text(); got != want {
		t.Errorf("%s", got)
	}
	if x.RecommendConf.Refused != "" {
		t.Error(x.RecommendConf.Refused)
	}
}

func TestConf43ValueEndsTheLine(t *testing.T) {
	x := Explain(Input{Tuneds: crs(t, items("a", `[{profile: balanced, priority: 1, match: [{label: x, value: `+
		`"1"}]}, {profile: powersave, priority: 2, match: [{label: x, value: ""}]}]`)), Release: release.V43,
		Nodes: []Node{node("one", "x=1"), node("ten", "x=10"), node("empty", "x=")}})
	gets(t, x, "balanced", "openshift-node", "powersave")
	if r := x.RecommendConf.Sections[0].Lines[0].Regex; r != `.*\bx=1\n` {
		t.Error(r)
	}
}

// The label hugepages is also found in my-hugepages.
func TestConf43WordBoundary(t *testing.T) {
	text := file(t, "hugepages.yaml")
	text = strings.Replace(text, "priority: 30", "priority: 20", 1)
	x := Explain(Input{Tuneds: crs(t, text), Release: release.V43, Nodes: []Node{node("own", "hugepages=true"),
		node("my", "my-hugepages=x"), node("slash", "x.io/hugepages"), node("joined", "myhugepages")}})
	gets(t, x, "node-hugepages", "node-hugepages", "node-hugepages", "openshift-node")
	c := x.Classes[x.Nodes[1].Class]
	if c.Intended != "openshift-node" ||
		!finds(x.Findings, ownChoice, "nodes my, slash: TuneD chooses node-hugepages and not openshift-node") {
		t.Errorf("%+v, %v", c, x.Findings)
	}
	if !finds(Check(objects(t, text), release.V43), wordBoundary, "my-hugepages") ||
		finds(Check(objects(t, text), release.V44), wordBoundary, "") {
		t.Error("the expression is not found in 4.3, or found in 4.4")
	}
	x = Explain(Input{Tuneds: crs(t, items("a", `[{profile: balanced, priority: 1, match: [{label: a.b}]}]`)),
		Release: release.V43, Nodes: []Node{node("dot", "a.b"), node("any", "a-b")}})
	gets(t, x, "balanced", "balanced")
}

// One bad item costs all CRs their effect.
func TestConf43Refused(t *testing.T) {
	nodes := []Node{node("both", "x=", "y="), node("y", "y="), node("none")}
	for _, c := range []struct {
		name, match  string
		rule         object.Rule
		lastLine     [3]string
		refusedLater bool
	}{
		{"two levels of nodes", `[{label: x, match: [{label: y}]}]`, sharedKey,
			[3]string{"balanced", "balanced", "openshift-node"}, false},
		{"explicit type", `[{label: x, type: node}]`, explicitNode, [3]string{OwnChoice, OwnChoice, OwnChoice}, true},
	} {
		text := items("a", "[{profile: balanced, priority: 1, match: "+c.match+"}]")
		x := Explain(Input{Tuneds: crs(t, text), Release: release.V43, Nodes: nodes})
		gets(t, x, OwnChoice, OwnChoice, OwnChoice)
		if x.RecommendConf.Refused == "" || (x.RecommendConf.RefusedLater != "") != c.refusedLater {
			t.Errorf("%s: %+v", c.name, x.RecommendConf)
		}
		for i, want := range c.lastLine {
			if got := x.Classes[x.Nodes[i].Class].LastLine; got != want {
				t.Errorf("%s: later TuneD chooses %s for %s, not %s", c.name, got, nodes[i].Name, want)
			}
		}
		if got := x.Classes[x.Nodes[0].Class].Intended; got != "balanced" {
			t.Errorf("%s: the CRs ask for %q", c.name, got)
		}
		for _, r := range release.Documented() {
			if finds(Check(objects(t, text), r), c.rule, "") != (r == release.V43) {
				t.Errorf("%s, %v: wrong finding", c.name, r)
			}
		}
	}
}

// read43 reads a recommend.conf as TuneD from 2.17 on does, by whole texts.
func read43(conf *RecommendConf, n Node, pods []Pod) string {
	files := map[string]string{}
	for k, v := range n.Labels {
		files[nodeLabelsFile] += k + "=" + v + "\n"
	}
	for _, p := range pods {
		for k, v := range p.Labels {
			if p.Node == n.Name {
				files[podLabelsFile] += k + "=" + v + "\n"
			}
		}
	}
	for _, s := range conf.Sections {
		options := map[string]string{}
		for _, l := range s.Lines {
			options[l.File] = l.Regex
		}
		all := true
		for name, regex := range options {
			all = all && regexp.MustCompile("(?s)^"+regex).MatchString(files[name])
		}
		if all {
			return s.Profile
		}
	}
	return OwnChoice
}

func TestReading43IsTheTwins(t *testing.T) {
	keys := []string{"a", "b.c", "b-c", "x.io/a", "x-a", "xa", "x/b.c", "a|b", "b+"}
	rapid.Check(t, func(t *rapid.T) {
		match := func() openshift.TunedMatch {
			m := openshift.TunedMatch{Label: ptr(rapid.SampledFrom(keys).Draw(t, "key"))}
			if rapid.Bool().Draw(t, "pod") {
				m.Type = ptr("pod")
			}
			if rapid.Bool().Draw(t, "valued") {
				m.Value = ptr(rapid.SampledFrom([]string{"", "1", "1.5", ".", "[12]"}).Draw(t, "value"))
			}
			return m
		}
		var cr openshift.Tuned
		cr.Metadata.Name = "r"
		for i := range rapid.IntRange(1, 4).Draw(t, "items") {
			m := match()
			for range rapid.IntRange(0, 2).Draw(t, "nested") {
				m.Match = append(m.Match, match())
			}
			cr.Spec.Recommend = append(cr.Spec.Recommend, openshift.TunedRecommend{Profile: ptr(fmt.Sprint("p", i)),
				Priority: ptr(int64(i)), Match: []openshift.TunedMatch{m}})
		}
		labels := func() map[string]string {
			out := map[string]string{}
			for _, k := range keys[:7] {
				if rapid.Bool().Draw(t, "has") {
					out[k] = rapid.SampledFrom([]string{"", "1", "15", "1.5", "2"}).Draw(t, "of")
				}
			}
			return out
		}
		in := Input{Release: release.V43, Tuneds: []object.Typed[openshift.Tuned]{{Value: cr}},
			Nodes: []Node{{Name: "n", Labels: labels()}},
			Pods:  []Pod{{Name: "p", Node: "n", Labels: labels()}, {Name: "q", Node: "m", Labels: labels()}}}
		x := Explain(in)
		if got, want := x.Classes[0].LastLine, read43(x.RecommendConf, in.Nodes[0], in.Pods); got != want {
			t.Fatalf("%s is read as %s, not %s", x.RecommendConf.Text(), got, want)
		}
	})
}

func TestRecommendFile(t *testing.T) {
	if got := RecommendFile("p"); got != "[p]\n/etc/tuned/recommend.d/50-openshift.conf=.*\n" {
		t.Error(got)
	}
}
