package cli

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/loadmodel"
	"plimsoll.dev/source/dump"
	"plimsoll.dev/source/files"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/source/live"
	"plimsoll.dev/source/scenario"
)

// snapshotOf is what the file of --snapshot holds, or that which a scenario names; it is read once.
func (in *input) snapshotOf(a *app, doc *scenario.Document, named string) (*v1alpha1.Inventory, error) {
	opt := kube.Options{Each: in.each}
	switch {
	case in.taken != nil || in.takenWrong != nil:
	case in.running.asked():
		in.taken, in.takenWrong = a.readRunning(&in.running, opt)
	case in.snapshot != "":
		in.taken, in.takenWrong = a.readSnapshot(in.snapshot, opt)
	default:
		in.taken, in.takenWrong = a.readNamedSnapshot(doc.Path("."), named, in.outside, opt)
	}
	return in.taken, in.takenWrong
}

// readNamedSnapshot reads the snapshot that a scenario names.
func (a *app) readNamedSnapshot(dir, name string, outside bool, opt kube.Options) (*v1alpha1.Inventory, error) {
	f, path, err := openBeside(dir, name, outside)
	if err != nil {
		return nil, err
	}
	return a.readOpened(f, path, opt)
}

// readSnapshot reads a file, a directory of a must-gather, or standard input.
func (a *app) readSnapshot(path string, opt kube.Options) (*v1alpha1.Inventory, error) {
	if path == "-" {
		return readPacked(a.In, "stdin", opt)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		root, err := os.OpenRoot(path)
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return readDump(path, opt, func(r *dump.Reader) error { return r.Dir(root.FS(), path) })
	}
	f, err := openRegular(os.Stat, os.Open, path)
	if err != nil {
		return nil, err
	}
	return a.readOpened(f, path, opt)
}

// openRegular opens a file. Opening a pipe would keep the program waiting, and a
// device may never end.
func openRegular(stat func(string) (os.FileInfo, error), open func(string) (*os.File, error),
	path string) (*os.File, error) {
	info, err := stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: is no regular file (a snapshot from a pipe is read with --snapshot -)", path)
	}
	return open(path)
}

// readOpened reads a snapshot to its end and closes it.
func (a *app) readOpened(f *os.File, path string, opt kube.Options) (*v1alpha1.Inventory, error) {
	defer f.Close()
	in, done := a.progress(f)
	defer done()
	text := bufio.NewReader(in)
	if start, _ := text.Peek(tarBlock); files.IsTar(start) || files.IsArchive(start) && isPackedTar(f) {
		return readDump(path, opt, func(r *dump.Reader) error { return r.Archive(text, path) })
	}
	return readPacked(text, path, opt)
}

// readPacked reads a snapshot that gzip may have packed.
func readPacked(in io.Reader, name string, opt kube.Options) (*v1alpha1.Inventory, error) {
	text, err := unpacked(in, name)
	if err != nil {
		return nil, err
	}
	return kube.ReadSnapshot(text, name, opt)
}

// unpacked is what gzip has packed, or the text itself.
func unpacked(in io.Reader, name string) (io.Reader, error) {
	text, err := files.Unpacked(in)
	if errors.Is(err, io.EOF) { // of an empty text, of which its reader says so
		return strings.NewReader(""), nil
	}
	if err != nil {
		err = fmt.Errorf("%s: it can't be unpacked: %w", name, err)
	}
	return &whole{text}, err
}

// whole says of what is packed that it is cut off or damaged, which a reader of its text can't know.
type whole struct{ io.Reader }

func (w *whole) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) {
		err = fmt.Errorf("it can't be unpacked, for it is cut off or damaged (%v)", err)
	}
	return n, err
}

// tarBlock is what a tar begins with, in bytes.
const tarBlock = 512

// isPackedTar says whether what gzip has packed in a file is a tar. It leaves the place in the file as it
// is.
func isPackedTar(f *os.File) bool {
	plain, err := files.Unpacked(io.NewSectionReader(f, 0, math.MaxInt64))
	if err != nil {
		return false
	}
	start, _ := bufio.NewReader(plain).Peek(tarBlock)
	return files.IsTar(start)
}

// otherNamespaces is what is passed over of a must-gather.
const otherNamespaces = "other namespaces"

// readDump reads what was written of a cluster into many files as one snapshot: the objects are handed on
// as kubectl would write them, and none is kept.
func readDump(path string, opt kube.Options, read func(*dump.Reader) error) (*v1alpha1.Inventory, error) {
	r, users, secrets := &dump.Reader{}, 0, false
	r.Want = func(path string) bool {
		of := dump.Resource(path)
		secrets = secrets || of == "secrets"
		return of != "secrets" && (live.Reads(of) || !kube.Harmless(of))
	}
	found, err := piped(func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<18)
		r.Take = func(o dump.Object) {
			if o.Kind == "Pod" && !loadmodel.IsSystem(o.Namespace) {
				users++
			}
			_, _ = out.Write(o.JSON) // whoever reads no further says why
			_ = out.WriteByte('\n')
		}
		return cmp.Or(read(r), out.Flush())
	}, func(text io.Reader) (*v1alpha1.Inventory, error) {
		return kube.ReadSnapshot(text, path, opt)
	})
	if err != nil {
		return nil, err
	}
	found.Skipped = append(append(found.Skipped, r.Passed...), v1alpha1.Skipped{Place: path, What: otherNamespaces,
		Why: "a must-gather has the platform's only; \"oc adm inspect ns/NAME\" writes others", Decides: users == 0})
	if secrets {
		found.Skipped = append(found.Skipped, v1alpha1.Skipped{Place: path, What: "secrets",
			Why: "their files are never opened: how many there are is not known"})
	}
	return found, nil
}

// progress reports on standard error how much of a file has been read, with
// rate and time left; files that are read at once stay silent.
func (a *app) progress(f *os.File) (io.Reader, func()) {
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return f, func() {}
	}
	p := term.NewProgress(a.terminal, term.ProgressOptions{
		Title: "reading " + table.Clean(filepath.Base(f.Name())), Total: info.Size(),
		Unit: "bytes", Quiet: a.quiet, Now: time.Now})
	return &counted{f, p}, p.Done
}

// counted is a reader that reports what was read.
type counted struct {
	io.Reader
	progress *term.Progress
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress.Add(int64(n))
	return n, err
}
