package archtest

import (
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestPackageDocs(t *testing.T)        { demand(t, badDocs(t, repo)) }
func TestPackageDocsCanFail(t *testing.T) { planted(t, "docs", badDocs) }

// badDocs finds packages whose doc comment is missing, stands twice, or
// leaves out what the package is, what it is not, or an example.
func badDocs(t *testing.T, root fs.FS) []string {
	var out []string
	packages := load(t, root).packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		var docs []goFile
		files := packageFiles(packages[dir])
		for _, f := range files {
			if f.syntax.Doc != nil {
				docs = append(docs, f)
			}
		}
		switch len(docs) {
		case 0:
			out = append(out, fmt.Sprintf("%s: has no doc comment; say what it is, what it is not, and show an example", dir))
		case 1:
			for _, p := range docProblems(docs[0]) {
				out = append(out, fmt.Sprintf("%s: the doc comment %s", docs[0].path, p))
			}
		default:
			out = append(out, fmt.Sprintf("%s: has doc comments in %s and in %s; keep one", dir, docs[0].path, docs[1].path))
		}
	}
	return out
}

// packageFiles leaves out the tests, unless there is nothing else.
func packageFiles(files []goFile) []goFile {
	if code := slices.DeleteFunc(slices.Clone(files), goFile.isTest); len(code) > 0 {
		return code
	}
	return files
}

var (
	sentenceEnd = regexp.MustCompile(`[.!?:](\s|$)`)
	saysNot     = regexp.MustCompile(`(?i)\b(not|no|nothing|never|only|neither)\b|n't\b`)
	example     = regexp.MustCompile(`(?m)^\t.*\S`)
)

func docProblems(f goFile) []string {
	text := f.syntax.Doc.Text()
	prose := example.ReplaceAllString(text, "")
	var out []string
	if start := docStart(f); !strings.HasPrefix(text, start) {
		out = append(out, fmt.Sprintf("must begin with %q", start))
	}
	if len(sentenceEnd.FindAllString(prose, -1)) < 2 {
		out = append(out, "is a single sentence; say what the package is and what it is not")
	}
	if !saysNot.MatchString(prose) {
		out = append(out, "does not say what the package is not; name the neighbour that does it")
	}
	if !example.MatchString(text) {
		out = append(out, "has no example; add one, indented by a tab")
	}
	return out
}

// docStart is how the doc comment of the file's package begins.
func docStart(f goFile) string {
	name := f.syntax.Name.Name
	if name == "main" {
		return "Command " + path.Base(f.dir()) + " "
	}
	if f.isTest() {
		name = strings.TrimSuffix(name, "_test")
	}
	return "Package " + name + " "
}
