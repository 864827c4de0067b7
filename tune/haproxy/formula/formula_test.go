package formula_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	. "plimsoll.dev/tune/haproxy/formula"
)

func near(t interface {
	Helper()
	Errorf(string, ...any)
}, what string, got, want, by float64) {
	t.Helper()
	if math.Abs(got-want) > by {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestMixIsHarmonic: half without encryption and half edge on one thread of
// document 002 is 18.4 k requests/s, not the mean of 19.3 k.
func TestMixIsHarmonic(t *testing.T) {
	mix := []Share{{Requests: 1, KeepAlive: 1, RateKeepAlive: 23681, RateClose: 3245},
		{Requests: 1, KeepAlive: 1, RateKeepAlive: 14981, RateClose: 1910}}
	near(t, "mix", Capacity(1, 1, mix), 18352, 1)
	near(t, "no mix", Capacity(3, 1, nil), 0, 0)
}

// TestDocument002 is the whole table of document 002: what it prints comes back as
// the capacity of one router for each kind alone.
func TestDocument002(t *testing.T) {
	table := map[string][4]float64{ // keep-alive unset and 4, close unset and 4
		"none": {23681, 24327, 3245, 4527}, "edge": {14981, 22768, 1910, 3043}, "passthrough": {34358, 34331, 3408, 3922},
		"re-encrypt": {13288, 24605, 1333, 2239}}
	for kind, want := range table {
		for i, threads := range []int{1, 4} {
			set := Setup{Release: "3.11", Threads: threads}
			keep, shut := Measured(facts.Load(), set, kind, KeepAlive).PerSecond,
				Measured(facts.Load(), set, kind, Close).PerSecond
			near(t, kind+" kept", Capacity(1, 1, []Share{{9, 1, keep, shut}}), want[i], 1e-6)
			near(t, kind+" closed", Capacity(1, 1, []Share{{9, 0, keep, shut}}), want[2+i], 1e-6)
		}
	}
}

// TestGigabit: one router fills 1 Gbit/s with pages of 8 kB from 15,625 requests/s,
// which keep-alive reaches but for edge and re-encrypt on one thread.
func TestGigabit(t *testing.T) {
	near(t, "needed", 1e9/8/8000, 15625, 0)
	for kind, fills := range map[string]bool{"none": true, "edge": false, "passthrough": true, "re-encrypt": false} {
		r := Measured(facts.Load(), Setup{Release: "3.11", Threads: 1}, kind, KeepAlive).PerSecond
		if got := FillingPage(r, 1e9) <= 8000; got != fills {
			t.Errorf("%s fills the network with 8 kB: %v", kind, got)
		}
	}
}

// TestProcesses are the notes' examples: 5 s and connections of an hour make 721
// processes; 6 reloads made 7; a hard stop of 3 s held them at 2 to 3.
func TestProcesses(t *testing.T) {
	for _, c := range []struct{ longest, hardStop, interval, between, want float64 }{
		{3600, 0, 5, 0, 721}, {30, 0, 5, 5, 7}, {3600, 3, 2, 2, 3}, {3600, 3, 3, 3, 2}, {3600, 0, 5, 600, 7}, {0, 0, 5, 0, 1},
		{3600, 7200, 5, 0, 721}, {3600, 0, 120, 0, 31},
	} {
		near(t, "processes", Processes(c.longest, c.hardStop, c.interval, c.between), c.want, 0)
	}
}

// TestIntervalHolds: the least interval makes no more processes than asked for, and
// a little less makes more.
func TestIntervalHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		longest := float64(rapid.IntRange(1, 1_000_000).Draw(t, "longest"))
		most := float64(rapid.IntRange(2, 500).Draw(t, "processes"))
		at := Interval(longest, most)
		if got := Processes(longest, 0, at, 0); got > most {
			t.Fatalf("%v processes, want %v at most", got, most)
		}
		if got := Processes(longest, 0, at*0.999, 0); got <= most {
			t.Fatalf("a shorter interval does as well: %v processes", got)
		}
	})
}

func TestBufferSize(t *testing.T) {
	for _, c := range []struct{ header, rewrite, least, want float64 }{
		{24576, 8192, 16384, 32768}, {24577, 8192, 16384, 36864}, {1000, 4096, 16384, 16384}, {65536, 8192, 16384, 73728},
	} {
		near(t, "buffer", BufferSize(c.header, c.rewrite, c.least), c.want, 0)
	}
}

// TestHandshakes: the measured 38, 473 and 791 us of an edge request make a full
// handshake 1.73 times as dear as a resumed one; with all clients resuming nothing
// changes, and fewer resuming never make a router faster.
func TestHandshakes(t *testing.T) {
	full := FullHandshake(38, 473, 791)
	near(t, "full handshake", full, 1.731, 0.0005)
	near(t, "all resume", CloseRate(14981, 1910, 1, full), 1910, 1e-6)
	near(t, "none resumes", CloseRate(1e6/38, 1e6/473, 0, full), 1e6/791, 1e-6)
	rapid.Check(t, func(t *rapid.T) {
		keep := rapid.Float64Range(1, 1e6).Draw(t, "keep")
		shut := rapid.Float64Range(0.01, 1).Draw(t, "shut") * keep
		a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		if CloseRate(keep, shut, min(a, b), full) > CloseRate(keep, shut, max(a, b), full)*(1+1e-9) {
			t.Fatal("fewer resuming clients are faster")
		}
	})
}

// TestMemory: 8,000 back ends take 205 MiB by measurement, 26 KiB each; in 721
// processes that is more than any limit.
func TestMemory(t *testing.T) {
	const kib, mib = 1024, 1 << 20
	near(t, "back ends", Memory(0, 1, 8000, 26*kib, 0)/mib, 205, 2)
	near(t, "a router", Memory(256*mib, 2, 400, 26*kib, 100*mib)/mib, 256+2*400*26.0/1024+100, 1e-9)
	if Memory(256*mib, 721, 8000, 26*kib, 0) < 16<<30 {
		t.Error("721 processes fit into 16 GiB")
	}
}

func TestKeptShare(t *testing.T) {
	for n, want := range map[float64]float64{0: 0, 1: 0, 2: 0.5, 50: 0.98} {
		near(t, "kept", KeptShare(n), want, 1e-12)
	}
}
