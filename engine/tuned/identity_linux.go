package tuned

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// carefully opens no link and waits for nobody.
const carefully = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// identity is a file's file system and the number of its names.
func identity(info fs.FileInfo) (dev, names uint64) {
	s := info.Sys().(*syscall.Stat_t)
	return uint64(s.Dev), uint64(s.Nlink)
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
