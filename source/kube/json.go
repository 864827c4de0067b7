package kube

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// The functions of this file read JSON that jsontext found valid; they check
// nothing again and are an order of magnitude faster for it.

func jsonKind(first byte) kind {
	switch first {
	case '{':
		return mapping
	case '[':
		return list
	case 'n':
		return nothing
	}
	return scalar
}

func (v value) jsonFields(yield func([]byte, value) bool) {
	d, text := v.doc, v.doc.text
	i := skipSpace(text, v.at+1)
	for text[i] != '}' {
		end := skipString(text, i)
		key := unquote(text[i:end])
		child := value{doc: d, at: skipSpace(text, skipSpace(text, end)+1)}
		if !yield(key, child) {
			return
		}
		if i = skipSpace(text, d.end(child.at)); text[i] == ',' {
			i = skipSpace(text, i+1)
		}
	}
	d.doneAt, d.doneEnd = v.at, i+1
}

func (v value) jsonElems(yield func(value) bool) {
	d, text := v.doc, v.doc.text
	i := skipSpace(text, v.at+1)
	for text[i] != ']' {
		if !yield(value{doc: d, at: i}) {
			return
		}
		if i = skipSpace(text, d.end(i)); text[i] == ',' {
			i = skipSpace(text, i+1)
		}
	}
	d.doneAt, d.doneEnd = v.at, i+1
}

func (v value) jsonBytes() []byte {
	text := v.doc.text[v.at:]
	if text[0] == '"' {
		return unquote(text[:skipString(text, 0)])
	}
	return text[:skipWord(text, 0)]
}

// end is the offset behind the value at offset i.
func (d *document) end(i int) int {
	if d.doneAt == i {
		return d.doneEnd
	}
	return skipValue(d.text, i)
}

// position counts lines on from the last place that was asked for.
func (d *document) position(at int) (line, col int) {
	if at < d.countedAt {
		d.countedAt, d.countedLine = 0, d.line
	}
	line = d.countedLine + bytes.Count(d.text[d.countedAt:at], []byte{'\n'})
	d.countedAt, d.countedLine = at, line
	start := bytes.LastIndexByte(d.text[:at], '\n') + 1
	col = 1 + utf8.RuneCount(d.text[start:at])
	if start == 0 {
		col += d.col - 1
	}
	return line, col
}

func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\n' || text[i] == '\t' || text[i] == '\r') {
		i++
	}
	return i
}

// skipValue is the offset behind the value that begins at i.
func skipValue(text []byte, i int) int {
	switch text[i] {
	case '"':
		return skipString(text, i)
	case '{', '[':
	default:
		return skipWord(text, i)
	}
	for depth := 0; ; i++ {
		switch text[i] {
		case '"':
			i = skipString(text, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// skipString is the offset behind the string that begins at i.
func skipString(text []byte, i int) int {
	i++
	for {
		i += bytes.IndexByte(text[i:], '"')
		escapes := 0
		for text[i-1-escapes] == '\\' {
			escapes++
		}
		i++
		if escapes%2 == 0 {
			return i
		}
	}
}

// skipWord is the offset behind a number, true, false or null.
func skipWord(text []byte, i int) int {
	for i < len(text) {
		switch text[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
	return i
}

// unquote is what stands in a string with its quotes.
func unquote(quoted []byte) []byte {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return inner
	}
	// The text is valid, so there is no error.
	out, _ := jsontext.AppendUnquote(nil, quoted)
	return out
}
