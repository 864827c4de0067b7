package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The streams are shortened output of "go test -json".
const (
	passes = `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestA","Output":"=== RUN   TestA\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:1: chatter\n"}
{"Action":"output","Package":"p","Test":"TestA","Output":"--- PASS: TestA (0.00s)\n"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`
	fails = `{"Action":"output","Package":"q","Test":"TestB/sub","Output":"=== RUN   TestB/sub\n"}
{"Action":"output","Package":"q","Test":"TestB/sub","Output":"    b_test.go:1: is 2, not 1\n"}
{"Action":"output","Package":"q","Test":"TestB","Output":"--- FAIL: TestB (0.00s)\n"}
{"Action":"output","Package":"q","Test":"TestB/sub","Output":"    --- FAIL: TestB/sub (0.00s)\n"}
{"Action":"fail","Package":"q","Test":"TestB/sub"}
{"Action":"fail","Package":"q","Test":"TestB"}
{"Action":"output","Package":"q","Output":"FAIL\n"}
{"Action":"output","Package":"q","Output":"FAIL\tq\t0.1s\n"}
{"Action":"fail","Package":"q"}
`
	skips = `{"Action":"output","Package":"r","Test":"TestC","Output":"=== RUN   TestC\n"}
{"Action":"output","Package":"r","Test":"TestC","Output":"    c_test.go:1: no browser\n"}
{"Action":"output","Package":"r","Test":"TestC","Output":"--- SKIP: TestC (0.00s)\n"}
{"Action":"skip","Package":"r","Test":"TestC"}
{"Action":"output","Package":"r","Output":"ok  \tr\t0.1s\n"}
{"Action":"pass","Package":"r"}
{"Action":"output","Package":"s","Output":"?   \ts\t[no test files]\n"}
{"Action":"skip","Package":"s"}
`
	broken = `{"ImportPath":"t","Action":"build-output","Output":"# t\n"}
{"ImportPath":"t","Action":"build-output","Output":"./t.go:1:1: undefined: x\n"}
{"ImportPath":"t","Action":"build-fail"}
{"Action":"output","Package":"t","Output":"FAIL\tt [build failed]\n"}
{"Action":"fail","Package":"t","FailedBuild":"t"}
`
	dies = `{"Action":"output","Package":"u","Test":"TestD","Output":"panic: test timed out\n"}
{"Action":"output","Package":"u","Output":"FAIL\tu\t1s\n"}
{"Action":"fail","Package":"u"}
`
)

func TestSummary(t *testing.T) {
	for _, c := range []struct {
		name, stream string
		noSkips      bool
		want         string
	}{
		{"a passing test's output is not shown", passes, false, "ok  \tp\t0.1s\n1 passed, 0 failed\n"},
		{"a failing test's output is", passes + fails, false,
			"ok  \tp\t0.1s\n    b_test.go:1: is 2, not 1\n    --- FAIL: TestB/sub (0.00s)\n--- FAIL: TestB (0.00s)\n" +
				"FAIL\tq\t0.1s\n1 passed, 2 failed\n"},
		{"a skip is listed with its reason", skips, false,
			"ok  \tr\t0.1s\n?   \ts\t[no test files]\nSKIPPED r TestC: c_test.go:1: no browser\n" +
				"0 passed, 0 failed, 1 skipped\n"},
		{"a skip may be a failure", skips, true,
			"ok  \tr\t0.1s\n?   \ts\t[no test files]\nSKIPPED r TestC: c_test.go:1: no browser\n" +
				"Skipped tests count as failed here: what they need must be installed.\n0 passed, 1 failed\n"},
		{"a package that does not compile is a failure", broken, false,
			"# t\n./t.go:1:1: undefined: x\nFAIL\tt [build failed]\n0 passed, 1 failed\n"},
		{"so is one that dies", dies, false, "FAIL\tu\t1s\npanic: test timed out\n0 passed, 1 failed\n"},
		{"other lines are shown as they are", "go: no such package\n", false, "go: no such package\n0 passed, 0 failed\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out strings.Builder
			s := newSummary(&out)
			s.noSkips = c.noSkips
			if err := s.read(strings.NewReader(c.stream)); err != nil {
				t.Fatal(err)
			}
			s.close()
			if diff := cmp.Diff(c.want, out.String()); diff != "" {
				t.Errorf("output differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestRunFails proves that a run without any test is not a success.
func TestRunFails(t *testing.T) {
	for _, args := range [][]string{{"-passed", "1", "--", "-run", "NoSuchTest", "."}, {"./no-such-directory"}} {
		var out, problems strings.Builder
		if code := run(t.Context(), args, &out, &problems); code != 1 {
			t.Errorf("%v: exit code %d, want 1; output:\n%s%s", args, code, out.String(), problems.String())
		}
	}
}

// Modules of their own are tested too, before or beside this one, and their failures are
// failures of the run.
func TestAlso(t *testing.T) {
	for _, flag := range []string{"-also", "-beside"} {
		t.Run(flag, func(t *testing.T) { testAlso(t, flag) })
	}
}

func testAlso(t *testing.T, flag string) {
	for body, want := range map[string]int{"": 0, `t.Error("no")`: 1, "x": 1} {
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module other\n\ngo 1.26.0\n",
			"there_test.go": "package other\n\nimport \"testing\"\n\nfunc TestThere(t *testing.T) { " + body + " }\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		var out, problems strings.Builder
		if code := run(t.Context(), []string{flag, dir, "--", "-run", "^TestThere$", "."}, &out, &problems); code != want {
			t.Errorf("a module whose test says %q: exit code %d, want %d; output:\n%s%s", body, code, want, out.String(),
				problems.String())
		}
	}
}

// The packages of -first are tested before the last argument's, and in this module only.
func TestFirst(t *testing.T) {
	for first, want := range map[string]int{".": 0, "./no-such-directory": 1} {
		var out, problems strings.Builder
		if code := run(t.Context(), []string{"-first", first, "--", "-run", "^TestSummary$", "."}, &out,
			&problems); code != want {
			t.Errorf("-first %s: exit code %d, want %d; output:\n%s%s", first, code, want, out.String(), problems.String())
		}
	}
}
