package netmeter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
)

// server answers a client's connections. One client measures at a time.
type server struct {
	listener int
	loops    []*loop
	next     atomic.Uint32
	armed    atomic.Pointer[sample]
	over     atomic.Bool
	session  sync.Mutex
	// sessions that there have been: connections of one that has ended are stale, whose client may be gone without a
	// word.
	sessions atomic.Int64
	// congestion of the last data connection.
	congestion atomic.Pointer[string]
}

// Serve answers at the address until the context ends; listening is told the address that it has.
func Serve(ctx context.Context, address string, listening func(string)) error {
	config := net.ListenConfig{}
	config.SetMultipathTCP(false) // its sockets are others than those that are to be measured
	tcp, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer tcp.Close()
	file, err := tcp.(*net.TCPListener).File()
	if err != nil {
		return err
	}
	defer file.Close()
	s := &server{listener: int(file.Fd())}
	if err := unix.SetNonblock(s.listener, true); err != nil {
		return err
	}
	conns := &table{}
	for range cpus {
		l, err := newLoop(s, conns)
		if err == nil {
			defer unix.Close(l.epoll)
			err = l.listen(s.listener)
		}
		if err != nil {
			return err
		}
		s.loops = append(s.loops, l)
	}
	ends.Spare(len(s.loops))
	listening(tcp.Addr().String())
	defer context.AfterFunc(ctx, func() { s.over.Store(true) })()
	return s.serve()
}

func (s *server) serve() error {
	ended := make(chan error, len(s.loops))
	for _, l := range s.loops {
		go func() { ended <- l.run() }()
	}
	defer s.tidy()()
	var errs []error
	for range s.loops {
		errs = append(errs, <-ended)
		s.over.Store(true)
	}
	return errors.Join(errs...)
}

// tidy has all loops close what is stale, each second, until it is stopped.
func (s *server) tidy() (stop func()) {
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-over:
				return
			case <-time.After(time.Second):
			}
			for _, l := range s.loops {
				l.tidy.Store(true)
			}
		}
	}()
	return func() { close(over) }
}

func (s *server) due() time.Duration {
	if s.over.Load() {
		return 0
	}
	return time.Second / 4
}

func (s *server) accept(l *loop) {
	fd, _, err := unix.Accept4(s.listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
	if err == unix.EMFILE || err == unix.ENFILE {
		time.Sleep(10 * time.Millisecond) // arm has refused as many as can't be; these are somebody else's
		return
	}
	if err != nil {
		return
	}
	at := l
	a := s.armed.Load()
	if a == nil || a.Cell.Pattern != network.Connect { // short ones stay where they are: no thread waits for another
		at = s.loops[int(s.next.Add(1))%len(s.loops)]
	}
	if err := at.add(&conn{fd: fd, in: 1, until: time.Now().Add(patience)}, unix.EPOLLIN); err != nil {
		unix.Close(fd)
	}
}

func (s *server) received(c *conn, data []byte) bool {
	l := c.loop
	if !c.named {
		if data[0] == controlByte {
			l.forget(c)
			go s.control(c.fd, append([]byte(nil), data[1:]...))
			return false
		}
		if !s.name(c, data[0]) {
			l.close(c, nil)
			return false
		}
	}
	l.bytes.Add(int64(len(data)))
	if c.cell.Pattern == network.Stream {
		return true
	}
	if c.in -= len(data); c.in > 0 {
		return true
	}
	c.out = c.cell.Response
	return l.write(c)
}

// name a connection by its first byte: it is one of the sample that is measured.
func (s *server) name(c *conn, first byte) bool {
	a := s.armed.Load()
	if a == nil || first != dataByte || tuneSocket(c.fd, *a) != nil {
		return false
	}
	if s.congestion.Load() == nil {
		name := congestion(c.fd)
		s.congestion.Store(&name)
	}
	c.named, c.cell, c.in = true, a.Cell, a.Cell.Request
	c.until, c.session = time.Now().Add(a.Warmup+a.Duration+3*patience), s.sessions.Load()
	if c.cell.Pattern == network.RequestResponse && c.cell.Connections == 1 {
		c.loop.single = c
	}
	if c.cell.Pattern == network.Stream && c.cell.Response > 0 {
		c.out = endless
		return c.loop.write(c)
	}
	return true
}

func (s *server) sent(c *conn) bool {
	if c.cell.Pattern == network.Connect {
		c.loop.close(c, nil)
		return false
	}
	c.in = c.cell.Request
	return true
}

func (s *server) connected(*conn) {}

func (s *server) ended(*conn, error) {}

func (s *server) stale(c *conn, now time.Time) bool {
	return now.After(c.until) || c.named && c.session != s.sessions.Load()
}

// control serves a client's orders. The file is its connection, of which some bytes were read.
func (s *server) control(fd int, begun []byte) {
	file := os.NewFile(uintptr(fd), "control")
	conn, err := net.FileConn(file)
	file.Close()
	if err != nil {
		return
	}
	defer conn.Close()
	t := newTalk(io.MultiReader(bytes.NewReader(begun), conn), conn)
	var m message
	conn.SetReadDeadline(time.Now().Add(patience))
	if t.receive(&m) != nil {
		return
	}
	if !s.session.TryLock() {
		t.out.Encode(message{Fault: "it measures for somebody else at present"})
		return
	}
	defer s.session.Unlock()
	defer s.sessions.Add(1)
	defer s.armed.Store(nil)
	o := orders{server: s, local: conn.LocalAddr(), remote: conn.RemoteAddr()}
	for {
		answer, err := o.follow(m)
		if err != nil {
			answer = message{Fault: err.Error()}
		}
		if t.out.Encode(answer) != nil {
			return
		}
		wait := idle
		if a := s.armed.Load(); a != nil {
			wait += a.Warmup + a.Duration
		}
		conn.SetReadDeadline(time.Now().Add(wait))
		if m = (message{}); t.receive(&m) != nil {
			return
		}
	}
}

// idle is how long a client may be silent between its samples before another one is served.
const idle = 5 * time.Minute

// orders of a client.
type orders struct {
	server        *server
	local, remote net.Addr
	began         time.Time
	before        account
	bytes         int64
}

func (o *orders) follow(m message) (message, error) {
	s := o.server
	switch {
	case m.Hello != nil:
		if m.Hello.Version != protocolVersion {
			return m, fmt.Errorf("it speaks version %d of the protocol, and this client %d: take the same release",
				protocolVersion, m.Hello.Version)
		}
		me := whoAmI(o.remote)
		return message{Hello: &me}, nil
	case m.Arm != nil:
		p := network.Parameters{Cells: []network.Cell{m.Arm.Cell}, Repetitions: 1, Duration: m.Arm.Duration,
			Warmup: m.Arm.Warmup}
		if err := errors.Join(p.Check()...); err != nil {
			return m, err
		}
		if err := room(m.Arm.Cell.Connections); err != nil {
			return m, err
		}
		s.congestion.Store(nil)
		s.armed.Store(m.Arm)
		return message{}, nil
	case m.Begin:
		o.began, o.before, o.bytes = time.Now(), look(), s.bytes()
		return message{}, nil
	case m.End:
		u := look().since(o.before)
		u.Seconds, u.Bytes = time.Since(o.began).Seconds(), s.bytes()-o.bytes
		if name := s.congestion.Load(); name != nil {
			u.Congestion = *name
		}
		s.armed.Store(nil)
		return message{Used: &u}, nil
	}
	return m, errors.New("it knows no such order")
}

func (s *server) bytes() (sum int64) {
	for _, l := range s.loops {
		sum += l.bytes.Load()
	}
	return sum
}
