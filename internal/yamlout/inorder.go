package yamlout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v4"

	"plimsoll.dev/internal/table"
)

// InOrder writes a JSON text as YAML, with the keys in the order of the text.
func InOrder(raw []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	first, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("json: %w", err)
	}
	var out bytes.Buffer
	if first != json.Delim('{') || !d.More() {
		root, err := begun(d, first)
		err = add(&out, root, err, false)
		return out.Bytes(), err
	}
	for err == nil && d.More() {
		err = field(&out, d)
	}
	if err == nil {
		_, err = d.Token()
	}
	return out.Bytes(), err
}

// add writes a value, without its first line if that is to be cut.
func add(out *bytes.Buffer, n *yaml.Node, err error, cut bool) error {
	if err != nil {
		return err
	}
	text, err := dump(n)
	if cut {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	out.Write(table.Escaped(text, func(r rune) string { return fmt.Sprintf(`\U%08x`, r) }))
	return err
}

// most parts of a list are written at once. A library that writes a whole document
// needs hundreds of times its size.
const most = 64

// plain keys stand on a line of their own above a list.
var plain = regexp.MustCompile(`^[A-Za-z]{1,64}$`)

// field writes the next key of the outermost object with its value, a list piece by
// piece: each as if it was the whole, but for the line of the key.
func field(out *bytes.Buffer, d *json.Decoder) error {
	key, err := node(d)
	if err != nil {
		return err
	}
	value, err := d.Token()
	if err != nil {
		return fmt.Errorf("json: %w", err)
	}
	if value != json.Delim('[') || !plain.MatchString(key.Value) || !d.More() {
		whole, err := begun(d, value)
		return add(out, mapping(key, whole), err, false)
	}
	for cut := false; err == nil && d.More(); cut = true {
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for err == nil && len(list.Content) < most && d.More() {
			var part *yaml.Node
			part, err = node(d)
			list.Content = append(list.Content, part)
		}
		err = add(out, mapping(key, list), err, cut)
	}
	if err == nil {
		_, err = d.Token()
	}
	return err
}

func mapping(key, value *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}}
}

// node reads the next JSON value.
func node(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("json: %w", err)
	}
	return begun(d, token)
}

// begun reads the JSON value that begins with a token.
func begun(d *json.Decoder, token json.Token) (*yaml.Node, error) {
	switch t := token.(type) {
	case json.Delim:
		n := &yaml.Node{Kind: yaml.SequenceNode}
		if t == '{' {
			n.Kind = yaml.MappingNode
		}
		for d.More() {
			part, err := node(d)
			if err != nil {
				return nil, err
			}
			n.Content = append(n.Content, part)
		}
		_, err := d.Token()
		return n, err
	case string:
		return text(t), nil
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(number(t))}, nil
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: "null"}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: fmt.Sprint(token)}, nil
}
