package openstack

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"plimsoll.dev/internal/yamlpos"
)

var (
	errDeep = errors.New("values are nested too deeply")
	errMore = errors.New("text follows the list")
	// errFull ends reading when there are enough problems.
	errFull = errors.New("too many problems")
)

// readJSON reads row by row: a list of servers is too long for a tree.
func (t *table) readJSON() {
	d := jsontext.NewDecoder(bytes.NewBuffer(t.text))
	err := t.top(d)
	offset := d.InputOffset()
	if err == nil {
		if _, err = d.ReadToken(); err == nil {
			err = errMore
		}
	}
	if err == io.EOF || err == errFull {
		return
	}
	what := err.Error()
	rest := t.text[min(offset, int64(len(t.text))):]
	offset += int64(len(rest) - len(bytes.TrimLeft(rest, " \t\r\n")))
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		offset = syntax.ByteOffset
		if syntax.Err != nil {
			what = syntax.Err.Error()
		}
	}
	t.offset, t.line, t.col = 0, 1, 1 // the decoder may have read on
	t.move(int(min(offset, int64(len(t.text)))))
	t.problem(t.line, t.col, "the JSON can't be read: "+what, "write it with -f json, and keep it as it is")
}

// top reads the list, or the mapping that holds it.
func (t *table) top(d *jsontext.Decoder) error {
	if d.PeekKind() == '[' {
		return t.items(d)
	}
	n, listed := t.start(d), false
	n.Kind = yamlpos.Map
	err := t.members(d, func(e yamlpos.Entry) error {
		if e.Key == t.list && d.PeekKind() == '[' {
			listed = true
			return t.items(d)
		}
		return t.keep(d, n, e, 1)
	})
	if err == nil && !listed && text(cell(n, "kind")) != KindSnapshot { // one without such a list has no rows of it
		t.row(n)
	}
	return err
}

// items hands on the items of the list that comes next.
func (t *table) items(d *jsontext.Decoder) error {
	return each(d, ']', func() error {
		n, err := t.value(d, 1)
		if err != nil {
			return err
		}
		if t.item(n); t.bad.Full() {
			return errFull
		}
		return nil
	})
}

// each reads an opening token, calls next until the closing one comes, and reads that.
func each(d *jsontext.Decoder, closing jsontext.Kind, next func() error) error {
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != closing {
		if err := next(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// members calls read for each key of the mapping that comes next; it reads the value.
func (t *table) members(d *jsontext.Decoder, read func(yamlpos.Entry) error) error {
	return each(d, '}', func() error {
		at := t.start(d)
		key, err := d.ReadToken()
		if err != nil {
			return err
		}
		return read(yamlpos.Entry{Key: key.String(), Line: at.Line, Col: at.Col})
	})
}

// keep reads the value of a key into the mapping.
func (t *table) keep(d *jsontext.Decoder, n *yamlpos.Node, e yamlpos.Entry, depth int) (err error) {
	e.Value, err = t.value(d, depth)
	n.Entries = append(n.Entries, e)
	return err
}

// value reads the value that comes next.
func (t *table) value(d *jsontext.Decoder, depth int) (*yamlpos.Node, error) {
	n := t.start(d)
	switch kind := d.PeekKind(); {
	case depth > maxDepth:
		return n, errDeep
	case kind == '[':
		n.Kind = yamlpos.List
		return n, each(d, ']', func() error {
			item, err := t.value(d, depth+1)
			n.Items = append(n.Items, item)
			return err
		})
	case kind == '{':
		n.Kind = yamlpos.Map
		return n, t.members(d, func(e yamlpos.Entry) error { return t.keep(d, n, e, depth+1) })
	}
	token, err := d.ReadToken()
	if err != nil {
		return n, err
	}
	n.Kind, n.Text = yamlpos.Text, token.String()
	switch token.Kind() {
	case 'n':
		n.Kind, n.Text = yamlpos.Null, ""
	case 't', 'f':
		n.Kind = yamlpos.Bool
	case '0':
		n.Kind = yamlpos.Int
		if strings.ContainsAny(n.Text, ".eE") {
			n.Kind = yamlpos.Float
		}
	}
	return n, nil
}

// start is a node at the place where the next token begins.
func (t *table) start(d *jsontext.Decoder) *yamlpos.Node {
	at := int(d.InputOffset())
	for at < len(t.text) && strings.IndexByte(" \t\r\n,:", t.text[at]) >= 0 {
		at++
	}
	t.move(at)
	return &yamlpos.Node{Line: t.line, Col: t.col}
}

// move counts lines and columns on to an offset.
func (t *table) move(to int) {
	if to <= t.offset {
		return
	}
	passed := t.text[t.offset:to]
	if lines := bytes.Count(passed, []byte{'\n'}); lines > 0 {
		t.line += lines
		t.col = 1
		passed = passed[bytes.LastIndexByte(passed, '\n')+1:]
	}
	t.col += utf8.RuneCount(passed)
	t.offset = to
}
