package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll.dev/api/v1alpha1"
)

// TestManual: every command of the reference has its page, and no line of a text is a
// request to roff.
func TestManual(t *testing.T) {
	pages := Manual(v1alpha1.Build{Version: "v1.2.3"}, "2026-01-02")
	for line := range strings.Lines(Reference()) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			page := pages[strings.ReplaceAll(strings.TrimSpace(name), " ", "-")+".1"]
			if !bytes.HasPrefix(page, []byte(".TH \"PLIMSOLL")) || !bytes.Contains(page, []byte("v1.2.3")) {
				t.Errorf("%s: %q", strings.TrimSpace(name), page)
			}
		}
	}
	page := string(pages["plimsoll-plan.1"])
	for _, want := range []string{"\n.SH NAME\nplimsoll\\-plan \\- ", "\n.B \\-o, \\-\\-output string\nformat: table",
		"(default table)", "\n.BR plimsoll (1)\n"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in %s", want, page)
		}
	}
	if got := roff(".B x\\y\n'z"); got != `\&.B x\ey`+"\n"+`\&'z` {
		t.Errorf("roff reads a text as %q", got)
	}
	groff, err := exec.LookPath("groff")
	if err != nil {
		return // the rest is judged where the real one is
	}
	for name, page := range pages {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, page, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(groff, "-man", "-ww", "-z", file).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}
