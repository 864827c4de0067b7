package apply

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

var modals = []modal{{unix.SYS_OPEN, 2}, {unix.SYS_CREAT, 1}, {unix.SYS_CHMOD, 1}, {unix.SYS_MKNOD, 1},
	{unix.SYS_FCHMOD, 1}, {unix.SYS_FCHMODAT, 2}, {unix.SYS_FCHMODAT2, 2}, {unix.SYS_OPENAT, 3}, {unix.SYS_MKNODAT, 2}}
