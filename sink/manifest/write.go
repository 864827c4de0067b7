package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// Options of Write.
type Options struct {
	// By is the command that writes, "plimsoll tune make infra"; it replaces its own
	// files only. Empty is planCommand.
	By string
	// Force writes into a directory that By didn't make, and over files that were
	// edited since. Files of other names are kept even so.
	Force bool
	// Wait is how long to wait for another run in the same directory; none is half a minute.
	Wait time.Duration
}

// planCommand is the command that wrote the lists which name none.
const planCommand = "plimsoll plan"

// listFile names the files that Write made, with their checksums as sha256sum
// prints them, so that a later run replaces its own files only.
const listFile = ".plimsoll-files"

// Write puts the files into dir, each by a rename within its directory, while dir is locked: another run
// waits. What the user has put into dir is neither moved nor copied nor removed; files of an earlier run that
// are not written again are removed, unless they were edited. What a run left that was stopped half way, the
// next one puts right.
//
// It refuses, unless forced, a directory with content that it didn't make or made
// for another command, and one in which files of the earlier run were edited. It
// always refuses paths that lead out of dir, or through a link.
func Write(dir string, files []File, o Options) (err error) {
	if err := checkPaths(files); err != nil {
		return err
	}
	o.By = cmp.Or(o.By, planCommand)
	root, err := open(dir, o.Wait)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			root.undo()
		}
		err = errors.Join(err, root.close())
	}()
	if err := sweep(root.Root, "."); err != nil {
		return err
	}
	list, by, own, err := readList(root.Root)
	if err != nil {
		return err
	}
	if err := sweepBelow(root.Root, own.together(owning(files))); err != nil {
		return err
	}
	if own, err = o.mayWrite(root.Root, by, own, files); err != nil {
		return err
	}
	return (&change{root: root.Root, list: list, own: own, files: files, set: o}).make()
}

// mayWrite finds the reasons not to write, and the files that may be replaced.
func (o Options) mayWrite(root *os.Root, by string, own ownFiles, files []File) (ownFiles, error) {
	foreign := by != o.By && len(own.standing(root)) > 0
	switch {
	case !o.Force && foreign:
		return nil, inTheWay(root.Name(), by, own.standing(root), files)
	case !o.Force:
		if err := mayReplace(root, own, files); err != nil {
			return nil, err
		}
	case foreign:
		own = nil // the other command's files are kept like the user's
	}
	return own, mayStand(root, files)
}

// checkPaths refuses paths that lead out of the directory, stand twice or are a
// file in one place and a directory in another.
func checkPaths(files []File) error {
	var errs []error
	seen := map[string]bool{}
	for _, f := range files {
		if !inside(f.Path) {
			errs = append(errs, fmt.Errorf("%q: not a path inside of the directory", f.Path))
		}
		if seen[f.Path] {
			errs = append(errs, fmt.Errorf("%q: stands twice", f.Path))
		}
		seen[f.Path] = true
	}
	for _, f := range files {
		for p := f.Path; strings.Contains(p, "/"); {
			p = p[:strings.LastIndex(p, "/")]
			if seen[p] {
				errs = append(errs, fmt.Errorf("%q: is a file, and %q needs it as a directory", p, f.Path))
			}
		}
	}
	return errors.Join(errs...)
}

// paths of the files, for membership.
func paths(files []File) []string {
	out := make([]string, len(files))
	for i, f := range files {
		out[i] = f.Path
	}
	slices.Sort(out)
	return out
}
