package kube

import (
	"cmp"
	"iter"
	"strconv"

	"plimsoll.dev/internal/yamlpos"
)

// value is a place in a parsed text: either in JSON, which is read where it
// stands and only as far as it is asked for, or in a tree, made of YAML or of a
// processed template. The zero value is nothing.
type value struct {
	doc  *document
	at   int           // offset in doc.text, when tree is nil
	tree *yamlpos.Node // nil for JSON
}

// document is the text that values point into.
type document struct {
	file string
	text []byte // JSON that was found valid
	line int    // line of the first byte, from 1
	col  int    // column of the first byte, from 1

	// The value that was last read to its end, so that the one who iterates over
	// its parent need not read it again.
	doneAt, doneEnd int
	// The place of the last position that was asked for: lines are counted onwards
	// from there.
	countedAt, countedLine int
}

// kind of a value.
type kind uint8

const (
	nothing kind = iota // absent or null
	scalar
	list
	mapping
)

func newJSON(file string, text []byte, line, col int) value {
	d := &document{file: file, text: text, line: line, col: col, doneAt: -1, countedLine: line}
	return value{doc: d, at: skipSpace(text, 0)}
}

func newTree(file string, t *yamlpos.Node) value {
	return value{doc: &document{file: file}, tree: t}
}

func (v value) kind() kind {
	switch {
	case v.doc == nil:
		return nothing
	case v.tree != nil:
		return treeKind(v.tree)
	}
	return jsonKind(v.doc.text[v.at])
}

func treeKind(n *yamlpos.Node) kind {
	switch n.Kind {
	case yamlpos.Null:
		return nothing
	case yamlpos.List:
		return list
	case yamlpos.Map:
		return mapping
	}
	return scalar
}

// fields yields the entries of a mapping, in the order of the text; nothing for
// any other value. A key is good until the next one.
func (v value) fields() iter.Seq2[[]byte, value] {
	switch {
	case v.kind() != mapping:
		return func(func([]byte, value) bool) {}
	case v.tree == nil:
		return v.jsonFields
	}
	return func(yield func([]byte, value) bool) {
		for _, e := range v.tree.Entries {
			if !yield([]byte(e.Key), value{doc: v.doc, tree: e.Value}) {
				return
			}
		}
	}
}

// elems yields the items of a list; nothing for any other value.
func (v value) elems() iter.Seq[value] {
	switch {
	case v.kind() != list:
		return func(func(value) bool) {}
	case v.tree == nil:
		return v.jsonElems
	}
	return func(yield func(value) bool) {
		for _, item := range v.tree.Items {
			if !yield(value{doc: v.doc, tree: item}) {
				return
			}
		}
	}
}

// bytes is the text of a scalar, without quotes and escapes; nil for any other
// value.
func (v value) bytes() []byte {
	switch {
	case v.kind() != scalar:
		return nil
	case v.tree != nil:
		return []byte(v.tree.Text)
	}
	return v.jsonBytes()
}

func (v value) text() string {
	if v.tree != nil && v.kind() == scalar {
		return v.tree.Text
	}
	return string(v.bytes())
}

// number is a scalar as a whole number, where it is written as one and not in
// quotes, else its text. In YAML quotes are not known any more: digits are a number.
func (v value) number() any {
	text := v.text()
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && (v.tree != nil || v.doc.text[v.at] != '"') {
		return n
	}
	return text
}

// is says whether the scalar is the word.
func (v value) is(word string) bool { return string(v.bytes()) == word }

// get follows the path of keys; the result is nothing where a key is missing.
func (v value) get(path ...string) value {
next:
	for _, key := range path {
		if v.tree != nil {
			e := v.tree.Entry(key)
			if e == nil {
				return value{}
			}
			v = value{doc: v.doc, tree: e.Value}
			continue
		}
		for k, f := range v.fields() {
			if string(k) == key {
				v = f
				continue next
			}
		}
		return value{}
	}
	return v
}

// position is the line and column of the value, from 1.
func (v value) position() (line, col int) {
	switch {
	case v.doc == nil:
		return 1, 1
	case v.tree != nil:
		return v.tree.Line, v.tree.Col
	}
	return v.doc.position(v.at)
}

// place is the value's file:line.
func (v value) place() place {
	if v.doc == nil {
		return place{}
	}
	line, col := v.position()
	return place{file: v.doc.file, line: line, col: col}
}

// place is a line of a file; the column orders what stands on one line.
type place struct {
	file      string
	line, col int
}

func (p place) String() string {
	if p.line == 0 {
		return p.file
	}
	return p.file + ":" + strconv.Itoa(p.line)
}

// before orders places as they stand: files have many lines, or all in one.
func (p place) before(q place) bool {
	return cmp.Or(compare(p.file, q.file), cmp.Compare(p.line, q.line), cmp.Compare(p.col, q.col)) < 0
}
