// Package sysfs reads the shape of a machine from what its operating system
// tells: a saved sysfs tree (a directory, a tar or a tar.gz), "lscpu -J",
// "lscpu -e -J", "lscpu -p" or "lstopo --of xml". The result is the machine as
// the kubelet on it would discover it.
//
// It does not look at the machine that it runs on, and it opens nothing but what
// it is given: hand it the file system of an os.Root.
//
//	r, err := sysfs.Read(root.FS(), "machines/worker.tar.gz")
//	r.Machine.String() // 2 sockets x 2 numa x 14 cores x 2 threads
//
// A tree is saved with
//
//	tar czf worker.tar.gz /sys/devices/system/cpu /sys/devices/system/node
package sysfs

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	archives "plimsoll.dev/source/files"
	"plimsoll.dev/topo"
	"plimsoll.dev/unit"
)

// Reading is what a file or a tree told.
type Reading struct {
	// Machine as the kubelet discovers it. Devices are not filled in: which of them a
	// plug-in hands out under which name is its own affair.
	Machine topo.Machine
	// Notes say what the source doesn't tell and what was taken instead.
	Notes []string
}

// maxSize is the most that is read of a file. The XML of the largest machines
// has some 10 MiB.
const maxSize = 32 * unit.MiB

// Read reads the file or directory of this name. The error is a
// yamlpos.Problems with everything that is wrong, or that of the file system.
func Read(fsys fs.FS, name string) (Reading, error) {
	name = path.Clean(strings.ReplaceAll(name, `\`, "/"))
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return Reading{}, err
	}
	bad := &problems{}
	switch {
	case info.IsDir():
		tree, err := fs.Sub(fsys, name)
		if err != nil {
			return Reading{}, err
		}
		return bad.result(readTree(directory{fsys: tree, name: name}, bad), name)
	case !info.Mode().IsRegular():
		bad.file(name, "it is no regular file", "write what it gives into a file and name that")
		return Reading{}, bad.err()
	}
	f, err := fsys.Open(name)
	if err != nil {
		return Reading{}, err
	}
	defer f.Close()
	return readFile(f, name, bad)
}

// readFile tells the formats apart by how they begin.
func readFile(f io.Reader, name string, bad *problems) (Reading, error) {
	start := make([]byte, 512) // a block of a tar
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Reading{}, err
	}
	start = start[:n]
	whole := io.MultiReader(bytes.NewReader(start), f)
	if archives.IsArchive(start) {
		return bad.result(readArchive(whole, name, bad), name)
	}
	text, err := io.ReadAll(io.LimitReader(whole, int64(maxSize)+1))
	switch {
	case err != nil:
		return Reading{}, err
	case len(text) > int(maxSize):
		bad.file(name, "it is too large", "at most "+maxSize.String()+" are read")
		return Reading{}, bad.err()
	}
	return bad.result(readText(text, name, bad), name)
}

func readText(text []byte, name string, bad *problems) Reading {
	trimmed := bytes.TrimLeft(bytes.TrimPrefix(text, []byte("\ufeff")), " \t\r\n")
	switch {
	case bytes.HasPrefix(trimmed, []byte("<")):
		return readLstopo(text, name, bad)
	case bytes.HasPrefix(trimmed, []byte("{")):
		return readLscpu(text, name, bad)
	case bytes.HasPrefix(trimmed, []byte("#")):
		return readParsable(text, name, bad)
	}
	bad.file(name, "it is neither the output of lscpu nor of lstopo, nor an archive",
		`write it with "lscpu -e -J" or "lstopo --of xml", or save a sysfs tree with tar`)
	return Reading{}
}
