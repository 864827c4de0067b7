// Package objects reads manifests from files, directories and streams into
// objects that know where each of their fields stands.
//
// It judges nothing and follows no reference; Helm templates and other texts that
// are no YAML are problems. Large dumps of clusters are read by package kube.
//
//	r := objects.NewReader()
//	r.Files(root.FS(), ".", "tuned")
//	tuneds, findings := object.All[openshift.Tuned](r.Objects, "Tuned")
package objects

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/object"
	"plimsoll.dev/source/files"
	"plimsoll.dev/unit"
)

// The bounds: manifests that people write are far below.
const (
	maxFile  = 16 * unit.MiB
	maxTotal = 128 * unit.MiB
	maxFiles = 20_000
)

// stdin is standard input to people; a file of that name is "./stdin".
const stdin = "stdin"

// Reader collects the objects of several sources.
type Reader struct {
	// Objects in the order in which they were read.
	Objects []*object.Object
	// Problems of all files; documents without problems are read all the same.
	Problems yamlpos.Problems
	// Passed are files that were passed over, and why.
	Passed []v1alpha1.Skipped

	texts map[string][]byte
	total unit.Bytes // of all texts
}

// NewReader returns a reader without objects.
func NewReader() *Reader { return &Reader{texts: map[string][]byte{}} }

// Files reads files and directories of a file system, which dir names to people. What stands in a directory and is no
// manifest is passed over; a file that is named is one.
func (r *Reader) Files(fsys fs.FS, dir string, roots ...string) {
	set := files.Options{Dir: dir, MaxFile: maxFile, MaxTotal: max(1, maxTotal-r.total), MaxFiles: maxFiles,
		Large: "name fewer objects"}
	files.Each(fsys, roots, set, r, func(name string, text []byte) {
		if name == stdin {
			name = "./" + name
		}
		named := slices.ContainsFunc(roots, func(root string) bool { return set.Shown(root) == name })
		if !named && !manifest(name, text) {
			r.Pass(name, "the file", "it holds no object of Kubernetes")
			return
		}
		r.Text(name, text)
	})
}

// Lines of manifests: the kind of an object, those of a list of objects, and a group of OpenShift's without a kind.
var (
	kindLine    = regexp.MustCompile(`(?m)^["']?kind["']?\s*:`)
	listLine    = regexp.MustCompile(`(?m)^(- |  )kind\s*:`)
	versionLine = regexp.MustCompile(`(?m)^(- |  )apiVersion\s*:`)
	bodyLine    = regexp.MustCompile(`(?m)^(- |  )(metadata|spec|data)\s*:`)
	flowLine    = regexp.MustCompile(`(?m)^[\[{]([^{%]|$)`)
	kindKey     = regexp.MustCompile(`\bkind["']?\s*:`)
	indented    = regexp.MustCompile(`\A(?:\s*(?:#.*|---.*)?\n)*[ \t]+(?:apiVersion|kind)\s*:(?s:.*)\n` +
		`\s*(?:apiVersion|kind)\s*:`)
	ownLine = regexp.MustCompile(`(?m)^["']?apiVersion["']?\s*:.*\.openshift\.io/`)
)

// manifest says whether a text is to be read for objects: playbooks, values of charts and settings of tools are not.
func manifest(name string, text []byte) bool {
	if path.Ext(name) == ".json" {
		return jsonManifest(text)
	}
	switch {
	case kindLine.Match(text), ownLine.Match(text), indented.Match(text),
		flowLine.Match(text) && kindKey.Match(text):
		return true
	case object.IsKustomization(name):
		return true
	}
	return listLine.Match(text) && versionLine.Match(text) && bodyLine.Match(text)
}

// jsonManifest is manifest for a text in JSON, in which lines say nothing.
func jsonManifest(text []byte) bool {
	type item struct {
		APIVersion any `json:"apiVersion"`
		Kind       any `json:"kind"`
	}
	var one item
	var list []item
	switch bad := (*json.SyntaxError)(nil); {
	case errors.As(json.Unmarshal(text, &one), &bad):
		return bytes.Contains(text, []byte(`"kind"`))
	case json.Unmarshal(text, &list) == nil:
		return slices.ContainsFunc(list, func(i item) bool { return i.APIVersion != nil && i.Kind != nil })
	}
	return one.Kind != nil
}

// Stdin reads standard input to its end, once: a second time there is nothing left.
func (r *Reader) Stdin(in io.Reader) error {
	if _, again := r.texts[stdin]; again {
		return errors.New("standard input is named twice (name it once)")
	}
	return r.Stream(stdin, in)
}

// Stream reads what is behind a name to its end.
func (r *Reader) Stream(name string, in io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(in, int64(maxFile)+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case unit.Bytes(len(text)) > maxFile:
		r.Bad(name, "it is longer than "+unit.FormatBytes(maxFile), "name fewer objects")
	default:
		r.Text(name, text)
	}
	return nil
}

// Text reads one text; of the same name again it is the same file, and passed over.
func (r *Reader) Text(name string, text []byte) {
	if _, again := r.texts[name]; again {
		return
	}
	r.total += unit.Bytes(len(text))
	found, bad := object.Split(name, text)
	for _, o := range found {
		if o.Kind == "" {
			r.Pass(name, "a document without kind", "it is no object of Kubernetes")
			continue
		}
		r.Objects = append(r.Objects, o)
	}
	r.Problems = append(r.Problems, bad...)
	r.texts[name] = text
}

// Bad takes a file that can't be read.
func (r *Reader) Bad(file, what, fix string) {
	r.Problems = append(r.Problems, yamlpos.Problem{File: file, Line: 1, Col: 1, What: what, Fix: fix})
}

// Pass takes a file that is passed over.
func (r *Reader) Pass(file, what, why string) {
	r.Passed = append(r.Passed, v1alpha1.Skipped{What: what, Why: why, Place: file})
}

// Excerpts fills in the source lines of findings, from the texts that were read:
// no file is opened again.
func (r *Reader) Excerpts(findings []v1alpha1.Finding) {
	places := map[string][]*v1alpha1.Place{} // by file, so that each is cut into lines once
	for _, f := range findings {
		if p := f.Place; p != nil && p.Excerpt == "" {
			places[p.File] = append(places[p.File], p)
		}
	}
	for file, list := range places {
		text, ok := r.texts[file]
		if !ok {
			continue
		}
		lines := make(yamlpos.Problems, len(list))
		for i, p := range list {
			lines[i] = yamlpos.Problem{Line: p.Line, Col: p.Col}
		}
		lines.TakeExcerpts(text, 1, 1)
		for i, p := range list {
			p.Excerpt = lines[i].Excerpt
		}
	}
}
