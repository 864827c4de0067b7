package openstack

import (
	"bytes"
	"fmt"
	"io"

	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/unit"
)

// What a laptop's memory holds; nobody's figures. 100,000 servers are about 70 MB.
const (
	maxSize  = 256 * unit.MiB
	maxDepth = 32
)

// table reads the rows of a list, or of the one list that a mapping holds under
// the given name; a mapping without it is a row of its own. It hands each row to
// the function and keeps none.
type table struct {
	file string
	text []byte
	list string
	row  func(*yamlpos.Node)
	bad  yamlpos.Problems
	// The place of the last position that was asked for, which only moves on.
	offset, line, col int
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// readTable reads the whole text. The error is one of reading, not of what is read.
func readTable(r io.Reader, file, list string, row func(*table, *yamlpos.Node)) (*table, error) {
	text, err := io.ReadAll(io.LimitReader(r, int64(maxSize)+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	t := &table{file: file, text: bytes.TrimPrefix(text, byteOrderMark), list: list, line: 1, col: 1}
	t.row = func(n *yamlpos.Node) { row(t, n) }
	switch body := bytes.TrimLeft(t.text, " \t\r\n"); {
	case unit.Bytes(len(text)) > maxSize:
		t.problem(1, 1, "the file is too large", fmt.Sprintf("at most %s are read", unit.FormatBytes(maxSize)))
	case len(body) == 0:
		t.problem(1, 1, "the file is empty", "write it with -f json")
	case bytes.HasPrefix(body, []byte("+--")):
		t.problem(1, 1, "a table for people can't be read", "write it with -f json")
	case body[0] == '[' || body[0] == '{':
		t.readJSON()
	default:
		t.readYAML()
	}
	return t, nil
}

// err is what is wrong, with the lines of the text; nil when nothing is.
func (t *table) err() error {
	if len(t.bad) == 0 {
		return nil
	}
	t.bad.Sort()
	t.bad.TakeExcerpts(t.text, 1, 1)
	return t.bad
}

func (t *table) problem(line, col int, what, fix string) {
	t.bad.Add(yamlpos.Problem{File: t.file, Line: line, Col: col, What: what, Fix: fix})
}

func (t *table) at(n *yamlpos.Node, what, fix string) { t.problem(n.Line, n.Col, what, fix) }

// place is where a node stands, for what is skipped.
func (t *table) place(n *yamlpos.Node) string { return fmt.Sprintf("%s:%d", t.file, n.Line) }

func (t *table) readYAML() {
	tree, problems := yamlpos.Parse(t.file, t.text)
	if len(problems) > 0 {
		t.bad = problems
		return
	}
	root := tree.Root
	if e := root.Entry(t.list); e != nil && root.Kind == yamlpos.Map {
		root = e.Value
	}
	switch root.Kind {
	case yamlpos.List:
		for _, item := range root.Items {
			t.item(item)
		}
	case yamlpos.Map:
		t.row(root)
	default:
		t.at(root, "is no list", "write it with -f json")
	}
}

// item hands on a row, which must be a mapping.
func (t *table) item(n *yamlpos.Node) {
	if n.Kind != yamlpos.Map {
		t.at(n, "a row is "+n.Kind.String()+", not a mapping of column and value", "write it with -f json")
		return
	}
	t.row(n)
}
