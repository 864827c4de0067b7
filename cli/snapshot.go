package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/table"
	"plimsoll.dev/internal/term"
	"plimsoll.dev/source/kube"
	"plimsoll.dev/source/scenario"
)

// snapshotOf is what the file of --snapshot holds, or that which a scenario names; it is read once.
func (in *input) snapshotOf(a *app, doc *scenario.Document, named string) (*v1alpha1.Inventory, error) {
	switch {
	case in.taken != nil || in.takenWrong != nil:
	case in.snapshot != "":
		in.taken, in.takenWrong = a.readSnapshot(in.snapshot)
	default:
		in.taken, in.takenWrong = a.readNamedSnapshot(doc.Path("."), named, in.outside)
	}
	return in.taken, in.takenWrong
}

// readNamedSnapshot reads the snapshot that a scenario names.
func (a *app) readNamedSnapshot(dir, name string, outside bool) (*v1alpha1.Inventory, error) {
	f, path, err := openBeside(dir, name, outside)
	if err != nil {
		return nil, err
	}
	return a.readOpened(f, path)
}

// readSnapshot reads a file, or standard input.
func (a *app) readSnapshot(path string) (*v1alpha1.Inventory, error) {
	if path == "-" {
		return kube.ReadSnapshot(a.In, "stdin", kube.Options{})
	}
	f, err := openRegular(os.Stat, os.Open, path)
	if err != nil {
		return nil, err
	}
	return a.readOpened(f, path)
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
func (a *app) readOpened(f *os.File, path string) (*v1alpha1.Inventory, error) {
	defer f.Close()
	in, done := a.progress(f)
	defer done()
	return kube.ReadSnapshot(in, path, kube.Options{})
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
