package routermeter

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/netip"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll.dev/engine/ends"
)

// serve is the errand of the back ends of all routes: pages over HTTP and HTTPS.
type serve struct {
	// Page is the size of a body in bytes, Certificate with its key in PEM.
	Page        int    `json:"page"`
	Certificate string `json:"certificate"`
}

// backend serves in loops.
type backend struct {
	close, keep []byte // responses
	secure      *tls.Config
	fd          [2]int // listeners: plain and TLS
	over        atomic.Bool
}

// socketKey is what all WebSockets here ask with, and upgraded the answer to it (RFC 6455, section 1.3), without which
// HAProxy takes the back end for broken. Bytes come back then.
const (
	socketKey = "AAAAAAAAAAAAAAAAAAAAAA=="
	upgraded  = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n\r\n"
)

// back serves pages until the context ends.
func back(ctx context.Context, e serve, listening func(plain, secure string)) error {
	pair, err := tls.X509KeyPair([]byte(e.Certificate), []byte(e.Certificate))
	if err != nil {
		return err
	}
	b := &backend{secure: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12,
		CurvePreferences: []tls.CurveID{tls.X25519}}}
	body := make([]byte, e.Page)
	for i := range body {
		body[i] = 'x'
	}
	head := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n", e.Page)
	b.keep = append([]byte(head+"\r\n"), body...)
	b.close = append([]byte(head+"Connection: close\r\n\r\n"), body...)
	var at [2]string
	for i := range b.fd {
		if b.fd[i], at[i], err = listenLocal(); err != nil {
			return err
		}
	}
	n := runtime.NumCPU()
	ends.Spare(n)
	ended := make(chan error, n)
	context.AfterFunc(ctx, func() { b.over.Store(true) })
	for range n {
		l, err := newLoop(b.due)
		if err != nil {
			return err
		}
		for _, fd := range b.fd {
			if err := l.listen(fd); err != nil {
				return err
			}
		}
		w := &server{backend: b, loop: l}
		l.incoming = w.accept
		go func() { ended <- l.run(func() {}) }()
	}
	listening(at[0], at[1])
	return <-ended
}

// listenLocal at a free port of the loopback device.
func listenLocal() (fd int, at string, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err == nil {
		err = unix.Listen(fd, 4096)
	}
	var name unix.Sockaddr
	if err == nil {
		name, err = unix.Getsockname(fd)
	}
	if in, ok := name.(*unix.SockaddrInet4); ok && err == nil {
		return fd, netip.AddrPortFrom(netip.AddrFrom4(in.Addr), uint16(in.Port)).String(), nil
	}
	return fd, "", fmt.Errorf("to listen at 127.0.0.1: %w", err)
}

func (b *backend) due() time.Duration {
	if b.over.Load() {
		return 0
	}
	return time.Second / 20
}

// server is a loop of the back end.
type server struct {
	*backend
	loop *loop
	// free are tasks without a connection; a new one goes to the last.
	free []*seat
}

// seat is a task with the connection that it serves.
type seat struct {
	task   *task
	fd     int
	secure bool
	in     incoming
}

// accept what has come.
func (s *server) accept(listener int) {
	for {
		fd, _, err := unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err != nil {
			return
		}
		if n := len(s.free); n > 0 {
			one := s.free[n-1]
			s.free = s.free[:n-1]
			one.fd, one.secure = fd, listener == s.fd[1]
			one.task.resume()
			continue
		}
		one := &seat{fd: fd, secure: listener == s.fd[1], in: incoming{buffer: make([]byte, bufferSize)}}
		s.loop.begin(func(t *task) { one.task = t; s.work(one) })
	}
}

// work serves one connection after another.
func (s *server) work(one *seat) {
	for {
		if one.fd >= 0 {
			if c, err := one.task.socket(one.fd); err == nil {
				s.serve(one, c)
				c.Close()
			}
			one.fd = -1
			s.free = append(s.free, one)
		}
		if one.task.wait() != nil {
			return
		}
	}
}

func (s *server) serve(one *seat, c *socket) {
	conn := net.Conn(c)
	if one.secure {
		over := tls.Server(c, s.secure)
		if over.Handshake() != nil {
			return
		}
		conn = over
	}
	for one.in.from = conn; ; {
		m, err := one.in.read()
		if err != nil {
			return
		}
		if m.upgrade {
			if _, err := io.WriteString(conn, upgraded); err == nil {
				io.CopyBuffer(struct{ io.Writer }{conn}, struct{ io.Reader }{conn}, one.in.buffer)
			}
			return
		}
		answer := s.keep
		if m.close {
			answer = s.close
		}
		if _, err := conn.Write(answer); err != nil || m.close {
			return
		}
	}
}
