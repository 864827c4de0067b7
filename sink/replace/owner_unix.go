//go:build unix

package replace

import (
	"io/fs"
	"syscall"
)

// owner are the numbers of a file's user and group.
func owner(info fs.FileInfo) (uid, gid int, known bool) {
	s, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, false
	}
	return int(s.Uid), int(s.Gid), true
}
