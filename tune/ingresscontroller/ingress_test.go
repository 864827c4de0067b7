package ingresscontroller

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

func split(t testing.TB, text string) []*object.Object {
	t.Helper()
	objects, problems := object.Split("f.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return objects
}

// ic wraps a spec: its first line is line 4 of the file, column 3.
func ic(spec string) string {
	out := "kind: IngressController\nmetadata: {name: default}\nspec:\n"
	for line := range strings.Lines(spec) {
		out += "  " + line
	}
	return out
}

func lines(found []v1alpha1.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprintf("%d:%d %s", f.Place.Line, f.Place.Col, f.ID))
	}
	return out
}

// The tables have every field of the API, with the releases in which it has it.
func TestFieldsAreThoseOfTheAPI(t *testing.T) {
	text, err := os.ReadFile("../../test/upstream/testdata/ingress.txt")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			want = append(want, strings.TrimSpace(line))
		}
	}
	for prefix, fields := range map[string][]field{"": specFields, "tuningOptions.": tuningFields,
		"nodePlacement.": placementFields} {
		for _, f := range fields {
			got = append(got, prefix+f.name+" "+f.Since.String()+" -")
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" || len(want) < 30 {
		t.Error(d)
	}
}

func TestCheck(t *testing.T) {
	const placed = "nodePlacement:\n  nodeSelector:\n"
	const custom = "tlsSecurityProfile: {type: Custom, custom: {"
	for _, c := range []struct {
		name, spec string
		release    release.Release
		want       []string
	}{
		{"good", "replicas: 2\n" + placed + "    matchLabels: {node-role.kubernetes.io/infra: ''}\n", 4, nil},
		{"single In", placed + "    matchExpressions: [{key: a, operator: In, values: [b]}]\n", 4, nil},
		{"two values", placed + "    matchExpressions: [{key: a, operator: In, values: [b, c]}]\n", 4,
			[]string{"6:26 ingress.selector"}},
		{"Exists", placed + "    matchExpressions: [{key: a, operator: Exists}, {key: b, operator: NotIn, values: [c]}]\n", 4,
			[]string{"6:26 ingress.selector", "6:54 ingress.selector"}},
		{"bare", placed + "    node-role.kubernetes.io/infra: ''\n", 4, []string{"6:38 ingress.bareLabels"}},
		{"empty", "nodePlacement: {nodeSelector: {}}\n", 4, []string{"4:33 ingress.anyNode"}},
		{"toleration", "nodePlacement: {tolerations: [{key: a, operator: Exists, value: b}]}\n", 4,
			[]string{"4:67 ingress.toleration"}},
		{"slip", "nodePlacemnt: {}\n", 4, []string{"4:17 ingress.unknownField"}},
		{"too early", "httpCompression: {}\nlogging: {}\n", 5, []string{"4:20 ingress.otherRelease"}},
		{"in time", "httpCompression: {}\n", 10, nil},
		{"no routers", "replicas: 0\n", 4, []string{"4:13 ingress.noRouters"}},
		{"subject patterns", "clientTLS: {allowedSubjectPatterns: ['^/CN=a$', '(a']}\n", 20,
			[]string{"4:51 ingress.notAdmitted"}},
		{"no profile", "tlsSecurityProfile: {type: Custom}\n", 20, []string{"4:23 ingress.notAdmitted"}},
		{"no ciphers", custom + "ciphers: [], minTLSVersion: VersionTLS12}}\n", 20, []string{"4:46 ingress.notAdmitted"}},
		{"ciphers in one", custom + "ciphers: ['A:B'], minTLSVersion: VersionTLS12}}\n", 20,
			[]string{"4:57 ingress.notAdmitted"}},
		{"no cipher of 1.3", custom + "ciphers: [AES128-SHA], minTLSVersion: VersionTLS13}}\n", 20,
			[]string{"4:56 ingress.notAdmitted"}},
		{"no cipher of 1.3 then", custom + "ciphers: [AES128-SHA], minTLSVersion: VersionTLS13}}\n", 8, nil},
		{"only 1.3", custom + "ciphers: [TLS_AES_128_GCM_SHA256], minTLSVersion: VersionTLS12}}\n", 20,
			[]string{"4:56 ingress.notAdmitted"}},
		{"only 1.3 as demanded", custom + "ciphers: [TLS_AES_128_GCM_SHA256], minTLSVersion: VersionTLS13}}\n", 20, nil},
		{"only 1.3 then", custom + "ciphers: [TLS_AES_128_GCM_SHA256], minTLSVersion: VersionTLS13}}\n", 8,
			[]string{"4:56 ingress.notAdmitted"}},
		{"a profile", "tlsSecurityProfile: {type: Modern}\n", 20, nil},
		{"another domain", "domain: a\n", 20, nil},
		{"types", "replicas: two\n", 20, []string{"4:13 object.wrongType"}},
	} {
		if d := cmp.Diff(c.want, lines(Check(split(t, ic(c.spec)), c.release))); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// What is settled can't be changed, and one domain is of one IngressController.
func TestSettled(t *testing.T) {
	const status = "status: {domain: a, endpointPublishingStrategy: {type: HostNetwork}}\n"
	second := "---\n" + strings.Replace(ic("domain: a\n"), "default", "second", 1)
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"as settled", ic("domain: a\nendpointPublishingStrategy: {type: HostNetwork}\n") + status, nil},
		{"changed", ic("domain: b\nendpointPublishingStrategy: {type: Private}\n") + status,
			[]string{"4:11 ingress.unchangeable", "5:38 ingress.unchangeable"}},
		{"one domain", ic("domain: a\n") + second, []string{"9:11 ingress.notAdmitted"}},
		{"two domains", ic("domain: b\n") + second, nil},
	} {
		if d := cmp.Diff(c.want, lines(Check(split(t, c.text), release.Current))); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// cluster has a control plane node and infra nodes, of which the last is tainted.
func cluster(infra int) string {
	out := "---\nkind: Node\nmetadata: {name: m, labels: {node-role.kubernetes.io/master: ''}}\n"
	for i := range infra {
		taint := ""
		if i == infra-1 {
			taint = "spec: {taints: [{key: infra, effect: NoSchedule}]}\n"
		}
		out += fmt.Sprintf("---\nkind: Node\nmetadata: {name: i%d, labels: {node-role.kubernetes.io/infra: ''}}\n%s",
			i, taint)
	}
	return out
}

func TestPending(t *testing.T) {
	const infra = "nodePlacement:\n  nodeSelector: {matchLabels: {node-role.kubernetes.io/infra: ''}}\n"
	const tolerant = infra + "  tolerations: [{key: infra, operator: Exists}]\n"
	const host = "endpointPublishingStrategy: {type: HostNetwork}\n"
	for _, c := range []struct {
		name, spec string
		nodes      int
		want       string
	}{
		{"two by default", infra, 3, ""},
		{"taint", infra, 2, "2 routers for 1 node that take them: no two share a node, and 1 stay Pending (kept off: " +
			"i1 by a taint that is not tolerated); a rollout never ends"},
		{"tolerated", tolerant, 2, ""},
		{"more wanted", "replicas: 4\n" + tolerant, 3, "4 routers for 3 nodes"},
		{"on the host", host + "replicas: 3\n" + tolerant, 2,
			"3 routers for 2 nodes that take them: no two share a node, and 1 stay Pending"},
		{"none", "replicas: 1\n" + infra, 1, "1 router for 0 nodes"},
		{"no infra nodes at all", "", 3, "2 routers for 0 nodes"},
		{"scaled to nothing", "replicas: 0\n" + infra, 0, "replicas 0: no router runs"},
	} {
		found := Check(split(t, ic(c.spec)+cluster(c.nodes)), release.V44)
		var got string
		if len(found) > 0 {
			got = found[0].Message
		}
		if len(found) > 1 || !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %v", c.name, found)
		}
	}
	if found := Check(split(t, ic("replicas: 9\n"+infra)+cluster(2))[:1], release.V44); len(found) > 0 {
		t.Errorf("without nodes: %v", found)
	}
	found := Check(split(t, ic("replicas: 3\n"+infra)+cluster(3)), release.Current)
	if len(found) != 1 || strings.Contains(found[0].Message, "never ends") {
		t.Errorf("from 4.5 on a part may be unavailable: %v", found)
	}
}

// Nodes without a control plane may not be all of them: too few are a warning then, and
// none is nothing.
func TestPendingOfSome(t *testing.T) {
	const nodes = "---\nkind: Node\nmetadata: {name: i1, labels: {node-role.kubernetes.io/infra: ''}}\n---\nkind: Node\n" +
		"metadata: {name: i2, labels: {node-role.kubernetes.io/infra: ''}}\n" +
		"---\nkind: Node\nmetadata: {name: w1, labels: {node-role.kubernetes.io/worker: ''}}\n"
	const on = "nodePlacement: {nodeSelector: {matchLabels: {node-role.kubernetes.io/%s: ''}}}\n"
	for _, r := range release.Documented() {
		found := Check(split(t, ic("replicas: 5\n"+fmt.Sprintf(on, "infra"))+nodes), r)
		if len(found) != 1 || found[0].Severity != v1alpha1.Warning || !strings.HasPrefix(found[0].Message,
			"if the cluster has no other nodes than the 3 that are given: 5 routers for 2 nodes") {
			t.Errorf("%v: %v", r, found)
		}
		for _, good := range []string{ic("replicas: 2\n" + fmt.Sprintf(on, "infra")),
			ic("replicas: 5\n" + fmt.Sprintf(on, "edge"))} {
			if found := Check(split(t, good+nodes), r); len(found) > 0 {
				t.Errorf("%v: %v", r, found)
			}
		}
	}
}

// Routers of two IngressControllers on the host network can't share nodes, unless
// their ports differ.
func TestPendingOfTwo(t *testing.T) {
	const spec = "replicas: 2\nnodePlacement: {nodeSelector: {matchLabels: {node-role.kubernetes.io/infra: ''}}}\n" +
		"endpointPublishingStrategy: {type: HostNetwork"
	second := strings.Replace(ic(spec+"}\n"), "default", "second", 1)
	found := Check(split(t, ic(spec+"}\n")+"---\n"+second+cluster(4)), release.Current)
	if len(found) != 1 || found[0].Place.Object != "IngressController/second" ||
		!strings.HasPrefix(found[0].Message, "4 routers, with those of default on the same ports of the host for 3 nodes") {
		t.Error(found)
	}
	second = strings.Replace(ic(spec+", hostNetwork: {httpPort: 8080}}\n"), "default", "second", 1)
	if found := Check(split(t, ic(spec+"}\n")+"---\n"+second+cluster(4)), release.Current); len(found) > 0 {
		t.Error(found)
	}
}

func TestBehaviours(t *testing.T) {
	rows := Behaviours()
	if len(rows) != 2 || rows[1].Values() != "since 4.9" || rows[0].Values() != "1 more, none fewer; "+
		"25 % more, 50 % fewer (25 % from 4 routers on) since 4.5" {
		t.Error(rows)
	}
}

// The slides' own placement is right in every release.
func TestDocumentIsGood(t *testing.T) {
	text, err := os.ReadFile("../check/testdata/documents/ztip-3-router.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range release.Documented() {
		if found := Check(split(t, string(text)), r); len(found) > 0 {
			t.Errorf("%v: %v", r, found)
		}
	}
}

func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || !strings.HasPrefix(r.ID, "ingress.") || r.Title == "" || len(r.Sources) == 0 {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(ic("nodePlacement: {nodeSelector: {a: b}}\n")+cluster(3), 4)
	f.Add(ic("nodePlacement: {nodeSelector: {matchExpressions: [{}]}, tolerations: [1]}\nreplicas: -1\n"), 20)
	f.Fuzz(func(t *testing.T, text string, minor int) {
		if minor < 1 || minor > int(release.Newest) {
			return
		}
		objects, _ := object.Split("f.yaml", []byte(text))
		for _, found := range Check(objects, release.Release(minor)) {
			if found.Message == "" || found.Place.Line < 1 {
				t.Errorf("%+v", found)
			}
		}
	})
}
