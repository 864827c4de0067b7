package cli_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestHAProxyTakesWritten: the real HAProxy takes what --write writes as it is,
// for a path of the greatest length, too.
func TestHAProxyTakesWritten(t *testing.T) {
	program := withHAProxy(t)
	base := t.TempDir()
	for _, name := range []string{"r", strings.Repeat("r", 73-len(base)-1)} {
		dir := filepath.Join(base, name)
		mustRun(t, "tune", "router", "../examples/tune/router.yaml", "--write", dir, "-q")
		out, err := exec.Command(program, "-c", "-f", filepath.Join(dir, "haproxy.cfg")).CombinedOutput()
		if err != nil || strings.Contains(string(out), "certificate") {
			t.Errorf("%v\n%s", err, out)
		}
	}
	dir := filepath.Join(base, strings.Repeat("r", 74-len(base)-1))
	if code, _, errs := run("tune", "router", "../examples/tune/router.yaml", "--write", dir); code != 2 ||
		!strings.Contains(errs, "too long for HAProxy's sockets") {
		t.Errorf("%d %s", code, errs)
	}
}
