package manifest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/sink/replace"
)

// writingIn makes of the test program a run that writes into a directory until it is killed.
const writingIn = "PLIMSOLL_TEST_WRITING_IN"

// aSet is what the n-th run writes: some files each time, some of them only now and then.
func aSet(n int) []File {
	out := files("README.md", fmt.Sprint("set ", n), "install/00.yaml", "always the same")
	for i := range 4 {
		if (n+i)%3 > 0 {
			text := strings.Repeat(fmt.Sprintf("%d of set %d\n", i, n), 2000)
			out = append(out, files(fmt.Sprintf("d%d/sub/f.yaml", i), text, fmt.Sprintf("f%d.yaml", i), text)...)
		}
	}
	return out
}

// TestWriting is no test but the run that TestWriteKilled kills.
func TestWriting(*testing.T) {
	dir := os.Getenv(writingIn)
	if dir == "" {
		return
	}
	fmt.Println("ready")
	for n := os.Getpid(); ; n++ {
		if err := Write(dir, aSet(n), Options{Wait: time.Hour}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// TestWriteKilled: runs that write into one directory at once are killed at any moment, while somebody else writes
// there, too. Nothing of theirs is lost, and the next run leaves what it was asked for and nothing else of ours.
//
// PLIMSOLL_KILLS=100, or "make kill-write", is the large one: ten runs at once.
func TestWriteKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("without locks runs don't keep each other off")
	}
	kills, atOnce := 8, 3
	if n, err := strconv.Atoi(os.Getenv("PLIMSOLL_KILLS")); err == nil {
		kills, atOnce = n, 10
	}
	dir := filepath.Join(t.TempDir(), "out")
	must(t, Write(dir, aSet(0), Options{}))
	other := besides(dir)
	rng := rand.New(rand.NewPCG(1, uint64(kills)))
	var runs []*child
	for range atOnce {
		runs = append(runs, starting(t, dir))
	}
	for range kills {
		i := rng.IntN(len(runs))
		runs[i].killAfter(t, time.Duration(rng.IntN(20_000))*time.Microsecond)
		runs[i] = starting(t, dir)
	}
	for _, r := range runs {
		r.killAfter(t, time.Duration(rng.IntN(2000))*time.Microsecond)
	}
	theirs := other.stop(t)
	must(t, Write(dir, aSet(1), Options{}))
	want := theirs
	for _, f := range aSet(1) {
		want[f.Path] = string(f.Content)
	}
	got := without(treeOf(t, dir), listFile)
	for path := range got {
		if strings.HasSuffix(path, "/") {
			delete(got, path)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got (%d foreign files):\n%s", len(theirs), d)
	}
	t.Logf("%d kills among %d runs, %d foreign files", kills+atOnce, atOnce, len(theirs)-len(aSet(1)))
	must(t, Write(dir, aSet(2), Options{}))
}

// child is a process that writes.
type child struct {
	*exec.Cmd
	said *strings.Builder
}

func starting(t *testing.T, dir string) *child {
	t.Helper()
	r := &child{exec.Command(os.Args[0], "-test.run=^TestWriting$"), &strings.Builder{}}
	r.Env = append(os.Environ(), writingIn+"="+dir)
	r.Stderr = r.said
	out, err := r.StdoutPipe()
	must(t, err)
	must(t, r.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "ready\n" {
		t.Fatal(line, err, r.said)
	}
	return r
}

// killAfter kills a run that must be there still.
func (r *child) killAfter(t *testing.T, d time.Duration) {
	t.Helper()
	time.Sleep(d)
	must(t, r.Process.Kill())
	_ = r.Wait()
	if r.ProcessState.Exited() {
		t.Error("a run ended of its own accord:", r.ProcessState, r.said)
	}
}

// somebody writes files into a directory, as editors and other programs do.
type somebody struct {
	end    context.CancelFunc
	wg     sync.WaitGroup
	theirs map[string]string
	err    error
}

func besides(dir string) *somebody {
	ctx, end := context.WithCancel(context.Background())
	s := &somebody{end: end, theirs: map[string]string{}}
	s.wg.Go(func() {
		for n := 0; ctx.Err() == nil && s.err == nil; n++ {
			name := []string{"", "install/", "d1/sub/", "d2/", "own/"}[n%5] + fmt.Sprintf("mine-%d", n%500)
			s.write(dir, name, fmt.Sprint("mine ", n), n%2 == 0)
			time.Sleep(time.Duration(rand.IntN(400)) * time.Microsecond)
		}
	})
	return s
}

// write writes a file, at its place or beside it with a rename. A directory may go
// from under it as long as it is empty.
func (s *somebody) write(dir, name, text string, direct bool) {
	path := filepath.Join(dir, name)
	at := path
	if !direct {
		at += "~"
	}
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(at, []byte(text), 0o600)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil && !direct {
		err = os.Rename(at, path)
	}
	s.theirs[name] = text
	s.err = err
}

func (s *somebody) stop(t *testing.T) map[string]string {
	t.Helper()
	s.end()
	s.wg.Wait()
	must(t, s.err)
	return s.theirs
}

// A run that is stopped after any of its steps is put right by the next: by the same command with the same
// files, or with others.
func TestWriteAfterAStop(t *testing.T) {
	first, second := aSet(0), aSet(1)
	steps := []func(c *change) error{
		func(c *change) error { _, _, err := replace.Stage(c.root, listFile, nil, replace.OfASet); return err },
		func(c *change) error {
			return c.put(listFile, listOf(planCommand, c.own.together(owning(c.files))))
		},
		(*change).stage,
		func(c *change) error {
			first := slices.Min(slices.Collect(maps.Keys(c.staged)))
			err := c.place(c.staged[first], first)
			delete(c.staged, first)
			return err
		},
		func(c *change) error {
			for path, name := range c.staged {
				if err := c.place(name, path); err != nil {
					return err
				}
			}
			return nil
		},
		func(c *change) error { return c.removeOld(owning(c.files)) },
	}
	for stop := range len(steps) + 1 {
		for _, before := range [][]File{nil, first} {
			for _, after := range [][]File{second, files("x/y", "1")} {
				dir := t.TempDir()
				if before != nil {
					must(t, Write(dir, before, Options{}))
				}
				root, err := os.OpenRoot(dir)
				must(t, err)
				list, _, own, err := readList(root)
				must(t, err)
				c := &change{root: root, list: list, own: own, files: second}
				for _, step := range steps[:stop] {
					must(t, step(c))
				}
				must(t, root.Close())
				write(t, dir+"/d1/mine", "mine")
				if stop < 2 && before == nil { // no list says yet that the directory is ours
					must(t, os.RemoveAll(dir+"/d1"))
				}
				must(t, Write(dir, after, Options{}))
				fresh := t.TempDir()
				must(t, Write(fresh, after, Options{}))
				if stop >= 2 || before != nil {
					write(t, fresh+"/d1/mine", "mine")
				}
				if d := cmp.Diff(treeOf(t, fresh), treeOf(t, dir)); d != "" {
					t.Errorf("stopped after step %d: -want +got\n%s", stop, d)
				}
			}
		}
	}
}

// What isn't ours isn't touched: it is the same file with the same times, not an equal one.
func TestWriteTouchesNothingElse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	must(t, Write(dir, files("a", "1", "d/b", "2", "gone/c", "3"), Options{}))
	foreign := []string{"", "d", "gone", "mine", "d/mine", "hard", "link", "gone/mine"}
	for _, name := range []string{"mine", "d/mine", "gone/mine"} {
		write(t, dir+"/"+name, "x")
		must(t, os.Chmod(dir+"/"+name, 0o604))
	}
	must(t, os.Link(dir+"/mine", dir+"/hard"))
	must(t, os.Symlink("nowhere", dir+"/link"))
	must(t, os.Chmod(dir+"/d", 0o2775))
	var was []fs.FileInfo
	for _, name := range foreign {
		info, err := os.Lstat(filepath.Join(dir, name))
		must(t, err)
		was = append(was, info)
	}
	must(t, os.Chmod(dir+"/a", 0o640))
	must(t, Write(dir, files("a", "new", "d/b", "2", "e", "4"), Options{}))
	for i, name := range foreign {
		is, err := os.Lstat(filepath.Join(dir, name))
		must(t, err)
		if !os.SameFile(was[i], is) || is.Mode() != was[i].Mode() || !is.IsDir() && is.ModTime() != was[i].ModTime() {
			t.Errorf("%q is another: %v, was %v", name, is, was[i])
		}
	}
	if info, err := os.Stat(dir + "/a"); err != nil || info.Mode().Perm() != 0o640 {
		t.Error("a file that was replaced lost its mode:", info, err)
	}
	before, err := os.Stat(dir + "/a")
	must(t, err)
	must(t, Write(dir, files("a", "new", "d/b", "2", "e", "4"), Options{}))
	if after, err := os.Stat(dir + "/a"); err != nil || !os.SameFile(before, after) {
		t.Error("a file was written again that is what it has to be", err)
	}
}

// A second run waits for the first, and says who is in its way when it waits too long.
func TestWriteWaits(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no locks")
	}
	dir := t.TempDir()
	held, err := open(dir, 0)
	must(t, err)
	err = Write(dir, files("a", "1"), Options{Wait: 20 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "is writing there; try again when it has ended") {
		t.Error(err)
	}
	if runtime.GOOS == "linux" && !strings.Contains(err.Error(), fmt.Sprintf("(process %d)", os.Getpid())) {
		t.Log("the process is not named: ", err) // as on file systems whose numbers differ
	}
	done := make(chan error)
	go func() { done <- Write(dir, files("a", "1"), Options{}) }()
	time.Sleep(20 * time.Millisecond)
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Error("the second run did not wait:", entries)
	}
	must(t, held.close())
	must(t, <-done)
}
