package routermeter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"plimsoll.dev/bench/router"
)

// bufferSize bounds the header of a message, in bytes.
const bufferSize = 16 << 10

// message is what matters of the head of a request or a response of HTTP/1.1.
type message struct {
	status  int
	length  int
	close   bool // the connection ends after it
	upgrade bool
}

// incoming reads messages of a connection. One follows another only after its answer, so that nothing is kept
// between them.
type incoming struct {
	from   io.Reader
	buffer []byte
	// bytes that were read.
	bytes int64
}

var headEnd = []byte("\r\n\r\n")

// read a message: its head, and its body as long as the head says. io.EOF is one that did not begin.
func (r *incoming) read() (m message, err error) {
	have := 0
	for {
		if have == len(r.buffer) {
			return m, fmt.Errorf("a header of more than %d bytes", have)
		}
		n, err := r.from.Read(r.buffer[have:])
		if n == 0 && err != nil { // the end may come with the last bytes
			if err == io.EOF && have > 0 {
				err = io.ErrUnexpectedEOF
			}
			return m, err
		}
		r.bytes += int64(n)
		old := max(0, have-3)
		have += n
		if end := bytes.Index(r.buffer[old:have], headEnd); end >= 0 {
			end += old
			if m, err = parse(r.buffer[:end]); err != nil {
				return m, err
			}
			return m, r.body(m.length - (have - end - 4))
		}
	}
}

// body takes what is still to come.
func (r *incoming) body(left int) error {
	for left > 0 {
		n, err := r.from.Read(r.buffer)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if n == 0 && err != nil {
			return err
		}
		r.bytes += int64(n)
		left -= n
	}
	if left < 0 {
		return fmt.Errorf("%d bytes follow what Content-Length says", -left)
	}
	return nil
}

// parse a head, without the empty line. Of a response the length has to be told, unless it has no body.
func parse(head []byte) (m message, err error) {
	first, rest, _ := bytes.Cut(head, []byte("\r\n"))
	response := bytes.HasPrefix(first, []byte("HTTP/1."))
	if response {
		if len(first) < 12 {
			return m, fmt.Errorf("no response of HTTP: %.40q", first)
		}
		if m.status, err = strconv.Atoi(string(first[9:12])); err != nil {
			return m, fmt.Errorf("no response of HTTP: %.40q", first)
		}
		m.close = first[7] == '0'
	} else if !bytes.Contains(first, []byte(" HTTP/1.")) {
		return m, fmt.Errorf("no message of HTTP/1.1: %.40q", first)
	}
	told := false
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\r\n"))
		switch {
		case is(line, "content-length:"):
			if m.length, err = strconv.Atoi(string(bytes.TrimSpace(line[15:]))); err != nil || m.length < 0 {
				return m, fmt.Errorf("%.60q is no length", line)
			}
			if m.length > router.MaxPage { // who reads one after the other would see no end of the sample
				return m, fmt.Errorf("a body of %d bytes (at most %d)", m.length, router.MaxPage)
			}
			told = true
		case is(line, "connection:"):
			value := bytes.ToLower(line[11:])
			m.close = m.close || bytes.Contains(value, []byte("close"))
			m.upgrade = bytes.Contains(value, []byte("upgrade"))
		case is(line, "transfer-encoding:"):
			return m, errors.New("a body in chunks (a page with Content-Length is needed)")
		}
	}
	if response && !told && m.status >= 200 && m.status != 204 && m.status != 304 {
		return m, fmt.Errorf("a response %d without Content-Length", m.status)
	}
	return m, nil
}

// is says whether a line is of a header, whose name is in lower case.
func is(line []byte, name string) bool {
	if len(line) < len(name) {
		return false
	}
	for i := range len(name) {
		c := line[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != name[i] {
			return false
		}
	}
	return true
}
