package haproxy_test

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive/derivetest"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/object"
	"plimsoll.dev/release"
	"plimsoll.dev/report"
	"plimsoll.dev/tune/haproxy"
	"plimsoll.dev/unit"
)

// advise demands advice without problems whose derivations agree.
func advise(t testing.TB, in haproxy.Input) haproxy.Advice {
	t.Helper()
	a, problems := haproxy.Advise(in, nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, f := range a.Figures {
		if err := f.Check(); err != nil {
			t.Error(err)
		}
	}
	derivetest.Compare(t, a.Figures, twins)
	return a
}

// twins are the document's rules in Go.
var twins = derivetest.Twins{
	"router.reloadInterval": func(in derivetest.Inputs) float64 {
		return max(in["least"], in["usual"], min(in["most"], math.Ceil(in["longest"]/max(1, in["allowed"]-1))))
	},
	"router.memory": func(in derivetest.Inputs) float64 {
		return math.Ceil(in["base"] + in["processes"]*in["routes"]*in["each"] + in["clients"]/in["shards"]/in["needed"])
	},
	"router.memoryFree": func(in derivetest.Inputs) float64 {
		return in["limit"] - in["base"] - in["processes"]*in["routes"]*in["each"]
	},
}

func share(v unit.Factor) *unit.Factor { return &v }

func none() *int { return new(int) }

// mixed is a shop: pages, an interface, WebSockets, a passthrough service.
func mixed(release string) haproxy.Input {
	return haproxy.Input{Release: release, ChangesPerHour: 3600, Memory: 4 * unit.GiB, NIC: 10_000_000_000,
		LargestHeader: 40_000, Traffic: []haproxy.Traffic{
			{Name: "pages", Encryption: "edge", RequestsPerSecond: 20000, RequestsPerConnection: 20, Connections: 20000,
				Resumption: share(0.5), PageSize: 8000, Routes: 300},
			{Name: "plain", RequestsPerSecond: 5000, Connections: 3000, Routes: 100},
			{Name: "sockets", Encryption: "re-encrypt", RequestsPerSecond: 50, RequestsPerConnection: 1, Connections: 10000,
				Lifetime: 3600, Routes: 10},
			{Name: "database", Encryption: "passthrough", RequestsPerSecond: 900, Connections: 500, Routes: 2},
		}}
}

// one is a single kind of traffic.
func one(release, encryption string, requests float64, connections int) haproxy.Input {
	return haproxy.Input{Release: release, Utilisation: 1, Spare: none(), ChangesPerHour: 1,
		Traffic: []haproxy.Traffic{
			{Name: "x", Encryption: encryption, RequestsPerSecond: requests, Connections: connections},
		}}
}

// number is the value of a figure.
func number(t testing.TB, a haproxy.Advice, id string) float64 {
	t.Helper()
	f, ok := a.Figure(id)
	if !ok {
		t.Fatalf("no figure %s", id)
	}
	return f.Value.Number
}

// TestMaxconnIsDoubled: document 002 doubles the clients of every kind, which is set;
// measured, only TLS that the router ends counts twice.
func TestMaxconnIsDoubled(t *testing.T) {
	for encryption, measured := range map[string]float64{"none": 30000, "passthrough": 30000, "edge": 60000,
		"re-encrypt": 60000} {
		a := advise(t, one("3.11", encryption, 100, 30000))
		if a.Value("maxConnections") != "60000" || number(t, a, "router.maxconn.careful") != 60000 ||
			number(t, a, "router.maxconn.measured") != measured {
			t.Errorf("%s: maxconn %s, careful %v, measured %v", encryption, a.Value("maxConnections"),
				number(t, a, "router.maxconn.careful"), number(t, a, "router.maxconn.measured"))
		}
		if !strings.Contains(a.Environment, "ROUTER_MAX_CONNECTIONS=60000") || a.Patch != "" {
			t.Errorf("%s: %s", encryption, a.Environment)
		}
	}
	later := advise(t, one("4.12", "edge", 100, 30000))
	if !strings.Contains(later.Patch, "\n    maxConnections: 60000\n") || later.Environment != "" {
		t.Error(later.Patch)
	}
	if a := advise(t, one("4.12", "edge", 100, 20000)); strings.Contains(a.Patch, "maxConnections") {
		t.Errorf("the default of 50000 suffices: %s", a.Patch)
	}
	// 4.4 can't be told, so that 60,000 connections need three routers of 20,000.
	if a := advise(t, one("4.4", "edge", 100, 30000)); a.Pods != 3 || a.Limiting != "connections" ||
		a.Value("maxConnections") != "20000" {
		t.Errorf("%d pods by %s, maxconn %s", a.Pods, a.Limiting, a.Value("maxConnections"))
	}
}

// TestPodsByTheTable: 4 threads of 3.x take 22,768 requests/s of edge routes with
// connections kept, 3,043 with one each.
func TestPodsByTheTable(t *testing.T) {
	for _, c := range []struct {
		requests, perConnection float64
		pods                    int
	}{{22768, 0, 2}, {2 * 22768, 0, 2}, {2*22768 + 1, 0, 3}, {3 * 3043, 1, 3}, {3*3043 + 1, 1, 4}} {
		in := one("3.11", "edge", c.requests, 0)
		in.Traffic[0].RequestsPerConnection = c.perConnection
		if a := advise(t, in); a.Pods != c.pods || c.pods > 2 && a.Limiting != "requests" {
			t.Errorf("%v: %d pods by %s", c, a.Pods, a.Limiting)
		}
	}
}

// TestReloadsPileUp: by default and with connections of an hour 721 processes;
// later releases reload every 2 min at most, which leaves 31.
func TestReloadsPileUp(t *testing.T) {
	in := one("4.4", "edge", 100, 10)
	in.ChangesPerHour, in.Traffic[0].Lifetime = 0, 3600
	for release, want := range map[string]int{"4.4": 721, "4.11": 721, "4.12": 31, "3.11": 31} {
		in.Release = release
		a := advise(t, in)
		if a.Processes != want || number(t, a, "router.processes.default") != 721 || a.Value("reloadInterval") != "2m" {
			t.Errorf("%s: %d processes, reloads every %s", release, a.Processes, a.Value("reloadInterval"))
		}
		if !has(a, "router.processes.many") {
			t.Errorf("%s: no warning", release)
		}
	}
	in.Release, in.HardStop = "4.12", 600
	a := advise(t, in)
	if a.Processes != 6 || !strings.Contains(a.Patch, `ingress.operator.openshift.io/hard-stop-after: "10m"`) {
		t.Errorf("%d processes: %s", a.Processes, a.Patch)
	}
	in.HardStop, in.ChangesPerHour = 0, 4
	if a := advise(t, in); a.Processes != 5 || a.Value("reloadInterval") != "5s" {
		t.Errorf("a change every 15 min: %d processes, reloads every %s", a.Processes, a.Value("reloadInterval"))
	}
}

func has(a haproxy.Advice, id string) bool {
	for _, f := range a.Findings() {
		if f.ID == id {
			return true
		}
	}
	return false
}

// TestMemoryHoldsOldProcesses: with 8,000 routes an old process takes 203 MiB; in
// 4 GiB the hard stop leaves 9 of them half of what the controller does not take.
func TestMemoryHoldsOldProcesses(t *testing.T) {
	in := one("4.12", "none", 100, 10)
	in.RoutesPerRouter, in.Memory, in.ChangesPerHour, in.Traffic[0].Routes, in.Traffic[0].Lifetime = 8000, 4*unit.GiB, 0,
		8000, 3600
	a := advise(t, in)
	if number(t, a, "router.processes.bearable") != 9 || a.Value("hardStopAfter") != "16m" || a.Processes != 9 {
		t.Errorf("%v bearable, hard stop %s, %d processes", number(t, a, "router.processes.bearable"),
			a.Value("hardStopAfter"), a.Processes)
	}
	in.Memory = unit.GiB / 2
	if a := advise(t, in); !has(a, "router.memory.little") || a.Answer().Verdict.OK {
		t.Error("half a GiB holds 8,000 back ends")
	}
}

func TestBuffersHoldTheHeader(t *testing.T) {
	in := one("4.8", "none", 1, 1)
	for header, want := range map[unit.Bytes]string{0: "32768", 24576: "32768", 24577: "36864", 65536: "73728"} {
		in.LargestHeader = header
		a := advise(t, in)
		if a.Value("headerBufferBytes") != want || strings.Contains(a.Patch, "headerBufferBytes") != (want != "32768") {
			t.Errorf("%d: %s", header, a.Value("headerBufferBytes"))
		}
	}
}

// TestMemoryFollowsTheBuffer: with many connections memory is nearly proportional to the
// buffer (ROUT 8.1.2.4): 72 KiB for 32 are two and a quarter of the memory for connections,
// and routers by memory follow. What a release can't be told changes nothing.
func TestMemoryFollowsTheBuffer(t *testing.T) {
	in := one("4.12", "edge", 1, 200_000)
	in.Memory = 4 * unit.GiB
	usual := advise(t, in)
	in.LargestHeader = 64 << 10
	large := advise(t, in)
	if was, is := number(t, usual, "router.clientMemory"), number(t, large, "router.clientMemory"); is != was*2.25 ||
		number(t, large, "router.needed[memory]") <= number(t, usual, "router.needed[memory]") {
		t.Errorf("%v before, %v", was, is)
	}
	in.Release = "4.7"
	if was, is := number(t, usual, "router.clientMemory"), number(t, advise(t, in), "router.clientMemory"); is != was {
		t.Errorf("4.7: %v before, %v", was, is)
	}
}

// TestUnseen: routers that nobody told connections or the network of may be too few, which
// is never good; of a shop that tells both nothing is missing.
func TestUnseen(t *testing.T) {
	a := advise(t, one("4.12", "none", 1000, 0))
	if !has(a, "router.connections.unseen") || !has(a, "router.nic.unseen") || a.Answer().Verdict.OK {
		t.Errorf("%+v", a.Findings())
	}
	if a := advise(t, mixed("4.12")); has(a, "router.connections.unseen") || has(a, "router.nic.unseen") {
		t.Errorf("%+v", a.Findings())
	}
}

// TestSummaryNamesWhatCantBeSet: 4.8 has no field for the reload interval that its routers
// should have, so that its defaults are not right.
func TestSummaryNamesWhatCantBeSet(t *testing.T) {
	in := one("4.8", "none", 100, 10)
	in.Traffic[0].Lifetime, in.ChangesPerHour = 3600, 60
	if got := advise(t, in).Answer().Verdict.Summary; strings.Contains(got, "defaults are right") ||
		!strings.Contains(got, "this release can't be told reloadInterval 2m") {
		t.Error(got)
	}
}

// TestPinning: the document's line pins one process; threads need the later form,
// and one CPU of the NUMA node is left for the interrupts.
func TestPinning(t *testing.T) {
	in := one("3.11", "edge", 100, 10)
	for cpus, want := range map[string][3]string{"0-7": {"4", "cpu-map auto:1/1-4 0-3", "4-7"},
		"0-3": {"3", "cpu-map auto:1/1-3 0-2", "3"}, "8,10": {"1", "cpu-map 1 8", "10"}, "0": {"4", "", ""}} {
		set, err := unit.ParseCPUSet(cpus)
		if err != nil {
			t.Fatal(err)
		}
		in.CPUs = set
		a := advise(t, in)
		if got := [3]string{a.Value("threadCount"), a.CPUMap, a.Interrupts}; got != want {
			t.Errorf("%s: %q, want %q", cpus, got, want)
		}
	}
	if got := haproxy.CPUMap(1, unit.CPUSetOf(0)); got != "cpu-map 1 0" {
		t.Errorf("%s is not the document's line", got)
	}
}

func TestTunnelTimeout(t *testing.T) {
	in := one("4.12", "edge", 1, 1)
	in.Traffic[0].Lifetime = 610
	if a := advise(t, in); a.Value("tunnelTimeout") != "11m" {
		t.Error(a.Value("tunnelTimeout"))
	}
	in.NetworkLoadBalancer = true
	if a := advise(t, in); a.Value("tunnelTimeout") != "349s" {
		t.Error(a.Value("tunnelTimeout"))
	}
}

// TestReleasesLetSet: fields came with 4.8, 4.9, 4.11 and 4.12; before, and in 3.x
// for the buffer, the advice says what it lacks.
func TestReleasesLetSet(t *testing.T) {
	for release, want := range map[string][4]bool{"3.11": {true, false, true, true}, "4.4": {},
		"4.8": {true, true, false, false}, "4.9": {true, true, false, true}, "4.11": {true, true, false, true},
		"4.12": {true, true, true, true}} {
		a := advise(t, one(release, "none", 1, 1))
		var got [4]bool
		for _, s := range a.Settings {
			for i, name := range []string{"threadCount", "headerBufferBytes", "reloadInterval", "tunnelTimeout"} {
				if s.Name == name {
					got[i] = s.Where != ""
				}
			}
		}
		if got != want {
			t.Errorf("%s: %v, want %v", release, got, want)
		}
	}
	if a := advise(t, mixed("4.4")); !has(a, "router.headerBufferBytes.notSettable") ||
		strings.Contains(a.Patch, "tuningOptions") {
		t.Error(a.Patch)
	}
}

// TestProblemsAllAtOnce: every field that is wrong is told.
func TestProblemsAllAtOnce(t *testing.T) {
	in := haproxy.Input{Release: "5", Publishing: "x", ChangesPerHour: math.NaN(), LargestHeader: -1, Threads: 65,
		Cores: -1, Memory: -1 << 40, NIC: -1 << 40, MTU: 8, HardStop: -1, Utilisation: 2, Spare: new(int),
		RoutesPerRouter: -1,
		Traffic: []haproxy.Traffic{{Encryption: "x", RequestsPerSecond: -1, RequestsPerConnection: 0.5, Resumption: share(2),
			Connections: -1, Lifetime: -1, PageSize: -1, Routes: -1}, {Name: "a"}, {Name: "a"}}}
	*in.Spare = -1
	_, problems := haproxy.Advise(in, facts.Load())
	if len(problems) != 23 {
		t.Errorf("%d problems: %q", len(problems), problems)
	}
	for _, p := range problems {
		if !regexp.MustCompile(`^[a-zA-Z0-9\[\].]+: .+ \(.+\)$`).MatchString(p) {
			t.Error(p)
		}
	}
	if _, problems := haproxy.Advise(haproxy.Input{Release: "4.4"}, facts.Load()); len(problems) != 1 {
		t.Errorf("%q", problems)
	}
}

// TestAnyAdvice: derivations agree, values are of the pattern that the template
// takes, the patch is one that the check has nothing against, and the pods carry the
// requests where one fewer would not.
func TestAnyAdvice(t *testing.T) {
	pattern := regexp.MustCompile(`^[1-9][0-9]*(us|ms|s|m|h|d)?$`)
	rapid.Check(t, func(t *rapid.T) {
		a, problems := haproxy.Advise(drawn(t), facts.Load())
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		for _, f := range a.Figures {
			if err := f.Check(); err != nil || math.IsNaN(f.Value.Number) || math.IsInf(f.Value.Number, 0) {
				t.Fatalf("%s = %v: %v", f.ID, f.Value.Number, err)
			}
		}
		for _, s := range a.Settings {
			_, notNumber := strconv.Atoi(s.Value)
			if _, err := time.ParseDuration(s.Value); s.Value != "" &&
				(!pattern.MatchString(s.Value) || notNumber != nil && err != nil) {
				t.Fatalf("%s is %q", s.Name, s.Value)
			}
		}
		load := number2(a, "router.load") / number2(a, "router.shards") / 0.65
		if needed := number2(a, "router.needed"); needed < load*(1-1e-9) || a.Limiting == "requests" &&
			needed > 1 && needed-1 >= load {
			t.Fatalf("%v routers for a load of %v", needed, load)
		}
		for _, f := range checked(t, a) {
			if f.ID != "router.reloadPileUp" {
				t.Fatalf("%s: %s\n%s", f.ID, f.Message, a.Patch)
			}
		}
	})
}

func number2(a haproxy.Advice, id string) float64 {
	f, _ := a.Figure(id)
	return f.Value.Number
}

// checked is what the check says to the IngressController that a patch makes.
func checked(t failer, a haproxy.Advice) []v1alpha1.Finding {
	if a.Patch == "" {
		return nil
	}
	text := "apiVersion: operator.openshift.io/v1\nkind: IngressController\n" + a.Patch
	objects, problems := object.Split("patch.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	r, err := release.Parse(a.Release)
	if err != nil {
		t.Fatal(err)
	}
	return haproxy.Check(objects, r)
}

func TestAnswerShows(t *testing.T) {
	for _, release := range []string{"3.11", "4.4", "4.22"} {
		in := mixed(release)
		in.CPUs = unit.CPUSetOf(0, 1, 2, 3, 4, 5)
		answer := advise(t, in).Answer()
		for _, format := range report.WholeFormats() {
			var b bytes.Buffer
			if err := report.WriteAnswer(&b, answer, format, report.Options{}); err != nil {
				t.Error(err)
			}
			for _, want := range map[string][]string{report.Wide: {"cpu-map auto:1/1-4 0-3", "bind :443", "1 / (1 / keep",
				"ROUT 8.1.2.1", "twice the clients"}, report.JSON: {`"figures"`, `"router.maxconn"`}}[format] {
				if !strings.Contains(b.String(), want) {
					t.Errorf("%s as %s lacks %q", release, format, want)
				}
			}
		}
	}
}
