// Package files finds manifests below a directory and reads them, within bounds:
// links are not followed, no path leads out, and neither pipes nor devices are
// opened.
//
// It doesn't know what stands in the files, and writes none.
//
//	files.Each(root.FS(), []string{"deploy"}, files.Options{Dir: "."}, sink, func(name string, text []byte) { ... })
package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	slashpath "path"
	"slices"
	"strings"

	"plimsoll.dev/unit"
)

// Options bound what is read. All bounds must be set.
type Options struct {
	// Dir stands before the names of files in what is told: the directory that the
	// file system was opened at, as the user knows it.
	Dir string
	// MaxFile is the most that one file may be long, MaxTotal all together.
	MaxFile, MaxTotal unit.Bytes
	// MaxFiles is the most files that are read.
	MaxFiles int
	// Large says what to do with a file that is too long.
	Large string
	// Want says of a path whether its file is wanted at all; nil wants all.
	Want func(path string) bool
}

// takes says whether a path is that of a manifest that is wanted. Kustomize has a name without an extension, too.
func (o Options) takes(path string) bool {
	named := slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(slashpath.Ext(path))) ||
		slashpath.Base(path) == "Kustomization"
	return named && (o.Want == nil || o.Want(path))
}

func tooManyFiles(most int) string { return fmt.Sprintf("there are more than %d files", most) }

func tooLong(most unit.Bytes) string {
	return "the manifests together are longer than " + unit.FormatBytes(most)
}

// maxDirDepth bounds directories within each other.
const maxDirDepth = 32

// Sink takes what is told of files, by their names as the user knows them.
type Sink interface {
	// Bad is a file, or a name, that is an error.
	Bad(file, what, fix string)
	// Pass is something that is passed over.
	Pass(file, what, why string)
}

// Each gives the text of each file to take: each root is a file or a directory of
// fsys, whose files *.yaml, *.yml, *.json and Kustomization are read, with those of the
// directories below, in the order of their names; each file once.
func Each(fsys fs.FS, roots []string, opt Options, sink Sink, take func(name string, text []byte)) {
	f := finder{fsys: fsys, set: opt, sink: sink, seen: map[string]bool{}}
	for _, root := range roots {
		f.root(root)
	}
	total := unit.Bytes(0)
	for _, name := range f.files {
		text, err := read(fsys, name, opt.MaxFile)
		if err != nil {
			sink.Bad(opt.Shown(name), err.Error(), opt.Large)
			continue
		}
		if total += unit.Bytes(len(text)); total > opt.MaxTotal {
			sink.Bad(opt.Shown(name), tooLong(opt.MaxTotal), "name fewer files")
			return
		}
		take(opt.Shown(name), text)
	}
}

// Shown is a file's name as the user knows it.
func (o Options) Shown(name string) string {
	if o.Dir == "" || slashpath.IsAbs(name) {
		return name
	}
	return slashpath.Join(o.Dir, name)
}

// finder collects the files to read.
type finder struct {
	fsys  fs.FS
	set   Options
	sink  Sink
	files []string
	seen  map[string]bool
	full  bool
}

// root adds a file or everything in a directory.
func (f *finder) root(name string) {
	clean := slashpath.Clean(strings.ReplaceAll(name, `\`, "/"))
	if !fs.ValidPath(clean) {
		f.sink.Bad(f.set.Shown(name), "the path leads out of the directory",
			"give a path below it, without a leading / and without ..")
		return
	}
	// A link in the middle of the path could lead out as well.
	for i := range clean {
		if clean[i] == '/' && !f.plain(name, clean[:i]) {
			return
		}
	}
	if !f.plain(name, clean) {
		return
	}
	info, err := fs.Stat(f.fsys, clean)
	switch {
	case err != nil:
		f.sink.Bad(f.set.Shown(name), "it can't be read: "+reason(err),
			"check the path; it is relative to the scenario's directory")
	case info.IsDir():
		f.dir(clean, 0)
	case !info.Mode().IsRegular():
		// A pipe would keep the program waiting, a device may never end.
		f.sink.Bad(f.set.Shown(name), "it is no regular file", "write what it gives into a file and name that")
	default:
		f.add(clean)
	}
}

// plain says whether name is no symbolic link.
func (f *finder) plain(root, name string) bool {
	info, err := fs.Lstat(f.fsys, name)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		f.sink.Bad(f.set.Shown(root), f.set.Shown(name)+" is a symbolic link",
			"links are not followed; name the file or directory that it leads to")
		return false
	}
	return true
}

// reason is an error without the operation and the path, which stand beside it.
func reason(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file"
	}
	return err.Error()
}

func (f *finder) add(name string) {
	if len(f.files) >= f.set.MaxFiles {
		if !f.full {
			f.full = true
			f.sink.Bad(f.set.Shown(name), tooManyFiles(f.set.MaxFiles), "name fewer directories")
		}
		return
	}
	if !f.seen[name] {
		f.seen[name] = true
		f.files = append(f.files, name)
	}
}

// dir adds the manifests in a directory and below it, in the order of their
// names. Names that begin with a dot are left out, as kubectl does.
func (f *finder) dir(name string, depth int) {
	if depth > maxDirDepth {
		f.sink.Pass(f.set.Shown(name), "directory "+slashpath.Base(name),
			fmt.Sprintf("directories deeper than %d are not entered", maxDirDepth))
		return
	}
	entries, err := fs.ReadDir(f.fsys, name)
	if err != nil {
		f.sink.Bad(f.set.Shown(name), "it can't be read: "+reason(err), "check the permissions")
		return
	}
	for _, e := range entries {
		path := slashpath.Join(name, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), ".") || f.full:
		case e.Type()&fs.ModeSymlink != 0:
			f.sink.Pass(f.set.Shown(path), "symbolic link "+e.Name(), "links are not followed; name what it leads to")
		case e.IsDir():
			f.dir(path, depth+1)
		case e.Type().IsRegular() && f.set.takes(path):
			f.add(path)
		}
	}
}

// read returns the text of a file that is not longer than most.
func read(fsys fs.FS, name string, most unit.Bytes) ([]byte, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("it can't be read: %s", reason(err))
	}
	defer file.Close()
	var text bytes.Buffer
	if info, err := file.Stat(); err == nil && unit.Bytes(info.Size()) <= most {
		// A buffer that grows by and by takes twice the room of a long file.
		text.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err = text.ReadFrom(io.LimitReader(file, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it can't be read: %s", reason(err))
	case unit.Bytes(text.Len()) > most:
		return nil, fmt.Errorf("it is longer than %s", unit.FormatBytes(most))
	}
	return text.Bytes(), nil
}
