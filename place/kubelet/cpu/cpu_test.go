package cpu

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// node is a manager under test.
type node struct {
	*Manager
	t    *testing.T
	pods map[string]*Pod
}

// parse makes a machine; without is a list of CPUs that are offline.
func parse(t *testing.T, shape, without string) topo.Machine {
	t.Helper()
	m, err := topo.Parse(shape)
	if err != nil {
		t.Fatal(err)
	}
	gone := cpus(t, without)
	m.CPUs = slices.DeleteFunc(m.CPUs, func(c topo.CPU) bool { return gone.Has(c.ID) })
	return m
}

func cpus(t *testing.T, list string) unit.CPUSet {
	t.Helper()
	s, err := unit.ParseCPUSet(list)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// static starts the static policy. reserved is an amount of CPU, or "CPUs " and a list.
func static(t *testing.T, m topo.Machine, reserved string, options ...string) node {
	t.Helper()
	c := Config{Policy: Static, Options: map[string]string{}, Gates: map[string]bool{gateAlpha: true}}
	for _, name := range options {
		c.Options[name] = "true"
	}
	if list, explicit := strings.CutPrefix(reserved, "CPUs "); explicit {
		c.ReservedCPUs = cpus(t, list)
	} else {
		var err error
		if c.Reserved, err = unit.ParseCPU(reserved); err != nil {
			t.Fatal(err)
		}
	}
	mgr, err := New(&m, c)
	if err != nil {
		t.Fatal(err)
	}
	return node{mgr, t, map[string]*Pod{}}
}

// Allocate, AllocatePod, Container and Remove know pods by their UID.
func (n node) Allocate(p *Pod, container int, affinity uint64) error {
	n.pods[p.UID] = p
	return n.Manager.Allocate(p, container, affinity)
}

func (n node) AllocatePod(p *Pod, affinity uint64) error {
	n.pods[p.UID] = p
	return n.Manager.AllocatePod(p, affinity)
}

func (n node) Container(uid string, container int) (unit.CPUSet, bool) {
	return n.pods[uid].Container(container)
}

func (n node) Remove(uid string) {
	n.Manager.Remove(n.pods[uid])
	delete(n.pods, uid)
}

// ask runs a pod of one container and wants the CPUs, or the error's text.
func (n node) ask(uid string, request int, affinity uint64, want string) {
	n.t.Helper()
	p := Pod{UID: uid, Containers: []Container{{CPUs: request}}}
	err := n.Allocate(&p, 0, affinity)
	got, _ := n.Container(uid, 0)
	if s := got.String(); err == nil && s != want || err != nil && err.Error() != want {
		n.t.Errorf("%s asks for %d on %b and gets %q, %v (want %q)", uid, request, affinity, s, err, want)
	}
}

// lists wants the hints for a container of a new pod, preferred ones with a star.
func (n node) lists(request int, want string) {
	n.t.Helper()
	h := n.Hints(&Pod{UID: "new", Containers: []Container{{CPUs: request}}}, 0)
	if got := write(h); got != want {
		n.t.Errorf("hints for %d CPUs are %q (want %q)", request, got, want)
	}
}

func write(h Hints) string {
	var list []string
	for x := range h.All() {
		text := fmt.Sprintf("%b", x.Nodes)
		if x.Preferred {
			text += "*"
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

// The example of OpenShift 4.4's documentation, chapter 6: 2 CPUs, 500m reserved.
func TestOpenShiftExample(t *testing.T) {
	n := static(t, parse(t, "1 socket x 1 numa x 2 cores x 1 thread", ""), "500m")
	n.ask("pod", 1, 0, "1")
	if n.Reserved() != cpus(t, "0") || n.Shared() != cpus(t, "0") {
		t.Errorf("reserved %v, shared %v (want 0, 0)", n.Reserved(), n.Shared())
	}
	n.ask("second", 1, 0, "not enough cpus available to satisfy request: requested=1, available=0")
	n.Remove("pod")
	n.ask("third", 1, 1, "1")
}

// The example of the package's documentation.
func TestPackageExample(t *testing.T) {
	n := static(t, parse(t, "2 sockets x 1 numa x 8 cores x 2 threads", ""), "2")
	n.lists(4, "1* 10* 11")
	n.ask("a", 4, 0b01, "1-2,17-18")
	if n.Reserved() != cpus(t, "0,16") {
		t.Errorf("reserved %v (want 0,16)", n.Reserved())
	}
}

// With an odd reservation the sibling of the reserved CPU goes out first.
func TestOddReservation(t *testing.T) {
	n := static(t, parse(t, "2 sockets x 1 numa x 8 cores x 2 threads", ""), "1")
	n.ask("pod", 1, 0, "16")
}

// The fuller NUMA node is used first; at the start that is the one with the
// reservation.
func TestBestFit(t *testing.T) {
	n := static(t, parse(t, "2 sockets x 1 numa x 4 cores x 2 threads", ""), "2")
	n.ask("a", 4, 0, "1-2,9-10")    // node 0 has CPUs 0-3 and 8-11; 0 and 8 are reserved
	n.ask("b", 4, 0, "3-4,11-12")   // the last core of node 0, and the first of node 1
	n.ask("c", 4, 0b1, "5-6,13-14") // node 0 is used up
}

// A request for a whole NUMA node can't be met by the node with the reservation,
// which the least size does not know.
func TestWholeNode(t *testing.T) {
	n := static(t, parse(t, "2 sockets x 1 numa x 4 cores x 2 threads", ""), "2")
	n.lists(8, "10* 11")
	n.ask("a", 8, 0b10, "4-7,12-15")
	n.lists(8, "")
	n.lists(6, "1* 11")
	n.lists(9, "")
}

// What an init container does not leave to the app container stays its own.
func TestInitContainer(t *testing.T) {
	n := static(t, parse(t, "1 socket x 1 numa x 10 cores x 1 thread", ""), "1")
	p := Pod{UID: "a", Containers: []Container{{Init, 6}, {App, 2}}}
	for i, want := range []string{"1-6", "1-2"} {
		if err := n.Allocate(&p, i, 0); err != nil {
			t.Fatal(err)
		}
		if got, _ := n.Container("a", i); got.String() != want {
			t.Errorf("container %d has %v (want %s)", i, got, want)
		}
	}
	if n.Shared() != cpus(t, "0,7-9") {
		t.Errorf("shared %v (want 0,7-9)", n.Shared())
	}
	n.Remove("a")
	if n.Available() != cpus(t, "1-9") {
		t.Errorf("available %v (want 1-9)", n.Available())
	}
}

// A sidecar keeps its CPUs: nobody after it may use them again.
func TestSidecar(t *testing.T) {
	n := static(t, parse(t, "1 socket x 1 numa x 10 cores x 1 thread", ""), "1")
	p := Pod{UID: "a", Containers: []Container{{Init, 3}, {Sidecar, 2}, {Init, 2}, {App, 1}}}
	for i, want := range []string{"1-3", "1-2", "3-4", "3"} {
		if err := n.Allocate(&p, i, 0); err != nil {
			t.Fatal(err)
		}
		if got, _ := n.Container("a", i); got.String() != want {
			t.Errorf("container %d has %v (want %s)", i, got, want)
		}
	}
	// The sidecar's 2 beside the second init container's 2.
	if got := n.podCPUs(&p); got != 4 {
		t.Errorf("the pod wants %d CPUs (want 4)", got)
	}
}

// Hints of a later container must contain the nodes of CPUs that it would use again.
func TestReuseBinds(t *testing.T) {
	n := static(t, parse(t, "2 sockets x 1 numa x 4 cores x 1 thread", ""), "1")
	p := Pod{UID: "a", Containers: []Container{{Init, 2}, {App, 2}}}
	if err := n.Allocate(&p, 0, 0b10); err != nil {
		t.Fatal(err)
	}
	if got := write(n.Hints(&p, 1)); got != "10* 11" {
		t.Errorf("hints are %s (want 10* 11)", got)
	}
	if got := write(n.Hints(&p, 0)); got != "10* 11" {
		t.Errorf("hints of what it has are %s (want 10* 11)", got)
	}
}

func TestFullCores(t *testing.T) {
	n := static(t, parse(t, "1 socket x 1 numa x 4 cores x 2 threads", ""), "1", fullPCPUsOnly)
	n.ask("odd", 3, 0, "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2")
	n.ask("many", 8, 0, "SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 6, "+
		"requested CPUs = 8, CPUs per core = 2")
	n.ask("all", 6, 0, "1-3,5-7")
	err := n.Allocate(&Pod{UID: "x", Containers: []Container{{CPUs: 2}}}, 0, 0)
	if r, ok := err.(interface{ Reason() string }); !ok || r.Reason() != "SMTAlignmentError" {
		t.Errorf("%v has no reason SMTAlignmentError", err)
	}
}

// Threads of different cores first: Linux numbers the second threads after all first ones.
func TestAcrossCores(t *testing.T) {
	n := static(t, parse(t, "1 socket x 1 numa x 4 cores x 2 threads", ""), "1", distributeAcrossCores)
	n.ask("a", 3, 0, "1-3")
	n.ask("b", 2, 0, "4-5")
}

// 18 CPUs on 2 NUMA nodes of 16: 9 from each, where packing takes a whole node and 2.
func TestAcrossNodes(t *testing.T) {
	shape := "2 sockets x 1 numa x 16 cores x 1 thread"
	static(t, parse(t, shape, ""), "1").ask("a", 18, 0, "1-2,16-31")
	static(t, parse(t, shape, ""), "1", distributeAcrossNUMA).ask("a", 18, 0, "1-9,16-24")
}

// The cache with the fewest free CPUs that can hold the whole request.
func TestByCache(t *testing.T) {
	shape := "1 socket x 1 numa x 4 caches x 4 cores x 1 thread"
	n := static(t, parse(t, shape, ""), "1", preferAlignByCache)
	n.ask("a", 2, 0, "1-2")  // cache 0 has 1-3
	n.ask("b", 2, 0, "4-5")  // 3 is alone
	n.ask("c", 4, 0, "8-11") // cache 1 has 6-7
	n.ask("d", 2, 0, "6-7")
	n.ask("e", 5, 0, "3,12-15") // a whole cache, and one CPU that another can give
}

// Of 4 threads to a core 7 are free in the first cache: an even request drops none of
// them, so they are not exactly 6, and no cache serves.
func TestByCacheEven(t *testing.T) {
	n := static(t, parse(t, "1 socket x 1 numa x 2 caches x 2 cores x 4 threads", ""), "CPUs 0", preferAlignByCache)
	n.ask("a", 6, 0, "1,4-5,8-9,13") // core 1 whole, then 4 and 8 of core 0
}

func TestStrict(t *testing.T) {
	n := static(t, parse(t, "1 socket x 1 numa x 4 cores x 1 thread", ""), "CPUs 1,3", strictReservation)
	if n.Shared() != cpus(t, "0,2") {
		t.Errorf("shared %v (want 0,2)", n.Shared())
	}
	n.ask("a", 2, 0, "0,2")
	if !n.Shared().IsEmpty() {
		t.Errorf("shared %v (want none)", n.Shared())
	}
}

// align-by-socket prefers every mask on as few sockets as are needed, and takes
// from the whole socket.
func TestAlignBySocket(t *testing.T) {
	n := static(t, parse(t, "2 sockets x 2 numa x 4 cores x 1 thread", ""), "CPUs 0", alignBySocket)
	n.lists(4, "10* 100* 1000* 11* 101 1001 110 1010 1100* 111 1011 1101 1110 1111")
	n.ask("a", 6, 0b1, "1-2,4-7") // node 1 of the same socket is wholly free
	plain := static(t, parse(t, "2 sockets x 2 numa x 4 cores x 1 thread", ""), "CPUs 0")
	plain.ask("a", 6, 0b100, "8-13") // 12 and 13 by best fit: socket 1 has the fewest free ones left
}

// With one reserved thread on each of 4 NUMA nodes of 5 cores 9 CPUs are left on
// each. 30 of them: 6 from each, and of 3 more each only 2 make a core; two nodes
// have 6 CPUs for the rest of 6, but two cores. (kubernetes#140730)
func TestHangs(t *testing.T) {
	n := static(t, parse(t, "2 sockets x 2 numa x 5 cores x 2 threads", ""), "CPUs 0,5,10,15", fullPCPUsOnly,
		distributeAcrossNUMA)
	before := n.Shared()
	err := n.Allocate(&Pod{UID: "a", Containers: []Container{{CPUs: 30}}}, 0, 0)
	if !errors.Is(err, ErrHangs) || n.Shared() != before {
		t.Errorf("30 CPUs: %v (want %v)", err, ErrHangs)
	}
	n.ask("b", 32, 0, "1-4,6-9,11-14,16-19,21-24,26-29,31-34,36-39")
}

// Half of an empty machine of 8 NUMA nodes, node 0 being reserved from: nodes 1, 2,
// 3 and 4 leave the best balance and come first, but upstream remembers them in a
// slice that the search still writes to, and takes 1, 2, 3 and 7.
func TestRememberedChoice(t *testing.T) {
	n := static(t, parse(t, "2 sockets x 4 numa x 4 cores x 1 thread", ""), "1", distributeAcrossNUMA)
	n.ask("a", 16, 0, "4-15,28-31")
}

// Sockets of 6, 3 and 3 CPUs are 4 on average: with 4 free CPUs the first counts as
// free, and all its 6 go out, the reserved ones among them.
func TestUnevenSockets(t *testing.T) {
	var m topo.Machine
	for socket, size := range []int{6, 3, 3} {
		m.Nodes = append(m.Nodes, topo.Node{ID: socket})
		for range size {
			id := len(m.CPUs)
			m.CPUs = append(m.CPUs, topo.CPU{ID: id, Core: id, Socket: socket, Node: socket, Cache: socket})
		}
	}
	n := static(t, m, "CPUs 0-1,6,9")
	n.ask("a", 6, 0, "0-5")
	if n.Shared() != cpus(t, "6-11") {
		t.Errorf("shared %v (want 6-11)", n.Shared())
	}
}

// One CPU offline makes 7 threads on 4 cores, 1 per core on average: the core
// without a sibling is the one that counts as whole, and full-pcpus-only takes odd
// requests.
func TestOfflineCPU(t *testing.T) {
	n := static(t, parse(t, "1 socket x 1 numa x 4 cores x 2 threads", "7"), "1", fullPCPUsOnly)
	if n.Reserved() != cpus(t, "3") {
		t.Errorf("reserved %v (want 3)", n.Reserved())
	}
	n.ask("a", 1, 0, "0")
}

func TestExclusive(t *testing.T) {
	for _, c := range []struct {
		guaranteed bool
		request    unit.CPU
		want       int
	}{{true, 2000, 2}, {true, 1500, 0}, {true, 0, 0}, {false, 2000, 0}} {
		if got := Exclusive(c.guaranteed, c.request); got != c.want {
			t.Errorf("Exclusive(%v, %d) = %d (want %d)", c.guaranteed, c.request, got, c.want)
		}
	}
}

func TestNone(t *testing.T) {
	m := parse(t, "1 socket x 1 numa x 2 cores x 1 thread", "")
	n, err := New(&m, Config{})
	if err != nil {
		t.Fatal(err)
	}
	p := Pod{UID: "a", Containers: []Container{{CPUs: 1}}}
	if h := n.Hints(&p, 0); h.Kind != NoOpinion {
		t.Errorf("hints %+v (want no opinion)", h)
	}
	if err := errors.Join(n.Allocate(&p, 0, 1), n.AllocatePod(&p, 1)); err != nil || n.PodHints(&p).Kind != NoOpinion {
		t.Error(err)
	}
	if _, own := p.Container(0); own || !n.Shared().IsEmpty() {
		t.Error("the policy none pins nothing")
	}
	n.Remove(&p)
}
