package certify

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"plimsoll.dev/pack"
)

// document is the packing of mix as it is printed.
func document(t testing.TB) string {
	p, s := mix()
	text, err := json.MarshalIndent(Document{Kind: Kind, Problem: &p, Solution: &s}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestCheckJSON(t *testing.T) {
	faults, err := CheckJSON(strings.NewReader(document(t)))
	if err != nil || faults != nil {
		t.Errorf("got %q, %v", faults, err)
	}
	faults, err = CheckJSON(strings.NewReader(strings.Replace(document(t), `"cost": 24`, `"cost": 23`, 1)))
	if err != nil || len(faults) == 0 {
		t.Errorf("another cost: got %q, %v", faults, err)
	}
}

// A packing without certificate is read, and refused for what it lacks.
func TestUncertified(t *testing.T) {
	p, s := mix()
	s.Certificate = pack.Certificate{}
	text, _ := json.Marshal(Document{Kind: Kind, Problem: &p, Solution: &s})
	faults, err := CheckJSON(bytes.NewReader(text))
	if err != nil || !strings.Contains(strings.Join(faults, "\n"), "are missing") {
		t.Errorf("got %q, %v", faults, err)
	}
}

func TestUnreadable(t *testing.T) {
	whole := document(t)
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "is empty"},
		{"cut in half", whole[:len(whole)/2], "is cut off within solution/certificate/proofs"},
		{"cut in the proofs", whole[:strings.Index(whole, `"proofs"`)+12], "within solution/certificate/proofs"},
		{"the end cut", strings.TrimSpace(whole)[:len(strings.TrimSpace(whole))-1], "is cut off within the document"},
		{"no JSON", "apiVersion: v1", "packing: line 1, column 1: the document is no JSON"},
		{"no JSON below", "{\n \"kind\": \"é\", x}", "packing: line 2, column 15: "},
		{"something behind", whole + "{}", "is no JSON"},
		{"another kind", strings.Replace(whole, `"Packing"`, `"Plan"`, 1), `kind is "Plan" ("Packing" would be right)`},
		{"no kind", `{}`, `kind is ""`},
		{"no problem", `{"kind": "Packing"}`, "problem is missing"},
		{"no solution", `{"kind": "Packing", "problem": {"resources": [], "nodes": [], "items": []}}`, "solution is missing"},
		{"nothing for a solution", `{"kind": "Packing", "problem": {}, "solution": null}`, "solution is missing"},
		{"unknown field", strings.Replace(whole, `"patterns"`, `"pattern"`, 1), "solution/pattern is not a field"},
		{"field in capitals", strings.Replace(whole, `"patterns"`, `"Patterns"`, 1), "solution/Patterns is not a field"},
		{"field twice", strings.Replace(whole, `"kind"`, `"kind": "Packing", "kind"`, 1), "kind stands twice"},
		{"prices twice", strings.Replace(whole, `"prices"`, `"prices": [1], "prices"`, 1),
			"solution/certificate/prices stands twice"},
		{"text for a number", strings.Replace(whole, `"cost": 24`, `"cost": "24"`, 1),
			"solution/cost can't be a text (a whole number in range would be right)"},
		{"a fraction for a number", strings.Replace(whole, `"cost": 24`, `"cost": 24.5`, 1),
			"solution/cost can't be this number (a whole number in range would be right)"},
		{"a giant number", strings.Replace(whole, `"cost": 24`, `"cost": 99999999999999999999`, 1),
			"solution/cost can't be this number (a whole"},
		{"three items in conflict", strings.Replace(whole, "\"conflicts\": [\n   [", "\"conflicts\": [\n   [0,", 1),
			"problem/conflicts/0"},
		{"deep", strings.Repeat("[", 100_000), "packing: "},
		{"too long", strings.Repeat(" ", MaxBytes+1), "is longer than 32 MiB"},
	} {
		t.Run(c.name, func(t *testing.T) {
			faults, err := CheckJSON(strings.NewReader(c.text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %q, %v; want %q in it", faults, err, c.want)
			}
		})
	}
	gone := errors.New("the disk is gone")
	if _, err := CheckJSON(iotest.ErrReader(gone)); !errors.Is(err, gone) {
		t.Errorf("a reader that fails: got %v", err)
	}
}

// A document cut anywhere is refused with a message.
func TestCutAnywhere(t *testing.T) {
	whole := strings.TrimSpace(document(t))
	for n := range len(whole) {
		if faults, err := CheckJSON(strings.NewReader(whole[:n])); err == nil {
			t.Fatalf("cut after %d of %d bytes: got %q and no error", n, len(whole), faults)
		}
	}
}

// Whatever is read is checked without a panic, and in bounded time.
func FuzzCheckJSON(f *testing.F) {
	p, s := ocp94()
	whole, err := json.Marshal(Document{Kind: Kind, Problem: &p, Solution: &s})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(whole))
	f.Add(string(whole[:len(whole)/2]))
	f.Add(
		`{"kind":"Packing","problem":{"nodes":[{"capacity":[9007199254740992],"cost":1,"stock":-1}],` +
			`"items":[{"count":9007199254740992,"need":[1]}]},"solution":{"nodes":[1],"certificate":{"scale":1,"prices":[1],` +
			`"proofs":[{"below":{},"above":{}}]}}}`)
	f.Add(
		`{"kind":"Packing","problem":{"nodes":[{"capacity":[],"cost":1,"stock":0}],"items":[{"count":1,"need":[]}],` +
			`"zones":2,"surviveZoneLoss":true},"solution":{"nodes":[0],"left":[1],"certificate":{"scale":1,"prices":[1],` +
			`"stock":[9],"proofs":[{"unit":1}]}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		_, _ = CheckJSON(strings.NewReader(text))
	})
}
