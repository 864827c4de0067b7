package routermeter

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// folderPrefix is what the folders of all runs begin with.
const folderPrefix = "plimsoll-router-"

// held keeps the locks of this process's folders, which end with it.
var held []*os.File

// newFolder makes a folder for HAProxy's files. Those that a killed process left are taken away.
func newFolder() (string, error) {
	sweep()
	dir, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return "", err
	}
	if f, err := lock(dir); err == nil {
		held = append(held, f)
	}
	for _, sub := range []string{"conf", "run"} {
		if err == nil {
			err = os.Mkdir(filepath.Join(dir, sub), 0o700)
		}
	}
	if err == nil && (len(dir) > 97-len("/run/haproxy-no-sni.sock") || strings.ContainsAny(dir, " ,[](){}\"'#\\$")) {
		err = fmt.Errorf("%s: HAProxy can't name sockets in it (set TMPDIR to a short path of letters)", dir)
	}
	if err != nil {
		os.RemoveAll(dir)
	}
	return dir, err
}

// lock a folder by itself; it fails where another process holds it.
func lock(dir string) (*os.File, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// young is a folder that may not be locked yet.
const young = 5 * time.Second

// sweep takes away the folders that nobody holds.
func sweep() {
	found, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, dir := range found {
		if about, err := os.Stat(dir); err != nil || time.Since(about.ModTime()) < young {
			continue
		}
		if f, err := lock(dir); err == nil {
			os.RemoveAll(dir)
			f.Close()
		}
	}
}
