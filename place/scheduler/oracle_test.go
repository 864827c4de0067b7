package scheduler_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/place/scheduler"
	"plimsoll.dev/place/scheduler/schedulertest"
)

// TestOracle replays what kube-scheduler itself decided, pod by pod.
func TestOracle(t *testing.T) {
	files, err := filepath.Glob("testdata/oracle/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			f, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			pods, sessions := 0, 0
			for r, err := range schedulertest.Read(f) {
				if err != nil {
					t.Fatal(err)
				}
				replay(t, r)
				pods += len(r.Arrivals)
				sessions++
			}
			t.Logf("%d decisions in %d sessions", pods, sessions)
		})
	}
}

// TestByHand replays sessions of older releases, worked out on paper.
func TestByHand(t *testing.T) {
	for _, r := range schedulertest.ByHand() {
		replay(t, r)
	}
}

// replay stops at the first difference of a session.
func replay(t *testing.T, r schedulertest.Recorded) {
	p, err := schedulertest.Open(r.Session)
	if err != nil {
		t.Error(err)
		return
	}
	diagnoses := r.Diagnoses
	for i, want := range r.Placed {
		got, err := p.Next()
		if err != nil {
			t.Error(err)
			return
		}
		class := r.Arrivals[i]
		if got != int(want) {
			t.Errorf("%s: pod %d of class %s is on node %d, kube-scheduler had %d", r.Name, i, r.Classes[class].Name, got, want)
			return
		}
		if len(diagnoses) > 0 && diagnoses[0].Pod == i {
			compare(t, r.Name, diagnoses[0], p.Explain(p.Classes[class]))
			diagnoses = diagnoses[1:]
		}
	}
	if len(diagnoses) > 0 {
		t.Errorf("%s: %d diagnoses were not reached", r.Name, len(diagnoses))
	}
}

func compare(t *testing.T, session string, want schedulertest.Diagnosis, got scheduler.Diagnosis) {
	if got.Message != want.Message {
		t.Errorf("%s: pod %d: %s\nkube-scheduler said: %s", session, want.Pod, got.Message, want.Message)
	}
	if diff := cmp.Diff(want.Reasons, got.Reasons); diff != "" {
		t.Errorf("%s: pod %d: reasons (-kube-scheduler +here):\n%s", session, want.Pod, diff)
	}
}
