package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll.dev/internal/words"
)

// ownFiles are the files of an earlier run with their checksums; nil when the
// directory is not one that Write made.
type ownFiles map[string]string

func checksum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

// byLine begins the line of a list that names the command; sha256sum takes it for
// a comment.
const byLine = "# "

// listOf is the list file for the files that a command wrote.
func listOf(by string, files []File) []byte {
	var b bytes.Buffer
	b.WriteString(byLine + by + "\n")
	sorted := slices.Clone(files)
	slices.SortFunc(sorted, func(x, y File) int { return strings.Compare(x.Path, y.Path) })
	for _, f := range sorted {
		fmt.Fprintf(&b, "%s  %s\n", checksum(f.Content), f.Path)
	}
	return b.Bytes()
}

// readList reads the list file of dir: the command that wrote, and its files. Lines
// that Write can't have written are an error, so that nothing is removed on the
// word of a foreign file.
func readList(dir string) (by string, own ownFiles, err error) {
	content, err := os.ReadFile(filepath.Join(dir, listFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	by, own = planCommand, ownFiles{}
	for i, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
		if name, named := strings.CutPrefix(line, byLine); named && i == 0 {
			by = name
			continue
		}
		sum, path, ok := strings.Cut(line, "  ")
		if !ok || len(sum) != 2*sha256.Size || !filepath.IsLocal(filepath.FromSlash(path)) {
			return "", nil, fmt.Errorf("%s:%d: not a checksum and a path", filepath.Join(dir, listFile), i+1)
		}
		own[path] = sum
	}
	return by, own, nil
}

// standing are the files of the list that are still there.
func (own ownFiles) standing(dir string) ownFiles {
	out := maps.Clone(own)
	maps.DeleteFunc(out, func(path, _ string) bool {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
		return errors.Is(err, fs.ErrNotExist)
	})
	return out
}

// mostNamed bounds the files that a message names.
const mostNamed = 3

// inTheWay refuses to write where another command has written.
func inTheWay(dir, by string, own ownFiles, files []File) error {
	all := slices.Sorted(maps.Keys(own))
	same := slices.DeleteFunc(paths(files), func(p string) bool { _, there := own[p]; return !there })
	what := fmt.Sprintf("%s: %s wrote %s there", dir, by, counted(all))
	if len(same) > 0 {
		what += fmt.Sprintf(", and %s would be overwritten", counted(same))
	}
	return errors.New(what + "; choose another directory, or write over them with --force")
}

// counted counts files and names the first.
func counted(paths []string) string {
	return words.Count(len(paths), "file") + " (" + words.Some(paths, mostNamed) + ")"
}

// mayReplace finds the reasons not to write into dir.
func mayReplace(dir string, own ownFiles, files []File) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if own == nil {
		return fmt.Errorf("%s: is not empty and not written by plimsoll; choose another directory, or force it", dir)
	}
	var errs []error
	for _, path := range slices.Sorted(maps.Keys(own)) {
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if err == nil && checksum(content) != own[path] {
			errs = append(errs, fmt.Errorf("%s: edited since it was written; move it away, or force it",
				filepath.Join(dir, path)))
		}
	}
	for _, path := range paths(files) {
		if _, ours := own[path]; ours {
			continue
		}
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path))); err == nil {
			errs = append(errs, fmt.Errorf("%s: not written by plimsoll; move it away, or force it", filepath.Join(dir, path)))
		}
	}
	return errors.Join(errs...)
}

// keep copies what the user has put into dir to the new directory: everything
// but the files of the earlier run, the list, and what is written now.
func keep(temporary, dir string, own ownFiles, files []File) error {
	mine := append(slices.Collect(maps.Keys(own)), paths(files)...)
	mine = append(mine, listFile)
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == "." {
			return err
		}
		name := filepath.ToSlash(rel)
		switch {
		case slices.Contains(mine, name) && e.IsDir():
			return fs.SkipDir // in the way of a file; only when forced
		case slices.Contains(mine, name), directoryOf(mine, name):
			return nil // a directory of ours is made when something lies in it
		}
		return copyEntry(filepath.Join(temporary, rel), path, e)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// directoryOf says whether one of the paths lies below name.
func directoryOf(paths []string, name string) bool {
	return slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, name+"/") })
}

// copyEntry copies a directory, a symbolic link or a regular file, with its
// mode and time.
func copyEntry(to, from string, e fs.DirEntry) error {
	info, err := e.Info()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	switch {
	case e.IsDir():
		return os.Mkdir(to, info.Mode().Perm())
	case info.Mode()&fs.ModeSymlink != 0:
		link, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(link, to)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: is neither a file nor a directory; move it away", from)
	}
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to, content, info.Mode().Perm()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}
