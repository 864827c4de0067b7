package prometheus_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/facts"
	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/part"
	"plimsoll.dev/plan/prometheus"
	"plimsoll.dev/unit"
)

const gb = 1e9

func input(nodes, pods int, retention string) prometheus.Input {
	keep, err := unit.ParseDuration(retention)
	if err != nil {
		panic(err)
	}
	c := facts.Load()
	return prometheus.Input{
		Nodes: derive.Given("nodes", nodes, "nodes"), Pods: derive.Given("pods", pods, "pods"),
		Monitoring: v1alpha1.Monitoring{Retention: keep, Replicas: 2, StorageClass: "gp2", AlertmanagerSize: 20 * unit.GiB},
		Origin:     part.NewOrigin(nil, c), Release: "4.4", Facts: c,
	}
}

func plan(t *testing.T, in prometheus.Input) (prometheus.Result, *derive.Book) {
	t.Helper()
	var b derive.Book
	r := prometheus.Plan(&b, in)
	for _, err := range b.Verify() {
		t.Error(err)
	}
	return r, &b
}

type numbers struct{ PerDay, Per15Days, RAM, Chunk, Cores float64 }

// TestTable checks OCP 8.1: the four rows, and values between, below and above.
func TestTable(t *testing.T) {
	tests := []struct {
		name        string
		nodes, pods int
		want        numbers
		side        prometheus.Side
	}{
		{"row 50", 50, 1800, numbers{6.3, 94, 6, 16, 1}, prometheus.Within},
		{"row 100", 100, 3600, numbers{13, 195, 10, 26, 2}, prometheus.Within},
		{"row 150", 150, 5400, numbers{19, 283, 12, 36, 3}, prometheus.Within},
		{"row 200", 200, 7200, numbers{25, 375, 14, 46, 4}, prometheus.Within},
		{"half way from 50 to 100", 75, 2700, numbers{9.65, 144.5, 8, 21, 1.5}, prometheus.Within},
		{"a fifth of the way from 150 to 200", 160, 5760, numbers{20.2, 301.4, 12.4, 38, 3.2}, prometheus.Within},
		{"above: the last line prolonged", 250, 9000, numbers{31, 467, 16, 56, 5}, prometheus.Above},
		{"below: share of the storage, prolonged memory", 25, 900, numbers{3.15, 47, 4, 11, 0.5}, prometheus.Below},
		{"no nodes", 0, 0, numbers{0, 0, 2, 6, 0}, prometheus.Below},
		{"pods govern", 10, 3600, numbers{13, 195, 10, 26, 2}, prometheus.Within},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := plan(t, input(tt.nodes, tt.pods, "15d"))
			s := r.Size
			got := numbers{s.PerDay.Number / gb, s.Per15Days.Number / gb, s.RAM.Number / gb, s.Chunk.Number / 1e6,
				s.CPU.Number / 1000}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" {
				t.Errorf("wrong figures (-want +got):\n%s", diff)
			}
			if s.Side != tt.side {
				t.Errorf("side is %s, want %s", s.Side, tt.side)
			}
		})
	}
}

func TestRetention(t *testing.T) {
	tests := []struct {
		retention string
		volume    float64 // GB, 50 nodes
		request   string
	}{
		{"15d", 94, "88Gi"},
		{"1d", 6.3, "6Gi"},
		{"2h", 6.3, "6Gi"}, // never below the growth of a day
		{"30d", 188, "176Gi"},
		{"90d", 564, "526Gi"},
	}
	for _, tt := range tests {
		t.Run(tt.retention, func(t *testing.T) {
			r, _ := plan(t, input(50, 1800, tt.retention))
			if got := r.Size.Volume.Number / gb; math.Abs(got-tt.volume) > 1e-9 {
				t.Errorf("volume is %v GB, want %v", got, tt.volume)
			}
			if got := r.Decision.PrometheusSize.String(); got != tt.request {
				t.Errorf("claim is %s, want %s", got, tt.request)
			}
		})
	}
}

func TestDecisionAndPods(t *testing.T) {
	r, _ := plan(t, input(100, 3600, "15d"))
	want := v1alpha1.MonitoringDecision{
		Retention: 15 * 86400, Replicas: 2, PrometheusSize: 182 * unit.GiB, PrometheusMemory: 9537 * unit.MiB,
		PrometheusCPU: 2000, AlertmanagerSize: 20 * unit.GiB, StorageClass: "gp2",
	}
	if diff := cmp.Diff(want, r.Decision); diff != "" {
		t.Errorf("decision (-want +got):\n%s", diff)
	}
	if got, want := r.Size.Storage.Number, float64(2*182*unit.GiB+3*20*unit.GiB); got != want {
		t.Errorf("all volumes take %v, want %v", got, want)
	}
	if got := r.InfraNodes.Int(); got != 3 {
		t.Errorf("%d infrastructure nodes, want the document's 3", got)
	}
	first := v1alpha1.PodType{Name: "prometheus-k8s", Namespace: "openshift-monitoring", Replicas: 2, CPU: 2007,
		Memory: (9537 + 160) * unit.MiB, Storage: 182 * unit.GiB, MaxPerNode: 1, Overcommit: "cpuOnly"}
	if diff := cmp.Diff(first, r.Pods[0]); diff != "" {
		t.Errorf("Prometheus pod (-want +got):\n%s", diff)
	}
}

func TestPodsByRelease(t *testing.T) {
	for release, want := range map[string]string{
		"3.11": "prometheus-k8s 2, alertmanager-main 3, prometheus-operator 1, kube-state-metrics 1, grafana 1",
		"4.4": "prometheus-k8s 2, alertmanager-main 3, prometheus-operator 1, kube-state-metrics 1, " +
			"openshift-state-metrics 1, grafana 1, " +
			"prometheus-adapter 2, telemeter-client 1",
		"4.17": "prometheus-k8s 2, alertmanager-main 2, prometheus-operator 1, kube-state-metrics 1, " +
			"openshift-state-metrics 1, " +
			"prometheus-adapter 2, telemeter-client 1, thanos-querier 2",
	} {
		in := input(50, 1800, "15d")
		in.Release = release
		r, _ := plan(t, in)
		var got []string
		for _, p := range r.Pods {
			got = append(got, p.Name+" "+derive.Of(float64(p.Replicas), "").Text)
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", release, diff)
		}
	}
}

func TestFindings(t *testing.T) {
	single := input(331, 11916, "15d")
	single.Monitoring.Replicas = 1
	tests := []struct {
		name string
		in   prometheus.Input
		want []string
	}{
		{"inside the table", input(120, 4000, "15d"), nil},
		{"few nodes", input(6, 100, "15d"), []string{"monitoring.extrapolated.below"}},
		{"many nodes, one replica", single, []string{"monitoring.extrapolated.above", "monitoring.replicas.single"}},
		{"dense pods", input(100, 25000, "15d"), []string{"monitoring.extrapolated.above", "monitoring.podsGovern"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, b := plan(t, tt.in)
			var got []string
			for _, f := range r.Part.Findings {
				got = append(got, f.ID)
				if _, ok := b.Get(f.Figure); f.Figure != "" && !ok {
					t.Errorf("%s points to no figure %q", f.ID, f.Figure)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRowInPlace checks that the cluster's row stands between the document's.
func TestRowInPlace(t *testing.T) {
	for nodes, at := range map[int]int{6: 0, 50: 1, 120: 2, 200: 4, 331: 4} {
		r, _ := plan(t, input(nodes, nodes, "15d"))
		rows := r.Part.Section.Tables[0].Rows
		if len(rows) != 5 || rows[at][0].Text != "this cluster" {
			t.Errorf("%d nodes: the cluster's row is not row %d of %d", nodes, at, len(rows))
		}
	}
}

func TestInfraSizes(t *testing.T) {
	c := facts.Load()
	if got := prometheus.InfraSizes(c, "4.4"); got != nil {
		t.Errorf("4.4 has published sizes %v, want none", got)
	}
	sizes := prometheus.InfraSizes(c, "4.10")
	if len(sizes) != 4 || sizes[0].Edition != "4.9" || sizes[1].Workers != 100 || sizes[1].CPU.Number != 8000 ||
		sizes[1].Memory.Number != 32e9 {
		t.Errorf("sizes of 4.10 are %v", sizes)
	}
	in := input(130, 4000, "15d")
	in.Release, in.Workers = "4.17", derive.Given("workers", 130, "nodes")
	r, _ := plan(t, in)
	last := r.Part.Section.Tables[len(r.Part.Section.Tables)-1]
	if last.ID != "monitoring.infraSizes" || last.Rows[2][3].Mark != "good" {
		t.Errorf("130 workers are not marked at the row of 252: %v", last)
	}
}

// naive finds y by looking at every pair of neighbours.
func naive(points []prometheus.Point, x float64) float64 {
	at := func(a, b prometheus.Point) float64 {
		slope := (b.Y.Number - a.Y.Number) / (b.X.Number - a.X.Number)
		return a.Y.Number + slope*(x-a.X.Number)
	}
	for i := 0; i+1 < len(points); i++ {
		if x >= points[i].X.Number && x <= points[i+1].X.Number {
			return at(points[i], points[i+1])
		}
	}
	n := len(points)
	if x > points[n-1].X.Number {
		return at(points[n-2], points[n-1])
	}
	return math.Max(at(points[0], points[1]), points[0].Y.Number/points[0].X.Number*x)
}

func TestInterpolateProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "points")
		points := make([]prometheus.Point, n)
		x, y := 0.0, 0.0
		for i := range points {
			x += rapid.Float64Range(0.5, 100).Draw(t, "dx")
			y += rapid.Float64Range(0, 1000).Draw(t, "dy")
			points[i] = prometheus.Point{X: derive.Of(x, ""), Y: derive.Of(y, "")}
		}
		at := rapid.Float64Range(0, 1000).Draw(t, "x")
		got, _ := prometheus.Interpolate(points, at)
		if want := naive(points, at); math.Abs(got-want) > 1e-6*math.Max(1, math.Abs(want)) {
			t.Fatalf("at %v: %v, the naive way gives %v", at, got, want)
		}
		if more, _ := prometheus.Interpolate(points, at+1); more < got-1e-6 {
			t.Fatalf("rising points, but %v at %v and %v at %v", got, at, more, at+1)
		}
		for _, p := range points {
			if y, side := prometheus.Interpolate(points, p.X.Number); math.Abs(y-p.Y.Number) > 1e-6 ||
				side != prometheus.Within {
				t.Fatalf("a point's own y is %v (%s), want %v", y, side, p.Y.Number)
			}
		}
	})
}
