// Package replace makes the file that takes the place of another: whole, on the disk, with the owner
// and the mode of the one that it replaces.
//
// It takes no place itself: who calls it renames the file, under the lock or after the check that is
// right there.
//
//	staged, kept, err := replace.Stage(root, "a/b.yaml", content, replace.OfASet)
//	err = root.Rename(staged, "a/b.yaml")
//	err = replace.Sync(root, "a")
package replace

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"syscall"
)

// How the names of files begin that wait for their place: of those that are written under the lock of
// a directory, which the next run removes if they are left, and of those that stand alone.
const (
	OfASet = ".plimsoll-new-"
	Single = ".plimsoll-out-"
)

var ofASet = regexp.MustCompile(`^\` + OfASet + `[0-9a-f]{16}$`)

// IsOfASet says whether a file's name is one that Stage gives to those of a set.
func IsOfASet(name string) bool { return ofASet.MatchString(name) }

// Stage writes content to a new file in the directory of path, and to the disk. It has the owner and the mode of
// the regular file at path, if there is one; kept is false where this process may not give it that owner.
func Stage(root *os.Root, path string, content []byte, prefix string) (name string, kept bool, err error) {
	like, err := root.Lstat(path)
	there := err == nil && like.Mode().IsRegular()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", false, err
	}
	mode := fs.FileMode(0o644)
	if there {
		mode = 0o600 // until it has its owner, whom its mode is meant for
	}
	f, name, err := create(root, filepath.Join(filepath.Dir(path), prefix), mode)
	if err != nil {
		return "", false, of(root, path, err)
	}
	_, err = f.Write(content)
	kept = true
	if there {
		kept = own(f, like)
		err = errors.Join(err, f.Chmod(like.Mode()&(fs.ModePerm|fs.ModeSetuid|fs.ModeSetgid)))
	}
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return "", false, errors.Join(of(root, path, err), root.Remove(name))
	}
	return name, kept, nil
}

// of says an error of the file that was to be written, not of the one that waits.
func of(root *os.Root, path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &fs.PathError{Op: "write", Path: filepath.Join(root.Name(), path), Err: err}
}

// create makes a file of a name that begins so and that nothing has.
func create(root *os.Root, begin string, mode fs.FileMode) (*os.File, string, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return nil, "", err
	}
	name := begin + hex.EncodeToString(b[:])
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	return f, name, err
}

// own gives a file the owner and the group of another.
func own(f *os.File, like fs.FileInfo) bool {
	uid, gid, known := owner(like)
	info, err := f.Stat()
	if !known || err != nil {
		return err == nil
	}
	u, g, _ := owner(info)
	return u == uid && g == gid || f.Chown(uid, gid) == nil
}

// Sync brings a directory's names to the disk. There are file systems that can't be asked to.
func Sync(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := root.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
