package kube

import (
	"bytes"
	"errors"
	"regexp"

	"plimsoll.dev/internal/yamlpos"
)

// errHelm says that a text is a Helm template that was not rendered.
var errHelm = errors.New("a Helm template")

// readYAML reads all documents of a text, whose first byte stands in line. The
// problems of a document that can't be read end the text.
func readYAML(file string, text []byte, line int, each func(value)) error {
	bad, syntax := yamlpos.Documents(file, text, line, func(n *yamlpos.Node) { each(newTree(file, n)) })
	switch {
	case len(bad) == 0:
		return nil
	case syntax && isHelm(text, bad[0].Line-line+1):
		return errHelm
	}
	return bad
}

var helmLine = regexp.MustCompile(`(?m)^\{\{`)

// isHelm says whether an error in line at comes from the actions of a template:
// one stands near it, or at the start of a line, where YAML can't have any.
func isHelm(text []byte, at int) bool {
	lines := bytes.Split(text, []byte("\n"))
	near := bytes.Join(lines[min(max(0, at-4), len(lines)):min(at+2, len(lines))], []byte("\n"))
	return bytes.Contains(near, []byte("{{")) || helmLine.Match(text)
}
