package apply

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// scratch is the directory of a run's files. It is locked as long as any process of
// the run lives: those that it starts hold the lock, too.
type scratch struct {
	dir  string
	held *os.File
}

const scratchName = "plimsoll-tune-"

// newScratch makes one, and removes those of runs that were killed.
func newScratch() (scratch, error) {
	temp, err := filepath.Abs(os.TempDir()) // TuneD is started elsewhere
	if err != nil {
		return scratch{}, err
	}
	sweep(temp)
	for {
		dir, err := os.MkdirTemp(temp, scratchName)
		if err != nil {
			return scratch{}, err
		}
		held, err := lockFile(dir)
		if err == nil {
			if _, err := os.Lstat(dir); err == nil {
				return scratch{dir, held}, nil
			}
			held.Close() // another run took it for a dead one's before it was locked
			continue
		}
		if !errors.Is(err, errBusy) && !errors.Is(err, fs.ErrNotExist) {
			return scratch{}, errors.Join(err, os.RemoveAll(dir))
		}
	}
}

func (s scratch) close() error {
	if s.held == nil {
		return nil
	}
	return errors.Join(os.RemoveAll(s.dir), s.held.Close())
}

// sweep removes directories of runs of which nothing lives.
func sweep(temp string) {
	dirs, _ := filepath.Glob(filepath.Join(temp, scratchName+"*")) // the pattern is right, but for odd names of temp
	for _, dir := range dirs {
		bury(dir)
	}
}

// bury removes the directory of a run of which nothing lives, and says whether
// something does.
func bury(dir string) (alive bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() || !isMine(info) || !strings.HasPrefix(filepath.Base(dir), scratchName) {
		return false
	}
	held, err := lockFile(dir)
	if err != nil {
		return errors.Is(err, errBusy)
	}
	os.RemoveAll(dir)
	held.Close()
	return false
}

// outlive waits until nothing of a killed run lives: its TuneD rolls back by itself.
func (j *journal) outlive(ctx context.Context) error {
	limit := time.NewTimer(max(j.Patience, 0) + 2*killing)
	defer limit.Stop()
	for bury(j.Scratch) {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-limit.C:
			return fmt.Errorf("a run of profile %s was killed, but its TuneD still runs (end it, then try again)",
				show(j.Profile))
		case <-ctx.Done():
			return fmt.Errorf("interrupted while a killed run's TuneD rolls back: %w", context.Cause(ctx))
		}
	}
	return nil
}
