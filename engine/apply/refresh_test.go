package apply

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	language "plimsoll.dev/tune/tuned"
)

// TestRefreshAtReload: a reload takes the profiles that the Tuned objects have then; with
// an error, or a name that is none, the old profile stays as it is.
func TestRefreshAtReload(t *testing.T) {
	dir, reload := simulated(t), make(chan string, 1)
	text := func(name, value string) []language.Profile {
		return []language.Profile{{Name: name, Source: language.Source{Body: "[sysctl]\nvm.swappiness=" + value + "\n"}}}
	}
	ctx, stop := context.WithCancel(t.Context())
	asked := 0
	refresh := func() ([]language.Profile, error) {
		switch asked++; asked {
		case 1:
			return text("p", "20"), nil
		case 2:
			return text("../p", "30"), nil
		}
		return nil, errors.New("the directory is gone")
	}
	var seen, refused []string
	opt := Options{Profile: "p", Root: dir, Profiles: text("p", "10"), Runner: &fake{t: t}, Reload: reload,
		Refresh: refresh}
	r, err := Apply(ctx, opt, func(e Event) {
		if e.Problem != nil {
			refused = append(refused, e.Problem.Error())
		}
		if e.Result == nil {
			return
		}
		now, _ := os.ReadFile(dir + "/proc/sys/vm/swappiness")
		seen = append(seen, strings.TrimSpace(string(now)))
		if len(seen) == 4 {
			stop()
		} else {
			reload <- ""
		}
	})
	if err != nil || !r.OK() || asked != 3 {
		t.Errorf("%v, asked %d times, %+v", err, asked, r)
	}
	if d := cmp.Diff([]string{"10", "20", "20", "20"}, seen); d != "" {
		t.Error(d)
	}
	if len(refused) != 2 || !strings.Contains(refused[0], "is dropped by TuneD") ||
		!strings.Contains(refused[1], "the directory is gone") {
		t.Errorf("refused: %v", refused)
	}
}

// TestRefreshOfABadName: the texts are taken also of a name that is none, so that they aren't those of the next one.
func TestRefreshOfABadName(t *testing.T) {
	asked := 0
	s := &session{opt: Options{Refresh: func() ([]language.Profile, error) {
		asked++
		return nil, nil
	}}}
	if err := s.exchange("../p"); err == nil || asked != 1 {
		t.Errorf("%v, asked %d times", err, asked)
	}
}

// TestValueOfTheNode: a value that only TuneD works out is not judged to differ.
func TestValueOfTheNode(t *testing.T) {
	r, err := once(t, &fake{}, "net.core.somaxconn=4096\nvm.swappiness=${f:exec:date}\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range r.Values {
		if unknown := v.Option == "vm.swappiness"; (v.State == Unknown) != unknown ||
			unknown && !strings.Contains(v.Note, "what date prints") {
			t.Errorf("%+v", v)
		}
	}
	if len(r.Values) != 2 || !r.Restored {
		t.Errorf("%+v", r)
	}
}

// TestReadVariables: a later directory first, nothing from outside of them.
func TestReadVariables(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{a + "/x-variables.conf": "v=1\n", a + "/y.conf": "v=2\n",
		b + "/x-variables.conf": "v=3\n", filepath.Dir(a) + "/out.conf": "v=4\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	read := ReadVariables([]string{a, b}, false, "")
	own := "/etc/tuned/" + filepath.Base(a) + "/y.conf" // a is the profile itself
	for name, want := range map[string]string{"/etc/tuned/x-variables.conf": "v=3\n", "/etc/tuned/y.conf": "v=2\n",
		own: "v=2\n", "/etc/tuned/none.conf": "", "/etc/tuned/../out.conf": "", "/etc/other/y.conf": "", "y.conf": ""} {
		if text, found := read(name); text != want || found != (want != "") {
			t.Errorf("%s is %q, found %t", name, text, found)
		}
	}
}

// TestReadVariablesOfNode: a copy of the node's files has those that no directory of profiles has, and
// no link leads out of it.
func TestReadVariablesOfNode(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	if err := errors.Join(os.MkdirAll(root+"/etc/tuned", 0o755), os.WriteFile(dir+"/x.conf", []byte("v=1\n"), 0o644),
		os.WriteFile(root+"/etc/tuned/x.conf", []byte("v=2\n"), 0o644),
		os.WriteFile(root+"/etc/site.conf", []byte("v=3\n"), 0o644),
		os.Symlink(dir+"/x.conf", root+"/etc/out.conf")); err != nil {
		t.Fatal(err)
	}
	read := ReadVariables([]string{dir}, false, root)
	for name, want := range map[string]string{"/etc/tuned/x.conf": "v=1\n", "/etc/site.conf": "v=3\n", "/etc/out.conf": "",
		"/etc/none.conf": ""} {
		if text, found := read(name); text != want || found != (want != "") {
			t.Errorf("%s is %q, found %t", name, text, found)
		}
	}
}

// TestReadVariablesWaitsForNobody: a pipe, or a link to one, is no file of variables;
// that of an earlier directory counts.
func TestReadVariablesWaitsForNobody(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(a, "x.conf"), []byte("v=1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(syscall.Mkfifo(filepath.Join(b, "x.conf"), 0o644),
		os.Symlink("x.conf", filepath.Join(b, "y.conf"))); err != nil {
		t.Fatal(err)
	}
	read := ReadVariables([]string{a, b}, false, "")
	if text, found := read("/etc/tuned/x.conf"); !found || text != "v=1\n" {
		t.Errorf("%q, %t", text, found)
	}
	if text, found := read("/etc/tuned/y.conf"); found {
		t.Errorf("a link to a pipe is %q", text)
	}
}

// TestReleaseOf reads the number as TuneD's version.py has it.
func TestReleaseOf(t *testing.T) {
	dir := t.TempDir()
	if r := releaseOf([]string{dir + "/*/version.py"}); r.Minor != 0 {
		t.Errorf("nothing there: %v", r)
	}
	file := filepath.Join(dir, "tuned", "version.py")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("TUNED_VERSION_MAJOR = 2\nTUNED_VERSION_MINOR = 20\nTUNED_VERSION_PATCH = 0\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	if r := releaseOf([]string{dir + "/*/version.py"}); r.Minor != 20 {
		t.Errorf("2.20 is %v", r)
	}
}
