package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"
)

// widest is the most columns of a line of Go, a tab counted as one.
const widest = 120

func TestColumns(t *testing.T) {
	demand(t, tooWide(t, repo))
}

func TestColumnsCanFail(t *testing.T) { planted(t, "columns", tooWide) }

// tooWide finds the lines that are too long. Generated files are left out, and
// so are lines with a part of a raw string of several lines or a struct tag.
func tooWide(t *testing.T, root fs.FS) []string {
	t.Helper()
	tr := load(t, root)
	var out []string
	for _, f := range tr.files {
		if ast.IsGenerated(f.syntax) {
			continue
		}
		text, err := fs.ReadFile(root, f.path)
		if err != nil {
			t.Fatal(err)
		}
		whole := unbreakable(tr.fset, f.syntax)
		for i, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > widest && !whole[i+1] {
				out = append(out, fmt.Sprintf("%s:%d: has %d columns; break it (at most %d)", f.path, i+1, n, widest))
			}
		}
	}
	return out
}

// unbreakable has the numbers of the lines that a raw string of several lines
// or a struct tag is on: a line break there would be a part of the text.
func unbreakable(fset *token.FileSet, file *ast.File) map[int]bool {
	out := map[int]bool{}
	mark := func(n ast.Node) {
		for line := fset.Position(n.Pos()).Line; line <= fset.Position(n.End()).Line; line++ {
			out[line] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			if n.Tag != nil {
				mark(n.Tag)
			}
		case *ast.BasicLit:
			if strings.Contains(n.Value, "\n") {
				mark(n)
			}
		}
		return true
	})
	return out
}
