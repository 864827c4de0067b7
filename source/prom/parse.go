package prom

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// node is a part of an expression: a selector of series, of a range of time where that is set, or a function of one.
type node struct {
	function string
	quantile float64
	of       *node
	metric   string
	equal    [][2]string
	back     time.Duration
}

// functions that are evaluated, each with whether it is of a range.
var functions = map[string]bool{"rate": true, "increase": true, "max_over_time": true, "min_over_time": true,
	"histogram_quantile": false}

// parse reads an expression.
func parse(text string) (*node, error) {
	p := parser{rest: strings.TrimSpace(text)}
	n, err := p.expression()
	if err == nil && p.rest != "" {
		err = fmt.Errorf("%q is not understood", p.rest)
	}
	if err == nil && n.back > 0 {
		err = fmt.Errorf("a range has no value")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", text, err)
	}
	return n, nil
}

type parser struct {
	rest  string
	depth int
}

// The words of an expression.
var (
	nameWord   = regexp.MustCompile(`^[a-zA-Z_:][a-zA-Z0-9_:]*`)
	numberWord = regexp.MustCompile(`^[0-9.]+`)
	rangeWord  = regexp.MustCompile(`^\[([0-9]+)([smhdw])\]`)
	equalWord  = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"([^"\\]*)"`)
)

// word takes what a pattern matches, with the space behind it; nil where it does not.
func (p *parser) word(pattern *regexp.Regexp) []string {
	m := pattern.FindStringSubmatch(p.rest)
	if m != nil {
		p.rest = strings.TrimSpace(p.rest[len(m[0]):])
	}
	return m
}

// mark takes one character.
func (p *parser) mark(c string) bool {
	rest, ok := strings.CutPrefix(p.rest, c)
	if ok {
		p.rest = strings.TrimSpace(rest)
	}
	return ok
}

func (p *parser) expression() (*node, error) {
	const deepest = 8
	if p.depth++; p.depth > deepest {
		return nil, fmt.Errorf("it is nested deeper than %d", deepest)
	}
	name := p.word(nameWord)
	if name == nil {
		return nil, fmt.Errorf("a name is missing before %q", p.rest)
	}
	if p.mark("(") {
		return p.call(name[0])
	}
	n := &node{metric: name[0]}
	if p.mark("{") {
		for !p.mark("}") {
			m := p.word(equalWord)
			if m == nil {
				return nil, fmt.Errorf(`%q is no label="value"`, p.rest)
			}
			n.equal = append(n.equal, [2]string{m[1], m[2]})
			p.mark(",")
		}
	}
	if m := p.word(rangeWord); m != nil {
		count, err := strconv.Atoi(m[1])
		if err != nil || count < 1 || count > 100_000 {
			return nil, fmt.Errorf("%s is no range", m[0])
		}
		n.back = time.Duration(count) * map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour,
			"d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[m[2]]
	}
	return n, nil
}

// call is a function with what it is of.
func (p *parser) call(name string) (*node, error) {
	ranged, known := functions[name]
	if !known {
		return nil, fmt.Errorf("the function %s is not evaluated", name)
	}
	n := &node{function: name}
	if name == "histogram_quantile" {
		m := p.word(numberWord)
		if m == nil || !p.mark(",") {
			return nil, fmt.Errorf("%s has no quantile", name)
		}
		var err error
		if n.quantile, err = strconv.ParseFloat(m[0], 64); err != nil || n.quantile > 1 {
			return nil, fmt.Errorf("%s is no quantile", m[0])
		}
	}
	var err error
	if n.of, err = p.expression(); err != nil {
		return nil, err
	}
	if !p.mark(")") {
		return nil, fmt.Errorf("a ) is missing before %q", p.rest)
	}
	if (n.of.back > 0) != ranged {
		return nil, fmt.Errorf("%s is of a range: %v", name, ranged)
	}
	return n, nil
}

// window is the range that an expression looks back.
func (n *node) window() time.Duration {
	for ; n != nil; n = n.of {
		if n.back > 0 {
			return n.back
		}
	}
	return 0
}

// selected is the selector in an expression.
func (n *node) selected() *node {
	for n.of != nil {
		n = n.of
	}
	return n
}

// String is the expression as it is written.
func (n *node) String() string {
	switch {
	case n.function == "histogram_quantile":
		return fmt.Sprintf("%s(%v, %v)", n.function, n.quantile, n.of)
	case n.function != "":
		return fmt.Sprintf("%s(%v)", n.function, n.of)
	}
	out := n.metric
	if len(n.equal) > 0 {
		out += "{"
		for i, e := range n.equal {
			if i > 0 {
				out += ","
			}
			out += e[0] + "=" + strconv.Quote(e[1])
		}
		out += "}"
	}
	if n.back > 0 {
		out += fmt.Sprintf("[%ds]", int(n.back.Seconds()))
	}
	return out
}
