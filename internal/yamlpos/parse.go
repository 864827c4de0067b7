package yamlpos

import (
	"bytes"
	"errors"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Parse reads the one document of a YAML or JSON text. name is the file's name
// for messages. Without problems the tree has a root, otherwise it is nil.
func Parse(name string, source []byte) (*Tree, Problems) {
	plain, ps := plainText(name, source)
	if len(ps) > 0 {
		return nil, ps
	}
	plain = blankTabs(plain)
	tokens, problem := tokenize(name, plain)
	if problem != nil {
		return nil, Problems{*problem}
	}
	text := newText(plain)
	if ps := checkTokens(name, tokens, text); len(ps) > 0 {
		ps.Sort()
		return nil, ps
	}
	file, problem := parseTokens(name, tokens)
	if problem != nil {
		return nil, Problems{*problem}
	}
	body, problem := onlyDocument(name, file)
	if problem != nil {
		return nil, Problems{*problem}
	}
	b := newBuilder(name, text)
	root := b.value(body, place{line: 1, col: 1})
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
	for i := range ps {
		ps[i].Line += line - 1
	}
	if tree != nil && line > 1 {
		tree.First = line
		shift(tree.Root, line-1, map[*Node]bool{})
	}
	return tree, ps
}

// shift moves a node and all below it down, each once: an alias is the node that
// the anchor stands on.
func shift(n *Node, by int, seen map[*Node]bool) {
	if seen[n] {
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

// blankTabs makes a blank of each tab that does not stand in the indentation.
// The scanner would drop a tab within a plain text and read 1<tab>6 as 16.
func blankTabs(text []byte) []byte {
	if bytes.IndexByte(text, '\t') < 0 {
		return text
	}
	out := bytes.Clone(text)
	indenting := true
	for i, c := range out {
		switch {
		case c == '\n':
			indenting = true
		case c == '\t' && !indenting:
			out[i] = ' '
		case c != ' ' && c != '\t':
			indenting = false
		}
	}
	return out
}

// tokenize runs the YAML scanner.
func tokenize(name string, text []byte) (tokens token.Tokens, problem *Problem) {
	defer survive(name, &problem)
	return lexer.Tokenize(string(text)), nil
}

// survive makes a problem of a panic in the YAML library: a file that trips it
// is still only a file that can't be read.
func survive(name string, problem **Problem) {
	if recover() != nil {
		*problem = &Problem{File: name, Line: 1, Col: 1, What: "the YAML can't be read", Fix: "write it in a plainer form"}
	}
}

// parseTokens runs the YAML parser.
func parseTokens(name string, tokens token.Tokens) (file *ast.File, problem *Problem) {
	defer survive(name, &problem)
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err == nil {
		return file, nil
	}
	var syntax interface {
		GetToken() *token.Token
		GetMessage() string
	}
	if !errors.As(err, &syntax) {
		return nil, &Problem{File: name, Line: 1, Col: 1, What: err.Error()}
	}
	p := syntaxProblem(syntax.GetMessage(), syntax.GetToken())
	p.File = name
	return nil, &p
}

// onlyDocument is the body of the file's only document that is not empty.
func onlyDocument(name string, file *ast.File) (ast.Node, *Problem) {
	var body ast.Node
	for _, doc := range file.Docs {
		if isEmpty(doc.Body) {
			continue
		}
		if body != nil {
			at := doc.Start
			if at == nil {
				at = firstToken(doc.Body)
			}
			return nil, &Problem{File: name, Line: at.Position.Line, Col: max(1, at.Position.Column),
				What: "a second document begins here", Fix: "put each document into a file of its own"}
		}
		body = doc.Body
	}
	if body == nil {
		return nil, &Problem{File: name, Line: 1, Col: 1, What: "the file is empty"}
	}
	return body, nil
}

// firstToken is where a value begins: a mapping's own token is its first colon.
func firstToken(n ast.Node) *token.Token {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return m.Values[0].Key.GetToken()
	}
	return n.GetToken()
}

func isEmpty(body ast.Node) bool {
	switch n := body.(type) {
	case nil:
		return true
	case *ast.CommentGroupNode:
		return true
	case *ast.NullNode:
		return n.Token.Type == token.ImplicitNullType
	}
	return false
}
