package report

import (
	"bytes"
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
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	tree, err := ordered(d)
	if err != nil {
		return "", fmt.Errorf("json: %w", err)
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

// ordered reads the next JSON value; objects keep the order of their keys.
func ordered(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t := token.(type) {
	case json.Delim:
		if t == '{' {
			return orderedMap(d)
		}
		list := []any{}
		for d.More() {
			item, err := ordered(d)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
		}
		_, err := d.Token()
		return list, err
	case json.Number:
		if n, err := t.Int64(); err == nil {
			return n, nil
		}
		return t.Float64()
	}
	return token, nil
}

func orderedMap(d *json.Decoder) (any, error) {
	m := yaml.MapSlice{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := ordered(d)
		if err != nil {
			return nil, err
		}
		m = append(m, yaml.MapItem{Key: key, Value: value})
	}
	_, err := d.Token()
	return m, err
}
