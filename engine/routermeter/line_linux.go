package routermeter

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"time"
)

// line is a connection, or one after another.
type line struct {
	*generator
	task    *task
	route   int
	began   time.Time
	ready   bool
	tried   bool
	answers int
	// asking says that its request has no answer yet.
	asking bool

	socket  *socket
	conn    net.Conn
	in      incoming
	request []byte
}

// patience after a failure, so that a router that refuses is not asked in a loop without end.
const patience = 10 * time.Millisecond

func (x *line) work() {
	for {
		err := x.turn()
		if errors.Is(err, errOver) {
			x.hangUp()
			return
		}
		if err != nil {
			x.failed(err)
			x.try()
			x.hangUp()
			x.began = time.Time{}
			if x.pause() != nil {
				return
			}
		}
	}
}

// silent says that it never had an answer; with a rate, it may have had nothing to do.
func (x *line) silent() bool { return x.answers == 0 && x.every == 0 }

// pause lets some time pass.
func (x *line) pause() error {
	for until := time.Now().Add(patience); time.Now().Before(until); {
		x.loop.naps = append(x.loop.naps, nap{until, x.task})
		if err := x.task.wait(); err != nil {
			return err
		}
	}
	return nil
}

// turn is one request: on a connection that stays open, or with one of its own.
func (x *line) turn() error {
	if !x.Close && x.conn == nil { // to open it is no part of the request
		if err := x.open(); err != nil {
			return err
		}
	}
	if err := x.intended(); err != nil {
		return err
	}
	x.asking = true
	x.busy++
	defer func() {
		x.asking = false
		x.busy--
	}()
	if x.Close {
		if err := x.open(); err != nil {
			return err
		}
	}
	m, err := x.ask()
	if err != nil {
		return err
	}
	if m.status < 200 || m.status > 399 {
		return fmt.Errorf("%s answers %d", x.Targets[x.route].Host, m.status)
	}
	if x.Close {
		if err := x.end(); err != nil {
			return err
		}
		x.route = (x.route + 1) % len(x.Targets)
	}
	now := time.Now()
	x.done(x.began, now)
	x.began = now
	x.answers++
	if !x.Close && m.close {
		x.hangUp()
	}
	return nil
}

// try tells once that the connection is open, or could not be opened.
func (x *line) try() {
	if !x.tried {
		x.tried = true
		x.generator.tried++
	}
}

// intended waits for the request's time, and takes it.
func (x *line) intended() error {
	x.try()
	for x.begun && !time.Now().Before(x.to) { // the sample is over
		if err := x.task.wait(); err != nil {
			return err
		}
	}
	if x.begun && x.every == 0 {
		if x.began.IsZero() {
			x.began = time.Now()
		}
		return nil
	}
	if x.begun && !x.next.After(time.Now()) && len(x.idle) == 0 { // it is late: its time counts from when it was due
		x.began, x.next = x.next, x.next.Add(x.every)
		return nil
	}
	for x.idle, x.ready = append(x.idle, x), false; !x.ready; {
		if err := x.task.wait(); err != nil {
			return err
		}
	}
	return nil
}

// open a connection to the route.
func (x *line) open() error {
	to := x.Targets[x.route]
	at, err := netip.ParseAddrPort(to.Address)
	if err != nil {
		return err
	}
	if x.socket, err = x.task.dial(at); err != nil {
		return err
	}
	x.conn = x.socket
	if to.TLS {
		// Who the router is does not matter here, and to find out would be the generator's time.
		c := tls.Client(x.socket, &tls.Config{ServerName: to.name(), InsecureSkipVerify: true, MinVersion: x.TLS,
			MaxVersion: x.TLS, CurvePreferences: []tls.CurveID{tls.X25519, tls.CurveP256}, ClientSessionCache: x.cache()})
		if err := c.Handshake(); err != nil {
			return err
		}
		if x.counts(time.Now()) {
			x.handshakes++
			if c.ConnectionState().DidResume {
				x.resumed++
			}
		}
		x.conn = c
	}
	x.in.from = x.conn
	if !x.Close {
		x.began = time.Now()
	}
	return nil
}

func (x *line) cache() tls.ClientSessionCache {
	if x.Resume {
		return x.caches
	}
	return nil
}

// newPath is one below a path that no request had before, in other samples neither. HAProxy keeps look-ups by what
// comes before the question mark.
func (g *generator) newPath(path string) string {
	g.paths++
	before, query, asks := strings.Cut(path, "?")
	if asks {
		query = "?" + query
	}
	return fmt.Sprintf("%s/%d-%d%s", strings.TrimSuffix(before, "/"), g.first, g.paths, query)
}

// ask sends the request, and waits for the answer.
func (x *line) ask() (message, error) {
	to := x.Targets[x.route]
	path := to.Path
	if x.NewPaths {
		path = x.newPath(path)
	}
	b := append(append(append(x.request[:0], "GET "...), path...), " HTTP/1.1\r\nHost: "...)
	b = append(append(b, to.Host...), "\r\n"...)
	if x.Close {
		b = append(b, "Connection: close\r\n"...)
	}
	x.request = append(b, "\r\n"...)
	if _, err := x.conn.Write(x.request); err != nil {
		return message{}, err
	}
	before := x.in.bytes
	m, err := x.in.read()
	if x.counts(time.Now()) {
		x.bytes += float64(x.in.bytes - before)
	}
	if err == io.EOF {
		err = fmt.Errorf("%s closed the connection without an answer", to.Host)
	}
	return m, err
}

// end waits until the router has closed the connection.
func (x *line) end() error {
	n, err := x.conn.Read(x.in.buffer)
	if errors.Is(err, errOver) {
		return err
	}
	if n > 0 {
		return fmt.Errorf("%s goes on after its answer", x.Targets[x.route].Host)
	}
	x.hangUp()
	return nil
}

func (x *line) hangUp() {
	if x.socket != nil {
		x.socket.Close()
	}
	x.socket, x.conn = nil, nil
}
