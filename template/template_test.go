package template

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
	"plimsoll.dev/internal/yamlpos"
)

func parse(t *testing.T, text string) *yamlpos.Node {
	t.Helper()
	tree, problems := yamlpos.Parse("t.yaml", []byte(text))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return tree.Root
}

// The rules that pkg/template of library-go has tests for: parameters many to a string, in keys and
// labels, unquoted ones of every kind of JSON, names that nobody declared, namespaces.
func TestProcess(t *testing.T) {
	root := parse(t, `
Kind: Template
apiVersion: template.openshift.io/v1
metadata: {name: a}
labels: {app: "${NAME}", fixed: x}
parameters:
- {name: NAME, value: web}
- {name: COUNT, value: "3"}
- {name: WORD, value: three}
- {name: LIST, value: '[1, "a", {"b": null}]'}
- {name: BOOL, value: "true"}
- {name: EMPTY}
objects:
- Kind: DeploymentConfig
  metadata: {name: "${NAME}-${COUNT}${UNKNOWN}", namespace: literal}
  spec:
    replicas: ${{COUNT}}
    text: "${COUNT}"
    half: "x${{COUNT}}"
    word: ${{WORD}}
    list: ${{LIST}}
    bool: ${{BOOL}}
    unknown: ${{UNKNOWN}}
    empty: "${EMPTY}"
    number: 7
    "${NAME}": key
- {kind: Service, metadata: {name: s, namespace: "${NAME}"}}
`)
	if !Is(root) {
		t.Error("it is not taken for a template")
	}
	made, err := Read(root).Process(Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, o := range made {
		got = append(got, o.Value())
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[{"Kind":"DeploymentConfig","metadata":{"labels":{"app":"web","fixed":"x"},"name":"web-3${UNKNOWN}"},` +
		`"spec":{"bool":true,"empty":"","half":"x${{COUNT}}","list":[1,"a",{"b":null}],"number":7,"replicas":3,` +
		`"template":{"metadata":{"labels":{"app":"web","fixed":"x"}}},"text":"3","unknown":"${{UNKNOWN}}","web":"key",` +
		`"word":"three"}},{"kind":"Service","metadata":{"labels":{"app":"web","fixed":"x"},"name":"s","namespace":"web"}}]`
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProcessRefuses(t *testing.T) {
	root := parse(t, "{kind: Template, apiVersion: v1, parameters: [{name: A, required: true}], objects: [{a: '${A}'}]}")
	if _, err := Read(root).Process(Options{}); err == nil || !strings.Contains(err.Error(), "A is required") {
		t.Errorf("a required parameter without a value: %v", err)
	}
	big := map[string]string{"A": strings.Repeat("x", maxGrown)}
	if _, err := Read(root).Process(Options{Given: big}); err != nil {
		t.Error(err)
	}
	big["A"] += "x"
	if _, err := Read(root).Process(Options{Given: big}); err == nil {
		t.Error("too much text is processed")
	}
	asked := map[string]bool{}
	if _, err := Read(root).Process(Options{Given: map[string]string{"A": "1"}, Asked: asked}); err != nil || !asked["A"] {
		t.Errorf("%v, asked for %v", err, asked)
	}
}

func TestStandIn(t *testing.T) {
	for from, want := range map[string]string{
		"[a-zA-Z0-9]{8}":    "aaaaaaaa",
		`user[\d]{3}-\w{2}`: "user000-aa",
		"plain":             "plain",
		`[\A]{2}x`:          "~~x",
		"[0-1]{999}":        strings.Repeat("0", 255),
	} {
		if got := StandIn(from); got != want {
			t.Errorf("%s gives %q, want %q", from, got, want)
		}
	}
}

// What is drawn fits the expression, and every character of a range comes.
func TestRandom(t *testing.T) {
	for from, fits := range map[string]string{
		"[a-z0-9]{8}":       "^[a-z0-9]{8}$",
		`user\d{2}-[\w]{9}`: `^user\d{2}-\w{9}$`,
		`\a{4}`:             "^[a-zA-Z0-9]{4}$",
		"plain":             "^plain$",
	} {
		rapid.Check(t, func(t *rapid.T) {
			seed := rapid.Uint64().Draw(t, "seed")
			if got := Random(rand.New(rand.NewPCG(seed, 1)))(from); !regexp.MustCompile(fits).MatchString(got) {
				t.Fatalf("%s gives %q", from, got)
			}
		})
	}
	got := Random(rand.New(rand.NewPCG(1, 2)))("[0-1]{255}")
	if !strings.Contains(got, "1") || !strings.Contains(got, "0") {
		t.Errorf("[0-1] gives %q", got)
	}
}
