package cpu

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"plimsoll.dev/topo"
)

// nodeForBenchmarks is a machine under a stream of pods: each is given hints,
// placed on the first preferred mask and, when the machine is full, replaces old ones.
type nodeForBenchmarks struct {
	b    *testing.B
	m    *Manager
	r    *rand.Rand
	pods []Pod // a ring, oldest at next
	next int
	twin *twin
}

func newNode(b *testing.B, machine string, chosen map[string]string) *nodeForBenchmarks {
	m, err := topo.Parse(machine)
	if err != nil {
		b.Fatal(err)
	}
	mgr, err := New(&m, Config{Policy: Static, Options: chosen, Gates: map[string]bool{gateAlpha: true}, Reserved: 4000})
	if err != nil {
		b.Fatal(err)
	}
	n := &nodeForBenchmarks{b: b, m: mgr, r: rand.New(rand.NewPCG(1, 2))}
	if n.twin, err = newTwin(m, options{}, 4); err != nil {
		b.Fatal(err)
	}
	for i := range len(m.CPUs) / 12 {
		n.pods = append(n.pods, Pod{UID: string(rune('!' + i)), Containers: make([]Container, 1)})
	}
	return n
}

// admit takes one pod in and reports whether it got CPUs.
func (n *nodeForBenchmarks) admit() bool {
	p := &n.pods[n.next]
	n.next = (n.next + 1) % len(n.pods)
	n.m.Remove(p)
	p.Reset(p.UID, p.Containers)
	p.Containers[0].CPUs = 2 * (1 + n.r.IntN(8))
	h := n.m.Hints(p, 0)
	return n.m.Allocate(p, 0, firstPreferred(&h)) == nil
}

// admitTwin is admit for the twin.
func (n *nodeForBenchmarks) admitTwin() {
	p := &n.pods[n.next]
	n.next = (n.next + 1) % len(n.pods)
	n.twin.remove(p.UID)
	p.Containers[0].CPUs = 2 * (1 + n.r.IntN(8))
	mask := uint64(0)
	hints, _ := n.twin.containerHints(p, 0)
	if i := slices.IndexFunc(hints, func(h Hint) bool { return h.Preferred }); i >= 0 {
		mask = hints[i].Nodes
	}
	_ = n.twin.allocate(p, 0, mask)
}

// firstPreferred is the first preferred mask of the list, or none.
func firstPreferred(h *Hints) uint64 {
	for x := range h.All() {
		if x.Preferred {
			return x.Nodes
		}
		if bits.OnesCount64(x.Nodes) > h.Least {
			break
		}
	}
	return 0
}

var machines = []struct{ name, shape string }{
	{"32cpu2numa", "2 sockets x 1 numa x 8 cores x 2 threads"},
	{"128cpu2numa", "2 sockets x 1 numa x 32 cores x 2 threads"},
	{"128cpu4numa", "2 sockets x 2 numa x 16 cores x 2 threads"},
	{"256cpu8numa", "2 sockets x 4 numa x 4 caches x 4 cores x 2 threads"},
}

var optionSets = []struct {
	name    string
	options map[string]string
}{
	{"plain", nil},
	{"full-pcpus", map[string]string{fullPCPUsOnly: "true", strictReservation: "true"}},
	{"caches", map[string]string{preferAlignByCache: "true"}},
	{"across-numa", map[string]string{distributeAcrossNUMA: "true", fullPCPUsOnly: "true"}},
	{"across-cores", map[string]string{distributeAcrossCores: "true"}},
}

// BenchmarkAllocate counts one admission an operation: removing an old pod, hints,
// allocation. "refused" is the share that found no CPUs. The peer is the twin of
// the tests, which does the same with maps and sorting, as the kubelet does.
func BenchmarkAllocate(b *testing.B) {
	for _, m := range machines {
		peer := 0.0
		b.Run(m.name+"/peer", func(b *testing.B) {
			n := newNode(b, m.shape, nil)
			for b.Loop() {
				n.admitTwin()
			}
			peer = float64(b.Elapsed()) / float64(b.N)
		})
		for _, o := range optionSets {
			b.Run(m.name+"/"+o.name, func(b *testing.B) {
				n := newNode(b, m.shape, o.options)
				for range 4 * len(n.pods) {
					n.admit()
				}
				b.ReportAllocs()
				refused := 0
				for b.Loop() {
					if !n.admit() {
						refused++
					}
				}
				b.ReportMetric(float64(refused)/float64(b.N), "refused/op")
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "admissions/s")
				b.ReportMetric(peer*float64(b.N)/float64(b.Elapsed()), "times-peer")
			})
		}
	}
}

// BenchmarkHints lists all hints of a machine: up to 255 masks on 8 NUMA nodes.
func BenchmarkHints(b *testing.B) {
	for _, m := range machines {
		b.Run(m.name, func(b *testing.B) {
			n := newNode(b, m.shape, nil)
			p := Pod{UID: "a", Containers: []Container{{CPUs: 6}}}
			b.ReportAllocs()
			listed := 0
			for b.Loop() {
				h := n.m.Hints(&p, 0)
				for range h.All() {
					listed++
				}
			}
			b.ReportMetric(float64(listed)/float64(b.N), "hints/op")
		})
	}
}
