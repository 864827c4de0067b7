package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	sigs "sigs.k8s.io/yaml"

	"plimsoll.dev/api/v1alpha1"
	_ "plimsoll.dev/internal/seed"
)

func TestYAMLHoldsWhatJSONHolds(t *testing.T) {
	for name, p := range plans() {
		asYAML, err := toYAML(p, v1alpha1.Build{})
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := toJSON(p, v1alpha1.Build{})
		if err != nil {
			t.Fatal(err)
		}
		back, err := sigs.YAMLToJSON([]byte(asYAML))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var x, y any
		if err := json.Unmarshal(back, &x); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(asJSON), &y); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(y, x); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestYAMLOfAnyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{"text": rapid.String().Draw(t, "text")}
		out, err := toYAML(want, v1alpha1.Build{})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := sigs.Unmarshal([]byte(out), &got); err != nil {
			t.Fatalf("%q: %v", out, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestJSONReadsBack(t *testing.T) {
	for name, p := range plans() {
		out, err := toJSON(p, v1alpha1.Build{})
		if err != nil {
			t.Fatal(err)
		}
		var back v1alpha1.Plan
		if err := json.Unmarshal([]byte(out), &back); err != nil {
			t.Fatal(err)
		}
		compact := cmp.Transformer("compact", func(m json.RawMessage) string {
			var b bytes.Buffer
			if err := json.Compact(&b, m); err != nil {
				return err.Error()
			}
			return b.String()
		})
		if diff := cmp.Diff(p, &back, compact); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !strings.HasSuffix(out, "}\n") {
			t.Errorf("%s: no newline at the end", name)
		}
	}
}

func TestKeysInOrder(t *testing.T) {
	out, err := toYAML(samplePlan(), v1alpha1.Build{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "apiVersion: plimsoll.dev/v1alpha1\nkind: Plan\nmetadata:\n  name: web-shop\n"; !strings.HasPrefix(out,
		want) {
		t.Errorf("begins with %q", out[:80])
	}
}

// What is attached to a ticket can be traced to its build; the build changes nothing else.
func TestAnswersNameTheirBuild(t *testing.T) {
	by := v1alpha1.Build{Version: "v1.2.3", Commit: "0123456789abcdef0123456789abcdef01234567"}
	const shown = "v1.2.3, commit 0123456789ab"
	p := samplePlan()
	for format, want := range map[string]string{HTML: "<p>Made by Plimsoll " + shown + ".</p>",
		JSON:  "\n  \"madeBy\": {\n    \"version\": \"v1.2.3\",\n    \"commit\": \"" + by.Commit + "\"\n  },\n",
		YAML:  "\nmadeBy:\n  version: v1.2.3\n  commit: " + by.Commit + "\n",
		SARIF: "\n          \"version\": \"v1.2.3\",\n"} {
		var with, without bytes.Buffer
		err := errors.Join(Write(&with, p, format, Options{MadeBy: by}), Write(&without, p, format, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		want = strings.TrimPrefix(want, "\n")
		if strings.Count(with.String(), want) != 1 || strings.Replace(with.String(), want, "", 1) != without.String() {
			t.Errorf("%s: %q should be all that there is more", format, want)
		}
	}
}

// A proof of forty levels is no longer than its words: what is deep stands on one line.
func TestDeepIsShallow(t *testing.T) {
	var tree any = []any{1, "a,b", map[string]any{}}
	for range 40 {
		tree = map[string]any{"above": tree, "below": []any{}}
	}
	text, err := toJSON(tree, v1alpha1.Build{})
	if err != nil {
		t.Fatal(err)
	}
	var back any
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	want, _ := json.Marshal(tree)
	if got, _ := json.Marshal(back); string(got) != string(want) {
		t.Errorf("%s holds %s, not %s", text, got, want)
	}
	for line := range strings.Lines(text) {
		if deep := len(line) - len(strings.TrimLeft(line, " ")); deep > 2*mostLevels {
			t.Errorf("%d blanks before %q", deep, line)
		}
	}
}
