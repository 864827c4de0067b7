package browser

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// kept is how long a verdict is kept that nobody asks for.
const kept = 30 * 24 * time.Hour

// verdicts is the directory of the pages that were found good, an empty file for each,
// named by a hash; empty where everything is to be looked at: in CI, and where -count or
// -artifacts asks for it (decision 014).
var verdicts = sync.OnceValue(func() string {
	all := os.Getenv("CI") == "true" || pictured()
	flag.Visit(func(f *flag.Flag) { all = all || f.Name == "test.count" })
	cache, err := os.UserCacheDir()
	if all || err != nil {
		return ""
	}
	dir := filepath.Join(cache, "plimsoll", "browser")
	if os.MkdirAll(dir, 0o700) != nil {
		return ""
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > kept {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
	return dir
})

// judges hashes whatever a verdict depends on beside the page: this program, which is
// the tests with their scripts and views, axe-core, and the browser.
func judges(browserPath string) (string, error) {
	h := sha256.New()
	program, err := os.Executable()
	if err != nil {
		return "", err
	}
	for _, path := range []string{program, axePath} {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%x\n", sha256.Sum256(text))
	}
	version, err := exec.Command(browserPath, "--version").Output()
	// Go test looks at this variable, and not at what a program answers: with another
	// browser it runs the tests again.
	fmt.Fprintf(h, "%s\n%s\n", version, os.Getenv("BROWSER_VERSION"))
	return hex.EncodeToString(h.Sum(nil)), err
}

// verdict is the file that stands for a page that this very test found good; empty
// where none is kept.
func (c *chromium) verdict(t *testing.T, v view, html []byte) string {
	t.Helper()
	dir := verdicts()
	if dir == "" {
		return ""
	}
	by, err := c.judges()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%+v\n%x", by, t.Name(), v, sha256.Sum256(html)))
	return filepath.Join(dir, hex.EncodeToString(sum[:]))
}

// known says whether there is a verdict, and keeps it for longer.
func known(verdict string) bool {
	if verdict == "" {
		return false
	}
	now := time.Now()
	return os.Chtimes(verdict, now, now) == nil
}

// look has a page looked at, unless this very test found it good before.
func look(t *testing.T, browser *chromium, html []byte, v view, check func(*tab)) {
	t.Helper()
	good := browser.verdict(t, v, html)
	if known(good) {
		t.Log("found good before")
		return
	}
	b := open(t, browser, html, v)
	check(b)
	if good != "" && !t.Failed() {
		_ = os.WriteFile(good, nil, 0o600) // what can't be kept is looked at again
	}
}

// A verdict holds for the same page in the same view by the same test and judges, and in
// CI there is none.
func TestVerdict(t *testing.T) {
	by := func(name string) *chromium {
		return &chromium{judges: func() (string, error) { return name, nil }}
	}
	page := []byte("<p>")
	first := by("a").verdict(t, views[0], page)
	if verdicts() == "" {
		if first != "" || known(first) {
			t.Errorf("%s is kept where everything is to be looked at", first)
		}
		return
	}
	if again := by("a").verdict(t, views[0], page); again != first || filepath.Dir(first) != verdicts() || known(first) {
		t.Errorf("%s, then %s", first, again)
	}
	others := []string{first, by("b").verdict(t, views[0], page), by("a").verdict(t, views[1], page),
		by("a").verdict(t, views[0], []byte("<b>"))}
	t.Run("another", func(t *testing.T) { others = append(others, by("a").verdict(t, views[0], page)) })
	slices.Sort(others)
	if len(slices.Compact(others)) != 5 {
		t.Errorf("some of these are the same: %q", others)
	}
}
