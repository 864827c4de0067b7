package plan_test

import (
	"fmt"
	"math"
	"testing"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	"plimsoll.dev/plan"
	"plimsoll.dev/source/scenario"
)

// baseline is a cell of the tables of OCP 11.1 and ROUT 8.1.1: how a router of
// a release is set up, and its requests a second by encryption.
var baseline = []struct {
	release, router string
	keepAlive       int
	rates           map[string]float64
}{
	{"4.4", "publishing: LoadBalancerService", 1,
		map[string]float64{"none": 21515, "edge": 16743, "passthrough": 36786, "re-encrypt": 21583}},
	{"4.4", "publishing: HostNetwork", 1,
		map[string]float64{"none": 29622, "edge": 22913, "passthrough": 53295, "re-encrypt": 25198}},
	{"4.4", "publishing: LoadBalancerService", 0,
		map[string]float64{"none": 5719, "edge": 2729, "passthrough": 4121, "re-encrypt": 2320}},
	{"4.4", "publishing: HostNetwork", 0,
		map[string]float64{"none": 8273, "edge": 4069, "passthrough": 5344, "re-encrypt": 2941}},
	{"3.11", "threads: 1", 1, map[string]float64{"none": 23681, "edge": 14981, "passthrough": 34358, "re-encrypt": 13288}},
	{"3.11", "threads: 4", 1, map[string]float64{"none": 24327, "edge": 22768, "passthrough": 34331, "re-encrypt": 24605}},
	{"3.11", "threads: 1", 0, map[string]float64{"none": 3245, "edge": 1910, "passthrough": 3408, "re-encrypt": 1333}},
	{"3.11", "threads: 4", 0, map[string]float64{"none": 4527, "edge": 3043, "passthrough": 3922, "re-encrypt": 2239}},
}

// routed is a cluster with this router and traffic, planned to its full rate.
func routed(release, node, router, traffic string) small {
	return small{Release: release, Node: "cpus: 16, memory: 64G" + node,
		Rest: fmt.Sprintf("router: {utilisation: 1, spare: 0, %s, traffic: [%s]}", router, traffic)}
}

// P13: the documents' rate fills one router, one request more wants a second.
func TestDocumentRouterBaseline(t *testing.T) {
	for _, c := range baseline {
		for encryption, rate := range c.rates {
			for more, want := range []float64{1, 2} {
				traffic := fmt.Sprintf("{name: t, encryption: %s, keepAlive: %d, requestsPerSecond: %v}", encryption, c.keepAlive,
					rate+float64(more))
				p := routed(c.release, "", c.router, traffic).plan(t)
				number(t, p, "router.needed[requests]", want)
				number(t, p, "router.load[t]", (rate+float64(more))/rate)
			}
		}
	}
}

// P13: bare metal is roughly twice the public cloud, once.
func TestDocumentRouterOnBareMetal(t *testing.T) {
	for _, c := range baseline {
		for encryption, rate := range c.rates {
			traffic := fmt.Sprintf("{name: t, encryption: %s, keepAlive: %d, requestsPerSecond: %v}", encryption,
				c.keepAlive, 2*rate)
			number(t, routed(c.release, ", bareMetal: true", c.router, traffic).plan(t), "router.load[t]", 1)
		}
	}
}

// P13: kinds mix harmonically: halves of a router each make one.
func TestDocumentRouterMix(t *testing.T) {
	for _, c := range []struct {
		traffic string
		load    float64
	}{
		{"{name: a, requestsPerSecond: 14811}, {name: b, encryption: edge, requestsPerSecond: 11456.5}", 1},
		{"{name: a, requestsPerSecond: 10000, keepAlive: 50%}", 5000.0/29622 + 5000.0/8273},
		{"{name: a, encryption: re-encrypt, requestsPerSecond: 10000, keepAlive: 90%}, {name: b, encryption: " +
			"passthrough, requestsPerSecond: 7, keepAlive: 0}",
			9000.0/25198 + 1000.0/2941 + 7.0/5344},
	} {
		p := routed("4.4", "", "publishing: HostNetwork", c.traffic).plan(t)
		number(t, p, "router.load", c.load)
		number(t, p, "router.needed[requests]", math.Ceil(c.load))
	}
	half := routed("4.4", "", "publishing: HostNetwork", "{name: a, requestsPerSecond: 29622}")
	half.Rest = "router: {utilisation: 0.5, spare: 3, publishing: HostNetwork, traffic: [{name: " +
		"a, requestsPerSecond: 29622}]}"
	p := half.plan(t)
	number(t, p, "router.needed[requests]", 2)
	number(t, p, "router.replicas", 5)
}

// P13: with keep-alive a router fills 1 Gbit/s with pages as small as 8 kB;
// two cells of 3.x do not quite, and say so by a larger page.
func TestDocumentRouterFillsTheInterface(t *testing.T) {
	for _, c := range baseline {
		for encryption, rate := range c.rates {
			p := routed(c.release, ", network: 1G", c.router,
				fmt.Sprintf("{name: t, encryption: %s, requestsPerSecond: 1}", encryption)).plan(t)
			if c.keepAlive == 1 {
				number(t, p, "router.fillingPage[t]", 1e9/8/rate)
			}
		}
	}
	// 8 kB of payload each, headers beside it
	for requests, routers := range map[int]float64{10_000: 1, 16_000: 2, 31_500: 3} {
		p := routed("4.4", ", network: 1G", "publishing: HostNetwork",
			fmt.Sprintf("{name: t, encryption: passthrough, pageSize: 8k, requestsPerSecond: %d}", requests)).plan(t)
		number(t, p, "router.needed[network]", routers)
		number(t, p, "router.needed", routers)
		if got := figure(t, p, "router.bandwidth").Value.Number; got < float64(requests*8000*8) {
			t.Errorf("%d pages of 8 kB are %v bit/s at least, the plan has %v", requests, requests*8000*8, got)
		}
	}
}

// P13, ROUT 8.1.2.1: a connection counts twice against maxconn.
func TestDocumentRouterConnections(t *testing.T) {
	for connections, routers := range map[int]float64{1: 1, 25_000: 1, 25_001: 2, 50_001: 3} {
		traffic := fmt.Sprintf("{name: t, encryption: edge, requestsPerSecond: 10, connections: %d}", connections)
		p := routed("3.11", "", "maxConnections: 50000", traffic).plan(t)
		number(t, p, "router.connections", float64(2*connections))
		number(t, p, "router.needed[connections]", routers)
	}
}

// P13, OCP 11.1: 5 to 10 static or 100 to 1000 dynamic applications behind a router.
func TestDocumentApplicationsBehindARouter(t *testing.T) {
	for applications, shards := range map[string]float64{
		"content: static, applications: 10": 1, "content: static, applications: 11": 2,
		"content: static, applications: 20":    2,
		"content: dynamic, applications: 1000": 1, "content: dynamic, applications: 1001": 2,
	} {
		p := routed("4.4", "", "publishing: HostNetwork", "{name: t, requestsPerSecond: 10, "+applications+"}").plan(t)
		number(t, p, "router.shards", shards)
		if got := len(p.Decisions.Routers); got != int(shards) {
			t.Errorf("%s: %d ingress controllers, want %v", applications, got, shards)
		}
	}
}

// P13, OCP 11.2: 4.4 no longer takes ROUTER_THREADS; ROUT 8.1.2.3 does.
func TestDocumentRouterThreads(t *testing.T) {
	const traffic = "{name: t, requestsPerSecond: 10}"
	for threads, fixed := range map[int]bool{1: true, 4: false, 8: true} {
		router := fmt.Sprintf("threads: %d", threads)
		expectFinding(t, routed("4.4", "", router, traffic).plan(t), v1alpha1.Warning, "router.threads.fixed", fixed)
		expectFinding(t, routed("3.11", "", router, traffic).plan(t), v1alpha1.Warning, "router.threads.fixed", false)
	}
}

// P13: an own measurement takes the place of the baseline.
func TestDocumentRouterMeasured(t *testing.T) {
	s := routed("4.4", "", "publishing: HostNetwork", "{name: t, requestsPerSecond: 10000}")
	doc, err := scenario.Read("test.yaml", []byte("apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\n"+s.text()))
	if err != nil {
		t.Fatal(err)
	}
	doc.Scenario.Measurements = []v1alpha1.Measurement{
		{Fact: "ocp.router.requests/none/keep-alive/HostNetwork", Value: 9999, Source: "lab"},
	}
	p := check(t, plan.Make(doc.Scenario, doc.Assumptions, plan.Catalogue(facts.Load(), doc.Scenario)))
	number(t, p, "router.rate[none/keep-alive]", 9999)
	number(t, p, "router.needed[requests]", 2)
}
