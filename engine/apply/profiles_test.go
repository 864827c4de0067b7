package apply

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	language "plimsoll.dev/tune/tuned"
)

// sourceOf writes files into a directory.
func sourceOf(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := writeFile(filepath.Join(dir, name), file{[]byte(text), 0o755}); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLaterSourcesReplaceWholeProfiles(t *testing.T) {
	c := newCollection()
	first := sourceOf(t, map[string]string{"a/tuned.conf": "[main]\n", "a/old.sh": "#!/bin/sh\n",
		"b/tuned.conf": "[main]\n", "vars.conf": "x=1\n", "active_profile": "a\n", "notes/x": "1"})
	second := sourceOf(t, map[string]string{"a/tuned.conf": "[sysctl]\n", "bad name/tuned.conf": "[main]\n"})
	third := filepath.Join(sourceOf(t, map[string]string{"c/tuned.conf": "[vm]\n", "c/deep/script.sh": "#!/bin/sh\n"}),
		"c")
	for _, dir := range []string{first, second, third} {
		if err := c.directory(dir); err != nil {
			t.Fatal(err)
		}
	}
	c.text(language.Profile{Name: "b", Source: language.Source{Body: "[cpu]\n", File: "cr.yaml"}})
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "stale"), nil, 0o644)
	if err := c.write(dir, "a"); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	filepath.Walk(dir, func(path string, info os.FileInfo, _ error) error {
		if rel, _ := filepath.Rel(dir, path); !info.IsDir() && rel != "tuned-main.conf" {
			text, _ := os.ReadFile(path)
			got[rel] = info.Mode().String() + " " + string(text)
		}
		return nil
	})
	want := map[string]string{"a/tuned.conf": "-rwxr-xr-x [sysctl]\n", "b/tuned.conf": "-rw-r--r-- [cpu]\n",
		"c/tuned.conf": "-rwxr-xr-x [vm]\n", "c/deep/script.sh": "-rwxr-xr-x #!/bin/sh\n", "vars.conf": "-rwxr-xr-x x=1\n",
		"active_profile": "-rw-r--r-- a\n", "profile_mode": "-rw-r--r-- manual\n"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if c.profiles["a"].Source.File != filepath.Join(second, "a/tuned.conf") || c.profiles["b"].Source.File != "cr.yaml" {
		t.Errorf("%+v", c.profiles)
	}
}

func TestSourcesThatAreTooMuch(t *testing.T) {
	big := strings.Repeat("#", maxFile)
	many := map[string]string{"p/tuned.conf": ""}
	for i := range 17 {
		many["p/"+strings.Repeat("x", i+1)] = big
	}
	for name, dir := range map[string]string{"one file": sourceOf(t, map[string]string{"p/tuned.conf": big + "#"}),
		"all": sourceOf(t, many)} {
		if err := newCollection().directory(dir); err == nil || !strings.Contains(err.Error(), "is too much") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestToolsOfANodeAreTheMachinesNames: TuneD finds them first.
func TestToolsOfANodeAreTheMachinesNames(t *testing.T) {
	dir := t.TempDir()
	if err := writeTools(dir, "kvm\n"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ip", "virt-what"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm()&0o111 != 0o111 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(dir, "virtual")); string(text) != "kvm\n" {
		t.Errorf("virt-what will print %q", text)
	}
}

// TestWhatCantBeWrittenChangesNothing: with the profile that is applied its scripts
// stay, which TuneD needs to take it back.
func TestWhatCantBeWrittenChangesNothing(t *testing.T) {
	scratch := t.TempDir()
	dir := filepath.Join(scratch, "etc")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	c := newCollection()
	c.files["p/script.sh"] = file{[]byte("#!/bin/sh\n"), 0o755}
	if err := c.write(dir, "p"); err != nil {
		t.Fatal(err)
	}
	next := newCollection()
	next.files["q/"+strings.Repeat("x", 300)] = file{nil, 0o644} // no file system takes the name
	if err := next.write(dir, "q"); err == nil {
		t.Fatal("it is written")
	}
	script, err := os.ReadFile(filepath.Join(dir, "p/script.sh"))
	active, err2 := os.ReadFile(filepath.Join(dir, "active_profile"))
	if err != nil || err2 != nil || string(script) != "#!/bin/sh\n" || string(active) != "p\n" {
		t.Errorf("%q %v, %q %v", script, err, active, err2)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) != 1 {
		t.Errorf("beside it stands %v, %v", left, err)
	}
}

// TestWhoseSysctlsWin is written where TuneD reads it.
func TestWhoseSysctlsWin(t *testing.T) {
	for wins, want := range map[bool]string{false: "reapply_sysctl=1\n", true: "reapply_sysctl=0\n"} {
		dir := filepath.Join(t.TempDir(), "etc")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		s := &session{opt: Options{SysctlsWin: wins, Profile: "p"}, target: mustOpen(t, simulated(t)),
			known: map[string]bool{}}
		if err := errors.Join(s.configure("p"), s.config.write(dir, "p")); err != nil {
			t.Fatal(err)
		}
		if text, _ := os.ReadFile(filepath.Join(dir, "tuned-main.conf")); !strings.HasSuffix(string(text), want) {
			t.Errorf("%s", text)
		}
	}
}
