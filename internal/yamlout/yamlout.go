// Package yamlout writes YAML as Kubernetes' own tools lay it out: what a value is as
// JSON, in blocks, the dashes of a list below its key. It reads nothing; package
// yamlpos does.
//
//	text, err := yamlout.Marshal(object)
package yamlout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"

	"plimsoll.dev/internal/table"
)

// Marshal writes what v is as JSON, with the keys sorted.
func Marshal(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("json: %w", err)
	}
	return FromJSON(raw)
}

// FromJSON writes a JSON text as YAML, with the keys sorted.
func FromJSON(raw []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("json: %w", err)
	}
	return dump(numbers(v))
}

// numbers makes numbers of those that stand in v as texts.
func numbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = numbers(x)
		}
	case []any:
		for i, x := range v {
			v[i] = numbers(x)
		}
	case json.Number:
		return number(v)
	}
	return v
}

func number(n json.Number) any {
	if i, err := n.Int64(); err == nil {
		return i
	}
	f, err := n.Float64()
	if err != nil {
		return n.String()
	}
	return f
}

func dump(v any) ([]byte, error) {
	text, err := yaml.Dump(v, yaml.WithV2Defaults(), yaml.WithCompactSeqIndent())
	if err != nil {
		return nil, fmt.Errorf("yaml: %w", err)
	}
	return text, nil
}

// old finds what is a word today, and was a boolean or a number to the base of 60 in
// YAML 1.1, which Kubernetes reads.
var old = regexp.MustCompile(`^(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF|<<|` +
	`[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?)$`)

func text(s string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
	switch {
	case strings.ContainsFunc(s, func(r rune) bool { return r >= 0x7f && table.Harmful(r) }):
		n.Style = yaml.DoubleQuotedStyle
	case strings.Contains(s, "\n"):
		n.Style = yaml.LiteralStyle
	case old.MatchString(s):
		n.Style = yaml.DoubleQuotedStyle
	}
	return n
}
