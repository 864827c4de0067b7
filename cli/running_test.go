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

// made is a snapshot with 12 nodes and some pods.
func made(t *testing.T, pods int) string {
	t.Helper()
	var text bytes.Buffer
	if err := kubetest.Snapshot(&text, 12, pods); err != nil {
		t.Fatal(err)
	}
	snapshot := filepath.Join(t.TempDir(), "cluster.json")
	if err := os.WriteFile(snapshot, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// serve is a server with the objects of a snapshot, and a kubeconfig that names it as context prod.
func serve(t *testing.T, snapshot string) (s *fake.Server, kubeconfig string) {
	t.Helper()
	text, err := os.Open(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	if s, err = fake.New(text); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := fake.Kubeconfig(kubeconfig, map[string]string{"prod": server.URL}); err != nil {
		t.Fatal(err)
	}
	return s, kubeconfig
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

// places are of one form of the cluster only, and so is what a must-gather never has.
var (
	places = regexp.MustCompile(`"[^"]*(cluster\.json|small\.json|nodes\.json|cloud\.json\.gz|inspect\.local|` +
		`cluster prod)[^"]*"`)
	ofGathered = regexp.MustCompile(`(?s),\s*\{[^{}]*"what": "other namespaces"[^{}]*\}`)
)

// answer is that of a command, as JSON, without the places.
func answer(t *testing.T, args ...string) string {
	t.Helper()
	code, out, says := run(append(args, "-o", "json")...)
	if code != cli.ExitOK && code != cli.ExitNegative || out == "" {
		t.Fatalf("%v: exit code %d: %s", args, code, says)
	}
	return ofGathered.ReplaceAllString(places.ReplaceAllString(out, `"here"`), "")
}

// TestOneTruth: the cluster, a snapshot of kubectl's, the one that is written here, and what was gathered of it give
// the same answers, to the last digit.
func TestOneTruth(t *testing.T) {
	for _, snapshot := range []string{made(t, 1200), examplesDir + "/snapshot-small.json"} { // three pages, and OpenShift
		_, kubeconfig := serve(t, snapshot)
		forms := map[string][]string{"the cluster": {"--kubeconfig", kubeconfig, "--context", "prod"},
			"what was gathered": {"--snapshot", gathered(t, snapshot)},
			"what is written":   {"--snapshot", taken(t, kubeconfig)}}
		for _, command := range []string{"plan", "place"} {
			want := answer(t, command, "--release", "4.17", "--snapshot", snapshot)
			for form, args := range forms {
				got := answer(t, append([]string{command, "--release", "4.17"}, args...)...)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s of %s (-snapshot +it):\n%s", command, form, diff)
				}
			}
		}
	}
}

// TestVerified: a plan of the cluster can be saved, and is what its own figures give.
func TestVerified(t *testing.T) {
	_, kubeconfig := serve(t, examplesDir+"/snapshot-small.json")
	file := filepath.Join(t.TempDir(), "plan.json")
	if code, _, says := run("plan", "--kubeconfig", kubeconfig, "--release", "4.14", "-o", "json", "--output-file",
		file); code != cli.ExitOK {
		t.Fatalf("exit code %d: %s", code, says)
	}
	for _, args := range [][]string{{"verify", file}, {"verify", file, "--kubeconfig", kubeconfig, "--release", "4.14"}} {
		if code, out, says := run(args...); code != cli.ExitOK {
			t.Errorf("%v: exit code %d: %s%s", args, code, out, says)
		}
	}
}

// TestNodesWritten: what is written has all that settings are judged by.
func TestNodesWritten(t *testing.T) {
	nodes, tuned := examplesDir+"/tune/nodes.json", examplesDir+"/tune/tuned"
	s, kubeconfig := serve(t, nodes)
	want := answer(t, "tune", "explain", "--nodes", nodes, "--tuned", tuned)
	got := answer(t, "tune", "explain", "--nodes", taken(t, kubeconfig), "--tuned", tuned)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-nodes +written):\n%s", diff)
	}
	got = answer(t, "tune", "explain", "--context", "prod", "--kubeconfig", kubeconfig, "--tuned", tuned)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-nodes +cluster):\n%s", diff)
	}
	for _, what := range []string{"pods", "machineconfigpools.machineconfiguration.openshift.io"} {
		s.Denied = map[string]bool{what: true}
		got = answer(t, "tune", "explain", "--kubeconfig", kubeconfig, "--tuned", tuned)
		if name, _, _ := strings.Cut(what, "."); !strings.Contains(got, "the list of "+name+" is passed over: not seen") ||
			!strings.Contains(got, `"ok": false`) {
			t.Errorf("without %s: %s", what, got)
		}
	}
}

// TestProfilesReported: what the operator reports of nodes is set beside what is chosen, whatever the cluster is read
// from, and is told where it may not be read.
func TestProfilesReported(t *testing.T) {
	nodes := filepath.Join(t.TempDir(), "nodes.json")
	text, err := os.ReadFile(examplesDir + "/tune/nodes.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct {
		Kind  string           `json:"kind"`
		Items []map[string]any `json:"items"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	list.Items = append(list.Items, map[string]any{"apiVersion": "tuned.openshift.io/v1", "kind": "Profile",
		"metadata": map[string]any{"name": "worker-4", "namespace": "openshift-cluster-node-tuning-operator"},
		"spec":     map[string]any{"config": map[string]any{"tunedProfile": "node-hugepages"}},
		"status": map[string]any{"tunedProfile": "openshift-node", "conditions": []any{map[string]any{"type": "Degraded",
			"status": "True", "reason": "TunedError", "message": "no such sysctl"}}}},
		map[string]any{"apiVersion": "other.example/v1", "kind": "Profile", "metadata": map[string]any{"name": "worker-5"}})
	if text, err = json.Marshal(list); err == nil {
		err = os.WriteFile(nodes, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, kubeconfig := serve(t, nodes)
	tuned := []string{"tune", "explain", "--tuned", examplesDir + "/tune/tuned"}
	for form, args := range map[string][]string{"nodes": {"--nodes", nodes}, "written": {"--nodes", taken(t, kubeconfig)},
		"gathered": {"--nodes", gathered(t, nodes)}, "cluster": {"--kubeconfig", kubeconfig}} {
		code, out, says := run(append(tuned, args...)...)
		for _, want := range []string{"10 nodes are not so in the cluster", "degraded: TunedError (no such sysctl)",
			"nodes infra-0, infra-1, master-0 and 6 more: there is no Profile"} {
			if flat := strings.Join(strings.Fields(out), " "); code != cli.ExitNegative || !strings.Contains(flat, want) {
				t.Errorf("%s: exit code %d, without %q: %s%s", form, code, want, out, says)
			}
		}
	}
	s.Denied = map[string]bool{"profiles.tuned.openshift.io": true}
	code, out, says := run(append(tuned, "--kubeconfig", kubeconfig)...)
	if flat := strings.Join(strings.Fields(out), " "); code != cli.ExitNegative ||
		!strings.Contains(flat, "the list of profiles is passed over: not seen") ||
		strings.Contains(flat, "there is no Profile") ||
		!strings.Contains(flat, `"plimsoll rbac tune" prints the rights that suffice`) {
		t.Errorf("exit code %d: %s%s", code, out, says)
	}
}

// TestNodesNotSeen: without nodes there is no answer, and the reason is the server's own.
func TestNodesNotSeen(t *testing.T) {
	s, kubeconfig := serve(t, examplesDir+"/tune/nodes.json")
	s.Denied = map[string]bool{"nodes": true}
	code, out, says := run("tune", "explain", "--kubeconfig", kubeconfig, "--tuned", examplesDir+"/tune/tuned")
	if code != cli.ExitFailed || out != "" || !strings.Contains(says, `cannot list resource "nodes"`) {
		t.Errorf("exit code %d: %s%s", code, out, says)
	}
	code, out, says = run("pack", "--kubeconfig", kubeconfig, "--release", "4.14")
	if code == cli.ExitOK || out != "" || !strings.Contains(says, `cannot list resource "nodes"`) {
		t.Errorf("pack: exit code %d: %s%s", code, out, says)
	}
}

// taken is what "plimsoll snapshot" writes.
func taken(t *testing.T, kubeconfig string, more ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cloud.json.gz")
	code, out, says := run(append([]string{"snapshot", "--kubeconfig", kubeconfig, "--output-file", file}, more...)...)
	if code != cli.ExitOK || out != "" {
		t.Fatalf("exit code %d: %s%s", code, out, says)
	}
	return file
}

// TestNotSeen: whatever an account may not read, the verdict is not good and names it; of a kind that is not there
// nothing is said.
func TestNotSeen(t *testing.T) {
	s, kubeconfig := serve(t, made(t, 120))
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

// TestLive: without a name it is the current context's cluster, which is told.
func TestLive(t *testing.T) {
	_, kubeconfig := serve(t, examplesDir+"/snapshot-small.json")
	t.Setenv("KUBECONFIG", kubeconfig)
	code, out, says := run("plan", "--live", "--release", "4.14")
	if code != cli.ExitOK || !strings.Contains(out, "21 pods") ||
		!strings.Contains(says, "the cluster is http://127.0.0.1:") {
		t.Errorf("exit code %d: %s%s", code, out, says)
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
