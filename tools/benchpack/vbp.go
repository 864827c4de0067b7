package main

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"plimsoll.dev/pack"
)

// Limits of what is read, far above any instance of the study.
const (
	maxArchive = 64 << 20 // bytes, unpacked
	maxEntries = 20_000
	maxFile    = 1 << 20
	maxDims    = 64
	maxItems   = 10_000
	maxNumber  = 1 << 40
)

// readArchive reads the .vbp files of a .tar.gz, by their names without folder
// and ending. What wanted refuses is passed over.
func readArchive(r io.Reader, wanted func(name string) bool) (map[string]pack.Problem, error) {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: unpacked, N: maxArchive}
	out := map[string]pack.Problem{}
	files := tar.NewReader(limited)
	for range maxEntries {
		head, err := files.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("archive: %w", err)
		}
		name, ok := strings.CutSuffix(path.Base(head.Name), ".vbp")
		if !ok || head.Typeflag != tar.TypeReg || !wanted(name) {
			continue
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("%s: is there twice", head.Name)
		}
		if out[name], err = readVBP(files); err != nil {
			return nil, fmt.Errorf("%s: %w", head.Name, err)
		}
	}
	return nil, fmt.Errorf("archive: has more than %d files", maxEntries)
}

// readVBP reads a vector packing instance: the number of dimensions, a bin's
// capacities, the number of lines, and for each the needs and a count. A bin
// costs 1.
func readVBP(r io.Reader) (pack.Problem, error) {
	var p pack.Problem
	in := &numbers{scan: bufio.NewScanner(io.LimitReader(r, maxFile))}
	in.scan.Split(bufio.ScanWords)
	dims := in.next("the number of dimensions", 1, maxDims)
	node := pack.NodeType{Name: "bin", Cost: 1, Stock: -1}
	for d := range dims {
		p.Resources = append(p.Resources, fmt.Sprintf("d%d", d))
		node.Capacity = append(node.Capacity, in.next("a capacity", 0, maxNumber))
	}
	p.Nodes = []pack.NodeType{node}
	lines := in.next("the number of lines", 0, maxItems)
	for i := range lines {
		item := pack.Item{Name: fmt.Sprintf("item-%d", i)}
		for range dims {
			item.Need = append(item.Need, in.next("a need", 0, maxNumber))
		}
		item.Count = in.next("a count", 0, maxNumber)
		p.Items = append(p.Items, item)
		if in.err != nil {
			break
		}
	}
	if in.err == nil && in.scan.Scan() {
		in.err = fmt.Errorf("%q: stands behind the last of %d lines", clip(in.scan.Text()), lines)
	}
	return p, in.err
}

// numbers reads one number after the other. The first error is kept.
type numbers struct {
	scan *bufio.Scanner
	err  error
}

func (n *numbers) next(what string, low, high int64) int64 {
	if n.err != nil {
		return 0
	}
	if !n.scan.Scan() {
		n.err = n.scan.Err()
		if n.err == nil {
			n.err = fmt.Errorf("ends where %s would be", what)
		}
		return 0
	}
	v, err := strconv.ParseInt(n.scan.Text(), 10, 64)
	if err != nil || v < low || v > high {
		n.err = fmt.Errorf("%q: is not %s (%d to %d)", clip(n.scan.Text()), what, low, high)
		return 0
	}
	return v
}

// clip shortens what is printed of a file.
func clip(text string) string {
	if len(text) > 20 {
		return text[:20] + "..."
	}
	return text
}
