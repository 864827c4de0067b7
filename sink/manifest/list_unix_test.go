//go:build unix

package manifest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A list, or a file of ours, that is a pipe would keep the program waiting for ever; one that leads to an endless
// device would fill its memory.
func TestWriteRefusesWhatIsNoFile(t *testing.T) {
	for name, spoil := range map[string]func(path string) error{
		"pipe":        func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"link":        func(path string) error { return os.Symlink("/dev/zero", path) },
		"long":        func(path string) error { return os.WriteFile(path, make([]byte, maxList+1), 0o600) },
		"directory":   func(path string) error { return os.Mkdir(path, 0o700) },
		"broken link": func(path string) error { return os.Symlink("nowhere", path) },
	} {
		for _, path := range []string{listFile, "a"} {
			dir := t.TempDir()
			must(t, Write(dir, files("a", "1"), Options{}))
			must(t, os.Remove(filepath.Join(dir, path)))
			must(t, spoil(filepath.Join(dir, path)))
			err := Write(dir, files("a", "2"), Options{})
			if err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "move it away") {
				t.Errorf("%s: %s: %v", name, path, err)
			}
		}
	}
}
