package monitoring

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/release"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, config string
		release      release.Release
		want         []string
	}{
		{"nothing", "# only a comment\n", 4, nil},
		{"good", "prometheusK8s:\n  retention: 15d\n  resources: {requests: {cpu: 500m, memory: 2Gi}}\n", 4, nil},
		{"a slip", "telemetryClient:\n  nodeSelector: {a: b}\n", 4, []string{"7:5 monitoring.unknownKey"}},
		{"below a part", "prometheusK8s:\n  retentoin: 15d\n", 4, []string{"8:7 monitoring.unknownKey"}},
		{"3.11", "auth:\n  baseImage: x\ngrafana: {baseImage: x}\n", 4,
			[]string{"7:5 monitoring.oldKey", "9:15 monitoring.oldKey"}},
		{"too early", "thanosQuerier:\n  nodeSelector: {a: b}\n", 4, []string{"7:5 monitoring.otherRelease"}},
		{"in time", "thanosQuerier:\n  nodeSelector: {a: b}\n", 5, nil},
		{"too late", "grafana:\n  nodeSelector: {a: b}\n", release.Newest, []string{"7:5 monitoring.otherRelease"}},
		{"idle", "k8sPrometheusAdapter:\n  nodeSelector: {a: b}\n", release.Newest, []string{"7:5 monitoring.idleKey"}},
		{"case, then", "PrometheusK8S:\n  retention: 15d\n", 4, []string{"7:5 monitoring.wrongCase"}},
		{"twice", "grafana: {}\nhttp:\n  noProxy: a\n  noProxy: b\ngrafana:\n  baseImage: x\n", 4,
			[]string{"10:7 monitoring.doubleKey", "11:5 monitoring.doubleKey"}},
		{"not filled in", "prometheusK8s:\n  retention: {{A}}\n  resources: {requests: {memory: {{B}} 3}} # {{C}}\n", 4,
			[]string{"8:18 monitoring.notFilledIn", "9:38 monitoring.notFilledIn"}},
		{"not filled in by a shell", "prometheusK8s:\n  retention: ${DAYS}\n  retentoin: 15d\n", 4,
			[]string{"8:18 monitoring.notFilledIn", "9:7 monitoring.unknownKey"}},
		{"to be compared", "prometheusK8s:\n  additionalAlertmanagerConfigs: (?<receivers>.*)\n", release.Newest,
			[]string{"8:38 monitoring.notFilledIn"}},
		{"groups of its own", "prometheusK8s:\n  externalLabels: {a: b}\n  remoteWrite:\n  - url: x\n" +
			"    writeRelabelConfigs: [{regex: (?<a>.*), replacement: '${a}'}]\n", release.Newest, nil},
		{"no YAML", "prometheusK8s:\n  - a\n b: c\n", 4, []string{"9:6 monitoring.unreadable"}},
		{"a list", "- prometheusK8s\n", 4, []string{"7:5 monitoring.wrongType"}},
		{"K", "prometheusK8s:\n  volumeClaimTemplate:\n    spec: {resources: {requests: {storage: 2000K}}}\n", 4,
			[]string{"9:48 monitoring.badQuantity"}},
		{"trailing blank", "prometheusK8s:\n  volumeClaimTemplate:\n    spec: {resources: {requests: {storage: '20Gi '}}}\n",
			4, nil},
		{"no storage", "prometheusK8s:\n  volumeClaimTemplate:\n    spec: {storageClassName: gp2}\n", 4,
			[]string{"9:9 monitoring.noStorage"}},
		{"selector of numbers", "grafana:\n  nodeSelector:\n    a: 1\n    b: true\n    c: yes\n    d: 'yes'\n    e:\n", 4,
			[]string{"9:12 monitoring.wrongType", "10:12 monitoring.wrongType", "11:12 monitoring.wrongType"}},
		{"selector as a list", "grafana:\n  nodeSelector: [a]\n", 4, []string{"8:21 monitoring.wrongType"}},
		{"retention as a number", "prometheusK8s:\n  retention: 15\n", 4, []string{"8:18 monitoring.wrongType"}},
		{"retention", "prometheusK8s:\n  retention: 15 d\n", 4, []string{"8:18 monitoring.badRetention"}},
		{"tolerations", "grafana:\n  tolerations:\n  - {key: a, operator: exists}\n" +
			"  - {key: a, operator: Exists, value: b}\n  - {effect: NoSchedule}\n", 4,
			[]string{"9:28 monitoring.badValue", "10:43 monitoring.badValue", "11:9 monitoring.badValue"}},
		{"toleration as a mapping", "grafana:\n  tolerations: {key: a}\n", 4, []string{"8:20 monitoring.wrongType"}},
		{"limit", "prometheusK8s:\n  resources:\n    requests: {cpu: 2, memory: 4Gi}\n" +
			"    limits: {cpu: 1500m, memory: 4Gi}\n", 4, []string{"10:23 monitoring.limitBelowRequest"}},
		{"level", "prometheusK8s: {logLevel: verbose}\n", 6, []string{"7:31 monitoring.badValue"}},
		{"truth", "telemeterClient: {enabled: 'false'}\ntechPreviewUserWorkload: {enabled: yes}\n", 4,
			[]string{"7:32 monitoring.wrongType"}},
		{"own label, no upgrade", "prometheusK8s: {externalLabels: {cluster: a, region: b}}\n", 19,
			[]string{"7:38 monitoring.reservedLabel"}},
		{"remote write of then", "prometheusK8s: {remoteWrite: [{url: x, anything: y}]}\n", 8, nil},
		{"remote write of today", "prometheusK8s: {remoteWrite: [{url: x, anything: y}]}\n", 9,
			[]string{"7:44 monitoring.unknownKey"}},
	} {
		if d := cmp.Diff(c.want, lines(Check(split(t, cm(c.config)), c.release))); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// What the operator does with keys that it doesn't know, release by release.
func TestHandling(t *testing.T) {
	const unknown, double, letters = "foo: {}\n", "http: {}\nhttp: {}\n", "GRAFANA: {}\nAlertmanagerMain: {}\n"
	for r, want := range map[release.Release]struct {
		h              Handling
		unknown, cased v1alpha1.Severity
	}{
		4: {Ignored, v1alpha1.Warning, v1alpha1.Info}, 16: {Ignored, v1alpha1.Warning, v1alpha1.Info},
		17: {Warned, v1alpha1.Warning, v1alpha1.Warning},
		18: {Refused, v1alpha1.Error, v1alpha1.Warning}, 19: {Exact, v1alpha1.Error, v1alpha1.Error},
		release.Newest: {Exact, v1alpha1.Error, v1alpha1.Error},
	} {
		if HandlingOf(r) != want.h {
			t.Errorf("%v: %v", r, HandlingOf(r))
		}
		for _, config := range []string{unknown, double} {
			found := Check(split(t, cm(config)), r)
			if len(found) != 1 || found[0].Severity != want.unknown {
				t.Errorf("%v: %s: %v", r, config, found)
			}
		}
		found := ofRule(Check(split(t, cm(letters)), r), wrongCase)
		if len(found) == 0 || found[len(found)-1].Severity != want.cased {
			t.Errorf("%v: %v", r, found)
		}
	}
	if unknownKeys.In(release.V43) != Ignored || unknownKeys.In(release.V45) != Ignored ||
		unknownKeys.In(release.Current) != Exact {
		t.Error(unknownKeys.Steps)
	}
}

func TestBehaviours(t *testing.T) {
	want := map[string]string{
		"monitoring.unknownKeys": "ignored; ignored with a warning, no upgrade since 4.17; refused since 4.18; " +
			"refused, wrong case too since 4.19",
		"monitoring.compoundRetention":  "since 4.6",
		"monitoring.thanosQuerierMoves": "since 4.5",
		"monitoring.grafana":            "until 4.10",
		"monitoring.userConfigMap":      "since 4.6",
		"monitoring.auditLevels":        "since 4.10",
		"monitoring.queryLogFile":       "since 4.11",
		"monitoring.regularExpressions": "since 4.14",
		"monitoring.intervals":          "since 4.18",
		"monitoring.alertmanagerV1":     "since 4.18",
		"monitoring.reservedLabels":     "since 4.20",
	}
	for _, row := range Behaviours() {
		// What the table of keys says of the keys that behaviours are about.
		if path, ok := map[string]string{"monitoring.thanosQuerierMoves": "thanosQuerier.nodeSelector",
			"monitoring.grafana": "grafana"}[row.ID]; ok {
			for r := release.Release(1); r <= release.Newest; r++ {
				if got := fmt.Sprint(Knows(r, path)); got != row.In(r) {
					t.Errorf("%s in %s: the keys say %s", row.ID, r, got)
				}
			}
		}
		if row.Values() != want[row.ID] || row.Source.Code == "" {
			t.Errorf("%s: %v, %v", row.ID, row.Values(), row.Source)
		}
		delete(want, row.ID)
	}
	if len(want) > 0 {
		t.Error(want)
	}
}

// The texts of the findings name the right key.
func TestAdvice(t *testing.T) {
	for config, want := range map[string]string{
		"telemetryClient: {}\n": "did you mean telemeterClient?",
		"thanosRuler: {}\n": "write thanosRuler into the ConfigMap " +
			"user-workload-monitoring-config (from 4.6 on)",
		"k8sPrometheusAdapter: {}\n":                             "write metricsServer, which took its place in 4.16",
		"prometheusK8s: {retention: 15D}\n":                      "write 15d",
		"prometheusK8s: {resources: {limits: {memory: 8GB}}}\n":  "write 8G",
		"prometheusK8s: {resources: {limits: {memory: 8K}}}\n":   "write 8k (thousands) or 8Ki (times 1024)",
		"prometheusK8s: {resources: {limits: {memory: 8gi}}}\n":  "write 8Gi",
		"prometheusK8s: {resources: {limits: {memory: 500m}}}\n": "write 500M or Mi",
		"prometheusK8s: {resources: {limits: {cpu: two}}}\n":     "write it like 500m or 2",
		"prometheusK8s: {retention: 15}\n":                       `quote it: "15"`,
	} {
		found := Check(split(t, cm(config)), release.Newest)
		if len(found) != 1 || found[0].Remedy != want {
			t.Errorf("%s: %v", config, found)
		}
	}
}

func TestRetention(t *testing.T) {
	for text, want := range map[string][2]bool{ // good in 4.5, good today
		"15d": {true, true}, "360h": {true, true}, "2w": {true, true}, "": {true, true}, "1d12h": {false, true},
		"12h1d": {false, false},
		"15":    {false, false}, "1.5d": {false, false}, "-1d": {false, false}, " 15d": {false, false}, "15D": {false, false},
		"0": {false, true},
	} {
		for i, r := range []release.Release{5, release.Newest} {
			if what, fix := Retention(text, r); (what == "") != want[i] || (what == "") != (fix == "") {
				t.Errorf("%q in %v: %s (%s)", text, r, what, fix)
			}
		}
	}
}

func TestNoConfig(t *testing.T) {
	const head = "kind: ConfigMap\nmetadata: {name: cluster-monitoring-config}\n"
	for text, want := range map[string]string{
		head + "data:\n  config.yml: ''\n": "rename config.yml to config.yaml",
		head:                               "write the configuration as text below data, under the key config.yaml",
		head + "data:\n  config.yaml:\n    grafana: {}\n": "write config.yaml: | and indent what follows",
	} {
		found := Check(split(t, text), release.V44)
		if len(found) != 1 || found[0].ID != noConfig.ID || found[0].Remedy != want {
			t.Errorf("%s: %v", text, found)
		}
	}
	if found := Check(split(t, "kind: ConfigMap\nmetadata: {name: other}\n"), release.V44); len(found) > 0 {
		t.Error(found)
	}
}

// The users' ConfigMap is read from 4.6 on, by its own keys.
func TestUserConfig(t *testing.T) {
	const text = "kind: ConfigMap\nmetadata: {name: user-workload-monitoring-config}\ndata:\n  config.yaml: |\n" +
		"    prometheusK8s: {}\n    thanosRuler: {retention: 1x}\n"
	if d := cmp.Diff([]string{"5:5 monitoring.unknownKey", "6:30 monitoring.badRetention"},
		lines(Check(split(t, text), release.Current))); d != "" {
		t.Error(d)
	}
	if found := Check(split(t, text), release.V45); len(found) > 0 {
		t.Error(found)
	}
}

// S11 and S18: the ConfigMap of the slides, in the release of their cluster.
func TestSection8_24_telemetryClient(t *testing.T) {
	found := Check(document(t, "ztip-3-monitoring.yaml"), release.V45)
	if d := cmp.Diff([]string{"28:5 monitoring.unknownKey", "9:16 monitoring.staysBehind"}, lines(found)); d != "" {
		t.Error(d)
	}
	if m := found[0].Message; !strings.Contains(m, "telemeterClient keeps its default") {
		t.Error(m)
	}
	if m := found[1].Message; !strings.HasPrefix(m, "telemeterClient, thanosQuerier have no nodeSelector") {
		t.Error(m)
	}
	if found = Check(document(t, "ztip-3-monitoring.yaml"), release.V44); strings.Contains(found[1].Message,
		"thanosQuerier") {
		t.Error(found[1].Message)
	}
}

// S12, S13 and what is not filled in: the ConfigMap of the guide.
func TestSection8_24_K_suffix(t *testing.T) {
	for _, r := range release.Documented() {
		found := Check(document(t, "ocp-8.2-monitoring.yaml"), r)
		if n := len(ofRule(found, notFilledIn)); n != 3 {
			t.Errorf("%v: %d values to fill in", r, n)
		}
		if n := len(ofRule(found, oldKey)); n < 8 {
			t.Errorf("%v: %d keys of 3.11", r, n)
		}
		bad := ofRule(Check(document(t, "ocp-8.2-monitoring-filled-in.yaml"), r), badQuantity)
		if len(bad) != 1 || !strings.Contains(bad[0].Message, "suffix K") {
			t.Errorf("%v: %v", r, bad)
		}
	}
}

// One part by itself may be meant to stand alone; all parts together leave none behind.
func TestStays(t *testing.T) {
	const one = "prometheusK8s: {nodeSelector: {disk: fast}}\n"
	if found := Check(split(t, cm(one)), release.V45); len(found) > 0 {
		t.Error(found)
	}
	every := ""
	for _, name := range movable(platform, 5, false) {
		every += name + ": {nodeSelector: {disk: fast}}\n"
	}
	if found := Check(split(t, cm(every)), release.V45); len(found) > 0 {
		t.Error(found)
	}
	found := Check(split(t, cm(every+"techPreviewUserWorkload: {enabled: true}\n")), release.V45)
	if len(found) != 1 || !strings.HasPrefix(found[0].Message,
		"prometheusOperatorUserWorkload, prometheusUserWorkload, thanosRuler have") {
		t.Error(found)
	}
}

// Parts that are named in other letters are moved as long as the operator doesn't mind
// letters, and are told for their letters alone.
func TestStaysInOtherLetters(t *testing.T) {
	var every strings.Builder
	for i, name := range movable(platform, 4, false) {
		switch i {
		case 0:
			name = strings.ToUpper(name[:1]) + name[1:]
			fmt.Fprintf(&every, "%s: {nodeSelector: {disk: fast}}\n", name)
		case 1:
			fmt.Fprintf(&every, "%s: {NodeSelector: {disk: fast}}\n", name)
		default:
			fmt.Fprintf(&every, "%s: {nodeSelector: {disk: fast}}\n", name)
		}
	}
	found := Check(split(t, cm(every.String())), 4)
	if len(found) != 2 || found[0].ID != wrongCase.ID || found[1].ID != wrongCase.ID {
		t.Error(found)
	}
	const nodes = "---\nkind: Node\nmetadata: {name: m, labels: {node-role.kubernetes.io/master: ''}}\n"
	for r, want := range map[release.Release]bool{4: true, 18: true, 19: false} {
		found := Check(split(t, cm("PrometheusK8s: {nodeSelector: {disk: fast}}\n")+nodes), r)
		if got := slices.ContainsFunc(found, func(f v1alpha1.Finding) bool { return f.ID == noNode.ID }); got != want {
			t.Errorf("%v: %v", r, found)
		}
	}
}

func TestPending(t *testing.T) {
	nodes := "---\nkind: Node\nmetadata: {name: m, labels: {node-role.kubernetes.io/master: ''}}\n---\nkind: Node\n" +
		"metadata: {name: i, labels: {disk: fast}}\nspec: {taints: [{key: infra, effect: NoSchedule}]}\n"
	config := cm("prometheusK8s: {nodeSelector: {disk: fast}}\n")
	found := Check(split(t, config+nodes), release.V45)
	if d := cmp.Diff([]string{"7:35 monitoring.noNode"}, lines(found)); d != "" ||
		!strings.Contains(found[0].Message, "kept off: i by a taint") {
		t.Error(d, found)
	}
	config = cm("prometheusK8s: {nodeSelector: {disk: fast}, tolerations: [{key: infra, operator: Exists}]}\n")
	if found := Check(split(t, config+nodes), release.V45); len(found) > 0 {
		t.Error(found)
	}
	only := split(t, cm("prometheusK8s: {nodeSelector: {disk: slow}}\n")+nodes)
	if found := Check(slices.Delete(only, 1, 2), release.V45); len(found) > 0 {
		t.Errorf("without a control plane node the nodes are not all: %v", found)
	}
}

// Every finding belongs to a rule that the package lists, of which none is left untested.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !strings.HasPrefix(r.ID, "monitoring.") || r.Title == "" || len(r.Sources) == 0 {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
}

// In a dump the text stands in one line, with escapes.
func TestPositionsInJSON(t *testing.T) {
	const text = `{"apiVersion": "v1", "kind": "List", "items": [
 {"kind": "ConfigMap", "metadata": {"name": "cluster-monitoring-config"},
  "data": {"config.yaml": "# \u00e9\nprometheusK8s:\n  retention: \"15 d\"\n"}}]}`
	col := strings.Index(strings.Split(text, "\n")[2], `\"15 d`) + 1
	found := Check(split(t, text), release.V44)
	if d := cmp.Diff([]string{fmt.Sprintf("3:%d monitoring.badRetention", col)}, lines(found)); d != "" {
		t.Error(d)
	}
}
