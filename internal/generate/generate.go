// Package generate is what the generators of committed files share: they write their
// files, or with -check compare them with what stands and write nothing.
//
// It makes no text, and it deletes no file that is no longer made.
//
//	func main() { generate.Main(func() (map[string][]byte, error) { return pages(), nil }) }
package generate

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Main is the main function of a generator. Files are named relative to -o (the
// working directory).
func Main(files func() (map[string][]byte, error)) {
	dir := flag.String("o", ".", "directory to write to")
	check := flag.Bool("check", false, "write nothing; fail when a file is not what would be written")
	flag.Parse()
	made, err := files()
	if err == nil {
		err = Put(os.Stderr, *dir, made, *check)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// packed is a file as it stands: one whose name ends in .gz is made as text, and compared as text, since the bytes of
// another release of Go's packer may be others.
func packed(name string, text []byte) []byte {
	if !strings.HasSuffix(name, packedName) {
		return text
	}
	var out bytes.Buffer
	zip, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	zip.Write(text)
	zip.Close()
	return out.Bytes()
}

// unpacked is its text; nil where it can't be unpacked.
func unpacked(name string, file []byte) []byte {
	if !strings.HasSuffix(name, packedName) {
		return file
	}
	zip, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(zip)
	return text
}

const packedName = ".gz"

// Put writes the files into a directory or, with check, names on w those that are
// stale there and fails if there is one.
func Put(w io.Writer, dir string, files map[string][]byte, check bool) error {
	if !check {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	stale := 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		have, err := os.ReadFile(path)
		if err == nil && bytes.Equal(unpacked(name, have), files[name]) {
			continue
		}
		if check {
			fmt.Fprintf(w, "%s is not what the generator writes\n", path)
			stale++
			continue
		}
		if err := os.WriteFile(path, packed(name, files[name]), 0o644); err != nil {
			return err
		}
	}
	if stale > 0 {
		return fmt.Errorf("%d stale files; go generate ./... writes them anew", stale)
	}
	return nil
}
