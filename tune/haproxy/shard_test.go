package haproxy_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/report"
	"plimsoll.dev/selector"
	"plimsoll.dev/tune/haproxy"
	placing "plimsoll.dev/tune/ingresscontroller"
)

// made are the controllers of an advice, which no check may find fault with but for
// what the traffic itself brings.
func made(t failer, a haproxy.Advice) {
	t.Helper()
	if len(a.Controllers) == 0 {
		return
	}
	r, err := release.Parse(a.Release)
	if err != nil {
		t.Fatal(err)
	}
	var all []*object.Object
	for _, c := range a.Controllers {
		objects, problems := object.Split(c.Path, []byte(c.Text))
		if len(problems) > 0 || len(objects) != 1 {
			t.Fatalf("%v\n%s", problems, c.Text)
		}
		all = append(all, objects...)
	}
	for _, f := range append(haproxy.Check(all, r), placing.Check(all, r)...) {
		if f.ID != "router.reloadPileUp" && f.Severity != v1alpha1.Info {
			t.Fatalf("%s: %s\n%v", f.ID, f.Message, a.Controllers)
		}
	}
}

// controller is what a shard's manifest says.
type controller struct {
	Metadata struct{ Name, Namespace string }
	Spec     struct {
		Replicas      int
		Domain        string
		RouteSelector *v1alpha1.LabelSelector
	}
}

func controllers(t *testing.T, a haproxy.Advice) []controller {
	t.Helper()
	made(t, a)
	out := make([]controller, len(a.Controllers))
	for i, c := range a.Controllers {
		if err := yaml.Unmarshal([]byte(c.Text), &out[i]); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// sharding is traffic whose 900 routes make three shards.
func sharding(release string) haproxy.Input {
	in := one(release, "edge", 9000, 5000)
	in.Traffic[0].Routes, in.RoutesPerRouter, in.Domain = 900, 300, "ocp.example.com"
	return in
}

// TestEveryRouteHasOneShard: whatever label a route has, one controller serves it.
func TestEveryRouteHasOneShard(t *testing.T) {
	want := map[string]string{"": "default", "1": "default", "2": "shard-2", "3": "shard-3", "4": "default",
		"two": "default"}
	for _, release := range []string{"4.1", "4.4", "4.12", "4.20"} {
		a := advise(t, sharding(release))
		served, domains := map[string][]string{}, ""
		for _, c := range controllers(t, a) {
			if c.Spec.Replicas != a.Pods || c.Metadata.Namespace != openshift.NamespaceIngress {
				t.Errorf("%s: %+v", release, c)
			}
			domains += " " + c.Spec.Domain
			for label := range want {
				labels := map[string]string{"shard": label}
				if label == "" {
					labels = nil
				}
				if selector.Selects(c.Spec.RouteSelector, labels) {
					served[label] = append(served[label], c.Metadata.Name)
				}
			}
		}
		for label, name := range want {
			if fmt.Sprint(served[label]) != "["+name+"]" {
				t.Errorf("%s: shard=%q is served by %v", release, label, served[label])
			}
		}
		if domains != " shard-2.ocp.example.com shard-3.ocp.example.com " {
			t.Errorf("%s: domains%s", release, domains)
		}
	}
}

// TestPatchIsTheDefaultController: what is patched is what is written.
func TestPatchIsTheDefaultController(t *testing.T) {
	for _, in := range []haproxy.Input{sharding("4.12"), mixed("4.4"), mixed("4.16")} {
		a := advise(t, in)
		last := a.Controllers[len(a.Controllers)-1]
		if _, spec, _ := strings.Cut(a.Patch, "spec:"); last.Path != "ingresscontroller-default.yaml" ||
			!strings.HasSuffix(last.Text, spec) || strings.Contains(spec, "domain") || strings.Contains(spec, "Publishing") {
			t.Errorf("%s\n%s", last.Text, a.Patch)
		}
		if n := len(advise(t, mixed("4.16")).Controllers); n != 1 {
			t.Errorf("%d controllers for one shard", n)
		}
	}
}

// TestShardsWithoutDomain: what is not known can't be applied by accident.
func TestShardsWithoutDomain(t *testing.T) {
	in := sharding("4.12")
	in.Domain, in.Publishing = "", "LoadBalancerService"
	for _, c := range advise(t, in).Controllers {
		hole := strings.Contains(c.Path, "shard")
		if strings.HasPrefix(c.Path, "fill-in/") != hole || strings.Contains(c.Text, "<CLUSTER_DOMAIN>") != hole ||
			strings.Contains(c.Text, "<REMOVE_THIS_LINE_LAST>") != hole ||
			strings.Contains(c.Text, "type: LoadBalancerService") != hole {
			t.Errorf("%s\n%s", c.Path, c.Text)
		}
	}
	in.Domain = "no_domain"
	if _, problems := haproxy.Advise(in, nil); len(problems) != 1 || !strings.HasPrefix(problems[0], "domain: ") {
		t.Error(problems)
	}
}

// TestShardsOfThree: releases 3 have routers by name, and labels in a variable.
func TestShardsOfThree(t *testing.T) {
	a := advise(t, sharding("3.11"))
	for _, want := range []string{"oc adm router router-2 --replicas=0\n", "oc set env dc/router-3 \\\n",
		"  'ROUTE_LABELS=shard in (3)'\n", "oc scale dc/router-3 --replicas=",
		"  'ROUTE_LABELS=shard notin (2,3)'\noc scale dc/router --replicas="} {
		if !strings.Contains(a.Environment, want) {
			t.Errorf("no %q in\n%s", want, a.Environment)
		}
	}
	if len(a.Controllers) > 0 {
		t.Error(a.Controllers)
	}
	if text := a.Answer().Parts[1]; text.Title != "Shards" ||
		!strings.Contains(fmt.Sprint(text.Lead), "router-2 to router-3") || strings.Contains(fmt.Sprint(text.Lead), "DNS") {
		t.Error(text)
	}
}

// TestTooManyShards: no flood of controllers, but a word.
func TestTooManyShards(t *testing.T) {
	in := sharding("4.12")
	in.RoutesPerRouter = 1
	if a := advise(t, in); len(a.Controllers) != 1 || !has(a, "router.shards.many") ||
		strings.Contains(a.Patch, "routeSelector") {
		t.Errorf("%d controllers", len(a.Controllers))
	}
}

// TestJSONHasTheConfiguration: programs get what people see.
func TestJSONHasTheConfiguration(t *testing.T) {
	text, err := json.Marshal(advise(t, sharding("4.12")).Answer())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"path":"conf/haproxy.config"`, `"path":"conf/os_edge_reencrypt_be.map"`,
		`"path":"ingresscontroller-shard-2.yaml"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestAnswerTellsOfShards: what is left to do by hand, and the others' controllers.
func TestAnswerTellsOfShards(t *testing.T) {
	in := sharding("4.12")
	in.Publishing = "HostNetwork"
	var b bytes.Buffer
	if err := report.WriteAnswer(&b, advise(t, in).Answer(), report.Table, report.Options{Width: 80}); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{"oc label route NAME shard=2", "*.shard-2.ocp.example.com", "6 nodes for the 6 routers",
		"ingresscontroller-shard-2.yaml", "of 1 shard more", "namespaceSelector"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestControllersAreRight: no check finds fault with any of them.
func TestControllersAreRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawn(t)
		in.RoutesPerRouter = rapid.SampledFrom([]int{0, 10, 100}).Draw(t, "routes of a router")
		a, _ := haproxy.Advise(in, facts.Load())
		if n := len(a.Controllers); a.Patch != "" && n != a.Shards && n != 1 || a.Patch == "" && n > 0 {
			t.Fatalf("%d controllers of %d shards", n, a.Shards)
		}
		made(t, a)
	})
}
