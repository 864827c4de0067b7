package kubelet_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"plimsoll.dev/place/kubelet"
	"plimsoll.dev/place/kubelet/kubelettest"
)

// TestOracle replays what the kubelet's own managers of Kubernetes 1.36.3
// answered, event by event, and demands the same: CPU sets, affinity, memory
// blocks, device ids, reasons and messages.
func TestOracle(t *testing.T) {
	files, err := filepath.Glob("testdata/oracle/*.jsonl.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded answers in testdata/oracle (%v)", err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { replayFile(t, name) })
	}
}

func replayFile(t *testing.T, name string) {
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	sessions, admissions, bad := 0, 0, 0
	for recorded, err := range kubelettest.Read(file) {
		if err != nil {
			t.Fatal(err)
		}
		sessions++
		admissions += len(recorded.Answers)
		if !agrees(t, &recorded) {
			bad++
		}
		if bad == 5 {
			t.Fatal("too many sessions differ")
		}
	}
	if sessions == 0 {
		t.Fatal("no sessions")
	}
	t.Logf("%d sessions, %d admissions", sessions, admissions)
}

// agrees replays one session and tells the first difference.
func agrees(t *testing.T, recorded *kubelettest.Recorded) bool {
	n, err := kubelet.New(recorded.Machine, recorded.Config)
	if (err != nil) != (recorded.Refused != "") {
		t.Errorf("%s: start: got %v, the kubelet says %q", recorded.Name, err, recorded.Refused)
		return false
	}
	if err != nil {
		return true
	}
	got := kubelettest.Replay(recorded.Session, n.Admit, n.Remove)
	at, what := kubelettest.FirstDifference(recorded.Answers, got)
	if at < 0 {
		return true
	}
	t.Errorf("%s (%s), pod %d: %s", recorded.Name, configText(recorded.Config), at, what)
	return false
}

func configText(c kubelet.Config) string {
	text, err := json.Marshal(c)
	if err != nil {
		return err.Error()
	}
	return string(text)
}
