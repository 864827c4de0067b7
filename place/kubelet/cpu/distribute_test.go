package cpu

import (
	"testing"

	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// Many small NUMA nodes, on which requests are distributed: choices of 4 and more.
func TestTwinDistributes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes := rapid.IntRange(3, 8).Draw(t, "nodes")
		threads := rapid.IntRange(1, 2).Draw(t, "threads")
		var list []topo.CPU
		for n := range nodes {
			for range rapid.IntRange(1, 3).Draw(t, "cores") {
				c := topo.CPU{Socket: n / 4, Node: n, Cache: n}
				if rapid.IntRange(0, 9).Draw(t, "crossed") == 0 {
					c.Socket = 1 // then its NUMA node lies in two sockets, and may be chosen twice
				}
				list = append(list, c)
			}
		}
		m := numbered(t, list, threads, false)
		w := &twin{m: m, index: map[int]topo.CPU{}, o: options{acrossNodes: true, fullCores: rapid.Bool().Draw(t, "full")}}
		free := set{}
		for _, c := range m.CPUs {
			w.index[c.ID] = c
			if rapid.IntRange(0, 5).Draw(t, "used") > 0 {
				free[c.ID] = true
			}
		}
		n := rapid.IntRange(0, len(free)).Draw(t, "wanted")
		want, twinErr := w.take(free, n)
		work, bits := newWorker(newShape(&m), w.o), free.bits()
		work.outer.left = bits
		err := work.take(n)
		got := work.outer.got
		if err != twinErr || err == nil && got != want.bits() {
			t.Fatalf("%d of %v: %v, %v, twin %v, %v", n, free.list(), got, err, want.list(), twinErr)
		}
	})
}

// 4 NUMA nodes with 5, 5, 3 and 3 free CPUs have 16, but 6 pairs: 14 can't be
// distributed in pairs, and are packed.
func TestTooFewGroups(t *testing.T) {
	var list []topo.CPU
	for core := range 12 {
		list = append(list, topo.CPU{Socket: core / 3, Node: core / 3, Cache: core / 3})
	}
	m := topo.Machine{}
	for id := range 24 { // the threads of core 1 are 2 and 3
		c := list[id/2]
		c.ID, c.Core = id, id/2*2
		m.CPUs = append(m.CPUs, c)
	}
	for i := range 4 {
		m.Nodes = append(m.Nodes, topo.Node{ID: i})
	}
	work := newWorker(newShape(&m), options{acrossNodes: true, fullCores: true})
	free := unit.CPUSetOf(1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 16, 17, 19, 22, 23)
	work.outer.left = free
	err := work.take(14)
	got := work.outer.got
	// Whole cores from the fullest nodes first (2 and 3, then 0 and 1): 16-17, 22-23,
	// 2-5, 8-11 are 12. Then each node has one CPU left, so the first two nodes' go.
	if want := unit.CPUSetOf(1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 16, 17, 22, 23); err != nil || got != want {
		t.Errorf("%v, %v (want %v)", got, err, want)
	}
}

// What takes the kubelet minutes counts as hanging.
func TestPatience(t *testing.T) {
	m, err := topo.Parse("16 sockets x 1 numa x 2 cores x 1 thread")
	if err != nil {
		t.Fatal(err)
	}
	work := newWorker(newShape(&m), options{acrossNodes: true})
	work.plan.patience = 1_000_000 // 16 nodes have 12,870 choices of 8; each takes 32 CPUs 8 walks and more
	work.outer.left = work.s.all
	if err := work.take(16); err != ErrHangs {
		t.Errorf("%v (want %v)", err, ErrHangs)
	}
}

// A picked combination must change as a slice does to which the search goes on
// appending.
func TestPicked(t *testing.T) {
	for n := range 12 {
		for k := 1; k <= n; k++ {
			for at := range 100 {
				comparePicked(t, n, k, at)
			}
		}
	}
}

// comparePicked keeps the combination with the number "at".
func comparePicked(t *testing.T, n, k, at int) {
	positions, meaning := make([]int, n), make([]uint16, n)
	for i := range positions {
		positions[i], meaning[i] = i, uint16(i)
	}
	var kept []int
	count := 0
	subsets(positions, k, func(some []int) bool {
		if count == at {
			kept = some
		}
		count++
		return true
	})
	if kept == nil {
		return
	}
	var c combination
	var p picked
	p.reset(k)
	count = 0
	for from, more := c.first(n, k); more; from, more = c.next() {
		p.moved(&c, from)
		if count == at {
			p.keep(&c)
		}
		count++
	}
	for i, v := range p.of(nil, meaning) {
		if kept[i] != int(v) {
			t.Fatalf("number %d of %d out of %d ends as %v (want %v)", at, k, n, p.of(nil, meaning), kept)
		}
	}
}
