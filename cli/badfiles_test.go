package cli_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll.dev/cli"
)

// Every bad scenario ends the program with exit code 2, says exactly what the
// reader says, and leaves nothing on standard output.
func TestBadFilesEndWithTwo(t *testing.T) {
	dir := filepath.Join("..", "source", "scenario", "testdata", "bad")
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) < 80 {
		t.Fatalf("%d bad files, %v; want at least 80", len(files), err)
	}
	t.Chdir(dir)
	for _, file := range files {
		name := filepath.Base(file)
		want, err := os.ReadFile(strings.TrimSuffix(name, ".yaml") + ".want")
		if err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		code := cli.Run(context.Background(), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs},
			[]string{"plimsoll", "plan", name}, func(string) string { return "" })
		if code != cli.ExitBadInput || out.Len() > 0 || errs.String() != string(want) {
			t.Errorf("%s: exit code %d, standard output %q, standard error:\n%s\nwant:\n%s", name, code, out.String(),
				errs.String(), want)
		}
	}
}
