package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

func lines(found []v1alpha1.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%d:%d %s %s", f.Place.Line, f.Place.Col, f.Severity, f.ID))
	}
	return out
}

// What the lint itself finds; the objects have nothing else that rules read.
func TestSift(t *testing.T) {
	const gate = "apiVersion: config.openshift.io/v1\nkind: FeatureGate\n"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"good", gate + "metadata: {name: cluster}\n", nil},
		{"old version", "apiVersion: operator.openshift.io/v1beta1\nkind: IngressController\n" +
			"metadata: {name: default, namespace: openshift-ingress-operator}\nspec: {}\n",
			[]string{"1:13 error check.unknownVersion"}},
		{"version of Kubernetes itself", "apiVersion: v1\nkind: FeatureGate\nmetadata: {name: cluster}\n",
			[]string{"1:13 error check.unknownVersion"}},
		{"a Tuned too", "apiVersion: v1\nkind: Tuned\n" +
			"metadata: {name: t, namespace: openshift-cluster-node-tuning-operator}\nspec: {profile: [], recommend: []}\n",
			[]string{"1:13 error profile.apiVersion"}},
		{"a Tuned without", "kind: Tuned\nmetadata: {name: t, namespace: openshift-cluster-node-tuning-operator}\n" +
			"spec: {profile: [], recommend: []}\n", []string{"1:1 error check.unknownVersion"}},
		{"a health check without", "kind: MachineHealthCheck\nmetadata: {name: m, namespace: openshift-machine-api}\n" +
			"spec: {selector: {matchLabels: {a: b}}, maxUnhealthy: 30, unhealthyConditions: [{type: " +
			"Ready, status: Unknown, timeout: 20m}]}\n",
			[]string{"1:1 error health.apiVersion"}},
		{"group of Kubernetes itself", "apiVersion: apps/v1\nkind: Pod\nmetadata: {name: p}\n",
			[]string{"1:13 error check.unknownVersion"}},
		{"namesake", "apiVersion: config.openshift.io/v1\nkind: Node\nmetadata: {name: cluster}\nspec: {cgroupMode: v2}\n",
			[]string{"1:13 info check.notRead"}},
		{"no version", "kind: Node\nmetadata: {name: n}\n", []string{"1:1 error check.unknownVersion"}},
		{"slip in the kind", strings.Replace(gate, "Gate", "Gates", 1) + "metadata: {name: cluster}\n",
			[]string{"2:7 warning check.unknownKind"}},
		{"another kind", "apiVersion: machineconfiguration.openshift.io/v1\nkind: MachineOSConfig\n" +
			"metadata: {name: a}\n", nil},
		{"another group", "apiVersion: mirror.openshift.io/v1\nkind: MachineConfigs\nmetadata: {name: a}\n", nil},
		{"another product's", "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: m}\n",
			[]string{"1:13 info check.notRead"}},
		{"not read", "apiVersion: tuned.openshift.io/v1\nkind: Profile\nmetadata: {name: p}\n",
			[]string{"2:7 info check.notRead"}},
		{"another version", "apiVersion: performance.openshift.io/v1\nkind: PerformanceProfile\nmetadata: {name: p}\n",
			[]string{"1:13 info check.notRead"}},
		{"no name", "apiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\nmetadata: {namespace: " +
			"openshift-machine-api}\nspec: {}\n", []string{"3:11 error check.noName"}},
		{"generated name", "apiVersion: machine.openshift.io/v1beta1\nkind: MachineSet\nmetadata: {generateName: p-, " +
			"namespace: openshift-machine-api}\nspec: {}\n", nil},
		{"no namespace", "apiVersion: operator.openshift.io/v1\nkind: IngressController\n" +
			"metadata: {name: default}\nspec: {}\n",
			[]string{"3:11 warning check.noNamespace"}},
		{"wrong namespace", "apiVersion: operator.openshift.io/v1\nkind: IngressController\n" +
			"metadata: {name: default, namespace: openshift-ingress}\nspec: {}\n",
			[]string{"3:38 error check.wrongNamespace"}},
		{"monitoring elsewhere", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cluster-monitoring-config, namespace: " +
			"monitoring}\ndata: {config.yaml: ''}\n", []string{"3:56 error check.wrongNamespace"}},
		{"twice", gate + "metadata: {name: cluster}\n---\n" + gate + "metadata: {name: cluster}\n",
			[]string{"7:18 warning check.listedTwice"}},
		{"two namespaces", "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: a}\n---\napiVersion: v1\nkind: Pod\n" +
			"metadata: {name: p, namespace: b}\n", nil},
		{"others", "apiVersion: v1\nkind: Service\n---\napiVersion: example.com/v1\nkind: Nodes\n", nil},
		{"unreadable", "a: [\n", []string{"1:4 error check.unreadable"}},
	} {
		for _, r := range release.Documented() {
			if d := cmp.Diff(c.want, lines(one(r, c.text))); d != "" {
				t.Errorf("%s, %v: %s", c.name, r, d)
			}
		}
	}
}

// What is not OpenShift's is not judged by OpenShift's rules.
func TestForeignIsNotJudged(t *testing.T) {
	text := "apiVersion: cluster.x-k8s.io/v1beta1\nkind: MachineHealthCheck\nmetadata: {name: m}\n" +
		"spec: {maxUnhealthy: -1, selector: {}}\n"
	a := lint(release.V44, map[string]string{"f.yaml": text})
	if r := a.Result.(Result); r.Errors+r.Warnings > 0 || !slices.Equal(r.NotRead, []Kind{{"MachineHealthCheck", 1}}) ||
		!a.Verdict.OK {
		t.Errorf("%+v", a)
	}
}

// A name that is slightly wrong doesn't pass for manifests without a fault.
func TestNoObjects(t *testing.T) {
	for _, text := range []string{"", "# nothing\n---\n", "apiVersion: v1\nkind: List\nitems: []\n"} {
		objects, problems := object.Split("f.yaml", []byte(text))
		a := Run(Input{Objects: objects, Problems: problems})
		if a.Verdict.OK || len(a.Findings) != 1 || a.Findings[0].ID != noObjects.ID ||
			a.Findings[0].Severity != v1alpha1.Error || a.Verdict.Problem == "" {
			t.Errorf("%q: %+v", text, a)
		}
	}
	if a := Run(Input{Disable: []string{noObjects.ID}}); !a.Verdict.OK || len(a.Findings) > 0 {
		t.Errorf("%+v", a)
	}
}

// Objects that no rule reads don't pass for checked ones.
func TestNothingIsRead(t *testing.T) {
	const service, role = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n---\n",
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: r}\n---\n"
	const gate = "apiVersion: config.openshift.io/v1\nkind: FeatureGate\nmetadata: {name: cluster}\n"
	for text, want := range map[string]string{
		service + role:        "2 objects in 1 file: nothing found; no rule reads objects of Role, Service.",
		service + role + gate: "3 objects in 1 file: nothing found.",
	} {
		if a := lint(release.V44, map[string]string{"f.yaml": text}); a.Verdict.Summary != want {
			t.Error(a.Verdict.Summary)
		}
	}
}

const misspelled = `apiVersion: v1
kind: ConfigMap
metadata: {name: cluster-monitoring-config, namespace: openshift-monitoring}
data:
  config.yaml: |
    telemetryClient: {}
    grafanna: {}
`

func TestDisable(t *testing.T) {
	if got := one(release.V44, misspelled); len(got) != 2 {
		t.Fatal(got)
	}
	for _, id := range []string{"monitoring.unknownKey", "monitoring.*"} {
		a := lint(release.V44, map[string]string{"f.yaml": misspelled}, id)
		if r := a.Result.(Result); len(a.Findings) != 0 || r.Suppressed != 2 ||
			!strings.HasSuffix(a.Verdict.Summary, "nothing found (2 silenced).") {
			t.Errorf("%s: %+v, %v", id, r, a.Verdict)
		}
	}
	if got := one(release.V44, misspelled, "monitoring", "monitoring.unknown", "*"); len(got) != 2 {
		t.Error("half an id silences", got)
	}
}

func TestUnknown(t *testing.T) {
	got := Unknown([]string{"profile.priorityTie", "tuned.*", "monitoring.unknownkeys", "nothing.at.all", "x.*"})
	var texts []string
	for _, err := range got {
		texts = append(texts, err.Error())
	}
	want := []string{`"monitoring.unknownkeys" is no rule (did you mean monitoring.unknownKey?)`, `"nothing.at.all" is ` +
		`no rule (plimsoll tune check --list shows all)`, `"x.*" is no rule (plimsoll tune check --list shows all)`}
	if d := cmp.Diff(want, texts); d != "" {
		t.Error(d)
	}
}

// A comment silences what is found in its line, or in the line below the comments
// that it stands among.
func TestIgnore(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"above": {"    telemetryClient", "    # plimsoll:ignore monitoring.unknownKey\n    telemetryClient",
			[]string{"8:5 warning monitoring.unknownKey"}},
		"in the line": {"telemetryClient: {}", "telemetryClient: {} # plimsoll:ignore monitoring.unknownKey",
			[]string{"7:5 warning monitoring.unknownKey"}},
		"among comments": {"    telemetryClient", "    # as in the slides: plimsoll:ignore monitoring.unknownKey, " +
			"tuned.joined\n    # more\n    telemetryClient", []string{"9:5 warning monitoring.unknownKey"}},
		"a whole package": {"    grafanna", "    # plimsoll:ignore monitoring.*\n    grafanna",
			[]string{"6:5 warning monitoring.unknownKey"}},
		"another rule": {"    grafanna", "    # plimsoll:ignore monitoring.oldKey\n    grafanna",
			[]string{"6:5 warning monitoring.unknownKey", "8:5 warning monitoring.unknownKey"}},
		"too far above": {"    telemetryClient", "    # plimsoll:ignore monitoring.unknownKey\n" +
			"    http: {}\n    telemetryClient",
			[]string{"8:5 warning monitoring.unknownKey", "9:5 warning monitoring.unknownKey"}},
		"no such rule": {"    grafanna", "    # plimsoll:ignore monitoring.unknown\n    grafanna",
			[]string{"6:5 warning monitoring.unknownKey", "7:23 warning check.unknownRule",
				"8:5 warning monitoring.unknownKey"}},
		"of the second only": {"apiVersion: v1", "# a comment\n---\napiVersion: v1",
			[]string{"8:5 warning monitoring.unknownKey", "9:5 warning monitoring.unknownKey"}},
	} {
		if d := cmp.Diff(c.want, lines(one(release.V44, strings.Replace(misspelled, c.old, c.new, 1)))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	second := "apiVersion: v1\nkind: Service\n---\n" + strings.Replace(misspelled, "    telemetryClient",
		"    # plimsoll:ignore monitoring.unknownKey\n    telemetryClient", 1)
	if d := cmp.Diff([]string{"11:5 warning monitoring.unknownKey"}, lines(one(release.V44, second))); d != "" {
		t.Errorf("in a later document: %s", d)
	}
}

// The worst comes first, then by file and position; what two packages find alike is
// told once.
func TestOrder(t *testing.T) {
	at := func(file string, line int, id string, s v1alpha1.Severity) v1alpha1.Finding {
		return v1alpha1.Finding{ID: id, Severity: s, Place: &v1alpha1.Place{File: file, Line: line, Col: 1}}
	}
	list := []v1alpha1.Finding{at("b", 1, "z", v1alpha1.Warning), at("a", 2, "y", v1alpha1.Warning),
		at("a", 2, "x", v1alpha1.Warning), at("c", 9, "w", v1alpha1.Error),
		at("a", 2, "y", v1alpha1.Warning), {ID: "v", Severity: v1alpha1.Info}}
	list = unique(list)
	order(list)
	var got []string
	for _, f := range list {
		got = append(got, f.ID)
	}
	if d := cmp.Diff([]string{"w", "x", "y", "z", "v"}, got); d != "" {
		t.Error(d)
	}
}

func TestAnswer(t *testing.T) {
	a := lint(release.V44, map[string]string{"a.yaml": misspelled, "b.yaml": "a: [\n"})
	if a.Kind != "Check" || a.Release != "4.4" || a.Verdict.OK ||
		a.Verdict.Summary != "1 object in 2 files: 1 error, 2 warnings." || a.Verdict.Problem == "" {
		t.Errorf("%+v", a.Verdict)
	}
	want := []File{{"a.yaml", 1, Counts{0, 2, 0}}, {"b.yaml", 0, Counts{1, 0, 0}}}
	if d := cmp.Diff(want, a.Result.(Result).Files); d != "" {
		t.Error(d)
	}
	if got := a.Parts[0].Tables[0]; len(got.Rows) != 2 || got.Rows[1][2].Mark != "bad" {
		t.Errorf("%+v", got)
	}
}

// The catalogue has each rule once, sorted, with all that a reader needs; the table
// by release as well.
func TestCatalogue(t *testing.T) {
	all := Catalogue()
	for i, r := range all {
		if i > 0 && all[i-1].ID >= r.ID || r.Title == "" || !slices.Contains(v1alpha1.Severities(), r.Severity) ||
			strings.Count(r.ID, ".") < 1 {
			t.Errorf("%+v", r)
		}
	}
	rows := Behaviours()
	for i, r := range rows {
		if i > 0 && rows[i-1].ID >= r.ID || r.Title == "" || r.Source.Code == "" {
			t.Errorf("%+v", r)
		}
	}
	if len(all) < 150 || len(rows) < 50 {
		t.Errorf("%d rules, %d rows", len(all), len(rows))
	}
	a := List()
	if l := a.Result.(Listed); len(l.Rules) != len(all) || len(l.Behaviours) != len(rows) ||
		len(a.Parts[0].Tables[0].Rows) != len(all) || l.Behaviours[0].ID != rows[0].ID {
		t.Error(a.Verdict)
	}
}

// Everything that is found in the documents is a rule of the catalogue.
func TestFindingsAreRules(t *testing.T) {
	known := map[string]bool{}
	for _, r := range Catalogue() {
		known[r.ID] = true
	}
	for _, name := range []string{"ocp-8.2-monitoring", "ztip-1-enable-rps-folded", "ztip-2-static-route",
		"ocp-4.3-default-as-printed", "ocp-3.4-machine-health-check", "ocp-4.5-selection", "ocp-7.1-topology-manager"} {
		for _, of := range release.Documented() {
			for _, f := range lint(of, documents(t, name)).Findings {
				if !known[f.ID] {
					t.Errorf("%s is of no rule", f.ID)
				}
			}
		}
	}
}

// No text makes the lint panic, and the places that it names are there.
func FuzzRun(f *testing.F) {
	for _, text := range documents(f, "ocp-8.2-monitoring", "ocp-3.4-machine-health-check", "ocp-4.3-default",
		"ocp-13.3-hugepages", "ztip-1-enable-rps-folded", "ztip-2-static-route", "ztip-3-router", "ztip-1-nodes",
		"ocp-7.1-topology-manager") {
		f.Add(text, uint8(1))
	}
	f.Add("kind: Tuned\nspec: {profile: [{name: a, data: '[x]'}]} # plimsoll:ignore x.*, ,\n", uint8(3))
	f.Fuzz(func(t *testing.T, text string, which uint8) {
		objects, problems := object.Split("f.yaml", []byte(text))
		a := Run(Input{Objects: objects, Problems: problems, Release: release.Documented()[which%4]})
		for _, found := range a.Findings {
			if p := found.Place; p != nil && (p.Line < 0 || p.Line > strings.Count(text, "\n")+strings.Count(text, "\r")+1) {
				t.Errorf("%+v", found)
			}
		}
	})
}

// A release between those that are documented is judged by its own keys.
func TestRelease(t *testing.T) {
	text := strings.Replace(misspelled, "    telemetryClient: {}\n    grafanna: {}\n",
		"    grafana: {}\n    k8sPrometheusAdapter: {}\n    foo: {}\n", 1)
	for r, want := range map[release.Release][]string{
		0:  {"6:5 error monitoring.otherRelease", "8:5 error monitoring.unknownKey", "7:5 warning monitoring.idleKey"},
		10: {"8:5 warning monitoring.unknownKey"},
		14: {"6:5 warning monitoring.otherRelease", "8:5 warning monitoring.unknownKey"},
		18: {"6:5 error monitoring.otherRelease", "8:5 error monitoring.unknownKey", "7:5 warning monitoring.idleKey"},
	} {
		objects, _ := object.Split("f.yaml", []byte(text))
		if d := cmp.Diff(want, lines(Run(Input{Objects: objects, Release: r}).Findings)); d != "" {
			t.Errorf("%v: %s", r, d)
		}
	}
}
