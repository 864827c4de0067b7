package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/cli"
	"plimsoll.dev/source/live"
	"plimsoll.dev/source/live/fake"
)

// audited is an audit as a program reads it, and its exit code.
func audited(t *testing.T, args ...string) (out struct {
	Verdict  struct{ Open []string }
	Findings []struct{ ID, Severity, Message string }
	Result   struct {
		Rules []struct{ Rule, State, Why string }
	}
}, code int) {
	t.Helper()
	code, text, says := run(append([]string{"audit", "-o", "json", "--release", "4.14"}, args...)...)
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("exit code %d: %v: %s%s", code, err, text, says)
	}
	return out, code
}

// openShift is a server with a small OpenShift cluster, of which each kind that an audit reads has something.
func openShift(t *testing.T) (*fake.Server, string) {
	t.Helper()
	s, kubeconfig := serve(t, examplesDir+"/snapshot-small.json")
	for _, k := range live.Kinds {
		if s.Has[k.Resource()] == nil {
			s.Has[k.Resource()] = fake.Objects{}
		}
	}
	return s, kubeconfig
}

// A cluster, and what is written of it, are judged alike.
func TestAuditOfSnapshot(t *testing.T) {
	_, kubeconfig := openShift(t)
	here, code := audited(t, "--kubeconfig", kubeconfig)
	if len(here.Result.Rules) == 0 {
		t.Fatalf("exit code %d: no rule looked: %+v", code, here)
	}
	taken := filepath.Join(t.TempDir(), "cloud.json.gz")
	if code, out, says := run("snapshot", "--kubeconfig", kubeconfig, "--output-file", taken); code != cli.ExitOK {
		t.Fatalf("exit code %d: %s%s", code, out, says)
	}
	there, _ := audited(t, "--snapshot", taken)
	for i := range there.Result.Rules { // a config map is not written
		if r := &there.Result.Rules[i]; strings.HasPrefix(r.Why, "configmaps/") {
			*r = here.Result.Rules[i]
		}
	}
	if diff := cmp.Diff(here.Result, there.Result); diff != "" {
		t.Errorf("rules (-cluster +snapshot):\n%s", diff)
	}
	if diff := cmp.Diff(here.Findings, there.Findings); diff != "" {
		t.Errorf("findings (-cluster +snapshot):\n%s", diff)
	}
}

// Whatever an account may not read, the verdict is not good, and names it.
func TestAuditNotSeen(t *testing.T) {
	s, kubeconfig := openShift(t)
	all, _ := audited(t, "--kubeconfig", kubeconfig)
	if text := strings.Join(all.Verdict.Open, "\n"); strings.Contains(text, "forbidden") {
		t.Errorf("with all rights: %s", text)
	}
	for _, k := range live.Kinds {
		what := k.Resource()
		s.Denied = map[string]bool{what: true, "/metrics": k.How == live.Counted}
		code, out, says := run("audit", "--kubeconfig", kubeconfig, "--release", "4.14", "-o", "json")
		if !strings.Contains(out+says, what+": not seen: ") || code != cli.ExitNegative {
			t.Errorf("without %s: exit code %d: %.300s%s", what, code, out, says)
		}
	}
}

// What is wrong in a file of waivers is told at its place, all at once.
func TestAuditWaiverFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "waivers.yaml")
	text := "waivers:\n- {rule: node.notReady, reason: r, owner: o, until: soon}\n" +
		"- {rule: no.rule, owner: o, until: 2026-01-01}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, says := run("audit", "--snapshot", examplesDir+"/snapshot-small.json", "--waivers", file)
	for _, want := range []string{file + ":2:", `"soon" is no day`, file + ":3:", "no.rule is no rule", "reason"} {
		if !strings.Contains(says, want) {
			t.Errorf("%q is missing in: %s", want, says)
		}
	}
	if code != cli.ExitBadInput || out != "" {
		t.Errorf("exit code %d: %s", code, out)
	}
}

// Of a must-gather without the users' namespaces nothing is said that hangs on them.
func TestAuditOfMustGather(t *testing.T) {
	file := filepath.Join(t.TempDir(), "small.json")
	text, err := os.ReadFile(examplesDir + "/snapshot-small.json")
	if err == nil {
		platform := regexp.MustCompile(`"namespace": "[^"]*"`).ReplaceAll(text, []byte(`"namespace": "openshift-x"`))
		err = os.WriteFile(file, platform, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	a, _ := audited(t, "--snapshot", gathered(t, file))
	for _, r := range a.Result.Rules {
		if r.Rule == "node.podsUse" && r.State != "notSeen" {
			t.Errorf("%+v", r)
		}
	}
}
