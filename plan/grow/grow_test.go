package grow

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/derive/derivetest"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/limit"
	"plimsoll.dev/unit"
)

func input(pools ...Pool) Input {
	return Input{
		Pools: pools, Zones: derive.Given("policy.zones", 3, "zones"),
		BatchSize:      derive.Default("policy.batchSize", 25, "machines"),
		MaxUnavailable: "1", Platform: v1alpha1.Platform{Type: "openshift", Release: "4.4", Provider: "aws"},
		Facts: facts.Load(),
	}
}

// workers is a pool of workers of which the pods use a share.
func workers(name string, count int, used float64) Pool {
	p := Pool{Name: name, Role: name, Count: derive.Given("hardware.nodeTypes[0].count", count, "nodes")}
	if name == "master" {
		p.Role = "controlPlane"
	}
	if used > 0 {
		p.Used = []Use{{"memory", derive.Of(used, unit.Ratio)}, {"cpu", derive.Of(used/2, unit.Ratio)}}
		most := max(0, count-int(math.Ceil(math.Round(float64(count)*used*1e6)/1e6))) // as pods of no size would say
		p.MostAtOnce = &most
	}
	return p
}

func plan(t interface {
	Fatal(...any)
	Errorf(string, ...any)
}, in Input) (Result, *derive.Book) {
	var b derive.Book
	r := Plan(&b, in)
	for _, err := range b.Verify() {
		t.Fatal(err)
	}
	derivetest.Compare(t, b.Figures(), derivetest.Twins{"grow.drain": func(in derivetest.Inputs) float64 {
		return DrainSeconds(in["pods"], in["qps"], in["burst"])
	}})
	for _, id := range slices.Concat(r.Part.Section.Figures, r.Part.Section.Details) {
		if _, ok := b.Get(id); !ok {
			t.Fatal("the section shows a figure that does not exist: " + id)
		}
	}
	return r, &b
}

func ids(r Result) string {
	var out []string
	for _, f := range r.Part.Findings {
		if f.Severity != v1alpha1.Info {
			out = append(out, string(f.Severity)+" "+f.ID)
		}
	}
	return strings.Join(out, ", ")
}

func find(r Result, id string) (v1alpha1.Finding, bool) {
	for _, f := range r.Part.Findings {
		if f.ID == id {
			return f, f.Remedy != ""
		}
	}
	return v1alpha1.Finding{}, false
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		machines, zones int
		want            string
	}{
		{10, 3, "[4 3 3]"}, {9, 3, "[3 3 3]"}, {2, 3, "[1 1 0]"}, {0, 2, "[0 0]"}, {5, 1, "[5]"}, {5, 0, "[5]"},
	} {
		if got := fmt.Sprint(Spread(c.machines, c.zones)); got != c.want {
			t.Errorf("Spread(%d, %d) = %s, want %s", c.machines, c.zones, got, c.want)
		}
	}
}

// P5: 60 workers in three zones, at most 25 at once.
func TestSteps(t *testing.T) {
	r, b := plan(t, input(workers("infra", 3, 0), workers("worker", 60, 0), workers("master", 3, 0)))
	want := []v1alpha1.GrowthBatch{
		{Step: 1, Pool: "infra", Add: []int{1, 1, 1}, Total: 3, Replicas: []int{1, 1, 1}},
		{Step: 2, Pool: "worker", Add: []int{9, 8, 8}, Total: 25, Replicas: []int{9, 8, 8}},
		{Step: 3, Pool: "worker", Add: []int{8, 9, 8}, Total: 50, Replicas: []int{17, 17, 16}},
		{Step: 4, Pool: "worker", Add: []int{3, 3, 4}, Total: 60, Replicas: []int{20, 20, 20}},
	}
	if diff := cmp.Diff(want, r.Steps); diff != "" {
		t.Error(diff)
	}
	if f, _ := b.Get("grow.steps[worker]"); f.Value.Number != 3 {
		t.Errorf("%v steps of workers", f.Value)
	}
	var row []string
	for _, cell := range r.Part.Section.Tables[0].Rows[2] {
		row = append(row, cell.Text)
	}
	if got := strings.Join(row, " "); got != "3 worker 25 17 (+8) 17 (+9) 16 (+8) 50" {
		t.Errorf("row %q", got)
	}
}

// Routers and monitoring wait for the infrastructure machines: they come first, whatever the order of
// the pools. Where no provider makes machines there are no batches of 25 (OCP 3 is for cloud providers).
func TestOrderOfSteps(t *testing.T) {
	for provider, want := range map[string]string{"aws": "infra 3, worker 25, worker 50, worker 60",
		"baremetal": "infra 3, worker 60"} {
		in := input(workers("worker", 60, 0), workers("infra", 3, 0), workers("master", 3, 0))
		in.Platform.Provider = provider
		r, b := plan(t, in)
		var got []string
		for i, s := range r.Steps {
			if got = append(got, fmt.Sprintf("%s %d", s.Pool, s.Total)); s.Step != i+1 {
				t.Errorf("%s: step %d has the number %d", provider, i+1, s.Step)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %v, want %s", provider, got, want)
		}
		shown := len(r.Part.Section.Tables) > 0 && r.Part.Section.Tables[0].ID == "grow.steps"
		if _, ok := b.Get("grow.steps[worker]"); ok != (provider == "aws") || shown != ok {
			t.Errorf("%s: steps are counted %v, shown %v", provider, ok, shown)
		}
	}
}

func TestStepsFromWhatIsThere(t *testing.T) {
	p := workers("worker", 10, 0)
	p.Present = 4
	in := input(p)
	in.BatchSize = derive.Given("policy.batchSize", 5, "machines")
	r, _ := plan(t, in)
	want := []v1alpha1.GrowthBatch{
		{Step: 1, Pool: "worker", Add: []int{1, 2, 2}, Total: 9, Replicas: []int{3, 3, 3}},
		{Step: 2, Pool: "worker", Add: []int{1, 0, 0}, Total: 10, Replicas: []int{4, 3, 3}},
	}
	if diff := cmp.Diff(want, r.Steps); diff != "" {
		t.Error(diff)
	}
	p.Present = 10
	if r, _ := plan(t, input(p)); len(r.Steps) != 0 {
		t.Errorf("nothing to add, yet %d steps", len(r.Steps))
	}
}

// The naive twin puts one machine after the other into the emptiest zone.
func naiveBatches(present, machines, zones, size int) [][]int {
	replicas := make([]int, zones)
	add := func() {
		least := 0
		for z := range replicas {
			if replicas[z] < replicas[least] {
				least = z
			}
		}
		replicas[least]++
	}
	for range present {
		add()
	}
	var out [][]int
	for total := present; total < machines; {
		for n := 0; n < size && total < machines; n++ {
			add()
			total++
		}
		out = append(out, slices.Clone(replicas))
	}
	return out
}

func TestBatchesAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		present, machines := rapid.IntRange(0, 50).Draw(t, "present"), rapid.IntRange(0, 400).Draw(t, "machines")
		zones, size := rapid.IntRange(1, 7).Draw(t, "zones"), rapid.IntRange(1, 60).Draw(t, "size")
		got := Batches("worker", present, machines, zones, size, 0)
		want := naiveBatches(present, machines, zones, size)
		if len(got) != len(want) {
			t.Fatalf("%d batches, one by one gives %d", len(got), len(want))
		}
		sum := present
		for i, s := range got {
			added := 0
			for z, n := range s.Add {
				if n < 0 || s.Replicas[z] != want[i][z] {
					t.Fatalf("step %d: %+v, one by one gives %v", s.Step, s, want[i])
				}
				added += n
			}
			sum += added
			if added > size || sum != s.Total || slices.Max(s.Replicas)-slices.Min(s.Replicas) > 1 {
				t.Fatalf("step %d adds %d of at most %d: %+v", s.Step, added, size, s)
			}
		}
		if machines > present && sum != machines {
			t.Fatalf("the steps reach %d of %d machines", sum, machines)
		}
	})
}

func TestBatchSizeIsJudged(t *testing.T) {
	for _, c := range []struct {
		size, workers int
		want          string
		share         float64
	}{
		{25, 100, "", 0.5},
		{50, 100, "", 1},
		{51, 100, "grow.batch.large", 51.0 / 50},
		{200, 100, "grow.batch.large", 2},
		{200, 40, "", 0.8}, // only 40 are added
		{10, 100, "grow.batch.small", 0.2},
		{10, 5, "", 0.1},
	} {
		in := input(workers("worker", c.workers, 0))
		in.BatchSize = derive.Given("policy.batchSize", c.size, "machines")
		r, _ := plan(t, in)
		var got string
		for _, f := range r.Part.Findings {
			if strings.HasPrefix(f.ID, "grow.batch") {
				got = f.ID
			}
		}
		g := r.Part.Gauges[0]
		if got != c.want || g.Share != c.share || g.Kind != limit.Recommended {
			t.Errorf("%d at once of %d: %q and %+v", c.size, c.workers, got, g)
		}
	}
}

func TestProviderAdvice(t *testing.T) {
	for _, c := range []struct{ typ, provider, want, contains string }{
		{"openshift", "aws", "grow.quota grow.healthChecks", "m5.large and m5d.large"},
		{"openshift", "gcp", "grow.quota grow.healthChecks", "instance type of similar size"},
		{"openshift", "vsphere", "grow.healthChecks", ""},
		{"openshift", "none", "grow.manual", ""},
		{"openshift", "ibmz", "grow.manual", ""},
		{"kubernetes", "aws", "", ""}, // it has no machine sets, and OCP 3 says nothing of it
	} {
		in := input(workers("worker", 10, 0))
		in.Platform.Type, in.Platform.Provider = c.typ, c.provider
		r, _ := plan(t, in)
		var got, remedies []string
		for _, f := range r.Part.Findings {
			got, remedies = append(got, f.ID), append(remedies, f.Remedy)
		}
		if strings.Join(got, " ") != c.want || !strings.Contains(strings.Join(remedies, " "), c.contains) {
			t.Errorf("%s on %s: %v %q", c.typ, c.provider, got, remedies)
		}
	}
}

// OCP 3.1: five requests a second and a burst of ten; later releases do fifty.
func TestDrain(t *testing.T) {
	for _, c := range []struct {
		release string
		pods    int
		want    float64
	}{
		{"4.4", 110, (25*110 - 10) / 5.0},
		{"4.4", 0, -1},
		{"4.17", 110, (25*110 - 100) / 50.0},
	} {
		in := input(workers("worker", 100, 0))
		in.Platform.Release, in.PodsPerNode = c.release, derive.Of(float64(c.pods), "pods")
		_, b := plan(t, in)
		f, ok := b.Get("grow.drain")
		if ok != (c.want >= 0) || ok && f.Value.Number != c.want {
			t.Errorf("%s with %d pods: %v, want %v s", c.release, c.pods, f.Value, c.want)
		}
	}
	if got := DrainSeconds(8, 5, 10); got != 0 {
		t.Errorf("a burst takes %v s", got)
	}
}

func TestNoPoolsNoSteps(t *testing.T) {
	r, _ := plan(t, input())
	if len(r.Steps) != 0 || len(r.Rollouts) != 0 || len(r.Part.Findings) != 0 || len(r.Part.Section.Tables) != 0 {
		t.Errorf("a plan of nothing: %+v", r.Part)
	}
}

// DrainSeconds is the least time that a client of a limited rate takes to send
// one eviction for each pod: the burst at once, the rest at the rate a second.
func DrainSeconds(pods, qps, burst float64) float64 {
	return max(0, pods-burst) / qps
}
