package manifest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var codeBlock = regexp.MustCompile("(?s)```\n(.*?)```")

// shell runs commands in dir, as a user would.
func shell(t *testing.T, dir, script string) (string, error) {
	t.Helper()
	c := exec.Command("sh", "-c", script)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}

// TestFillingIn follows the README with the real sed and grep: afterwards
// nothing is left to fill in, and every file is valid without any help.
func TestFillingIn(t *testing.T) {
	if _, err := exec.LookPath("sed"); err != nil {
		t.Skip("no sed")
	}
	for name, in := range cases() {
		dir := filepath.Join(t.TempDir(), name)
		files := mustRender(t, in)
		must(t, Write(dir, files, Options{}))
		_, filling, ok := strings.Cut(contentOf(files, readmeFile), "## Values to fill in")
		if !ok {
			continue
		}
		lines := strings.Split(strings.TrimSpace(codeBlock.FindStringSubmatch(filling)[1]), "\n")
		fill, look, unguard := lines[0], lines[1], lines[2]

		// Applied before it is edited, the script changes nothing, and the check sees it.
		if _, err := shell(t, dir, fill); err != nil {
			t.Fatal(err)
		}
		if out, _ := shell(t, dir, look); !strings.Contains(out, infraID) {
			t.Errorf("%s: the check found nothing: %s", name, out)
		}
		script := filepath.Join(dir, fillInFile)
		content, err := os.ReadFile(script)
		must(t, err)
		edited := regexp.MustCompile(`(?m)^s\|(<[A-Z0-9_]+>)\|<([A-Z0-9_]+)>\|g$`).ReplaceAllStringFunc(string(content), func(line string) string {
			hole := strings.Split(line, "|")[1]
			return "s|" + hole + "|" + filledIn(hole) + "|g"
		})
		must(t, os.WriteFile(script, []byte(edited), 0o644))
		if out, err := shell(t, dir, fill); err != nil {
			t.Fatal(out, err)
		}
		out, _ := shell(t, dir, look)
		for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
			if !strings.Contains(line, fillInValue) {
				t.Errorf("%s: left to fill in: %s", name, line)
			}
		}
		if out, err := shell(t, dir, unguard); err != nil {
			t.Fatal(out, err)
		}
		if out, err := shell(t, dir, "sh -n growth.txt && sha256sum -c --quiet --ignore-missing "+listFile+" 2>/dev/null | grep -v FAILED; true"); err != nil || out != "" {
			t.Errorf("%s: %s %v", name, out, err)
		}
		rel, _ := parseRelease(in.Platform.Release)
		for _, f := range manifests(files) {
			content, err := os.ReadFile(filepath.Join(dir, f.Path))
			must(t, err)
			if strings.Contains(string(content), fillInLabel) || len(placeholdersIn(content)) > 0 {
				t.Errorf("%s/%s: not ready: %s", name, f.Path, content)
			}
			for _, err := range checkManifest(rel, File{Path: f.Path, Content: content}) {
				t.Errorf("%s/%s: %v", name, f.Path, err)
			}
		}
	}
}
