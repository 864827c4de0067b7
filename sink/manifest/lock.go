package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"
)

// patience is how long a run waits for another one in the same directory, and pause
// how long it sleeps between two looks.
const (
	patience = 30 * time.Second
	pause    = 5 * time.Millisecond
)

// lockFile is locked where the file system can't lock a directory, as NFS can't. It stays: who
// waits for it has it open.
const lockFile = ".plimsoll-lock"

// opened is a directory that this process alone writes to, of all runs of plimsoll.
type opened struct {
	*os.Root
	lock *os.File
	made bool // by this process
}

// undo removes the directory again, if it is as it was made. Who waits for it makes it anew.
func (d *opened) undo() {
	if d.made && d.is(d.Name()) {
		_ = os.Remove(d.Name())
	}
}

func (d *opened) close() error { return errors.Join(d.lock.Close(), d.Root.Close()) }

// open makes the directory if it is missing, and locks it. The lock goes with the process.
func open(dir string, wait time.Duration) (*opened, error) {
	for until := time.Now().Add(cmp.Or(wait, patience)); ; {
		d, err := openOnce(dir, until)
		switch {
		case err == nil && d.is(dir):
			return d, nil
		case err == nil: // somebody removed it while we waited
			err = errors.Join(fmt.Errorf("%s: is removed again and again", dir), d.close())
		case !errors.Is(err, os.ErrNotExist):
			return nil, err
		}
		if time.Now().After(until) {
			return nil, err
		}
	}
}

func openOnce(dir string, until time.Time) (*opened, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: is a file, not a directory", dir)
	}
	made := errors.Is(err, os.ErrNotExist)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	lock, err := locked(root, dir, until)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &opened{root, lock, made}, nil
}

// is says whether the directory is the one of that name still.
func (d *opened) is(dir string) bool {
	a, err1 := d.Stat(".")
	b, err2 := os.Stat(dir)
	return err1 == nil && err2 == nil && os.SameFile(a, b)
}

// locked waits until the directory is ours.
func locked(root *os.Root, dir string, until time.Time) (*os.File, error) {
	f, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	for instead := false; ; {
		busy, err := tryLock(f)
		switch {
		case err == nil && !busy:
			return f, nil
		case err != nil && !instead:
			instead = true
			if err := f.Close(); err != nil {
				return nil, err
			}
			if f, err = root.OpenFile(lockFile, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
				return nil, err
			}
		case err != nil:
			return nil, errors.Join(fmt.Errorf("%s: can't be locked: %w", dir, err), f.Close())
		case time.Now().After(until):
			return nil, errors.Join(fmt.Errorf("%s: %s is writing there; try again when it has ended", dir, holder(f)),
				f.Close())
		default:
			time.Sleep(pause)
		}
	}
}
