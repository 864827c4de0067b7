package schedulertest

import (
	"bytes"
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func recordings(t *testing.T, file string) map[string]Recorded {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "testdata", "oracle", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := map[string]Recorded{}
	for one, err := range Read(f) {
		if err != nil {
			t.Fatal(err)
		}
		out[one.Name] = one
	}
	return out
}

// onPaper are answers worked out from the documents and from the source's rules;
// what the oracle recorded must agree, or the oracle was asked the wrong question.
var onPaper = map[string]struct {
	placed   Runs
	messages []string
}{
	// All equal: pre-order of a heap of 11, (i, 2i+1, 2i+2).
	"ties: all nodes alike, any number of them": {placed: Runs{0, 1, 3, 7, 8, 4, 9, 10, 2, 5, 6}},
	// Zones b, a, none, c take turns: nodes 0 1 4 5 6 2 8 3 7; then pre-order of these.
	"order: zones take turns": {placed: Runs{0, 1, 5, 3, 7, 6, 4, 2, 8}},
	"taints: tolerated none": {placed: Runs{4, 4, 4, 4, -1},
		messages: []string{"0/5 nodes are available: 1 Insufficient cpu, 4 node(s) had untolerated taint(s)."}},
	"selector: an empty term": {placed: Runs{-1, -1},
		messages: []string{"0/5 nodes are available: 5 node(s) didn't match Pod's node affinity/selector."}},
	// :80 needs all addresses; [::] is an address like others; UDP, TCP and SCTP are apart.
	"ports: all addresses last": {placed: Runs{0, 0, -1, 0, 0, -1, 0, -1}},
	"names: no such node": {placed: Runs{0, -1},
		messages: []string{"0/3 nodes are available: 3 node(s) didn't satisfy plugin(s) [NodeAffinity]."}},
	"names: two that exclude each other": {placed: Runs{0, -1},
		messages: []string{"0/3 nodes are available: pod affinity terms conflict."}},
	"cycle: no nodes": {placed: Runs{-1, -1}, messages: []string{"no nodes available to schedule pods"}},
	"affinity: nobody to be near to": {placed: Runs{-1, -1},
		messages: []string{"0/6 nodes are available: 6 node(s) didn't match pod affinity rules."}},
	"spread: no node has the label": {placed: Runs{-1, -1},
		messages: []string{
			"0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints (missing required label).",
		}},
	"fit: too much of several things": {placed: Runs{-1},
		messages: []string{"0/3 nodes are available: 3 Insufficient cpu, 3 Insufficient example.com/gpu, " +
			"3 Insufficient hugepages-1Gi, 3 Insufficient memory."}},
	// The first feasible node wins, and the next search begins behind it.
	"sampling: without scores the first feasible node will do": {placed: Runs{0, 1, 2}},
}

func TestOracleAgreesWithPaper(t *testing.T) {
	all := recordings(t, "handmade.jsonl.gz")
	for name, want := range onPaper {
		got, ok := all[name]
		if !ok {
			t.Errorf("%s: not recorded", name)
			continue
		}
		if n := len(want.placed); len(got.Placed) < n || !slices.Equal(got.Placed[:n], want.placed) {
			t.Errorf("%s: recorded %v, on paper %v", name, got.Placed, want.placed)
		}
		for i, message := range want.messages {
			if i >= len(got.Diagnoses) || got.Diagnoses[i].Message != message {
				t.Errorf("%s: recorded %+v, on paper %q", name, got.Diagnoses, message)
			}
		}
	}
}

// What is recorded must be of the sessions that the code makes now.
func TestRecordingsAreCurrent(t *testing.T) {
	random, hand := recordings(t, "random.jsonl.gz"), recordings(t, "handmade.jsonl.gz")
	maps.Copy(random, recordings(t, "churn.jsonl.gz"))
	for _, s := range HandMade() {
		current(t, s, hand)
	}
	for _, m := range Clusters() {
		m.Seed = seedOf(t, m, random)
		current(t, m.Session(), random)
	}
	if len(hand) != len(HandMade()) || len(random) != len(Clusters()) {
		t.Errorf("%d and %d sessions are recorded, there are %d and %d", len(hand), len(random), len(HandMade()),
			len(Clusters()))
	}
}

// seedOf is the seed that the mix was recorded with, which "make oracle" may vary.
func seedOf(t *testing.T, m Mix, all map[string]Recorded) uint64 {
	t.Helper()
	for name := range all {
		if text, ok := strings.CutPrefix(name, m.Name+"-seed-"); ok {
			seed, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Error(err)
			}
			return seed
		}
	}
	return m.Seed
}

func current(t *testing.T, s Session, all map[string]Recorded) {
	t.Helper()
	r, ok := all[s.Name]
	if !ok {
		t.Errorf("%s: not recorded; record anew with make oracle", s.Name)
		return
	}
	if mustJSON(t, r.Session) != mustJSON(t, s) {
		t.Errorf("%s: recorded from another session; record anew with make oracle", s.Name)
	}
}

// OpenB: 1,523 nodes, 8,152 pods; with whole GPUs 1,008 pods fit nowhere.
func TestOpenB(t *testing.T) {
	all := recordings(t, "openb.jsonl.gz")
	for name, missing := range map[string]int{"openb, whole GPUs": 1008, "openb, whole GPUs, all nodes scored": 1003,
		"openb, shares of GPUs": 39} {
		r := all[name]
		n := 0
		for _, node := range r.Placed {
			if node < 0 {
				n++
			}
		}
		if len(r.Nodes) != 1523 || len(r.Arrivals) != 8152 || n != missing {
			t.Errorf("%s: %d nodes, %d pods, %d fit nowhere", name, len(r.Nodes), len(r.Arrivals), n)
		}
	}
}

// The trace's session is the one that the committed tables give.
func TestOpenBIsCurrent(t *testing.T) {
	s, err := OpenB(unpacked(t, "openb_node_list_all_node.csv.gz"), unpacked(t, "openb_pod_list_default.csv.gz"),
		WholeGPUs)
	if err != nil {
		t.Fatal(err)
	}
	s.Name = "openb, whole GPUs"
	current(t, s, recordings(t, "openb.jsonl.gz"))
}

func unpacked(t *testing.T, file string) io.Reader {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "openb", file))
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestOpenBTables(t *testing.T) {
	nodes := "sn,cpu_milli,memory_mib,gpu,model\nn0,32000,1024,0,\nn1,64000,2048,2,T4\n"
	pods := "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,1000,10,1,460\nb,500,20,0,0\nc,1000,10,1,460\n"
	s, err := OpenB(strings.NewReader(nodes), strings.NewReader(pods), GPUShares)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Nodes) != 2 || s.Nodes[1].Allocatable.Scalar[OpenBGPU] != 2000 || s.Nodes[0].Allocatable.Memory != 1<<30 ||
		!slices.Equal(s.Arrivals, Runs{0, 1, 0}) || s.Classes[0].Request.Scalar[OpenBGPU] != 460 ||
		s.Classes[1].Request.Scalar != nil {
		t.Errorf("%+v", s)
	}
	for _, bad := range []string{"", "name,cpu_milli\na,1\n", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n" +
		"a,-1,10,1,460\n", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\na,x,10,1,460\n"} {
		if _, err := OpenB(strings.NewReader(nodes), strings.NewReader(bad), WholeGPUs); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}
