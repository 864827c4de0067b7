package generate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPut(t *testing.T) {
	dir := t.TempDir()
	files := map[string][]byte{"a.md": []byte("a\n"), "b.md": []byte("b\n"), "c.json.gz": []byte("{}\n")}
	var said strings.Builder
	if err := Put(&said, dir, files, true); err == nil ||
		strings.Count(said.String(), "is not what the generator writes") != 3 {
		t.Errorf("missing files pass the check: %v, %s", err, said.String())
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("a check wrote %v", left)
	}
	if err := Put(&said, dir, files, false); err != nil {
		t.Fatal(err)
	}
	if err := Put(&said, dir, files, true); err != nil {
		t.Errorf("what was just written is stale: %v", err)
	}
	said.Reset()
	if err := os.WriteFile(filepath.Join(dir, "b.md"), []byte("c\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Put(&said, dir, files, true); err == nil ||
		said.String() != filepath.Join(dir, "b.md")+" is not what the generator writes\n" {
		t.Errorf("a changed file: %v, %q", err, said.String())
	}
}
