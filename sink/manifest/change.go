package manifest

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll.dev/sink/replace"
)

// change is what one run does to a directory that it has locked.
//
// The list goes first: with the files as they were and as they will be it lets the next run know them all
// as ours, whenever this one is stopped. Then every new content is written beside its place, so that a full disk
// is found before anything is replaced. The list with the new files alone goes last.
type change struct {
	root  *os.Root
	list  []byte   // the list file as it was; nil when there was none
	own   ownFiles // what may be replaced
	files []File
	set   Options

	made   []string          // directories
	staged map[string]string // names of the contents that wait, by their paths
}

func (c *change) make() error {
	want := owning(c.files)
	last := listOf(c.set.By, want)
	if bytes.Equal(last, c.list) && len(c.stale()) == 0 {
		return nil
	}
	if err := c.put(listFile, listOf(c.set.By, c.own.together(want))); err != nil {
		return err
	}
	if err := c.stage(); err != nil {
		return errors.Join(err, c.unstage(), c.putBack())
	}
	if err := c.replace(); err != nil {
		return errors.Join(err, c.unstage())
	}
	if err := c.removeOld(want); err != nil {
		return err
	}
	return c.put(listFile, last)
}

// stale are the files that don't stand as they should.
func (c *change) stale() []File {
	want := owning(c.files)
	return slices.DeleteFunc(slices.Clone(c.files), func(f File) bool {
		same, _ := want.ours(c.root, f.Path)
		return same
	})
}

// put replaces one file for good.
func (c *change) put(path string, content []byte) error {
	name, _, err := replace.Stage(c.root, path, content, replace.OfASet)
	if err != nil {
		return err
	}
	if err := c.root.Rename(name, path); err != nil {
		return errors.Join(err, c.root.Remove(name))
	}
	return replace.Sync(c.root, ".")
}

// putBack is the list as it was.
func (c *change) putBack() error {
	if c.list == nil {
		return c.root.Remove(listFile)
	}
	return c.put(listFile, c.list)
}

// stage writes the new contents beside their places.
func (c *change) stage() error {
	c.staged = map[string]string{}
	for _, f := range c.stale() {
		path := filepath.FromSlash(f.Path)
		if err := c.mkdirs(filepath.Dir(path)); err != nil {
			return err
		}
		name, _, err := replace.Stage(c.root, path, f.Content, replace.OfASet)
		if err != nil {
			return err
		}
		c.staged[path] = name
	}
	return nil
}

// mkdirs makes a directory with its parents.
func (c *change) mkdirs(dir string) error {
	if dir == "." {
		return nil
	}
	if err := c.mkdirs(filepath.Dir(dir)); err != nil {
		return err
	}
	err := c.root.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil // a directory: mayStand has seen it
	}
	if err == nil {
		c.made = append(c.made, dir)
	}
	return err
}

// unstage removes what waits for its place, and directories that were made for it.
func (c *change) unstage() error {
	var errs []error
	for _, name := range c.staged {
		if err := c.root.Remove(name); !gone(err) {
			errs = append(errs, err)
		}
	}
	for _, dir := range slices.Backward(c.made) {
		_ = c.root.Remove(dir) // it stays where something has come to lie in it
	}
	return errors.Join(errs...)
}

// replace gives the new contents their places.
func (c *change) replace() error {
	dirs := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(c.staged)) {
		if err := c.place(c.staged[path], path); err != nil {
			return err
		}
		dirs[filepath.Dir(path)] = true
	}
	for _, dir := range c.made {
		dirs[filepath.Dir(dir)] = true
	}
	for dir := range dirs {
		if err := replace.Sync(c.root, dir); err != nil {
			return err
		}
	}
	return nil
}

// place gives one content its place, and nobody else's file away: somebody may have come
// since we looked.
func (c *change) place(staged, path string) error {
	if c.set.Force {
		return c.root.Rename(staged, path)
	}
	slash := filepath.ToSlash(path)
	ours, err := c.own.ours(c.root, slash)
	switch {
	case gone(err):
		err := c.root.Link(staged, path)
		if errors.Is(err, fs.ErrExist) {
			return notOurs(c.root.Name(), slash)
		}
		if err != nil { // a file system without hard links
			return c.root.Rename(staged, path)
		}
		return c.root.Remove(staged)
	case !ours:
		return errors.Join(notOurs(c.root.Name(), slash), err)
	}
	return c.root.Rename(staged, path)
}

// removeOld removes the files of earlier runs that are not written any more, and the directories
// that are empty then. What was edited is the user's.
func (c *change) removeOld(want ownFiles) error {
	dirs := map[string]bool{}
	for _, path := range slices.Sorted(maps.Keys(c.own)) {
		if _, stays := want[path]; stays {
			continue
		}
		dirs[filepath.Dir(filepath.FromSlash(path))] = true
		if ours, _ := c.own.ours(c.root, path); !ours {
			continue
		}
		if err := c.root.Remove(filepath.FromSlash(path)); err != nil && !gone(err) {
			return err
		}
	}
	return c.removeEmpty(dirs)
}

// removeEmpty removes directories, and those above them, that hold nothing, and brings the others to the disk.
func (c *change) removeEmpty(dirs map[string]bool) error {
	for _, dir := range slices.Backward(slices.Sorted(maps.Keys(dirs))) {
		for dir != "." && plain(c.root, filepath.ToSlash(dir)+"/") == nil {
			if err := c.root.Remove(dir); err != nil && !gone(err) {
				break
			}
			dir = filepath.Dir(dir)
		}
		if err := replace.Sync(c.root, dir); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// sweep removes what a stopped run left in a directory: files that wait for their places. None of a run
// that goes on is among them, since the directory is locked.
func sweep(root *os.Root, dir string) error {
	entries, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
	if gone(err) {
		return nil
	}
	for _, e := range entries {
		if replace.IsOfASet(e.Name()) && e.Type().IsRegular() {
			err = errors.Join(err, root.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// sweepBelow sweeps the directories that hold files of ours, but not those that a run of their own may have locked.
func sweepBelow(root *os.Root, own ownFiles) error {
	dirs := map[string]bool{}
	for path := range own {
		if i := strings.LastIndex(path, "/"); i >= 0 && plain(root, path) == nil {
			dirs[filepath.FromSlash(path[:i])] = true
		}
	}
	for dir := range dirs {
		if _, err := root.Lstat(filepath.Join(dir, listFile)); err == nil {
			continue
		}
		if err := sweep(root, dir); err != nil {
			return err
		}
	}
	return nil
}
