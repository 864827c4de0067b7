package router_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/tune/haproxy/formula"
	"plimsoll.dev/unit"
)

// TestMixProperties: capacity is the inverse of load, lies between the rates of
// the kinds, and the planned routers carry the traffic while one fewer does not.
func TestMixProperties(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(r, "kinds")
		var mix []formula.Share
		var traffic []v1alpha1.Traffic
		low, high, total := math.Inf(1), 0.0, 0.0
		for i := range n {
			e := rapid.SampledFrom([]string{"none", "edge", "passthrough", "re-encrypt"}).Draw(r, "encryption")
			kept := unit.Factor(rapid.Float64Range(0, 1).Draw(r, "kept"))
			requests := rapid.Float64Range(1, 1e6).Draw(r, "requests")
			of := func(mode string) float64 {
				return formula.Measured(facts.Load(), formula.Setup{Release: "4.4", Publishing: "LoadBalancerService", Threads: 4},
					e, mode).PerSecond
			}
			s := formula.Share{Requests: requests, KeepAlive: float64(kept), RateKeepAlive: of(formula.KeepAlive),
				RateClose: of(formula.Close)}
			mix = append(mix, s)
			low, high, total = math.Min(low, math.Min(s.RateKeepAlive, s.RateClose)),
				math.Max(high, math.Max(s.RateKeepAlive, s.RateClose)), total+requests
			traffic = append(traffic, v1alpha1.Traffic{Name: fmt.Sprint(i), Encryption: e, RequestsPerSecond: requests,
				KeepAlive: &kept, PageSize: 1000})
		}
		one := formula.Capacity(1, 1, mix)
		if one < low*(1-1e-9) || one > high*(1+1e-9) {
			r.Fatalf("one router takes %v of the mix, its kinds %v to %v", one, low, high)
		}
		if got := formula.Capacity(formula.Load(mix), 1, mix); math.Abs(got-total) > 1e-6*total {
			r.Fatalf("as many routers as the load take %v, want %v", got, total)
		}
		in := input(traffic...)
		in.Router.Utilisation = unit.Factor(rapid.Float64Range(0.05, 1).Draw(r, "utilisation"))
		result, _ := plan(t, in)
		needed := result.Size.Needed.Number
		if formula.Capacity(needed, float64(in.Router.Utilisation), mix) < total*(1-1e-9) {
			r.Fatalf("%v routers do not carry %v requests/s", needed, total)
		}
		if needed > 1 && formula.Capacity(needed-1, float64(in.Router.Utilisation), mix) > total*(1+1e-9) {
			r.Fatalf("%v routers are one more than %v requests/s need", needed, total)
		}
	})
}
