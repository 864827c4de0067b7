package report

import (
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/yamlout"
)

// toJSON writes v as indented JSON. Characters of HTML stay as they are: the
// output is not for embedding.
func toJSON(v any) (string, error) {
	b, err := marshal(v)
	if err != nil {
		return "", err
	}
	return string(b), nil
}

// toYAML writes what toJSON writes as YAML, with the keys in the same order.
func toYAML(v any) (string, error) {
	b, err := marshal(v)
	if err != nil {
		return "", err
	}
	b, err = yamlout.InOrder(b)
	return string(b), err
}

func marshal(v any) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("json: %w", err)
	}
	return append(table.Escaped(b, jsonEscape), '\n'), nil
}

// WriteJSON writes a document that is no answer of this package, as toJSON does.
func WriteJSON(w io.Writer, v any) error {
	text, err := toJSON(v)
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
