package manifest

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/api/openshift"
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/object"
)

// checksOf are the health checks of files, by pool.
func checksOf(t *testing.T, files []File) map[string]openshift.MachineHealthCheck {
	t.Helper()
	list, found := object.All[openshift.MachineHealthCheck](objectsOf(t, files, "machinehealthcheck-"),
		"MachineHealthCheck")
	if len(found) > 0 {
		t.Fatal(found)
	}
	out := map[string]openshift.MachineHealthCheck{}
	for _, c := range list {
		out[c.Name] = c.Value
	}
	return out
}

// TestHealthChecks: pools of machine sets have one each, the control plane and
// machines without a set have none, nor has a release that doesn't know it.
func TestHealthChecks(t *testing.T) {
	for _, c := range []struct {
		release, provider string
		want              int
	}{{"4.4", "aws", 2}, {"4.3", "aws", 2}, {"4.2", "aws", 0}, {"4.4", "none", 0}, {"4.4", "baremetal", 0},
		{"4.17", "vsphere", 2}, {"4.4", "vsphere", 0}} {
		in := awsInfra()
		in.Platform.Release, in.Platform.Provider, in.Decisions.Network.Type = c.release, c.provider, ""
		got := checksOf(t, mustRender(t, in))
		if len(got) != c.want {
			t.Errorf("%s on %s: %d checks, want %d", c.release, c.provider, len(got), c.want)
		}
		for name, check := range got {
			if role := check.Spec.Selector.MatchLabels["machine.openshift.io/cluster-api-machine-role"]; "plimsoll-"+
				role != name || role == "master" {
				t.Errorf("%s selects role %s", name, role)
			}
		}
	}
}

// toldLimit is what the notes of a health check say of growth.
var toldLimit = regexp.MustCompile(`adding more than (\d+) at once to (\d+) stops`)

// heals is the naive twin: machines that start are unhealthy, and the operator
// replaces others while no more than the percentage, rounded down, are.
func heals(percent, size, add int) bool {
	allowed := 0
	for 100*(allowed+1) <= percent*(size+add) {
		allowed++
	}
	return add <= allowed
}

// TestHealthCheckSurvivesGrowth: for pools of any size the smallest can heal one
// machine, and the notes are right about how much can be added.
func TestHealthCheckSurvivesGrowth(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		first := rapid.IntRange(1, 60).Draw(r, "first")
		last := first + rapid.IntRange(0, 200).Draw(r, "more")
		in := Input{Metadata: v1alpha1.Metadata{Name: "x"}, Platform: v1alpha1.Platform{Release: "4.17", Provider: "aws"}}
		in.Decisions.Pools = []v1alpha1.PoolDecision{
			{Name: "worker", Role: "worker", Type: "m5.large", Count: last, PerZone: []int{last}},
		}
		in.Decisions.Growth = []v1alpha1.GrowthBatch{
			{Step: 1, Pool: "worker", Add: []int{first}, Total: first, Replicas: []int{first}},
		}
		if last > first {
			in.Decisions.Growth = append(in.Decisions.Growth,
				v1alpha1.GrowthBatch{Step: 2, Pool: "worker", Add: []int{last - first}, Total: last, Replicas: []int{last}})
		}
		files := mustRender(t, in)
		check := checksOf(t, files)["plimsoll-worker"]
		text, _ := check.Spec.MaxUnhealthy.(string)
		percent, err := strconv.Atoi(text[:len(text)-1])
		if err != nil || percent < 40 || percent > 100 || percent*first < 100 {
			r.Fatalf("%d machines: maxUnhealthy %s", first, text)
		}
		said := oneText(contentOf(files, "machinehealthcheck-worker.yaml"))
		m := toldLimit.FindStringSubmatch(said)
		if m == nil {
			if percent < 100 {
				r.Fatalf("nothing is told: %s", said)
			}
			return
		}
		most, _ := strconv.Atoi(m[1])
		if m[2] != strconv.Itoa(last) || !heals(percent, last, most) || heals(percent, last, most+1) {
			r.Fatalf("%s of %d: %s", text, last, m[0])
		}
		step := fmt.Sprintf("from %d to %d machines", first, last)
		if got, want := regexp.MustCompile(step).MatchString(said),
			last > first && !heals(percent, first, last-first); got != want {
			r.Fatalf("%s of %d to %d: told %v, want %v: %s", text, first, last, got, want, said)
		}
	})
}
