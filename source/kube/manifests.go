package kube

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	slashpath "path"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/internal/yamlpos"
	"plimsoll.dev/source/files"
)

// ReadManifests reads Kubernetes and OpenShift manifests: each root is a file or
// a directory of fsys, whose files *.yaml, *.yml and *.json are read, with those
// of the directories below. A file may hold many documents, lists and OpenShift
// templates. Symbolic links are not followed and no path leads out of fsys.
//
// The error is a [yamlpos.Problems] with everything that is wrong in all files;
// there is no inventory then.
func ReadManifests(fsys fs.FS, roots []string, opt Options) (*v1alpha1.Inventory, error) {
	set := opt.withDefaults()
	r := newReader(set, false)
	files.Each(fsys, roots, set.files(), &r.tally, r.file)
	if r.known == 0 && len(r.bad.list) == 0 && len(roots) > 0 {
		r.bad.file(set.files().Shown(roots[0]), nothingWhat, "name files or directories of manifests")
	}
	if err := r.bad.err(); err != nil {
		return nil, err
	}
	return r.inventory(set, false, ""), nil
}

// nothingWhat is wrong with what holds no object, such as the page of a server's error.
const nothingWhat = "there is no Kubernetes object in it"

// packed begins what gzip wrote.
var packed = []byte("\x1f\x8b")

const packedWhat, packedFix = "it is compressed", "give what gunzip makes of it"

var byteOrderMark = []byte("\ufeff")

// file reads one manifest.
func (r *reader) file(name string, text []byte) {
	text = bytes.TrimPrefix(text, byteOrderMark)
	each := func(v value) { r.object(v, "", 0) }
	before := len(r.bad.list)
	if bytes.HasPrefix(text, packed) {
		r.bad.file(name, packedWhat, packedFix)
		return
	}
	var err error
	if strings.EqualFold(slashpath.Ext(name), ".json") {
		err = readJSON(name, text, each)
	} else {
		err = readYAML(name, text, 1, each)
	}
	r.fail(place{file: name, line: 1}, err)
	r.bad.quote(before, text, cursor{1, 1})
}

// fail takes what reading a text came to.
func (r *reader) fail(at place, err error) {
	var found yamlpos.Problems
	switch {
	case err == nil:
	case errors.Is(err, errHelm):
		r.known++
		r.skip(at, "Helm template "+slashpath.Base(at.file), noHelm)
	case errors.As(err, &found):
		for _, p := range found {
			r.bad.add(p)
		}
	default:
		r.bad.file(at.file, err.Error(), "")
	}
}

// readJSON reads all JSON values of a text.
func readJSON(file string, text []byte, each func(value)) error {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	at := cursor{line: 1, col: 1}
	done := 0
	for {
		raw, err := d.ReadValue()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return jsonProblem(file, err, at, text[done:], int64(done))
		}
		end := int(d.InputOffset())
		at.pass(text[done : end-len(raw)])
		if raw.Kind() != 'n' {
			each(newJSON(file, text[end-len(raw):end], at.line, at.col))
		}
		at.pass(text[end-len(raw) : end])
		done = end
	}
}

// cursor is a place in a text.
type cursor struct{ line, col int }

// pass moves the cursor over text.
func (c *cursor) pass(text []byte) {
	if n := bytes.Count(text, []byte{'\n'}); n > 0 {
		c.line += n
		c.col = 1
		text = text[bytes.LastIndexByte(text, '\n')+1:]
	}
	c.col += utf8.RuneCount(text)
}

// jsonProblem places a syntax error: rest is the text from offset base on, which
// is where at stands.
func jsonProblem(file string, err error, at cursor, rest []byte, base int64) error {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		return err
	}
	start := at
	if n := syntax.ByteOffset - base; n > 0 {
		at.pass(rest[:min(n, int64(len(rest)))])
	}
	p := yamlpos.Problem{File: file, Line: at.line, Col: at.col, What: "the JSON can't be read: " + syntax.Err.Error()}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		p.What, p.Fix = "the JSON ends in the middle", "is the file complete?"
	case errors.Is(syntax.Err, jsontext.ErrDuplicateName):
		p.What, p.Fix = "the key "+string(syntax.JSONPointer.LastToken())+" stands twice", "remove one"
	}
	found := yamlpos.Problems{p}
	found.TakeExcerpts(rest, start.line, start.col)
	return found
}
