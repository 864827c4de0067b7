package kube_test

import (
	"os"
	"path/filepath"
	"testing"

	"plimsoll.dev/place/kube"
	"plimsoll.dev/place/kube/kubetest"
)

// TestOracle replays what kube-scheduler itself decided, pod by pod.
func TestOracle(t *testing.T) {
	files, err := filepath.Glob("testdata/oracle/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	pods, sessions := 0, 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		for r, err := range kubetest.Read(f) {
			if err != nil {
				t.Fatal(name, err)
			}
			replay(t, filepath.Base(name), r)
			pods += len(r.Arrivals)
			sessions++
		}
		f.Close()
	}
	t.Logf("%d decisions in %d sessions", pods, sessions)
}

// replay stops at the first difference of a session.
func replay(t *testing.T, file string, r kubetest.Recorded) {
	s, err := kube.New(r.Profile, r.Nodes)
	if err != nil {
		t.Errorf("%s: %s: %v", file, r.Name, err)
		return
	}
	ids := make([]kube.ClassID, len(r.Classes))
	for i, c := range r.Classes {
		if ids[i], err = s.Class(c); err != nil {
			t.Errorf("%s: %s: %v", file, r.Name, err)
			return
		}
	}
	for _, b := range r.Bound {
		for range b.Count {
			s.Bind(ids[b.Class], b.Node)
		}
	}
	for i, c := range r.Arrivals {
		if got := s.Schedule(ids[c]).Node; got != int(r.Placed[i]) {
			t.Errorf("%s: %s: pod %d of class %s is on node %d, kube-scheduler had %d", file, r.Name, i, r.Classes[c].Name, got, r.Placed[i])
			return
		}
	}
}
