package sysfs_test

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/source/sysfs"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

func read(t testing.TB, name string) sysfs.Reading {
	t.Helper()
	r, err := sysfs.Read(os.DirFS("testdata"), name)
	if err != nil {
		t.Fatalf("%s:\n%v", name, err)
	}
	return r
}

// epyc is a server with two sockets of 16 cores, two NUMA nodes on each (NPS2)
// and four cores on each cache. Its caches are numbered 0 to 3 and 16 to 19.
func epyc(t testing.TB) topo.Machine {
	t.Helper()
	m, err := topo.Parse("2 sockets x 2 numa x 2 caches x 4 cores x 2 threads")
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.CPUs {
		if m.CPUs[i].Socket == 1 {
			m.CPUs[i].Cache += 12
		}
	}
	return m
}

// The tree of a machine, and what lstopo 2.9 (in both of its formats) and lscpu
// 2.38 made of that tree, read the same.
func TestSameMachineFromEverySource(t *testing.T) {
	whole := epyc(t)
	for i := range whole.Nodes {
		whole.Nodes[i].Memory = unit.Bytes(65843200-4096*i) * unit.KiB
	}
	whole.Nodes[0].Distances, whole.Nodes[1].Distances = []int{10, 12, 32, 32}, []int{12, 10, 32, 32}
	whole.Nodes[2].Distances, whole.Nodes[3].Distances = []int{32, 32, 10, 12}, []int{32, 32, 12, 10}
	whole.Nodes[0].HugePages = map[string]unit.Bytes{"2Mi": unit.GiB}
	whole.Nodes[1].HugePages = map[string]unit.Bytes{"1Gi": 8 * unit.GiB}
	whole.Nodes[2].HugePages = map[string]unit.Bytes{"1Gi": 8 * unit.GiB}
	// lscpu tells CPUs only; its summary counts the caches without their numbers.
	summary, err := topo.Parse("2 sockets x 2 numa x 2 caches x 4 cores x 2 threads")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]topo.Machine{
		"epyc.tar.gz": whole, "epyc.xml": whole, "epyc-v1.xml": whole, "epyc-e.json": epyc(t), "epyc-p.txt": epyc(t),
		"epyc-flat.json": summary, "epyc-nested.json": summary,
	} {
		r := read(t, name)
		if diff := cmp.Diff(want, r.Machine); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if got := r.Machine.String(); got != "2 sockets x 2 numa x 2 caches x 4 cores x 2 threads" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A directory: a virtual machine with two CPUs, saved from one.
func TestDirectory(t *testing.T) {
	want := topo.Machine{
		CPUs:  []topo.CPU{{ID: 0, Core: 0}, {ID: 1, Core: 1}},
		Nodes: []topo.Node{{Memory: 23161036 * unit.KiB, Distances: []int{10}}},
	}
	for _, name := range []string{"small", "small/sys"} {
		r := read(t, name)
		if diff := cmp.Diff(want, r.Machine); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNotes(t *testing.T) {
	for name, want := range map[string][]string{
		"epyc.xml": nil, "epyc.tar.gz": nil,
		"epyc-e.json": {"lscpu does not tell memory, huge pages and distances: 10 and 20 are taken for the distances"},
		"epyc-flat.json": {"lscpu does not tell memory, huge pages and distances: 10 and 20 are taken for the distances",
			"the summary of lscpu does not say which CPUs are siblings: 0 and 32 are taken for those of the first core"},
	} {
		if got := read(t, name).Notes; !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
