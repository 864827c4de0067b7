package table

import (
	"bytes"
	"testing"
)

// What could move the cursor, hide text or turn its direction becomes visible; lines,
// tabs and words of all languages stay.
func TestWriter(t *testing.T) {
	for in, want := range map[string]string{
		"a\tb\nc\n":                    "a\tb\nc\n",
		"Gr\u00fc\u00dfe \u65e5\u672c": "Gr\u00fc\u00dfe \u65e5\u672c",
		"\x1b]0;title\a\x1b[2J":        `\x1b]0;title\x07\x1b[2J`,
		"over\rwritten\x7f":            `over\x0dwritten\x7f`,
		"c1 \u009b31m":                 `c1 \x9b31m`,
		"\u202egnp.exe\u2066":          `\u{202e}gnp.exe\u{2066}`,
		"\xff|":                        "\ufffd|",
	} {
		var whole, bytewise bytes.Buffer
		if n, err := NewWriter(&whole).Write([]byte(in)); n != len(in) || err != nil {
			t.Fatalf("%q: wrote %d, %v", in, n, err)
		}
		w := NewWriter(&bytewise)
		for i := range len(in) {
			if _, err := w.Write([]byte(in[i : i+1])); err != nil {
				t.Fatal(err)
			}
		}
		if whole.String() != want || bytewise.String() != want {
			t.Errorf("%q: got %q and %q, want %q", in, whole.String(), bytewise.String(), want)
		}
	}
}
