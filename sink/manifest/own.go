package manifest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"plimsoll.dev/internal/words"
)

// ownFiles are the files of an earlier run, each with the checksums that it may have: one, or more
// where a run was stopped half way. nil when the directory is not one that Write made.
type ownFiles map[string][]string

// together are the files of both.
func (own ownFiles) together(with ownFiles) ownFiles {
	out := ownFiles{}
	for _, some := range []ownFiles{own, with} {
		for path, sums := range some {
			for _, sum := range sums {
				if !slices.Contains(out[path], sum) {
					out[path] = append(out[path], sum)
				}
			}
		}
	}
	return out
}

// owning are the files as a list has them.
func owning(files []File) ownFiles {
	out := ownFiles{}
	for _, f := range files {
		out[f.Path] = []string{checksum(f.Content)}
	}
	return out
}

func checksum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

// byLine begins the line of a list that names the command; sha256sum takes it for
// a comment.
const byLine = "# "

// listOf is the list file for the files that a command wrote, or is about to write.
func listOf(by string, own ownFiles) []byte {
	var b bytes.Buffer
	b.WriteString(byLine + by + "\n")
	for _, path := range slices.Sorted(maps.Keys(own)) {
		for _, sum := range own[path] {
			fmt.Fprintf(&b, "%s  %s\n", sum, path)
		}
	}
	return b.Bytes()
}

// maxList bounds a list of files, and maxOwn a file that may be one of ours, in bytes.
const (
	maxList = 16 << 20
	maxOwn  = 256 << 20
)

// readList reads the list file of a directory: its bytes, the command that wrote, and its files. Lines that Write
// can't have written are an error, so that nothing is removed on the word of a foreign file.
func readList(root *os.Root) (text []byte, by string, own ownFiles, err error) {
	text, err = readRegular(root, listFile, maxList)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, "", nil, nil
	}
	if err != nil {
		return nil, "", nil, err
	}
	by, own = planCommand, ownFiles{}
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if name, named := strings.CutPrefix(line, byLine); named && i == 0 {
			by = name
			continue
		}
		sum, path, ok := strings.Cut(line, "  ")
		if !ok || len(sum) != 2*sha256.Size || !inside(path) {
			return nil, "", nil, fmt.Errorf("%s:%d: not a checksum and a path", filepath.Join(root.Name(), listFile), i+1)
		}
		own[path] = append(own[path], sum)
	}
	return text, by, own, nil
}

// inside says whether a path is one of a file in a directory, written as Write writes it.
func inside(path string) bool {
	local := filepath.FromSlash(path)
	return filepath.IsLocal(local) && filepath.ToSlash(filepath.Clean(local)) == path && path != "." &&
		path != listFile && path != lockFile
}

// readRegular reads a file of at most so many bytes: no link, and no pipe, which would keep us waiting.
func readRegular(root *os.Root, path string, most int64) ([]byte, error) {
	is, err := root.Lstat(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(root.Name(), path)
	if !is.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is no regular file; move it away", name)
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !os.SameFile(is, info) {
		return nil, errors.Join(fmt.Errorf("%s: changes while it is read", name), err)
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s: is longer than any that plimsoll writes; move it away", name)
	}
	return text, err
}

// standing are the files of the list that are still there.
func (own ownFiles) standing(root *os.Root) ownFiles {
	out := maps.Clone(own)
	maps.DeleteFunc(out, func(path string, _ []string) bool {
		_, err := root.Lstat(filepath.FromSlash(path))
		return gone(err)
	})
	return out
}

// gone says that there is nothing of that name: not in its directory, or that is no directory.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// ours says whether the file at path is one that Write wrote, and nobody edited.
func (own ownFiles) ours(root *os.Root, path string) (bool, error) {
	if err := plain(root, path); err != nil {
		return false, err
	}
	content, err := readRegular(root, filepath.FromSlash(path), maxOwn)
	return err == nil && slices.Contains(own[path], checksum(content)), err
}

// plain refuses a path that leads through a link, or through what is no directory.
func plain(root *os.Root, path string) error {
	for i := range path {
		if path[i] != '/' {
			continue
		}
		dir := filepath.FromSlash(path[:i])
		switch info, err := root.Lstat(dir); {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s: is not a directory of its own, and %s has to be in it; move it away",
				filepath.Join(root.Name(), dir), path)
		}
	}
	return nil
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

// mayReplace finds the reasons not to write into a directory.
func mayReplace(root *os.Root, own ownFiles, files []File) error {
	dir := root.Name()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == lockFile })
	if len(entries) == 0 {
		return nil
	}
	if own == nil {
		return fmt.Errorf("%s: is not empty and not written by plimsoll; choose another directory, or force it", dir)
	}
	var errs []error
	for _, path := range slices.Sorted(maps.Keys(own)) {
		if ours, err := own.ours(root, path); !ours && !gone(err) {
			errs = append(errs, fmt.Errorf("%s: edited since it was written; move it away, or force it",
				filepath.Join(dir, path)))
		}
	}
	for _, path := range paths(files) {
		if _, ours := own[path]; ours {
			continue
		}
		if _, err := root.Lstat(filepath.FromSlash(path)); err == nil {
			errs = append(errs, notOurs(dir, path))
		}
	}
	return errors.Join(errs...)
}

func notOurs(dir, path string) error {
	return fmt.Errorf("%s: not written by plimsoll; move it away, or force it", filepath.Join(dir, path))
}

// mayStand finds what is in the way of files, forced or not: what is no directory where one has to be, and
// what is no file where a file has to be.
func mayStand(root *os.Root, files []File) error {
	var errs []error
	for _, path := range paths(files) {
		if err := plain(root, path); err != nil {
			errs = append(errs, err)
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(path))
		switch {
		case gone(err):
		case err != nil:
			errs = append(errs, err)
		case !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0:
			errs = append(errs, fmt.Errorf("%s: is not a file; move it away", filepath.Join(root.Name(), path)))
		}
	}
	return errors.Join(errs...)
}
