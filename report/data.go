package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/yamlout"
)

// toJSON writes v as indented JSON, and by whom it is made. Characters of HTML stay as
// they are: the output is not for embedding.
func toJSON(v any, by v1alpha1.Build) (string, error) {
	b, err := marshal(v, by)
	if err != nil {
		return "", err
	}
	return string(b), nil
}

// toYAML writes what toJSON writes as YAML, with the keys in the same order.
func toYAML(v any, by v1alpha1.Build) (string, error) {
	b, err := marshal(v, by)
	if err != nil {
		return "", err
	}
	b, err = yamlout.InOrder(b)
	return string(b), err
}

func marshal(v any, by v1alpha1.Build) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	b = shallow(b)
	if err == nil && by != (v1alpha1.Build{}) {
		b, err = stamped(b, by)
	}
	if err != nil {
		return nil, fmt.Errorf("json: %w", err)
	}
	return append(table.Escaped(b, jsonEscape), '\n'), nil
}

// mostLevels is how many levels of an answer have lines of their own. Proofs are deeper, and
// would be blanks for the most part.
const mostLevels = 12

// shallow writes what is deeper on the lines of what it is in.
func shallow(b []byte) []byte {
	out := make([]byte, 0, len(b))
	joined := false
	for line := range bytes.Lines(b) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		text := bytes.TrimLeft(line, " ")
		closes := len(text) > 0 && (text[0] == '}' || text[0] == ']')
		if deep := len(line)-len(text) > 2*mostLevels; deep || joined && closes {
			if bytes.HasSuffix(out, []byte(",")) {
				out = append(out, ' ')
			}
			out = append(out, text...)
			joined = deep
			continue
		}
		if len(out) > 0 {
			out = append(out, '\n')
		}
		out = append(out, line...)
	}
	return out
}

// stamped is a document that says after its kind by whom it is made. What makes
// documents need know nothing of builds.
func stamped(b []byte, by v1alpha1.Build) ([]byte, error) {
	at := bytes.Index(b, []byte("\n  \"kind\": "))
	if at < 0 {
		return b, nil
	}
	at += 1 + bytes.IndexByte(b[at+1:], '\n')
	text, err := json.MarshalIndent(by, "  ", "  ")
	return slices.Concat(b[:at], []byte("\n  \"madeBy\": "), text, []byte(","), b[at:]), err
}

// WriteJSON writes a document that is no answer of this package, as toJSON does.
func WriteJSON(w io.Writer, v any, by v1alpha1.Build) error {
	text, err := toJSON(v, by)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// jsonEscape is a character as JSON spells it: people page through JSON on terminals.
func jsonEscape(r rune) string {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return fmt.Sprintf(`\u%04x\u%04x`, high, low)
	}
	return fmt.Sprintf(`\u%04x`, r)
}
