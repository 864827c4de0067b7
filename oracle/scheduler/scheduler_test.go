package scheduler

import (
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/scheduler/schedulertest"
)

// tiny: two nodes of 4 and 8 cores, pods of 3 cores.
func tiny() schedulertest.Session {
	node := func(name string, cores int64) scheduler.Node {
		return scheduler.Node{Name: name, Allocatable: scheduler.Resources{CPU: cores * 1000, Memory: cores << 32, Pods: 110}}
	}
	return schedulertest.Session{Name: "tiny", Profile: scheduler.Profile{Release: "1.36"},
		Nodes: []scheduler.Node{node("small", 4), node("large", 8)},
		Classes: []scheduler.PodClass{
			{Name: "a", Request: scheduler.Resources{CPU: 3000, Memory: 1 << 30}, NonZeroCPU: 3000, NonZeroMemory: 1 << 30},
		},
		Arrivals: schedulertest.Runs{0, 0, 0, 0}}
}

// The large node is emptier after the first pod, then again, then only the small
// one has room: (8-3)/8 > (4-3)/4, (8-6)/8 = (4-3)/4 in CPU and more memory free.
func TestPlayOnPaper(t *testing.T) {
	got, err := play(tiny(), true)
	if err != nil {
		t.Fatal(err)
	}
	want := schedulertest.Runs{1, 1, 0, -1}
	for i := range want {
		if got.Placed[i] != want[i] {
			t.Errorf("pod %d is on node %d, on paper on %d", i, got.Placed[i], want[i])
		}
	}
	if len(got.Diagnoses) != 1 || got.Diagnoses[0].Message != "0/2 nodes are available: 2 Insufficient cpu." {
		t.Errorf("diagnoses %+v", got.Diagnoses)
	}
	// The first pod on the large node: CPU (8-3)*100/8 = 62, memory (32-1)*100/32 = 96, mean 79.
	if s := got.Scores[0]; s.Nodes[1] != 1 || s.Plugins["NodeResourcesFit"][1] != 79 {
		t.Errorf("scores %+v", s)
	}
}

// What was worked out on paper for this release must be what it does.
func TestPaperAgrees(t *testing.T) {
	asked := 0
	for _, r := range schedulertest.ByHand() {
		if r.Profile.Release != rules {
			continue
		}
		asked++
		got, err := play(r.Session, false)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Placed, r.Placed) {
			t.Errorf("%s: %v, on paper %v", r.Name, got.Placed, r.Placed)
		}
	}
	if asked == 0 {
		t.Errorf("nothing on paper is of release %s", rules)
	}
}

func TestCompareNoticesADifference(t *testing.T) {
	s := tiny()
	same, err := schedulertest.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if found, err := compare(s, same, &b); found || err != nil {
		t.Errorf("equal sessions differ: %v\n%s", err, b.String())
	}
	other := tiny()
	other.Profile.ScoringStrategy = "MostAllocated"
	ours, err := schedulertest.Open(other)
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	found, err := compare(s, ours, &b)
	if !found || err != nil {
		t.Fatalf("packing instead of spreading was not noticed: %v", err)
	}
	for _, want := range []string{"pod 0, class 0: the scheduler says 1, we say 0", "NodeResourcesFit"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, b.String())
		}
	}
}

func TestSessionsThatNobodyCanMeetAreRefused(t *testing.T) {
	s := tiny()
	s.Classes[0].TopologySpreadConstraints = []v1alpha1.TopologySpreadConstraint{{MaxSkew: 0, TopologyKey: "zone"}}
	if _, err := play(s, false); err == nil || !strings.Contains(err.Error(), "API server would refuse") {
		t.Errorf("a skew of 0 was taken: %v", err)
	}
}

func TestContainersAddUpToTheClass(t *testing.T) {
	const mebi = 1 << 20
	cases := []struct {
		request, nonZero [2]int64
		containers       int
	}{
		{[2]int64{500, 64 * mebi}, [2]int64{500, 64 * mebi}, 1},
		{[2]int64{0, 0}, [2]int64{100, 200 * mebi}, 2},
		{[2]int64{0, 0}, [2]int64{0, 0}, 1},
		{[2]int64{300, 0}, [2]int64{300, 400 * mebi}, 3},
	}
	for _, c := range cases {
		got, err := containersOf(scheduler.PodClass{Request: scheduler.Resources{CPU: c.request[0], Memory: c.request[1]},
			NonZeroCPU: c.nonZero[0], NonZeroMemory: c.nonZero[1]})
		if err != nil || len(got) != c.containers {
			t.Errorf("%+v: %d containers, %v", c, len(got), err)
		}
		cpu, memory := int64(0), int64(0)
		for _, one := range got {
			for name, sum := range map[v1.ResourceName]*int64{v1.ResourceCPU: &cpu, v1.ResourceMemory: &memory} {
				q, ok := one.Resources.Requests[name]
				switch {
				case !ok && name == v1.ResourceCPU:
					*sum += 100
				case !ok:
					*sum += 200 * mebi
				case name == v1.ResourceCPU:
					*sum += q.MilliValue()
				default:
					*sum += q.Value()
				}
			}
		}
		if cpu != c.nonZero[0] || memory != c.nonZero[1] {
			t.Errorf("%+v: containers count as %d and %d", c, cpu, memory)
		}
	}
	if _, err := containersOf(scheduler.PodClass{NonZeroCPU: 150}); err == nil {
		t.Error("150m more than requested can't be made of containers")
	}
}
