package kube

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// jsonCutter cuts JSON into the items of its lists. It checks the syntax of all
// of it, which is what it needs most of its time for.
type jsonCutter struct {
	*jsontext.Decoder
	pipeline *pipeline
	at       cursor // behind what was passed
	gap      int64  // offset of the last gap between values that was passed
	gapSize  int
	limit    *limitedReader
	record   bool
	head     []byte // what was read of an object that may turn out to be no list
}

var errTooLong = errors.New("too long")

// limitedReader fails when too much is read at a time.
type limitedReader struct {
	in   io.Reader
	left int
}

func (l *limitedReader) Read(b []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLong
	}
	n, err := l.in.Read(b)
	l.left -= n
	return n, err
}

func (p *pipeline) cutJSON(in io.Reader) error {
	limit := &limitedReader{in: in}
	c := &jsonCutter{Decoder: jsontext.NewDecoder(limit), pipeline: p, at: cursor{1, 1}, gap: -1, limit: limit}
	for {
		c.mark()
		kind := c.next()
		if kind == jsontext.KindInvalid {
			if _, err := c.ReadToken(); err != io.EOF {
				return c.problem(err)
			}
			return nil
		}
		if err := c.top(kind); err != nil {
			return c.problem(err)
		}
	}
}

// mark allows as much to be read as one object may be long, and what the decoder
// reads ahead.
func (c *jsonCutter) mark() { c.limit.left = int(c.pipeline.set.MaxFile) + batchSize }

func (c *jsonCutter) problem(err error) error {
	if errors.Is(err, errTooLong) {
		return c.pipeline.tooLong(c.at)
	}
	rest, base := c.UnreadBuffer(), c.InputOffset()
	if base == c.gap {
		rest, base = rest[c.gapSize:], base+int64(c.gapSize)
	}
	return jsonProblem(c.pipeline.name, err, c.at, rest, base)
}

// next is the kind of what follows; the cursor moves to it.
func (c *jsonCutter) next() jsontext.Kind {
	kind := c.PeekKind()
	if kind == jsontext.KindInvalid {
		return kind
	}
	// The gap before a value is passed once, however often one looks at it.
	if c.InputOffset() == c.gap {
		return kind
	}
	c.gap = c.InputOffset()
	rest := c.UnreadBuffer()
	n := 0
	for n < len(rest) && strings.IndexByte(" \t\r\n,:", rest[n]) >= 0 {
		n++
	}
	c.pass(rest[:n])
	c.gapSize = n
	return kind
}

func (c *jsonCutter) pass(text []byte) {
	c.at.pass(text)
	if c.record {
		c.head = append(c.head, text...)
	}
}

// value reads a whole value. It is good until the next one.
func (c *jsonCutter) value() (raw jsontext.Value, start cursor, err error) {
	if c.next() == jsontext.KindInvalid {
		_, err := c.ReadToken()
		return nil, c.at, err
	}
	start = c.at
	raw, err = c.ReadValue()
	if err == nil {
		c.pass(raw)
	}
	return raw, start, err
}

// delimiter reads a bracket.
func (c *jsonCutter) delimiter() error {
	c.next()
	t, err := c.ReadToken()
	if err == nil {
		c.pass([]byte{byte(t.Kind())})
	}
	return err
}

// top reads one value that stands in no other: a list or an object alone.
func (c *jsonCutter) top(kind jsontext.Kind) error {
	start := c.at
	c.record, c.head = true, c.head[:0]
	if kind != '{' {
		raw, _, err := c.value()
		if err == nil {
			c.pipeline.add(raw, item{at: start})
		}
		return err
	}
	if err := c.delimiter(); err != nil {
		return err
	}
	listed, hint := false, ""
	for c.next() != '}' {
		name, _, err := c.value()
		if err != nil {
			return err
		}
		items, isKind := string(name) == `"items"`, string(name) == `"kind"`
		if items && c.next() == '[' {
			listed = true
			if err := c.items(hint); err != nil {
				return err
			}
			continue
		}
		raw, _, err := c.value()
		if err != nil {
			return err
		}
		if isKind && raw.Kind() == '"' {
			hint = strings.TrimSuffix(string(unquote(raw)), "List")
		}
	}
	if err := c.delimiter(); err != nil || listed {
		return err
	}
	c.pipeline.add(bytes.TrimSpace(c.head), item{at: start})
	return c.pipeline.full
}

// items reads the items of a list.
func (c *jsonCutter) items(hint string) error {
	c.record, c.pipeline.lists = false, true
	if err := c.delimiter(); err != nil {
		return err
	}
	for {
		c.mark()
		if c.next() == ']' {
			return c.delimiter()
		}
		raw, start, err := c.value()
		if err != nil {
			return err
		}
		c.pipeline.add(raw, item{at: start, hint: hint, depth: 1})
		if c.pipeline.full != nil {
			return c.pipeline.full
		}
	}
}
