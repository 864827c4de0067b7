package scheduler

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/api/v1alpha1"
)

// The numbers are worked out from kubernetes-placement notes, section 4, and the
// upstream files that the functions name.

func TestSample(t *testing.T) {
	for _, test := range []struct{ percent, nodes, want int }{
		{0, 3, 3}, {0, 99, 99}, {0, 100, 100}, // all below 100, and never fewer than 100
		{0, 1000, 420},   // 50 - 1000/125 = 42 %
		{0, 5000, 500},   // 50 - 40 = 10 %
		{0, 20000, 1000}, // at least 5 %
		{30, 1000, 300}, {5, 1000, 100}, {100, 1523, 1523},
	} {
		r := rules{percent: test.percent}
		if got := r.sample(test.nodes); got != test.want {
			t.Errorf("%d %% of %d nodes: %d are looked for, not %d", test.percent, test.nodes, got, test.want)
		}
	}
}

// TestHeapOrder has the heap 0; 1, 2; 3, 4, 5, 6; 7, 8: pre-order is 0 1 3 7 8 4 2 5 6.
func TestHeapOrder(t *testing.T) {
	want := []int{0, 1, 3, 7, 8, 4, 2, 5, 6}
	got := []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(got), func(i, j int) { got[i], got[j] = got[j], got[i] })
	slices.SortFunc(got, func(i, j int) int {
		switch {
		case before(i, j):
			return -1
		case before(j, i):
			return 1
		}
		return 0
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("pre-order (-want +got):\n%s", diff)
	}
	for i, level := range []int{1, 3, 3, 7, 7, 7, 7, 15} {
		if got := nextLevel(i); got != level {
			t.Errorf("the level below index %d begins at %d, not %d", i, got, level)
		}
	}
}

// TestTreeOrder goes around the zones; a zone that is empty is forgotten, and
// comes back behind the others.
func TestTreeOrder(t *testing.T) {
	var tree tree
	for i, zone := range []string{"a", "a", "a", "b", "c", "c"} {
		tree.add(zone, int32(i))
	}
	if diff := cmp.Diff([]int32{0, 3, 4, 1, 5, 2}, tree.list()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	tree.remove("b", 3)
	tree.add("b", 6)
	if diff := cmp.Diff([]int32{0, 4, 6, 1, 5, 2}, tree.list()); diff != "" {
		t.Errorf("order after b came back (-want +got):\n%s", diff)
	}
}

func TestZone(t *testing.T) {
	for want, labels := range map[string]map[string]string{
		"":              {"x": "y"},
		":\x00:a":       {ZoneLabel: "a"},
		"r:\x00:a":      {ZoneLabel: "a", regionLabel: "r"},
		"old:\x00:beta": {ZoneLabel: "a", regionLabel: "r", betaZoneLabel: "beta", betaRegionLabel: "old"},
	} {
		if got := zoneOf(&Node{Labels: labels}); got != want {
			t.Errorf("%v is in zone %q, not %q", labels, got, want)
		}
	}
}

// TestResourceScores has a node of 4 cores and 8 GiB that runs 1 core and 2 GiB.
// A pod of 500m and 3 GiB makes that 1500m, 37.5 %, and 5 GiB, 62.5 %.
func TestResourceScores(t *testing.T) {
	node := Node{Name: "n", Allocatable: Resources{CPU: 4000, Memory: 8 << 30, Pods: 10}}
	ratio := []v1alpha1.ShapePoint{{Utilization: 0, Score: 0}, {Utilization: 50, Score: 10}, {Utilization: 100, Score: 0}}
	for _, test := range []struct {
		profile       Profile
		fit, balanced int64
	}{
		// 62.5 and 37.5 are cut to 62 and 37: 99 / 2. Balance: |0.375 - 0.625| / 2 = 0.125, so 87;
		// without the pod both are a quarter, 100: 50 + (50 + 87 - 100) / 2.
		{Profile{Release: "1.36"}, 49, 68},
		{Profile{Release: "1.35"}, 49, 87},
		{Profile{ScoringStrategy: mostAllocated}, 49, 68}, // 37 and 62
		// (37 + 3*62) / 4 = 55.75
		{Profile{ScoringStrategy: mostAllocated,
			Resources: []v1alpha1.ResourceWeight{{Name: cpu, Weight: 1}, {Name: memory, Weight: 3}}}, 55, 68},
		// 37 % -> 74; 62 % -> 100 - 100*12/50 = 76
		{Profile{ScoringStrategy: capacityRatio, Shape: ratio}, 75, 68},
	} {
		s, err := New(test.profile, []Node{node})
		if err != nil {
			t.Fatal(err)
		}
		there, err := s.Class(PodClass{Name: "there", Request: Resources{CPU: 1000, Memory: 2 << 30}, NonZeroCPU: 1000,
			NonZeroMemory: 2 << 30})
		if err != nil {
			t.Fatal(err)
		}
		s.Bind(there, 0)
		c := s.newClass(&PodClass{Request: Resources{CPU: 500, Memory: 3 << 30}, NonZeroCPU: 500, NonZeroMemory: 3 << 30})
		if got := s.fitScore(c, &s.state[0], 0); got != test.fit {
			t.Errorf("%+v: fit is %d, not %d", test.profile, got, test.fit)
		}
		if got := s.balanceScore(c, &s.state[0]); got != test.balanced {
			t.Errorf("%+v: balance is %d, not %d", test.profile, got, test.balanced)
		}
	}
}

// TestBadInput wants everything that is wrong, at once.
func TestBadInput(t *testing.T) {
	_, err := New(Profile{Release: "2.0", ScoringStrategy: "Random", PercentageOfNodesToScore: 101,
		Weights:   map[string]int64{"Fit": 1, pluginFit: -1},
		Resources: []v1alpha1.ResourceWeight{{Name: cpu}},
		Shape:     []v1alpha1.ShapePoint{{Utilization: 5, Score: 11}, {Utilization: 5}}},
		[]Node{{Name: "a"}, {Name: "a", Allocatable: Resources{CPU: -1, Pods: -1}},
			{Taints: []v1alpha1.Taint{{Key: "k", Effect: "Never"}}}})
	wantLines(t, err, `release "2.0"`, `percentageOfNodesToScore 101`, `"Fit" is no plug-in`,
		`NodeResourcesFit: -1 is out of range`, `scoringStrategy "Random"`,
		"cpu: weight 0", "shape has 2 points", "score 11", "utilization 5 is out of order", `"a": is there twice`, "cpu -1",
		"pods -1", `has no name`, `effect "Never"`)

	s, err := New(Profile{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	expression := v1alpha1.Requirement{Key: "k", Operator: "Gt", Values: []string{"x"}}
	_, err = s.Class(PodClass{Name: "c", Request: Resources{Memory: -1}, NonZeroCPU: -5,
		Tolerations: []v1alpha1.Toleration{{Key: "k", Operator: "In"}},
		Affinity: &v1alpha1.Affinity{
			NodeAffinity: &v1alpha1.NodeAffinity{
				Required: &v1alpha1.NodeSelector{NodeSelectorTerms: []v1alpha1.NodeSelectorTerm{{
					MatchExpressions: []v1alpha1.Requirement{expression},
					MatchFields:      []v1alpha1.Requirement{{Key: "spec.x", Operator: "In", Values: []string{"y"}}}}}}},
			PodAffinity: &v1alpha1.PodAffinity{
				Preferred: []v1alpha1.WeightedPodAffinityTerm{
					{Weight: 101, PodAffinityTerm: v1alpha1.PodAffinityTerm{
						LabelSelector: &v1alpha1.LabelSelector{MatchExpressions: []v1alpha1.Requirement{expression}},
					}},
				},
			},
		},
		TopologySpreadConstraints: []v1alpha1.TopologySpreadConstraint{
			{TopologyKey: "zone", MinDomains: new(int32), NodeTaintsPolicy: "Maybe", WhenUnsatisfiable: "Wait"},
		},
		HostPorts: []v1alpha1.HostPort{{Port: 70000}}, PreemptionPolicy: "Always"})
	wantLines(t, err, "memory -1", "cpu -5", `operator "In"`, "Gt compares with", "matchFields: spec.x", "weight 101",
		"no topologyKey", `operator "Gt"`,
		"maxSkew 0", "minDomains 0", `policy "Maybe"`, `whenUnsatisfiable "Wait"`, "host port 70000",
		`preemptionPolicy "Always"`)
}

func wantLines(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("nothing is found wrong")
	}
	lines := strings.Split(err.Error(), "\n")
	for _, text := range want {
		if !slices.ContainsFunc(lines, func(l string) bool { return strings.Contains(l, text) }) {
			t.Errorf("nothing says %q in:\n%v", text, err)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d things are wrong, not %d:\n%v", len(want), len(lines), err)
	}
}
