package ends

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Go tells its scheduler of each system call, which costs more than the call where a thread does nothing
// else. A loop has a thread and a processor of its own (Spare), so nobody waits for either. What is passed
// stays where it is: it is used until after the call.

// Receive what has come to a socket. It takes less than a read, which asks what is true of all files.
func Receive(socket int, b []byte) (int, unix.Errno) {
	n, _, err := unix.RawSyscall6(unix.SYS_RECVFROM, uintptr(socket), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)),
		0, 0, 0)
	return int(n), err
}

// Send as much as goes to a socket.
func Send(socket int, b []byte) (int, unix.Errno) {
	n, _, err := unix.RawSyscall6(unix.SYS_SENDTO, uintptr(socket), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)),
		unix.MSG_NOSIGNAL, 0, 0)
	return int(n), err
}

// Wait for events, at most so many milliseconds.
func Wait(epoll int, events []unix.EpollEvent, milliseconds int) (int, unix.Errno) {
	n, _, err := unix.RawSyscall6(unix.SYS_EPOLL_PWAIT, uintptr(epoll), uintptr(unsafe.Pointer(&events[0])),
		uintptr(len(events)), uintptr(milliseconds), 0, 0)
	return int(n), err
}

// Spare processors keep Go's scheduler from taking one from a loop that waits in the kernel.
func Spare(loops int) { runtime.GOMAXPROCS(loops + 2) }
