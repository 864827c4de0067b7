package yamlpos

import (
	"slices"
	"strconv"
	"strings"
)

// Tree is a document with the text that it was read from.
type Tree struct {
	// Name of the file, for messages.
	Name string
	// Source is the text as it was given.
	Source []byte
	// First is the line of the file in which Source begins; 0 is the same as 1.
	First int
	// Root is the document's value.
	Root *Node
}

// Problem makes a problem at the field of a path, or at the nearest thing
// around it that stands in the file.
func (t *Tree) Problem(path, what, fix string) Problem {
	line, col := t.At(path)
	return Problem{File: t.Name, Line: line, Col: col, Field: path, What: what, Fix: fix}
}

// At finds where the value at path begins: "hardware.nodeTypes[2].memory". For
// a path that is not in the file it is the nearest thing around it. Keys may
// hold dots; the longest key that matches is taken.
func (t *Tree) At(path string) (line, col int) {
	n, _ := t.find(path)
	return n.Line, n.Col
}

// Node returns the value at path, or nil when the file doesn't have it.
func (t *Tree) Node(path string) *Node {
	if n, found := t.find(path); found {
		return n
	}
	return nil
}

// Text is the text of the value at path, empty where the file doesn't have it.
func (t *Tree) Text(path string) string {
	if n := t.Node(path); n != nil {
		return n.Text
	}
	return ""
}

// Has says whether the path stands in the file, with or without a value.
func (t *Tree) Has(path string) bool {
	_, found := t.find(path)
	return found
}

// Drop takes the field at path out of the tree.
func (t *Tree) Drop(path string) {
	i := strings.LastIndex(path, ".")
	if n, found := t.find(path[:max(i, 0)]); found {
		n.Entries = slices.DeleteFunc(n.Entries, func(e Entry) bool { return e.Key == path[i+1:] })
	}
}

func (t *Tree) find(path string) (n *Node, found bool) {
	n = t.Root
	for rest := path; rest != ""; {
		e, r := step(n, rest)
		if e == nil {
			return n, false
		}
		n, rest = e.Value, r
	}
	return n, true
}

// step goes from n along the first part of path and returns where it led, nil
// when there is no such thing, and the rest of the path. Items of lists come as
// entries at their own position.
func step(n *Node, path string) (*Entry, string) {
	if inner, ok := strings.CutPrefix(path, "["); ok {
		index, rest, _ := strings.Cut(inner, "]")
		i, err := strconv.Atoi(index)
		item := n.Item(i)
		if err != nil || item == nil {
			return nil, ""
		}
		return &Entry{Key: index, Line: item.Line, Col: item.Col, Value: item}, strings.TrimPrefix(rest, ".")
	}
	var best *Entry
	for i := range n.Entries {
		e := &n.Entries[i]
		rest, ok := strings.CutPrefix(path, e.Key)
		ends := rest == "" || rest[0] == '.' || rest[0] == '['
		if ok && ends && (best == nil || len(e.Key) > len(best.Key)) {
			best = e
		}
	}
	if best == nil {
		return nil, ""
	}
	return best, strings.TrimPrefix(path[len(best.Key):], ".")
}
