package apply

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
)

// trees are the parts of a node that are looked at, as paths in it.
var trees = []string{"proc", "sys"}

// snapshot is the entries of a node by their path in it: "proc/sys/vm/swappiness".
type snapshot map[string]entry

// entry is a kind and mode, and a file's bytes or a link's target.
type entry struct {
	mode fs.FileMode
	data string
}

// hash is a fingerprint of paths, kinds, modes and bytes.
func (s snapshot) hash() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s)) {
		e := s[name]
		fmt.Fprintf(h, "%d %s %o %d ", len(name), name, e.mode, len(e.data))
		io.WriteString(h, e.data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// differing are the entries that are not the same in both, sorted.
func (s snapshot) differing(other snapshot) []string {
	var out []string
	for name, e := range s {
		if o, ok := other[name]; !ok || o != e {
			out = append(out, name)
		}
	}
	for name := range other {
		if _, ok := s[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// read takes a snapshot of everything.
func (n *node) read([]string) (snapshot, error) {
	out := snapshot{}
	total := 0
	err := n.walk(trees, func(name string, info fs.FileInfo) error {
		data, err := n.contents(name, info.Mode())
		if err != nil {
			return fmt.Errorf("%s: %w", show(name), plain(err))
		}
		if total += len(data); total > n.max.bytes {
			return fmt.Errorf("its files have more than %d bytes (leave out what no profile tunes)", n.max.bytes)
		}
		out[name] = entry{mode: info.Mode(), data: data}
		return nil
	})
	return out, err
}

// contents are a file's bytes, or a link's target. A file that may not be read is
// as if it were empty: the kernel has such files, too.
func (n *node) contents(name string, mode fs.FileMode) (string, error) {
	if mode&fs.ModeSymlink != 0 {
		return n.root.Readlink(name)
	}
	if !mode.IsRegular() {
		return "", nil
	}
	f, err := n.root.OpenFile(name, os.O_RDONLY|carefully, 0)
	if errors.Is(err, fs.ErrPermission) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1)) // one too many: what grew is not the same
	return string(data), err
}

// putBack makes the named entries what they were. What is new goes first, the
// deepest first; what is gone comes back before what it holds.
func (n *node) putBack(names []string, was snapshot) map[string]error {
	faults := map[string]error{}
	for _, name := range slices.Backward(names) {
		if _, ok := was[name]; !ok {
			faults[name] = n.root.Remove(name)
		}
	}
	for _, name := range names {
		if e, ok := was[name]; ok {
			faults[name] = n.restore(name, e)
		}
	}
	return faults
}

// restore writes one entry.
func (n *node) restore(name string, was entry) error {
	if info, err := n.root.Lstat(name); err == nil && info.Mode().Type() != was.mode.Type() {
		if err := n.root.RemoveAll(name); err != nil {
			return err
		}
	}
	switch {
	case was.mode.IsDir():
		if err := n.root.Mkdir(name, was.mode.Perm()); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	case was.mode&fs.ModeSymlink != 0:
		n.root.Remove(name)
		return n.root.Symlink(was.data, name)
	default:
		if err := n.write(name, was); err != nil {
			return err
		}
	}
	if info, err := n.root.Lstat(name); err != nil || info.Mode() == was.mode {
		return err
	}
	return n.root.Chmod(name, was.mode.Perm())
}

func (n *node) write(name string, was entry) error {
	f, err := n.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|carefully, was.mode.Perm())
	if err != nil {
		return err
	}
	_, err = f.WriteString(was.data)
	return errors.Join(err, f.Close())
}
