package cpu

import (
	"errors"
	"testing"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// managed starts the static policy that looks at pods with resources of their own.
func managed(t *testing.T, shape string, options ...string) node {
	t.Helper()
	m := parse(t, shape, "")
	c := Config{Policy: Static, Options: map[string]string{}, ReservedCPUs: cpus(t, "0"),
		Gates: map[string]bool{gateManagers: true}}
	for _, o := range options {
		c.Options[o] = "true"
	}
	mgr, err := New(&m, c)
	if err != nil {
		t.Fatal(err)
	}
	return node{mgr, t, map[string]*Pod{}}
}

// allocatePod wants the containers' CPUs.
func (n node) allocatePod(p *Pod, affinity uint64, want ...string) {
	n.t.Helper()
	if err := n.AllocatePod(p, affinity); err != nil {
		n.t.Fatal(err)
	}
	for i, w := range want {
		if got, _ := n.Container(p.UID, i); got.String() != w {
			n.t.Errorf("container %d has %v (want %s)", i, got, w)
		}
	}
}

// The pod's 6 CPUs are divided: the sidecar keeps its own, the init containers run in
// all the others, and what the app container leaves is for those without.
func TestPodIsDivided(t *testing.T) {
	n := managed(t, "2 sockets x 1 numa x 8 cores x 1 thread")
	p := Pod{UID: "a", Level: true, CPUs: 6,
		Containers: []Container{{Init, 0}, {Sidecar, 1}, {Init, 2}, {Init, 0}, {App, 3}, {App, 0}}}
	h := n.PodHints(&p)
	if got := write(h); got != "1* 10* 11" {
		t.Errorf("hints %s (want 1* 10* 11)", got)
	}
	n.allocatePod(&p, 0b10, "8-13", "8", "9-10", "9-13", "9-11", "12-13")
	if n.Available() != cpus(t, "1-7,14-15") {
		t.Errorf("available %v (want 1-7,14-15)", n.Available())
	}
	n.Remove("a")
	if n.Available() != cpus(t, "1-15") {
		t.Errorf("available %v (want 1-15)", n.Available())
	}
}

// CPUs that no container of the pod uses come back, too.
func TestPodGivesAllBack(t *testing.T) {
	n := managed(t, "1 socket x 1 numa x 8 cores x 1 thread")
	p := Pod{UID: "a", Level: true, CPUs: 4, Containers: []Container{{App, 2}}}
	n.allocatePod(&p, 0, "1-2")
	if n.Available() != cpus(t, "5-7") {
		t.Errorf("available %v (want 5-7)", n.Available())
	}
	n.Remove("a")
	if n.Available() != cpus(t, "1-7") {
		t.Errorf("available %v (want 1-7)", n.Available())
	}
}

// A container without CPUs of its own needs one that the others leave.
func TestEmptySharedPool(t *testing.T) {
	n := managed(t, "1 socket x 1 numa x 8 cores x 1 thread")
	for _, c := range []struct {
		init       bool
		containers []Container
	}{
		{false, []Container{{App, 2}, {App, 0}}},
		{false, []Container{{Sidecar, 0}, {App, 2}}},
		{true, []Container{{Sidecar, 2}, {Init, 0}}},
	} {
		p := Pod{UID: "a", Level: true, CPUs: 2, Containers: c.containers}
		err := n.AllocatePod(&p, 0)
		var empty EmptySharedPoolError
		if !errors.As(err, &empty) || empty.Init != c.init || empty.Reason() != "EmptyPodSharedPoolError" {
			t.Errorf("%v: %v (want an empty shared pool)", c.containers, err)
		}
		if h := n.PodHints(&p); h.Kind != Impossible {
			t.Errorf("%v: hints %+v (want none)", c.containers, h)
		}
	}
	ok := Pod{UID: "b", Level: true, CPUs: 2, Containers: []Container{{Init, 0}, {App, 2}}}
	n.allocatePod(&ok, 0, "1-2", "1-2")
}

// What a pod was given stays lost when it can't be divided.
func TestUndividedPodStaysLost(t *testing.T) {
	n := managed(t, "1 socket x 1 numa x 8 cores x 1 thread")
	p := Pod{UID: "a", Level: true, CPUs: 3, Containers: []Container{{App, 2}, {App, 2}}}
	if err := n.AllocatePod(&p, 0); err != (ShortError{Requested: 2, Available: 1}) {
		t.Errorf("%v (want 2 requested, 1 available)", err)
	}
	n.Remove("a")
	if n.Available() != cpus(t, "4-7") {
		t.Errorf("available %v (want 4-7)", n.Available())
	}
}

func TestPodLevelFullCores(t *testing.T) {
	n := managed(t, "1 socket x 1 numa x 4 cores x 2 threads", fullPCPUsOnly)
	p := Pod{UID: "a", Level: true, CPUs: 3, Containers: []Container{{App, 0}}}
	if err := n.AllocatePod(&p, 0); err != (SMTAlignmentError{Requested: 3, PerCore: 2}) {
		t.Errorf("%v (want an SMT alignment error)", err)
	}
}

// As released, 1.36 leaves pods with resources of their own alone.
func TestPodLevelIsAlpha(t *testing.T) {
	m, err := topo.Parse("1 socket x 1 numa x 4 cores x 1 thread")
	if err != nil {
		t.Fatal(err)
	}
	n, err := New(&m, Config{Policy: Static, Reserved: 1 * unit.CPU(1000)})
	if err != nil || n.podLevel {
		t.Fatalf("%v, pod level %v", err, n.podLevel)
	}
	p := Pod{UID: "a", Level: true, CPUs: 2, Containers: []Container{{App, 2}}}
	if err := errors.Join(n.AllocatePod(&p, 0), n.Allocate(&p, 0, 0)); err != nil {
		t.Error(err)
	}
	if n.Hints(&p, 0).Kind != NoOpinion || n.PodHints(&p).Kind != NoOpinion || n.Available().Len() != 3 {
		t.Errorf("available %v", n.Available())
	}
}

// In the container scope such a pod's containers are allocated one by one.
func TestPodLevelContainers(t *testing.T) {
	n := managed(t, "1 socket x 1 numa x 4 cores x 1 thread")
	p := Pod{UID: "a", Level: true, CPUs: 3, Containers: []Container{{App, 2}, {App, 0}}}
	if err := n.Allocate(&p, 0, 0); err != nil {
		t.Fatal(err)
	}
	if got, _ := n.Container("a", 0); got != cpus(t, "1-2") {
		t.Errorf("%v (want 1-2)", got)
	}
	if got := write(n.PodHints(&p)); got != "1*" {
		t.Errorf("hints %s (want 1*)", got)
	}
	p.CPUs, p.Containers[0].CPUs = 2, 1
	if h := n.Hints(&p, 0); h.Kind != Impossible {
		t.Errorf("hints %+v (want none: it has 2 CPUs and asks for 1)", h)
	}
}
