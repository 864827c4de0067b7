package kube

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// yamlCutter cuts YAML into the items of its lists. Inside a list, a line that
// begins with the list's own indentation and a dash can't be anything but the
// next item: all that belongs to an item stands deeper.
type yamlCutter struct {
	*pipeline
	in     *bufio.Reader
	line   int    // of text's first byte
	next   int    // line that is read next
	text   []byte // an item, or a document without list
	hint   string
	indent string // of the list's dashes
	begun  bool   // the list's first dash was seen
	inList bool   // within "items:"
	listed bool   // the document has items
}

func (p *pipeline) cutYAML(in *bufio.Reader) error {
	c := &yamlCutter{pipeline: p, in: in, line: 1, next: 1}
	for {
		line, err := c.readLine()
		if len(line) > 0 {
			if err := c.take(line); err != nil {
				return err
			}
		}
		if err == io.EOF {
			c.endDocument()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine reads a line with its end; it is good until the next one.
func (c *yamlCutter) readLine() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return line, err
	}
	long := bytes.Clone(line)
	for err == bufio.ErrBufferFull {
		line, err = c.in.ReadSlice('\n')
		long = append(long, line...)
		if len(long) > int(c.set.MaxFile) {
			return nil, c.tooLong(cursor{c.next, 1})
		}
	}
	return long, err
}

// take puts a line where it belongs.
func (c *yamlCutter) take(line []byte) error {
	trimmed := string(bytes.TrimRight(line, " \t\r\n"))
	body := strings.TrimLeft(trimmed, " ")
	switch {
	case strings.HasPrefix(trimmed, "---") || trimmed == "...":
		c.endDocument()
		line = nil
	case trimmed == "items:":
		c.endItem()
		c.inList, c.listed, c.begun = true, true, false
		c.lists = true
		line = nil
	case c.inList && body != "" && body[0] != '#':
		c.listLine(trimmed, body)
	}
	c.append(line)
	c.next++
	if len(c.text) > int(c.set.MaxFile) {
		return c.tooLong(cursor{c.line, 1})
	}
	return c.full
}

// listLine looks whether a line begins an item or ends the list.
func (c *yamlCutter) listLine(trimmed, body string) {
	indent := trimmed[:len(trimmed)-len(body)]
	dash := body == "-" || strings.HasPrefix(body, "- ")
	switch {
	case dash && (!c.begun || indent == c.indent):
		if c.begun {
			c.endItem()
		}
		c.indent, c.begun = indent, true
	case !dash && indent == "" || len(indent) < len(c.indent):
		c.endItem()
		c.inList = false
	}
}

func (c *yamlCutter) append(line []byte) {
	if len(c.text) == 0 {
		c.line = c.next
	}
	c.text = append(c.text, line...)
	if !c.inList && bytes.HasPrefix(line, []byte("kind:")) {
		c.hint = strings.TrimSuffix(string(bytes.TrimSpace(line[len("kind:"):])), "List")
	}
}

// endItem sends the item off, or forgets the head of a list.
func (c *yamlCutter) endItem() {
	if c.inList && len(bytes.TrimSpace(c.text)) > 0 {
		c.add(c.text, item{at: cursor{c.line, 1}, hint: c.hint, depth: 1, yaml: true})
	}
	c.text = c.text[:0]
}

func (c *yamlCutter) endDocument() {
	c.endItemOrDocument()
	c.text, c.hint, c.inList, c.listed = c.text[:0], "", false, false
}

func (c *yamlCutter) endItemOrDocument() {
	switch {
	case c.inList:
		c.endItem()
	case !c.listed && len(bytes.TrimSpace(c.text)) > 0:
		c.add(c.text, item{at: cursor{c.line, 1}, yaml: true})
	}
}
