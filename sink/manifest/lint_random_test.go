package manifest

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/plan/grow"
	"plimsoll.dev/unit"
)

// drawPool draws the decision about a pool.
func drawPool(t *rapid.T, name string) v1alpha1.PoolDecision {
	role := "worker"
	if name == poolInfra {
		role = name
	}
	count := rapid.IntRange(1, 80).Draw(t, name+" count")
	p := v1alpha1.PoolDecision{Name: name, Role: role, Type: "m5.large", CPUs: 8, Memory: 32 * unit.GiB,
		Disk: 100 * unit.GiB, Count: count, PerZone: grow.Spread(count, 3),
		MaxPods:        rapid.SampledFrom([]int{0, 110, 250, 500}).Draw(t, name+" maxPods"),
		PodsPerCore:    rapid.SampledFrom([]int{0, 0, 10}).Draw(t, name+" podsPerCore"),
		KubeAPIQPS:     rapid.SampledFrom([]int{0, 50, 100}).Draw(t, name+" qps"),
		MaxUnavailable: rapid.SampledFrom([]string{"", "1", "3", "10%"}).Draw(t, name+" maxUnavailable"),
		HugePages: rapid.SampledFrom([]map[string]int64{nil, nil, {"2Mi": 512}, {"1Gi": 4}, {"1Gi": 2, "2Mi": 64}}).
			Draw(t, name+" pages")}
	if rapid.Bool().Draw(t, name+" reserved") {
		p.SystemReserved = &v1alpha1.Reserved{CPU: 1000, Memory: 2 * unit.GiB}
	}
	if rapid.Bool().Draw(t, name+" tainted") {
		p.Taints = []v1alpha1.Taint{{Key: "reserved",
			Effect: rapid.SampledFrom([]string{"NoSchedule", "PreferNoSchedule", "NoExecute"}).Draw(t, name+" effect")}}
	}
	return p
}

// drawInput draws a plan of some pools, which grow in batches of 25.
func drawInput(t *rapid.T) Input {
	in := Input{Metadata: v1alpha1.Metadata{Name: "x"}, Platform: v1alpha1.Platform{
		Release:  rapid.SampledFrom([]string{"4.1", "4.3", "4.4", "4.5", "4.14", "4.19"}).Draw(t, "release"),
		Provider: rapid.SampledFrom([]string{"aws", "vsphere", "baremetal"}).Draw(t, "provider")}}
	for _, name := range []string{"worker", "infra", "gpu", "worker-cnf", "zeta"} {
		if !rapid.Bool().Draw(t, name) {
			continue
		}
		p := drawPool(t, name)
		in.Decisions.Pools = append(in.Decisions.Pools, p)
		in.Decisions.InfraNodes = in.Decisions.InfraNodes || name == poolInfra
		for total := 0; total < p.Count; {
			before := total
			total = min(p.Count, total+25)
			in.Decisions.Growth = append(in.Decisions.Growth,
				v1alpha1.GrowthBatch{Step: len(in.Decisions.Growth) + 1, Pool: name,
					Add: minus(grow.Spread(total, 3), grow.Spread(before, 3)), Total: total, Replicas: grow.Spread(total, 3)})
		}
	}
	in.Decisions.Monitoring = v1alpha1.MonitoringDecision{Retention: 15 * 86400, PrometheusSize: 100 * unit.GiB}
	in.Decisions.Routers = []v1alpha1.RouterDecision{{Name: "default", Replicas: 2, Shard: 1, Shards: 1,
		Threads:        rapid.IntRange(1, 64).Draw(t, "threads"),
		MaxConnections: rapid.SampledFrom([]int{0, 20000, 100000}).Draw(t, "connections")}}
	return in
}

// TestLintAgreesWithAnyPlan: whatever a plan decides, what is written is right, or
// its file says what isn't.
func TestLintAgreesWithAnyPlan(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		in := drawInput(r)
		files, err := Render(in)
		if err != nil {
			r.Fatal(err)
		}
		if out := lint(t, in.Platform.Release, forClusters(files)); len(out) > 0 {
			r.Fatal(strings.Join(out, "\n"), fmt.Sprintf("%+v", in.Decisions.Pools))
		}
	})
}
