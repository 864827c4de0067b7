package diskmeter

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// durable waits until what was written is on the disk, and of the file's own data what is needed to read it.
func durable(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); err != unix.EINTR {
			return err
		}
	}
}

// gone says whether there is no such process.
func gone(pid int) bool { return unix.Kill(pid, 0) == unix.ESRCH }

// allocate the blocks of a file. A file system that can't has them when they are written.
func allocate(f *os.File, bytes int64) error {
	err := unix.Fallocate(int(f.Fd()), 0, 0, bytes)
	if err == unix.EOPNOTSUPP {
		return nil
	}
	return err
}

// place is what there is to know of a directory.
type place struct {
	fileSystem, options, device, kernel string
	volatile                            bool
	free                                uint64
}

func look(dir string) (place, error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return place{}, fmt.Errorf("%s: %w", dir, err)
	}
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return place{}, fmt.Errorf("%s: %w", dir, err)
	}
	p := place{free: fs.Bavail * uint64(fs.Bsize), volatile: fs.Type == unix.TMPFS_MAGIC || fs.Type == unix.RAMFS_MAGIC}
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	p.fileSystem, p.options, p.device = mountOf(string(mounts), unix.Major(st.Dev), unix.Minor(st.Dev))
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		p.kernel = unix.ByteSliceToString(u.Release[:])
	}
	return p, nil
}

// mountOf a device in /proc/self/mountinfo (proc(5)): the last one that has it.
func mountOf(mounts string, major, minor uint32) (fileSystem, options, device string) {
	id := fmt.Sprintf("%d:%d", major, minor)
	for line := range strings.Lines(mounts) {
		mount, rest, _ := strings.Cut(line, " - ")
		f, of := strings.Fields(mount), strings.Fields(rest)
		if len(f) > 5 && len(of) > 1 && f[2] == id {
			fileSystem, options, device = of[0], f[5], of[1]
		}
	}
	return fileSystem, options, device
}
