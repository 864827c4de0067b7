//go:build unix

package cli_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"plimsoll.dev/cli"
)

// What was meant to be input and is none is refused at once, with its name.
func TestRefusedInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = z.Write([]byte(`{"kind": "List", "items": []}`))
	_ = z.Close()
	scenario := func(node string) string {
		return "apiVersion: plimsoll.dev/v1alpha1\nkind: Scenario\nplatform: {release: \"4.14\"}\n" +
			"hardware: {nodeTypes: [{name: w, cpus: 8, memory: 32Gi, " + node + "}]}\n"
	}
	for name, text := range map[string]string{
		"empty.yaml": "", "error.yaml": "<!DOCTYPE html><html><body>404</body></html>\n", "braces.yaml": "{}\n",
		"packed.gz": packed.String() + "{{", "packed.yaml": packed.String(), "machine.txt": "root:x:0:0:root\n",
		"none.json": `{"message": "Unauthorized"}`, "machine.yaml": scenario("topologyFile: machine.txt"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	const base, template = examplesDir + "/ocp-9.4.yaml", examplesDir + "/manifests/cart-template.yaml"
	for _, c := range []struct{ args, want string }{
		{"plan " + base + " --manifests D/empty.yaml", "D/empty.yaml:1:1: there is no Kubernetes object in it ("},
		{"plan " + base + " --manifests D/error.yaml", "D/error.yaml:1:1: there is no Kubernetes object in it ("},
		{"plan " + base + " --manifests D/braces.yaml", "D/braces.yaml:1:1: there is no Kubernetes object in it ("},
		{"plan " + base + " --manifests D/packed.yaml", "D/packed.yaml:1:1: it is compressed (give what gunzip"},
		{"plan --release 4.14 --snapshot D/packed.gz",
			"D/packed.gz: jsontext: read error: it can't be unpacked, for it is cut off"},
		{"plan --release 4.14 --snapshot D/none.json", "D/none.json:1:1: there is no Kubernetes object in it ("},
		{"plan D/machine.yaml", "D/machine.txt:1:1: it is neither the output of lscpu nor"},
		{"plan D/pipe", "D/pipe: is a pipe ("}, {"validate D/pipe", "D/pipe: is a pipe ("},
		{"verify D/pipe", "D/pipe: is "}, {"certify D/pipe", "D/pipe: is "}, {"why D/pipe nodes", "D/pipe: is a pipe ("},
		{"plan " + base + " --manifests " + template + " --param NONE=3",
			"plimsoll: --param NONE: no template has this parameter (there are: "},
	} {
		code, out, errs := run(strings.Fields(strings.ReplaceAll(c.args, "D/", dir+"/"))...)
		if want := strings.ReplaceAll(c.want, "D/", dir+"/"); code != cli.ExitBadInput || out != "" ||
			!strings.Contains(errs, want) {
			t.Errorf("%s: exit code %d, %.300s; want %s", c.args, code, errs, want)
		}
	}
}
