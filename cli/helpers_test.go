package cli_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"sigs.k8s.io/yaml"
)

// helpers are the commands of the scripts beside testscript's own.
var helpers = map[string]func(ts *testscript.TestScript, neg bool, args []string){
	"exits":    exits,
	"maxwidth": maxWidth,
	"only":     only,
	"fields":   fields,
	"waitfor":  waitFor,
}

// waitfor FILE waits until a file is there.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfor FILE")
	}
	for late := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(late) {
			ts.Fatalf("%s does not come", args[0])
		}
	}
}

// exits CODE PROGRAM [ARG...] runs a program, which must end with exactly CODE.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	var ended *exec.ExitError
	got := 0
	switch {
	case errors.As(err, &ended):
		got = ended.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// maxwidth COLUMNS FILE demands that a text has no longer line, and that it
// comes close: an empty text, or one of short lines, shows nothing.
func maxWidth(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: maxwidth COLUMNS FILE")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	longest := 0
	for i, line := range strings.Split(ts.ReadFile(args[1]), "\n") {
		n := utf8.RuneCountInString(line)
		if n > want {
			ts.Fatalf("line %d has %d columns, more than %d:\n%s", i+1, n, want, line)
		}
		longest = max(longest, n)
	}
	if longest < want*3/4 {
		ts.Fatalf("the longest line has %d columns: %d are not made use of", longest, want)
	}
}

// only DIR [NAME...] demands that a directory holds these names and no others,
// hidden ones included.
func only(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: only DIR [NAME...]")
	}
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	got := []string{}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	want := slices.Sorted(slices.Values(args[1:]))
	if diff := cmp.Diff(append([]string{}, want...), got); diff != "" {
		ts.Fatalf("%s holds (-want +got):\n%s", args[0], diff)
	}
}

// fields json|yaml FILE [PATH=VALUE...] demands that a file is one document of
// that format and that its fields have these values. A path is names and
// numbers with points between them; "len" is the length of a list.
func fields(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: fields json|yaml FILE [PATH=VALUE...]")
	}
	text := []byte(ts.ReadFile(args[1]))
	var doc any
	switch args[0] {
	case "json":
		ts.Check(json.Unmarshal(text, &doc))
	case "yaml":
		ts.Check(yaml.UnmarshalStrict(text, &doc))
	default:
		ts.Fatalf("no format %s", args[0])
	}
	for _, arg := range args[2:] {
		path, want, ok := strings.Cut(arg, "=")
		if !ok {
			ts.Fatalf("%s is not PATH=VALUE", arg)
		}
		got, err := at(doc, strings.Split(path, "."))
		ts.Check(err)
		if got != want {
			ts.Fatalf("%s is %q, want %q", path, got, want)
		}
	}
}

// at is the value at a path of a decoded document, printed.
func at(v any, path []string) (string, error) {
	for i, step := range path {
		where := strings.Join(path[:i+1], ".")
		switch x := v.(type) {
		case map[string]any:
			value, ok := x[step]
			if !ok {
				return "", fmt.Errorf("there is no %s", where)
			}
			v = value
		case []any:
			if step == "len" {
				v = float64(len(x))
				continue
			}
			n, err := strconv.Atoi(step)
			if err != nil || n < 0 || n >= len(x) {
				return "", fmt.Errorf("there is no %s in a list of %d", where, len(x))
			}
			v = x[n]
		default:
			return "", fmt.Errorf("there is no %s in %v", where, v)
		}
	}
	if n, ok := v.(float64); ok {
		return strconv.FormatFloat(n, 'f', -1, 64), nil
	}
	return fmt.Sprint(v), nil
}
