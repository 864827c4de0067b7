package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options of Write.
type Options struct {
	// By is the command that writes, "plimsoll tune make infra"; it replaces its own
	// files only. Empty is planCommand.
	By string
	// Force writes into a directory that By didn't make, and over files that were
	// edited since. Files of other names are kept even so.
	Force bool
}

// planCommand is the command that wrote the lists which name none.
const planCommand = "plimsoll plan"

// listFile names the files that Write made, with their checksums as sha256sum
// prints them, so that a later run replaces its own files only.
const listFile = ".plimsoll-files"

// Write puts the files into dir, all or none: they are written to a new
// directory beside it, which then takes its place. What the user has put into
// dir stays; files of an earlier run that are not written again are removed.
//
// It refuses, unless forced, a directory with content that it didn't make or made
// for another command, and one in which files of the earlier run were edited. It
// always refuses paths that lead out of dir.
func Write(dir string, files []File, o Options) error {
	if err := checkPaths(files); err != nil {
		return err
	}
	dir, err := target(dir)
	if err != nil {
		return err
	}
	by, own, err := readList(dir)
	if err != nil {
		return err
	}
	o.By = cmp.Or(o.By, planCommand)
	foreign := by != o.By && len(own.standing(dir)) > 0
	switch {
	case !o.Force && foreign:
		return inTheWay(dir, by, own.standing(dir), files)
	case !o.Force:
		if err := mayReplace(dir, own, files); err != nil {
			return err
		}
	case foreign:
		own = nil // the other command's files are kept like the user's
	}
	temporary, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	if err := fill(temporary, dir, files, own, o.By); err != nil {
		return err
	}
	return swap(temporary, dir)
}

// target is the directory to be replaced, behind symbolic links. Its parents
// are made when they are missing.
func target(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if resolved, err := filepath.EvalSymlinks(dir); err == nil {
		dir = resolved
	}
	info, err := os.Stat(dir)
	switch {
	case err == nil && !info.IsDir():
		return "", fmt.Errorf("%s: is a file, not a directory", dir)
	case err != nil && !errors.Is(err, os.ErrNotExist):
		return "", err
	case holdsWorkingDirectory(dir):
		return "", fmt.Errorf("%s: is or holds the current directory, which can't be replaced; name a directory below it",
			dir)
	}
	return dir, os.MkdirAll(filepath.Dir(dir), 0o755)
}

// holdsWorkingDirectory says whether a shell that stands in the current
// directory would find itself in a removed one.
func holdsWorkingDirectory(dir string) bool {
	here, err := os.Getwd()
	if err != nil {
		return false
	}
	if resolved, err := filepath.EvalSymlinks(here); err == nil {
		here = resolved
	}
	rel, err := filepath.Rel(dir, here)
	return err == nil && filepath.IsLocal(rel)
}

// checkPaths refuses paths that lead out of the directory, stand twice or are a
// file in one place and a directory in another.
func checkPaths(files []File) error {
	var errs []error
	seen := map[string]bool{}
	for _, f := range files {
		local := filepath.FromSlash(f.Path)
		if !filepath.IsLocal(local) || filepath.ToSlash(filepath.Clean(local)) != f.Path || f.Path == "." ||
			f.Path == listFile {
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

// fill makes the new directory: the user's files, then ours, then the list.
func fill(temporary, dir string, files []File, own ownFiles, by string) error {
	if err := os.Chmod(temporary, mode(dir)); err != nil {
		return err
	}
	if err := keep(temporary, dir, own, files); err != nil {
		return err
	}
	root, err := os.OpenRoot(temporary)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range files {
		if parent := filepath.Dir(filepath.FromSlash(f.Path)); parent != "." {
			if err := root.MkdirAll(parent, 0o755); err != nil {
				return err
			}
		}
		if err := root.WriteFile(filepath.FromSlash(f.Path), f.Content, 0o644); err != nil {
			return err
		}
	}
	return root.WriteFile(listFile, listOf(by, files), 0o644)
}

// mode is that of the directory to be replaced, or the usual one.
func mode(dir string) os.FileMode {
	if info, err := os.Stat(dir); err == nil {
		return info.Mode().Perm()
	}
	return 0o755
}

// swap puts the new directory in the place of the old one. If that fails half
// way the old one is put back.
func swap(temporary, dir string) error {
	if _, err := os.Lstat(dir); errors.Is(err, os.ErrNotExist) {
		return os.Rename(temporary, dir)
	}
	old := temporary + ".old"
	if err := os.Rename(dir, old); err != nil {
		return err
	}
	if err := os.Rename(temporary, dir); err != nil {
		return errors.Join(err, os.Rename(old, dir))
	}
	return os.RemoveAll(old)
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
