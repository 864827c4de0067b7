package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// twice makes the release in two clones of the commit, each with a build cache of its
// own, and compares them byte by byte.
func twice(url string) error {
	if _, err := newSource(); err != nil {
		return err
	}
	top, err := os.MkdirTemp("", "plimsoll-twice-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(top)
	var outs []string
	for _, name := range []string{"one", filepath.Join("another", "and-longer")} {
		dir, out := filepath.Join(top, name), filepath.Join(top, "out", filepath.Base(name))
		_, err := run(nil, "git", "clone", "--quiet", "--no-hardlinks", ".", dir)
		if err == nil {
			_, err = run([]string{"GOCACHE=" + dir + ".cache"}, "go", "-C", dir, "run", "./tools/release", "-o", out, "-url", url)
		}
		if err = errors.Join(err, os.RemoveAll(dir+".cache")); err != nil {
			return err
		}
		outs = append(outs, out)
	}
	return same(outs[0], outs[1])
}

// same compares the files of two directories.
func same(a, b string) error {
	entries, err := os.ReadDir(a)
	if err != nil {
		return err
	}
	others, err := os.ReadDir(b)
	if err == nil && len(entries) != len(others) {
		err = fmt.Errorf("%d files in one directory, %d in the other", len(entries), len(others))
	}
	for _, e := range entries {
		x, fault := os.ReadFile(filepath.Join(a, e.Name()))
		y, other := os.ReadFile(filepath.Join(b, e.Name()))
		if err = errors.Join(err, fault, other); err == nil && !bytes.Equal(x, y) {
			err = fmt.Errorf("%s differs", e.Name())
		}
	}
	if err == nil {
		fmt.Printf("%d files, built twice: the same bytes\n", len(entries))
	}
	return err
}
