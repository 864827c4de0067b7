package object

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"plimsoll.dev/internal/yamlpos"
)

// Split reads all objects of a text in YAML or JSON: its documents, and the items
// of lists. It returns every problem at once, in the order of the text; documents
// without problems are returned beside them. Empty documents are passed over; one
// that has neither kind nor apiVersion is no object of Kubernetes, and comes with
// an empty kind.
func Split(name string, text []byte) ([]*Object, yamlpos.Problems) {
	var out []*Object
	var problems yamlpos.Problems
	for _, d := range documents(text) {
		tree, bad := yamlpos.ParseAt(name, d.text, d.line)
		switch {
		case bad.Empty():
			continue
		case len(bad) == 0:
			out, bad = collect(tree, out)
		}
		for _, p := range bad {
			p.Template, p.Kind = template.Match(d.text), kindIn(d.text)
			problems.Add(p)
		}
	}
	problems.TakeExcerpts(text, 1, 1)
	return out, problems
}

// template finds what templates have at the beginning of a line or of a value, and programs in texts have not.
var template = regexp.MustCompile(`(?m)^\s*(- *)?\{[{%]|[:,[] *['"]?\{\{|\{\{-|\{%-?\s|\{\{\{`)

// kindLine is the line with an object's kind, at its beginning or in a list.
var kindLine = regexp.MustCompile(`(?m)^(?:- |  )?"?kind"?: *"?(\w+)|^\s*"kind": *"(\w+)"`)

// kindIn is the kind that a text names which can't be read.
func kindIn(text []byte) string {
	m := kindLine.FindSubmatch(text)
	if m == nil {
		return ""
	}
	return string(m[1]) + string(m[2])
}

// document is a part of a text, whose first line is line.
type document struct {
	text []byte
	line int
}

// documents cuts a text at the lines that begin with three hyphens, which stand
// at the start of a line nowhere else in YAML.
func documents(text []byte) []document {
	var out []document
	begin, line, from := 0, 1, 1
	for at := 0; at < len(text); line++ {
		end := len(text)
		if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if at > begin && separates(text[at:end]) {
			out = append(out, document{text[begin:at], from})
			begin, from = at, line
		}
		at = end
	}
	return append(out, document{text[begin:], from})
}

// separates says whether a line begins a document.
func separates(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && (len(rest) == 0 || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// collect adds the object of a document, or the items of a list.
func collect(tree *yamlpos.Tree, out []*Object) ([]*Object, yamlpos.Problems) {
	root := tree.Root
	if root.Kind == yamlpos.Null {
		return out, nil
	}
	if root.Kind != yamlpos.Map {
		return out, yamlpos.Problems{
			tree.Problem("", root.Kind.String()+" stands where an object is expected", "begin with apiVersion and kind"),
		}
	}
	kind, version := textOf(root.Get("kind")), textOf(root.Get("apiVersion"))
	if IsKustomization(tree.Name) { // in which kustomize lets people leave out both, and the version alone
		switch {
		case kind == "":
			kind, version = "Kustomization", kustomize+"v1beta1"
		case version == "" && (kind == "Kustomization" || kind == "Component"):
			version = kustomize + "v1beta1"
		}
	}
	if items := root.Get("items"); strings.HasSuffix(kind, "List") && items != nil && items.Kind == yamlpos.List {
		var problems yamlpos.Problems
		for _, item := range items.Items {
			inner := &yamlpos.Tree{Name: tree.Name, Source: tree.Source, First: tree.First, Root: item}
			var bad yamlpos.Problems
			if out, bad = collect(inner, out); len(bad) > 0 {
				problems = append(problems, bad...)
			}
		}
		return out, problems
	}
	if kind == "" && root.Entry("apiVersion") != nil {
		return out, yamlpos.Problems{tree.Problem("", "the object has no kind", "begin with apiVersion and kind")}
	}
	meta := root.Get("metadata")
	return append(out, &Object{Tree: tree, APIVersion: version, Kind: kind,
		Namespace: textOf(meta.Get("namespace")), Name: textOf(meta.Get("name"))}), nil
}

const kustomize = "kustomize.config.k8s.io/"

// IsKustomization says whether a file is one to kustomize by its name: there it may have neither kind nor apiVersion.
func IsKustomization(name string) bool {
	return slices.Contains([]string{"kustomization.yaml", "kustomization.yml", "Kustomization"}, path.Base(name))
}

// textOf is the text of a scalar; a number keeps its letters.
func textOf(n *yamlpos.Node) string {
	if n == nil || n.Kind == yamlpos.List || n.Kind == yamlpos.Map {
		return ""
	}
	return n.Text
}
