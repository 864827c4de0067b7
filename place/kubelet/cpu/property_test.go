package cpu

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// drawMachine makes machines of every kind: even ones, ones with uneven NUMA nodes,
// several sockets in a node or nodes in a socket, unknown caches, CPUs offline,
// nodes without CPUs, and now and then parts that do not nest.
func drawMachine(t *rapid.T, even bool) topo.Machine {
	draw := func(name string, from, to int) int { return rapid.IntRange(from, to).Draw(t, name) }
	sockets, caches := draw("sockets", 1, 4), draw("caches", 1, 2)
	nodes := draw("nodes of a socket", 1, 6/max(2, sockets))
	together := 1 // sockets in a node
	if nodes == 1 {
		together = draw("sockets of a node", 1, 2)
	}
	cores, threads := draw("cores", 1, 4), draw("threads", 1, 3)
	if threads == 3 {
		threads = 4
	}
	mess := 0
	if !even {
		mess = draw("mess", 0, 3)
	}
	var list []topo.CPU
	for part := range sockets * nodes * caches {
		socket := part / caches / nodes
		c := topo.CPU{Socket: socket, Node: part / caches / together, Cache: part}
		if nodes > 1 {
			c.Node = part / caches
		}
		n := cores
		if mess == 1 {
			n = draw("uneven cores", 1, cores)
		}
		for range n {
			if mess == 3 && draw("crossed", 0, 3) == 0 {
				c.Socket, c.Cache = draw("socket", 0, sockets-1), draw("cache", 0, caches)
			}
			list = append(list, c)
		}
	}
	return numbered(t, list, threads, mess == 2)
}

// numbered gives the cores their threads, numbered in one of the usual ways.
func numbered(t *rapid.T, cores []topo.CPU, threads int, offline bool) topo.Machine {
	adjacent := rapid.Bool().Draw(t, "adjacent")
	m := topo.Machine{Nodes: []topo.Node{{ID: 0}}}
	lowest := map[int]int{}
	for id := range len(cores) * threads {
		at := id % len(cores)
		if adjacent {
			at = id / threads
		}
		if offline && id > 0 && rapid.IntRange(0, 4).Draw(t, "offline") == 0 {
			continue
		}
		c := cores[at]
		c.ID, c.Node = id, c.Node*2
		if _, seen := lowest[at]; !seen {
			lowest[at] = id
		}
		c.Core = lowest[at]
		m.CPUs = append(m.CPUs, c)
		for c.Node > m.Nodes[len(m.Nodes)-1].ID {
			m.Nodes = append(m.Nodes, topo.Node{ID: len(m.Nodes)})
		}
	}
	return m
}

func drawOptions(t *rapid.T) map[string]string {
	chosen := map[string]string{}
	for _, name := range []string{fullPCPUsOnly, distributeAcrossNUMA, alignBySocket, distributeAcrossCores,
		strictReservation, preferAlignByCache} {
		if rapid.Bool().Draw(t, name) {
			chosen[name] = "true"
		}
	}
	for _, pair := range exclusive {
		if chosen[pair[0]] != "" && chosen[pair[1]] != "" {
			delete(chosen, pair[1])
		}
	}
	return chosen
}

// both is a manager and its twin on the same machine.
type both struct {
	t    *rapid.T
	m    topo.Machine
	mgr  *Manager
	twin *twin
	pods []Pod
}

func start(t *rapid.T, even bool) *both {
	m := drawMachine(t, even)
	chosen := drawOptions(t)
	reserved := rapid.IntRange(1, min(3, len(m.CPUs))).Draw(t, "reserved")
	cfg := Config{Policy: Static, Options: chosen, Gates: map[string]bool{gateAlpha: true},
		Reserved: unit.CPU(reserved) * 1000}
	s := newShape(&m)
	if len(s.sockets.parts) > len(s.nodes.parts) {
		delete(chosen, alignBySocket)
	}
	opts, problems := parseOptions(cfg, s)
	if problems != nil {
		t.Fatal(problems)
	}
	mgr, err := New(&m, cfg)
	twin, want := newTwin(m, opts, reserved)
	if (err == nil) != (want == nil) || errors.Is(err, ErrHangs) != errors.Is(want, ErrHangs) {
		t.Fatalf("New: %v, twin %v", err, want)
	}
	if err != nil {
		t.Skip("a machine whose kubelet does not start")
	}
	return &both{t: t, m: m, mgr: mgr, twin: twin}
}

func (b *both) drawPod(uid string) Pod {
	p := Pod{UID: uid}
	perCore := b.mgr.s.perCore
	for range rapid.IntRange(1, 3).Draw(b.t, "containers") {
		c := Container{Kind: rapid.SampledFrom([]Kind{App, App, Init, Sidecar}).Draw(b.t, "kind")}
		c.CPUs = rapid.IntRange(0, max(1, len(b.m.CPUs)/2)).Draw(b.t, "cpus")
		if rapid.Bool().Draw(b.t, "whole cores") {
			c.CPUs = c.CPUs / perCore * perCore
		}
		p.Containers = append(p.Containers, c)
	}
	slices.SortStableFunc(p.Containers, func(a, b Container) int { return order(a) - order(b) })
	return p
}

// order puts app containers last.
func order(c Container) int {
	if c.Kind == App {
		return 1
	}
	return 0
}

func (b *both) drawMask(hints []Hint) uint64 {
	if n := len(hints); n > 0 && rapid.IntRange(0, 3).Draw(b.t, "use a hint") > 0 {
		return hints[rapid.IntRange(0, n-1).Draw(b.t, "hint")].Nodes
	}
	return rapid.Uint64Range(0, 1<<len(b.m.Nodes)-1).Draw(b.t, "mask")
}

func (b *both) hints(p *Pod, i int) []Hint {
	whole, anyone := b.twin.podHints(p)
	b.compareHints("pod", b.mgr.PodHints(p), whole, anyone)
	list, opinion := b.twin.containerHints(p, i)
	b.compareHints("container", b.mgr.Hints(p, i), list, opinion)
	return list
}

func (b *both) compareHints(of string, h Hints, want []Hint, opinion bool) {
	if got := slices.Collect(h.All()); opinion != (h.Kind != NoOpinion) || !slices.Equal(got, want) {
		b.t.Fatalf("hints of the %s: kind %d, %v, twin\n%v", of, h.Kind, got, want)
	}
}

// admit allocates the containers one by one until one is refused.
func (b *both) admit(p *Pod) {
	for i, c := range p.Containers {
		mask := b.drawMask(b.hints(p, i))
		before := b.mgr.Shared()
		got, want := b.mgr.Allocate(p, i, mask), b.twin.allocate(p, i, mask)
		if got != want {
			b.t.Fatalf("allocating %+v on %b: %v, twin %v", c, mask, got, want)
		}
		b.compare()
		if got != nil {
			if b.mgr.Shared() != before {
				b.t.Fatal("a refusal took CPUs")
			}
			return
		}
	}
	b.hints(p, 0) // of a pod that has its CPUs
}

func (b *both) compare() {
	if got, want := b.mgr.Shared(), b.twin.shared.bits(); got != want {
		b.t.Fatalf("shared %v, twin %v", got, want)
	}
	if got, want := b.mgr.Available(), b.twin.shared.minus(b.twin.reserved).bits(); got != want {
		b.t.Fatalf("available %v, twin %v", got, want)
	}
	for _, p := range b.pods {
		for i := range p.Containers {
			got, own := p.Container(i)
			want, has := b.twin.pods[p.UID][i]
			if own != has || got != want.bits() {
				b.t.Fatalf("container %d of %s has %v, twin %v", i, p.UID, got, want.list())
			}
		}
	}
}

// history admits and removes pods, and calls check after each.
func (b *both) history(check func()) {
	if got, want := b.mgr.Reserved(), b.twin.reserved.bits(); got != want {
		b.t.Fatalf("reserved %v, twin %v", got, want)
	}
	for step := range rapid.IntRange(1, 12).Draw(b.t, "steps") {
		if n := len(b.pods); n > 0 && rapid.IntRange(0, 2).Draw(b.t, "remove") == 0 {
			i := rapid.IntRange(0, n-1).Draw(b.t, "which")
			b.mgr.Remove(&b.pods[i])
			b.twin.remove(b.pods[i].UID)
			b.pods = slices.Delete(b.pods, i, i+1)
			b.compare()
			check()
			continue
		}
		uid := string(rune('a' + step%5)) // the name of a pod that is gone may come back
		if !slices.ContainsFunc(b.pods, func(p Pod) bool { return p.UID == uid }) {
			b.pods = append(b.pods, b.drawPod(uid))
			b.admit(&b.pods[len(b.pods)-1])
			check()
		}
	}
}

// The manager must do what the twin does, on machines of every kind.
func TestTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { start(t, false).history(func() {}) })
}

// On even machines a CPU is one container's or shared, reserved ones are never
// given away, and everyone has what it asked for.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := start(t, true)
		b.history(func() {
			owner := map[int]string{}
			for _, p := range b.pods {
				for i, c := range p.Containers {
					own, has := p.Container(i)
					if has && own.Len() != c.CPUs {
						t.Fatalf("%v are not %d CPUs", own, c.CPUs)
					}
					if !own.Intersect(b.mgr.Reserved().Union(b.mgr.Shared())).IsEmpty() {
						t.Fatalf("%v are reserved or shared", own)
					}
					for cpu := range own.All() {
						if owner[cpu] != "" && owner[cpu] != p.UID {
							t.Fatalf("CPU %d is given to %s and %s", cpu, owner[cpu], p.UID)
						}
						owner[cpu] = p.UID
					}
				}
			}
		})
		for _, p := range b.pods {
			b.mgr.Remove(&p)
		}
		want := b.mgr.s.all
		if b.mgr.opts.strict {
			want = want.Minus(b.mgr.Reserved())
		}
		if b.mgr.Shared() != want {
			t.Fatalf("%v remain of %v", b.mgr.Shared(), want)
		}
	})
}
