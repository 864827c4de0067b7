package ovs

import "syscall"

// attributes have a process end with this one, and not by the terminal's interrupt, which Close follows.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM, Setpgid: true}
}
