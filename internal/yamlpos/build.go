package yamlpos

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// builder turns the library's tree into ours: scalars classified, aliases resolved,
// keys judged, positions put right.
type builder struct {
	name     string
	text     text
	loader   *yaml.Loader
	strict   bool // refuse the corners of YAML that surprise people
	deepest  int  // levels that are read
	anchors  map[*yaml.Node]*Node
	marks    bool // there may be a key with ? before it
	written  int  // values so far, aliases counted once
	merged   int  // entries that << has added so far
	syntax   bool
	problems Problems
}

// place is a position in the text.
type place struct{ line, col int }

func newBuilder(name string, source []byte) *builder {
	b := &builder{name: name, text: text{source: hideBreaks(source)}, anchors: map[*yaml.Node]*Node{}}
	b.marks = bytes.Contains(source, []byte("? "))
	b.loader, _ = yaml.NewLoader(bytes.NewReader(b.text.source)) // only options can fail
	return b
}

func (b *builder) bad(at place, what, fix string) {
	b.problems.Add(Problem{File: b.name, Line: at.line, Col: at.col, What: what, Fix: fix})
}

// value builds the node of n, which stands so many levels deep.
func (b *builder) value(n *yaml.Node, depth int) *Node {
	at := b.place(n)
	out := &Node{Line: at.line, Col: at.col}
	switch {
	case depth > b.deepest:
		b.tooDeep(at)
		return b.finish(out)
	case n.Kind == yaml.AliasNode:
		return b.alias(n, out, depth)
	case n.Anchor != "":
		b.anchors[n] = nil // until it is built
	}
	switch n.Kind {
	case yaml.SequenceNode:
		b.list(n, out, depth)
	case yaml.MappingNode:
		b.mapping(n, out, depth)
	default:
		out.Kind, out.Text = kindOf(n), showBreaks(n.Value)
	}
	out = b.finish(out)
	if n.Anchor != "" {
		b.anchors[n] = out
	}
	return out
}

// kindOf says what a scalar is.
func kindOf(n *yaml.Node) Kind {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	switch {
	case n.Style&yaml.TaggedStyle != 0 && n.Tag != "!!null" && n.Tag != "!!bool" && n.Tag != "!!int" && n.Tag != "!!float":
		return Text
	case n.Style&quoted != 0 && n.Style&yaml.TaggedStyle == 0:
		return Text
	}
	return classify(n.Value)
}

// place is where a value begins: behind its anchor and its tag.
func (b *builder) place(n *yaml.Node) place {
	at := place{n.Line, n.Column}
	if n.Kind == yaml.AliasNode || n.Anchor == "" && n.Style&yaml.TaggedStyle == 0 && n.Tag != "!" {
		return at
	}
	for sign := b.text.sign(at); sign == '&' || sign == '!'; sign = b.text.sign(at) {
		word, next := b.text.behind(at)
		if sign == '!' && b.strict {
			b.bad(at, fmt.Sprintf("the tag %s is not supported", Quote(word)), "remove it; quote a value that must stay text")
		}
		at = next
	}
	return at
}

func (b *builder) list(n *yaml.Node, out *Node, depth int) {
	out.Kind, out.Items = List, make([]*Node, 0, len(n.Content))
	for _, item := range n.Content {
		if b.strict && isNothing(item) {
			b.bad(place{item.Line, max(1, item.Column-1)}, "an empty item of a list",
				"write its value behind the dash, or remove the dash")
			continue
		}
		out.Items = append(out.Items, b.value(item, depth+1))
	}
}

func (b *builder) mapping(n *yaml.Node, out *Node, depth int) {
	out.Kind, out.Entries = Map, make([]Entry, 0, len(n.Content)/2)
	var merges []Entry
	seen := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := b.place(n.Content[i])
		key := b.key(n.Content[i], at)
		if key == nil {
			continue
		}
		e := Entry{Key: showBreaks(key.Value), Line: at.line, Col: at.col}
		b.judge(n, key, n.Content[i+1], at)
		merge := key.ShortTag() == "!!merge"
		first, twice := seen[e.Key]
		if twice && !merge {
			b.bad(at, fmt.Sprintf("the key %s stands twice", Quote(e.Key)),
				fmt.Sprintf("the first is in line %d; remove one", first))
			continue
		}
		if e.Value = b.value(n.Content[i+1], depth+1); e.Value.Kind == Null && e.Value.Text == "" {
			e.Value.Line, e.Value.Col = e.Line, e.Col
		}
		if merge {
			merges = append(merges, e)
			continue
		}
		seen[e.Key] = e.Line
		out.Entries = append(out.Entries, e)
	}
	for _, m := range merges {
		b.merge(out, m.Value, seen, place{m.Line, m.Col})
	}
}

// key is the scalar that a key is, nil for one that is none.
func (b *builder) key(key *yaml.Node, at place) *yaml.Node {
	if key.Kind == yaml.AliasNode {
		if b.strict {
			b.bad(at, "an alias can't be a key", "write the key out")
			return nil
		}
		key = key.Alias
	}
	if key.Kind != yaml.ScalarNode {
		b.syntax = true // most likely {{ }} of a template
		b.bad(at, "a key is not text", "write key: value")
		return nil
	}
	if key.Anchor != "" && b.anchors[key] == nil {
		b.anchors[key] = b.finish(&Node{Kind: kindOf(key), Line: at.line, Col: at.col, Text: showBreaks(key.Value)})
	}
	return key
}

// judge refuses keys that are hardly meant so.
func (b *builder) judge(n, key, value *yaml.Node, at place) {
	if !b.strict || key.Style != 0 {
		return
	}
	if mark, ok := b.text.mark(at); b.marks && ok {
		b.bad(mark, "keys with ? are not supported", "write key: value")
	}
	if key.Value > "\x80" {
		b.oddBlank(at)
	}
	if before, _, ok := strings.Cut(key.Value, ":"); ok && n.Style&yaml.FlowStyle != 0 && isNothing(value) {
		at.col += utf8.RuneCountInString(before)
		b.bad(at, tightWhat, tightFix)
	}
}

// merge adds the entries of from (what << stands for) whose keys were not seen
// in n before.
func (b *builder) merge(n, from *Node, seen map[string]int, at place) {
	switch from.Kind {
	case List:
		for _, item := range from.Items {
			if item.Kind != Map {
				b.bad(at, "<< takes mappings only", "write <<: *anchor")
				return
			}
			b.merge(n, item, seen, at)
		}
	case Map:
		if b.merged += len(from.Entries); b.merged > MaxNodes {
			b.tooMany(at)
			return
		}
		for _, e := range from.Entries {
			if _, ok := seen[e.Key]; !ok {
				seen[e.Key] = e.Line
				n.Entries = append(n.Entries, e)
			}
		}
	default:
		b.bad(at, "<< takes a mapping", "write <<: *anchor")
	}
}

// alias is the node that the anchor stands on, never a copy; none in place of one that
// stands within itself.
func (b *builder) alias(n *yaml.Node, none *Node, depth int) *Node {
	at := place{none.Line, none.Col}
	switch target := b.anchors[n.Alias]; {
	case target == nil:
		b.bad(at, fmt.Sprintf("the alias %s stands within its own anchor", Quote(n.Value)), "write the value out")
	case depth+target.depth-1 > b.deepest:
		b.tooDeep(at)
	default:
		return target
	}
	return b.finish(none)
}

// finish adds up what lies below a node and refuses too much of it. Aliases
// count each time, so that an alias bomb is found without being unfolded.
func (b *builder) finish(n *Node) *Node {
	own := 1
	if !b.strict {
		own += len(n.Text) / aliasedText
	}
	b.written += own
	n.size, n.depth = own, 1
	most := MaxNodes
	if !b.strict {
		most = b.written + maxAliased
	}
	add := func(child *Node) {
		n.size = min(n.size+child.size, most+1)
		n.depth = max(n.depth, child.depth+1)
	}
	for _, item := range n.Items {
		add(item)
	}
	for _, e := range n.Entries {
		add(e.Value)
	}
	if n.size > most {
		b.tooMany(place{n.Line, n.Col})
		// What was too much is dropped, so that it is said once.
		return &Node{Kind: Null, Line: n.Line, Col: n.Col, size: 1, depth: 1}
	}
	return n
}

func (b *builder) tooMany(at place) {
	what, most, also := "the aliases stand for too many values", maxAliased, ""
	if b.strict {
		what, most, also = "the document has too many values", MaxNodes, ", those of aliases counted each time"
	}
	b.bad(at, what, fmt.Sprintf("at most %d are read%s", most, also))
}
