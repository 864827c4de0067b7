package apply

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// listing is every entry below a directory with its mode and its bytes' hash. It
// is written anew here, to not trust what it checks.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode()&os.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " -> " + target
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			text += " " + string(sum[:])
		}
		out[path] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// same demands that a tree is byte for byte what it was.
func same(t *testing.T, before, after map[string]string) {
	t.Helper()
	if d := cmp.Diff(before, after); d != "" {
		t.Errorf("the node is not what it was (-before +after):\n%s", d)
	}
}
