package scenario_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/source/scenario"
)

var update = flag.Bool("update", false, "write what is printed into testdata/bad/*.want")

// Each bad file has the exact text that is printed for it beside it.
func TestBadFiles(t *testing.T) {
	files := glob(t, "testdata/bad/*.yaml")
	if len(files) < 120 {
		t.Errorf("only %d bad files", len(files))
	}
	for _, file := range files {
		file, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			got := rendered(t, file)
			want := strings.TrimSuffix(file, ".yaml") + ".want"
			if *update {
				if err := os.WriteFile(want, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(readFile(t, want)), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// rendered is what a user sees of a bad file.
func rendered(t *testing.T, file string) string {
	t.Helper()
	text := readFile(t, file)
	t.Chdir(filepath.Dir(file)) // where the files that it names would be
	doc, err := scenario.Read(filepath.Base(file), text, scenario.FilesExist())
	var bad *scenario.Error
	if !errors.As(err, &bad) {
		t.Fatalf("%s: got error %v, want an *Error", file, err)
	}
	if doc != nil {
		t.Errorf("%s: a document in spite of problems", file)
	}
	var out bytes.Buffer
	if err := bad.Render(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %d files", pattern, err, len(files))
	}
	return files
}

func readFile(t testing.TB, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
