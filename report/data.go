package report

import (
	"encoding/json"
	"fmt"

	"go.yaml.in/yaml/v2"
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
	var tree yaml.MapSlice // keeps the order of keys, at every depth
	if err := yaml.Unmarshal(b, &tree); err != nil {
		return "", fmt.Errorf("yaml: %w", err)
	}
	out, err := yaml.Marshal(tree)
	if err != nil {
		return "", fmt.Errorf("yaml: %w", err)
	}
	return string(out), nil
}

func marshal(v any) ([]byte, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("json: %w", err)
	}
	return append(b, '\n'), nil
}
