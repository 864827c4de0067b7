package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/cli"
)

// target is a system that binaries are made for.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"},
	{"windows", "amd64"}}

// binary is a program that was built, and what it says of itself.
type binary struct {
	target
	version string
	content []byte
	info    *debug.BuildInfo
}

func (b binary) name() string { return "plimsoll-" + b.version + "-" + b.os + "-" + b.arch }

func (b binary) archive() string {
	if b.os == "windows" {
		return b.name() + ".zip"
	}
	return b.name() + ".tar.gz"
}

func (b binary) program() string {
	if b.os == "windows" {
		return "plimsoll.exe"
	}
	return "plimsoll"
}

// source is a clone of the commit that is released.
type source struct {
	dir    string
	commit string
	time   time.Time
	// env is more of the environment of the Go command.
	env []string
}

// newSource clones what is checked out into a directory. It refuses what is no commit:
// nobody could build it again.
func newSource(dir string, env []string) (source, error) {
	s := source{dir: ".", env: append([]string{"GOFLAGS=", "GOEXPERIMENT=", "CGO_ENABLED=0"}, env...)}
	changed, err := s.run("git", "status", "--porcelain")
	if err == nil && changed != "" {
		err = fmt.Errorf("the checkout is not clean (commit or remove what is changed):\n%s", changed)
	}
	if err == nil {
		_, err = s.run("git", "clone", "--quiet", "--no-hardlinks", ".", dir)
	}
	if err != nil {
		return s, err
	}
	s.dir = dir
	text, err := s.run("git", "log", "-1", "--format=%H %ct")
	if err != nil {
		return s, err
	}
	commit, seconds, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	s.commit, s.time = commit, time.Unix(n, 0).UTC()
	return s, err
}

// run runs a command in the clone, and gives what it prints.
func (s source) run(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = s.dir, append(os.Environ(), s.env...), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), err
}

// build builds the program for a target. Nothing of the environment but the Go command
// itself may be seen in it; it is stripped of what only debuggers read.
func (s source) build(t target, work string) (binary, error) {
	path := filepath.Join(work, t.os+"-"+t.arch)
	s.env = append(slices.Clip(s.env), "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0")
	_, err := s.run("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", path, "./cmd/plimsoll")
	if err != nil {
		return binary{}, err
	}
	b := binary{target: t}
	if b.content, err = os.ReadFile(path); err != nil {
		return b, err
	}
	if b.info, err = buildinfo.Read(bytes.NewReader(b.content)); err != nil {
		return b, err
	}
	b.version = b.info.Main.Version
	if !slices.Contains(b.info.Settings, debug.BuildSetting{Key: "vcs.revision", Value: s.commit}) ||
		!slices.Contains(b.info.Settings, debug.BuildSetting{Key: "vcs.modified", Value: "false"}) {
		return b, errors.New("the binary does not say that it was built from the commit as it is")
	}
	return b, nil
}

// common are the files of every archive.
func (s source) common(version string) ([]file, error) {
	var out []file
	for _, name := range []string{"LICENSE", "NOTICE", "README.md"} {
		content, err := os.ReadFile(filepath.Join(s.dir, name))
		if err != nil {
			return nil, err
		}
		out = append(out, file{name, content, 0o644})
	}
	by := v1alpha1.Build{Version: version, Commit: s.commit}
	for name, page := range cli.Manual(by, s.time.Format(time.DateOnly)) {
		out = append(out, file{"man/man1/" + name, page, 0o644})
	}
	for shell, name := range map[string]string{"bash": "plimsoll.bash", "zsh": "_plimsoll", "fish": "plimsoll.fish",
		"powershell": "plimsoll.ps1"} {
		var text bytes.Buffer
		if cli.Run(context.Background(), cli.Streams{In: strings.NewReader(""), Out: &text, Err: io.Discard},
			[]string{"plimsoll", "completion", shell}, os.Getenv) != cli.ExitOK {
			return nil, fmt.Errorf("completion for %s can't be made", shell)
		}
		out = append(out, file{"completions/" + name, text.Bytes(), 0o644})
	}
	return out, nil
}

// licences are those of everything that is linked into a binary.
func (s source) licences(b binary) ([]byte, error) {
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}\t{{.Dir}}"}
	for _, m := range b.info.Deps {
		args = append(args, m.Path)
	}
	listed, err := s.run("go", args...)
	if err != nil {
		return nil, err
	}
	root, err := s.run("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for line := range strings.Lines(b.info.GoVersion + "\t" + root + "\n" + listed + "\n") {
		title, dir, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if err := addLicences(&out, title, dir); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

var licence = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice)`)

// addLicences adds what a module's directory has of them, and there must be one.
func addLicences(out *bytes.Buffer, title, dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	before := out.Len()
	for _, e := range entries {
		if e.IsDir() || !licence.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "==== %s: %s\n\n%s\n\n", title, e.Name(), bytes.TrimSpace(text))
	}
	if out.Len() == before {
		return fmt.Errorf("%s has no licence in %s", title, dir)
	}
	return nil
}
