//go:build unix

package lab

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checkout is a repository with a laboratory that is built in no time.
func checkout(t *testing.T, program string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module plimsoll.dev\n", "lab/main.go": program,
		"lab/go.mod": "module plimsoll.dev/lab\n\ngo 1.26.0\n", "cli/x": ""} {
		write(t, filepath.Join(root, name), text, 0o600)
	}
	return root
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

const good = "package main\n\nfunc main() {}\n"

func TestBuiltOnceForTheSameSources(t *testing.T) {
	root, built, ended := checkout(t, good), 0, 0
	b := Builder{From: filepath.Join(root, "cli"), Cache: t.TempDir(), Building: func() func() {
		built++
		return func() { ended++ }
	}}
	program := func() string {
		t.Helper()
		path, err := b.Program(t.Context())
		if err != nil || !executable(path) {
			t.Fatalf("%s: %v", path, err)
		}
		return path
	}
	first := program()
	write(t, filepath.Join(root, "lab/main_test.go"), "package main\n", 0o600)
	if program() != first || built != 1 || ended != 1 {
		t.Errorf("built %d times, and %d times told the end", built, ended)
	}
	write(t, filepath.Join(root, "lab/main.go"), good+"\n// other\n", 0o600)
	if program() == first || executable(first) {
		t.Error("other sources give the same program, or the one before is left")
	}
}

func TestWhereTheProgramIs(t *testing.T) {
	dir := t.TempDir()
	named, beside := filepath.Join(dir, "named"), filepath.Join(dir, "bin", Name)
	write(t, named, "", 0o700)
	write(t, beside, "", 0o700)
	b := Builder{Named: named, Beside: filepath.Join(dir, "bin"), From: dir, Cache: dir}
	if got, err := b.Program(t.Context()); got != named || err != nil {
		t.Errorf("named: %s, %v", got, err)
	}
	b.Named = ""
	if got, err := b.Program(t.Context()); got != beside || err != nil {
		t.Errorf("beside: %s, %v", got, err)
	}
	b.Named = filepath.Join(dir, "absent")
	if _, err := b.Program(t.Context()); err == nil || !strings.Contains(err.Error(), "PLIMSOLL_LAB") {
		t.Errorf("absent: %v", err)
	}
}

// What is missing is said.
func TestCantBeBuilt(t *testing.T) {
	told := func(b Builder, want string) {
		t.Helper()
		b.Cache = t.TempDir()
		if _, err := b.Program(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v", want, err)
		}
		if left, err := filepath.Glob(filepath.Join(b.Cache, "plimsoll/lab/*/*")); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
	told(Builder{From: t.TempDir()}, "is in no checkout")
	told(Builder{From: checkout(t, "package main\n\nfunc main() { x }\n")}, "undefined: x")
	root := checkout(t, good)
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := (Builder{From: root, Cache: t.TempDir()}).Program(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Setenv("PATH", t.TempDir())
	told(Builder{From: root}, "there is no Go in the PATH")
}
