package report

import (
	"encoding/json"
	"fmt"

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
	return append(b, '\n'), nil
}
