package apply

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// carefully opens no link and waits for nobody.
const carefully = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// identity is a file's file system and the number of its names.
func identity(info fs.FileInfo) (dev, names uint64) {
	s := info.Sys().(*syscall.Stat_t)
	return uint64(s.Dev), uint64(s.Nlink)
}

// uname is what "uname -a" prints on this machine.
func uname() (string, bool) {
	var u syscall.Utsname
	if err := syscall.Uname(&u); err != nil {
		return "", false
	}
	fields := []string{utsField(u.Sysname[:]), utsField(u.Nodename[:]), utsField(u.Release[:]), utsField(u.Version[:]),
		utsField(u.Machine[:])}
	return strings.Join(fields, " ") + " GNU/Linux", true
}

// utsField is a text that a zero ends; its bytes have a sign on some machines.
func utsField[T int8 | uint8](field []T) string {
	var b strings.Builder
	for _, c := range field {
		if c == 0 {
			break
		}
		b.WriteByte(byte(c))
	}
	return b.String()
}

// lock keeps others off a file or directory until it is closed, or the process ends.
func lock(path string) (io.Closer, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errors.New("another process applies a profile to it (wait until that has rolled back)")
	} else if err != nil {
		err = fmt.Errorf("it can't be locked: %w", err)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
