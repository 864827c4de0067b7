package archtest

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestPath(t *testing.T) { demand(t, strayed(t, repo)) }

func TestPathCanFail(t *testing.T) {
	root := fstest.MapFS{
		"CONTRIBUTING.md": {
			Data: []byte("1. `a.go` `there`, `a.go` `Thing`, then `a.go` `gone`.\n2. `b.go` `f` and `a.go` alone.\n"),
		},
		"a.go": {Data: []byte("package a\n\nfunc (x *X) there() {}\n\ntype Thing struct{}\n")},
	}
	want := []string{"CONTRIBUTING.md: a.go has no gone", "CONTRIBUTING.md: open b.go: file does not exist"}
	if diff := cmp.Diff(want, strayed(t, root)); diff != "" {
		t.Errorf("violations differ (-want +got):\n%s", diff)
	}
}

// station is a file and what it declares, as the path from a scenario to a printed plan names them.
var station = regexp.MustCompile("`([^` ]+\\.go)` `(\\w+)`")

// strayed finds stations of the path in CONTRIBUTING.md that are not where it says.
func strayed(t *testing.T, root fs.FS) []string {
	t.Helper()
	page, err := fs.ReadFile(root, "CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	found := station.FindAllStringSubmatch(string(page), -1)
	for _, s := range found {
		code, err := fs.ReadFile(root, s[1])
		switch declared := regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type )` + s[2] + `\b`); {
		case err != nil:
			out = append(out, "CONTRIBUTING.md: "+err.Error())
		case !declared.MatchString(strings.ReplaceAll(string(code), "\r", "")):
			out = append(out, fmt.Sprintf("CONTRIBUTING.md: %s has no %s", s[1], s[2]))
		}
	}
	if len(found) < 3 {
		out = append(out, "CONTRIBUTING.md: the path names no functions")
	}
	return out
}
