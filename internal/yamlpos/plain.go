package yamlpos

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// PlainJSON appends to out, as JSON, a mapping that a program has written: in blocks, each scalar on its line, folded,
// or as a literal block, without anchors, tags and comments. It is what [Documents] and [Node.Value] make of the text,
// ten times as fast. Of all else, what is wrong included, it says not ok: then those are to be asked.
func PlainJSON(out, text []byte) (_ []byte, ok bool) {
	if !onlyPlain(text) || !bytes.HasSuffix(text, []byte("\n")) {
		return out, false
	}
	p := plainReader{text: bytes.TrimPrefix(text, []byte("---\n")), out: out}
	p.step()
	if p.over() || p.at('-') {
		return out, false
	}
	p.mapping(p.indent, 0)
	return p.out, !p.bad && p.over()
}

// plainReader reads a text line by line.
type plainReader struct {
	text []byte // from the line on that is read next
	out  []byte
	// line is what is left of the line that is read, without its indent and its end. It is empty at the end of the text.
	line   []byte
	indent int
	gap    bool // blank lines stand above it
	bad    bool
}

func (p *plainReader) over() bool { return len(p.line) == 0 }

// step goes to the next line that is not blank.
func (p *plainReader) step() {
	p.line, p.gap = nil, false
	for len(p.text) > 0 && len(p.line) == 0 {
		line := p.cut()
		p.indent = 0
		for p.indent < len(line) && line[p.indent] == ' ' {
			p.indent++
		}
		p.line = line[p.indent:]
		p.gap = p.gap || len(p.line) == 0
	}
	if p.over() {
		return
	}
	if p.line[0] == '#' || p.line[len(p.line)-1] == ' ' || p.indent == 0 &&
		(bytes.HasPrefix(p.line, []byte("---")) || bytes.HasPrefix(p.line, []byte("..."))) {
		p.refuse()
	}
}

// cut takes a line off the text.
func (p *plainReader) cut() []byte {
	end := bytes.IndexByte(p.text, '\n')
	if end < 0 {
		line := p.text
		p.text = nil
		return line
	}
	line := p.text[:end]
	p.text = p.text[end+1:]
	return line
}

// refuse ends the text.
func (p *plainReader) refuse() { p.bad, p.line, p.text = true, nil, nil }

// at says whether the line begins with an indicator: a dash, say, and a blank behind it.
func (p *plainReader) at(sign byte) bool {
	return len(p.line) > 0 && p.line[0] == sign && (len(p.line) == 1 || p.line[1] == ' ')
}

// deepestPlain bounds levels; programs write ten or twenty.
const deepestPlain = 100

// mapping reads a mapping whose keys stand so far to the right, beginning with the line that is read.
func (p *plainReader) mapping(indent, depth int) {
	var known [24][]byte // a mapping that has more keys is left to others
	keys := known[:0]
	p.out = append(p.out, '{')
	for !p.over() && p.indent == indent && !p.at('-') {
		key, rest, ok := splitKey(p.line)
		if !ok || slices.ContainsFunc(keys, func(k []byte) bool { return bytes.Equal(k, key) }) || depth > deepestPlain {
			p.refuse()
			return
		}
		if len(keys) > 0 {
			p.out = append(p.out, ',')
		}
		keys = append(keys, key)
		p.out = append(appendJSON(p.out, key), ':')
		if len(rest) == 0 {
			p.below(indent, depth)
			continue
		}
		p.line = rest
		p.scalar(indent)
	}
	if p.indent > indent && !p.over() {
		p.refuse()
	}
	p.out = append(p.out, '}')
}

// below reads the value of a key that has nothing behind it: a list may stand in the key's own column.
func (p *plainReader) below(indent, depth int) {
	p.step()
	switch {
	case p.over() || p.indent < indent || p.indent == indent && !p.at('-'):
		p.out = append(p.out, "null"...)
	case p.at('-'):
		p.list(p.indent, depth+1)
	case isKey(p.line):
		p.mapping(p.indent, depth+1)
	default:
		p.refuse() // a scalar in a line of its own
	}
}

// list reads a list whose dashes stand so far to the right.
func (p *plainReader) list(indent, depth int) {
	p.out = append(p.out, '[')
	for n := 0; !p.over() && p.indent == indent && p.at('-'); n++ {
		if n > 0 {
			p.out = append(p.out, ',')
		}
		p.item(indent, depth)
	}
	if p.indent > indent && !p.over() {
		p.refuse()
	}
	p.out = append(p.out, ']')
}

// item reads what stands behind a dash: the lines below it that are part of it stand below its first character.
func (p *plainReader) item(indent, depth int) {
	rest := bytes.TrimLeft(p.line[1:], " ")
	if len(rest) == 0 || depth > deepestPlain {
		p.refuse()
		return
	}
	p.indent, p.line = p.indent+len(p.line)-len(rest), rest
	switch {
	case p.at('-'):
		p.list(p.indent, depth+1)
	case isKey(p.line):
		p.mapping(p.indent, depth+1)
	default:
		p.scalar(indent)
	}
}

// scalar reads what is left of the line; what belongs to it must not stand further to the left than behind indent.
func (p *plainReader) scalar(indent int) {
	switch c := p.line[0]; c {
	case '|':
		p.literal(indent)
	case '"', '\'':
		p.quoted(indent)
	case '{', '[':
		if text := string(p.line); text != "{}" && text != "[]" {
			p.refuse()
			return
		}
		p.out = append(p.out, p.line...)
		if p.step(); !p.over() && p.indent > indent {
			p.refuse()
		}
	default:
		p.plain(indent)
	}
}

// further goes to the next line of a scalar that is folded.
func (p *plainReader) further(indent int) bool {
	if p.line[len(p.line)-1] == '\\' {
		return false
	}
	p.step()
	return !p.over() && !p.gap && p.indent > indent
}

// mostFolds bounds the lines of a folded scalar, each of which is read again with those above it: longer ones are left
// to others.
const mostFolds = 100

// quoted reads a text in quotes.
func (p *plainReader) quoted(indent int) {
	text, rest, ok := quoted(p.line)
	folds := 0
	for long := p.line; !ok; folds++ {
		sign := long[0]
		if folds == mostFolds || !p.further(indent) {
			p.refuse()
			return
		}
		long = slices.Concat(long, []byte(" "), p.line)
		if bytes.IndexByte(p.line, sign) >= 0 {
			text, rest, ok = quoted(long)
		}
	}
	p.out = appendJSON(p.out, text)
	if p.step(); len(rest) > 0 || !p.over() && p.indent > indent {
		p.refuse()
	}
}

// plain reads a scalar without quotes, as what it is.
func (p *plainReader) plain(indent int) {
	if !isPlain(p.line) {
		p.refuse()
		return
	}
	line, folds := p.line, 0
	for p.step(); !p.over() && p.indent > indent; p.step() { // it is folded
		if folds++; folds > mostFolds || p.gap || !isPlain(p.line) {
			p.refuse()
			return
		}
		line = slices.Concat(line, []byte(" "), p.line)
	}
	text := string(line)
	switch classify(text) {
	case Null:
		p.out = append(p.out, "null"...)
	case Bool:
		p.out = strconv.AppendBool(p.out, text[0] == 't' || text[0] == 'T')
	case Int, Float:
		number, err := json.Marshal(number(text))
		if err != nil { // infinite, or no number at all
			p.refuse()
			return
		}
		p.out = append(p.out, number...)
	default:
		p.out = appendJSON(p.out, line)
	}
}

// literal reads a block whose lines count as they are.
func (p *plainReader) literal(indent int) {
	head := string(p.line)
	if head != "|" && head != "|-" {
		p.refuse()
		return
	}
	var body []byte
	deep, blank := 0, 0
	for len(p.text) > 0 {
		before := p.text
		line := p.cut()
		own := 0
		for own < len(line) && line[own] == ' ' && (deep == 0 || own < deep) {
			own++
		}
		if own == len(line) { // nothing, or no more than the indent
			blank++
			if deep == 0 && own > 0 {
				p.refuse()
				return
			}
			continue
		}
		if deep == 0 && own > indent {
			deep = own
		}
		if deep == 0 || own < deep {
			p.text = before
			break
		}
		for ; blank > 0; blank-- {
			body = append(body, '\n')
		}
		body = append(append(body, line[deep:]...), '\n')
	}
	if head == "|-" {
		body = bytes.TrimSuffix(body, []byte("\n"))
	}
	p.out = appendJSON(p.out, body)
	p.step()
}
