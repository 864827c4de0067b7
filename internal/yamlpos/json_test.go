package yamlpos

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// JSON is read as JSON, where it is no YAML as well: escapes of surrogates, and line
// separators in a line.
func TestJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		odd := []string{"😀", "a\u2028b", "\u2029", "x\u0085", "</p>", `\ud83d\ude00`, "- a: b"}
		allowed := func(s string) bool { return !strings.ContainsFunc(s, refused) }
		texts := rapid.OneOf(rapid.String().Filter(allowed), rapid.SampledFrom(odd))
		want := map[string]any{}
		for range rapid.IntRange(0, 5).Draw(t, "keys") {
			inner := map[string]any{"k": rapid.Float64().Draw(t, "number")}
			want[texts.Draw(t, "key")] = []any{texts.Draw(t, "text"), inner, nil, true}
		}
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		source := written(string(raw), rapid.Bool().Draw(t, "ascii"))
		tree, ps := Parse("f", []byte(source))
		if len(ps) > 0 {
			t.Fatalf("%s\n%v", source, ps)
		}
		if diff := cmp.Diff(any(want), plain(t, tree.Root.Value())); diff != "" {
			t.Fatalf("%s\n(-want +got):\n%s", source, diff)
		}
	})
}

// refused reports whether a text file must not hold a character that JSON lets stand.
func refused(r rune) bool { return r >= 0x7f && forbidden(r) }

// written is JSON with what Go escapes as it is, or with all escaped that is no ASCII.
func written(raw string, ascii bool) string {
	if !ascii {
		return strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029").Replace(raw)
	}
	var b strings.Builder
	for _, r := range raw {
		switch high, low := utf16.EncodeRune(r); {
		case r < 0x80:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.String()
}
