package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"sigs.k8s.io/yaml"

	"plimsoll.dev/cli"
)

// evil sets a title, clears the screen, turns the direction and begins a line of its own.
const evil = "\x1b]0;own\x07\x1b[2J\u009b31m\u202ex\x7f\nFAKE: 0 wrong"

// harmless fails where text holds what a terminal obeys, or a line of the attacker's.
func harmless(t *testing.T, what, text string) {
	t.Helper()
	for _, r := range text {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf) {
			t.Errorf("%s: %q reaches the terminal in %.300q", what, r, text)
			return
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "FAKE") {
			t.Errorf("%s: the file writes a line of its own: %.300q", what, text)
		}
	}
}

// A saved plan may be anybody's: no text of it moves the cursor or adds an answer.
func TestHostilePlansOnTerminals(t *testing.T) {
	t.Parallel()
	_, text, _ := run("plan", "../examples/ocp-9.4.yaml", "-o", "json")
	word, err := json.Marshal(evil)
	if err != nil {
		t.Fatal(err)
	}
	bad := strings.Trim(string(word), `"`)
	for i, change := range [][2]string{
		{`"id": "workload.cpu"`, `"id": "` + bad + `"`}, {`"name": "n3"`, `"name": "` + bad + `"`},
		{`"id": "nodes"`, `"id": "` + bad + `"`}, {`"option": "option-1"`, `"option": "` + bad + `"`},
		{`"basis": "nominal"`, `"basis": "` + bad + `"`}, {`"verdict": "within"`, `"verdict": "` + bad + `"`},
		{`"formula": "`, `"formula": "` + bad}, {`"kind": "tested"`, `"kind": "` + bad + `"`},
		{`"text": "`, `"text": "` + bad}, {`"apiVersion": "`, `"apiVersion": "` + bad}, {`"metadata":`, `"` + bad + `":`},
	} {
		changed := strings.Replace(text, change[0], change[1], 1)
		if changed == text {
			t.Errorf("the plan has no %s", change[0])
			continue
		}
		file := filepath.Join(t.TempDir(), "plan.json")
		if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"verify", file}, {"certify", file}, {"why", file, "nodes"}} {
			code, out, errs := run(args...)
			if code != cli.ExitNegative && code != cli.ExitBadInput {
				t.Errorf("case %d, %s: exit code %d", i, args[0], code)
			}
			harmless(t, change[0]+", "+args[0], out+errs)
		}
	}
}

// Names of files below a directory are those of whoever packed it.
func TestHostileNamesOfFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, strings.ReplaceAll(evil, "/", "")+".yaml")
	for _, text := range []string{
		"kind: [\n", "kind: Tuned\nspec: 3\n",
		"apiVersion: tuned.openshift.io/v1\nkind: Tuned\nmetadata: {name: a}\nspec: {x: 1}\n",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: 7}\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{
			{"tune", "check", dir}, {"tune", "check", name}, {"plan", name}, {"validate", name}, {"certify", name + "x"},
			{"plan", "../examples/ocp-9.4.yaml", "--manifests", dir}, {"tune", "explain", "--nodes", dir, "--tuned", dir},
			{"plan", "--snapshot", name, "--release", "4.14"}, {"plan", filepath.Join(name, "none")},
		} {
			_, out, errs := run(args...)
			harmless(t, strings.Join(args[:2], " ")+" standard error", errs)
			harmless(t, strings.Join(args[:2], " ")+" standard output", out)
		}
	}
}

// JSON and YAML spell such characters by their own escapes, and mean the same.
func TestDataSpellsHostileCharacters(t *testing.T) {
	t.Parallel()
	const words = "a\u009b31m b\u202e c\x7f d\U000e0041 e\u2066\n\ttwo"
	quoted := strconv.QuoteToASCII(words)
	text := "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {release: \"4.14\"}\n" +
		"hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi}]}\nworkload: {podTypes: [{name: a, cpu: 1}]}\n" +
		"metadata: {name: x, description: " + quoted + "}\n"
	file := filepath.Join(t.TempDir(), "s.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	readers := map[string]func([]byte, any) error{"json": json.Unmarshal,
		"yaml": func(text []byte, into any) error { return yaml.Unmarshal(text, into) }}
	for format, read := range readers {
		_, out, errs := run("plan", file, "-o", format, "-q")
		harmless(t, format, out)
		var p struct{ Metadata struct{ Description string } }
		if err := read([]byte(out), &p); err != nil || p.Metadata.Description != words {
			t.Errorf("%s: got %q, %v; %s", format, p.Metadata.Description, err, errs)
		}
	}
}
