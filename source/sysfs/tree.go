package sysfs

import (
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"plimsoll.dev/unit"
)

// files is a tree of small files.
type files interface {
	// read returns the text of a file; ok is false when there is none.
	read(name string) (text string, ok bool)
	// names of what is in a directory, sorted; none when there is no such directory.
	names(dir string) []string
	// shown is the name of a file as the user knows it.
	shown(name string) string
}

// maxFile is the most that is read of one file of a tree: the kernel gives a
// page for most, and meminfo is no longer.
const maxFile = 16 * unit.KiB

// maxNames is the most entries of a directory that are looked at: a NUMA node
// has one for each block of memory.
const maxNames = 1 << 16

// directory is a tree on disk. Only the names that are known to be files are
// opened, so that loops of links do no harm.
type directory struct {
	fsys fs.FS
	name string
}

func (d directory) shown(name string) string { return path.Join(d.name, name) }

func (d directory) read(name string) (string, bool) {
	info, err := fs.Stat(d.fsys, name)
	if err != nil || !info.Mode().IsRegular() {
		return "", false
	}
	f, err := d.fsys.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, int64(maxFile)))
	return trimmed(text), err == nil
}

// trimmed drops the zeros with which tar pads files that are shorter than the
// kernel says, and blanks.
func trimmed(text []byte) string { return strings.TrimSpace(strings.TrimRight(string(text), "\x00")) }

func (d directory) names(dir string) []string {
	f, err := d.fsys.Open(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, ok := f.(fs.ReadDirFile)
	if !ok {
		return nil
	}
	entries, err := list.ReadDir(maxNames)
	if err != nil {
		return nil
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names
}

// numbered lists the entries "prefix" and a number in a directory, by number.
func numbered(t files, dir, prefix string) map[int]string {
	out := map[int]string{}
	for _, name := range t.names(dir) {
		digits, ok := strings.CutPrefix(name, prefix)
		if n, err := strconv.ParseUint(digits, 10, 31); ok && err == nil && strconv.FormatUint(n, 10) == digits {
			out[int(n)] = path.Join(dir, name)
		}
	}
	return out
}

const (
	cpuDir  = "devices/system/cpu"
	nodeDir = "devices/system/node"
)

// below is a tree that begins further down.
type below struct {
	files
	prefix string
}

func (b below) read(name string) (string, bool) { return b.files.read(path.Join(b.prefix, name)) }
func (b below) names(dir string) []string       { return b.files.names(path.Join(b.prefix, dir)) }
func (b below) shown(name string) string        { return b.files.shown(path.Join(b.prefix, name)) }

// rooted finds where the tree begins: here, or in sys.
func rooted(t files) files {
	if len(t.names(cpuDir)) == 0 && len(t.names("sys/"+cpuDir)) > 0 {
		return below{t, "sys"}
	}
	return t
}

// readTree reads a saved sysfs tree.
func readTree(t files, bad *problems) Reading {
	t = rooted(t)
	if len(t.names(cpuDir)) == 0 {
		bad.file(t.shown("."), "there is no "+cpuDir+" in it", "save /sys/"+cpuDir+" and /sys/"+nodeDir+" with their paths")
		return Reading{}
	}
	r := &treeReader{files: t, bad: bad}
	nodes := r.nodes()
	threads := r.threads()
	if !bad.none() {
		return Reading{}
	}
	var notes []string
	if len(nodes) == 0 {
		nodes = socketNodes(threads)
		notes = append(notes, "there are no NUMA nodes in the tree: each socket is taken for one, "+
			"and its memory is not known")
	}
	m := discover(threads, nodes)
	if len(nodes) > 0 && nodes[0].Distances == nil {
		m.DefaultDistances()
		notes = append(notes, "there are no distances in the tree: 10 and 20 are taken")
	}
	return Reading{Machine: m, Notes: notes}
}
