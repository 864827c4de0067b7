package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.json")
	text := `{"kind":"List","items":[{"kind":"Node"},` +
		`{"kind":"Pod","spec":{"containers":[{"resources":{"requests":{"cpu":"1"}}}]}},{"kind":"Pod"}]}`
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := run([]string{file}, &out); err != nil {
		t.Fatal(err)
	}
	if want := "1 nodes, 2 pods, 3 objects\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
	for _, args := range [][]string{nil, {"no-such-file"}} {
		if err := run(args, &out); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
