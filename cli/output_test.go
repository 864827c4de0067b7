package cli

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// A file is replaced with its mode kept, through a link as well; the link stays.
func TestWriteFileKeepsLinksAndModes(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "plan.html"), filepath.Join(dir, "latest.html")
	if err := os.WriteFile(file, []byte("a longer old text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("plan.html", link); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A link to what isn't there makes that.
func TestWriteFileThroughADanglingLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "latest.html")
	if err := os.Symlink("plan.html", link); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "plan.html")); err != nil || string(text) != "new" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := os.Readlink(link); err != nil {
		t.Error(err)
	}
}

// A pipe is written to and stays a pipe: a program that may write to /dev must not
// put a file in the place of a device.
func TestWriteFileIntoAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if out, err := exec.Command("mkfifo", pipe).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	read := make(chan string)
	go func() {
		text, _ := os.ReadFile(pipe)
		read <- string(text)
	}()
	if err := writeFile(pipe, []byte("all of it")); err != nil {
		t.Fatal(err)
	}
	if got := <-read; got != "all of it" {
		t.Errorf("the reader got %q", got)
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe is gone: %v, %v", info, err)
	}
}

// The owner of a file that is replaced stays its owner, and so does its mode.
func TestWriteFileKeepsTheOwner(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan.html")
	if err := os.WriteFile(file, []byte("a longer old text"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(file, 1234, 2345); err != nil {
		t.Skip("only root can give a file to somebody else: ", err)
	}
	if err := writeFile(file, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	s, known := info.Sys().(*syscall.Stat_t)
	if !known || s.Uid != 1234 || s.Gid != 2345 || info.Mode().Perm() != 0o640 {
		t.Errorf("%v %+v", info.Mode(), s)
	}
}

// A link that leads to itself is told, not replaced.
func TestWriteFileRefusesALoop(t *testing.T) {
	link := filepath.Join(t.TempDir(), "loop")
	if err := os.Symlink("loop", link); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(link, []byte("new")); err == nil {
		t.Error("written")
	}
	if to, err := os.Readlink(link); to != "loop" {
		t.Error("the link is gone", err)
	}
}
