package apply

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of a simulated node. The /proc/sys and /sys of a machine with 256 CPUs
// have some 150,000 entries of at most a page each.
const (
	maxFile   = 1 << 20 // bytes of one file
	maxFaults = 20      // told of one tree
)

// ownConfig is what a simulated node may have beside /proc and /sys: the settings
// that TuneD applies again after its own, and what udev knows of devices. TuneD
// reads it, but can't write to it.
var ownConfig = []string{"etc/sysctl.conf", "etc/sysctl.d", "run/sysctl.d", "run/udev"}

// needs says what a simulated node is made of.
const needs = "a simulated node has plain files below proc/sys and sys, and the directories sys/block, " +
	"sys/class/net, sys/bus and sys/devices/system/cpu, empty where it has no such devices"

// bounds of a tree: its entries, and the bytes of all its files.
type bounds struct{ entries, bytes int }

var usual = bounds{400_000, 256 << 20}

// node is a simulated node: nothing is read or written outside its directory.
type node struct {
	given string // as the caller names it
	dir   string
	root  *os.Root
	id    [2]uint64 // of its directory
	dev   uint64    // of the file system; a mount in the tree has another
	max   bounds
	lock  io.Closer // nobody else applies a profile meanwhile; nil while it is looked at
}

// reachNode opens a directory as a node that may be none.
func reachNode(dir string, max bounds) (*node, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return nil, fmt.Errorf("node %s: %w", dir, plain(err))
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("node %s: %w (%s)", dir, plain(err), needs)
	}
	info, err := root.Stat(".")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("node %s: %w", dir, plain(err)), root.Close())
	}
	if fault := sharedFault(info); fault != "" {
		return nil, errors.Join(fmt.Errorf("node %s %s", dir, fault), root.Close())
	}
	n := &node{given: dir, dir: abs, root: root, max: max}
	n.dev, _ = identity(info)
	n.id = fileID(info)
	return n, nil
}

func (n *node) close() {
	n.root.Close()
	if n.lock != nil {
		n.lock.Close()
	}
}

// check looks at every entry before anything may write.
func (n *node) check() error {
	if err := n.faults(); err != nil {
		return wrongOptions(fmt.Errorf("node %s: %w", n.given, err))
	}
	return nil
}

func (n *node) faults() error {
	var faults []error
	for _, needed := range []string{"proc", "proc/sys", "sys"} {
		if info, err := n.root.Lstat(needed); err != nil || !info.IsDir() {
			faults = append(faults, fmt.Errorf("%s is no directory (%s)", needed, needs))
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	own, faults := n.own()
	err := n.walk(append(own, trees...), func(name string, info fs.FileInfo) error {
		fault := n.fault(name, info)
		if fault == "" {
			return nil
		}
		if faults = append(faults, fmt.Errorf("%s %s", show(name), fault)); len(faults) >= maxFaults {
			return fs.SkipAll
		}
		if info.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	return errors.Join(append(faults, err)...)
}

// own is what the node has of its own profiles and settings.
func (n *node) own() (there []string, faults []error) {
	for _, name := range append([]string{admin[1:]}, ownConfig...) {
		switch fault, ok := n.way(name); {
		case fault != nil:
			faults = append(faults, fault)
		case ok:
			there = append(there, name)
		}
	}
	return there, faults
}

// way follows a path to what a node may have. No step of it may be a link: the path
// is shown to TuneD as it is on this machine, where a link may lead anywhere.
func (n *node) way(name string) (fault error, ok bool) {
	steps := strings.Split(name, "/")
	for i := range steps {
		step := path.Join(steps[:i+1]...)
		info, err := n.root.Lstat(step)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, false
		case err != nil:
			return fmt.Errorf("%s: %w", step, plain(err)), false
		case info.Mode()&fs.ModeSymlink != 0:
			return fmt.Errorf("%s is a link (put what it leads to in its place, or leave it out)", step), false
		case !info.IsDir() && i < len(steps)-1:
			return fmt.Errorf("%s is no directory (leave it out)", step), false
		}
	}
	return nil, true
}

// walk visits every entry of trees.
func (n *node) walk(trees []string, visit func(string, fs.FileInfo) error) error {
	count := 0
	for _, tree := range trees {
		err := fs.WalkDir(n.root.FS(), tree, func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return fmt.Errorf("%s: %w", show(name), plain(err))
			}
			if count++; count > n.max.entries {
				return fmt.Errorf("it has more than %d entries (leave out what no profile tunes)", n.max.entries)
			}
			info, err := d.Info()
			if err != nil {
				return fmt.Errorf("%s: %w", show(name), plain(err))
			}
			return visit(name, info)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// fault says what is wrong with an entry.
func (n *node) fault(name string, info fs.FileInfo) string {
	dev, names := identity(info)
	switch mode := info.Mode(); {
	case dev != n.dev:
		return "is a mount of its own (copy its files)"
	case mode.IsDir():
		return sharedFault(info)
	case mode&fs.ModeSymlink != 0:
		return n.linkFault(name)
	case !mode.IsRegular():
		return "is neither file, directory nor link (leave it out)"
	case mode&(fs.ModeSetuid|fs.ModeSetgid) != 0:
		return "is setuid or setgid (chmod ug-s: scripts of the profile could write to it)"
	case names > 1:
		return fmt.Sprintf("has %d names (copy the tree, so that nothing else shares its files)", names)
	case info.Size() > maxFile:
		return fmt.Sprintf("has %d bytes (at most %d)", info.Size(), maxFile)
	}
	return ""
}

// linkFault refuses links that lead outside, also by way of other links. A link to
// nothing inside is one that /sys has, too.
func (n *node) linkFault(name string) string {
	const inside = "(links must be relative and stay in the node)"
	target, err := n.root.Readlink(name)
	if err != nil {
		return fmt.Sprintf("can't be read: %v", plain(err))
	}
	if target == os.DevNull && !slices.ContainsFunc(trees,
		func(tree string) bool { return strings.HasPrefix(name, tree+"/") }) {
		return "" // how settings are masked
	}
	if path.IsAbs(target) || !filepath.IsLocal(path.Join(path.Dir(name), target)) {
		return fmt.Sprintf("leads to %s %s", show(target), inside)
	}
	if _, err := n.root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("leads to %s: %v %s", show(target), plain(err), inside)
	}
	return ""
}

// plain takes the path off an error that tells it anew.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// show is a path for people: as it is, or quoted where that could not be read.
func show(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\ufffd' }) {
		return fmt.Sprintf("%q", name)
	}
	return name
}
