package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// module is the import path of the repository's root.
const module = "plimsoll.dev"

// repo is the repository, seen from this package's directory.
var repo = os.DirFS("../..")

// goFile is a parsed Go file of the module.
type goFile struct {
	path   string // from the root, with slashes
	syntax *ast.File
}

func (f goFile) dir() string { return path.Dir(f.path) }

func (f goFile) isTest() bool { return strings.HasSuffix(f.path, "_test.go") }

// imports maps each import path of the file to its place.
func (f goFile) imports() map[string]token.Pos {
	out := map[string]token.Pos{}
	for _, spec := range f.syntax.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err == nil {
			out[name] = spec.Pos()
		}
	}
	return out
}

// tree is every Go file below a root.
type tree struct {
	fset  *token.FileSet
	files []goFile
}

// line is the place of pos as file:line.
func (tr tree) line(pos token.Pos) string {
	p := tr.fset.Position(pos)
	return p.Filename + ":" + strconv.Itoa(p.Line)
}

// packages groups the files by directory.
func (tr tree) packages() map[string][]goFile {
	out := map[string][]goFile{}
	for _, f := range tr.files {
		out[f.dir()] = append(out[f.dir()], f)
	}
	return out
}

// load parses every Go file that the go command would see below the root.
func load(t *testing.T, root fs.FS) tree {
	t.Helper()
	tr := tree{fset: token.NewFileSet()}
	walk(t, root, func(name string) {
		if path.Ext(name) != ".go" {
			return
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		syntax, err := parser.ParseFile(tr.fset, name, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		tr.files = append(tr.files, goFile{path: name, syntax: syntax})
	})
	return tr
}

// walk calls visit for every file that is neither test data nor hidden, in
// lexical order.
func walk(t *testing.T, root fs.FS, visit func(name string)) {
	t.Helper()
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		switch {
		case !d.IsDir():
			visit(name)
		case name != "." && (strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")),
			base == "testdata", base == "node_modules":
			return fs.SkipDir
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// demand fails the test once for each violation.
func demand(t *testing.T, violations []string) {
	t.Helper()
	for _, v := range violations {
		t.Error(v)
	}
}

// planted runs a rule on the files of testdata/NAME.txtar and compares what it
// finds with the archive's file "want", one violation a line.
func planted(t *testing.T, name string, rule func(*testing.T, fs.FS) []string) {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	root := fstest.MapFS{}
	var want []string
	for _, f := range archive.Files {
		if f.Name == "want" {
			want = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
			continue
		}
		root[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	if len(want) == 0 {
		t.Fatalf("testdata/%s.txtar plants no violation", name)
	}
	if diff := cmp.Diff(want, rule(t, root)); diff != "" {
		t.Errorf("violations differ (-want +got):\n%s", diff)
	}
}

// under tells whether the directory matches one of the patterns, separated by
// blanks: "plan/..." is plan and everything below it.
func under(dir, patterns string) bool {
	return slices.ContainsFunc(strings.Fields(patterns), func(p string) bool {
		prefix, tree := strings.CutSuffix(p, "/...")
		return dir == prefix || tree && strings.HasPrefix(dir, prefix+"/")
	})
}
