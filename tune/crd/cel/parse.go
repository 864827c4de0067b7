// Package cel evaluates the rules that definitions of kinds hold in the Common Expression Language: the part of the
// language that the definitions use which package crd knows, with the functions of Kubernetes among it.
//
// It bounds no cost, checks no types before it evaluates, and refuses what it doesn't know when it parses.
//
//	e, err := cel.Parse("self.all(x, x.startsWith('subnet-'))")
//	ok, err := e.Eval([]any{"subnet-1"}) // true
package cel

import (
	"fmt"
	"strconv"
	"strings"
)

// Expr is a rule.
type Expr struct {
	text string
	node *node
	// Transition is set for rules about a change, which name what was before.
	Transition bool
}

// node is a part of a rule. Its value is worked out by eval; name is set for a plain name, field and of for the
// selection of a field.
type node struct {
	eval  func(scope) (any, error)
	name  string
	field string
	of    *node
}

// scope are the variables by name.
type scope map[string]any

// Parse reads a rule.
func Parse(text string) (*Expr, error) {
	tokens, err := scan(text)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	p := &parser{tokens: tokens}
	n := p.expr()
	if p.err == nil && p.peek().kind != end {
		p.fail("%q stands after the end", p.peek().text)
	}
	if p.err != nil {
		return nil, fmt.Errorf("%q: %w", text, p.err)
	}
	return &Expr{text: text, node: n, Transition: p.transition}, nil
}

// parser goes through the tokens; the first error stays.
type parser struct {
	tokens     []token
	at         int
	err        error
	transition bool
}

func (p *parser) fail(format string, args ...any) *node {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
	return &node{}
}

func (p *parser) peek() token { return p.tokens[p.at] }

// take goes on when the next token is one of these signs, and says which.
func (p *parser) take(signs ...string) string {
	if t := p.peek(); t.kind == sign && p.err == nil {
		for _, s := range signs {
			if t.text == s {
				p.at++
				return s
			}
		}
	}
	return ""
}

func (p *parser) want(s string) {
	if p.take(s) == "" {
		p.fail("%q stands where %q is expected", p.peek().text, s)
	}
}

func (p *parser) expr() *node {
	n := p.either(0)
	if p.take("?") == "" {
		return n
	}
	yes := p.expr()
	p.want(":")
	return choice(n, yes, p.expr())
}

// levels are the operators, from those that bind least.
var levels = [][]string{{"||"}, {"&&"}, {"==", "!=", "<=", ">=", "<", ">", "in"}, {"+", "-"}, {"*", "/", "%"}}

func (p *parser) either(level int) *node {
	if level == len(levels) {
		return p.unary()
	}
	n := p.either(level + 1)
	for p.err == nil {
		op := p.take(levels[level]...)
		if op == "" {
			break
		}
		right := p.either(level + 1)
		if op == "*" || op == "/" || op == "%" {
			return p.fail("%s is not known", op)
		}
		n = binary(op, n, right)
	}
	return n
}

func (p *parser) unary() *node {
	switch p.take("!", "-") {
	case "!":
		return not(p.unary())
	case "-":
		return minus(p.unary())
	}
	n := p.primary()
	for p.err == nil {
		switch p.take(".", "[") {
		case ".":
			n = p.member(n)
		case "[":
			i := p.expr()
			p.want("]")
			n = index(n, i)
		default:
			return n
		}
	}
	return n
}

func (p *parser) primary() *node {
	t := p.peek()
	switch t.kind {
	case text:
		p.at++
		return constant(t.text)
	case number:
		p.at++
		if i, err := strconv.ParseInt(t.text, 0, 64); err == nil {
			return constant(i)
		}
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil {
			return p.fail("%q is no number", t.text)
		}
		return constant(f)
	case word:
		p.at++
		if p.take("(") != "" {
			return p.call(nil, t.text)
		}
		return p.named(t.text)
	}
	switch p.take("(", "[") {
	case "(":
		n := p.expr()
		p.want(")")
		return n
	case "[":
		return list(p.args("]"))
	}
	return p.fail("%q is not expected", t.text)
}

func (p *parser) named(name string) *node {
	switch name {
	case "true", "false":
		return constant(name == "true")
	case "null":
		return constant(nil)
	case "format":
		return constant(formats{})
	case "oldSelf":
		p.transition = true
	}
	return variable(name)
}

// member reads a field or a call after a point.
func (p *parser) member(of *node) *node {
	t := p.peek()
	if t.kind != word {
		return p.fail("%q is no name", t.text)
	}
	p.at++
	if p.take("(") != "" {
		return p.call(of, t.text)
	}
	return selected(of, t.text)
}

// args reads what stands up to a closing sign.
func (p *parser) args(closing string) (out []*node) {
	for p.err == nil && p.take(closing) == "" {
		if len(out) > 0 {
			p.want(",")
		}
		out = append(out, p.expr())
	}
	return out
}

func (p *parser) call(of *node, name string) *node {
	args := p.args(")")
	if p.err != nil {
		return &node{}
	}
	switch {
	case name == "has" && of == nil && len(args) == 1 && args[0].of != nil:
		return present(args[0])
	case of != nil && len(args) == 2 && args[0].name != "" && folds[name] != nil:
		return fold(of, args[0].name, args[1], folds[name])
	}
	if of != nil {
		args = append([]*node{of}, args...)
	}
	f, ok := functions[name]
	if !ok || len(args) < f.least || len(args) > f.most {
		return p.fail("the function %s with %d arguments is not known", name, len(args))
	}
	return called(f.of, args)
}

type token struct {
	kind kind
	text string
}

type kind int

const (
	end kind = iota
	sign
	word
	number
	text
)

// scan cuts a rule into tokens.
func scan(s string) (out []token, err error) {
	for i := 0; i < len(s); {
		c := s[i]
		j := i + 1
		switch {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			i++
			continue
		case c == '\'' || c == '"':
			for j < len(s) && s[j] != c {
				if s[j] == '\\' {
					j++
				}
				j++
			}
			if j >= len(s) {
				return nil, fmt.Errorf("a text has no end")
			}
			j++
			t, err := unquote(s[i+1 : j-1])
			if err != nil {
				return nil, err
			}
			out = append(out, token{text, t})
		case letter(c):
			for j < len(s) && (letter(s[j]) || digit(s[j])) {
				j++
			}
			k := word
			if s[i:j] == "in" {
				k = sign
			}
			out = append(out, token{k, s[i:j]})
		case digit(c):
			for j < len(s) && (digit(s[j]) || s[j] == '.') {
				j++
			}
			out = append(out, token{number, s[i:j]})
		default:
			if j < len(s) && strings.Contains("|| && == != <= >=", s[i:j+1]) && s[j] != ' ' {
				j++
			}
			out = append(out, token{sign, s[i:j]})
		}
		i = j
	}
	return append(out, token{end, "the end"}), nil
}

func letter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// unquote takes the escapes out of a text.
func unquote(s string) (string, error) {
	var out strings.Builder
	for rest := s; rest != ""; {
		if rest[0] == '"' || rest[0] == '\'' {
			out.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		quote := byte('"')
		if strings.HasPrefix(rest, `\'`) {
			quote = '\''
		}
		r, _, tail, err := strconv.UnquoteChar(rest, quote)
		if err != nil {
			return "", fmt.Errorf("an escape in %q is not known", s)
		}
		out.WriteRune(r)
		rest = tail
	}
	return out.String(), nil
}
