// Package need decides what a test does when something outside the repository
// is missing: a browser, a set of node modules. At a desk the test is skipped
// and says loudly why; where CI=true is set it fails, so that nothing is
// silently left out.
//
// It installs nothing and downloads nothing.
//
//	chromium := need.Program(t, "chromium")
//	axe := need.File(t, "node_modules/axe-core/axe.min.js", "run npm ci in test/browser")
package need

import (
	"os"
	"os/exec"
	"testing"
)

// Program returns the path of the first of the named programs that is
// installed. When none is, the test is skipped, or fails where CI=true.
func Program(t testing.TB, names ...string) string {
	t.Helper()
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, "none of the programs %q is installed (install one of them and put it on the PATH)", names)
	return ""
}

// File returns path when there is such a file. When there is none, the test is
// skipped with how to get it, or fails where CI=true.
func File(t testing.TB, path, howToGet string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		missing(t, "%s is missing (%s)", path, howToGet)
	}
	return path
}

// Right demands that something is allowed: err says what is not. When it isn't, the test is skipped with how to get it,
// or fails where CI=true.
func Right(t testing.TB, err error, howToGet string) {
	t.Helper()
	if err != nil {
		missing(t, "%v (%s)", err, howToGet)
	}
}

// missing ends the test.
func missing(t testing.TB, format string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("NEEDED, and CI=true: "+format, args...)
	}
	t.Skipf("SKIPPED, NOT TESTED: "+format, args...)
}
