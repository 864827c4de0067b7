package yamlpos

import (
	"fmt"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// builder turns the parser's tree into ours: scalars classified, aliases
// resolved, positions put right.
type builder struct {
	name     string
	text     text
	anchors  map[string]*Node // nil while the anchor's own value is being built
	merged   int              // entries that << has added so far
	problems Problems
}

// place is a position in the text.
type place struct{ line, col int }

func newBuilder(name string, text text) *builder {
	return &builder{name: name, text: text, anchors: map[string]*Node{}}
}

func (b *builder) bad(at place, what, fix string) {
	b.problems.Add(Problem{File: b.name, Line: at.line, Col: at.col, What: what, Fix: fix})
}

// value builds the node of n. at is the place of the colon, dash or comma before
// it, which serves when the parser misplaces it.
func (b *builder) value(n ast.Node, at place) *Node {
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.mapping(n, n.Values, at)
	case *ast.MappingValueNode:
		return b.mapping(n, []*ast.MappingValueNode{n}, at)
	case *ast.SequenceNode:
		return b.list(n, at)
	case *ast.AnchorNode:
		return b.anchor(n, at)
	case *ast.AliasNode:
		return b.alias(n, at)
	case *ast.LiteralNode:
		p := b.text.valuePlace(n.Start, at)
		return b.finish(&Node{Kind: Text, Line: p.line, Col: p.col, Text: n.Value.Value})
	case ast.ScalarNode:
		if n.GetToken().Type == token.ImplicitNullType {
			break
		}
		return b.scalar(n.GetToken(), at)
	}
	// What is left is nothing, or a comment alone.
	return b.finish(&Node{Kind: Null, Line: at.line, Col: at.col})
}

func (b *builder) scalar(t *token.Token, at place) *Node {
	p := b.text.valuePlace(t, at)
	n := &Node{Kind: Text, Line: p.line, Col: p.col, Text: t.Value}
	if t.Type != token.SingleQuoteType && t.Type != token.DoubleQuoteType {
		n.Kind = classify(t.Value)
	}
	return b.finish(n)
}

func (b *builder) list(n *ast.SequenceNode, at place) *Node {
	p := b.text.place(n.Start, at)
	out := &Node{Kind: List, Line: p.line, Col: p.col, Items: make([]*Node, 0, len(n.Values))}
	for i, v := range n.Values {
		dash := p
		if i < len(n.Entries) && n.Entries[i].Start != nil {
			dash = b.text.place(n.Entries[i].Start, p)
		}
		out.Items = append(out.Items, b.value(v, dash))
	}
	return b.finish(out)
}

func (b *builder) mapping(n ast.Node, values []*ast.MappingValueNode, at place) *Node {
	out := &Node{Kind: Map, Entries: make([]Entry, 0, len(values))}
	var merges []*ast.MappingValueNode
	seen := make(map[string]place, len(values))
	for _, v := range values {
		if v.Key.IsMergeKey() {
			merges = append(merges, v)
			continue
		}
		e := b.entry(v, at)
		if first, ok := seen[e.Key]; ok {
			b.bad(place{e.Line, e.Col}, fmt.Sprintf("the key %s stands twice", Quote(e.Key)), fmt.Sprintf("the first is in line %d; remove one", first.line))
			continue
		}
		seen[e.Key] = place{e.Line, e.Col}
		out.Entries = append(out.Entries, e)
	}
	p := b.mappingPlace(n, out, at)
	out.Line, out.Col = p.line, p.col
	for _, m := range merges {
		key := b.text.place(m.Key.GetToken(), at)
		b.merge(out, b.value(m.Value, key), seen, key)
	}
	return b.finish(out)
}

// mappingPlace is the opening bracket of a mapping, else its first key.
func (b *builder) mappingPlace(n ast.Node, out *Node, at place) place {
	if m, ok := n.(*ast.MappingNode); ok && m.IsFlowStyle {
		return b.text.place(m.Start, at)
	}
	if len(out.Entries) > 0 {
		return place{out.Entries[0].Line, out.Entries[0].Col}
	}
	return at
}

func (b *builder) entry(v *ast.MappingValueNode, at place) Entry {
	var key ast.Node = v.Key
	if a, ok := key.(*ast.AnchorNode); ok {
		key = a.Value
	}
	t := key.GetToken()
	p := b.text.place(t, at)
	if _, ok := key.(*ast.AliasNode); ok {
		b.bad(p, "an alias can't be a key", "write the key out")
	}
	e := Entry{Key: t.Value, Line: p.line, Col: p.col, Value: b.value(v.Value, b.text.place(v.Start, p))}
	if e.Value.Kind == Null && e.Value.Text == "" {
		e.Value.Line, e.Value.Col = p.line, p.col
	}
	return e
}

// merge adds the entries of from (what << stands for) whose keys were not seen
// in n before.
func (b *builder) merge(n, from *Node, seen map[string]place, at place) {
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
			b.bad(at, "the document has too many values", fmt.Sprintf("at most %d are read, those of aliases counted each time", MaxNodes))
			return
		}
		for _, e := range from.Entries {
			if _, ok := seen[e.Key]; !ok {
				seen[e.Key] = place{e.Line, e.Col}
				n.Entries = append(n.Entries, e)
			}
		}
	default:
		b.bad(at, "<< takes a mapping", "write <<: *anchor")
	}
}

func (b *builder) anchor(n *ast.AnchorNode, at place) *Node {
	name := n.Name.GetToken().Value
	b.anchors[name] = nil
	end := b.text.place(n.Name.GetToken(), at)
	end.col += utf8.RuneCountInString(name) - 1
	out := b.value(n.Value, end)
	b.anchors[name] = out
	return out
}

func (b *builder) alias(n *ast.AliasNode, at place) *Node {
	p := b.text.place(n.Start, at)
	name := n.Value.GetToken().Value
	switch target, ok := b.anchors[name]; {
	case !ok:
		b.bad(p, fmt.Sprintf("there is no anchor %s before this alias", Quote(name)), "write &"+printable([]byte(name))+" before the value that it stands for")
	case target == nil:
		b.bad(p, fmt.Sprintf("the alias %s stands within its own anchor", Quote(name)), "write the value out")
	default:
		return target
	}
	return b.finish(&Node{Kind: Null, Line: p.line, Col: p.col})
}

// finish adds up what lies below a node and refuses too much of it. Aliases
// count each time, so that an alias bomb is found without being unfolded.
func (b *builder) finish(n *Node) *Node {
	n.size, n.depth = 1, 1
	add := func(child *Node) {
		n.size = min(n.size+child.size, MaxNodes+1)
		n.depth = max(n.depth, child.depth+1)
	}
	for _, item := range n.Items {
		add(item)
	}
	for _, e := range n.Entries {
		add(e.Value)
	}
	switch {
	case n.size > MaxNodes:
		b.bad(place{n.Line, n.Col}, "the document has too many values", fmt.Sprintf("at most %d are read, those of aliases counted each time", MaxNodes))
	case n.depth > MaxDepth:
		b.bad(place{n.Line, n.Col}, "the nesting is too deep", fmt.Sprintf("at most %d levels are read", MaxDepth))
	default:
		return n
	}
	// What was too much is dropped, so that it is said once.
	return &Node{Kind: Null, Line: n.Line, Col: n.Col, size: 1, depth: 1}
}
