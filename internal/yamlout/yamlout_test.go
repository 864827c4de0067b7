package yamlout

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sigs.k8s.io/yaml"

	_ "plimsoll.dev/internal/seed"
)

// drawn is a random value as JSON has it.
func drawn(t *rapid.T, depth int) any {
	switch form := rapid.IntRange(0, 7).Draw(t, "form"); {
	case form == 0 && depth > 0:
		return rapid.MapOfN(key, rapid.Custom(below(depth)), 0, 4).Draw(t, "map")
	case form == 1 && depth > 0:
		return rapid.SliceOfN(rapid.Custom(below(depth)), 0, 4).Draw(t, "list")
	case form == 2:
		return rapid.Int64().Draw(t, "whole")
	case form == 3:
		return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
	case form == 4:
		return rapid.SampledFrom([]any{nil, true, false, 0.1, 1e21, 1e-7, 1.5e6}).Draw(t, "constant")
	case form == 5:
		return rapid.SampledFrom(odd).Draw(t, "text")
	}
	return rapid.StringMatching(`[a-zA-Z0-9 .:/_#"'\\{}-]{0,40}`).Draw(t, "random")
}

func below(depth int) func(*rapid.T) any {
	return func(t *rapid.T) any { return drawn(t, depth-1) }
}

// odd are texts that need care.
var odd = []string{
	"yes", "n", "Off", "~", "null", "", "1:30", "0644", "1e3", "- a", "a: b", "#", " a", "a ", "a\nb", "a\nb\n", "{", "'",
	`"`, "@x",
	"=", "0x1F", "2020-01-01", "1_000", "é\t日本", "!x", "&x", "*", "%", "--- a", "+", "0b1", ".5", "...", "a\u0001b",
	"a\u2028b",
	"long words that go on and on, past the eightieth column of the line, where some libraries break them",
}

var key = rapid.StringMatching(`[a-zA-Z./_-]{1,12}|y|on|true|10|9|a b`)

// What is written is, byte by byte, what Kubernetes' library writes.
func TestAsKubernetesWrites(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawn(t, 3)
		want, err := yaml.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Long lists are written in pieces, and byte by byte what they are when written whole.
func TestInPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(below(2)), 0, 5).Draw(t, "parts")
		v := map[string]any{key.Draw(t, "key"): drawn(t, 2)}
		var long []any
		for range rapid.IntRange(0, 2*most).Draw(t, "times") {
			long = append(long, list...)
		}
		v[key.Draw(t, "long")] = long
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		root, err := node(d)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		if err := add(&want, root, nil, false); err != nil {
			t.Fatal(err)
		}
		if got, err := InOrder(raw); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%v\n%s\n---\n%s", err, got, want.Bytes())
		}
	})
}

// Keys in order make the same text where they are sorted.
func TestInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawn(t, 3)
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got, err := InOrder(raw)
		if err != nil {
			t.Fatal(err)
		}
		back, err := yaml.YAMLToJSON(got)
		if err != nil {
			t.Fatalf("%s: %v", got, err)
		}
		var x, y any
		if err := json.Unmarshal(back, &x); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &y); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(y, x); diff != "" {
			t.Fatalf("%s\n%s", got, diff)
		}
	})
	const want = "b: 1\na:\n- \"yes\"\n- 1.5\n- null\n- true\n- z: 'a: b'\n  \"y\": {}\n"
	got, err := InOrder([]byte(`{"b": 1, "a": ["yes", 1.5, null, true, {"z": "a: b", "y": {}}]}`))
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
}
