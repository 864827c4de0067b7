package manifest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// treeOf reads a directory: content by path; directories end in a slash.
func treeOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if e.IsDir() {
			out[filepath.ToSlash(rel)+"/"] = ""
			return nil
		}
		if e.Type()&fs.ModeSymlink != 0 {
			out[filepath.ToSlash(rel)] = ""
			return nil
		}
		content, err := os.ReadFile(path)
		out[filepath.ToSlash(rel)] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// without the list file, which names checksums.
func without(tree map[string]string, path string) map[string]string {
	delete(tree, path)
	return tree
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func files(pairs ...string) []File {
	var out []File
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, File{Path: pairs[i], Content: []byte(pairs[i+1])})
	}
	return out
}

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(t *testing.T, dir string)
		force  bool
		want   map[string]string
		err    string
	}{
		{name: "nothing there", before: func(*testing.T, string) {}, want: map[string]string{"a": "1", "d/": "", "d/b": "2"}},
		{name: "empty directory", before: func(t *testing.T, dir string) { must(t, os.Mkdir(dir, 0o700)) },
			want: map[string]string{"a": "1", "d/": "", "d/b": "2"}},
		{name: "somebody's directory", before: func(t *testing.T, dir string) { write(t, dir+"/mine", "x") },
			err: "is not empty and not written by plimsoll"},
		{name: "somebody's directory, forced", force: true, before: func(t *testing.T, dir string) {
			write(t, dir+"/mine", "x")
			write(t, dir+"/a", "other")
		}, want: map[string]string{"mine": "x", "a": "1", "d/": "", "d/b": "2"}},
		{name: "an earlier run", before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("a", "old", "gone/c", "3"), Options{}))
			write(t, dir+"/mine", "x")
			write(t, dir+"/e/f", "y")
		}, want: map[string]string{"mine": "x", "e/": "", "e/f": "y", "a": "1", "d/": "", "d/b": "2"}},
		{name: "an edited file", before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("a", "old", "gone", "3"), Options{}))
			write(t, dir+"/a", "edited")
			write(t, dir+"/gone", "edited")
		}, err: "edited since it was written"},
		{name: "an edited file, forced", force: true, before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("a", "old"), Options{}))
			write(t, dir+"/a", "edited")
		}, want: map[string]string{"a": "1", "d/": "", "d/b": "2"}},
		{name: "a removed file", before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("a", "old", "gone", "3"), Options{}))
			must(t, os.Remove(dir+"/a"))
		}, want: map[string]string{"a": "1", "d/": "", "d/b": "2"}},
		{name: "the user's file in the way", before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("a", "old"), Options{}))
			write(t, dir+"/d/b", "mine")
		}, err: "d/b: not written by plimsoll"},
		{name: "a file where a directory has to be, forced", force: true,
			before: func(t *testing.T, dir string) { write(t, dir+"/d", "x") },
			err:    "d: is not a directory of its own, and d/b has to be in it; move it away"},
		{name: "a directory where a file has to be, forced", force: true,
			before: func(t *testing.T, dir string) { write(t, dir+"/a/x", "x") },
			err:    "a: is not a file; move it away"},
		{name: "an edited file that is not written any more, forced", force: true, before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("a", "old", "e/c", "3"), Options{}))
			write(t, dir+"/e/c", "edited")
		}, want: map[string]string{"a": "1", "d/": "", "d/b": "2", "e/": "", "e/c": "edited"}},
		{name: "a directory of ours that became a link", force: true, before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("gone/c", "3"), Options{}))
			must(t, os.Rename(dir+"/gone", dir+"/mine"))
			must(t, os.Symlink("mine", dir+"/gone"))
		}, want: map[string]string{"a": "1", "d/": "", "d/b": "2", "gone": "", "mine/": "", "mine/c": "3"}},
		{name: "a file in place of the directory", before: func(t *testing.T, dir string) { write(t, dir, "x") },
			err: "is a file, not a directory"},
		{name: "another command's files", before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("a", "0", "b", "1", "c", "2", "e", "4"), Options{By: "plimsoll tune make infra"}))
		}, err: "plimsoll tune make infra wrote 4 files (a, b, c and 1 more) there, and 1 file (a) would be overwritten; " +
			"choose another directory, or write over them with --force"},
		{name: "another command's files of other names", before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("z", "0"), Options{By: "plimsoll tune router"}))
		}, err: "plimsoll tune router wrote 1 file (z) there; choose"},
		{name: "another command's files, forced", force: true, before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("a", "0", "kept/x", "3"), Options{By: "plimsoll tune router"}))
		}, want: map[string]string{"a": "1", "kept/": "", "kept/x": "3", "d/": "", "d/b": "2"}},
		{name: "another command's files, all removed", before: func(t *testing.T, dir string) {
			must(t, Write(dir, files("z", "0"), Options{By: "plimsoll tune router"}))
			must(t, os.Remove(dir+"/z"))
		}, want: map[string]string{"a": "1", "d/": "", "d/b": "2"}},
		{name: "a list that names no command is the plan's", before: func(t *testing.T, dir string) {
			write(t, dir+"/old", "3")
			write(t, dir+"/"+listFile, checksum([]byte("3"))+"  old\n")
		}, want: map[string]string{"a": "1", "d/": "", "d/b": "2"}},
		{name: "a foreign list", before: func(t *testing.T, dir string) { write(t, dir+"/"+listFile, "../../etc/passwd\n") },
			err: "not a checksum and a path"},
		{name: "the current directory", before: func(t *testing.T, dir string) {
			must(t, os.MkdirAll(dir+"/below", 0o755))
			t.Chdir(dir + "/below")
		}, force: true, want: map[string]string{"below/": "", "a": "1", "d/": "", "d/b": "2"}},
		{name: "missing parents", before: func(t *testing.T, dir string) { must(t, os.Remove(filepath.Dir(dir))) },
			want: map[string]string{"a": "1", "d/": "", "d/b": "2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			parent := filepath.Join(t.TempDir(), "p")
			must(t, os.Mkdir(parent, 0o755))
			dir := filepath.Join(parent, "out")
			c.before(t, dir)
			var before map[string]string
			if _, err := os.Stat(parent); err == nil {
				before = treeOf(t, parent)
			}
			err := Write(dir, files("a", "1", "d/b", "2"), Options{Force: c.force})
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("want %q, got %v", c.err, err)
				}
				if d := cmp.Diff(before, treeOf(t, parent)); d != "" {
					t.Error("something changed in spite of the error:", d)
				}
				return
			}
			must(t, err)
			if d := cmp.Diff(c.want, without(treeOf(t, dir), listFile)); d != "" {
				t.Error(d)
			}
			if entries, _ := os.ReadDir(parent); len(entries) != 1 {
				t.Error("something was left beside the directory:", entries)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestWriteRefusesPaths(t *testing.T) {
	for path, want := range map[string]string{
		"../x":      "not a path inside",
		"/etc/x":    "not a path inside",
		"a/../../x": "not a path inside",
		"a/../b":    "not a path inside",
		"a//b":      "not a path inside",
		"":          "not a path inside",
		".":         "not a path inside",
		listFile:    "not a path inside",
		"a":         "stands twice",
		"a/b":       `"a": is a file, and "a/b" needs it as a directory`,
	} {
		dir := filepath.Join(t.TempDir(), "out")
		err := Write(dir, append(files("a", "1"), File{Path: path}), Options{Force: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: want %q, got %v", path, want, err)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Errorf("%q: the directory was made", path)
		}
	}
}

// TestWriteStaysInside: a symbolic link that lies in the directory is kept as a
// link, and nothing is written through it, wherever it leads.
func TestWriteStaysInside(t *testing.T) {
	base := t.TempDir()
	outside, dir := filepath.Join(base, "outside"), filepath.Join(base, "out")
	must(t, os.Mkdir(outside, 0o755))
	must(t, os.Mkdir(dir, 0o755))
	must(t, os.Symlink(outside, filepath.Join(dir, "d")))
	must(t, os.Symlink(outside, filepath.Join(dir, "link")))
	must(t, os.Mkdir(filepath.Join(dir, "inner"), 0o755))
	must(t, os.Symlink("inner", filepath.Join(dir, "e")))
	for _, path := range []string{"d/b", "e/b"} {
		if err := Write(dir, files(path, "2"), Options{Force: true}); err == nil ||
			!strings.Contains(err.Error(), "is not a directory of its own") {
			t.Error(path, err)
		}
	}
	must(t, Write(dir, files("a", "2"), Options{Force: true}))
	if entries, _ := os.ReadDir(dir + "/inner"); len(entries) != 0 {
		t.Error("written through the link:", entries)
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 0 {
		t.Error("written through the link:", entries)
	}
	if to, err := os.Readlink(filepath.Join(dir, "link")); err != nil || to != outside {
		t.Error("the user's link was not kept:", to, err)
	}
}

func TestWriteModesAndLink(t *testing.T) {
	base := t.TempDir()
	real, link := filepath.Join(base, "real"), filepath.Join(base, "link")
	must(t, os.Mkdir(real, 0o750))
	must(t, os.Symlink(real, link))
	must(t, Write(link, files("a", "1", "d/b", "2"), Options{}))
	write(t, filepath.Join(real, "mine"), "x")
	must(t, Write(link, files("a", "1", "d/b", "2"), Options{}))
	for path, want := range map[string]fs.FileMode{"a": 0o644, "d": 0o755, "d/b": 0o644, "": 0o750, "mine": 0o600,
		listFile: 0o644} {
		info, err := os.Stat(filepath.Join(real, path))
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s: mode %o, want %o", path, info.Mode().Perm(), want)
		}
	}
	if to, err := os.Readlink(link); err != nil || to != real {
		t.Error("the link was replaced:", to, err)
	}
}

// TestWriteFailsWhole: when a file can't be written, the directory is as it was.
func TestWriteFailsWhole(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "out")
	must(t, Write(dir, files("a", "1"), Options{}))
	before := treeOf(t, parent)
	if err := Write(dir, files("a", "2", strings.Repeat("x", 300), "3"), Options{}); err == nil {
		t.Fatal("a name of 300 letters was written")
	}
	if err := Write(filepath.Join(parent, "fresh"), files("a", "2", "d/"+strings.Repeat("x", 300), "3"),
		Options{}); err == nil {
		t.Fatal("a name of 300 letters was written")
	}
	if d := cmp.Diff(before, treeOf(t, parent)); d != "" {
		t.Error(d)
	}
}

// FuzzReadList: whatever stands in a list file, it can't name a file outside.
func FuzzReadList(f *testing.F) {
	f.Add([]byte(strings.Repeat("0", 64) + "  a/b\n"))
	f.Add([]byte(strings.Repeat("0", 64) + "  ../x\n"))
	f.Add(listOf(planCommand, owning(files("a", "1", "b", "2"))))
	f.Fuzz(func(t *testing.T, content []byte) {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, listFile), content, 0o600))
		root, err := os.OpenRoot(dir)
		must(t, err)
		defer root.Close()
		_, _, own, err := readList(root)
		for path := range own {
			if err == nil && !filepath.IsLocal(path) {
				t.Errorf("%q is not inside", path)
			}
		}
		if err == nil && own == nil {
			t.Error("the list was read as if there were none")
		}
	})
}
