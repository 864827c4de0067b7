package routermeter

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll.dev/engine/ends"
)

// socket is a connection of a task, which waits where another one would block.
type socket struct {
	fd   int
	task *task
}

// dial connects.
func (t *task) dial(to netip.AddrPort) (*socket, error) {
	address, family := sockaddr(to)
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return nil, fmt.Errorf("a socket: %w", err)
	}
	s, err := t.socket(fd)
	if err != nil {
		return nil, err
	}
	for err = unix.Connect(fd, address); err == unix.EINPROGRESS || err == unix.EALREADY; err = unix.Connect(fd, address) {
		if err := t.wait(); err != nil {
			s.Close()
			return nil, err
		}
	}
	if err == nil || err == unix.EISCONN {
		return s, nil
	}
	s.Close()
	if err == unix.EADDRNOTAVAIL {
		return nil, errors.New("no local port is free: connections of the last minute hold them all " +
			"(a shorter --duration, or a wider net.ipv4.ip_local_port_range)")
	}
	return nil, fmt.Errorf("to connect to %s: %w", to, err)
}

// socket of a task, for one that is open.
func (t *task) socket(fd int) (*socket, error) {
	unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1)
	if err := t.loop.watch(fd, t); err != nil {
		unix.Close(fd)
		return nil, err
	}
	return &socket{fd, t}, nil
}

func sockaddr(a netip.AddrPort) (unix.Sockaddr, int) {
	if ip := a.Addr().Unmap(); ip.Is4() {
		return &unix.SockaddrInet4{Port: int(a.Port()), Addr: ip.As4()}, unix.AF_INET
	}
	return &unix.SockaddrInet6{Port: int(a.Port()), Addr: a.Addr().As16()}, unix.AF_INET6
}

func (s *socket) Read(b []byte) (int, error) {
	for {
		n, err := ends.Receive(s.fd, b)
		switch {
		case err == unix.EAGAIN || err == unix.EINTR:
			if err := s.task.wait(); err != nil {
				return 0, err
			}
		case err != 0:
			return 0, err
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

func (s *socket) Write(b []byte) (int, error) {
	for done := 0; ; {
		n, err := ends.Send(s.fd, b[done:])
		switch {
		case err == unix.EAGAIN || err == unix.EINTR:
			if err := s.task.wait(); err != nil {
				return done, err
			}
		case err != 0:
			return done, err
		default:
			if done += n; done == len(b) {
				return done, nil
			}
		}
	}
}

// Close it; a descriptor leaves epoll by that.
func (s *socket) Close() error {
	s.task.loop.of[s.fd] = nil
	return unix.Close(s.fd)
}

// The rest of net.Conn is what crypto/tls asks for and does not use.

func (s *socket) LocalAddr() net.Addr              { return nil }
func (s *socket) RemoteAddr() net.Addr             { return nil }
func (s *socket) SetDeadline(time.Time) error      { return nil }
func (s *socket) SetReadDeadline(time.Time) error  { return nil }
func (s *socket) SetWriteDeadline(time.Time) error { return nil }
