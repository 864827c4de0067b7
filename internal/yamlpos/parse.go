package yamlpos

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// Limits of a document: a small hostile file must not take all memory or stack.
const (
	MaxDepth = 64        // levels of nesting
	MaxSigns = 1_000_000 // colons, commas, line ends and so on
	MaxNodes = 500_000   // values, those of aliases counted each time
)

// Limits of [Documents], which reads what programs write.
const (
	maxDepthOfAll = 200
	maxAliased    = 200_000 // values that stand for aliases, each time counted
	// So many bytes of a text count as a value.
	aliasedText = 64
)

// Parse reads the one document of a YAML or JSON text. name is the file's name
// for messages. Without problems the tree has a root, otherwise it is nil.
func Parse(name string, source []byte) (*Tree, Problems) {
	plain, ps := plainText(name, source)
	if len(ps) == 0 {
		ps = directive(name, plain)
	}
	if len(ps) > 0 {
		return nil, ps
	}
	b := newBuilder(name, plain)
	b.strict, b.deepest = true, MaxDepth
	root := b.onlyDocument()
	b.problems.Sort()
	if len(b.problems) > 0 {
		return nil, b.problems
	}
	return &Tree{Name: name, Source: source, Root: root}, nil
}

// ParseAt is Parse for a text that begins in a line of its file, from 1: positions
// are those of the file.
func ParseAt(name string, source []byte, line int) (*Tree, Problems) {
	tree, ps := Parse(name, source)
	ps.shift(line - 1)
	if tree != nil && line > 1 {
		tree.First = line
		shift(tree.Root, line-1, map[*Node]bool{})
	}
	return tree, ps
}

// Documents gives each document of a text, whose first byte stands in a line of its
// file, to the function, as kubectl reads it: with tags, and aliases for keys; empty
// ones are passed over. Problems end the text. syntax reports that they are of the
// syntax, so that the text may be no YAML at all.
func Documents(name string, source []byte, line int, each func(*Node)) (ps Problems, syntax bool) {
	b := newBuilder(name, unixLines(source))
	b.deepest = maxDepthOfAll
	for doc := b.next(); doc != nil; doc = b.next() {
		b.written, b.merged = 0, 0
		clear(b.anchors)
		root := b.value(doc.Content[0], 1)
		if len(b.problems) > 0 {
			break
		}
		if root.Kind != Null {
			shift(root, line-1, map[*Node]bool{})
			each(root)
		}
	}
	b.problems.shift(line - 1)
	b.problems.Sort()
	return b.problems, b.syntax
}

// shift moves a node and all below it down, each once: an alias is the node that
// the anchor stands on.
func shift(n *Node, by int, seen map[*Node]bool) {
	if by == 0 || seen[n] {
		return
	}
	seen[n] = true
	n.Line += by
	for _, item := range n.Items {
		shift(item, by, seen)
	}
	for i := range n.Entries {
		n.Entries[i].Line += by
		shift(n.Entries[i].Value, by, seen)
	}
}

// next is the next document that is not empty, nil at the end and for one that
// can't be read.
func (b *builder) next() *yaml.Node {
	for {
		doc := &yaml.Node{}
		switch err := b.load(doc); {
		case err == io.EOF:
			return nil
		case err != nil:
			b.syntax = true
			b.explain(err)
			return nil
		case len(doc.Content) > 0 && !isNothing(doc.Content[0]):
			return doc
		}
	}
}

// load reads the next document. Should the library ever panic, the user's file is
// still only a file that can't be read.
func (b *builder) load(doc *yaml.Node) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("write it in a plainer form")
		}
	}()
	return b.loader.Load(doc)
}

// onlyDocument is the value of the only document that is not empty.
func (b *builder) onlyDocument() *Node {
	doc := b.next()
	switch second := b.next(); {
	case second != nil:
		b.bad(place{second.Line, second.Column}, "a second document begins here", "put each document into a file of its own")
	case len(b.problems) > 0:
	case doc == nil:
		b.bad(place{1, 1}, emptyWhat, "")
	default:
		return b.value(doc.Content[0], 1)
	}
	return nil
}

// isNothing reports whether nothing is written where a value could stand.
func isNothing(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.Value == "" && n.Style == 0 && n.Anchor == ""
}

// directive finds a line with % before the document.
func directive(name string, text []byte) Problems {
	at := 0
	for line := range bytes.Lines(text) {
		at++
		switch {
		case line[0] == '%':
			return Problems{{File: name, Line: at, Col: 1, What: "directives are not supported",
				Fix: "remove the line; quote a value that begins with %"}}
		case line[0] != '#' && len(bytes.TrimSpace(line)) > 0:
			return nil
		}
	}
	return nil
}

func (b *builder) tooDeep(at place) {
	b.bad(at, "the nesting is too deep", fmt.Sprintf("at most %d levels are read", b.deepest))
}
