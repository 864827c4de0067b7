package crd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/object"
	"plimsoll.dev/release"
)

// judge are the findings of a text: "line:column rule message (fix)".
func judge(t *testing.T, r release.Release, text string) (out []string) {
	t.Helper()
	objects, problems := object.Split("x.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, f := range Check(objects, r) {
		out = append(out, fmt.Sprintf("%d:%d ", f.Place.Line, f.Place.Col)+f.ID+" "+f.Message+" ("+f.Remedy+")")
	}
	return out
}

const router = "apiVersion: operator.openshift.io/v1\nkind: IngressController\nmetadata: {name: default}\nspec:\n"

// Values that the API server refuses are told with their place, and with what would be right.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, text string
		release    release.Release
		want       []string
	}{
		{"nothing", router + "  replicas: 2\n", 0, nil},
		{"enum", router + "  endpointPublishingStrategy: {type: Hostnetwork}\n", 0,
			[]string{`5:38 crd.value spec.endpointPublishingStrategy.type can't be "Hostnetwork": the API server ` +
				`refuses the object (did you mean HostNetwork? known are LoadBalancerService, HostNetwork, Private and ` +
				`NodePortService)`}},
		{"limit", "kind: KubeletConfig\nmetadata: {name: a}\nspec: {logLevel: 15}\n", 0,
			[]string{`3:18 crd.value spec.logLevel is 15, above 10: the API server refuses the object (write 0 to 10)`}},
		{"type", "kind: MachineConfigPool\nmetadata: {name: a}\nspec: {paused: 'yes'}\n", 0,
			[]string{`3:16 crd.type spec.paused holds text, not true or false: the API server refuses the object ` +
				`(write true or false)`}},
		{"missing", router + "  clientTLS: {clientCertificatePolicy: Required}\n", 0,
			[]string{`5:14 crd.missing spec.clientTLS.clientCA is missing: the API server refuses the object ` +
				`(add clientCA)`}},
		{"rule", router + "  routeAdmission: {}\n" +
			"  httpHeaders: {actions: {response: [{name: Host, action: {type: Delete}}]}}\n",
			0,
			[]string{`6:45 crd.value spec.httpHeaders.actions.response[0].name is the name of a header that may not ` +
				`be changed: the API server refuses the object (remove it: cookie, set-cookie, host, proxy and ` +
				`strict-transport-security are set otherwise)`}},
		{"before the rule", router + "  httpHeaders: {actions: {response: []}}\n", 13,
			[]string{`5:17 crd.otherRelease actions is a field since 4.14: the API server of OpenShift 4.13 drops it ` +
				`(remove it)`}},
		{"a policy", "kind: MachineConfiguration\nmetadata: {name: cluster}\nspec:\n  nodeDisruptionPolicy: {files: " +
			"[{path: /a, actions: [{type: None}, {type: Drain}]}]}\n", 0,
			[]string{`4:54 crd.value spec.nodeDisruptionPolicy.files[0].actions has None beside other actions: ` +
				`the API server refuses the object (write None alone, or leave it out)`}},
		{"a runtime", "kind: ContainerRuntimeConfig\nmetadata: {name: a}\nspec:\n  containerRuntimeConfig: " +
			"{defaultRuntime: kata}\n", 13,
			[]string{`4:44 crd.value spec.containerRuntimeConfig.defaultRuntime can't be "kata": ` +
				`the API server refuses the object (write crun or runc)`}},
		{"one of two forms", router + "  logging: {access: {destination: {type: Syslog, syslog: " +
			"{address: here, port: 514}}}}\n", 0,
			[]string{`5:68 crd.value spec.logging.access.destination.syslog.address can't be "here": the API server ` +
				`refuses the object (write IPv4 address or IPv6 address)`}},
		{"pattern", "kind: MachineHealthCheck\nmetadata: {name: a}\nspec: {maxUnhealthy: 3%0, selector: {}}\n", 0,
			[]string{`3:22 crd.value spec.maxUnhealthy can't be "3%0": the API server refuses the object ` +
				`(write a whole number, or a share of 0% to 100%)`}},
		{"name", "kind: MachineConfig\nmetadata: {name: 50-X_y}\nspec: {}\n", 0,
			[]string{`2:18 crd.name 50-X_y can't be the name of an object: the API server refuses the object ` +
				`(use small letters, digits, - and . only, with a letter or digit at both ends of each part)`}},
		{"no spec", strings.TrimSuffix(router, "spec:\n"), 0,
			[]string{`1:1 crd.value the object can't be judged by a rule of the kind: there is no spec: ` +
				`the API server refuses the object (add spec)`}},
		{"null is not there", router + "  replicas: null\n", 0, nil},
		{"status is dropped", router + "  replicas: 1\nstatus: {nonsense: 1}\n", 0, nil},
	} {
		if d := cmp.Diff(c.want, judge(t, c.release, c.text)); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

// Of very many unknown fields a few are told one by one, and the time is that of reading them.
func TestManyUnknown(t *testing.T) {
	var text strings.Builder
	text.WriteString(router)
	for i := range 50_000 {
		fmt.Fprintf(&text, "  f%d: x\n", i)
	}
	got := judge(t, 0, text.String())
	last := got[len(got)-1]
	if len(got) != mostUnknown+1 || !strings.Contains(last, "49,980 fields more are no fields of spec") {
		t.Errorf("%d, the last of them %s", len(got), last)
	}
}

// A feature set has fields that the default one hasn't.
func TestFeatureSet(t *testing.T) {
	const text = "kind: KubeletConfig\nmetadata: {name: a}\nspec: {systemGomaxprocsBehavior: Autosize}\n"
	if got := judge(t, 0, text); len(got) != 1 || !strings.Contains(got[0], "crd.unknownField") {
		t.Errorf("by default: %v", got)
	}
	gate := "---\nkind: FeatureGate\nmetadata: {name: cluster}\nspec: {featureSet: TechPreviewNoUpgrade}\n"
	if got := judge(t, 0, text+gate); got != nil {
		t.Errorf("with TechPreviewNoUpgrade: %v", got)
	}
}

// All definitions can be read, and what they ask for can be said in words.
func TestDefinitions(t *testing.T) {
	for _, name := range names {
		k := kinds(name)
		if k == nil {
			t.Fatalf("there is no %s", name)
		}
		for _, s := range k.columns {
			for c := s.since; c <= s.last; c++ {
				if has(k.columns, column{s.set, c}) {
					sayable(t, name, k.schemas(column{s.set, c}))
				}
			}
		}
	}
}

var names = []string{"ContainerRuntimeConfig", "IngressController", "KubeletConfig", "MachineConfig",
	"MachineConfigPool", "MachineConfiguration", "MachineHealthCheck", "PerformanceProfile", "Tuned"}

func sayable(t *testing.T, path string, s *schema) {
	if s == nil {
		return
	}
	for _, r := range s.Rules {
		if say := find(ruleSayings, r.text); !r.expr.Transition && (say.what == "" || say.fix == "") {
			t.Errorf("%s: nothing is said of the rule %s", path, r.text)
		}
	}
	if s.Pattern != "" && (find(patternSayings, s.Pattern).fix == "" || patterns(s.Pattern) == nil) {
		t.Errorf("%s: nothing is said of the pattern %s", path, s.Pattern)
	}
	if _, known := formats[s.Format]; s.Format != "" && s.Type == "string" && !known {
		t.Errorf("%s: nothing checks the format %s", path, s.Format)
	}
	for _, f := range s.Fields {
		sayable(t, path+"."+f.name, f.schema)
	}
	sayable(t, path+"[]", s.Items)
	sayable(t, path+"{}", s.Values)
}
