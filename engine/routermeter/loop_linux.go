package routermeter

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"plimsoll.dev/engine/ends"
)

// errOver ends what a task does when its loop is over.
var errOver = errors.New("over")

// task is a coroutine of a loop: it runs until it would have to wait, and goes on when its loop says so.
type task struct {
	loop  *loop
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// wait until the loop has a reason to go on; whoever waits looks at what he waits for again.
func (t *task) wait() error {
	if !t.yield(struct{}{}) {
		return errOver
	}
	return nil
}

// resume lets the task go on; nil is one that is not there any more.
func (t *task) resume() {
	if t != nil {
		t.next()
	}
}

// loop is a thread that serves the tasks of its sockets.
type loop struct {
	epoll int
	tasks []*task // all
	of    []*task // by file descriptor
	// due is asked after each turn when the loop is to look at the clock again at the latest; 0 ends it.
	due func() time.Duration
	// incoming is told of a listener that has connections.
	incoming func(listener int)
	listener map[int]bool
	naps     []nap
}

// nap is a task that is to go on at a time.
type nap struct {
	until time.Time
	task  *task
}

// wake those whose time has come. All naps are of one length, so that the first is the next to end.
func (l *loop) wake() {
	for len(l.naps) > 0 && !l.naps[0].until.After(time.Now()) {
		one := l.naps[0]
		l.naps = l.naps[1:]
		one.task.resume()
	}
}

func newLoop(due func() time.Duration) (*loop, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return &loop{epoll: fd, due: due, listener: map[int]bool{}}, nil
}

// begin a task: it runs at once, until it waits.
func (l *loop) begin(work func(*task)) *task {
	t := &task{loop: l}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		t.yield = yield
		work(t)
	})
	l.tasks = append(l.tasks, t)
	t.next()
	return t
}

// watch a socket for a task: edges are told, so that nothing has to be changed later.
func (l *loop) watch(fd int, t *task) error {
	for fd >= len(l.of) {
		l.of = append(l.of, make([]*task, 1024)...)
	}
	l.of[fd] = t
	const edges = unix.EPOLLIN | unix.EPOLLOUT | unix.EPOLLRDHUP | unix.EPOLLET&0xffffffff
	return unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: edges, Fd: int32(fd)})
}

// listen at a socket; one loop of all that listen at it is woken.
func (l *loop) listen(fd int) error {
	const exclusive = 1 << 28 // EPOLLEXCLUSIVE of <linux/eventpoll.h>
	l.listener[fd] = true
	e := unix.EpollEvent{Events: unix.EPOLLIN | exclusive, Fd: int32(fd)}
	return unix.EpollCtl(l.epoll, unix.EPOLL_CTL_ADD, fd, &e)
}

// run until due says that it is over. All tasks have ended then. What begins tasks is called from its thread.
func (l *loop) run(begin func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // intended times are kept to the microsecond
	defer func() {
		for _, t := range l.tasks {
			t.stop()
		}
		unix.Close(l.epoll)
	}()
	begin()
	events := make([]unix.EpollEvent, 256)
	for {
		wait := l.due()
		if wait <= 0 {
			return nil
		}
		if l.wake(); len(l.naps) > 0 {
			wait = min(wait, time.Millisecond)
		}
		n, err := l.events(events, wait)
		if err != 0 && err != unix.EINTR {
			return fmt.Errorf("epoll: %w", err)
		}
		for _, e := range events[:max(n, 0)] {
			if fd := int(e.Fd); l.listener[fd] {
				l.incoming(fd)
			} else {
				l.of[fd].resume()
			}
		}
	}
}

// events that are there, or else those that come within a time. Only a call that waits is one that the scheduler of
// Go is told of, so that a collection of garbage does not wait for it.
func (l *loop) events(events []unix.EpollEvent, wait time.Duration) (int, unix.Errno) {
	if n, err := ends.Wait(l.epoll, events, 0); n != 0 {
		return n, err
	}
	limit := unix.NsecToTimespec(int64(wait))
	n, _, err := unix.Syscall6(sysEpollPwait2, uintptr(l.epoll), uintptr(unsafe.Pointer(&events[0])), uintptr(len(events)),
		uintptr(unsafe.Pointer(&limit)), 0, 0)
	if err == unix.ENOSYS { // before Linux 5.11 there are milliseconds only
		n, err := unix.EpollWait(l.epoll, events, int(wait.Milliseconds()))
		if err != nil {
			return n, unix.EINTR
		}
		return n, 0
	}
	return int(n), err
}

// sysEpollPwait2 is the number of the system call, the same on all architectures.
const sysEpollPwait2 = 441
