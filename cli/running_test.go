package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/cli"
	"plimsoll.dev/source/kube/kubetest"
	"plimsoll.dev/source/live"
	"plimsoll.dev/source/live/fake"
)

// running is a server with 12 nodes and some pods.
func running(t *testing.T, pods int) (s *fake.Server, snapshot, kubeconfig string) {
	t.Helper()
	dir := t.TempDir()
	var text bytes.Buffer
	if err := kubetest.Snapshot(&text, 12, pods); err != nil {
		t.Fatal(err)
	}
	snapshot, kubeconfig = filepath.Join(dir, "cluster.json"), filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(snapshot, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := fake.New(&text)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	if err := fake.Kubeconfig(kubeconfig, map[string]string{"prod": server.URL}); err != nil {
		t.Fatal(err)
	}
	return s, snapshot, kubeconfig
}

// gathered writes the objects of a snapshot as "oc adm inspect" does: a file each.
func gathered(t *testing.T, snapshot string) string {
	t.Helper()
	text, err := os.ReadFile(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "inspect.local")
	for i, item := range list.Items {
		name := filepath.Join(dir, "objects", fmt.Sprintf("%06d.json", i))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, item, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// places are of one form of the cluster only.
var places = regexp.MustCompile(`"[^"]*(cluster\.json|inspect\.local|cluster prod)[^"]*"`)

// TestOneTruth: the cluster, a snapshot and what was gathered of it give the same answers, to the last digit.
func TestOneTruth(t *testing.T) {
	_, snapshot, kubeconfig := running(t, 1200) // three pages
	dir := gathered(t, snapshot)
	for _, command := range []string{"plan", "place"} {
		answer := func(args ...string) string {
			code, out, says := run(append([]string{command, "-o", "json", "--release", "4.17"}, args...)...)
			if code != cli.ExitOK && code != cli.ExitNegative {
				t.Fatalf("%v: exit code %d: %s", args, code, says)
			}
			out = places.ReplaceAllString(out, `"here"`)
			return regexp.MustCompile(`(?s),\s*\{[^{}]*"what": "other namespaces"[^{}]*\}`).ReplaceAllString(out, "")
		}
		want := answer("--snapshot", snapshot)
		if diff := cmp.Diff(want, answer("--kubeconfig", kubeconfig, "--context", "prod")); diff != "" {
			t.Errorf("%s of the cluster (-snapshot +cluster):\n%s", command, diff)
		}
		if diff := cmp.Diff(want, answer("--snapshot", dir)); diff != "" {
			t.Errorf("%s of what was gathered (-snapshot +gathered):\n%s", command, diff)
		}
	}
}

// TestNotSeen: whatever an account may not read, the verdict is not good and names it; of a kind that is not there
// nothing is said.
func TestNotSeen(t *testing.T) {
	s, _, kubeconfig := running(t, 120)
	verdict := func() (string, int) {
		code, out, says := run("plan", "--kubeconfig", kubeconfig, "--release", "4.17", "-o", "json")
		return out + says, code
	}
	if text, _ := verdict(); strings.Contains(text, "not seen") || strings.Contains(text, "input.lacking") {
		t.Errorf("with all rights: %s", text)
	}
	for _, k := range live.Kinds {
		what := k.Resource()
		if s.Has[what] == nil {
			continue
		}
		s.Denied = map[string]bool{what: true, "/metrics": k.How == live.Counted}
		text, code := verdict()
		if code != cli.ExitNegative || !strings.Contains(text, `"input.lacking"`) ||
			!strings.Contains(text, what+": not seen: ") {
			t.Errorf("without %s: exit code %d: %s", what, code, text)
		}
	}
}

// TestNobodyThere: what can't be reached is no bad input, and no empty cluster.
func TestNobodyThere(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := fake.Kubeconfig(kubeconfig, map[string]string{"prod": "http://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	code, out, says := run("plan", "--kubeconfig", kubeconfig)
	if code != cli.ExitFailed || out != "" || !strings.Contains(says, "connection refused") {
		t.Errorf("exit code %d: %s%s", code, out, says)
	}
}
