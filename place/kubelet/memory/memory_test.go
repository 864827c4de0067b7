package memory_test

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/place/kubelet/hint"
	"plimsoll.dev/place/kubelet/memory"
	"plimsoll.dev/podres"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

const gib = int64(unit.GiB)

// idle is a machine with so much memory per node, 1 GiB of each reserved, and so
// many GiB in pages of 2 MiB on each.
func idle(nodes int, perNode, pages unit.Bytes) *memory.Manager {
	var m topo.Machine
	var reserved []map[string]int64
	for i := range nodes {
		n := topo.Node{ID: i, Memory: perNode}
		if pages > 0 {
			n.HugePages = map[string]unit.Bytes{"2Mi": pages}
		}
		m.Nodes = append(m.Nodes, n)
		reserved = append(reserved, map[string]int64{"memory": gib})
	}
	return memory.New(&m, reserved)
}

// asking is a pod of app containers with so many GiB each.
func asking(m *memory.Manager, gibs ...int64) memory.Pod {
	var containers []memory.Container
	for _, g := range gibs {
		containers = append(containers,
			memory.Container{Requests: m.Requests(&podres.Container{Requests: map[string]int64{"memory": g * gib}})})
	}
	return memory.NewPod(containers)
}

// sets writes the hints as "0b01! 0b11", preferred ones with a mark.
func sets(m *memory.Manager, p *memory.Pod, requests []memory.Request) string {
	var out []string
	m.Each(p, requests, func(nodes hint.Mask, preferred bool) {
		text := string(rune('0'+nodes&1)) + string(rune('0'+nodes>>1&1))
		if preferred {
			text += "!"
		}
		out = append(out, text)
	})
	return strings.Join(out, " ")
}

// Sets of nodes 0 and 1, by what is free, by what an idle machine could do, and by
// groups (notes on the memory manager; kubernetes.io, memory manager: single and
// cross NUMA allocation).
func TestHints(t *testing.T) {
	for _, c := range []struct {
		name  string
		taken []int64 // by pods on node 0, node 1 and both; 0 is none
		asks  int64
		want  string
	}{
		{"idle", []int64{0, 0, 0}, 10, "10! 01! 11"},
		{"more than one node has", []int64{0, 0, 0}, 70, "11!"},
		{"more than there is", []int64{0, 0, 0}, 200, ""},
		{"node 0 is used alone and joins no group", []int64{60, 0, 0}, 10, "01!"},
		{"both used alone", []int64{60, 60, 0}, 10, ""},
		{"both in a group serve the group only", []int64{0, 0, 70}, 10, "11"},
		{"a group that is full", []int64{0, 0, 120}, 10, ""},
	} {
		m := idle(2, 64*unit.GiB, 0)
		for i, nodes := range []hint.Mask{1, 2, 3} {
			if c.taken[i] > 0 {
				p := asking(m, c.taken[i])
				if err := m.Allocate(&p, 0, nodes, false); err != nil {
					t.Fatal(err)
				}
			}
		}
		p := asking(m, c.asks)
		if got := sets(m, &p, m.Requests(&podres.Container{Requests: map[string]int64{"memory": c.asks * gib}})); got !=
			c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Memory and huge pages must be had from the same nodes; a page size that the
// machine does not have is nowhere.
func TestHintsOfSeveralTypes(t *testing.T) {
	m := idle(2, 64*unit.GiB, 4*unit.GiB)
	var p memory.Pod
	if got := sets(m, &p, m.Requests(&podres.Container{
		Requests: map[string]int64{"memory": gib, "hugepages-2Mi": 6 * gib, "cpu": 1000},
	})); got != "11!" {
		t.Errorf("6 GiB of 4 GiB pages a node: got %q, want both", got)
	}
	if got := sets(m, &p,
		m.Requests(&podres.Container{Requests: map[string]int64{"memory": gib, "hugepages-1Gi": gib}})); got != "" {
		t.Errorf("pages of another size: got %q, want none", got)
	}
	if free := m.Allocatable("memory", 0); free != 59*gib {
		t.Errorf("memory beside huge pages and reserve: got %d, want 59 GiB", free)
	}
}

// blocks lists what a container holds, as "1x8" for 8 GiB from the set 1.
func blocks(p *memory.Pod, container int) (sizes []int64, nodes hint.Mask) {
	p.Blocks(container, func(b memory.Block) {
		sizes = append(sizes, b.Size/gib)
		nodes = b.Nodes
	})
	return sizes, nodes
}

func TestAllocate(t *testing.T) {
	for _, c := range []struct {
		name      string
		asks      int64
		affinity  hint.Mask
		preferred bool
		nodes     hint.Mask // 0 for an error
		fails     string
	}{
		{"no affinity: the lowest that has it", 10, 0, false, 1, ""},
		{"the affinity", 10, 2, true, 2, ""},
		{"an affinity that is too small is extended", 70, 2, false, 3, ""},
		{"but not when preferred and the extension is not", 50, 1, true, 0, "failed to find the extended preferred hint"},
		{"nowhere, no affinity", 200, 0, false, 0, "no NUMA nodes with enough memory"},
		{"nowhere, with affinity", 200, 1, false, 0, "failed to find NUMA nodes to extend"},
	} {
		m := idle(2, 64*unit.GiB, 0)
		if c.asks == 50 { // 60 GiB of the group of both, from node 0: it has too little left
			p := asking(m, 60)
			if err := m.Allocate(&p, 0, 3, false); err != nil {
				t.Fatal(err)
			}
		}
		p := asking(m, c.asks)
		err := m.Allocate(&p, 0, c.affinity, c.preferred)
		if _, nodes := blocks(&p, 0); nodes != c.nodes || (err == nil) != (c.fails == "") {
			t.Errorf("%s: got nodes %b, %v, want %b", c.name, nodes, err, c.nodes)
		}
		if err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.fails)
		}
	}
}

// Of nodes that serve equally the lowest is taken, be it idle or in use.
func TestLowestNode(t *testing.T) {
	m := idle(2, 64*unit.GiB, 0)
	for range 2 {
		p := asking(m, 10)
		if err := m.Allocate(&p, 0, 0, false); err != nil {
			t.Fatal(err)
		}
		if _, nodes := blocks(&p, 0); nodes != 1 {
			t.Errorf("got nodes %b, want 1", nodes)
		}
	}
}

// An init container's memory is used again on the same nodes; what is left of
// it is free when the app containers run. A sidecar keeps its own.
func TestInitContainers(t *testing.T) {
	m := idle(1, 64*unit.GiB, 0)
	ask := func(g int64) []memory.Request {
		return m.Requests(&podres.Container{Requests: map[string]int64{"memory": g * gib}})
	}
	p := memory.NewPod([]memory.Container{
		{Sort: podres.Init, Requests: ask(30)}, {Sort: podres.Sidecar, Requests: ask(10)},
		{Sort: podres.Init, Requests: ask(25)}, {Requests: ask(40)},
	})
	for i := range 4 {
		if err := m.Allocate(&p, i, 1, true); err != nil {
			t.Fatal(err)
		}
	}
	// 30, of which the sidecar takes 10 over, 20 are left; 25 more need 5; 40 need 15.
	for i, want := range []int64{0, 10, 0, 40} {
		if got, _ := blocks(&p, i); !slices.Equal(got, []int64{want}) {
			t.Errorf("container %d: got %v, want %d", i, got, want)
		}
	}
	if free := m.Free("memory", 0); free != 13*gib {
		t.Errorf("free: got %d GiB, want 13", free/gib)
	}
	m.Start(&p)
	if got, _ := blocks(&p, 0); got != nil {
		t.Errorf("the init container has %v after its end", got)
	}
	m.Remove(&p)
	if free := m.Free("memory", 0); free != 63*gib {
		t.Errorf("free at the end: got %d GiB, want 63", free/gib)
	}
}

// A pod with resources as a whole gets them at once; containers without their own
// share what is left.
func TestPodAsAWhole(t *testing.T) {
	m := idle(1, 64*unit.GiB, 0)
	ask := func(g int64) []memory.Request {
		return m.Requests(&podres.Container{Requests: map[string]int64{"memory": g * gib}})
	}
	containers := []memory.Container{{Sort: podres.Init}, {Sort: podres.Sidecar, Requests: ask(2)}, {Requests: ask(5)}, {}}
	p := memory.NewPod(containers)
	if err := m.AllocatePod(&p, ask(10), 0, false); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{10, 2, 5, 3} {
		if got, _ := blocks(&p, i); !slices.Equal(got, []int64{want}) {
			t.Errorf("container %d: got %v, want %d", i, got, want)
		}
	}
	m.Start(&p)
	if free := m.Free("memory", 0); free != 53*gib {
		t.Errorf("free: got %d GiB, want 53", free/gib)
	}
	m.Remove(&p)
	p = memory.NewPod(containers)
	if err := m.AllocatePod(&p, ask(7), 0, false); err == nil ||
		!strings.Contains(err.Error(), "leaving no memory for shared containers") {
		t.Errorf("nothing to share: got %v", err)
	}
}

// TestConservation gives and takes at random from sets that were offered: nothing
// is lost, no node gives more than it has, and idle nodes stand alone. (From a
// single node of a group, to which a merge may lead, the kubelet gives, too, and
// then its books no longer add up.)
func TestConservation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 3
		m := idle(nodes, 16*unit.GiB, 0)
		var running []memory.Pod
		held := int64(0)
		for range rapid.IntRange(1, 60).Draw(t, "events") {
			if len(running) > 0 && rapid.Bool().Draw(t, "remove") {
				at := rapid.IntRange(0, len(running)-1).Draw(t, "which")
				running[at].Blocks(0, func(b memory.Block) { held -= b.Size })
				m.Remove(&running[at])
				running = slices.Delete(running, at, at+1)
				continue
			}
			amount := rapid.Int64Range(1, 30).Draw(t, "GiB")
			p := asking(m, amount)
			offered := []hint.Mask{0}
			m.Each(&p, m.Requests(&podres.Container{Requests: map[string]int64{"memory": amount * gib}}),
				func(nodes hint.Mask, _ bool) { offered = append(offered, nodes) })
			if m.Allocate(&p, 0, rapid.SampledFrom(offered).Draw(t, "affinity"), rapid.Bool().Draw(t, "preferred")) == nil {
				p.Blocks(0, func(b memory.Block) { held += b.Size })
				running = append(running, p)
			}
			free := int64(0)
			for i := range nodes {
				if f := m.Free("memory", i); f < 0 || f > 15*gib {
					t.Fatalf("node %d has %d free", i, f)
				}
				free += m.Free("memory", i)
				if group, used := m.Group(i); !used && bits.OnesCount64(group) != 1 {
					t.Fatalf("node %d is idle and in the group %b", i, group)
				}
			}
			if free+held != nodes*15*gib {
				t.Fatalf("%d free and %d held are not %d", free, held, nodes*15*gib)
			}
		}
	})
}

// open reports whether memory may be given out from a set, by the rule as it is told:
// a node that is in use serves with its own group only.
func open(m *memory.Manager, nodes hint.Mask) bool {
	for rest := nodes; rest != 0; rest &= rest - 1 {
		if group, used := m.Group(bits.TrailingZeros64(rest)); used && group != nodes {
			return false
		}
	}
	return true
}

// TestEachIsEverySet compares the hints with a walk over all sets of nodes, while
// pods come and go, also from sets that were not offered.
func TestEachIsEverySet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const nodes = 4
		m := idle(nodes, 16*unit.GiB, 0)
		var running []memory.Pod
		for range rapid.IntRange(1, 40).Draw(t, "events") {
			if len(running) > 0 && rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
				at := rapid.IntRange(0, len(running)-1).Draw(t, "which")
				m.Remove(&running[at])
				running = slices.Delete(running, at, at+1)
			}
			amount := rapid.Int64Range(1, 40).Draw(t, "GiB")
			var want, got []hint.Mask
			for set := hint.Mask(1); set < 1<<nodes; set++ {
				free := int64(0)
				for i := range nodes {
					free += int64(set>>i&1) * m.Free("memory", i)
				}
				if open(m, set) && free >= amount*gib {
					want = append(want, set)
				}
			}
			p := asking(m, amount)
			m.Each(&p, m.Requests(&podres.Container{Requests: map[string]int64{"memory": amount * gib}}), func(set hint.Mask,
				preferred bool) {
				if least := int(amount+14) / 15; preferred != (bits.OnesCount64(set) == least) {
					t.Fatalf("%d GiB from %b: preferred %v", amount, set, preferred)
				}
				got = append(got, set)
			})
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Fatalf("%d GiB: the sets %b, want %b", amount, got, want)
			}
			if m.Allocate(&p, 0, rapid.Uint64Range(0, 1<<nodes-1).Draw(t, "affinity"), false) == nil {
				running = append(running, p)
			}
		}
	})
}
