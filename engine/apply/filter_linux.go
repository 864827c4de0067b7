package apply

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// modal is a system call that gives a file a mode, and which of its arguments that is.
type modal struct{ call, argument uint32 }

// lastCall is the newest system call that was looked at; newer ones are as if the
// kernel didn't have them.
const lastCall = 469

// unseen are system calls whose mode stands in memory, where a filter can't look.
// Programs that find them missing use others.
var unseen = []uint32{unix.SYS_OPENAT2, unix.SYS_IO_URING_SETUP}

// special are the bits of a mode by which a program gets its owner's rights, or its
// group's, whoever starts it.
const special = 0o6000

// refuseSpecial keeps programs that this thread starts from giving those bits to a
// file. The files of a node are those of the machine, so that who may see it would get
// the rights of who applies the profile.
func refuseSpecial() error {
	if auditArch == 0 {
		return fmt.Errorf("a simulated node can't be closed on %s", runtime.GOARCH)
	}
	f := filter()
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	runtime.KeepAlive(f)
	if err != nil {
		return fmt.Errorf("refusing setuid files: %w", err)
	}
	return nil
}

// filter is the program that looks at each system call.
func filter() []unix.SockFilter {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		above  = unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K
		either = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		end    = unix.BPF_RET | unix.BPF_K

		callAt, archAt, argumentsAt = 0, 4, 16 // in struct seccomp_data
	)
	missing := unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)}
	refused := unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)}
	allowed := unix.SockFilter{Code: end, K: unix.SECCOMP_RET_ALLOW}
	out := []unix.SockFilter{
		{Code: load, K: archAt}, {Code: equal, K: auditArch, Jt: 1}, missing,
		{Code: load, K: callAt}, {Code: above, K: lastCall, Jf: 1}, missing,
	}
	for _, call := range unseen {
		out = append(out, unix.SockFilter{Code: equal, K: call, Jf: 1}, missing)
	}
	for _, m := range modals {
		out = append(out, unix.SockFilter{Code: equal, K: m.call, Jf: 4},
			unix.SockFilter{Code: load, K: argumentsAt + 8*m.argument}, // the lower half
			unix.SockFilter{Code: either, K: special, Jf: 1}, refused, allowed)
	}
	return append(out, allowed)
}
