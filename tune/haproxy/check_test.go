package haproxy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/tune/haproxy"
)

// tester is a test, or one of rapid's.
type tester interface {
	failer
	Errorf(format string, args ...any)
}

// check finds what is wrong with a text, and looks at the form of the findings.
func check(t tester, text string, of release.Release) []v1alpha1.Finding {
	t.Helper()
	objects, problems := object.Split("x.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	found := haproxy.Check(objects, of)
	for _, f := range found {
		if !slices.ContainsFunc(haproxy.Rules(), func(r object.Rule) bool { return r.ID == f.ID }) {
			t.Errorf("%s is no rule", f.ID)
		}
		if f.Place == nil || f.Place.Line < 1 || f.Remedy == "" || strings.HasSuffix(f.Message, ".") {
			t.Errorf("%+v", f)
		}
	}
	return found
}

// ids are the rules that found something, with the field.
func ids(found []v1alpha1.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, strings.TrimPrefix(f.ID, "router.")+" "+f.Place.Field[strings.LastIndexByte(f.Place.Field, '.')+1:])
	}
	return out
}

// ingress is an IngressController with options and a hard stop.
func ingress(options, stop string) string {
	out := "apiVersion: operator.openshift.io/v1\nkind: IngressController\nmetadata:\n  name: default\n"
	if stop != "" {
		out += "  annotations:\n    ingress.operator.openshift.io/hard-stop-after: " + stop + "\n"
	}
	return out + "spec:\n  tuningOptions: {" + options + "}\n"
}

func TestTuningOptions(t *testing.T) {
	for options, want := range map[string][]string{
		"": nil, "threadCount: 4, maxConnections: 50000, clientTimeout: 90s": nil,
		"threads: 4":               {"unknownOption threads"},
		"threadCount: 65":          {"optionRange threadCount"},
		"threadCount: 0":           {"optionRange threadCount"},
		`threadCount: "4"`:         {"optionType threadCount"},
		"maxConnections: -1":       nil,
		"maxConnections: 0":        nil,
		"maxConnections: 1999":     {"optionRange maxConnections"},
		"maxConnections: 2000001":  {"optionRange maxConnections"},
		"headerBufferBytes: 16383": {"optionRange headerBufferBytes"},
		"headerBufferBytes: 16384, headerBufferMaxRewriteBytes: 16384": {"bufferTooSmall headerBufferBytes"},
		"headerBufferMaxRewriteBytes: 32768":                           {"bufferTooSmall headerBufferMaxRewriteBytes"},
		"clientTimeout: 1.5s":                                          nil, // the operator makes 1500ms of it
		"clientTimeout: 0s":                                            {"replacedByDefault clientTimeout"},
		"clientTimeout: -5s":                                           {"replacedByDefault clientTimeout"},
		"clientTimeout: 1d":                                            {"optionType clientTimeout"},
		"clientTimeout: 30":                                            {"optionType clientTimeout"},
		"clientTimeout: 600h":                                          {"clamped clientTimeout"},
		"clientTimeout: 596h":                                          nil,
		// a number where the API has text
		"clientTimeout: 0":     {"optionType clientTimeout"},
		"clientTimeout: 999ns": {"replacedByDefault clientTimeout"},
		"clientTimeout: 1us":   nil,
		// more than Go can count
		"clientTimeout: 9999999h":         {"optionType clientTimeout"},
		"connectTimeout: -5s":             {"optionType connectTimeout"},
		"connectTimeout: .5s":             {"optionType connectTimeout"},
		"connectTimeout: 1.5m300ms":       nil,
		"reloadInterval: +5s":             {"optionType reloadInterval", "reloadPileUp reloadInterval"},
		"healthCheckInterval: 600h":       {"clamped healthCheckInterval"},
		"httpKeepAliveTimeout: 2000000us": {"optionType httpKeepAliveTimeout"},
		"httpKeepAliveTimeout: 0.5m":      nil,
		// 17 letters
		"httpKeepAliveTimeout: 15m0.00000000000s": {"optionType httpKeepAliveTimeout"},
		"headerBufferBytes: 268435440":            nil,
		"headerBufferBytes: 268435456":            {"configurationRefused headerBufferBytes"},
		"headerBufferBytes: 2147483648":           {"optionRange headerBufferBytes"},
		"headerBufferBytes: 65536, headerBufferMaxRewriteBytes: 2147483648": {"optionRange headerBufferMaxRewriteBytes",
			"bufferTooSmall headerBufferBytes"},
		"healthCheckInterval: 500ms":             {"replacedByDefault healthCheckInterval"},
		"httpKeepAliveTimeout: 16m":              {"optionRange httpKeepAliveTimeout"},
		"httpKeepAliveTimeout: 0s":               {"optionRange httpKeepAliveTimeout"},
		"reloadInterval: 0s":                     nil,
		"reloadInterval: 500ms":                  {"clamped reloadInterval", "reloadPileUp reloadInterval"},
		"reloadInterval: 3m, tunnelTimeout: 10m": {"clamped reloadInterval"},
		"reloadInterval: 30s":                    {"reloadPileUp reloadInterval"},
		"tunnelTimeout: 45s":                     nil,
		"tunnelTimeout: 46s":                     {"reloadPileUp tunnelTimeout"},
		"tunnelTimeout: 1h, reloadInterval: 2m":  {"reloadPileUp tunnelTimeout"},
		"tunnelTimeout: 18m, reloadInterval: 2m": nil,
		"configurationManagement: dynamic":       {"optionRange configurationManagement"},
		"configurationManagement: []":            {"optionRange configurationManagement"},
		"configurationManagement: ForkAndReload": nil,
	} {
		if d := cmp.Diff(want, ids(check(t, ingress(options, ""), release.Current))); d != "" {
			t.Errorf("%s: %s", options, d)
		}
	}
}

// TestPileUpIsBounded: 1 h of idle tunnels with reloads every 5 s is 721 processes,
// and a hard stop ends it.
func TestPileUpIsBounded(t *testing.T) {
	found := check(t, ingress("tunnelTimeout: 1h", ""), release.Current)
	if len(found) != 1 || !strings.Contains(found[0].Message, "up to 721 processes") ||
		!strings.Contains(found[0].Remedy, "45s") {
		t.Errorf("%+v", found)
	}
	if found := check(t, ingress("tunnelTimeout: 1h", "40s"), release.Current); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

// TestIgnoredHardStopHoldsNothing: a hard stop that is passed over ends no process,
// though HAProxy would read it.
func TestIgnoredHardStopHoldsNothing(t *testing.T) {
	for stop, r := range map[string]release.Release{`"40000"`: release.Current, "0040s": release.Current} {
		if d := cmp.Diff([]string{"hardStopIgnored annotations", "reloadPileUp tunnelTimeout"},
			ids(check(t, ingress("tunnelTimeout: 1h", stop), r))); d != "" {
			t.Errorf("%s: %s", stop, d)
		}
	}
	variables := func(kind string) string {
		return deployment(kind, "default", "ROUTER_DEFAULT_TUNNEL_TIMEOUT=1h", "ROUTER_HARD_STOP_AFTER=40s")
	}
	if d := cmp.Diff([]string{"variableUnread value", "reloadPileUp env"},
		ids(check(t, variables("DeploymentConfig"), release.Current))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string(nil), ids(check(t, variables("Deployment"), release.Current))); d != "" {
		t.Error(d)
	}
}

func TestHardStop(t *testing.T) {
	for stop, want := range map[string][]string{"30m": nil, "2d": nil, `"90"`: {"hardStopIgnored annotations"},
		"1.5h": {"hardStopIgnored annotations"}, "0s": {"hardStopIgnored annotations"},
		"1h30m": {"hardStopIgnored annotations"}, "soon": {"hardStopIgnored annotations"}, "25d": {"clamped annotations"},
		"24d": nil, "200000d": {"clamped annotations"}, "106752d": {"clamped annotations"},
		"9223372036854775807d": {"clamped annotations"}, "99999999999999999999d": {"hardStopIgnored annotations"},
		"596h": nil, "597h": {"clamped annotations"}, "9999999h": {"hardStopIgnored annotations"}, "2147483647ms": nil,
		"2147483648ms": {"clamped annotations"},
		"-2d":          {"hardStopIgnored annotations"}, "02d": {"hardStopIgnored annotations"},
		"1ns": {"hardStopIgnored annotations"}, "500us": nil, `""`: {"hardStopIgnored annotations"}} {
		if d := cmp.Diff(want, ids(check(t, ingress("", stop), release.Current))); d != "" {
			t.Errorf("%s: %s", stop, d)
		}
	}
}

// TestBehaviours is a test for each rule that differs by release.
func TestBehaviours(t *testing.T) {
	for _, c := range []struct {
		text string
		want map[release.Release][]string
	}{
		{ingress("threadCount: 4", ""), map[release.Release][]string{release.V43: {"noTuningOptions tuningOptions"},
			release.V44: {"noTuningOptions tuningOptions"}, release.V45: {"noTuningOptions tuningOptions"},
			release.Current: nil}},
		{ingress("", "1h"), map[release.Release][]string{release.V43: {"hardStopIgnored annotations"},
			release.V44: {"hardStopIgnored annotations"}, release.V45: nil, release.Current: nil}},
		{deployment("Deployment", "default", "ROUTER_BUF_SIZE=65536"),
			map[release.Release][]string{release.V43: {"variableUnread value"}, release.V45: {"variableUnread value"},
				release.Current: nil}},
		{deployment("Deployment", "default", "ROUTER_HARD_STOP_AFTER=25d"),
			map[release.Release][]string{release.V44: {"variableUnread value"}, release.V45: {"clamped value"},
				release.Current: {"clamped value"}}},
		{deployment("Deployment", "openshift-ingress", "ROUTER_THREADS=8"),
			map[release.Release][]string{release.V43: {"environmentOverwritten value"},
				release.Current: {"environmentOverwritten value"}}},
	} {
		for of, want := range c.want {
			if d := cmp.Diff(want, ids(check(t, c.text, of))); d != "" {
				t.Errorf("%s: %s", of, d)
			}
		}
	}
	rows := map[string]string{}
	for _, r := range haproxy.Behaviours() {
		rows[r.ID] = r.Values()
		if r.Source.Code == "" || r.Title == "" {
			t.Errorf("%+v", r)
		}
	}
	want := map[string]string{"router.tuningOptions": "since 4.8", "router.hardStopAnnotation": "since 4.5",
		"router.environmentOverwritten": "always",
		"router.bufferVariable":         "since 4.8", "router.connectionsChecked": "since 4.9"}
	if d := cmp.Diff(want, rows); d != "" {
		t.Error(d)
	}
}

// deployment is a router's deployment with variables.
func deployment(kind, namespace string, variables ...string) string {
	out := fmt.Sprintf("apiVersion: v1\nkind: %s\nmetadata: {name: router, namespace: %s}\nspec:\n  template:\n"+
		"    spec:\n      containers:\n      - name: router\n        env:\n", kind, namespace)
	for _, v := range append(variables, "ROUTER_SERVICE_NAME=router") {
		name, value, _ := strings.Cut(v, "=")
		out += fmt.Sprintf("        - {name: %s, value: %q}\n", name, value)
	}
	return out
}

// TestVariables: a value must match the template's pattern as a whole, or the
// default is taken without a word.
func TestVariables(t *testing.T) {
	for variable, want := range map[string][]string{
		"ROUTER_DEFAULT_CLIENT_TIMEOUT=90s": nil, "ROUTER_DEFAULT_CLIENT_TIMEOUT=500": nil,
		"ROUTER_DEFAULT_CLIENT_TIMEOUT=1d":                    nil,
		"ROUTER_DEFAULT_CLIENT_TIMEOUT=1.5s":                  {"replacedByDefault value"},
		"ROUTER_DEFAULT_SERVER_TIMEOUT=0s":                    {"replacedByDefault value"},
		"ROUTER_DEFAULT_SERVER_TIMEOUT=1h30m":                 {"replacedByDefault value"},
		"ROUTER_SLOWLORIS_TIMEOUT= 10s":                       {"replacedByDefault value"},
		"ROUTER_HARD_STOP_AFTER=soon":                         {"variableUnread value"}, // it came with 4.5
		"ROUTER_DEFAULT_CLIENT_TIMEOUT=24d":                   nil,
		"ROUTER_DEFAULT_CLIENT_TIMEOUT=25d":                   {"configurationRefused value"},
		"ROUTER_DEFAULT_CONNECT_TIMEOUT=2147483647":           nil,
		"ROUTER_DEFAULT_CONNECT_TIMEOUT=2147483648":           {"configurationRefused value"},
		"ROUTER_DEFAULT_CONNECT_TIMEOUT=99999999999999999999": {"configurationRefused value"},
		"ROUTER_BUF_SIZE=65536":                               {"variableUnread value"},
		"ROUTER_THREADS=-1":                                   {"replacedByDefault value"},
		"ROUTER_THREADS=65":                                   {"configurationRefused value"},
		"ROUTER_THREADS=99999999999999999999":                 {"configurationRefused value"},
		"ROUTER_THREADS=0":                                    {"replacedByDefault value"},
		"ROUTER_THREADS=4":                                    nil,
		"ROUTER_MAX_CONNECTIONS=auto":                         nil,
		"ROUTER_MAX_CONNECTIONS=50k":                          {"replacedByDefault value"},
		"RELOAD_INTERVAL=1m30s":                               {"reloadPileUp env"}, // 1 h of idle tunnels
		"RELOAD_INTERVAL=0s":                                  {"reloadIntervalRefused value"},
		"RELOAD_INTERVAL=1d":                                  {"replacedByDefault value"},
		"RELOAD_INTERVAL=10m":                                 nil, // 3.x clamps nothing
		"OTHER=0s":                                            nil,
	} {
		if d := cmp.Diff(want, ids(check(t, deployment("DeploymentConfig", "default", variable), release.V43))); d != "" {
			t.Errorf("%s: %s", variable, d)
		}
	}
	found := check(t, deployment("DeploymentConfig", "default", "ROUTER_DEFAULT_TUNNEL_TIMEOUT=1.5h"), release.V43)
	if len(found) != 1 || found[0].Message != "ROUTER_DEFAULT_TUNNEL_TIMEOUT=1.5h is no time of HAProxy; 1h is taken" ||
		found[0].Place.Line != 10 {
		t.Errorf("%+v", found)
	}
}

// TestConnectionsThatAreNoNumber: HAProxy reads 50k as 50, until the template asks.
func TestConnectionsThatAreNoNumber(t *testing.T) {
	for _, c := range []struct {
		kind, want string
		release    release.Release
	}{
		{"DeploymentConfig", "HAProxy takes the digits that it begins with", release.Current}, // 3.x
		{"Deployment", "HAProxy takes the digits that it begins with", release.V45},
		{"Deployment", "the line maxconn is left out", release.Current},
	} {
		found := check(t, deployment(c.kind, "default", "ROUTER_MAX_CONNECTIONS=50k"), c.release)
		if len(found) != 1 || found[0].Message != "ROUTER_MAX_CONNECTIONS=50k is no number; "+c.want {
			t.Errorf("%s in %s: %+v", c.kind, c.release, found)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(ingress("threadCount: 4, reloadInterval: 0s", "1h"))
	f.Add(deployment("Deployment", "openshift-ingress", "ROUTER_THREADS=x", "RELOAD_INTERVAL=9999999h"))
	f.Add(ingress("tunnelTimeout: 99999999999h, reloadInterval: [], maxConnections: 1e3", "99999999999999999999d"))
	f.Fuzz(func(_ *testing.T, text string) {
		objects, _ := object.Split("x.yaml", []byte(text))
		for _, r := range release.Documented() {
			haproxy.Check(objects, r)
		}
	})
}
