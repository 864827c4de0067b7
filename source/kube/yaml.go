package kube

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"plimsoll.dev/internal/yamlpos"
)

// Limits of what is made of one document, so that a small hostile file can't
// take all memory.
const (
	maxDepth   = 200     // levels of nesting
	maxAliased = 200_000 // values that stand for aliases, each time counted
	// So many bytes of an aliased text count as a value.
	aliasedText = 64
	// Longer documents with an error are not read a second time for its column.
	maxSecondLook = 1 << 20
)

// errHelm says that a text is a Helm template that was not rendered.
var errHelm = errors.New("a Helm template")

// readYAML reads all documents of a text, whose first byte stands in line. It
// is the parser that kubectl uses too, so what kubectl reads is read here. The
// problems of a document that can't be read end the text.
func readYAML(file string, text []byte, line int, each func(value)) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var root yaml.Node
		err := decode(decoder, &root)
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return syntaxProblem(file, text, line, err)
		}
		g := grower{file: file, shift: line - 1}
		t, err := g.tree(&root, 0)
		switch {
		case err != nil && g.oddKey && bytes.Contains(text, []byte("{{")):
			return errHelm
		case err != nil:
			return err
		case t.kind != nothing:
			each(newTree(file, t))
		}
	}
}

// decode reads the next document. Should the parser ever panic, the user's file
// is still only a file that can't be read.
func decode(d *yaml.Decoder, root *yaml.Node) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("yaml: the parser gave up")
		}
	}()
	return d.Decode(root)
}

var (
	parserLine = regexp.MustCompile(`^yaml: line (\d+): `)
	helmLine   = regexp.MustCompile(`(?m)^\{\{`)
)

// isHelm says whether an error in line at comes from the actions of a template:
// one stands near it, or at the start of a line, where YAML can't have any.
func isHelm(text []byte, at int) bool {
	lines := bytes.Split(text, []byte("\n"))
	near := bytes.Join(lines[min(max(0, at-4), len(lines)):min(at+2, len(lines))], []byte("\n"))
	return bytes.Contains(near, []byte("{{")) || helmLine.Match(text)
}

// syntaxProblem is the parser's error with its position. The parser knows the
// line only and is often one off, so the document is read again by a parser
// that knows the column.
func syntaxProblem(file string, text []byte, line int, err error) error {
	message := err.Error()
	at := 1
	if m := parserLine.FindStringSubmatch(message); m != nil {
		at, _ = strconv.Atoi(m[1])
		message = message[len(m[0]):]
	}
	if isHelm(text, at) {
		return errHelm
	}
	message = strings.TrimPrefix(message, "yaml: ")
	doc, shift := documentAround(text, at)
	if len(doc) <= maxSecondLook && !strings.Contains(message, "max depth") {
		if _, found := yamlpos.Parse(file, doc); len(found) > 0 {
			for i := range found {
				found[i].Line += shift + line - 1
			}
			return found
		}
	}
	return yamlpos.Problems{{File: file, Line: at + line - 1, Col: 1, What: "the YAML can't be read: " + message}}
}

// documentAround cuts the document out of text that line at is in, and says how
// many lines stand before it.
func documentAround(text []byte, at int) ([]byte, int) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at = min(max(at, 1), len(lines))
	first, last := at-1, at
	for first > 0 && !bytes.HasPrefix(lines[first], []byte("---")) {
		first--
	}
	for last < len(lines) && !bytes.HasPrefix(lines[last], []byte("---")) {
		last++
	}
	return bytes.Join(lines[first:last], nil), first
}

// grower makes trees of the parser's nodes.
type grower struct {
	file    string
	shift   int // lines before the text
	aliased int
	inAlias int
	oddKey  bool // a key was a mapping, as {{ }} is in YAML
}

func (g *grower) problem(n *yaml.Node, what, fix string) error {
	return yamlpos.Problems{{File: g.file, Line: max(1, n.Line+g.shift), Col: max(1, n.Column), What: what, Fix: fix}}
}

func (g *grower) tree(n *yaml.Node, depth int) (*tree, error) {
	if depth > maxDepth {
		return nil, g.problem(n, "the nesting is too deep", fmt.Sprintf("at most %d levels are read", maxDepth))
	}
	if g.inAlias > 0 {
		if g.aliased += 1 + len(n.Value)/aliasedText; g.aliased > maxAliased {
			return nil, g.problem(n, "the aliases stand for too many values", fmt.Sprintf("at most %d are read", maxAliased))
		}
	}
	t := &tree{line: n.Line + g.shift, col: n.Column}
	switch n.Kind {
	case yaml.DocumentNode:
		if len(n.Content) == 0 {
			return t, nil
		}
		return g.tree(n.Content[0], depth)
	case yaml.AliasNode:
		g.inAlias++
		defer func() { g.inAlias-- }()
		return g.tree(n.Alias, depth+1)
	case yaml.ScalarNode:
		if n.ShortTag() != "!!null" {
			t.kind, t.text = scalar, []byte(n.Value)
		}
		return t, nil
	case yaml.SequenceNode:
		return g.list(t, n, depth)
	case yaml.MappingNode:
		return g.mapping(t, n, depth)
	}
	return t, nil
}

func (g *grower) list(t *tree, n *yaml.Node, depth int) (*tree, error) {
	t.kind = list
	for _, c := range n.Content {
		kid, err := g.tree(c, depth+1)
		if err != nil {
			return nil, err
		}
		t.kids = append(t.kids, kid)
	}
	return t, nil
}

func (g *grower) mapping(t *tree, n *yaml.Node, depth int) (*tree, error) {
	t.kind = mapping
	seen := make(map[string]int, len(n.Content)/2)
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, v := n.Content[i], n.Content[i+1]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			g.oddKey = true
			return nil, g.problem(key, "a key is not text", "write key: value")
		}
		if key.ShortTag() == "!!merge" {
			merges = append(merges, v)
			continue
		}
		if line, twice := seen[key.Value]; twice {
			return nil, g.problem(key, fmt.Sprintf("the key %q stands twice", key.Value), fmt.Sprintf("the first is in line %d; remove one", line+g.shift))
		}
		seen[key.Value] = key.Line
		kid, err := g.tree(v, depth+1)
		if err != nil {
			return nil, err
		}
		t.keys, t.kids = append(t.keys, []byte(key.Value)), append(t.kids, kid)
	}
	for _, m := range merges {
		if err := g.merge(t, m, seen, depth); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// merge adds the entries of what << stands for, unless t has the key.
func (g *grower) merge(t *tree, m *yaml.Node, seen map[string]int, depth int) error {
	from, err := g.tree(m, depth+1)
	if err != nil {
		return err
	}
	sources := []*tree{from}
	if from.kind == list {
		sources = from.kids
	}
	for _, s := range sources {
		for i, key := range s.keys {
			if _, ok := seen[string(key)]; ok {
				continue
			}
			seen[string(key)] = s.kids[i].line
			t.keys, t.kids = append(t.keys, key), append(t.kids, s.kids[i])
		}
	}
	return nil
}
