package lab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// Name of the laboratory's program.
const Name = "plimsoll-lab"

// Builder finds the laboratory's program, or builds it from the repository.
type Builder struct {
	// Named is the path that $PLIMSOLL_LAB states; it goes before all else.
	Named string
	// Beside is the folder of the program that runs.
	Beside string
	// From is the folder from which the repository is looked for, upwards.
	From string
	// Cache is the user's folder for caches.
	Cache string
	// Building is told that the program must be built; what it returns is told the end.
	Building func() (done func())
}

// Program is the path of the program; it is built where it is nowhere.
func (b Builder) Program(ctx context.Context) (string, error) {
	if b.Named != "" {
		if !executable(b.Named) {
			return "", fmt.Errorf("PLIMSOLL_LAB=%s: is no program", b.Named)
		}
		return filepath.Abs(b.Named)
	}
	if beside := filepath.Join(b.Beside, Name); b.Beside != "" && executable(beside) {
		return beside, nil
	}
	return b.Build(ctx)
}

// Build is the path of the program as the repository's sources make it; what is built
// already, from the same sources, is not built again.
func (b Builder) Build(ctx context.Context) (string, error) {
	sources, err := b.sources()
	if err != nil {
		return "", err
	}
	key, err := hash(os.DirFS(sources))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(b.Cache, "plimsoll", "lab", key)
	program := filepath.Join(dir, Name)
	if executable(program) {
		return program, nil
	}
	compiler, err := exec.LookPath("go")
	if err != nil {
		return "", fmt.Errorf("the laboratory must be built, and there is no Go in the PATH "+
			"(install Go, or put %s beside plimsoll, or name it in PLIMSOLL_LAB)", Name)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if b.Building != nil {
		defer b.Building()()
	}
	if err := compile(ctx, compiler, sources, program); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return program, others(filepath.Dir(dir), key)
}

// compile builds beside the program and puts it in place at once.
func compile(ctx context.Context, compiler, sources, program string) error {
	staged := fmt.Sprintf("%s.%d", program, os.Getpid())
	build := exec.CommandContext(ctx, compiler, "build", "-ldflags=-s -w", "-o", staged, ".")
	build.Dir = sources
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOOS="+runtime.GOOS,
		"GOARCH="+runtime.GOARCH)
	out, err := build.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted before the laboratory was built: %w", ctx.Err())
	}
	if err != nil {
		return fmt.Errorf("go build in %s: %w:\n%s", sources, err, last(string(out), 20))
	}
	return os.Rename(staged, program)
}

// others removes programs of other sources: each has a hundred megabytes.
func others(dir, key string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != key {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	return err
}

// ours is the line of the repository's go.mod.
var ours = regexp.MustCompile(`(?m)^module plimsoll\.dev$`)

// sources is the folder lab of the repository.
func (b Builder) sources() (string, error) {
	from, err := filepath.Abs(b.From)
	if err != nil {
		return "", err
	}
	for dir := from; ; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && ours.Match(text) {
			sources := filepath.Join(dir, "lab")
			if _, err := os.Stat(filepath.Join(sources, "go.mod")); err != nil {
				return "", fmt.Errorf("the laboratory can't be built: %w", err)
			}
			return sources, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("there is no %s beside plimsoll, and it can't be built: %s is in no checkout of "+
				"Plimsoll's repository (go there, or name the program in PLIMSOLL_LAB)", Name, from)
		}
	}
}

// hash is a name for the sources: their content decides it, tests left out, and the
// version of Go.
func hash(sources fs.FS) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, runtime.Version())
	err := fs.WalkDir(sources, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		f, err := sources.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		fmt.Fprintln(sum, name)
		_, err = io.Copy(sum, f)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil))[:16], err
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// last are the last lines of a text.
func last(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
