package apply

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "plimsoll.dev/internal/seed"
)

// TestWhateverHappensIsPutBack spoils random trees at random, and compares with a
// copy of the tree, not with what the snapshot remembers.
func TestWhateverHappensIsPutBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		dir := plant(t, nil)
		names := []string{"proc/sys/a", "proc/sys/d/b", "proc/sys/d/e/c", "sys/f", "sys/g/h", "sys/g/i"}
		for _, name := range names {
			spoil(r, dir, name)
		}
		want := listing(t, dir)
		n, err := openNode(dir, usual)
		if err != nil {
			r.Skip(err) // links that the node may not have
		}
		defer n.close()
		before, err := n.read(nil)
		if err != nil {
			r.Fatal(err)
		}
		for range rapid.IntRange(0, 8).Draw(r, "changes") {
			spoil(r, dir, rapid.SampledFrom(append(names, "sys/new/deep", "proc/new")).Draw(r, "name"))
		}
		now, err := n.read(nil)
		if err != nil {
			r.Fatal(err)
		}
		for name, err := range n.putBack(before.differing(now), before) {
			if err != nil {
				r.Fatal(name, err)
			}
		}
		if d := cmp.Diff(want, listing(t, dir)); d != "" {
			r.Error(d)
		}
		if last, _ := n.read(nil); last.hash() != before.hash() {
			r.Error("the fingerprints differ")
		}
	})
}

// spoil does something to a name.
func spoil(r *rapid.T, dir, name string) {
	path := filepath.Join(dir, name)
	switch rapid.SampledFrom([]string{"write", "append", "remove", "link", "mode", "directory"}).Draw(r, "how") {
	case "write":
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.WriteFile(path,
			[]byte(rapid.SampledFrom([]string{"", "0", "0\n", "[always] never\n", "\x00\xff"}).Draw(r, "text")), 0o644)
	case "append":
		if f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err == nil {
			f.WriteString("x")
			f.Close()
		}
	case "remove":
		os.RemoveAll(path)
	case "link":
		os.MkdirAll(filepath.Dir(path), 0o755)
		os.RemoveAll(path)
		os.Symlink(rapid.SampledFrom([]string{"a", ".", "nothing"}).Draw(r, "target"), path)
	case "mode":
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			os.Chmod(path, rapid.SampledFrom([]os.FileMode{0o644, 0o600, 0o444}).Draw(r, "mode"))
		}
	case "directory":
		if _, err := os.Lstat(path); err != nil {
			os.MkdirAll(path, 0o755)
		}
	}
}

// listing is a tree as the standard library walks it.
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
			text += " " + target
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		}
		out[path] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestValueIsWhatTuneDReads(t *testing.T) {
	for _, c := range []struct{ name, data, want string }{
		{"proc/sys/vm/swappiness", "60\n", "60"},
		{"proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n", "32768\t60999"},
		{"sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n", "madvise"},
		{"sys/kernel/mm/transparent_hugepage/enabled", "never", "never"},
		{"proc/sys/kernel/core_pattern", "|/bin/[x] %p\n", "|/bin/[x] %p"},
	} {
		if got := valueOf(c.name, entry{data: c.data}); got != c.want {
			t.Errorf("%s with %q: %q, not %q", c.name, c.data, got, c.want)
		}
	}
}

func TestSameValueInOtherBytesIsNoChange(t *testing.T) {
	before := snapshot{"sys/thp": {data: "[always] never\n"}, "proc/sys/a": {data: "1\n"}, "proc/sys/b": {data: "1\n"},
		"proc/irq/mask": {data: "f\n"}, "proc/irq/other": {data: "f\n"}, "proc/sys/gone": {}}
	after := snapshot{"sys/thp": {data: "always"}, "proc/sys/a": {data: "1"}, "proc/sys/b": {data: "2"},
		"proc/irq/mask": {data: "0000000f"}, "proc/irq/other": {data: "1"}, "proc/sys/new": {}}
	values, bytes := compare(before, after)
	if d := cmp.Diff([][]string{{"proc/irq/other", "proc/sys/b", "proc/sys/gone", "proc/sys/new"},
		{"proc/irq/mask", "proc/sys/a", "sys/thp"}}, [][]string{values, bytes}); d != "" {
		t.Error(d)
	}
}
