package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// twice makes the release in two clones of the commit, one of them without anything that
// was built before, and compares them byte by byte.
func twice(url string) (err error) {
	top, err := os.MkdirTemp("", "plimsoll-twice-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(top)) }()
	first, err := build(filepath.Join(top, "one"), url)
	if err != nil {
		return err
	}
	second, err := build(filepath.Join(top, "another", "and-longer"), url, "GOCACHE="+filepath.Join(top, "cache"))
	if err != nil {
		return err
	}
	return same(first, second)
}

// same compares what two builds made.
func same(first, second map[string][]byte) error {
	if !maps.EqualFunc(first, second, bytes.Equal) {
		for _, name := range slices.Sorted(maps.Keys(first)) {
			if !bytes.Equal(first[name], second[name]) {
				return fmt.Errorf("%s differs between two builds of one commit", name)
			}
		}
		return errors.New("two builds of one commit made other files")
	}
	fmt.Printf("%d files, built twice: the same bytes\n%s", len(first), first[sumsFile])
	return nil
}
