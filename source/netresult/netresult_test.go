package netresult

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"plimsoll.dev/bench/network"
	_ "plimsoll.dev/internal/seed"
)

func read(t *testing.T, name string, cell *network.Cell) *network.Run {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	run, err := Read(name, text, cell)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func remarked(r *network.Run) []string {
	var out []string
	for _, m := range r.Remarks {
		out = append(out, m.ID)
	}
	return out
}

// What each program says, and what of it is taken.
func TestTools(t *testing.T) {
	for file, want := range map[string]struct {
		tool, cell string
		rate, mib  float64 // transactions and MiB a second
		mean       time.Duration
		remarks    string
	}{
		// 50 threads that each wait 444 us: 112,613/s, not the 208,000 op/s of the line
		"uperf.txt": {"uperf", "rr-0x0-50", 112612.6, 257.49 / 1.998, 444 * time.Microsecond,
			"uperf.ops uperf.total uperf.group uperf.percentiles"},
		"netperf.txt": {"netperf", "rr-200x1000-1", 50000, 50000 * 1200.0 / (1 << 20), 20 * time.Microsecond,
			"netperf.mean"},
		"netperf-keys.txt":   {"netperf", "rr-1x1-1", 62500, 125000.0 / (1 << 20), 15800, ""},
		"netperf-stream.txt": {"netperf", "stream-30000x0-1", 1e9 / 30000.0, 1e9 / (1 << 20), 0, ""},
		"iperf3.json": {"iperf3", "stream-131072x0-2", 2e8 / 131072.0, 2e8 / (1 << 20), 0,
			"iperf3.sent iperf3.rtt iperf3.cpu iperf3.omit"},
		"k8s.json": {"k8s-netperf with uperf", "rr-1024x1024-50", 110000, 110000 * 2048.0 / (1 << 20), 454545,
			"k8s-netperf.samples k8s-netperf.verdict k8s-netperf.uperf k8s-netperf.UDP_STREAM"},
		"k8s.csv": {"k8s-netperf with netperf", "crr-64x64-2", 6000, 6000 * 128.0 / (1 << 20), 333333,
			"k8s-netperf.samples k8s-netperf.verdict k8s-netperf.netperf"},
		"wrk.txt": {"wrk", "rr-0x0-100", 30000, 36.621, 3333333, "wrk.thread wrk.corrected wrk.bytes wrk.Non"},
	} {
		run := read(t, file, nil)
		m := run.Cells[0]
		r := m.Repetitions[0]
		near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-4*b }
		if run.Tool != want.tool || m.Name() != want.cell || !near(r.Rate(), want.rate) ||
			!near(r.Throughput()/(1<<20), want.mib) || r.Latency.Mean != want.mean ||
			strings.Join(remarked(run), " ") != want.remarks {
			t.Errorf("%s: %s %s, %v/s, %v MiB/s, %v, %v", file, run.Tool, m.Name(), r.Rate(), r.Throughput()/(1<<20),
				r.Latency.Mean, remarked(run))
		}
		if derived := want.mean > 0 && file != "netperf-keys.txt"; r.Derived != derived {
			t.Errorf("%s: derived %v", file, r.Derived)
		}
		if f := run.Sampled().Findings(); slices.ContainsFunc(run.Cells, func(m network.Measured) bool {
			return len(f) > 0 && strings.HasPrefix(f[0].ID, "network.little")
		}) {
			t.Errorf("%s: %v", file, f)
		}
	}
}

func TestMore(t *testing.T) {
	if r := read(t, "netperf-keys.txt", nil).Cells[0].Repetitions[0]; r.Latency.P50.Value != 14000 ||
		r.Latency.P99.Value != 27000 || r.Latency.Max != 910000 || r.Retransmits != 0 {
		t.Errorf("%+v", r)
	}
	run := read(t, "k8s.json", nil)
	if run.Place != "two nodes, across zones" || len(run.Cells) != 2 || run.Cells[1].Name() != "stream-16384x0-1" {
		t.Errorf("%+v", run)
	}
	iperf := read(t, "iperf3.json", nil).Cells[0].Repetitions[0]
	if c := iperf.CPUPerTransaction() * 1e6; math.Abs(c-12/(2e9/131072)*1e6) > 1e-6 || iperf.Retransmits != 12 {
		t.Errorf("%v us", c)
	}
	told := network.Cell{Pattern: network.RequestResponse, Connections: 100, Request: 90, Response: 1024}
	wrk := read(t, "wrk.txt", &told).Cells[0]
	if wrk.Cell != told || wrk.Repetitions[0].Latency.P99.Value != 7250000 {
		t.Errorf("%+v", wrk)
	}
}

// How many connections there were, and which way a stream went, is not always where one would look.
func TestEnds(t *testing.T) {
	// wrk gives each thread as many connections as the others
	odd, _ := os.ReadFile("testdata/wrk.txt")
	threads, err := Read("x", []byte(strings.Replace(string(odd), "2 threads and 100", "3 threads and 100", 1)), nil)
	if err != nil || threads.Cells[0].Connections != 99 {
		t.Errorf("%+v, %v", threads, err)
	}
	// a stream from the server, in both forms, and connections for each request
	const omni = "O TEST from a to b\nTHROUGHPUT=8\nTHROUGHPUT_UNITS="
	for text, want := range map[string]string{
		"TCP MAERTS TEST from a to b\n 1 2 30000 10.00 8000.00\n": "stream-0x30000-1",
		omni + "10^6bits/s\nDIRECTION=Recv\nREMOTE_SEND_SIZE=7":   "stream-0x7-1",
		omni + "Trans/s\nDIRECTION=Connect|Send|Recv":             "crr-0x0-1",
	} {
		if run, err := Read("x", []byte(text), nil); err != nil || run.Cells[0].Name() != want {
			t.Errorf("%q: %+v, %v, want %s", text, run, err, want)
		}
	}
	// a burst is so many requests under way
	text, _ := os.ReadFile("testdata/netperf.txt")
	run, err := Read("x", []byte(strings.Replace(string(text), "first burst 0", "first burst 9", 1)), nil)
	if err != nil || run.Cells[0].Connections != 10 || !slices.Contains(remarked(run), "netperf.burst") {
		t.Errorf("%+v, %v", run, err)
	}
}

// A wrong latency, told with its connections, breaks Little's law.
func TestLittle(t *testing.T) {
	told := network.Cell{Pattern: network.RequestResponse, Connections: 50, Request: 1, Response: 1}
	f := read(t, "netperf-keys.txt", &told).Sampled().Findings()
	if len(f) == 0 || f[0].ID != "network.little[rr-1x1-50]" {
		t.Errorf("%v", f)
	}
}

func TestJoin(t *testing.T) {
	a, b := read(t, "netperf.txt", nil), read(t, "netperf-keys.txt", nil)
	run, err := Join([]*network.Run{a, b, read(t, "netperf.txt", nil)})
	if err != nil || len(run.Cells) != 2 || len(run.Cells[0].Repetitions) != 2 || len(run.Remarks) != 1 {
		t.Errorf("%+v, %v", run, err)
	}
	if _, err := Join([]*network.Run{a, read(t, "wrk.txt", nil)}); err == nil {
		t.Error("two programs are joined")
	}
}

func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "no result that is known",
		"ls -l":                              "no result that is known",
		`{"start":{},"end":{},"error":"no"}`: `iperf3 failed: "no"`,
		`{"start":{},"end":{}}`:              "how many connections",
		`{"start":{"test_start":{"num_streams":1}},"end":{}}`:              "nothing was measured",
		`{"start":{"test_start":{"protocol":"UDP"}},"end":{}}`:             "not of TCP",
		`[{"driver":"uperf","profile":"UDP_RR"}]`:                          "no results of TCP",
		`[{"driver":"uperf","profile":"TCP_RR"},{"driver":"netperf"}]`:     "result 2 is of netperf",
		"Starting 1 threads running profile:x\nTxn1 0 / 1.00(s) = 0 1op/s": "run uperf with -a",
		"UDP REQUEST TEST from a to b\n":                                   "not of TCP",
		"TCP X TEST from a to b\nTHROUGHPUT=1\nTHROUGHPUT_UNITS=MBytes/s":  `in "MBytes/s"`,
		"TCP REQUEST TEST from a to b\n":                                   "no line of results",
		"Running\n 1 threads and 1 connections\nRequests/sec: 1":           "cut off",
		"Driver,Profile\n\"":                                               "parse error",
		"[" + strings.Repeat("[", 100) + `{"driver":1`:                     "unexpected end",
	} {
		if run, err := Read("f", []byte(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %s", text, run, err, want)
		}
	}
	text, _ := os.ReadFile("testdata/k8s.json")
	if _, err := Read("f", text, &network.Cell{Pattern: "rr", Connections: 1}); err == nil {
		t.Error("two cells are one")
	}
}

// Whatever stands in a file, it is read or refused.
func FuzzRead(f *testing.F) {
	entries, err := os.ReadDir("testdata")
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range entries {
		if text, err := os.ReadFile("testdata/" + e.Name()); err == nil {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := Read("f", text, nil)
		if (run == nil) == (err == nil) {
			t.Fatalf("%v, %v", run, err)
		}
		if err == nil {
			run.Answer()
		}
	})
}
