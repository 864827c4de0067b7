package apply

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// plant writes files below a new directory: by name what is in them, or "-> " and
// where a link leads.
func plant(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"proc/sys", "sys"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		target, link := strings.CutPrefix(text, "-> ")
		err := error(nil)
		if link {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// reached is the node in a directory, until the test's end.
func reached(t *testing.T, dir string) *node {
	t.Helper()
	n, err := reachNode(dir, usual)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.close)
	return n
}

// mustOpen opens a directory as a node.
func mustOpen(t *testing.T, dir string) *node {
	t.Helper()
	n, err := openNode(dir, usual)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(n.close)
	return n
}

func TestLinksThatLeaveTheNodeAreRefused(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "value")
	if err := os.WriteFile(outside, []byte("0"), 0o644); err != nil {
		t.Fatal(err)
	}
	for link, want := range map[string]string{
		outside:                      "stay in the node",
		"/proc/sys/kernel/panic":     "stay in the node",
		"../../../../etc/passwd":     "stay in the node",
		"../../../..":                "stay in the node",
		"inner/up/up/up":             "stay in the node", // by way of links that are harmless one by one
		"../../sys/devices":          "",
		"nothing":                    "",
		"inner/../inner/deep/../../": "",
	} {
		dir := plant(t, map[string]string{"proc/sys/a/link": "-> " + link, "sys/devices/x": "1",
			"proc/sys/a/inner/deep/file": "1", "proc/sys/a/inner/up": "-> .."})
		if link == "inner/up/up/up" {
			os.Remove(filepath.Join(dir, "proc/sys/a/inner/up"))
			os.Symlink("../../../..", filepath.Join(dir, "proc/sys/a/inner/up")) // the node itself
			os.Symlink("..", filepath.Join(dir, "up"))
		}
		n, err := openNode(dir, usual)
		if n != nil {
			n.close()
		}
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("link to %s: %v", link, err)
		}
	}
}

func TestWhatIsNoPlainTreeIsRefused(t *testing.T) {
	for want, spoil := range map[string]func(dir string) error{
		"has 2 names": func(dir string) error {
			return os.Link(filepath.Join(dir, "proc/sys/a"), filepath.Join(filepath.Dir(dir), "twin"))
		},
		"neither file": func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "sys/pipe"), 0o644) },
		"at most":      func(dir string) error { return os.Truncate(filepath.Join(dir, "proc/sys/a"), maxFile+1) },
		"proc/sys is no directory": func(dir string) error {
			os.RemoveAll(filepath.Join(dir, "proc/sys"))
			return os.Symlink(filepath.Join(dir, "sys"), filepath.Join(dir, "proc/sys"))
		},
		"sys is no directory": func(dir string) error { return os.RemoveAll(filepath.Join(dir, "sys")) },
	} {
		dir := plant(t, map[string]string{"proc/sys/a": "1"})
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := openNode(dir, usual); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestTheMachineItselfIsNoSimulatedNode(t *testing.T) {
	if _, err := openNode("/", usual); err == nil || !strings.Contains(err.Error(), "proc is a mount of its own") ||
		!strings.Contains(err.Error(), "sys is a mount of its own") {
		t.Errorf("%v", err)
	}
}

func TestFaultsAreToldTogetherUpToABound(t *testing.T) {
	files := map[string]string{}
	for i := range 3 * maxFaults {
		files[fmt.Sprintf("sys/l%02d", i)] = "-> /etc/passwd"
	}
	_, err := openNode(plant(t, files), usual)
	if got := strings.Count(err.Error(), "leads to /etc/passwd"); got != maxFaults {
		t.Errorf("%d faults are told, not %d", got, maxFaults)
	}
}

func TestStrangeNamesAreReadAndShown(t *testing.T) {
	files := map[string]string{"proc/sys/with blank": "1", "proc/sys/new\nline": "2", "sys/\xff\xfe": "3",
		"sys/[x]*?": "4", "sys/" + strings.Repeat("n", 255): "5"}
	n := mustOpen(t, plant(t, files))
	s, err := n.read(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if s[name].data != text {
			t.Errorf("%q: %q", name, s[name].data)
		}
	}
	if got := show("proc/sys/new\nline"); got != `"proc/sys/new\nline"` {
		t.Errorf("shown as %s", got)
	}
}

// FuzzLinks: of a node that is not refused, no path leads outside.
func FuzzLinks(f *testing.F) {
	f.Add("..", "a/..", "../../x", "b")
	f.Add("/etc/passwd", ".", "c", "../../../..")
	f.Add("b/../../..", "..", "../sys/../..", "d/./..")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		dir := plant(t, map[string]string{"proc/sys/x/file": "1", "sys/y/file": "1"})
		for name, target := range map[string]string{"proc/sys/a": a, "proc/sys/x/b": b, "sys/c": c, "sys/y/d": d} {
			os.Symlink(target, filepath.Join(dir, name))
		}
		n, err := openNode(dir, usual)
		if err != nil {
			return
		}
		defer n.close()
		for _, name := range []string{"proc/sys/a", "proc/sys/x/b", "sys/c", "sys/y/d"} {
			real, err := filepath.EvalSymlinks(filepath.Join(dir, name))
			if err == nil && real != dir && !strings.HasPrefix(real, dir+"/") {
				t.Errorf("%s leads to %s", name, real)
			}
		}
	})
}

func TestHugeTreesAreRefused(t *testing.T) {
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("sys/%d", i)] = "0123456789"
	}
	dir := plant(t, files)
	// 100 files in proc, proc/sys and sys
	if _, err := openNode(dir, bounds{102, 1 << 20}); err == nil ||
		!strings.Contains(err.Error(), "more than 102 entries") {
		t.Errorf("%v", err)
	}
	n, err := openNode(dir, bounds{103, 999})
	if err != nil {
		t.Fatal(err)
	}
	defer n.close()
	if _, err := n.read(nil); err == nil || !strings.Contains(err.Error(), "more than 999 bytes") {
		t.Errorf("%v", err)
	}
}

// TestANodeThatOthersMayChangeIsRefused: what was looked at would be another when it is
// shown to TuneD. So is a program that gets its owner's rights.
func TestANodeThatOthersMayChangeIsRefused(t *testing.T) {
	for want, spoil := range map[string]func(dir string) error{
		" may be changed by anybody":        func(dir string) error { return os.Chmod(dir, 0o777) },
		"sys may be changed by anybody":     func(dir string) error { return os.Chmod(dir+"/sys", 0o777) },
		"proc/sys/a is setuid or setgid":    func(dir string) error { return os.Chmod(dir+"/proc/sys/a", os.ModeSetuid) },
		"belongs to user 65534, who may":    func(dir string) error { return os.Chown(dir, 65534, 0) },
		"may be changed by group 65534":     func(dir string) error { return chownAndOpen(dir+"/sys", 65534) },
		"proc belongs to user 65534, who m": func(dir string) error { return os.Chown(dir+"/proc", 65534, 0) },
	} {
		if os.Geteuid() != 0 && strings.Contains(want, "65534") {
			continue // only root can give files away
		}
		dir := plant(t, map[string]string{"proc/sys/a": "1"})
		if err := spoil(dir); err != nil {
			t.Fatal(err)
		}
		if _, err := openNode(dir, usual); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// chownAndOpen lets a group write to a directory.
func chownAndOpen(dir string, group int) error {
	if err := os.Chown(dir, 0, group); err != nil {
		return err
	}
	return os.Chmod(dir, 0o775)
}

// openNode opens a directory as a node and refuses what is none, or what could
// lead outside: links that leave it, files with a second name elsewhere, devices
// and pipes, and mounts. It tells every fault at once, up to a bound.
func openNode(dir string, max bounds) (*node, error) {
	n, err := reachNode(dir, max)
	if err != nil {
		return nil, err
	}
	if err := n.check(); err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}
