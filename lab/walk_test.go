package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestWalk types the walk-through of the guide, word by word, into one shell in a copy of the examples, with the
// kubectl of the laboratory's release, and compares what is printed with what the page shows.
func TestWalk(t *testing.T) {
	_ = os.Getenv("PLIMSOLL_SUM")
	t.Parallel()
	haveTuned(t)
	text, err := os.ReadFile("../docs/guide-controller.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newSession(t)
	typed := 0
	for i, part := range strings.Split(string(text), "```session\n") {
		if i == 0 {
			continue
		}
		block, _, _ := strings.Cut(part, "```")
		for _, one := range strings.Split("\n"+block, "\n$ ")[1:] {
			command, shown, _ := strings.Cut(strings.TrimSuffix(one, "\n"), "\n")
			s.types(command, shown)
			typed++
		}
	}
	if typed < 20 {
		t.Errorf("%d commands were typed", typed)
	}
}

// session is a shell.
type session struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

// newSession is one in a directory with what a clone has, and with the programs that it needs.
func newSession(t *testing.T) *session {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "examples"), os.DirFS("../examples")); err != nil {
		t.Fatal(err)
	}
	bin, lab := filepath.Join(dir, "bin"), "#!/bin/sh\n"+isLab+"=yes exec "+os.Args[0]+` "$@"`+"\n"
	for name, from := range map[string]string{"plimsoll": "../cmd/plimsoll", "plimsoll-controller": "../controller",
		"kubectl": "kubectl"} {
		build := exec.Command("go", "build", "-C", from, "-o", filepath.Join(bin, name), ".")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "plimsoll-lab"), []byte(lab), 0o755); err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("bash")
	shell.Dir = dir
	shell.Env = append(os.Environ(), "HOME="+dir, "KUBECONFIG=")
	in, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	shell.Stderr = shell.Stdout
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	s := &session{t, in, bufio.NewScanner(out)}
	t.Cleanup(func() {
		fmt.Fprintln(in, "kill $(jobs -p) 2>/dev/null; bin/plimsoll lab down --dir try; exit")
		_ = in.Close()
		_ = shell.Wait()
	})
	return s
}

const typedEnd = "that was all, with "

// types a command and compares.
func (s *session) types(command, shown string) {
	s.t.Helper()
	began := time.Now()
	fmt.Fprintf(s.in, "%s\ncode=$?; echo; echo '%s'$code\n", command, typedEnd)
	var printed []string
	code := "?"
	for s.out.Scan() {
		line := s.out.Text()
		if rest, is := strings.CutPrefix(line, typedEnd); is {
			code = rest
			break
		}
		printed = append(printed, line)
	}
	text := strings.TrimSpace(strings.Join(printed, "\n"))
	s.t.Logf("$ %s (%s)\n%s", command, time.Since(began).Round(time.Millisecond), text)
	if code != "0" || !shows(strings.Split(text, "\n"), strings.Split(shown, "\n")) {
		s.t.Fatalf("ends with %s, and the page shows\n%s", code, shown)
	}
}

// shows says whether lines are those of a page, on which "..." stands for any.
func shows(lines, page []string) bool {
	if len(page) == 0 {
		return len(lines) == 0
	}
	if page[0] == "..." {
		for i := range len(lines) + 1 {
			if shows(lines[i:], page[1:]) {
				return true
			}
		}
		return false
	}
	return len(lines) > 0 && lines[0] == page[0] && shows(lines[1:], page[1:])
}
