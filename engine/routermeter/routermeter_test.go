//go:build linux

package routermeter

import (
	"testing"
	"time"

	"plimsoll.dev/bench/router"
	"plimsoll.dev/engine/ends"
	"plimsoll.dev/unit"
)

func TestTry(t *testing.T) {
	s := router.Default()
	s.Repetitions, s.Duration, s.Warmup = 1, time.Second, 300*time.Millisecond
	_ = ends.Allowed
	run, err := Run(t.Context(), Options{Setup: s, Cells: router.Cells(), Pins: Pins{unit.CPUSetOf(0), unit.CPUSetOf(1), unit.CPUSetOf(1)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range run.Cells {
		x := m.Repetitions[0]
		us := func(b float64) float64 { return b / x.Transactions * 1e6 }
		t.Logf("%-24s %7.0f/s p50 %v p99 %v mean %v router %.1f us (%.2f) gen %.1f (%.2f) back %.1f (%.2f) hs %v res %v failed %v %s silent %v full %v",
			m.Name(), x.Rate(), x.Latency.P50.Value, x.Latency.P99.Value, x.Latency.Mean, us(x.Router.Busy()), x.Router.Busy(), us(x.Client.Busy()), x.Client.Busy(), us(x.Server.Busy()), x.Server.Busy(), x.Handshakes, x.Resumed, x.Failed, x.Failure, x.Silent, run.Full(m))
	}
	for _, f := range run.Findings() {
		t.Log(f.Severity, f.ID, f.Message)
	}
}
