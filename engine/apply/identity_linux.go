package apply

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// carefully opens no link and waits for nobody.
const carefully = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// identity is a file's file system and the number of its names.
func identity(info fs.FileInfo) (dev, names uint64) {
	s := info.Sys().(*syscall.Stat_t)
	return uint64(s.Dev), uint64(s.Nlink)
}

// fileID is the number of a file's file system, and its own there.
func fileID(info fs.FileInfo) [2]uint64 {
	s := info.Sys().(*syscall.Stat_t)
	return [2]uint64{uint64(s.Dev), s.Ino}
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

// isMine says whether a file is the caller's own.
func isMine(info fs.FileInfo) bool { return int(info.Sys().(*syscall.Stat_t).Uid) == os.Geteuid() }

// sharedFault says who else may change what is in a directory.
func sharedFault(info fs.FileInfo) string {
	s := info.Sys().(*syscall.Stat_t)
	switch mode := info.Mode().Perm(); {
	case s.Uid != 0 && !isMine(info):
		return fmt.Sprintf("belongs to user %d, who may change it meanwhile (run as that user, or copy it, so that it is "+
			"your own)", s.Uid)
	case mode&0o002 != 0:
		return "may be changed by anybody meanwhile (chmod o-w)"
	case mode&0o020 != 0 && int(s.Gid) != os.Getegid():
		return fmt.Sprintf("may be changed by group %d meanwhile (chmod g-w)", s.Gid)
	}
	return ""
}

// networkName is a name of the network namespace that no other has until the next boot.
func networkName() (string, error) {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer syscall.Close(fd)
	if cookie, err := unix.GetsockoptUint64(fd, unix.SOL_SOCKET, unix.SO_NETNS_COOKIE); err == nil {
		return strconv.FormatUint(cookie, 10), nil
	}
	name, err := os.Readlink("/proc/self/ns/net") // kernels before 5.14
	return strings.Trim(strings.TrimPrefix(name, "net:"), "[]"), err
}

// lock keeps others off a file or directory until it is closed, or the process ends.
func lock(path string) (io.Closer, error) {
	f, err := lockFile(path)
	if errors.Is(err, errBusy) {
		err = errors.New("another process applies a profile to it (wait until that has rolled back)")
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// lockFile does so; with errBusy somebody else has the lock.
func lockFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errBusy
	} else if err != nil {
		err = fmt.Errorf("it can't be locked: %w", err)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
