package netmeter

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"plimsoll.dev/bench/network"
	"plimsoll.dev/engine/ends"
)

// turnWrites is how often a stream writes before other connections have their turn.
const turnWrites = 64

// chunk is the most that one read or write moves, in bytes. Requests and responses are zeros but for the
// first byte.
const chunk = 256 << 10

var outgoing = func() []byte {
	b := make([]byte, chunk)
	b[0] = dataByte
	return b
}()

// epollExclusive wakes one of the loops that wait for the listener (EPOLLEXCLUSIVE of <linux/eventpoll.h>).
const epollExclusive = 1 << 28

// endless is what a stream has to move.
const endless = 1 << 62

// conn is a connection of a loop. All but the pointer to it is of the loop's thread alone.
type conn struct {
	fd   int
	loop *loop
	cell network.Cell
	// in and out are the bytes that are still to come and to go.
	in, out int
	// began is when the transaction did, of a client.
	began time.Time
	// named says that the first byte was read, of a server.
	named, connecting, waitsToWrite bool
	// until is how long a server keeps it, in the session that it is of.
	until   time.Time
	session int64
}

// role is what an end does when bytes have come and gone.
type role interface {
	// connected is told when a connection that was begun is open.
	connected(c *conn)
	// received bytes; false where the connection is not to be read any more.
	received(c *conn, data []byte) bool
	// sent all that was to go; false where the connection is closed.
	sent(c *conn) bool
	// ended is told when the other side closed it, or an error did.
	ended(c *conn, err error)
	// due says when the loop is to look at the clock again; 0 ends it.
	due() time.Duration
	// accept is asked when the listener has a connection.
	accept(l *loop)
	// stale says that a connection is of no use any more.
	stale(c *conn, now time.Time) bool
}

// loop is a thread that serves connections.
type loop struct {
	role     role
	epoll    int
	listener int
	conns    *table
	buffer   []byte
	// single is a connection that is all that the loop has, once it is open.
	single *conn
	// bytes received; read by others.
	bytes atomic.Int64
	// tidy is set by others when the loop is to close what is stale.
	tidy atomic.Bool
}

// table of connections by file descriptor: one loop accepts them, and another may serve them.
type table struct{ at [1 << 16]atomic.Pointer[conn] }

func newLoop(r role, t *table) (*loop, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return &loop{role: r, epoll: fd, listener: -1, conns: t, buffer: make([]byte, chunk)}, nil
}

// listen at a socket; one loop of all that listen at it accepts a connection.
func (l *loop) listen(fd int) error {
	l.listener = fd
	return unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd,
		&unix.EpollEvent{Events: unix.EPOLLIN | epollExclusive, Fd: int32(fd)})
}

// add a connection; the loop's thread serves it from now on.
func (l *loop) add(c *conn, events uint32) error {
	if c.fd >= len(l.conns.at) {
		return fmt.Errorf("more than %d files are open", len(l.conns.at))
	}
	c.loop, c.waitsToWrite = l, events&unix.EPOLLOUT != 0
	l.conns.at[c.fd].Store(c)
	return unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, c.fd, &unix.EpollEvent{Events: events, Fd: int32(c.fd)})
}

// run serves until the role ends it.
func (l *loop) run() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	events := make([]unix.EpollEvent, 256)
	for {
		wait := l.role.due()
		if wait <= 0 {
			return nil
		}
		l.sweep()
		n, err := ends.Wait(l.epoll, events, int(max(1, wait.Milliseconds())))
		if err == unix.EINTR {
			continue
		}
		if err != 0 {
			return fmt.Errorf("epoll: %w", err)
		}
		for _, e := range events[:n] {
			l.serve(int(e.Fd), e.Events)
		}
		if c := l.single; c != nil {
			l.single = nil
			if err := l.alone(c); err != nil {
				return err
			}
		}
	}
}

func (l *loop) serve(fd int, events uint32) {
	if fd == l.listener {
		l.role.accept(l)
		return
	}
	c := l.conns.at[fd].Load()
	if c == nil || c.loop != l {
		return
	}
	if events&unix.EPOLLOUT != 0 && !l.writable(c) {
		return
	}
	if events&^uint32(unix.EPOLLOUT) != 0 {
		l.readable(c)
	}
}

// readable takes what has come. A level-triggered epoll tells what is left, so that one read is enough
// but where the answer's end is to be seen.
func (l *loop) readable(c *conn) {
	for l.read(c) && c.cell.Pattern == network.Connect && c.in <= 0 {
	}
}

// read once; false when nothing has come, or the connection is not to be read any more.
func (l *loop) read(c *conn) bool {
	n, err := ends.Receive(c.fd, l.buffer)
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return false
	case err != 0:
		l.close(c, err)
		return false
	case n == 0:
		l.close(c, nil)
		return false
	}
	return l.role.received(c, l.buffer[:n])
}

// alone serves the only connection of a loop by reads that wait in the kernel: without epoll a
// transaction takes a quarter less. It returns when the connection or the role has ended.
func (l *loop) alone(c *conn) error {
	if err := unix.SetNonblock(c.fd, false); err != nil {
		return err
	}
	often := unix.NsecToTimeval(int64(time.Second / 4))
	for _, limit := range []int{unix.SO_RCVTIMEO, unix.SO_SNDTIMEO} {
		if err := unix.SetsockoptTimeval(c.fd, unix.SOL_SOCKET, limit, &often); err != nil {
			return err
		}
	}
	for ; l.conns.at[c.fd].Load() == c; l.sweep() {
		if c.out > 0 && !l.write(c) || !l.read(c) && l.role.due() <= 0 {
			return nil
		}
	}
	return nil
}

// sweep closes what is stale, where somebody has asked for it.
func (l *loop) sweep() {
	if !l.tidy.Load() {
		return
	}
	l.tidy.Store(false)
	now := time.Now()
	for i := range l.conns.at {
		if c := l.conns.at[i].Load(); c != nil && c.loop == l && l.role.stale(c, now) {
			l.close(c, nil)
		}
	}
}

// writable goes on with what is to go; false when the connection has ended.
func (l *loop) writable(c *conn) bool {
	if c.connecting {
		if code, err := unix.GetsockoptInt(c.fd, unix.SOL_SOCKET, unix.SO_ERROR); err == nil && code != 0 {
			l.close(c, unix.Errno(code))
			return false
		}
		c.connecting = false
		l.role.connected(c)
	}
	return l.write(c)
}

// write what is to go, as far as the socket takes it.
func (l *loop) write(c *conn) bool {
	for range turnWrites {
		if c.out <= 0 {
			break
		}
		n, err := ends.Send(c.fd, outgoing[:min(c.out, c.piece())])
		if err == unix.EAGAIN || err == unix.EINTR {
			break
		}
		if err != 0 {
			l.close(c, err)
			return false
		}
		if c.out -= n; c.out == 0 && !l.role.sent(c) {
			return false
		}
	}
	l.watch(c, c.out > 0)
	return true
}

// piece is the most of a write: a transaction of a stream, else as much as goes.
func (c *conn) piece() int {
	if c.cell.Pattern == network.Stream {
		return min(c.cell.Bytes(), chunk)
	}
	return chunk
}

// watch has epoll tell when the socket takes more, or not.
func (l *loop) watch(c *conn, toWrite bool) {
	if c.waitsToWrite == toWrite {
		return
	}
	c.waitsToWrite = toWrite
	e := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(c.fd)}
	if toWrite {
		e.Events |= unix.EPOLLOUT
	}
	unix.EpollCtl(l.epoll, unix.EPOLL_CTL_MOD, c.fd, &e)
}

// close a connection, and tell the role.
func (l *loop) close(c *conn, err error) {
	l.forget(c)
	unix.Close(c.fd)
	l.role.ended(c, err)
}

// forget a connection that somebody else goes on with.
func (l *loop) forget(c *conn) {
	l.conns.at[c.fd].Store(nil)
	unix.EpollCtl(l.epoll, unix.EPOLL_CTL_DEL, c.fd, nil)
}
