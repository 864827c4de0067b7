package yamlpos

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml/token"
)

// Limits of a document. The YAML parser recurses for each level and, within a
// mapping, for each key; without limits a hostile file would exhaust the stack,
// which a program can't recover from.
const (
	MaxDepth = 64        // levels of nesting
	MaxKeys  = 20_000    // keys of one mapping
	MaxSigns = 1_000_000 // colons, commas, line ends and so on
	MaxNodes = 500_000   // values, those of aliases counted each time
)

// guard looks at the tokens before they are parsed. It stands in for the
// parser's stack: columns are the open block levels, flow the open brackets.
type guard struct {
	name     string
	text     text
	columns  []column
	flow     []bracket
	problems Problems
}

// bracket is an open { or [, and whether a colon was seen since its last comma.
type bracket struct {
	opening *token.Token
	colon   bool
}

// column is an open block level: its column and the keys seen in it.
type column struct {
	col, keys int
}

// checkTokens refuses what the parser can't take safely and what this package
// doesn't support. Nothing is parsed when it finds something.
func checkTokens(name string, tokens token.Tokens, text text) Problems {
	g := guard{name: name, text: text}
	for _, t := range tokens {
		if t.Type == token.InvalidType || g.problems.Full() || !g.look(t) {
			break
		}
	}
	return g.problems
}

// look takes one token; false ends the check.
func (g *guard) look(t *token.Token) bool {
	switch first := t.Prev == nil || t.Prev.Position.Line < t.Position.Line; {
	case t.Type == token.CommentType:
		return true
	case first && len(g.flow) == 0 && !isBlockText(t):
		g.indentation(t)
	}
	switch t.Type {
	case token.TagType:
		g.bad(t, fmt.Sprintf("the tag %s is not supported", Quote(t.Value)), "remove it; quote a value that must stay text")
	case token.DirectiveType:
		g.bad(t, "directives are not supported", "remove the line; quote a value that begins with %")
	case token.MappingKeyType:
		g.bad(t, "keys with ? are not supported", "write key: value")
		return false
	case token.StringType:
		// The scanner takes "{a: 1 b: 2}" for one key with the value "1 b: 2".
		if len(g.flow) > 0 && strings.Contains(t.Value, ": ") {
			g.bad(t, "a comma is missing in "+Quote(t.Value), g.commaFix(t))
		}
	case token.DocumentEndType:
		if r, ok := g.text.at(place{t.Position.Line, t.Position.Column + len("...")}); ok && r != ' ' {
			g.bad(t, "nothing may follow the ...", "put a key that begins with dots in quotes")
		}
	case token.MappingStartType, token.SequenceStartType:
		g.flow = append(g.flow, bracket{opening: t})
	case token.MappingEndType, token.SequenceEndType:
		g.flow = g.flow[:max(0, len(g.flow)-1)]
	case token.CollectEntryType:
		g.colon(false)
	case token.SequenceEntryType:
		return g.item(t)
	case token.MappingValueType:
		return g.key(t)
	}
	return g.level(t)
}

// isBlockText says whether t is the text below a | or >.
func isBlockText(t *token.Token) bool {
	for t = t.Prev; t != nil && t.Type == token.CommentType; {
		t = t.Prev
	}
	return t != nil && (t.Type == token.LiteralType || t.Type == token.FoldedType)
}

// indentation refuses what only looks like blanks before the first token of a
// line: tabs, of which the parser takes some, and blanks of other scripts, which
// it takes for letters.
func (g *guard) indentation(t *token.Token) {
	p := place{t.Position.Line, 1}
	for r, ok := g.text.at(p); ok && unicode.IsSpace(r); r, ok = g.text.at(p) {
		switch r {
		case ' ':
		case '\t':
			g.problems.Add(Problem{File: g.name, Line: p.line, Col: p.col, What: tabWhat, Fix: tabFix})
			return
		default:
			g.problems.Add(Problem{File: g.name, Line: p.line, Col: p.col, What: fmt.Sprintf("the character %U stands in the indentation", r), Fix: tabFix})
			return
		}
		p.col++
	}
}

// item takes the dash before an item of a list. The parser would take what
// follows an empty item for its value.
func (g *guard) item(t *token.Token) bool {
	next := afterComments(t)
	if next == nil || next.Position.Line > t.Position.Line && next.Position.Column <= t.Position.Column {
		g.bad(t, "an empty item of a list", "write its value behind the dash, or remove the dash")
	}
	return g.open(t, t.Position.Column, 0)
}

// key takes the colon after a key.
func (g *guard) key(t *token.Token) bool {
	switch {
	case t.Prev == nil:
		return true
	case len(g.flow) > 0:
		return g.flowKey(t)
	case t.Prev.Position.Line != t.Position.Line:
		g.looseColon(t)
		return false
	}
	g.value(t)
	return g.open(t.Prev, t.Prev.Position.Column, 1)
}

// flowKey takes the colon after a key in brackets.
func (g *guard) flowKey(t *token.Token) bool {
	if g.colon(true) {
		g.bad(t.Prev, "a comma is missing before "+Quote(t.Prev.Value), g.commaFix(t))
		return false
	}
	// Other parsers take a:b for text, this one for a key and its value.
	r, ok := g.text.at(place{t.Position.Line, t.Position.Column + 1})
	quoted := t.Prev.Type == token.DoubleQuoteType || t.Prev.Type == token.SingleQuoteType
	if ok && !quoted && !strings.ContainsRune(" \t,[]{}", r) {
		g.bad(t, "no blank stands behind the colon", "write key: value, or put a text with a colon in quotes")
	}
	return true
}

// value refuses a value below its key that is not indented; the parser would
// take it.
func (g *guard) value(colon *token.Token) {
	next, key := afterComments(colon), colon.Prev.Position
	if next == nil || next.Position.Line == colon.Position.Line || next.Next != nil && next.Next.Type == token.MappingValueType {
		return
	}
	switch next.Type {
	case token.SequenceEntryType, token.DocumentHeaderType, token.DocumentEndType, token.AnchorType, token.AliasType:
		return
	}
	if p := g.text.after(place{colon.Position.Line, colon.Position.Column}); p.line > key.Line && p.col <= key.Column {
		g.problems.Add(Problem{File: g.name, Line: p.line, Col: p.col, What: "this is neither a key nor indented as a value",
			Fix: "write key: value, or indent it deeper than the key above"})
	}
}

// afterComments is the token behind t and its comments; nil at the end.
func afterComments(t *token.Token) *token.Token {
	for t = t.Next; t != nil && t.Type == token.CommentType; {
		t = t.Next
	}
	return t
}

// commaFix advises on a missing comma: in a later line, it may be the bracket
// that was not closed.
func (g *guard) commaFix(t *token.Token) string {
	const fix = "separate the entries in brackets by commas"
	open := g.flow[len(g.flow)-1].opening
	if open.Position.Line == t.Position.Line {
		return fix
	}
	return fmt.Sprintf("%s, or close the %s of line %d", fix, open.Value, open.Position.Line)
}

// looseColon explains a colon whose key does not begin in its line.
func (g *guard) looseColon(t *token.Token) {
	p := Problem{File: g.name, Line: t.Position.Line, What: "a key must be one line with a colon behind it", Fix: "write key: value"}
	if t.Prev.Type == token.StringType && t.Prev.Prev != nil && t.Prev.Prev.Type == token.MappingValueType {
		p.What = "the line is indented deeper than the one above and so continues its value"
		p.Fix = "indent the keys of one mapping equally"
	}
	p.Col = g.text.after(place{t.Position.Line, 0}).col
	g.problems.Add(p)
}

// colon marks that a colon was seen in the innermost bracket, or forgets it,
// and says what was the case before.
func (g *guard) colon(seen bool) bool {
	if len(g.flow) == 0 {
		return false
	}
	b := &g.flow[len(g.flow)-1]
	before := b.colon
	b.colon = seen
	return before
}

// open enters the block level of a column, or goes on with it.
func (g *guard) open(t *token.Token, col, keys int) bool {
	for len(g.columns) > 0 && g.top().col > col {
		g.columns = g.columns[:len(g.columns)-1]
	}
	if len(g.columns) == 0 || g.top().col < col {
		g.columns = append(g.columns, column{col: col})
	}
	g.top().keys += keys
	if g.top().keys > MaxKeys {
		g.bad(t, "the mapping has too many keys", fmt.Sprintf("at most %d are read", MaxKeys))
		return false
	}
	return g.level(t)
}

func (g *guard) level(t *token.Token) bool {
	if len(g.columns)+len(g.flow) <= MaxDepth {
		return true
	}
	g.bad(t, "the nesting is too deep", fmt.Sprintf("at most %d levels are read", MaxDepth))
	return false
}

func (g *guard) top() *column { return &g.columns[len(g.columns)-1] }

func (g *guard) bad(t *token.Token, what, fix string) {
	g.problems.Add(Problem{File: g.name, Line: t.Position.Line, Col: max(1, t.Position.Column), What: what, Fix: fix})
}
