package router_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/derive/derivetest"
	"plimsoll.dev/facts"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/router"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// cell is one figure of the documents' tables.
type cell struct {
	release, publishing string
	threads             int
	encryption, mode    string
	rate                float64
}

// baselines are the 16 cells of OCP 11.1 and the 16 of ROUT 8.1.1.
func baselines() []cell {
	type row struct {
		encryption  string
		left, right float64
	}
	var list []cell
	for mode, rows := range map[string][]row{
		formula.KeepAlive: {{"none", 21515, 29622}, {"edge", 16743, 22913}, {"passthrough", 36786, 53295},
			{"re-encrypt", 21583, 25198}},
		formula.Close: {{"none", 5719, 8273}, {"edge", 2729, 4069}, {"passthrough", 4121, 5344}, {"re-encrypt", 2320, 2941}},
	} {
		for _, r := range rows {
			list = append(list, cell{"4.4", "LoadBalancerService", 4, r.encryption, mode, r.left},
				cell{"4.4", "HostNetwork", 4, r.encryption, mode, r.right})
		}
	}
	for mode, rows := range map[string][]row{
		formula.KeepAlive: {{"none", 23681, 24327}, {"edge", 14981, 22768}, {"passthrough", 34358, 34331},
			{"re-encrypt", 13288, 24605}},
		formula.Close: {{"none", 3245, 4527}, {"edge", 1910, 3043}, {"passthrough", 3408, 3922}, {"re-encrypt", 1333, 2239}},
	} {
		for _, r := range rows {
			list = append(list, cell{"3.11", "", 1, r.encryption, mode, r.left},
				cell{"3.11", "", 4, r.encryption, mode, r.right})
		}
	}
	return list
}

func (c cell) String() string {
	return fmt.Sprintf("%s %s %d threads %s %s", c.release, c.publishing, c.threads, c.encryption, c.mode)
}

// input is a scenario with one kind of request, at full use and without spare.
func (c cell) input(requests float64) router.Input {
	kept := unit.Factor(1)
	if c.mode == formula.Close {
		kept = 0
	}
	in := input(v1alpha1.Traffic{Name: "web", Encryption: c.encryption, RequestsPerSecond: requests, KeepAlive: &kept,
		PageSize: 1000})
	in.Release, in.Router.Publishing, in.Router.Threads = c.release, c.publishing, c.threads
	return in
}

var assumed = []v1alpha1.Assumption{{Field: "router.maxConnections"}, {Field: "router.applicationsPerRouter"}}

func input(mix ...v1alpha1.Traffic) router.Input {
	c, none := facts.Load(), 0
	return router.Input{
		Router: v1alpha1.Router{Threads: 4, Utilisation: 1, Spare: &none, MaxConnections: 50000, ApplicationsPerRouter: 1000,
			Traffic: mix},
		Origin: part.NewOrigin(assumed, c), Release: "4.4", Provider: "aws", Facts: c,
	}
}

func plan(t testing.TB, in router.Input) (router.Result, *derive.Book) {
	t.Helper()
	var b derive.Book
	r := router.Plan(&b, in)
	for _, err := range b.Verify() {
		t.Error(err)
	}
	derivetest.Compare(t, b.Figures(), derivetest.Twins{"router.bandwidth": func(in derivetest.Inputs) float64 {
		if _, one := in["requests"]; !one {
			return total(in)
		}
		return 8 * in["requests"] * (wireBytes(in["page"]+in["answer"], in["segment"], in["header"]) +
			wireBytes(in["request"], in["segment"], in["header"]))
	}})
	for _, f := range r.Part.Findings {
		if f.Severity != v1alpha1.Info && (f.Remedy == "" || len(f.Sources) == 0) {
			t.Errorf("%s has no remedy or no source", f.ID)
		}
		if _, ok := b.Get(f.Figure); f.Figure != "" && !ok {
			t.Errorf("%s points to no figure %q", f.ID, f.Figure)
		}
	}
	return r, &b
}

// TestBaselines checks all 32 cells in both directions: the measured requests
// need one router, one more needs two; and so many routers take so many requests.
func TestBaselines(t *testing.T) {
	cells := baselines()
	if len(cells) != 32 {
		t.Fatalf("%d cells, want 32", len(cells))
	}
	for _, c := range cells {
		for requests, want := range map[float64]int64{c.rate: 1, c.rate + 1: 2, 10 * c.rate: 10} {
			r, _ := plan(t, c.input(requests))
			if got := r.Size.Needed.Int(); got != want {
				t.Errorf("%v: %g requests/s need %d routers, want %d", c, requests, got, want)
			}
			if got, want := r.Size.Capacity.Number, float64(max(2, want))*c.rate; math.Abs(got-want) > 1e-6 {
				t.Errorf("%v: the routers take %g requests/s, want %g", c, got, want)
			}
		}
		kept := 1.0
		if c.mode == formula.Close {
			kept = 0
		}
		mix := []formula.Share{{Requests: 1, KeepAlive: kept, RateKeepAlive: c.rate, RateClose: c.rate}}
		if got := formula.Capacity(3, 0.5, mix); math.Abs(got-1.5*c.rate) > 1e-6 {
			t.Errorf("%v: 3 routers half used take %g requests/s, want %g", c, got, 1.5*c.rate)
		}
	}
}

// TestSaturation checks "capable of saturating a 1 Gbit NIC at page sizes as
// small as 8 kB" (OCP 11.1, ROUT 8.1.1): true with keep-alive except for edge and
// re-encrypt on one thread, never with a connection for each request.
func TestSaturation(t *testing.T) {
	c := facts.Load()
	nic, page := c.Must("ocp.router.saturatedNIC").Number, c.Must("ocp.router.saturatingPage").Number
	if got := formula.FillingPage(c.Must("ocp.router.saturatingRequests").Number, nic); got != page {
		t.Errorf("15,625 requests/s fill 1 Gbit/s with pages of %g bytes, want %g", got, page)
	}
	var short []string
	for _, b := range baselines() {
		fills := formula.FillingPage(b.rate, nic) <= page
		switch {
		case b.mode == formula.Close && fills:
			t.Errorf("%v fills the NIC", b)
		case b.mode == formula.KeepAlive && !fills:
			short = append(short, b.String())
		}
	}
	slices.Sort(short)
	if diff := cmp.Diff([]string{"3.11  1 threads edge keep-alive", "3.11  1 threads re-encrypt keep-alive"},
		short); diff != "" {
		t.Errorf("cells that do not fill the NIC (-want +got):\n%s", diff)
	}
}

func TestKeepAliveShare(t *testing.T) {
	half := unit.Factor(0.5)
	in := input(v1alpha1.Traffic{Name: "web", Encryption: "none", RequestsPerSecond: 1000, KeepAlive: &half,
		PageSize: 1000})
	r, _ := plan(t, in)
	if got, want := r.Size.Load.Number, 500.0/21515+500.0/5719; math.Abs(got-want) > 1e-12 {
		t.Errorf("load is %v routers, want %v", got, want)
	}
}

func TestReplicas(t *testing.T) {
	web := v1alpha1.Traffic{Name: "web", Encryption: "edge", RequestsPerSecond: 30000, PageSize: 1000}
	with := func(change func(*router.Input)) router.Input {
		in := input(web)
		change(&in)
		return in
	}
	spare := 1
	tests := []struct {
		name             string
		in               router.Input
		needed, replicas int64
		limiting         string
	}{
		{"full use, no spare: 30000 / 16743", input(web), 2, 2, "requests"},
		{"65 %: 30000 / 10882", with(func(in *router.Input) { in.Router.Utilisation = 0.65 }), 3, 3, "requests"},
		{"65 % and a spare router", with(func(in *router.Input) { in.Router.Utilisation, in.Router.Spare = 0.65, &spare }), 3,
			4, "requests"},
		{"bare metal counts twice, once", with(func(in *router.Input) { in.BareMetal = true }), 1, 2, "requests"},
		{"host network: 30000 / 22913", with(func(in *router.Input) { in.Provider = "baremetal" }), 2, 2, "requests"},
		{"a slow interface", with(func(in *router.Input) {
			in.NIC = derive.Given("nic", 100e6, unit.BitsPerS)
		}), 5, 5, "network"},
		{"many connections: 2 x 70000 / 20000", with(func(in *router.Input) { in.Router.Traffic[0].Connections = 70000 }), 7,
			7, "connections"},
		{"no traffic", input(), 1, 2, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := plan(t, tt.in)
			if got := r.Size.Needed.Int(); got != tt.needed || r.Size.Limiting != tt.limiting {
				t.Errorf("%d routers needed for %q, want %d for %q", got, r.Size.Limiting, tt.needed, tt.limiting)
			}
			if got := r.Decisions[0].Replicas; got != int(tt.replicas) {
				t.Errorf("%d replicas, want %d", got, tt.replicas)
			}
		})
	}
}

// TestNetwork checks the bytes of one kind by hand: 1,000 + 300 bytes in one
// segment and 500 in another, 66 bytes of headers each.
func TestNetwork(t *testing.T) {
	r, b := plan(t, input(v1alpha1.Traffic{Name: "web", Encryption: "none", RequestsPerSecond: 1000, PageSize: 1000}))
	if got, want := r.Size.Bandwidth.Number, 8*1000*(1300+66+500+66.0); got != want {
		t.Errorf("bandwidth is %v bit/s, want %v", got, want)
	}
	for id, want := range map[string]float64{"router.segment": 1448, "router.segmentHeader": 66} {
		if f, _ := b.Get(id); f.Value.Number != want {
			t.Errorf("%s is %v bytes, want %v", id, f.Value.Number, want)
		}
	}
	for message, want := range map[float64]float64{0: 0, 1: 67, 1448: 1514, 1449: 1581, 8000: 8000 + 6*66} {
		if got := wireBytes(message, 1448, 66); got != want {
			t.Errorf("%v bytes take %v on the wire, want %v", message, got, want)
		}
	}
}

func TestShards(t *testing.T) {
	traffic := func(content string, n int) v1alpha1.Traffic {
		return v1alpha1.Traffic{Name: content, Encryption: "none", RequestsPerSecond: 10, PageSize: 1000, Content: content,
			Applications: n}
	}
	own := input(traffic("static", 50), traffic("dynamic", 100))
	own.Origin = part.NewOrigin(assumed[:1], own.Facts)
	own.Router.ApplicationsPerRouter = 500
	tests := []struct {
		name string
		in   router.Input
		want int64
	}{
		{"the guide's upper end", input(traffic("dynamic", 1000)), 1},
		{"one more", input(traffic("dynamic", 1001)), 2},
		{"static: 10 a router", input(traffic("static", 10)), 1},
		{"static: 25", input(traffic("static", 25)), 3},
		{"7 static and 300 dynamic fill one router", input(traffic("static", 7), traffic("dynamic", 300)), 1},
		{"7 static and 301 dynamic", input(traffic("static", 7), traffic("dynamic", 301)), 2},
		{"your own limit holds for both", own, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := plan(t, tt.in)
			if got := r.Size.Shards.Int(); got != tt.want || len(r.Decisions) != int(tt.want) {
				t.Errorf("%d shards and %d decisions, want %d", got, len(r.Decisions), tt.want)
			}
			if len(r.Pods) != int(tt.want) || r.Nodes.Int() != 2 {
				t.Errorf("%d pod types on %d nodes; with a load balancer shards share nodes", len(r.Pods), r.Nodes.Int())
			}
		})
	}
	in := input(traffic("static", 25))
	in.Provider = "baremetal"
	r, _ := plan(t, in)
	want := []v1alpha1.PodType{{Name: "router", Namespace: "openshift-ingress", Replicas: 6, CPU: 100,
		Memory: r.Pods[0].Memory, MaxPerNode: 1, Overcommit: "cpuOnly"}}
	if diff := cmp.Diff(want, r.Pods); diff != "" || r.Nodes.Int() != 6 {
		t.Errorf("host network needs a node for each of 6 routers, has %v; pods (-want +got):\n%s", r.Nodes, diff)
	}
}

func TestDecision(t *testing.T) {
	in := input(v1alpha1.Traffic{Name: "web", Encryption: "edge", RequestsPerSecond: 30000, Connections: 1000,
		PageSize: 1000})
	in.Release, in.Router.MaxConnections = "4.17", 100000
	in.Origin = part.NewOrigin(nil, in.Facts)
	r, _ := plan(t, in)
	want := []v1alpha1.RouterDecision{{Name: "default", Replicas: 2, Threads: 4, MaxConnections: 100000,
		Publishing: "LoadBalancerService", Shard: 1, Shards: 1}}
	if diff := cmp.Diff(want, r.Decisions); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
	// 30000 / 16743 routers use as much of 4 cores on each of the two.
	if got := r.Size.CPU.Number; got != math.Ceil(4000*30000/16743.0/2) {
		t.Errorf("a router requests %v millicores", got)
	}
	// 256 Mi and 500 clients of (20 + 15) Ki on each router.
	if got := r.Size.Memory.Number / float64(unit.MiB); got != 256+18 {
		t.Errorf("a router requests %v Mi, want 274", got)
	}
}

func TestFindings(t *testing.T) {
	web := func(change func(*router.Input)) router.Input {
		in := input(v1alpha1.Traffic{Name: "web", Encryption: "edge", RequestsPerSecond: 3000, PageSize: 1000})
		in.Release = "4.17"
		change(&in)
		return in
	}
	little := 64 * unit.MiB
	tests := []struct {
		name string
		in   router.Input
		want []string
	}{
		{"nothing to say", web(func(*router.Input) {}), nil},
		{"no traffic", input(), []string{"info router.noTraffic"}},
		{"8 threads", web(func(in *router.Input) { in.Router.Threads = 8 }), []string{"warning router.threads.notMeasured"}},
		{"2 threads", web(func(in *router.Input) { in.Router.Threads = 2 }), []string{"warning router.threads.notMeasured"}},
		{"1 thread is published for 3.x", web(func(in *router.Input) { in.Release, in.Router.Threads = "3.11", 1 }), nil},
		{"4.4 can't set threads", web(func(in *router.Input) { in.Release, in.Router.Threads = "4.4", 8 }),
			[]string{"warning router.threads.fixed"}},
		{"4.4 can't set connections", web(func(in *router.Input) {
			in.Release, in.Origin = "4.4", part.NewOrigin(nil, in.Facts)
		}), []string{"warning router.maxConnections.fixed"}},
		{"large pages", web(func(in *router.Input) { in.Router.Traffic[0].PageSize = 8000 }),
			[]string{"info router.pageSize"}},
		{"unknown interface", web(func(in *router.Input) { in.Router.Traffic[0].PageSize = 100000 }),
			[]string{"info router.pageSize", "warning router.network.unknown"}},
		{"bare metal", web(func(in *router.Input) { in.BareMetal = true }), []string{"info router.bareMetal"}},
		{"little memory", web(func(in *router.Input) { in.Router.Memory = &little }),
			[]string{"warning router.memory.little"}},
		{"re-encrypt beats edge", web(func(in *router.Input) {
			in.Router.Traffic = append(in.Router.Traffic,
				v1alpha1.Traffic{Name: "inner", Encryption: "re-encrypt", RequestsPerSecond: 10, PageSize: 1000})
		}), []string{"info router.baseline.oddity"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := plan(t, tt.in)
			var got []string
			for _, f := range r.Part.Findings {
				got = append(got, string(f.Severity)+" "+f.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestThreads checks what is done with numbers of threads that nobody measured.
func TestThreads(t *testing.T) {
	c := facts.Load()
	tests := []struct {
		release string
		threads int
		want    float64
	}{
		{"4.17", 4, 16743}, {"4.17", 16, 16743}, {"4.17", 1, 16743 * 14981 / 22768.0}, {"4.17", 3, 16743 * 14981 / 22768.0},
		{"3.11", 1, 14981}, {"3.11", 2, 14981}, {"3.11", 4, 22768}, {"3.11", 8, 22768},
	}
	for _, tt := range tests {
		got := formula.Measured(c, formula.Setup{Release: tt.release, Publishing: "LoadBalancerService", Threads: tt.threads},
			"edge", formula.KeepAlive)
		if math.Abs(got.PerSecond-tt.want) > 1e-9 {
			t.Errorf("%s with %d threads: %v requests/s, want %v", tt.release, tt.threads, got.PerSecond, tt.want)
		}
	}
}

// TestOwnMeasurement checks that a measurement takes the place of the baseline
// and that nothing is multiplied onto it.
func TestOwnMeasurement(t *testing.T) {
	f := facts.Load().Must("ocp.router.requests/edge/keep-alive/LoadBalancerService")
	f.Number, f.Source = 50000, derive.Source{Code: "measurement", Section: "our lab"}
	in := input(v1alpha1.Traffic{Name: "web", Encryption: "edge", RequestsPerSecond: 50000, PageSize: 1000})
	in.Facts, in.BareMetal = facts.Load().With(f), true
	r, b := plan(t, in)
	if r.Size.Needed.Int() != 1 {
		t.Errorf("%v needed", r.Size.Needed)
	}
	rate, _ := b.Get("router.rate[edge/keep-alive]")
	if rate.Value.Number != 50000 || !strings.Contains(rate.Notes[0], "own measurement") {
		t.Errorf("the measured rate became %v (%v)", rate.Value, rate.Notes)
	}
}

// TestConnectionsCounted checks both counts: twice every client, and as measured
// twice the TLS clients only.
func TestConnectionsCounted(t *testing.T) {
	var mix []v1alpha1.Traffic
	for _, e := range []string{"none", "edge", "passthrough", "re-encrypt"} {
		mix = append(mix, v1alpha1.Traffic{Name: e, Encryption: e, RequestsPerSecond: 1, PageSize: 1000, Connections: 100})
	}
	_, b := plan(t, input(mix...))
	for id, want := range map[string]float64{"router.connections": 800, "router.connections.measured": 600} {
		if f, _ := b.Get(id); f.Value.Number != want {
			t.Errorf("%s is %v, want %v", id, f.Value.Number, want)
		}
	}
	if f, _ := b.Get("router.processes.worst"); f.Value.Number != 721 {
		t.Errorf("an hour of reloads every 5 s makes %v processes, want 721", f.Value.Number)
	}
}

// wireBytes is what a message takes on the wire: its bytes and the headers of each
// segment of TCP that carries it.
func wireBytes(message, segment, header float64) float64 {
	return message + math.Ceil(message/segment)*header
}

func total(in derivetest.Inputs) float64 {
	sum := 0.0
	for _, v := range in {
		sum += v
	}
	return sum
}
