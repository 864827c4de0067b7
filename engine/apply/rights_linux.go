package apply

import (
	"errors"
	"fmt"
	"syscall"
)

// Operations of prctl(2), which package syscall doesn't name.
const (
	dropFromBounds = 24 // PR_CAPBSET_DROP
	noNewRights    = 38 // PR_SET_NO_NEW_PRIVS
)

// keptRights are the capabilities of a TuneD in a simulated node: over files,
// whoever they belong to, and over its own processes. It must not have
// CAP_SYS_ADMIN: what it mounts anew is writable.
var keptRights = map[uintptr]bool{
	0: true, // CAP_CHOWN
	1: true, // CAP_DAC_OVERRIDE
	3: true, // CAP_FOWNER
	4: true, // CAP_FSETID
	5: true, // CAP_KILL
}

// dropRights takes from programs that this thread starts all other capabilities,
// for good.
func dropRights() error {
	for right := uintptr(0); ; right++ {
		if keptRights[right] {
			continue
		}
		_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, dropFromBounds, right, 0)
		if errno == syscall.EINVAL && right > 30 { // the kernel has no more
			break
		}
		if errno != 0 {
			return fmt.Errorf("dropping capability %d: %w", right, errno)
		}
	}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, noNewRights, 1, 0, 0, 0, 0); errno != 0 {
		return errors.Join(errors.New("dropping the right to more rights"), errno)
	}
	return nil
}
