package topo_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

func parse(t testing.TB, text string) topo.Machine {
	t.Helper()
	m, err := topo.Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return m
}

func TestParseShape(t *testing.T) {
	for text, want := range map[string]topo.Shape{
		"2 sockets x 2 numa x 14 cores x 2 threads":              {Sockets: 2, Nodes: 2, Caches: 1, Cores: 14, Threads: 2},
		"1 socket x 1 numa node x 1 cache x 1 core x 1 thread":   {Sockets: 1, Nodes: 1, Caches: 1, Cores: 1, Threads: 1},
		"2 Sockets X 4 NUMA Nodes × 2 caches*8 cores * 2threads": {Sockets: 2, Nodes: 4, Caches: 2, Cores: 8, Threads: 2},
		"4 cores":                                {Sockets: 1, Nodes: 1, Caches: 1, Cores: 4, Threads: 1},
		"2 sockets x 2 threads":                  {Sockets: 2, Nodes: 1, Caches: 1, Cores: 1, Threads: 2},
		"  2   numa   x 3 cores ":                {Sockets: 1, Nodes: 2, Caches: 1, Cores: 3, Threads: 1},
		"8 cores x 2 threads, siblings adjacent": {Sockets: 1, Nodes: 1, Caches: 1, Cores: 8, Threads: 2, Adjacent: true},
		"2 sockets x 8 cores, sockets alternate,siblings  adjacent": {Sockets: 2, Nodes: 1, Caches: 1, Cores: 8, Threads: 1,
			Adjacent: true, Alternate: true},
	} {
		got, err := topo.ParseShape(text)
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// Each message says what is wrong and, in brackets, what would be right.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                     `the topology is empty (write it like "2 sockets x 2 numa x 14 cores x 2 threads")`,
		" , siblings adjacent": `the topology is empty (write it like "2 sockets x 2 numa x 14 cores x 2 threads")`,
		"two sockets": `"two sockets" does not begin with a number (write it like "2 sockets x 2 ` +
			`numa x 14 cores x 2 threads")`,
		"-2 sockets": `"-2 sockets" does not begin with a number (write it like "2 sockets x 2 ` +
			`numa x 14 cores x 2 threads")`,
		"2 sockets x": `"sockets x" is not a part of a machine (the parts are sockets, numa, caches, cores, threads)`,
		"2 sockets x x 2 cores": `"x 2 cores" does not begin with a number (write it like "2 sockets x 2 ` +
			`numa x 14 cores x 2 threads")`,
		"2 x 14":   `2 does not say of what (write it like "2 sockets x 2 numa x 14 cores x 2 threads")`,
		"2 sockts": `"sockts" is not a part of a machine (the parts are sockets, numa, caches, cores, threads)`,
		"2 sockets 14 cores": `"sockets 14 cores" is not one part of a machine (put x between the parts, ` +
			`with blanks: "2 sockets x 2 numa x 14 cores x 2 threads")`,
		"2 sockets x14 cores": `"sockets x14 cores" is not one part of a machine (put x between the parts, ` +
			`with blanks: "2 sockets x 2 numa x 14 cores x 2 threads")`,
		"0 sockets":                     `0 sockets are too few (at least 1)`,
		"2 sockets x 4 cores x 4 cores": `cores stands twice (write one number of cores)`,
		"14 cores x 2 sockets": `sockets stands behind cores (the order is sockets, ` +
			`numa, caches, cores, threads)`,
		"1025 cores":                              `1025 cores are too many (at most 1024)`,
		"99999999999999999999999 cores":           `99999999999999999999999 cores are too many (at most 1024)`,
		"512 cores x 4 threads":                   `2048 CPUs are too many (at most 1024)`,
		"1024 caches x 1024 cores x 1024 threads": `1073741824 CPUs are too many (at most 1024)`,
		"65 sockets":                              `65 NUMA nodes are too many (at most 64)`,
		"8 sockets x 16 numa":                     `128 NUMA nodes are too many (at most 64)`,
		"2 sockets, 14 cores": `"14 cores" is not known behind a comma (known are "siblings adjacent" and "sockets ` +
			`alternate"; between the parts stands x)`,
		"2 sockets,": `"" is not known behind a comma (known are "siblings adjacent" and "sockets alternate"; ` +
			`between the parts stands x)`,
		strings.Repeat("€", 50): `"` + strings.Repeat("€", 40) +
			`..." does not begin with a number (write it like "2 sockets x 2 numa x 14 cores x 2 threads")`,
	} {
		if _, err := topo.Parse(text); err == nil || err.Error() != want {
			t.Errorf("%s\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// where lists the CPUs of a NUMA node, a core or a cache as the kernel does.
func where(m topo.Machine, is func(topo.CPU) bool) string {
	var s unit.CPUSet
	for _, c := range m.CPUs {
		if is(c) {
			s.Add(c.ID)
		}
	}
	return s.String()
}

func onNode(id int) func(topo.CPU) bool  { return func(c topo.CPU) bool { return c.Node == id } }
func onCore(id int) func(topo.CPU) bool  { return func(c topo.CPU) bool { return c.Core == id } }
func onCache(id int) func(topo.CPU) bool { return func(c topo.CPU) bool { return c.Cache == id } }

// The numbers that Linux gives on servers of these kinds, as lscpu shows them.
func TestNumbers(t *testing.T) {
	// A dual Xeon with 14 cores and hyper-threading in "cluster on die" mode.
	m := parse(t, "2 sockets x 2 numa x 7 cores x 2 threads")
	for i, want := range []string{"0-6,28-34", "7-13,35-41", "14-20,42-48", "21-27,49-55"} {
		if got := where(m, onNode(i)); got != want {
			t.Errorf("NUMA node %d: got %s, want %s", i, got, want)
		}
	}
	if got := where(m, onCore(8)); got != "8,36" {
		t.Errorf("core 8: %s", got)
	}
	// A server whose firmware deals the numbers out to the sockets in turn.
	m = parse(t, "2 sockets x 4 cores x 2 threads, sockets alternate")
	if got := where(m, onNode(1)); got != "1,3,5,7,9,11,13,15" {
		t.Errorf("alternate: %s", got)
	}
	if got := where(m, onCore(3)); got != "3,11" {
		t.Errorf("core 3: %s", got)
	}
	// A virtual machine of QEMU with threads=2.
	m = parse(t, "2 sockets x 2 cores x 2 threads, siblings adjacent")
	if got := where(m, onCore(2)) + " " + where(m, onNode(1)); got != "2-3 4-7" {
		t.Errorf("adjacent: %s", got)
	}
	m = parse(t, "2 sockets x 2 cores x 2 threads, siblings adjacent, sockets alternate")
	if got := where(m, onCore(2)) + " " + where(m, onNode(1)); got != "2-3 2-3,6-7" {
		t.Errorf("both: %s", got)
	}
	// An EPYC with NPS2 and four cores on each cache.
	m = parse(t, "2 sockets x 2 numa x 3 caches x 4 cores x 2 threads")
	if got := where(m, onCache(4)); got != "16-19,64-67" {
		t.Errorf("cache 4: %s", got)
	}
}

// A cache as large as the NUMA node is no uncore cache to the kubelet: it then
// takes the socket's id (sysinfo.go of cAdvisor, topology.go of the CPU manager).
func TestCacheOfANode(t *testing.T) {
	with, without := parse(t, "2 sockets x 2 numa x 1 cache x 4 cores"), parse(t, "2 sockets x 2 numa x 4 cores")
	if diff := cmp.Diff(without, with); diff != "" {
		t.Error(diff)
	}
	if got := where(with, onCache(1)); got != "8-15" {
		t.Errorf("cache 1: %s", got)
	}
}

func TestDistances(t *testing.T) {
	want := []topo.Node{{ID: 0, Distances: []int{10, 20, 20}}, {ID: 1, Distances: []int{20, 10, 20}},
		{ID: 2, Distances: []int{20, 20, 10}}}
	if diff := cmp.Diff(want, parse(t, "3 sockets x 2 cores").Nodes); diff != "" {
		t.Error(diff)
	}
}

func shapes() *rapid.Generator[topo.Shape] {
	return rapid.Custom(func(t *rapid.T) topo.Shape {
		few := rapid.IntRange(1, 4)
		return topo.Shape{
			Sockets: few.Draw(t, "sockets"), Nodes: few.Draw(t, "nodes"), Caches: few.Draw(t, "caches"),
			Cores:   few.Draw(t, "cores"),
			Threads: few.Draw(t, "threads"), Adjacent: rapid.Bool().Draw(t, "adjacent"),
			Alternate: rapid.Bool().Draw(t, "alternate"),
		}
	})
}

// naive numbers the CPUs by walking through them in the order of their numbers.
func naive(s topo.Shape) []topo.CPU {
	type place struct{ socket, node, cache, core, thread int }
	var places []place
	each := func(n int, f func(i int)) {
		for i := range n {
			f(i)
		}
	}
	inSocket := func(socket int, f func(p place)) {
		each(s.Nodes, func(node int) {
			each(s.Caches, func(cache int) {
				each(s.Cores, func(core int) { f(place{socket: socket, node: node, cache: cache, core: core}) })
			})
		})
	}
	var cores []place
	each(s.Sockets, func(socket int) { inSocket(socket, func(p place) { cores = append(cores, p) }) })
	if s.Alternate {
		bySocket := make([][]place, s.Sockets)
		for _, p := range cores {
			bySocket[p.socket] = append(bySocket[p.socket], p)
		}
		cores = nil
		for len(bySocket[0]) > 0 {
			for i := range bySocket {
				cores, bySocket[i] = append(cores, bySocket[i][0]), bySocket[i][1:]
			}
		}
	}
	if s.Adjacent {
		for _, p := range cores {
			each(s.Threads, func(thread int) { p.thread = thread; places = append(places, p) })
		}
	} else {
		each(s.Threads, func(thread int) {
			for _, p := range cores {
				p.thread = thread
				places = append(places, p)
			}
		})
	}
	first := map[place]int{}
	var out []topo.CPU
	for id, p := range places {
		p.thread = 0
		if _, seen := first[p]; !seen {
			first[p] = id
		}
		node := p.socket*s.Nodes + p.node
		c := topo.CPU{ID: id, Core: first[p], Socket: p.socket, Node: node, Cache: p.socket}
		if s.Caches > 1 {
			c.Cache = node*s.Caches + p.cache
		}
		out = append(out, c)
	}
	return out
}

// Every regular machine is what the naive walk makes of its line, gives the line
// back, and adds up.
func TestRegularMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shapes().Draw(t, "shape")
		m, err := topo.Parse(s.String())
		if err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		if diff := cmp.Diff(naive(s), m.CPUs); diff != "" {
			t.Fatalf("%s (-naive +ours):\n%s", s, diff)
		}
		again, err := topo.Parse(m.String())
		if err != nil || cmp.Diff(m, again) != "" {
			t.Fatalf("%s came back as %s: %v", s, m, err)
		}
		if problems := m.Check(); len(problems) > 0 {
			t.Fatalf("%s: %v", s, problems)
		}
	})
}

func TestStringOfAMachine(t *testing.T) {
	for _, line := range []string{
		"1 socket x 4 cores", "2 sockets x 2 numa x 14 cores x 2 threads",
		"1 socket x 4 numa x 2 caches x 8 cores x 2 threads",
		"2 sockets x 8 cores x 2 threads, siblings adjacent", "2 sockets x 8 cores, sockets alternate",
		"1 socket x 1 core x 8 threads",
	} {
		if got := parse(t, line).String(); got != line {
			t.Errorf("got %s, want %s", got, line)
		}
	}
	m := parse(t, "2 sockets x 4 cores x 2 threads")
	m.CPUs = m.CPUs[:15]
	if got, want := m.String(), "15 CPUs on 8 cores, 2 sockets, 2 NUMA nodes"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// EPYC numbers its caches with gaps; their order is what counts.
	m = parse(t, "2 caches x 2 cores")
	for i := range m.CPUs {
		m.CPUs[i].Cache *= 8
	}
	if got := m.String(); got != "1 socket x 2 caches x 2 cores" {
		t.Errorf("caches with gaps: %s", got)
	}
	// POWER numbers its NUMA nodes with gaps.
	m = parse(t, "2 sockets x 2 cores")
	m.Nodes[1].ID = 8
	for i := range m.CPUs {
		m.CPUs[i].Node *= 8
	}
	if got := m.String(); got != "4 CPUs on 4 cores, 2 sockets, 2 NUMA nodes" {
		t.Errorf("nodes with gaps: %s", got)
	}
	if got := (topo.Machine{}).String(); got != "0 CPUs on 0 cores, 0 sockets, 0 NUMA nodes" {
		t.Errorf("nothing: %s", got)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"2 sockets x 2 numa x 14 cores x 2 threads",
		"1 socket×2 caches * 4 cores, siblings adjacent", "x x x", "9 numa,,"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := topo.Parse(text)
		if err != nil {
			return
		}
		if n := len(m.CPUs); n == 0 || n > unit.MaxCPUs || len(m.Nodes) > topo.MaxNodes {
			t.Errorf("%q: %d CPUs, %d nodes", text, n, len(m.Nodes))
		}
		if problems := m.Check(); len(problems) > 0 {
			t.Errorf("%q: %v", text, problems)
		}
		if again, err := topo.Parse(m.String()); err != nil || cmp.Diff(m, again) != "" {
			t.Errorf("%q came back as %s: %v", text, m, err)
		}
	})
}
