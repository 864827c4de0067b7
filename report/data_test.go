package report

import (
	"bytes"
	"encoding/json"
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
		asYAML, err := toYAML(p)
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := toJSON(p)
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
		out, err := toYAML(want)
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
		out, err := toJSON(p)
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
	out, err := toYAML(samplePlan())
	if err != nil {
		t.Fatal(err)
	}
	if want := "apiVersion: plimsoll.dev/v1alpha1\nkind: Plan\nmetadata:\n  name: web-shop\n"; !strings.HasPrefix(out,
		want) {
		t.Errorf("begins with %q", out[:80])
	}
}
