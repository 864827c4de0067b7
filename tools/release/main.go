// Command release makes the files of a release from a clean checkout: static binaries in
// archives with man pages and completions, an image for containers, lists of what is in
// each, a manifest for krew, checksums. The same commit gives the same bytes, whatever the
// directory and the day.
//
// It publishes, signs and tags nothing.
//
//	go run ./tools/release -o out/release
package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	out := flag.String("o", filepath.Join("out", "release"), "directory to write to; what is in it goes")
	url := flag.String("url", "https://plimsoll.dev/releases", "where the files will be found, for the manifest of krew")
	check := flag.Bool("check", false, "build in two other directories instead, once without cache, and compare")
	flag.Parse()
	err := error(nil)
	if *check {
		err = twice(*url)
	} else {
		err = release(*out, *url)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release makes all files of the commit that is checked out.
func release(out, url string) error {
	work, err := os.MkdirTemp("", "plimsoll-release-")
	if err != nil {
		return err
	}
	files, err := build(filepath.Join(work, "clone"), url)
	return errors.Join(err, os.RemoveAll(work), write(out, files))
}

// build makes them by a clone in a directory that is not there yet.
func build(dir, url string, env ...string) (map[string][]byte, error) {
	s, err := newSource(dir, env)
	if err != nil {
		return nil, err
	}
	var built []binary
	for _, t := range targets {
		b, err := s.build(t, dir+".built")
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t, err)
		}
		built = append(built, b)
	}
	version := built[0].version
	common, err := s.common(version)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, b := range built {
		if err := s.pack(files, b, common); err != nil {
			return nil, fmt.Errorf("%s: %w", b.target, err)
		}
	}
	if files["plimsoll-"+version+"-image.tar"], err = s.image(built); err != nil {
		return nil, err
	}
	if files["plimsoll.yaml"], err = krew(built, files, url); err != nil {
		return nil, err
	}
	files[sumsFile] = sums(files)
	return files, nil
}

// pack adds the archive of a binary, and the list of what is in it.
func (s source) pack(files map[string][]byte, b binary, common []file) error {
	third, err := s.licences(b)
	if err != nil {
		return err
	}
	content := append(slices.Clone(common), file{b.program(), b.content, 0o755}, file{"LICENSES.txt", third, 0o644})
	slices.SortFunc(content, func(x, y file) int { return strings.Compare(x.name, y.name) })
	archive := tarGz
	if b.os == "windows" {
		archive = zipped
	}
	if files[b.archive()], err = archive(b.name()+"/", content, s.time); err != nil {
		return err
	}
	files[b.name()+".cdx.json"], err = s.components(b)
	return err
}

const sumsFile = "SHA256SUMS"

// sums are the checksums as "sha256sum -c" reads them.
func sums(files map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(files[name]), name)
	}
	return b.Bytes()
}

// write puts the files into a directory of their own; none leave it as it is.
func write(out string, files map[string][]byte) error {
	if len(files) == 0 {
		return nil
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := os.WriteFile(filepath.Join(out, name), files[name], 0o644); err != nil {
			return err
		}
		fmt.Printf("%12d  %s\n", len(files[name]), filepath.Join(out, name))
	}
	return nil
}
