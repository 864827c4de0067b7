//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package manifest

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"syscall"
)

// tryLock locks an open file or directory; busy says that somebody else has.
func tryLock(f *os.File) (busy bool, err error) {
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EWOULDBLOCK):
			return true, nil
		}
		return false, err
	}
}

// holder names who has locked a file, as Linux lists it.
func holder(f *os.File) string {
	const somebody = "another run of plimsoll"
	info, err := f.Stat()
	if err != nil {
		return somebody
	}
	s, known := info.Sys().(*syscall.Stat_t)
	list, err := os.ReadFile("/proc/locks")
	if !known || err != nil {
		return somebody
	}
	dev := uint64(s.Dev)
	line := regexp.MustCompile(fmt.Sprintf(`(?m)^\d+: FLOCK +ADVISORY +WRITE +(\d+) %02x:%02x:%d `,
		dev>>8&0xfff, dev&0xff|dev>>12&0xfff00, s.Ino))
	if m := line.FindSubmatch(list); m != nil {
		return fmt.Sprintf("%s (process %s)", somebody, m[1])
	}
	return somebody
}
