package archtest

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"plimsoll.dev/internal/need"
)

// stain is a text that no committed file may hold.
type stain struct {
	pattern *regexp.Regexp
	reason  string
}

// stains are written in pieces, so that this file is clean itself.
var stains = []stain{
	{regexp.MustCompile(`/(wor` + `k|roo` + `t|home/[a-z]+)/|/tmp/` + `bash|[A-Z]:\\Use` + `rs\\`),
		"is a path of one machine; use a relative path or a temporary directory"},
	{regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`),
		"marks unfinished work; finish it or take it out"},
	{regexp.MustCompile(`(proxy|sum)\.golang` + `\.org|registry\.npmjs` + `\.org|pythonhosted` + `\.org|\bpypi` +
		`\.org|repo[0-9]*\.maven|crates` + `\.io|deb\.debian` + `\.org`),
		"names a package registry's host; which mirror is used is the user's setting"},
}

func TestHygiene(t *testing.T) { demand(t, stained(t, repo, committed(t))) }

func TestHygieneCanFail(t *testing.T) {
	root := fstest.MapFS{
		"clean.go":   {Data: []byte("package p // workload, root, todo list, homes\n")},
		"binary.png": {Data: []byte("\x00 /wor" + "k/x")},
		"path.md":    {Data: []byte("see\n/wor" + "k/main/x and /ho" + "me/me/x\n")},
		"words.sh":   {Data: []byte("# TO" + "DO later\n# FIX" + "ME: now\n")},
		"lock.json":  {Data: []byte(`{"resolved": "https://registry.npmjs` + `.org/x"}`)},
	}
	want := []string{
		"lock.json:1: registry.npmjs" + ".org " + stains[2].reason,
		"path.md:2: /wor" + "k/ " + stains[0].reason,
		"words.sh:1: TO" + "DO " + stains[1].reason,
		"words.sh:2: FIX" + "ME " + stains[1].reason,
	}
	got := stained(t, root, slices.Sorted(maps.Keys(root)))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("violations differ (-want +got):\n%s", diff)
	}
}

// committed lists the files that git has, or would take with "git add".
func committed(t *testing.T) []string {
	t.Helper()
	program := need.Program(t, "git")
	need.File(t, "../../.git", "run the tests in a git checkout")
	git := exec.Command(program, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	git.Dir = "../.."
	out, err := git.Output()
	if err != nil {
		t.Fatalf("git can't list the files of this checkout: %v", err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func stained(t *testing.T, root fs.FS, names []string) []string {
	t.Helper()
	var out []string
	for _, name := range names {
		info, err := fs.Stat(root, name)
		if err != nil || info.IsDir() {
			continue // deleted and not yet committed, or a directory behind a link
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(text, 0) < 0 {
			out = append(out, stainsIn(name, string(text))...)
		}
	}
	return out
}

func stainsIn(name, text string) []string {
	var out []string
	for _, s := range stains {
		at := 0
		for number, line := range strings.Split(text, "\n") {
			if found := s.pattern.FindString(line); found != "" {
				out = append(out, fmt.Sprintf("%s:%d: %s %s", name, number+1, found, s.reason))
				at++
			}
			if at == 5 { // a generated file would fill the screen
				break
			}
		}
	}
	return out
}
