// Package generate is what the generators of committed files share: they write their
// files, or with -check compare them with what stands and write nothing.
//
// It makes no text, and it deletes no file that is no longer made.
//
//	func main() { generate.Main(func() (map[string][]byte, error) { return pages(), nil }) }
package generate

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
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
		if err == nil && bytes.Equal(have, files[name]) {
			continue
		}
		if check {
			fmt.Fprintf(w, "%s is not what the generator writes\n", path)
			stale++
			continue
		}
		if err := os.WriteFile(path, files[name], 0o644); err != nil {
			return err
		}
	}
	if stale > 0 {
		return fmt.Errorf("%d stale files; go generate ./... writes them anew", stale)
	}
	return nil
}
